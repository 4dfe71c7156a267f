/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data by which elements are evaluated: motions of the nodes, time, inputs and the load. The
 * file also records which element failed. */
#include "assembly/assembly_private.h"

#include <string.h>

/* Arguments of move_subdomain, by which threads set the motion of nodes. */
typedef struct moving {
  assembly *a;
  const torsor_point *p;
} moving;

static void move_subdomain(void *self, int s) {
  const moving *m = self;
  const torsor_point *p = m->p;
  const subdomain *mine = &m->a->partition.of[s];
  for (int k = 0; k < mine->nodes; ++k) {
    const model_node *node = &m->a->model->node[mine->node[k]];
    node_motion(&m->a->motion[mine->node[k]], node, p->q + node->first_q,
                p->v ? p->v + node->first_v : NULL, p->a ? p->a + node->first_v : NULL);
  }
}

/* Evaluates the inputs at time t: each is a parabola from the time at which it was set last. */
static void set_now(assembly *a, double t) {
  a->now.t = t;
  a->now.load = a->load;
  for (int i = 0; i < a->model->inputs; ++i) {
    const double *given = a->given + 3 * i, since = t - a->since[i];
    double *input = a->input + 3 * i;
    input[0] = given[0] + since * (given[1] + since * given[2] / 2);
    input[1] = given[1] + since * given[2];
    input[2] = given[2];
  }
  if (a->past) a->past(a->past_self, t, a->input);
}

void assembly_set_past(assembly *a, void (*past)(void *self, double t, double *input), void *self) {
  a->past = past;
  a->past_self = self;
}

const torsor_now *assembly_now(assembly *a, double t) {
  set_now(a, t);
  return &a->now;
}

void assembly_set_sides(assembly *a, const signed char *side) {
  a->now.side = side;
}

const double *assembly_input(const assembly *a, int i) {
  return a->input + 3 * i;
}

void assembly_set_input(assembly *a, int i, double t, const double value[3]) {
  a->since[i] = t;
  memcpy(a->given + 3 * i, value, 3 * sizeof *value);
}

void assembly_set_load(assembly *a, double load, bool all) {
  a->load = load;
  a->factor = all ? load : 1;
}

double assembly_load(const assembly *a) {
  return a->load;
}

void assembly_set_motion(assembly *a, const torsor_point *p) {
  moving m = {a, p};
  assembly_run(a, move_subdomain, &m);
  coordinates_expect(&a->coordinates, p->t);
  set_now(a, p->t);
}

const torsor_motion *assembly_motion(const assembly *a, int i) {
  return &a->motion[i];
}

torsor_element_in assembly_element_in(const assembly *a, int i, const torsor_point *p) {
  return element_in(a, i, p);
}

/* Finds, among the failures of all subdomains, that of the first element in the model's order,
 * which a single thread would have found. */
torsor_status assembly_first_failure(assembly *a) {
  const subdomain_work *first = NULL;
  for (int s = 0; s < a->partition.count; ++s) {
    const subdomain_work *work = &a->work[s];
    if (work->failed >= 0 && (!first || work->failed < first->failed)) first = work;
  }
  return first ? assembly_fail(a, first->failed, first->status) : TORSOR_OK;
}
