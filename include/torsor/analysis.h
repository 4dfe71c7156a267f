/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_H
#define TORSOR_ANALYSIS_H

/** Analyses of a model: simulation, counting and checking, comparison of results, orders of
 * convergence. */

#include <torsor/frame.h>
#include <torsor/integrator.h>
#include <torsor/model.h>
#include <torsor/timing.h>

TORSOR_BEGIN_DECLS

/* ---- signals ----------------------------------------------------------------------------- */

/** Chosen signals of a model, in columns. */
typedef struct torsor_signals torsor_signals;

/** Resolves `names` ("top", "top.position", "top.position.x", "pivot.force", "energy", ...) to
 * columns; a name stands for all signals below it.  With count = 0: a sensible default.  For an
 * unknown name `index` (may be NULL) receives its index, and the hint is a similar name. */
TORSOR_API torsor_status torsor_signals_create(torsor_signals **out, const torsor_model *model,
                                               const char *const *names, int count, int *index,
                                               torsor_error *error);
TORSOR_API void torsor_signals_destroy(torsor_signals *signals);
TORSOR_API int torsor_signals_count(const torsor_signals *signals);
/** Full column name, e.g. "top.position.x"; unit, e.g. "m" ("" = none). */
TORSOR_API const char *torsor_signals_name(const torsor_signals *signals, int column);
TORSOR_API const char *torsor_signals_unit(const torsor_signals *signals, int column);

/** Lets results show a column in another unit: its values times the factor.  Values of runs and of
 *  analyses remain in the unit above.  ARGUMENT for a factor that is not greater than 0. */
TORSOR_API torsor_status torsor_signals_show_in(torsor_signals *signals, int column,
                                                const char *unit, double factor,
                                                torsor_error *error);
/** The unit in which results show a column, and what values are multiplied by for that. */
TORSOR_API const char *torsor_signals_shown_unit(const torsor_signals *signals, int column);
TORSOR_API double torsor_signals_shown_factor(const torsor_signals *signals, int column);

/** Number of neighbouring models of a parameter. */
enum { TORSOR_NEIGHBOURS = 8 };

/** Parameters by which signals are differentiated.  A parameter p is given by models that differ
 * from the one that is simulated in its value alone: those with p + k d for k = -4, -3, -2, -1, 1,
 * 2, 3, 4, with a step d of about a hundredth of the scale of p.  The derivative is found by
 * differences of order 8 over them, of the equations of each step and not of whole motions. */
typedef struct torsor_sensitivities {
  size_t size;             /* of this struct, set by TORSOR_SENSITIVITIES_INIT */
  int count;               /* number of parameters */
  const char *const *name; /* [count] */
  const double *step;      /* [count] d */
  /** [count][TORSOR_NEIGHBOURS]; they must outlive the signals, and belong to a run while it
   * lasts. */
  torsor_model *const *neighbour;
} torsor_sensitivities;
#define TORSOR_SENSITIVITIES_INIT                                                                  \
  { .size = sizeof(torsor_sensitivities) }

/** Adds the derivatives of all columns by each of the parameters to the signals: columns
 * "d(top.position.x)/d(m)" follow, for the first parameter, then for the next one.  Sums over time
 * (work, impulse) have none.  torsor_simulate and runs that have these signals among their options
 * compute them, with all methods but "auto"; all other functions give NaN.  ARGUMENT where
 * the signals have derivatives already. */
TORSOR_API torsor_status torsor_signals_differentiate(torsor_signals *signals,
                                                      const torsor_sensitivities *by,
                                                      torsor_error *error);

/* ---- simulation -------------------------------------------------------------------------- */

/** Begin with torsor_simulation_default, or with a copy of that of a scene
 * (torsor_simulation_copy); see torsor_settings. */
typedef struct torsor_simulation {
  size_t size;              /* of this struct */
  torsor_settings settings; /* step = 0: torsor_choose_steps */
  double duration;          /* s */
  int every;                /* steps between two rows of output... */
  double output_step;       /* ... or, where it is not 0, rows at its multiples, s... */
  bool interpolate; /* ... interpolated between the ends of steps; else constant steps are `step` or
                       the next smaller part of it */
  const char *linear_solver; /* "block" | "klu" | "umfpack"; NULL = "block" */
  /** Statics by which the run begins in an equilibrium at load 1, with the velocities of the scene;
   * NULL: it begins in the state of the scene. */
  const struct torsor_statics *equilibrium;
  bool steady; /* the run begins in the steady motion near the scene's velocities */
} torsor_simulation;

/** An event that has happened. */
typedef struct torsor_occurrence {
  const torsor_event *event; /* of the model */
  double t;
  bool rising;
  double lost; /* kinetic energy that joints took as it switched them on, J; NaN: it switched none,
                  or that is not known yet */
} torsor_occurrence;

/** Write a simulation into the `size` bytes of `out`, of which its settings have `settings_size`:
 * the first function a copy of `from` (NULL: the defaults), the second the simulation that will
 * run.  Callers use the functions below. */
TORSOR_API void torsor_simulation_fit(torsor_simulation *out, size_t size, size_t settings_size,
                                      const torsor_simulation *from);
TORSOR_API void torsor_simulation_choose(torsor_simulation *out, size_t size, size_t settings_size,
                                         const torsor_simulation *from);

static inline torsor_simulation torsor_simulation_copy(const torsor_simulation *from) {
  torsor_simulation s;
  torsor_simulation_fit(&s, sizeof s, sizeof s.settings, from);
  return s;
}
/** Returns the default settings, without a duration, with output after every step. */
static inline torsor_simulation torsor_simulation_default(void) {
  return torsor_simulation_copy(NULL);
}

/** Returns the simulation that will run: open choices are made, and rows are ends of constant
 * steps. */
static inline torsor_simulation torsor_simulation_chosen(const torsor_simulation *simulation) {
  torsor_simulation s;
  torsor_simulation_choose(&s, sizeof s, sizeof s.settings, simulation);
  return s;
}

/** Returns the number of rows of output, unless an event or a failure ends the simulation early. */
TORSOR_API long torsor_simulation_rows(const torsor_simulation *simulation);

/** Called by the simulation; every member but the size may be NULL.  Begin with
 * TORSOR_HOOKS_INIT. */
typedef struct torsor_hooks {
  size_t size; /* of this struct, set by TORSOR_HOOKS_INIT */
  void *data;
  /** One output row: t and the chosen signals [count].  A negative status ends the run. */
  torsor_status (*record)(void *data, double t, const double *values, int count);
  /** The full state at the rows of output that `recording` chooses (its `every` and `fields`);
   * valid during the call. A negative status ends the run. */
  torsor_status (*frame)(void *data, const torsor_frame *frame);
  /** Returns memory for the next full state of `size` numbers, which `frame` then receives there;
   * NULL, also as a result: any memory. */
  double *(*room)(void *data, size_t size);
  torsor_recording recording;
  /** After every step; true = stop after this step. */
  bool (*stop)(void *data);
  /** After every step; true = call `keep`.  `keep` is called in any case after the last step before
   * a stop, and when the end is near; NULL: never. */
  bool (*keep_now)(void *data);
  /** A checkpoint between two steps, [size] bytes that are valid during the call:
   * torsor_simulate_on resumes from it.  The rows up to t are recorded.  A negative status ends the
   * run. */
  torsor_status (*keep)(void *data, double t, const void *state, size_t size);
  /** After every step. */
  void (*progress)(void *data, double t, double duration, const torsor_counters *counters);
  /** An event of the model, in the order of time.  A negative status ends the run. */
  torsor_status (*event)(void *data, const torsor_occurrence *occurrence);
  /** A warning for the user: a line of text. */
  void (*warn)(void *data, const char *message);
  /** Remarks on the run as a whole, after its end; NULL: `warn` gets them. */
  void (*conclude)(void *data, const char *message);
  /** Statics: a correction of Newton's iteration at a load, and its size in parts of the model's
   * size or rad. */
  void (*correct)(void *data, double load, int iteration, double size);
  /** Largest number of threads that share the work; 0 = 1.  The results do not depend on it. */
  int threads;
  /** Computing times of the loop, or of the path of statics, after its end; NULL: nothing is
   * measured. */
  torsor_timing *timing;
} torsor_hooks;
#define TORSOR_HOOKS_INIT                                                                          \
  { .size = sizeof(torsor_hooks) }

typedef struct torsor_summary {
  torsor_status status;
  double t;                       /* time reached */
  long events;                    /* occurrences */
  const torsor_event *stopped_by; /* of the model; NULL = none */
  torsor_counters counters;
  double cpu_seconds, wall_seconds; /* of the time loop, output included */
  double setup_seconds;             /* CPU, everything before it */
  double max_phi, max_phi_velocity; /* over the output times */
  /** Sum of the errors of the steps, relative to the motion: see torsor_findings; NaN where it is
   * not known. */
  double error_estimate;
  double energy_initial, energy_final, energy_max_drift; /* J; drift over the output times */
  bool energy_exchanged; /* forces or drives may change the energy: its drift is then no error */
  /* Where signals ask for work: supplied and dissipated since the start, and the largest of
   * |E - E(0) - supplied + dissipated| over the output times, which is an error; else NaN. */
  double energy_supplied, energy_dissipated, energy_max_balance;
  double moved_position, moved_velocity; /* by the assembly of the initial state */
  double last_step;                      /* size of the last step, s; 0: none */
  int limiting; /* step-size control: body whose error limited the last step, -1 = none */
} torsor_summary;

/** The findings of torsor_choose_steps. */
typedef struct torsor_choice {
  double way, turn; /* largest distance, m, and rotation, rad (1 at most), of bodies; 0: none */
  /** Estimated error of positions and orientations, relative to the motion, by trial runs; NaN: not
   * known. */
  double error;
  bool constant;    /* steps are constant: the method has no controlled ones, or they failed */
  bool costly;      /* they failed because they needed too many steps */
  double failed_at; /* time of the failure, s; NaN: they did not fail */
  double step;      /* step size there, s */
  int element;      /* body whose errors limited it, -1 = not known */
  int trials;       /* number of trial runs */
  long steps;       /* steps of all trial runs */
} torsor_choice;

/** Completes a simulation without a step (settings.step = 0) and accuracy.  Trial runs find how far
 * the model moves, and which accuracy, at most 1e-3 of that, gives errors of at most 3e-3 of it;
 * `out`, a struct of the size that `simulation` has, then has controlled steps with largest steps
 * and rows of duration/500, or constant steps where these fail.  A simulation with a step is
 * unchanged.  Threads and the `stop` of `hooks` are used; NULL: none.  Statuses and errors as
 * torsor_simulate. */
TORSOR_API torsor_status torsor_choose_steps(torsor_simulation *out, torsor_choice *choice,
                                             const torsor_model *model,
                                             const torsor_simulation *simulation,
                                             const torsor_hooks *hooks, torsor_error *error);

/** Passes warnings on a choice to the hooks. */
TORSOR_API void torsor_choice_tell(const torsor_choice *choice, const torsor_simulation *chosen,
                                   const torsor_model *model, const torsor_hooks *hooks);

/** Finds the initial state from the scene's values (positions must satisfy the constraints,
 * velocities that are not given follow from the joints), then integrates to the end, or to an event
 * that stops the run.  On failure the error names time and element, and `summary` shows how far the
 * run got. */
TORSOR_API torsor_status torsor_simulate(torsor_summary *summary, const torsor_model *model,
                                         const torsor_simulation *simulation,
                                         const torsor_signals *signals, const torsor_hooks *hooks,
                                         torsor_error *error);

/** Resumes from a checkpoint: the rest of that run, to the bit, by the same program with the same
 * model, settings and signals, which may have a longer duration.  The rows up to the checkpoint are
 * not recorded again.  FILE where the checkpoint does not fit, ARGUMENT where the duration is
 * over. */
TORSOR_API torsor_status torsor_simulate_on(torsor_summary *summary, const torsor_model *model,
                                            const torsor_simulation *simulation,
                                            const torsor_signals *signals,
                                            const torsor_hooks *hooks, const void *state,
                                            size_t size, torsor_error *error);

/* ---- check ------------------------------------------------------------------------------- */

typedef struct torsor_redundant_row {
  int element, row;         /* joint and row within it */
  int with[8], with_row[8]; /* rows of which it is a combination (as far as they fit) */
  int with_count;
  bool ignored; /* it contradicts others by the rounding of the scene's numbers, and constrains
                   nothing */
} torsor_redundant_row;

typedef struct torsor_check {
  torsor_model_counts counts;
  int gruebler, mobility, rank; /* velocities - rows; velocities - rank; rank of B at the start */
  int redundant_count;
  torsor_redundant_row *redundant;
  int warning_count;
  char **warnings;
} torsor_check;

/** Counts velocities and rows of a model and finds the rank of its constraints in the initial
 * configuration, which must satisfy them (INCONSISTENT).  Free with torsor_check_destroy. */
TORSOR_API torsor_status torsor_check_model(torsor_check *out, const torsor_model *model,
                                            torsor_error *error);
/** Adds warnings of prescribed motions whose rates jump at some 0 < t < duration.  Fails with
 * MEMORY. */
TORSOR_API torsor_status torsor_check_jumps(torsor_check *check, const torsor_model *model,
                                            double duration);
TORSOR_API void torsor_check_destroy(torsor_check *check);

/** Checks whether torsor_simulate would start: its times, its method with the model (which must
 * have consistent initial values), the settings.  Fails with ARGUMENT or SCENE, the reason and, in
 * error->path, the key of the scene. */
TORSOR_API torsor_status torsor_check_simulation(const torsor_model *model,
                                                 const torsor_simulation *simulation,
                                                 torsor_error *error);

/** Does the same and finds the method of the first step, which "auto" chooses; where that is an
 * implicit one, *element is the body that is stiff, else -1. */
TORSOR_API torsor_status torsor_foresee_method(const char **method, int *element,
                                               const torsor_model *model,
                                               const torsor_simulation *simulation,
                                               torsor_error *error);

/* ---- compare and converge ---------------------------------------------------------------- */

/** A table of time series, whose column 0 is t, or of a frequency response: frequency_hz. */
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

/** Compares columns common to both tables at the reference's times, grouped by signal (components
 * together; quaternions up to sign).  `signals` [signal_count] selects; count 0 = all of the
 * reference.  `tolerances` by signal; where none matches, `fallback` is used.  Times must be found
 * in the result (within round-off of the step).  `out` [*count] is allocated. */
TORSOR_API torsor_status torsor_compare(torsor_difference **out, int *count,
                                        const torsor_table *result, const torsor_table *reference,
                                        const char *const *signals, int signal_count,
                                        const torsor_tolerance *tolerances, int tolerance_count,
                                        const torsor_tolerance *fallback, torsor_error *error);

/** Observed order between two errors at two steps: log(e1/e2)/log(h1/h2); NaN where undefined. */
TORSOR_API double torsor_order(double e1, double e2, double h1, double h2);

TORSOR_END_DECLS

#endif
