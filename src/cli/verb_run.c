/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <torsor/result.h>

#include "cli/folder.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "results/file.h"

typedef struct run_options {
  cli common;
  const char *folder;
} run_options;

/* A run and where its results go. */
typedef struct run {
  const cli *common;
  session session;
  char *folder, *trajectory, *summary_file;
  torsor_csv *csv;
  progress progress;
  int warnings;
  torsor_occurrence *event; /* [events] */
  int events, event_room;
  double kept; /* time up to which a failed run left results; NaN = none */
} run;

/* A scene that struggles at every step must not bury everything else. */
enum { MOST_WARNINGS = 20 };

/* The text about an event. */
enum { EVENT_ROOM = 160 };

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* The first SIGINT asks the run to stop; with SA_RESETHAND the second one ends the program. */
static void catch_interrupt(void) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

static torsor_status record(void *data, double t, const double *values, int count) {
  run *r = data;
  return torsor_csv_write(r->csv, t, values, count);
}

static bool stop(void *data) {
  (void)data;
  return interrupted != 0;
}

static void update(void *data, double t, double duration, const torsor_counters *counters) {
  run *r = data;
  progress_update(&r->progress, t, duration, counters);
}

static void warn(void *data, const char *message) {
  run *r = data;
  if (r->warnings++ >= MOST_WARNINGS && !r->common->verbose) return;
  progress_break(&r->progress);
  cli_warn(r->common, "%s", message);
  if (r->warnings == MOST_WARNINGS && !r->common->verbose)
    cli_warn(r->common, "further warnings are left out; -v shows all");
}

static torsor_status note_event(void *data, const torsor_occurrence *occurrence) {
  run *r = data;
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

/* A summary of an earlier run must not stand beside the new trajectory. */
static torsor_status open_results(run *r, const char *folder, torsor_error *error) {
  r->folder = folder ? path_format(error, "%s", folder)
                     : path_format(error, "out/%s", torsor_scene_name(r->session.scene));
  if (!r->folder) return TORSOR_MEMORY;
  torsor_status status = folder_make(r->folder, error);
  if (status != TORSOR_OK) return status;
  r->trajectory = path_format(error, "%s/trajectory.csv", r->folder);
  r->summary_file = path_format(error, "%s/summary.json", r->folder);
  if (!r->trajectory || !r->summary_file) return TORSOR_MEMORY;
  if (unlink(r->summary_file) != 0 && errno != ENOENT)
    return file_fail(error, r->summary_file, "replace the file", errno);
  return torsor_csv_create(&r->csv, r->trajectory, r->session.signals, error);
}

static torsor_status simulate(torsor_summary *summary, run *r, torsor_error *error) {
  const torsor_hooks hooks = {.data = r,
                              .record = record,
                              .stop = stop,
                              .progress = update,
                              .event = note_event,
                              .warn = warn};
  progress_start(&r->progress, r->common);
  catch_interrupt();
  torsor_status status =
      torsor_simulate(summary, r->session.model, torsor_scene_simulation(r->session.scene),
                      r->session.signals, &hooks, error);
  session_locate(&r->session, status, error);
  progress_break(&r->progress);
  summary->setup_seconds += r->session.setup_seconds;
  torsor_error late = {0};
  const torsor_status closed = torsor_csv_close(r->csv, &late);
  r->csv = NULL;
  if (closed != TORSOR_OK && (status == TORSOR_OK || status == TORSOR_FILE)) {
    *error = late;
    status = closed;
  }
  summary->status = status;
  return status;
}

static void print_for_people(text *t, const run *r, const torsor_summary *s) {
  const torsor_counters *c = &s->counters;
  const double steps = c->steps > 0 ? (double)c->steps : 1;
  text_printf(t, "%s: %s\n", torsor_scene_name(r->session.scene),
              s->status == TORSOR_OK ? "done" : torsor_status_text(s->status));
  text_printf(t, "  time reached       %.9g s\n", s->t);
  if (s->events) text_printf(t, "  events             %ld\n", s->events);
  if (s->stopped_by) text_printf(t, "  stopped by         \"%s\"\n", s->stopped_by->name);
  text_printf(t, "  steps              %ld, %ld rejected\n", c->steps, c->rejected_steps);
  if (c->smallest_step < 0.999 * c->largest_step)
    text_printf(t, "  step sizes         %.3g s to %.3g s\n", c->smallest_step, c->largest_step);
  text_printf(t, "  Newton iterations  %ld, %.2f per step\n", c->newton_iterations,
              (double)c->newton_iterations / steps);
  text_printf(t, "  CPU time           %.3g s, %.3g us per step\n", s->cpu_seconds,
              1e6 * s->cpu_seconds / steps);
  text_printf(t, "  max |phi|          %.3g\n", s->max_phi);
  text_printf(t, "  energy %s      %.3g J of %.6g J\n", s->energy_exchanged ? "change" : "drift ",
              s->energy_max_drift, s->energy_initial);
  if (s->energy_exchanged && isfinite(s->energy_max_balance))
    text_printf(t, "  energy balance     off by %.3g J (%.3g J supplied, %.3g J dissipated)\n",
                s->energy_max_balance, s->energy_supplied, s->energy_dissipated);
  text_printf(t, "  results            %s/\n", r->folder);
}

/* A failed run answers with its error: the summary is in the folder. */
static torsor_status print_summary(const run *r, const torsor_summary *summary,
                                   const torsor_result_info *info, torsor_error *error) {
  text t = {0};
  if (r->common->json) {
    char *document = NULL;
    const torsor_status status = torsor_summary_text(&document, summary, info, error);
    if (status != TORSOR_OK) return status;
    text_append(&t, document);
    torsor_text_free(document);
  } else if (!r->common->quiet) {
    print_for_people(&t, r, summary);
  }
  return cli_print(&t, error);
}

static torsor_status write_summary(run *r, const torsor_summary *summary, torsor_status status,
                                   torsor_error *error) {
  const torsor_scene *scene = r->session.scene;
  const bool failed = status != TORSOR_OK && status != TORSOR_INTERRUPTED;
  char stopped[EVENT_ROOM] = "";
  if (summary->stopped_by)
    snprintf(stopped, sizeof stopped, "stopped by event \"%s\" at t = %.9g s",
             summary->stopped_by->name, summary->t);
  const torsor_result_info info = {.scene = torsor_scene_name(scene),
                                   .title = torsor_scene_title(scene),
                                   .hash = torsor_scene_hash(scene),
                                   .message = failed       ? error->message
                                              : stopped[0] ? stopped
                                                           : torsor_status_text(status),
                                   .events = r->event,
                                   .event_count = r->events,
                                   .simulation = torsor_scene_simulation(scene),
                                   .signals = r->session.signals};
  torsor_error late = {0};
  torsor_status written = torsor_summary_write(r->summary_file, summary, &info, &late);
  if (failed) {
    r->kept = summary->t;
    return status;
  }
  if (written == TORSOR_OK) written = print_summary(r, summary, &info, &late);
  if (written == TORSOR_OK) {
    error->message[0] = '\0'; /* an interruption is no error: the summary has told */
    return status;
  }
  *error = late;
  return written;
}

static torsor_status run_scene(run *r, const run_options *options, torsor_error *error) {
  const char *file = options->common.argument[0];
  torsor_status status = session_open(&r->session, r->common, file, error);
  if (status == TORSOR_OK) status = open_results(r, options->folder, error);
  if (status != TORSOR_OK) return status;
  cli_note(r->common, "%s: set up in %.3g s", torsor_scene_name(r->session.scene),
           r->session.setup_seconds);
  torsor_summary summary = {0};
  status = simulate(&summary, r, error);
  return write_summary(r, &summary, status, error);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  run_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int verb_run(int argc, char **argv) {
  static const struct argp_option extra[] = {
      {"output", 'o', "DIR", 0, "Folder of the results (default out/<scene name>/)", 0}, {0}};
  static const struct argp argp = {
      .options = extra,
      .parser = parse,
      .args_doc = "SCENE",
      .doc = "Simulate SCENE and write trajectory.csv and summary.json.\v"
             "An interrupt (SIGINT) finishes the step and writes what there is; a second one ends "
             "at once.",
      .children = cli_children};
  run_options options = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  run r = {.common = &options.common, .kept = nan("")};
  if (status == TORSOR_OK) status = run_scene(&r, &options, &error);
  const int code = cli_finish(&options.common, status, &error);
  if (!isnan(r.kept) && !options.common.json)
    fprintf(stderr, "  results up to t = %.9g s are in %s/\n", r.kept, r.folder);
  torsor_csv_close(r.csv, NULL);
  session_close(&r.session);
  free(r.folder);
  free(r.trajectory);
  free(r.summary_file);
  free(r.event);
  return code;
}
