/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_FMU_INSTANCE_H
#define TORSOR_FMU_INSTANCE_H

/** The inside of an instance, for the files of this room. */

#include "fmu/core.h"

/** A name with its number; `changed` since the run got it. */
typedef struct fmu_number {
  char *name;
  double value;
  bool changed;
} fmu_number;

/** An input: value + rate (t - now) + second (t - now)^2/2. */
typedef struct fmu_input {
  double value, rate, second, first; /* `first` is the one of the scene */
  bool changed;
} fmu_input;

typedef struct fmu_list {
  int count;
  fmu_number *number;
} fmu_list;

struct fmu {
  fmu_log log;
  char *text, *listing, *token; /* of the scene and of the variables */
  torsor_registry *types;
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
  torsor_run *run;
  fmu_list outputs, parameters, tunables;
  double *fixed; /* [parameters] their values in the description */
  fmu_input *input;
  int inputs;
  double *row; /* [outputs] at the point of communication */
  bool row_stale;
  fmu_phase phase;
  double start, point; /* s, of the importer */
};

/** The run with the parameters, numbers of elements and inputs as they are now; made anew where a
 *  parameter has changed. */
fmu_status fmu_ensure(fmu *f);
/** Hands changed inputs and numbers of elements to the run. */
fmu_status fmu_apply(fmu *f);
/** Writes the text of an error to the log; returns FMU_ERROR. */
fmu_status fmu_fail(const fmu *f, const torsor_error *error);

#endif
