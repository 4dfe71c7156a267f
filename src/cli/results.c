/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/interrupt.h"
#include "cli/report.h"
#include "results/file.h"

/* Limits on warnings, so that a scene that warns at every step does not hide all other output. */
/* Warnings kept during the run, and one more for its concluding message. */
enum { MOST_WARNINGS = 20, WARNING_ROOM };

/* A summary of an earlier run must not stand beside the new trajectory. */
static torsor_status remove_summary(const results *r, torsor_error *error) {
  if (unlink(r->summary_file) == 0 || errno == ENOENT) return TORSOR_OK;
  return file_fail(error, r->summary_file, "replace the file", errno);
}

/* Cuts off the rows after the checkpoint, once the continued run has taken its first step. */
static torsor_status settle(results *r) {
  if (!r->pending) return TORSOR_OK;
  r->pending = false;
  torsor_status status = remove_summary(r, NULL);
  if (!status) status = session_keep_scene(r->session, r->folder, NULL);
  if (!status) status = torsor_csv_cut(r->csv, NULL);
  return status || !r->full.netcdf ? status : torsor_netcdf_cut(r->full.netcdf, NULL);
}

/* Turns the signals for an exceeded file size and a closed pipe into ordinary errors. */
static void ignore_file_signals(void) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, NULL);
  sigaction(SIGXFSZ, &action, NULL);
}

static torsor_status record(void *data, double t, const double *values, int count) {
  results *r = data;
  const torsor_status status = settle(r);
  return status ? status : torsor_csv_write(r->csv, t, values, count);
}

static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  results *r = data;
  const torsor_status status = settle(r);
  return status ? status : torsor_netcdf_write(r->full.netcdf, frame);
}

static double *find_room(void *data, size_t size) {
  results *r = data;
  (void)size;
  return torsor_netcdf_room(r->full.netcdf);
}

static bool stop(void *data) {
  (void)data;
  return interrupt_seen() != 0;
}

/* Number of warnings that were kept; some may be missing for lack of memory. */
static int kept_warnings(const results *r) {
  int count = 0;
  while (r->warning && count < WARNING_ROOM && r->warning[count]) ++count;
  return count;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static bool keep_now(void *data) {
  results *r = data;
  return checkpoints_due(&r->checkpoints);
}

static int event_index(const torsor_model *model, const torsor_event *event) {
  int i = 0;
  while (torsor_model_event(model, i) != event) ++i;
  return i;
}

/* Fills the checkpoint with everything that the results contain besides the rows of output. */
static torsor_status note_results(checkpoint *c, text *warnings, const results *r) {
  const session *s = r->session;
  const torsor_simulation *simulation = torsor_scene_simulation(s->scene);
  snprintf(c->scene, sizeof c->scene, "%s", results_name(r));
  snprintf(c->hash, sizeof c->hash, "%s", torsor_scene_resume_hash(s->scene));
  snprintf(c->method, sizeof c->method, "%s", simulation->settings.method);
  c->event = calloc((size_t)r->events + 1, sizeof *c->event);
  if (!c->event) return TORSOR_MEMORY;
  for (int i = 0; i < r->events; ++i)
    c->event[i] = (checkpoint_event){r->event[i].t, r->event[i].lost,
                                     event_index(s->model, r->event[i].event), r->event[i].rising};
  c->event_count = r->events;
  const int kept = kept_warnings(r);
  for (int i = 0; i < kept; ++i)
    text_append_bytes(warnings, r->warning[i], strlen(r->warning[i]) + 1);
  c->warning_count = r->warnings;
  c->warning_size = warnings->length;
  c->warning = warnings->data;
  return warnings->failed ? TORSOR_MEMORY : TORSOR_OK;
}

/* The rows up to the state are in the files before the checkpoint is.  That of a short run, which
 * is left near its end, does not wait for the disk. */
static torsor_status leave_checkpoint(results *r, double t, const void *state, size_t size,
                                      torsor_error *error) {
  checkpoint c = {.t = t, .state = (void *)state, .size = size};
  text warnings = {0};
  const bool surely = r->checkpoints.surely || interrupt_seen();
  torsor_status status = note_results(&c, &warnings, r);
  if (!status) status = torsor_csv_sync(r->csv, surely, &c.trajectory);
  if (!status && r->full.netcdf)
    status = torsor_netcdf_sync(r->full.netcdf, surely, &c.states, &c.frames);
  if (status)
    torsor_fail(error, status, "%s", torsor_status_text(status));
  else
    status = checkpoint_write(r->checkpoints.file, &c, surely, error);
  text_release(&warnings);
  free(c.event);
  return status;
}

/* Warns about a checkpoint that cannot be written; the run continues. */
static torsor_status keep(void *data, double t, const void *state, size_t size) {
  results *r = data;
  torsor_error error = {0};
  torsor_status status = settle(r);
  if (status) return status;
  status = leave_checkpoint(r, t, state, size, &error);
  if (!status || r->checkpoints.failed) return TORSOR_OK;
  r->checkpoints.failed = true;
  progress_break(&r->progress);
  cli_warn(r->common, "no checkpoint at t = %.9g s: %s", t, error.message);
  return TORSOR_OK;
}

/* ---- progress and warnings ------------------------------------------------------------------- */

static void update(void *data, double t, double end, const torsor_counters *counters) {
  results *r = data;
  interrupt_finishes(); /* a step is done */
  progress_update(&r->progress, t, end, counters);
  /* a failure here comes again with the next row or at the end */
  torsor_csv_flush_old(r->csv);
  if (r->full.netcdf) torsor_netcdf_flush_old(r->full.netcdf);
}

static void keep_warning(results *r, const char *message) {
  if (!r->warning) r->warning = calloc(WARNING_ROOM, sizeof *r->warning);
  const int kept = kept_warnings(r);
  if (r->warning && kept < WARNING_ROOM) r->warning[kept] = strdup(message);
}

/* Prints and keeps the last message of a run, however many warnings preceded it. */
static void conclude(void *data, const char *message) {
  results *r = data;
  keep_warning(r, message);
  progress_break(&r->progress);
  cli_warn(r->common, "%s", message);
}

static void warn(void *data, const char *message) {
  results *r = data;
  if (r->warnings < MOST_WARNINGS) keep_warning(r, message);
  if (r->warnings++ >= MOST_WARNINGS && !r->common->verbose) return;
  progress_break(&r->progress);
  cli_warn(r->common, "%s", message);
  if (r->warnings == MOST_WARNINGS && !r->common->verbose)
    cli_warn(r->common, "further warnings are left out; -v shows all");
}

static torsor_status note_event(void *data, const torsor_occurrence *occurrence) {
  results *r = data;
  if (r->events == r->event_room) {
    const int room = 2 * r->event_room + 16;
    torsor_occurrence *moved = reallocarray(r->event, (size_t)room, sizeof *moved);
    if (!moved) return TORSOR_MEMORY;
    r->event = moved;
    r->event_room = room;
  }
  r->event[r->events++] = *occurrence;
  if (r->common->verbose) progress_break(&r->progress);
  cli_note(r->common, "event \"%s\" at t = %.9g s (%s)", occurrence->event->name, occurrence->t,
           occurrence->rising ? "rising" : "falling");
  return TORSOR_OK;
}

static bool may_stop(const torsor_model *model) {
  const torsor_event *event;
  for (int i = 0; (event = torsor_model_event(model, i)); ++i)
    if (event->action == TORSOR_STOP) return true;
  return false;
}

static torsor_status check_room(const results *r, bool full, torsor_error *error) {
  full_size size;
  const bool state = full || torsor_scene_recording(r->session->scene)->full;
  torsor_status status = full_measure(&size, r->session, state, error);
  if (!status) status = full_check_room(&size, state, r->folder, error);
  if (status != TORSOR_FILE || !may_stop(r->session->model)) return status;
  cli_warn(r->common, "%s, unless an event ends the run before", error->message);
  *error = (torsor_error){0};
  return TORSOR_OK;
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Checks that neither inputs of the run nor files of the user are overwritten. */
static torsor_status check_inputs(const results *r, const results_options *options,
                                  torsor_error *error) {
  static const char *const written[] = {
      "trajectory.csv", "state.nc",   "scene.json", "summary.json", "checkpoint", "report.html",
      "modes.csv",      "mode_*.csv", "*.mtx",      "unknowns.csv", NULL};
  inputs in = {0};
  torsor_status status = options->resume ? inputs_add_result(&in, options->resume, error)
                                         : inputs_add_scene(&in, r->session, r->common, error);
  if (!status) status = inputs_check_folder(&in, r->folder, written, error);
  inputs_release(&in);
  if (!status && !options->resume)
    status = folder_check_apart(r->folder, torsor_scene_file(r->session->scene, 0), error);
  return status ? status : folder_check_stranger(r->folder, error);
}

static torsor_status open_folder(results *r, const char *folder, torsor_error *error) {
  r->folder = folder ? path_format(error, "%s", folder)
                     : path_format(error, "out/%s", torsor_scene_name(r->session->scene));
  if (!r->folder) return TORSOR_MEMORY;
  static const char *const files[] = {"trajectory.csv", "state.nc",   "scene.json",
                                      "summary.json",   "checkpoint", NULL};
  torsor_status status = folder_make(r->folder, error);
  if (!status) status = folder_lock_take(&r->lock, r->folder, error);
  if (!status) status = folder_check_writable(r->folder, files, error);
  if (status) return status;
  r->trajectory = path_format(error, "%s/trajectory.csv", r->folder);
  r->summary_file = path_format(error, "%s/summary.json", r->folder);
  return r->trajectory && r->summary_file ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status results_open(results *r, const results_options *options, const session *s,
                           bool statics, torsor_error *error) {
  ignore_file_signals();
  *r = (results){.common = &options->common, .session = s, .lock = {-1}, .kept = nan("")};
  torsor_status status = open_folder(r, options->folder, error);
  if (!status) status = check_inputs(r, options, error);
  if (!status && !statics) status = check_room(r, options->full, error);
  if (!status) status = folder_clear(r->folder, torsor_scene_canonical(s->scene), error);
  if (!status) status = remove_summary(r, error);
  if (!status) status = checkpoints_clear(r->folder, error);
  if (!status) status = session_keep_scene(s, r->folder, error);
  if (!status) status = full_open(&r->full, s, r->folder, options->full, statics, error);
  if (!status) status = torsor_csv_create(&r->csv, r->trajectory, s->signals, error);
  if (!status) torsor_csv_set_sync(r->csv, r->full.recording.sync);
  return status;
}

/* Restores the events and warnings of the earlier part of the run. */
static torsor_status recall(results *r, torsor_error *error) {
  const checkpoint *from = &r->checkpoints.from;
  const char *warning = from->warning;
  r->event = calloc((size_t)from->event_count + 1, sizeof *r->event);
  r->warning = calloc(WARNING_ROOM, sizeof *r->warning);
  if (!r->event || !r->warning) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  r->events = r->event_room = from->event_count;
  for (int i = 0; i < r->events; ++i)
    r->event[i] = (torsor_occurrence){torsor_model_event(r->session->model, from->event[i].event),
                                      from->event[i].t, from->event[i].rising != 0,
                                      from->event[i].lost};
  for (int i = 0; i < MOST_WARNINGS && warning < from->warning + from->warning_size; ++i) {
    r->warning[i] = strdup(warning);
    warning += strlen(warning) + 1;
  }
  r->warnings = from->warning_count;
  return TORSOR_OK;
}

static bool same_folder(const char *a, const char *b) {
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_ino == second.st_ino &&
         first.st_dev == second.st_dev;
}

/* Copies the results to another folder, as if the run had written them there. */
static torsor_status move_on(results *r, const char *left, torsor_error *error) {
  const checkpoint *from = &r->checkpoints.from;
  torsor_status status = folder_clear(r->folder, torsor_scene_canonical(r->session->scene), error);
  if (!status) status = remove_summary(r, error);
  if (!status) status = checkpoints_clear(r->folder, error);
  if (!status)
    status = checkpoints_copy("trajectory.csv", left, r->folder, from->trajectory, error);
  if (!status && from->states)
    status = checkpoints_copy("state.nc", left, r->folder, from->states, error);
  if (!status) status = session_keep_scene(r->session, r->folder, error);
  return status ? status : checkpoints_pass_on(&r->checkpoints, r->folder, error);
}

torsor_status results_resume(results *r, const results_options *options, session *s,
                             torsor_error *error) {
  const char *left = options->resume;
  const checkpoint *from = &r->checkpoints.from;
  ignore_file_signals();
  *r = (results){
      .common = &options->common, .session = s, .lock = {-1}, .kept = nan(""), .pending = true};
  const char *folder = options->folder ? options->folder : left;
  torsor_status status = folder_lock_take(&r->lock, folder, error);
  if (!status) status = checkpoints_resume(&r->checkpoints, s, r->common, left, error);
  if (!status) status = session_differentiate(s, error);
  if (!status) status = open_folder(r, folder, error);
  if (!status && !same_folder(left, r->folder)) status = check_inputs(r, options, error);
  if (!status) status = check_room(r, from->states > 0, error);
  if (!status) status = recall(r, error);
  if (!status && !same_folder(left, r->folder)) status = move_on(r, left, error);
  if (!status) status = full_resume(&r->full, s, r->folder, from->states, from->frames, error);
  if (!status)
    status = torsor_csv_resume(&r->csv, r->trajectory, s->signals, from->trajectory, error);
  if (!status) torsor_csv_set_sync(r->csv, r->full.recording.sync);
  return status;
}

torsor_status results_checkpoints(results *r, double interval, torsor_error *error) {
  return checkpoints_open(&r->checkpoints, r->folder, interval, error);
}

const char *results_name(const results *r) {
  const checkpoint *from = &r->checkpoints.from;
  return from->state ? from->scene : torsor_scene_name(r->session->scene);
}

torsor_hooks results_hooks(results *r, const char *variable, const char *unit) {
  progress_start(&r->progress, r->common, variable, unit);
  interrupt_will_finish();
  const bool keeps = r->checkpoints.file != NULL;
  return (torsor_hooks){.size = sizeof(torsor_hooks),
                        .data = r,
                        .record = record,
                        .frame = r->full.netcdf ? keep_frame : NULL,
                        .room = r->full.netcdf ? find_room : NULL,
                        .recording = r->full.recording,
                        .stop = stop,
                        .keep_now = keeps ? keep_now : NULL,
                        .keep = keeps ? keep : NULL,
                        .progress = update,
                        .event = note_event,
                        .warn = warn,
                        .conclude = conclude,
                        .threads = r->common->threads};
}

torsor_status results_end(results *r, torsor_status status, torsor_error *error) {
  status = session_locate(r->session, status, error);
  progress_break(&r->progress);
  torsor_error late = {0};
  const torsor_status kept = full_close(&r->full, &late);
  torsor_status closed = torsor_csv_close(r->csv, kept ? NULL : &late);
  if (kept) closed = kept;
  r->csv = NULL;
  if (closed == TORSOR_OK || (status != TORSOR_OK && status != TORSOR_FILE)) return status;
  *error = late;
  return closed;
}

static bool has_failed(torsor_status status) {
  return status != TORSOR_OK && status != TORSOR_INTERRUPTED;
}

torsor_result_info results_info(const results *r, torsor_status status, const torsor_error *error) {
  const torsor_scene *scene = r->session->scene;
  return (torsor_result_info){.scene = results_name(r),
                              .title = torsor_scene_title(scene),
                              .hash = torsor_scene_hash(scene),
                              .message =
                                  has_failed(status) ? error->message : torsor_status_text(status),
                              .simulation = torsor_scene_simulation(scene),
                              .signals = r->session->signals,
                              .warning = (const char *const *)r->warning,
                              .warnings = kept_warnings(r),
                              .events = r->event,
                              .event_count = r->events};
}

/* Prints the answer; `late` receives the error when that fails. */
static torsor_status answer_with(const results *r, const char *document, const text *answer,
                                 torsor_error *late) {
  text t = {0};
  if (r->common->json)
    text_append(&t, document);
  else if (!r->common->quiet)
    text_append_bytes(&t, answer->data, answer->length);
  t.failed |= answer->failed;
  return cli_answer(r->common, &t, late);
}

torsor_status results_finish(results *r, torsor_status status, double reached, char *document,
                             text *answer, torsor_error *error) {
  const bool failed = has_failed(status);
  torsor_error late = {0};
  torsor_status written = r->pending ? TORSOR_OK
                          : document
                              ? file_replace(r->summary_file, document, strlen(document), &late)
                              : torsor_fail(&late, TORSOR_MEMORY, "out of memory");
  if (failed && !r->pending) r->kept = reached;
  if (!failed && written == TORSOR_OK) written = answer_with(r, document, answer, &late);
  text_release(answer);
  torsor_text_free(document);
  if (failed) return status;
  error->message[0] = '\0'; /* an interruption is not an error: the summary reports it */
  if (written == TORSOR_OK) return status;
  *error = late;
  return written;
}

/* Prints where the partial results of a failed analysis are. */
static void tell_kept(const results *r, const char *variable, const char *unit) {
  if (isnan(r->kept)) return;
  fprintf(stderr, "  results up to %s = %.9g%s%s are in ", variable, r->kept, unit[0] ? " " : "",
          unit);
  cli_show(stderr, r->folder);
  fputs("/\n", stderr);
}

static void release(results *r) {
  torsor_csv_close(r->csv, NULL);
  full_release(&r->full);
  checkpoints_release(&r->checkpoints);
  folder_lock_release(&r->lock);
  free(r->folder);
  free(r->trajectory);
  free(r->summary_file);
  free(r->event);
  for (int i = 0; r->warning && i < WARNING_ROOM; ++i) free(r->warning[i]);
  free(r->warning);
}

/* ---- the verbs that leave results ------------------------------------------------------------ */

error_t results_parse(int key, char *argument, struct argp_state *state) {
  results_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  case RESULTS_OPTION_REPORT:
    options->report = true;
    return 0;
  case RESULTS_OPTION_PROFILE:
    options->profile = true;
    return 0;
  case RESULTS_OPTION_FULL:
    options->full = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Writes a report page of the results, also after a failed analysis. */
static torsor_status add_report(const results *r, const cli *common, torsor_status status,
                                torsor_error *error) {
  if (has_failed(status) && isnan(r->kept)) return status;
  const char *const folder = r->folder;
  const report_request request = {.result = &folder, .results = 1};
  torsor_error late = {0};
  char *file = NULL;
  const torsor_status made = report_make(&file, &request, common, &late);
  if (!made && !common->json && !common->quiet && !has_failed(status)) {
    fputs("  report             ", stdout);
    cli_show(stdout, file);
    fputc('\n', stdout);
  }
  free(file);
  if (!made || has_failed(status)) return status;
  *error = late;
  return made;
}

int results_act(int argc, char **argv, const struct argp *argp, const char *variable,
                const char *unit,
                torsor_status (*analyse)(results *r, session *s, const results_options *options,
                                         torsor_error *error)) {
  results_options options = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, argp, &options, argc, argv, 0, 1, &error);
  const int arguments = options.resume ? 0 : 1;
  if (status == TORSOR_OK)
    status = cli_check_count(&options.common, argp, argv[0], arguments, arguments, &error);
  results r = {.lock = {-1}, .kept = nan("")};
  session s = {0};
  if (status == TORSOR_OK && options.report) status = report_check(&error);
  if (status == TORSOR_OK) status = analyse(&r, &s, &options, &error);
  if (options.report) status = add_report(&r, &options.common, status, &error);
  int code = cli_finish(&options.common, status, &error);
  if (status == TORSOR_INTERRUPTED && interrupt_seen()) code = EXIT_SIGNAL + interrupt_seen();
  if (!options.common.json) tell_kept(&r, variable, unit);
  release(&r);
  session_close(&s);
  free(options.sensitivities);
  return code;
}
