/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNALS_H
#define TORSOR_ANALYSIS_SIGNALS_H

#include <torsor/analysis.h>

#include "analysis/observe/work.h"
#include "assembly/coordinates.h"

/** What signals are made of, at the motion last set in `assembly`. */
typedef struct signal_state {
  const assembly *assembly;
  const torsor_point *point;
  const coordinates *coordinates;
  const work *work;
  const torsor_balance *balance; /* NULL: to be summed where a signal asks for it */
  const double *phi, *phi_v;     /* [nl] */
} signal_state;

/** Evaluate the chosen signals [count]. */
void signals_eval(const torsor_signals *signals, double *values, const signal_state *state);

/** Whether column i depends on v' or lambda. */
bool signals_column_reacts(const torsor_signals *signals, int i);
/** Whether one of them depends on v' or lambda. */
bool signals_need_reactions(const torsor_signals *signals);

/** Add the integrals over time that are among them. */
void signals_need(const torsor_signals *signals, bool *energies, bool *impulses);

/** Names of the numbers that elements have beside motions, in the order of the elements, with those
 * at places of sections only where `stresses` are wanted.  False when memory is short or `visit`
 * says so. */
typedef enum signal_part {
  SIGNAL_MULTIPLIER,
  SIGNAL_COORDINATE,
  SIGNAL_RATE,
  SIGNAL_OUTPUT,
  SIGNAL_STRESS
} signal_part;
bool signals_visit(const torsor_model *model, bool stresses,
                   bool (*visit)(void *data, signal_part part, int element, int component,
                                 const char *name, const char *unit),
                   void *data);

/** Rotation of a node, identity where it has none. */
static inline so3 node_rotation(const model_node *node, const torsor_point *p) {
  if (node->init.group == TORSOR_GROUP_R3) return so3_identity();
  const int offset = node->init.group == TORSOR_GROUP_SO3 ? 0 : 3;
  return so3_load(p->q + node->first_q + offset);
}

/** Does the node's group move its origin by itself, so that x' and x'' are unknowns, at the
 * beginning of the node's v and v', and need not be turned to the body's axes and back? */
static inline bool node_is_direct(const model_node *node, const torsor_point *p) {
  const torsor_group group = node->init.group;
  return p->v && p->a && (group == TORSOR_GROUP_R3 || group == TORSOR_GROUP_R3SO3);
}

/** Velocity and acceleration in inertial axes. */
static inline v3 node_velocity(const model_node *node, const torsor_motion *motion,
                               const torsor_point *p) {
  return node_is_direct(node, p) ? v3_load(p->v + node->first_v)
                                 : m3_mulv(motion->R, motion->V.lin);
}

static inline v3 node_acceleration(const model_node *node, const torsor_motion *motion,
                                   const torsor_point *p) {
  return node_is_direct(node, p)
             ? v3_load(p->a + node->first_v)
             : m3_mulv(motion->R, v3_add(motion->A.lin, v3_cross(motion->V.ang, motion->V.lin)));
}

/** Energies and momenta of the whole model at the motion last set. */
torsor_balance balance_sum(const assembly *a, const torsor_model *model, const torsor_point *p);

#endif
