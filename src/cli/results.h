/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_RESULTS_H
#define TORSOR_CLI_RESULTS_H

#include <torsor/result.h>

#include "cli/full.h"
#include "cli/checkpoints.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/session.h"

/** Writer of the results of an analysis while it runs. */
typedef struct results {
  const cli *common;
  const session *session;
  char *folder, *trajectory, *summary_file;
  folder_lock lock; /* of the folder */
  torsor_csv *csv;
  full_output full;
  progress progress;
  char **warning; /* the first of them */
  int warnings;
  torsor_occurrence *event; /* [events] */
  int events, event_room;
  checkpoints checkpoints;
  bool pending; /* the run is continued, and no existing file has been changed yet */
  double kept;  /* time or load up to which a failed analysis left results; NaN = none */
} results;

typedef struct results_options {
  cli common;
  const char *folder;  /* NULL: out/<scene name> */
  bool full;           /* full states are asked for */
  bool report;         /* and a page of them */
  const char *resume;  /* folder of a run to continue, instead of a scene; NULL = none */
  double checkpoint;   /* s between two; below 0: as the scene says */
  bool profile;        /* report where the time of the loop goes */
  char *sensitivities; /* the change of the scene that asks for them, from malloc; NULL: none */
  bool verify;         /* a second run is to show the errors of the first */
} results_options;

/** Makes the folder with scene.json, a new trajectory.csv and, when requested, state.nc, and
 *  removes an old summary.  Refuses a simulation (not `statics`) whose results the disk has no room
 *  for. */
torsor_status results_open(results *r, const results_options *options, const session *s,
                           bool statics, torsor_error *error);

/** Continues the run in the folder options->resume from its checkpoint.  `s`, whose element types
 *  are open, receives the scene of that run.  New results are appended there, or to a copy in the
 *  folder of the options.  No file changes before the first step is taken. */
torsor_status results_resume(results *r, const results_options *options, session *s,
                             torsor_error *error);

/** Requests a checkpoint every `interval` seconds, 0 = none. */
torsor_status results_checkpoints(results *r, double interval, torsor_error *error);

/** Name of the scene, when the run began. */
const char *results_name(const results *r);

/** Returns the hooks of the analysis: they write rows, show progress in `variable` ("t", "s"),
 *  print warnings, write checkpoints, and stop at the first SIGINT or SIGTERM; the second one ends
 *  the program. */
torsor_hooks results_hooks(results *r, const char *variable, const char *unit);

/** Closes the trajectory and completes the error with its position in the scene.  Returns `status`,
 *  or the failure to close. */
torsor_status results_end(results *r, torsor_status status, torsor_error *error);

/** Returns the texts and settings that summary.json contains besides the numbers. */
torsor_result_info results_info(const results *r, torsor_status status, const torsor_error *error);

/** Writes the summary `document` (NULL: memory was short) and prints the answer: `answer` or, as
 *  JSON, the document.  A failed analysis, with results up to `reached`, prints neither and returns
 *  its error.  Both texts are released. */
torsor_status results_finish(results *r, torsor_status status, double reached, char *document,
                             text *answer, torsor_error *error);

/* ---- the verbs that leave results ------------------------------------------------------------ */

/** Option keys of verbs that write results; their argp's input is a `results_options`. */
enum { RESULTS_OPTION_REPORT = 768, RESULTS_OPTION_FULL, RESULTS_OPTION_PROFILE };
/* clang-format off */
#define RESULTS_OPTIONS                                                                            \
  {"output", 'o', "DIR", 0, "Folder of the results (default out/<scene name>/)", 0},               \
  {"full", RESULTS_OPTION_FULL, NULL, 0,                                                           \
   "Keep full states in state.nc, also where the scene asks for none", 0},                         \
  {"profile", RESULTS_OPTION_PROFILE, NULL, 0,                                                     \
   "Report where the time goes: residual, tangent, factor, solve, output, rest", 0},               \
  {"report", RESULTS_OPTION_REPORT, NULL, 0, "Write report.html, too, as torsor report does", 0}
/* clang-format on */
error_t results_parse(int key, char *argument, struct argp_state *state);

/** The verb: `analyse` works on a scene in `variable`.  Returns the exit code. */
int results_act(int argc, char **argv, const struct argp *argp, const char *variable,
                const char *unit,
                torsor_status (*analyse)(results *r, session *s, const results_options *options,
                                         torsor_error *error));

#endif
