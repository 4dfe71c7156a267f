/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_READ_H
#define TORSOR_CLI_STUDY_READ_H

/** Readers of the parts of a study. */

#include "cli/study/study.h"

/** Checks the name that is the key of `node`. */
torsor_status study_check_name(const reader *r, const json_node *node);

torsor_status study_memory_short(torsor_error *error);

/** Name of a file beside the study; NULL = memory is short. */
const char *study_beside(study *s, const char *name);

/** Fails: `name` at `node` is no varied value (and, with `outputs`, no output). */
torsor_status study_fail_name(const study *s, const reader *r, const json_node *node,
                              const char *name, bool outputs);

/** Reads "vary" and "correlation". */
torsor_status study_read_variables(study *s, const reader *r, const json_node *root);
torsor_status study_read_design(study *s, const reader *r, const json_node *root);
torsor_status study_read_outputs(study *s, const reader *r, const json_node *root);

/** Reads "data", "minimise", "subject_to" and "fit"; what is minimised becomes outputs. */
torsor_status study_read_search(study *s, const reader *r, const json_node *root);

/** A distribution. */
torsor_status study_read_law(study_distribution *d, arena *memory, const reader *r,
                             const json_node *node);

/** Names of the distributions, and of the parameters of each in order; NULL ends them. */
typedef struct study_law_words {
  const char *name;
  bool list;                /* the parameters are a list, not an object */
  const char *parameter[5]; /* ended by NULL */
} study_law_words;
extern const study_law_words study_laws[LAW_DISCRETE + 1];

#endif
