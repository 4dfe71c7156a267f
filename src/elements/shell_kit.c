/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/shell_kit.h"

#include <stdlib.h>
#include <string.h>

enum { CONSISTENT, LUMPED };

const char *const shell_inertias[] = {[CONSISTENT] = "consistent", [LUMPED] = "lumped", NULL};

/* A homogeneous shell needs four numbers that a laminate has in its layers. */
static torsor_status check_material(const shell_common *b, torsor_error *error) {
  const struct {
    const char *key;
    double value;
  } own[] = {{"thickness", b->thickness}, {"E", b->E}, {"nu", b->nu}, {"density", b->density}};
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
    const bool given = !torsor_absent_number(own[i].value);
    if (given && b->layers.layer)
      return chain_fail(error, own[i].key, "leave it out", "a laminate has it in its \"layers\"");
    if (!given && !b->layers.layer)
      return chain_fail(error, own[i].key, "or give \"layers\"",
                        "is missing: a shell without layers needs it");
  }
  if (!b->layers.layer && !(b->nu > -1 && b->nu <= 0.5))
    return chain_fail(error, "nu", "Poisson's ratio is between -1 and 0.5", "is out of range");
  return TORSOR_OK;
}

static const char *find_obstacle(const shell_section *s, const shell_common *b) {
  if (!s->lumped && b->group != TORSOR_GROUP_R3SO3)
    return "has a mass matrix that changes with its shape on \"SE3\": with \"inertia\": "
           "\"lumped\", or on \"R3xSO3\", it is constant";
  if (b->group != TORSOR_GROUP_R3SO3 || s->moment == 0) return NULL;
  return "has no constant mass matrix on \"R3xSO3\", as its nodes are not in the middle of its "
         "mass: use the group \"SE3\" with \"inertia\": \"lumped\"";
}

torsor_status shell_find_section(const shell_section **out, const torsor_expansion *to,
                                 const shell_common *b, torsor_error *error) {
  shell_section s;
  const torsor_status status = check_material(b, error);
  if (status) return status;
  const torsor_layer own = shell_isotropic(b->thickness, b->E, b->nu, b->density);
  const int count = b->layers.layer ? b->layers.count : 1;
  shell_layer *layer = calloc((size_t)count, sizeof *layer);
  if (!layer) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  shell_section_find(&s, layer, b->layers.layer ? b->layers.layer : &own, count, b->offset);
  s.layer = to->keep(to->self, layer, (size_t)count * sizeof *layer);
  free(layer);
  s.gravity = to->gravity;
  s.lumped = b->inertia == LUMPED;
  s.obstacle = find_obstacle(&s, b);
  *out = s.layer ? to->keep(to->self, &s, sizeof s) : NULL;
  return *out ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

beam_node_data shell_node(const shell_common *common, so3 R, v3 origin, se3 frame) {
  const bool moves = !torsor_absent_vector(common->velocity);
  const bool turns = !torsor_absent_vector(common->angular_velocity.value);
  const v3 given = turns ? common->angular_velocity.value : v3_zero();
  const v3 spin = common->angular_velocity.in_inertial ? given : so3_rotate(R, given);
  const v3 lever = v3_cross(spin, v3_sub(frame.x, origin));
  const v3 velocity = v3_add(moves ? common->velocity : v3_zero(), lever);
  return (beam_node_data){
      {.group = common->group,
       .frame = frame,
       .V = {so3_rotate_inverse(frame.R, velocity), so3_rotate_inverse(frame.R, spin)},
       .velocity_given = moves || turns,
       .angular_velocity_given = moves || turns}};
}

torsor_status shell_add(const shell_constants **kept, const char **fault,
                        const torsor_expansion *to, const shell_section *section,
                        const char *suffix, const int node[SHELL_NODES],
                        const se3 frame[SHELL_NODES], const v3 normal[SHELL_NODES],
                        torsor_error *error) {
  shell_element_data e = {.section = section};
  shell_constants own;
  v3 X[SHELL_NODES];
  m3 R[SHELL_NODES];
  for (int k = 0; k < SHELL_NODES; ++k) {
    e.node[k] = node[k];
    X[k] = frame[k].x;
    R[k] = so3_matrix(frame[k].R);
  }
  for (int k = 0; k < SHELL_NODES; ++k)
    e.length = fmax(e.length, v3_norm(v3_sub(X[(k + 1) % SHELL_NODES], X[k])));
  *fault = shell_build(&own, section, X, R, normal);
  if (*fault) return TORSOR_SCENE;
  if (!*kept || memcmp(&own, *kept, sizeof own) != 0) *kept = to->keep(to->self, &own, sizeof own);
  if (!*kept) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  e.constants = *kept;
  return to->add(to->self, &shell_element, suffix, &e, NULL, error);
}
