/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_STUDY_H
#define TORSOR_CLI_STUDY_STUDY_H

/** A study: many runs of one scene at points of its parameters, and what is taken from each. */

#include <stdint.h>

#include "base/arena.h"
#include "cli/cli.h"
#include "scene/reader.h"

/** Columns of a table: varied values and outputs together. */
enum { STUDY_COLUMNS = 100, STUDY_TEXT = 512 };

/** Numbers of a sample: outputs, and residuals of measured data. */
enum { STUDY_NUMBERS = 5000 };

/** More samples than this are refused. */
#define STUDY_SAMPLES 1000000L

typedef enum study_law {
  LAW_NONE,
  LAW_UNIFORM,
  LAW_NORMAL,
  LAW_LOGNORMAL,
  LAW_TRIANGULAR,
  LAW_EXPONENTIAL,
  LAW_WEIBULL,
  LAW_BETA,
  LAW_DISCRETE
} study_law;

/** The distribution of a random value. */
typedef struct study_distribution {
  study_law law;
  double p[4];         /* its parameters, in the order of study_laws */
  int count;           /* discrete values ... */
  const double *value; /* ... [count] */
  const double *upto;  /* ... [count] and the probability up to each of them */
  double within[2];    /* truncated to this range; infinite: it is not */
} study_distribution;

/** A value that is varied. */
typedef struct study_variable {
  const char *name, *unit;
  const char **path; /* [paths] places in the scene that get the value */
  int paths;
  const char *input;   /* the name of the input that it is; NULL: its paths are any */
  int count;           /* values of a grid, 0 = none are given ... */
  const double *value; /* ... [count] */
  double from, to;     /* NaN: not given */
  bool logarithmic;
  study_distribution random;
  double nominal, start, scale; /* NaN: not given */
} study_variable;

typedef enum study_kind {
  DESIGN_GRID,
  DESIGN_LIST,
  DESIGN_ONE_AT_A_TIME,
  DESIGN_MONTE_CARLO,
  DESIGN_LATIN_HYPERCUBE,
  DESIGN_SOBOL,
  DESIGN_SOBOL_INDICES,
  DESIGN_MORRIS,
  DESIGN_KINDS
} study_kind;
extern const char *const study_kinds[DESIGN_KINDS];

/** Which points there are. */
typedef struct study_design {
  study_kind kind;
  long samples; /* as the file says; for indices and trajectories the base of their number */
  uint64_t seed;
  int replicates, levels;
  bool shuffle;
  long rows;           /* of a list */
  const double *point; /* [rows x variables] */
} study_design;

/** How a number is made of a signal: reduce.h. */
typedef enum study_reduction {
  REDUCE_FINAL,
  REDUCE_INITIAL,
  REDUCE_MIN,
  REDUCE_MAX,
  REDUCE_ABS_MAX,
  REDUCE_RANGE,
  REDUCE_T_MIN,
  REDUCE_T_MAX,
  REDUCE_MEAN,
  REDUCE_RMS,
  REDUCE_STD,
  REDUCE_INTEGRAL,
  REDUCE_VALUE,
  REDUCE_TIME_OF,
  REDUCE_COUNT_OF,
  REDUCE_SETTLE,
  REDUCE_FFT_PEAK,
  REDUCE_FFT_AMPLITUDE,
  REDUCE_SUMMARY,
  REDUCE_FREQUENCY,
  REDUCE_DAMPING,
  REDUCE_OF,
  REDUCTIONS
} study_reduction;
extern const char *const study_reductions[REDUCTIONS];

typedef struct study_output {
  const char *name, *unit;
  study_reduction reduction;
  const char *text;           /* expression, event or member of the summary */
  const char *from, *to, *at; /* expressions of the varied values; NULL: none */
  double band[2], within;     /* Hz; part of the final value */
  int which;                  /* of the crossings, from 1; -1: the last one; or of the modes */
  int direction;              /* 1 rising, -1 falling, 0 both */
  bool parabola;              /* peaks are refined by three rows */
  bool hidden;                /* it stands under "minimise" or "subject_to" */
} study_output;

/** Where the numbers of a sample come from. */
typedef enum study_analysis {
  STUDY_RUN,      /* rows of a run */
  STUDY_STATICS,  /* equilibria over the load */
  STUDY_MODES,    /* eigenfrequencies and damping */
  STUDY_RESPONSE, /* amplitudes over the frequencies of the linearised scene */
  STUDY_ANALYSES
} study_analysis;
extern const char *const study_analyses[STUDY_ANALYSES];

/** A signal, or an expression of signals, that was measured. */
typedef struct study_series {
  const char *text, *column;
  double sigma; /* standard deviation of the measurement; NaN: not known */
} study_series;

/** A measured value. */
typedef struct study_datum {
  double t, value;
  int series;
} study_datum;

typedef enum study_method {
  METHOD_LEVENBERG_MARQUARDT,
  METHOD_BOBYQA,
  METHOD_COBYLA,
  METHOD_NELDERMEAD,
  METHOD_SBPLX,
  METHOD_SLSQP,
  METHOD_LBFGS,
  METHOD_DIRECT,
  METHOD_CRS2,
  METHOD_ISRES,
  METHODS
} study_method;
extern const char *const study_methods[METHODS];

/** How the best values are looked for. */
typedef struct study_search {
  bool asked; /* the study has data or an objective */
  study_method method;
  bool exact;              /* derivatives are those of runs, where there are any */
  bool forward;            /* differences are one-sided */
  double noise, tolerance; /* relative noise of outputs; of the values in parts of their scale */
  int most_runs, starts;
  uint64_t seed;
  int objective;   /* index of its output; -1: data are fitted */
  int constraints; /* outputs behind it that must not be above 0 */
} study_search;

/** A curve that `torsor plot` draws of a study: columns y [count] over x, for each value of by. */
typedef struct study_plot {
  const char *x, *by;
  const char **y;
  int count;
} study_plot;

/** Which samples keep the folder of their results. */
typedef enum study_keeps { KEEP_ROWS, KEEP_FAILED, KEEP_ALL, KEEP_LIST } study_keeps;
typedef struct study_keep {
  study_keeps kind;
  long *sample; /* [count] of a list */
  int count;
} study_keep;
extern const char *const study_keep_words[KEEP_LIST];

typedef struct study {
  arena memory;
  char *text; /* as read */
  cJSON *root;
  const char *file, *name, *title, *scene;
  const char **set; /* [sets] "PATH=VALUE" for all samples */
  int sets;
  study_variable *variable;
  int variables;
  double *correlation; /* [variables x variables] of the normal copula, lower factor; NULL: none */
  study_design design;
  study_output *output;
  int outputs;
  study_series *series; /* [measured] */
  int measured;
  study_datum *datum; /* [data] by time */
  int data, numbers;  /* numbers = outputs + data */
  study_analysis analysis;
  study_search search;
  double cpu, wall, memory_limit; /* per sample: s, s, bytes; infinite: no limit */
  double allow_failed;            /* a number from 1 on, a part below */
  study_keep keep;
  bool rebuilds; /* "reuse": "never" */
  study_plot *plot;
  int plots;
} study;

/** Reads and checks a study; `file` must outlive it.  TORSOR_SCENE with file, path, line, column
 * and hint.  To be released in any case. */
torsor_status study_load(study *out, const char *file, torsor_error *error);
void study_release(study *s);

/** Points an error that stands at "--set PATH=.." at the value of the study that made the change.
 */
torsor_status study_locate(const study *s, torsor_status status, torsor_error *error);

/** Points an error at a member of an output: "outputs.NAME.key". */
void study_locate_output(const study *s, int output, const char *key, torsor_error *error);

/** Points an error at a measured signal. */
void study_locate_series(const study *s, int series, torsor_error *error);

/** Points an error at an item of a list: "key[index]". */
void study_locate_key(const study *s, const char *key, int index, torsor_error *error);

/** Index of the variable of that name; -1 = there is none. */
int study_find_variable(const study *s, const char *name);

/** JSON schema (draft-07) of studies. */
torsor_status study_schema_text(char **out, torsor_error *error);

#endif
