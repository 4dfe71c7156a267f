/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/report.h"
#include "results/file.h"

/* A scene that struggles at every step must not bury everything else. */
enum { MOST_WARNINGS = 20 };

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

static void catch_interrupt(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

/* A full quota and a pipe that nobody reads any more are errors like others. */
static void ignore_file_signals(void) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, NULL);
  sigaction(SIGXFSZ, &action, NULL);
}

static torsor_status record(void *data, double t, const double *values, int count) {
  results *r = data;
  return torsor_csv_write(r->csv, t, values, count);
}

static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  results *r = data;
  return torsor_netcdf_write(r->full.netcdf, frame);
}

static bool stop(void *data) {
  (void)data;
  return interrupted != 0;
}

static void update(void *data, double t, double end, const torsor_counters *counters) {
  results *r = data;
  progress_update(&r->progress, t, end, counters);
  /* what fails here fails again when the next row comes, or at the end */
  torsor_csv_flush_old(r->csv);
  if (r->full.netcdf) torsor_netcdf_flush_old(r->full.netcdf);
}

static void warn(void *data, const char *message) {
  results *r = data;
  if (!r->warning) r->warning = calloc(MOST_WARNINGS, sizeof *r->warning);
  if (r->warning && r->warnings < MOST_WARNINGS) r->warning[r->warnings] = strdup(message);
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
  torsor_status status = full_measure(&size, r->session, error);
  if (!status) status = full_check_room(&size, state, r->folder, error);
  if (status != TORSOR_FILE || !may_stop(r->session->model)) return status;
  cli_warn(r->common, "%s, unless an event ends the run before", error->message);
  *error = (torsor_error){0};
  return TORSOR_OK;
}

/* A summary of an earlier run must not stand beside the new trajectory. */
torsor_status results_open(results *r, const results_options *options, const session *s,
                           bool statics, torsor_error *error) {
  ignore_file_signals();
  *r = (results){.common = &options->common, .session = s, .kept = nan("")};
  const char *folder = options->folder;
  r->folder = folder ? path_format(error, "%s", folder)
                     : path_format(error, "out/%s", torsor_scene_name(s->scene));
  if (!r->folder) return TORSOR_MEMORY;
  static const char *const files[] = {"trajectory.csv", "state.nc", "scene.json", "summary.json",
                                      NULL};
  torsor_status status = folder_make(r->folder, error);
  if (status == TORSOR_OK) status = folder_check_writable(r->folder, files, error);
  if (status == TORSOR_OK && !statics) status = check_room(r, options->full, error);
  if (status != TORSOR_OK) return status;
  r->trajectory = path_format(error, "%s/trajectory.csv", r->folder);
  r->summary_file = path_format(error, "%s/summary.json", r->folder);
  if (!r->trajectory || !r->summary_file) return TORSOR_MEMORY;
  if (unlink(r->summary_file) != 0 && errno != ENOENT)
    return file_fail(error, r->summary_file, "replace the file", errno);
  status = session_keep_scene(s, r->folder, error);
  if (status == TORSOR_OK)
    status = full_open(&r->full, s, r->folder, options->full, statics, error);
  if (status == TORSOR_OK) status = torsor_csv_create(&r->csv, r->trajectory, s->signals, error);
  if (status == TORSOR_OK) torsor_csv_set_sync(r->csv, r->full.recording.sync);
  return status;
}

torsor_hooks results_hooks(results *r, const char *variable, const char *unit) {
  progress_start(&r->progress, r->common, variable, unit);
  catch_interrupt();
  return (torsor_hooks){.data = r,
                        .record = record,
                        .frame = r->full.netcdf ? keep_frame : NULL,
                        .recording = r->full.recording,
                        .stop = stop,
                        .progress = update,
                        .event = note_event,
                        .warn = warn};
}

torsor_status results_end(results *r, torsor_status status, torsor_error *error) {
  session_locate(r->session, status, error);
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

/* Those that there was memory for. */
static int kept_warnings(const results *r) {
  int count = 0;
  while (r->warning && count < r->warnings && count < MOST_WARNINGS && r->warning[count]) ++count;
  return count;
}

torsor_result_info results_info(const results *r, torsor_status status, const torsor_error *error) {
  const torsor_scene *scene = r->session->scene;
  return (torsor_result_info){.scene = torsor_scene_name(scene),
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

/* Print the answer; `late` tells what went wrong. */
static torsor_status answer_with(const results *r, const char *document, const text *answer,
                                 torsor_error *late) {
  text t = {0};
  if (r->common->json)
    text_append(&t, document);
  else if (!r->common->quiet)
    text_append_bytes(&t, answer->data, answer->length);
  t.failed |= answer->failed;
  return cli_print(&t, late);
}

torsor_status results_finish(results *r, torsor_status status, double reached, char *document,
                             text *answer, torsor_error *error) {
  const bool failed = has_failed(status);
  torsor_error late = {0};
  torsor_status written = document
                              ? file_replace(r->summary_file, document, strlen(document), &late)
                              : torsor_fail(&late, TORSOR_MEMORY, "out of memory");
  if (failed) r->kept = reached;
  if (!failed && written == TORSOR_OK) written = answer_with(r, document, answer, &late);
  text_release(answer);
  torsor_text_free(document);
  if (failed) return status;
  error->message[0] = '\0'; /* an interruption is no error: the summary has told */
  if (written == TORSOR_OK) return status;
  *error = late;
  return written;
}

void results_tell_kept(const results *r, const char *variable, const char *unit) {
  if (!isnan(r->kept))
    fprintf(stderr, "  results up to %s = %.9g%s%s are in %s/\n", variable, r->kept,
            unit[0] ? " " : "", unit, r->folder);
}

void results_release(results *r) {
  torsor_csv_close(r->csv, NULL);
  full_release(&r->full);
  free(r->folder);
  free(r->trajectory);
  free(r->summary_file);
  free(r->event);
  for (int i = 0; r->warning && i < MOST_WARNINGS; ++i) free(r->warning[i]);
  free(r->warning);
}

/* ---- the verbs that leave results --------------------------------------------------------------- */

enum { OPTION_REPORT = 768, OPTION_FULL };

const struct argp_option results_option[] = {
    {"output", 'o', "DIR", 0, "Folder of the results (default out/<scene name>/)", 0},
    {"full", OPTION_FULL, NULL, 0,
     "Keep full states in state.nc, also where the scene asks for none", 0},
    {"report", OPTION_REPORT, NULL, 0, "Write report.html, too, as torsor report does", 0},
    {0}};

error_t results_parse(int key, char *argument, struct argp_state *state) {
  results_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  case OPTION_REPORT:
    options->report = true;
    return 0;
  case OPTION_FULL:
    options->full = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* A page of what there is, a failed analysis or not. */
static torsor_status add_report(const results *r, const cli *common, torsor_status status,
                                torsor_error *error) {
  if (has_failed(status) && isnan(r->kept)) return status;
  const char *const folder = r->folder;
  const report_request request = {.result = &folder, .results = 1};
  torsor_error late = {0};
  char *file = NULL;
  const torsor_status made = report_make(&file, &request, common, &late);
  if (!made && !common->json && !common->quiet && !has_failed(status))
    printf("  report             %s\n", file);
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
  torsor_status status = cli_parse(&options.common, argp, &options, argc, argv, 1, 1, &error);
  results r = {.kept = nan("")};
  session s = {0};
  if (status == TORSOR_OK && options.report) status = report_check(&error);
  if (status == TORSOR_OK) status = analyse(&r, &s, &options, &error);
  if (options.report) status = add_report(&r, &options.common, status, &error);
  const int code = cli_finish(&options.common, status, &error);
  if (!options.common.json) results_tell_kept(&r, variable, unit);
  results_release(&r);
  session_close(&s);
  return code;
}
