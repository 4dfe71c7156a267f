/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIEGROUP_GROUP_H
#define TORSOR_LIEGROUP_GROUP_H

/** Lie groups chosen at run time: what the assembly needs of a node, over flat arrays. */

#include <torsor/lie.h>

/** Operations of a group on its storage q[nq] and its algebra u[nv] (translation first).
 *  No function fails or allocates; vector outputs may be one of the inputs. */
struct group_ops {
  const char *name; /* as in scenes */
  int nq, nv;
  void (*plus)(double *q1, const double *q, const double *u);   /* q1 = q exp(u), unit quaternion */
  void (*minus)(double *u, const double *q1, const double *q0); /* u = log(q0^-1 q1) */
  void (*tan)(double *T, const double *u);                      /* T(u), nv x nv row-major */
  void (*taninv)(double *A, const double *u); /* T(u)^-1, nv x nv; NaN where it is not defined */
  void (*taninv_times)(double *out, const double *u, const double *w); /* T(u)^-1 w */
  void (*bracket)(double *out, const double *a, const double *b); /* [a, b] = ad(a) b */
};

/** Operations of a group; NULL for a value outside the enum. */
const struct group_ops *torsor_group_ops(torsor_group group);

#endif
