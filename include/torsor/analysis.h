/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_H
#define TORSOR_ANALYSIS_H

/** What one does with a model: simulate, count, compare, measure orders. */

#include <torsor/frame.h>
#include <torsor/integrator.h>
#include <torsor/model.h>
#include <torsor/timing.h>

TORSOR_BEGIN_DECLS

/* ---- signals ----------------------------------------------------------------------------- */

/** Chosen signals of a model, in columns. */
typedef struct torsor_signals torsor_signals;

/** Resolve `names` ("top", "top.position", "top.position.x", "pivot.force", "energy", ...) to
 *  columns; a name stands for all signals below it.  With count = 0: a sensible default.  On an
 *  unknown name `index` (may be NULL) receives its place and the hint a near name. */
TORSOR_API torsor_status torsor_signals_create(torsor_signals **out, const torsor_model *model,
                                               const char *const *names, int count, int *index,
                                               torsor_error *error);
TORSOR_API void torsor_signals_destroy(torsor_signals *signals);
TORSOR_API int torsor_signals_count(const torsor_signals *signals);
/** Full column name, e.g. "top.position.x"; unit, e.g. "m" ("" = none). */
TORSOR_API const char *torsor_signals_name(const torsor_signals *signals, int column);
TORSOR_API const char *torsor_signals_unit(const torsor_signals *signals, int column);

/* ---- simulation -------------------------------------------------------------------------- */

typedef struct torsor_simulation {
  torsor_settings settings; /* step = 0: torsor_choose_steps */
  double duration;          /* s */
  int every;                /* output every so many steps... */
  double output_step;       /* ... or, where it is not 0, at its multiples, s... */
  bool interpolate; /* ... between the ends of steps; else constant steps are `step` or the next
                       smaller part of it */
  const char *linear_solver; /* "block" | "klu" | "umfpack"; NULL = "block" */
  /** Begin in the equilibrium that this leads to at load 1, with the velocities of the scene; NULL:
   * where the scene begins. */
  const struct torsor_statics *equilibrium;
  bool steady; /* begin in the steady motion that the scene's velocities lead to */
} torsor_simulation;

/** An event that has happened. */
typedef struct torsor_occurrence {
  const torsor_event *event; /* of the model */
  double t;
  bool rising;
} torsor_occurrence;

/** The simulation that will run: choices in place of what is left open, and constant steps that
 * rows are ends of. */
TORSOR_API torsor_simulation torsor_simulation_chosen(const torsor_simulation *simulation);

/** Rows of output that the simulation leaves unless an event or a failure ends it early. */
TORSOR_API long torsor_simulation_rows(const torsor_simulation *simulation);

/** Called by the simulation; every member may be NULL. */
typedef struct torsor_hooks {
  void *data;
  /** One output row: t and the chosen signals [count].  A negative status ends the run. */
  torsor_status (*record)(void *data, double t, const double *values, int count);
  /** The full state at the rows of output that `recording` chooses (its `every` and `fields`);
   * valid during the call. A negative status ends the run. */
  torsor_status (*frame)(void *data, const torsor_frame *frame);
  /** Where the next full state, of so many numbers, is to stand, which `frame` is then given; NULL,
   * also as an answer: anywhere. */
  double *(*room)(void *data, size_t size);
  torsor_recording recording;
  /** After every step; true = stop after this step. */
  bool (*stop)(void *data);
  /** After every step; true = `keep` is to be called.  It is called in any case when a step is the
   * last one before a stop and when the end comes near; NULL: never. */
  bool (*keep_now)(void *data);
  /** The state between two steps, [size] bytes that are valid during the call: torsor_simulate_on
   * goes on from it.  The rows up to t are recorded.  A negative status ends the run. */
  torsor_status (*keep)(void *data, double t, const void *state, size_t size);
  /** After every step. */
  void (*progress)(void *data, double t, double duration, const torsor_counters *counters);
  /** An event of the model, in the order of time.  A negative status ends the run. */
  torsor_status (*event)(void *data, const torsor_occurrence *occurrence);
  /** What the user should know: a line of text. */
  void (*warn)(void *data, const char *message);
  /** Findings on the run as a whole, once it has ended; NULL: `warn` gets them. */
  void (*conclude)(void *data, const char *message);
  /** Statics: a correction of Newton's iteration at a load, and its size in parts of the model's
   * size or rad. */
  void (*correct)(void *data, double load, int iteration, double size);
  /** Most threads that may share the work; 0 = 1.  The results are the same, whatever it is. */
  int threads;
  /** Where the time of the loop, or of the path of statics, went, once it has ended; NULL: nothing
   * is timed. */
  torsor_timing *timing;
} torsor_hooks;

typedef struct torsor_summary {
  torsor_status status;
  double t;                       /* time reached */
  long events;                    /* occurrences */
  const torsor_event *stopped_by; /* of the model; NULL = none */
  torsor_counters counters;
  double cpu_seconds, wall_seconds; /* of the time loop, output included */
  double setup_seconds;             /* CPU, everything before it */
  double max_phi, max_phi_velocity; /* over the output times */
  /** What the errors of the steps add up to, in parts of the motion: see torsor_findings; NaN where
   * it is not known. */
  double error_estimate;
  double energy_initial, energy_final, energy_max_drift; /* J; drift over the output times */
  bool energy_exchanged; /* forces or drives may change the energy: its drift is then no error */
  /* Where signals ask for work: supplied and dissipated since the start, and the largest of
   * |E - E(0) - supplied + dissipated| over the output times, which is an error; else NaN. */
  double energy_supplied, energy_dissipated, energy_max_balance;
  double moved_position, moved_velocity; /* by the assembly of the initial state */
  double last_step;                      /* size of the last step, s; 0: none */
  int limiting; /* step-size control: the body whose error the last step was limited by, -1 = none
                 */
} torsor_summary;

/** The findings of torsor_choose_steps. */
typedef struct torsor_choice {
  double way, turn; /* how far bodies move, m, and turn, rad (1 at most); 0: not at all */
  /** Estimated error of positions and orientations, relative to the motion, by trial runs; NaN: not
   * known. */
  double error;
  bool constant;    /* steps are constant: controlled ones, where the method has them, failed */
  bool costly;      /* by taking too many steps, */
  double failed_at; /* up to this time, s; NaN: they did not fail */
  double step;      /* of this size there, s, */
  int element;      /* for the errors of this body, -1 = not known */
  int trials;       /* trial runs, */
  long steps;       /* and the steps of all */
} torsor_choice;

/** Complete a simulation without a step (settings.step = 0) and accuracy: by trial runs find how
 * far the model moves and which accuracy, at most 1e-3 of that, leaves errors of 3e-3 of it at
 * most; `out` then has steps under error control with largest steps and rows of duration/500, or
 * constant steps where these fail.  A simulation with a step is left as it is.  Threads and the
 * `stop` of `hooks` are used; NULL: none.  Statuses and errors as torsor_simulate. */
TORSOR_API torsor_status torsor_choose_steps(torsor_simulation *out, torsor_choice *choice,
                                             const torsor_model *model,
                                             const torsor_simulation *simulation,
                                             const torsor_hooks *hooks, torsor_error *error);

/** Tell the hooks what of a choice its user should know. */
TORSOR_API void torsor_choice_tell(const torsor_choice *choice, const torsor_simulation *chosen,
                                   const torsor_model *model, const torsor_hooks *hooks);

/** Initial state from the scene's values: positions must satisfy the constraints, velocities left
 *  out follow from the joints.  Then integrate to the end, or to an event that stops it.  On
 * failure the error names time and element, and `summary` tells how far it came. */
TORSOR_API torsor_status torsor_simulate(torsor_summary *summary, const torsor_model *model,
                                         const torsor_simulation *simulation,
                                         const torsor_signals *signals, const torsor_hooks *hooks,
                                         torsor_error *error);

/** Go on from a state that `keep` was given: the rest of that run, to the bit, by the same program
 * with the same model, settings and signals, which may have a longer duration.  The rows up to the
 * state are not recorded again.  FILE where the state does not fit, ARGUMENT where the duration is
 * over. */
TORSOR_API torsor_status torsor_simulate_on(torsor_summary *summary, const torsor_model *model,
                                            const torsor_simulation *simulation,
                                            const torsor_signals *signals,
                                            const torsor_hooks *hooks, const void *state,
                                            size_t size, torsor_error *error);

/* ---- check ------------------------------------------------------------------------------- */

typedef struct torsor_redundant_row {
  int element, row;         /* joint and row within it */
  int with[8], with_row[8]; /* the rows that it repeats (as far as they fit) */
  int with_count;
} torsor_redundant_row;

typedef struct torsor_check {
  torsor_model_counts counts;
  int gruebler, mobility, rank; /* velocities - rows; velocities - rank; rank of B at the start */
  int redundant_count;
  torsor_redundant_row *redundant;
  int warning_count;
  char **warnings;
} torsor_check;

/** Count and rank a model in its initial configuration, which must satisfy the constraints
 *  (INCONSISTENT).  Free with torsor_check_destroy. */
TORSOR_API torsor_status torsor_check_model(torsor_check *out, const torsor_model *model,
                                            torsor_error *error);
/** Add to the warnings which given motions jump in their rates at some 0 < t < duration.
 * MEMORY. */
TORSOR_API torsor_status torsor_check_jumps(torsor_check *check, const torsor_model *model,
                                            double duration);
TORSOR_API void torsor_check_destroy(torsor_check *check);

/** Would torsor_simulate begin?  Its times, its method with the model (which must have consistent
 * initial values), the settings.  ARGUMENT or SCENE with the reason and, in error->path, the key of
 * the scene that it stands at. */
TORSOR_API torsor_status torsor_check_simulation(const torsor_model *model,
                                                 const torsor_simulation *simulation,
                                                 torsor_error *error);

/* ---- compare and converge ---------------------------------------------------------------- */

/** A table of time series: column 0 is t. */
typedef struct torsor_table {
  int columns, rows;
  char **name;   /* [columns] */
  double *value; /* [rows x columns] row-major */
} torsor_table;
TORSOR_API void torsor_table_destroy(torsor_table *table);

/** Tolerance of one signal: |difference| <= atol + rtol |reference|. */
typedef struct torsor_tolerance {
  char signal[96]; /* "top.position" or "top.position.x" */
  double atol, rtol;
  char basis[256]; /* where it comes from */
} torsor_tolerance;

typedef struct torsor_difference {
  char signal[96];
  double max_error, at, tolerance; /* worst |difference|, its time, what was allowed there */
  char basis[256];
  bool holds;
} torsor_difference;

/** Compare columns common to both tables at the reference's times, grouped by signal (components
 *  together; quaternions up to sign).  `signals` [signal_count] selects; count 0 = all of the
 *  reference.  `tolerances` by signal; where none matches, `fallback` is used.  Times must be found
 *  in the result (within round-off of the step).  `out` [*count] is allocated. */
TORSOR_API torsor_status torsor_compare(torsor_difference **out, int *count,
                                        const torsor_table *result, const torsor_table *reference,
                                        const char *const *signals, int signal_count,
                                        const torsor_tolerance *tolerances, int tolerance_count,
                                        const torsor_tolerance *fallback, torsor_error *error);

/** Observed order between two errors at two steps: log(e1/e2)/log(h1/h2); NaN where undefined. */
TORSOR_API double torsor_order(double e1, double e2, double h1, double h2);

TORSOR_END_DECLS

#endif
