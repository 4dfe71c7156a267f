/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_REDUCE_JOB_H
#define TORSOR_SCENE_REDUCE_JOB_H

/** A task of reduction: a JSON file that names matrices, mesh and interfaces. */

#include "analysis/reduce/reduce.h"
#include "base/arena.h"
#include "base/text.h"
#include "scene/mesh_inp.h"

typedef struct reduce_job {
  char title[160];
  mesh m;
  fe_model model;
  reduce_input input;       /* in kg, m, s */
  const char **point_name;  /* [input.points] with stresses */
  int *point;               /* [input.points] their nodes */
  char matrix_file[4][640]; /* names of the files with the matrices; "" = none */
  arena memory;
  char *text;
  struct cJSON *root;
} reduce_job;

/** Reads the file and all that it names.  reduce_job_release follows also a failure. */
torsor_status reduce_job_read(reduce_job *out, const char *file, torsor_error *error);
void reduce_job_release(reduce_job *job);

/** Adds file and line of the interface or point that an error of `reduce` names. */
void reduce_job_locate(const reduce_job *job, const char *file, torsor_error *error);

/** Appends the body file of a reduction, which superelements read. */
void reduce_job_write(text *out, const reduce_job *job, const reduce_result *r);

#endif
