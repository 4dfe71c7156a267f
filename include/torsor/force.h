/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_FORCE_H
#define TORSOR_FORCE_H

/** The force kit: forces between two markers, and forces on joint coordinates.
 *
 *  A force between markers is a law w(H, V, t): the wrench that acts on b at its marker, in the
 *  axes of b, as a function of the relative frame and the relative twist (joint.h); the opposite
 *  acts on a.  A force on a joint coordinate is a law Q(c, c', t): the generalised force along the
 *  coordinate, J^T Q on b.  The kits make residual and tangents of them (docs/theory.md).  A
 *  control makes any force depend on coordinates of other joints: its value and derivatives stand
 *  below. */

#include <torsor/joint.h>

TORSOR_BEGIN_DECLS

/* ---- between two markers ----------------------------------------------------------------- */

/** Zero on entry. */
typedef struct torsor_law_out {
  twist w;        /* force (N) and moment (N m) on b at its marker, axes of b */
  bool tangent;   /* in: are H and V wanted? */
  double H[6][6]; /* column k: D w[e_k] for H <- H exp(e_k) at constant V */
  double V[6][6]; /* dw/dV */
} torsor_law_out;

typedef torsor_status (*torsor_law)(const void *self, const torsor_relative_in *in,
                                    torsor_law_out *out);

/** First member of every instance of a force between markers. */
typedef struct torsor_pair {
  torsor_joint joint; /* markers; no rows */
  torsor_law law;
  bool numeric; /* H and V by differences of w */
} torsor_pair;

/** Parameters that every force between markers has. */
#define TORSOR_PAIR_PARAMS(type, conditions)                                                       \
  {"a",  TORSOR_PARAM_MARKER, offsetof(type, pair.joint.a), NULL, NULL, "first marker",            \
   NULL, (conditions)},                                                                            \
  {                                                                                                \
    "b", TORSOR_PARAM_MARKER, offsetof(type, pair.joint.b), NULL, NULL,                            \
        "second marker; force and moment are what acts here", NULL, (conditions)                   \
  }

/** Entries common to the type tables of all forces between markers; uses `params` and `prepare` of
 *  the file. */
#define TORSOR_PAIR_TABLE(type)                                                                    \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_FORCE, .size = sizeof(type), .params = params,         \
  .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K, .prepare = prepare, .eval = torsor_pair_eval,       \
  .outputs.list = torsor_pair_outputs, .outputs.eval = torsor_pair_output

/** Prepares a force between two markers. With `numeric`, `law` gives w alone, and the tangent is
 * found by differences. */
TORSOR_API torsor_status torsor_pair_prepare(torsor_pair *pair, torsor_setup *setup, torsor_law law,
                                             bool numeric, torsor_error *error);
TORSOR_API torsor_status torsor_pair_eval(const void *self, const torsor_element_in *in,
                                          torsor_element_out *out);
/** Signals: force and moment on b at its marker, inertial axes. */
TORSOR_API extern const torsor_output torsor_pair_outputs[];
TORSOR_API void torsor_pair_output(const void *self, const torsor_element_in *in, double *values);

/* ---- on a joint coordinate --------------------------------------------------------------- */

/** Generalised force along a coordinate (N or N m) and its derivatives.  Zero on entry. */
typedef struct torsor_effort_out {
  double Q, dQ_dc, dQ_drate, dQ_dreaction;
  double reaction;     /* in: magnitude of the joint's force (N), for actors that are `reactive` */
  const double *state; /* in: see torsor_element_in */
  bool hold;           /* in: the same */
} torsor_effort_out;

/** `c` with its turns counted, `rate` = c'. */
typedef torsor_status (*torsor_effort)(const void *self, const torsor_now *now, double c,
                                       double rate, torsor_effort_out *out);

/** First member of every instance of a force on a coordinate. */
typedef struct torsor_actor {
  torsor_coordinate_ref on;
  torsor_joint joint; /* markers of the joint that has the coordinate */
  torsor_effort effort;
  bool reactive; /* Q depends on the joint's force: set before torsor_actor_prepare */
} torsor_actor;

#define TORSOR_ACTOR_PARAMS(type)                                                                  \
  {                                                                                                \
    "coordinate", TORSOR_PARAM_COORDINATE, offsetof(type, actor.on), NULL, NULL,                   \
        "joint coordinate that it acts on, e.g. \"hinge.angle\"", NULL, 0                          \
  }

#define TORSOR_ACTOR_TABLE(type)                                                                   \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_FORCE, .size = sizeof(type), .params = params,         \
  .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K, .prepare = prepare, .eval = torsor_actor_eval,      \
  .outputs.list = torsor_actor_outputs, .outputs.eval = torsor_actor_output

TORSOR_API torsor_status torsor_actor_prepare(torsor_actor *actor, torsor_setup *setup,
                                              torsor_effort effort, torsor_error *error);
TORSOR_API torsor_status torsor_actor_eval(const void *self, const torsor_element_in *in,
                                           torsor_element_out *out);
/** Signal: effort (N or N m) along the coordinate. */
TORSOR_API extern const torsor_output torsor_actor_outputs[];
TORSOR_API void torsor_actor_output(const void *self, const torsor_element_in *in, double *values);

/** Computes the coordinate, with its turns counted, and its rate, for energies. */
TORSOR_API void torsor_actor_coordinate(const torsor_actor *actor, const torsor_element_in *in,
                                        double *c, double *rate);

/** Magnitude of the joint's force (N) that a `reactive` actor sees; 0 for others. */
TORSOR_API double torsor_actor_reaction(const torsor_actor *actor, const torsor_element_in *in);

/* ---- functions of coordinates ------------------------------------------------------------ */

/** Adds the nodes of the control's coordinates to those of the element, after the element's own.
 *  Fails when there are too many. */
TORSOR_API torsor_status torsor_control_prepare(torsor_control *control, torsor_setup *setup,
                                                torsor_error *error);

/** Value of the control.  Its derivatives along the directions of the element's nodes at constant V
 *  are added to q [6 nodes] and those by their twists to V [6 nodes], both NULL when not wanted. */
TORSOR_API double torsor_control_eval(double *q, double *V, const torsor_control *control,
                                      const torsor_element_in *in);

/** Load factor of a force given by a control: 1 when the control depends on coordinates, as for a
 *  spring, otherwise the load. */
static inline double torsor_control_load(const torsor_control *control,
                                         const torsor_element_in *in) {
  return control->inputs ? 1 : in->load;
}

/** For r = column * control: K += column q^T and C += column V^T, either of which may be NULL;
 *  n = 6 nodes. */
static inline void torsor_control_add(torsor_element_out *out, const double *column,
                                      const double *q, const double *V, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (out->K) out->K[i * n + j] += column[i] * q[j];
      if (out->C) out->C[i * n + j] += column[i] * V[j];
    }
}

TORSOR_END_DECLS

#endif
