/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "elements/beam.h"
#include "elements/chain_kit.h"
#include "elements/superelement.h"

typedef struct body_superelement_data {
  torsor_frames interfaces;
  torsor_matrix stiffness, mass, damping;
  double damping_factor;
  v3 position;
  so3 orientation;
  v3 velocity;
  torsor_angular_velocity angular_velocity;
  torsor_group group;
} body_superelement_data;

#define MEMBER(name) offsetof(body_superelement_data, name)

static const torsor_param params[] = {
    {"file", TORSOR_PARAM_BODY_FILE, 0, NULL, TORSOR_OPTIONAL,
     "body file that `torsor reduce` wrote, relative to the scene: interfaces and matrices", NULL,
     0},
    {"interfaces", TORSOR_PARAM_FRAMES, MEMBER(interfaces), "m", TORSOR_OPTIONAL,
     "frames that others hold, in the body's axes: places, or objects with \"position\" and "
     "\"orientation\"",
     NULL, 0},
    {"stiffness", TORSOR_PARAM_MATRIX, MEMBER(stiffness), NULL, TORSOR_OPTIONAL,
     "stiffness matrix: the name of a Matrix Market file, relative to the scene, or rows; for "
     "every "
     "interface three displacements and three rotations in the body's axes, then the modes",
     NULL, 0},
    {"mass", TORSOR_PARAM_MATRIX, MEMBER(mass), NULL, TORSOR_OPTIONAL, "mass matrix, alike", NULL,
     0},
    {"damping", TORSOR_PARAM_MATRIX, MEMBER(damping), NULL, TORSOR_OPTIONAL,
     "damping matrix, alike", NULL, 0},
    {"damping_factor", TORSOR_PARAM_NUMBER, MEMBER(damping_factor), "s", "0",
     "adds this times the stiffness to the damping", NULL, TORSOR_NONNEGATIVE},
    {"position", TORSOR_PARAM_VECTOR, MEMBER(position), "m", "[0, 0, 0]",
     "origin of the body's axes, inertial axes", NULL, 0},
    {"orientation", TORSOR_PARAM_ORIENTATION, MEMBER(orientation), NULL,
     "{\"quaternion\": [1, 0, 0, 0]}", "rotation from the body's to inertial axes", NULL, 0},
    {"velocity", TORSOR_PARAM_VECTOR, MEMBER(velocity), "m/s", TORSOR_OPTIONAL,
     "initial velocity of the origin, inertial axes; the body moves like a rigid one; default: "
     "follows from the joints",
     NULL, 0},
    {"angular_velocity", TORSOR_PARAM_ANGULAR_VELOCITY, MEMBER(angular_velocity), "rad/s",
     TORSOR_OPTIONAL,
     "initial angular velocity, the body's axes; default: 0 where a velocity is given", NULL, 0},
    {"group", TORSOR_PARAM_GROUP, MEMBER(group), NULL, TORSOR_OPTIONAL,
     "Lie group of the interfaces; default: the scene's", NULL, 0},
    {0}};

/* ---- checks ---------------------------------------------------------------------------------- */

static torsor_status check_matrix(const char *key, const torsor_matrix *A, int size,
                                  torsor_error *error) {
  char message[200];
  if (A->rows != size || A->columns != size) {
    snprintf(message, sizeof message, "is %d by %d, but the mass is %d by %d", A->rows, A->columns,
             size, size);
    return chain_fail(error, key, "all matrices belong to the same coordinates", message);
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < i; ++j) {
      const double a = A->value[i * size + j], b = A->value[j * size + i];
      const double scale = sqrt(fabs(A->value[i * size + i])) * sqrt(fabs(A->value[j * size + j]));
      if (fabs(a - b) <= 1e-6 * fmax(scale, fmax(fabs(a), fabs(b)))) continue;
      snprintf(message, sizeof message,
               "is not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g", i + 1, j + 1, a,
               j + 1, i + 1, b);
      return chain_fail(error, key, "rows and columns are counted from 1", message);
    }
  return TORSOR_OK;
}

static torsor_status check(const body_superelement_data *body, torsor_error *error) {
  const int size = body->mass.rows, frames = body->interfaces.count;
  const int modes = size - 6 * frames, nodes = frames + (modes + 2) / 3;
  char message[200];
  if (body->group == TORSOR_GROUP_SO3)
    return chain_fail(error, "group", "\"R3xSO3\" or \"SE3\"", "the interfaces of a body move");
  if (!body->stiffness.value || !body->mass.value)
    return chain_fail(error, body->stiffness.value ? "mass" : "stiffness",
                      "give \"file\", or \"interfaces\", \"stiffness\" and \"mass\"", "is missing");
  if (!frames) return chain_fail(error, "interfaces", "give one at least", "there are none");
  if (modes < 0) {
    snprintf(message, sizeof message, "has %d rows, but %d interfaces have %d coordinates", size,
             frames, 6 * frames);
    return chain_fail(error, "mass", "six for each interface, then the modes", message);
  }
  if (nodes > SUPER_NODES) {
    snprintf(message, sizeof message, "%d interfaces and %d modes are too many", frames, modes);
    return chain_fail(error, "interfaces", "interfaces and a third of the modes may be 8 together",
                      message);
  }
  torsor_status status = check_matrix("mass", &body->mass, size, error);
  if (!status) status = check_matrix("stiffness", &body->stiffness, size, error);
  if (!status && body->damping.value) status = check_matrix("damping", &body->damping, size, error);
  return status;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static torsor_node_init interface_init(const body_superelement_data *body, int i) {
  const bool moves = !torsor_absent_vector(body->velocity);
  const bool turns = !torsor_absent_vector(body->angular_velocity.value);
  const v3 given = turns ? body->angular_velocity.value : v3_zero();
  const v3 spin = body->angular_velocity.in_inertial ? given : so3_rotate(body->orientation, given);
  const se3 own = {body->orientation, body->position};
  const se3 frame = se3_compose(own, body->interfaces.frame[i]);
  const v3 velocity =
      v3_add(moves ? body->velocity : v3_zero(), v3_cross(spin, v3_sub(frame.x, body->position)));
  return (torsor_node_init){
      .group = body->group,
      .frame = frame,
      .V = {so3_rotate_inverse(frame.R, velocity), so3_rotate_inverse(frame.R, spin)},
      .velocity_given = moves || turns,
      .angular_velocity_given = moves || turns};
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const body_superelement_data *body = self;
  torsor_status status = check(body, error);
  if (status) return status;
  superelement_data e = {.interfaces = body->interfaces.count,
                         .size = body->mass.rows,
                         .K = body->stiffness.value,
                         .M = body->mass.value,
                         .C = body->damping.value,
                         .lag = body->damping_factor};
  e.carriers = (e.size - 6 * e.interfaces + 2) / 3;
  char suffix[24];
  for (int i = 0; i < e.interfaces && !status; ++i) {
    const beam_node_data node = {interface_init(body, i)};
    e.frame[i] = body->interfaces.frame[i];
    snprintf(suffix, sizeof suffix, "[%d]", i);
    status = to->add(to->self, &beam_node, suffix, &node, &e.node[i], error);
  }
  for (int i = 0; i < e.carriers && !status; ++i) {
    const beam_node_data node = {{.group = TORSOR_GROUP_R3,
                                  .frame = se3_identity(),
                                  .abstract = true,
                                  .velocity_given = true,
                                  .angular_velocity_given = true}};
    snprintf(suffix, sizeof suffix, ".modes[%d]", i);
    status = to->add(to->self, &cable_node, suffix, &node, &e.node[e.interfaces + i], error);
  }
  return status ? status : to->add(to->self, &superelement, ".body", &e, NULL, error);
}

static const torsor_element_type *const parts[] = {&beam_node, &cable_node, &superelement, NULL};

const torsor_element_type body_superelement = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "superelement",
    .title = "flexible body reduced to its interfaces, by mass and stiffness matrices",
    .doc =
        "A body of small deformations that may move far, by matrices of another program: those of "
        "a "
        "Craig-\n"
        "Bampton or static reduction to interfaces, fixed-interface modes behind them.  The frame "
        "in "
        "which\n"
        "the deformations are small moves with the first interface; choose it where the body is "
        "stiff.\n"
        "Joints and forces hold the interfaces \"name[0]\", \"name[1]\", ..; "
        "\"name.modes[k].position\" are the\n"
        "modal coordinates 3 k to 3 k + 2.  Rigid motions must cost no force, and the matrices be "
        "symmetric.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"link\", \"type\": "
        "\"superel"
        "ement\", \"interfaces\": [[0, 0, 0], {\"position\": [1, 0, 0], \"orientation\": "
        "{\"rotation_"
        "vector\": [0, 0, 0.5]}}], \"damping_factor\": 0.01, \"stiffness\": [[4000, 0, 0, 0, 0, 0,"
        " -4000, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1200, 0, 0, 0, 600, 0, -1200, 0, 0, 0, 600, 0, "
        "0, 0], [0, 0, 1200, 0, -600, 0, 0, 0, -1200, 0, -600, 0, 0, 0, 0], [0, 0, 0, 200, 0,"
        " 0, 0, 0, 0, -200, 0, 0, 0, 0, 0], [0, 0, -600, 0, 400, 0, 0, 0, 600, 0, 200, 0, 0, "
        "0, 0], [0, 600, 0, 0, 0, 400, 0, -600, 0, 0, 0, 200, 0, 0, 0], [-4000, 0, 0, 0, 0, 0"
        ", 4000, 0, 0, 0, 0, 0, 0, 0, 0], [0, -1200, 0, 0, 0, -600, 0, 1200, 0, 0, 0, -600, 0"
        ", 0, 0], [0, 0, -1200, 0, 600, 0, 0, 0, 1200, 0, 600, 0, 0, 0, 0], [0, 0, 0, -200, 0"
        ", 0, 0, 0, 0, 200, 0, 0, 0, 0, 0], [0, 0, -600, 0, 200, 0, 0, 0, 600, 0, 400, 0, 0, "
        "0, 0], [0, 600, 0, 0, 0, 200, 0, -600, 0, 0, 0, 400, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0,"
        " 0, 0, 0, 0, 0, 2000, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3000, 0], [0, 0"
        ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5000]], \"mass\": [[1.4, 0, 0, 0, 0, 0, 0.7, 0, "
        "0, 0, 0, 0, 0, 0, 0], [0, 1.56, 0, 0, 0, 0.22, 0, 0.54, 0, 0, 0, -0.13, 0.1, 0, 0], "
        "[0, 0, 1.56, 0, -0.22, 0, 0, 0, 0.54, 0, 0.13, 0, 0, 0.1, 0], [0, 0, 0, 0.1, 0, 0, 0"
        ", 0, 0, 0.05, 0, 0, 0, 0, 0], [0, 0, -0.22, 0, 0.04, 0, 0, 0, -0.13, 0, -0.03, 0, 0,"
        " 0, 0], [0, 0.22, 0, 0, 0, 0.04, 0, 0.13, 0, 0, 0, -0.03, 0, 0, 0.02], [0.7, 0, 0, 0"
        ", 0, 0, 1.4, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0.54, 0, 0, 0, 0.13, 0, 1.56, 0, 0, 0, -0."
        "22, 0.1, 0, 0], [0, 0, 0.54, 0, -0.13, 0, 0, 0, 1.56, 0, 0.22, 0, 0, 0.1, 0], [0, 0,"
        " 0, 0.05, 0, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0], [0, 0, 0.13, 0, -0.03, 0, 0, 0, 0.22, "
        "0, 0.04, 0, 0, 0, 0], [0, -0.13, 0, 0, 0, -0.03, 0, -0.22, 0, 0, 0, 0.04, 0, 0, 0], "
        "[0, 0.1, 0, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.5, 0, 0], [0, 0, 0.1, 0, 0, 0, 0, 0, 0.1,"
        " 0, 0, 0, 0, 0.5, 0], [0, 0, 0, 0, 0, 0.02, 0, 0, 0, 0, 0, 0, 0, 0, 0.5]]}], \"joints"
        "\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\", \"b\": "
        "\"link[0]\"}]}",
    .size = sizeof(body_superelement_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
