/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_FMU_DESCRIPTION_H
#define TORSOR_CLI_FMU_DESCRIPTION_H

/** The variables that an FMU shows of a scene, and their description. */

#include "cli/session.h"

/** A variable with a start value; `unit` is "" where it has none. */
typedef struct fmu_variable {
  char *name, *doc;
  const char *unit;
  double start;
  double least, largest; /* as of inputs; both 0: no bounds */
} fmu_variable;

typedef struct fmu_variables {
  int inputs, outputs, parameters, tunables;
  fmu_variable *input, *output, *parameter, *tunable;
  char token[48];
  torsor_signals *signals; /* owns names and units of outputs */
} fmu_variables;

/** Collects inputs and named numbers of the scene, the signals `outputs` (count 0: those that the
 *  scene chooses) and the numbers of elements `tunables`, "spring.stiffness". */
torsor_status fmu_variables_find(fmu_variables *out, const session *s, const char *const *outputs,
                                 int output_count, const char *const *tunables, int tunable_count,
                                 torsor_error *error);
void fmu_variables_release(fmu_variables *v);

/** The list that the FMU reads, resources/variables.txt: see src/fmu/core.c. */
void fmu_variables_list(text *out, const fmu_variables *v);
/** modelDescription.xml of FMI 2.0 or 3.0.  SCENE where a unit is none of the SI. */
torsor_status fmu_description(text *out, const fmu_variables *v, const session *s, int version,
                              torsor_error *error);

#endif
