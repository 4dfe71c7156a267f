/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_SUPPORT_H
#define TORSOR_TESTS_SUPPORT_H

/** Scenes opened and simulated by tests. */

#include <torsor/torsor.h>

/** A scene with its model.  Tests that link this read shipped scenes below $TORSOR_DATA. */
typedef struct support_world {
  torsor_registry *registry;
  torsor_scene *scene;
  torsor_model *model;
} support_world;

/** From text; `set` ends with NULL, or is NULL.  On failure nothing is left open. */
torsor_status support_open(support_world *out, const char *text, const char *const *set,
                           torsor_error *error);
/** From a shipped scene; fails the test when it does not open. */
void support_load(support_world *out, const char *name, const char *const *set);
void support_close(support_world *world);

/** The data that a simulation handed to its hooks. */
typedef struct support_trace {
  int columns, rows, room; /* columns of a row: t, then the signals */
  double *value;           /* [rows x columns] */
  char warnings[2000];
  int stop_after; /* stop hook: true after so many steps; 0 = never */
  int refuse_row; /* record hook: TORSOR_FILE at this row; 0 = never */
  int steps;
  torsor_counters last;  /* counters of the last progress call */
  torsor_timing *timing; /* where the time goes; NULL: not wanted */
  int threads;           /* 0 = 1 */
} support_trace;

/** Simulate with the scene's own settings and signals.  `error` may be NULL. */
torsor_status support_run(support_trace *out, torsor_summary *summary, const support_world *world,
                          torsor_error *error);
/** The same with other settings and signals (`names` ends with NULL). */
torsor_status support_run_as(support_trace *out, torsor_summary *summary,
                             const support_world *world, const torsor_simulation *simulation,
                             const char *const *names, torsor_error *error);
/** Equilibria of the scene's path; rows of the load and the signals. */
torsor_status support_rest(support_trace *out, torsor_statics_summary *summary,
                           const support_world *world, const char *const *names,
                           torsor_error *error);
void support_trace_release(support_trace *trace);

/** Row `row` of the trace: t, then the signals. */
const double *support_row(const support_trace *trace, int row);

/** Path below the folder of shipped data, e.g. support_path(path, sizeof path,
 * "scenes/door.json"). */
void support_path(char *out, size_t size, const char *below);

#endif
