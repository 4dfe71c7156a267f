/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

/* Finds v of a node from its initial twist: the inverse of V = P v at the initial frame. */
static void initial_velocity(double *v, const torsor_node_init *init) {
  switch (init->group) {
  case TORSOR_GROUP_R3:
    v3_store(v, init->V.lin);
    break;
  case TORSOR_GROUP_SO3:
    v3_store(v, init->V.ang);
    break;
  case TORSOR_GROUP_R3SO3:
    v3_store(v, so3_rotate(init->frame.R, init->V.lin));
    v3_store(v + 3, init->V.ang);
    break;
  case TORSOR_GROUP_SE3:
    tw_store(v, init->V);
    break;
  }
}

void assembly_initial(const assembly *a, double *q, double *v, unsigned char *given) {
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    const torsor_node_init *init = &node->init;
    double *position = q + node->first_q;
    if (init->group != TORSOR_GROUP_SO3) {
      v3_store(position, init->frame.x);
      position += 3;
    }
    if (init->group != TORSOR_GROUP_R3) so3_store(position, init->frame.R);
    initial_velocity(v + node->first_v, init);
    const bool moves_first = init->group != TORSOR_GROUP_SO3;
    for (int k = 0; k < node->group->nv; ++k)
      given[node->first_v + k] =
          moves_first && k < 3 ? init->velocity_given : init->angular_velocity_given;
  }
}

void assembly_initial_velocity(const assembly *a, const double *q, double *v) {
  for (int i = 0; i < a->model->node_count; ++i) {
    const model_node *node = &a->model->node[i];
    torsor_node_init moved = node->init;
    if (moved.group != TORSOR_GROUP_R3) {
      const so3 R = so3_load(q + node->first_q + (moved.group == TORSOR_GROUP_SO3 ? 0 : 3));
      const so3 back = so3_compose(so3_inverse(R), moved.frame.R);
      moved.frame.R = R;
      moved.V.lin = so3_rotate(back, moved.V.lin);
      if (moved.spin_in_inertial) moved.V.ang = so3_rotate(back, moved.V.ang);
    }
    initial_velocity(v + node->first_v, &moved);
  }
}
