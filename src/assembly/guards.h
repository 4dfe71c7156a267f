/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_GUARDS_H
#define TORSOR_ASSEMBLY_GUARDS_H

#include "assembly/assembly.h"

/** Joints whose constraint rows have a second branch of solutions, on which the joint is not meant
 * to be (`astray` of their types): such joints are checked after each step. */
typedef struct guards {
  const torsor_model *model;
  int count, *element; /* [count] */
} guards;

torsor_status guards_create(guards *g, const torsor_model *model, arena *memory);

/** Returns the first of these joints that is on its wrong branch at p (motion set), or -1. */
int guards_find(const guards *g, const assembly *a, const torsor_point *p);

#endif
