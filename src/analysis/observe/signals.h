/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNALS_H
#define TORSOR_ANALYSIS_SIGNALS_H

#include <torsor/analysis.h>

#include "analysis/observe/derivatives.h"
#include "analysis/observe/work.h"
#include "assembly/coordinates.h"

/** The data from which signals are computed, at the motion last set in `assembly`. */
typedef struct signal_state {
  const assembly *assembly;
  const torsor_point *point;
  const coordinates *coordinates;
  const work *work;
  const torsor_balance *balance; /* NULL: summed up where a signal needs it */
  const double *phi, *phi_v;     /* [nl] */
} signal_state;

/** Evaluates the chosen signals [count]; derivatives become NaN. */
void signals_eval(const torsor_signals *signals, double *values, const signal_state *state);

/** Returns the number of columns without derivatives. */
int signals_own_count(const torsor_signals *signals);
/** Returns the derivatives that follow them, of which there may be none. */
const derivatives *signals_derivatives(const torsor_signals *signals);

/** Returns the element of column i; -1: it is a sum over the model, a load or an input. */
int signals_column_element(const torsor_signals *signals, int i);
/** Does column i depend on v' or lambda? */
bool signals_column_reacts(const torsor_signals *signals, int i);
/** Is column i a whole number, which changes at once? */
bool signals_column_counts(const torsor_signals *signals, int i);
/** Does one of the columns depend on v' or lambda? */
bool signals_need_reactions(const torsor_signals *signals);

/** Sets which integrals over time are among the signals. */
void signals_need(const torsor_signals *signals, bool *energies, bool *impulses);

/** Visits the names of the quantities that elements have beside motions, in the order of the
 * elements; those at points of sections only where `stresses` are wanted.  Returns false without
 * memory, or when `visit` does. */
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

/** Returns the rotation of a node, the identity where it has none. */
static inline so3 node_rotation(const model_node *node, const torsor_point *p) {
  if (node->init.group == TORSOR_GROUP_R3) return so3_identity();
  const int offset = node->init.group == TORSOR_GROUP_SO3 ? 0 : 3;
  return so3_load(p->q + node->first_q + offset);
}

/** Does the node's group have the velocity and acceleration of the origin in inertial axes as
 * unknowns, at the start of the node's v and v', so that they need no rotation to body axes and
 * back? */
static inline bool node_is_direct(const model_node *node, const torsor_point *p) {
  const torsor_group group = node->init.group;
  return p->v && p->a && (group == TORSOR_GROUP_R3 || group == TORSOR_GROUP_R3SO3);
}

/** Return velocity and acceleration of the node's origin in inertial axes. */
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

#endif
