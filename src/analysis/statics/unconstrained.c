/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/statics/unconstrained.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Small masses that are added to the tangent, relative to the largest stiffness.  The response in
 * an unconstrained direction is one over them. */
static const double LENT = 1e-10, LENT_LESS = 1e-12;

/* Smallest ratio of the responses with the two masses in a direction whose stiffness is no more
 * than 1e-11 of the largest. */
static const double FREE_RATIO = 30;

/* x [nv + nl] = response to some fixed forces, with a small mass added. */
static torsor_status answer(equilibrium *e, const static_point *p, double lent) {
  const torsor_problem *pr = e->problem;
  torsor_status status = equilibrium_factor(e, p, lent);
  if (status) return status;
  for (int i = 0; i < pr->nv; ++i) e->x[i] = 1 + 0.5 * sin(i + 1.0);
  memset(e->x + pr->nv, 0, (size_t)pr->nl * sizeof *e->x);
  status = pr->solve(pr->self, e->x);
  return status || isfinite(equilibrium_size(e, e->x)) ? status : TORSOR_NONFINITE;
}

/* Finds the unconstrained direction, e->x, of size 1. */
static bool find_free(equilibrium *e, const static_point *p) {
  if (answer(e, p, LENT)) return false;
  const double size = equilibrium_size(e, e->x);
  if (answer(e, p, LENT_LESS)) return false;
  const double less = equilibrium_size(e, e->x);
  for (int i = 0; less > 0 && i < e->problem->nv; ++i) e->x[i] /= less;
  return less > FREE_RATIO * size;
}

/* Returns the node that moves most, and whether it rotates rather than translates. */
static int find_node(const equilibrium *e, bool *turns) {
  double most = 0;
  int found = 0;
  for (int i = 0; i < e->model->node_count; ++i) {
    const model_node *node = &e->model->node[i];
    for (int k = node->first_v; k < node->first_v + node->group->nv; ++k) {
      const bool rotation = e->problem->rotation[k];
      const double size = fabs(e->x[k]) / (rotation ? 1 : e->length);
      if (!(size > most)) continue;
      most = size;
      found = i;
      *turns = rotation;
    }
  }
  return found;
}

/* Returns the joint coordinate that changes most, by an appreciable fraction of the motion; NULL =
 * none. */
static const torsor_coordinate *find_coordinate(const equilibrium *e, const torsor_point *p,
                                                const model_element **joint) {
  const torsor_coordinate *found = NULL;
  double most = 0.1;
  for (int i = 0; i < e->model->element_count; ++i) {
    const model_element *element = &e->model->element[i];
    double value[ELEMENT_COORDINATES], rate[ELEMENT_COORDINATES];
    if (!element->coordinates || !element->rows) continue;
    const torsor_element_in in = assembly_element_in(e->a, i, p);
    element->type->coordinates.eval(element->instance, &in, value, rate);
    for (int k = 0; k < element->coordinates; ++k) {
      const double size = fabs(rate[k]) / (model_period(element, k) > 0 ? 1 : e->length);
      if (!(size > most)) continue;
      most = size;
      found = &element->type->coordinates.list[k];
      *joint = element;
    }
  }
  return found;
}

/* Returns a direction that reads well: of length 1, without round-off. */
static v3 tidy(v3 d) {
  const double size = v3_norm(d);
  double part[3] = {d.x, d.y, d.z};
  for (int i = 0; i < 3; ++i) part[i] = fabs(part[i]) > 1e-6 * size ? part[i] / size : 0;
  return v3_load(part);
}

bool unconstrained_may_stick(const torsor_model *model) {
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!strcmp(e->type->name, "friction")) return true;
    for (const torsor_param *p = e->type->params; p->key; ++p)
      if (p->kind == TORSOR_PARAM_NUMBER && !strcmp(p->key, "friction") &&
          *(const double *)((const char *)e->instance + p->offset) > 0)
        return true;
  }
  return false;
}

bool unconstrained_blame(equilibrium *e, const static_point *p, torsor_error *error) {
  if (!find_free(e, p)) return false;
  const torsor_point moving = {.q = p->q, .v = e->x};
  const model_element *joint = NULL;
  bool turns = false;
  assembly_set_motion(e->a, &moving);
  const int node = find_node(e, &turns);
  const torsor_motion *motion = assembly_motion(e->a, node);
  const torsor_coordinate *coordinate = find_coordinate(e, &moving, &joint);
  const char *body = e->model->element[e->model->node[node].element].name;
  const v3 d = tidy(turns ? motion->V.ang : m3_mulv(motion->R, motion->V.lin));
  char free[160] = "";
  if (coordinate) snprintf(free, sizeof free, "; \"%s.%s\" is free", joint->name, coordinate->name);
  torsor_fail(error, TORSOR_STEP,
              "body \"%s\" is unconstrained at load %.9g: it can %s [%.3g, %.3g, %.3g]%s", body,
              p->load, turns ? "rotate about its axis" : "move along", d.x, d.y, d.z, free);
  torsor_hint(error,
              "%sadd a joint, a spring or a drive that constrains it; `torsor check` counts the "
              "mobility. If it is meant to be free, \"initial\": \"steady\" and --about steady "
              "find it at rest, and \"initial\": \"scene\" lets it move",
              e->sticks ? "only friction acts on it, which has no force in statics: " : "");
  torsor_blame(error, body);
  return true;
}
