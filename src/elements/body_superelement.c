/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements/beam.h"
#include "elements/chain_kit.h"
#include "elements/super_constants.h"

typedef struct body_superelement_data {
  torsor_frames interfaces;
  torsor_matrix stiffness, mass, damping, gyroscopic, centrifugal, stiffening, stress;
  torsor_names stress_points;
  int frame, frame_interface;
  double damping_factor;
  v3 position;
  so3 orientation;
  v3 velocity;
  torsor_angular_velocity angular_velocity;
  torsor_group group;
} body_superelement_data;

#define MEMBER(name) offsetof(body_superelement_data, name)

static const char *const frames[] = {"interface", "mean", NULL};
enum { FRAME_INTERFACE, FRAME_MEAN };

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
    {"gyroscopic", TORSOR_PARAM_MATRIX, MEMBER(gyroscopic), NULL, TORSOR_OPTIONAL,
     "products N^T M G_k N of the shapes N and their turns about x, y, z, one below the other; "
     "default: interfaces turn with the body, modes do not",
     NULL, 0},
    {"centrifugal", TORSOR_PARAM_MATRIX, MEMBER(centrifugal), NULL, TORSOR_OPTIONAL,
     "products N^T G_k^T M G_l N, made symmetric, of the axes xx, yy, zz, xy, yz, xz, alike", NULL,
     0},
    {"stiffening", TORSOR_PARAM_MATRIX, MEMBER(stiffening), NULL, TORSOR_OPTIONAL,
     "stiffness by the stresses of a rotation with a product 1 of its components, of the axes xx, "
     "yy, zz, xy, yz, xz, then of a weight of 1 m/s^2 along x, y, z, alike; default: neither "
     "stiffens "
     "the body",
     NULL, 0},
    {"stress_points", TORSOR_PARAM_NAMES, MEMBER(stress_points), NULL, TORSOR_OPTIONAL,
     "names of points with stresses", NULL, 0},
    {"stress", TORSOR_PARAM_MATRIX, MEMBER(stress), "Pa", TORSOR_OPTIONAL,
     "for every point six rows, stresses xx, yy, zz, xy, yz, xz in the body's axes, per coordinate",
     NULL, 0},
    {"frame", TORSOR_PARAM_CHOICE, MEMBER(frame), NULL, "\"interface\"",
     "frame that the deformations are small in: it moves with an interface, or with the mean of "
     "the "
     "body",
     frames, 0},
    {"frame_interface", TORSOR_PARAM_INTEGER, MEMBER(frame_interface), NULL, "0",
     "interface that the frame moves with", NULL, TORSOR_NONNEGATIVE},
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

static torsor_status check_turned(const char *key, const torsor_matrix *A, int size, int count,
                                  torsor_error *error) {
  char message[200];
  if (A->rows == count * size && A->columns == size) return TORSOR_OK;
  if (!A->value)
    return chain_fail(error, key, "\"gyroscopic\" and \"centrifugal\" belong together",
                      "is missing");
  snprintf(message, sizeof message, "is %d by %d, not %d by %d", A->rows, A->columns, count * size,
           size);
  return chain_fail(error, key, "one matrix of the size of the mass below the other", message);
}

static torsor_status check_stresses(const body_superelement_data *body, torsor_error *error) {
  const int size = body->mass.rows, rows = 6 * body->stress_points.count;
  char message[200];
  if (body->stiffening.value && !body->gyroscopic.value)
    return chain_fail(error, "gyroscopic", "\"stiffening\" goes with the inertia of all masses",
                      "is missing");
  if (body->stiffening.value) {
    const torsor_status status = check_turned("stiffening", &body->stiffening, size, 9, error);
    if (status) return status;
  }
  if (!body->stress.value && !rows) return TORSOR_OK;
  if (!body->stress.value || !rows)
    return chain_fail(error, rows ? "stress" : "stress_points",
                      "\"stress_points\" and \"stress\" belong together", "is missing");
  if (body->stress.rows == rows && body->stress.columns == size) return TORSOR_OK;
  snprintf(message, sizeof message, "is %d by %d, not %d by %d", body->stress.rows,
           body->stress.columns, rows, size);
  return chain_fail(error, "stress", "six rows for every point, a column for every coordinate",
                    message);
}

static torsor_status check_frame(const body_superelement_data *body, torsor_error *error) {
  char message[200];
  if (body->frame == FRAME_MEAN || body->frame_interface < body->interfaces.count) return TORSOR_OK;
  snprintf(message, sizeof message, "there is no interface %d, the last one is %d",
           body->frame_interface, body->interfaces.count - 1);
  return chain_fail(error, "frame_interface", "interfaces are counted from 0", message);
}

static torsor_status check(const body_superelement_data *body, torsor_error *error) {
  const int size = body->mass.rows, count = body->interfaces.count;
  char message[200];
  if (body->group == TORSOR_GROUP_SO3)
    return chain_fail(error, "group", "\"R3xSO3\" or \"SE3\"", "the interfaces of a body move");
  if (!body->stiffness.value || !body->mass.value)
    return chain_fail(error, body->stiffness.value ? "mass" : "stiffness",
                      "give \"file\", or \"interfaces\", \"stiffness\" and \"mass\"", "is missing");
  if (!count) return chain_fail(error, "interfaces", "give one at least", "there are none");
  if (size < 6 * count) {
    snprintf(message, sizeof message, "has %d rows, but %d interfaces have %d coordinates", size,
             count, 6 * count);
    return chain_fail(error, "mass", "six for each interface, then the modes", message);
  }
  torsor_status status = check_matrix("mass", &body->mass, size, error);
  if (!status) status = check_matrix("stiffness", &body->stiffness, size, error);
  if (!status && body->damping.value) status = check_matrix("damping", &body->damping, size, error);
  if (!status && (body->gyroscopic.value || body->centrifugal.value)) {
    status = check_turned("gyroscopic", &body->gyroscopic, size, 3, error);
    if (!status) status = check_turned("centrifugal", &body->centrifugal, size, 6, error);
  }
  if (!status) status = check_stresses(body, error);
  return status ? status : check_frame(body, error);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* A frame of the body, relative to its origin, where it begins. */
static torsor_node_init frame_init(const body_superelement_data *body, se3 place) {
  const bool moves = !torsor_absent_vector(body->velocity);
  const bool turns = !torsor_absent_vector(body->angular_velocity.value);
  const v3 given = turns ? body->angular_velocity.value : v3_zero();
  const v3 spin = body->angular_velocity.in_inertial ? given : so3_rotate(body->orientation, given);
  const se3 own = {body->orientation, body->position};
  const se3 frame = se3_compose(own, place);
  const v3 velocity =
      v3_add(moves ? body->velocity : v3_zero(), v3_cross(spin, v3_sub(frame.x, body->position)));
  return (torsor_node_init){
      .group = body->group,
      .frame = frame,
      .V = {so3_rotate_inverse(frame.R, velocity), so3_rotate_inverse(frame.R, spin)},
      .velocity_given = moves || turns,
      .angular_velocity_given = moves || turns};
}

/* Adds the nodes: node [nodes] in the order of the element. */
static torsor_status add_nodes(int *node, const superelement_data *e,
                               const body_superelement_data *body, const torsor_expansion *to,
                               torsor_error *error) {
  char suffix[24];
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < e->interfaces && !status; ++i) {
    const beam_node_data one = {frame_init(body, body->interfaces.frame[i])};
    snprintf(suffix, sizeof suffix, "[%d]", i);
    status = to->add(to->self, &beam_node, suffix, &one, &node[super_node_of(e, i)], error);
  }
  if (e->frame < 0 && !status) {
    const beam_node_data one = {frame_init(body, se3_identity())};
    status = to->add(to->self, &beam_node, ".frame", &one, &node[0], error);
  }
  for (int i = 0; i < e->carriers && !status; ++i) {
    const beam_node_data one = {{.group = TORSOR_GROUP_R3,
                                 .frame = se3_identity(),
                                 .abstract = true,
                                 .velocity_given = true,
                                 .angular_velocity_given = true}};
    snprintf(suffix, sizeof suffix, ".modes[%d]", i);
    status = to->add(to->self, &cable_node, suffix, &one, &node[super_first_carrier(e) + i], error);
  }
  return status;
}

/* Keeps the constants, and moves the pointers to them. */
static torsor_status keep_constants(superelement_data *e, const double *memory, size_t size,
                                    const torsor_expansion *to, torsor_error *error) {
  const double *kept = to->keep(to->self, memory, size);
  const double **const list[] = {&e->inertia.S, &e->inertia.P, &e->inertia.W,
                                 &e->inertia.C, &e->inertia.D, &e->axes};
  if (!kept) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
    if (*list[i] >= memory && *list[i] < memory + size / sizeof *memory)
      *list[i] = kept + (*list[i] - memory);
  return TORSOR_OK;
}

/* Stresses under accelerations and rotation act as the inertia of what squares of the deformation
 * bring nearer: Omega_k Omega_l D_kl becomes Omega_k Omega_l (D_kl - F_kl), and the first moment
 * loses q.E_k q/2. */
static torsor_status stiffen(superelement_data *e, const body_superelement_data *body,
                             const torsor_expansion *to, torsor_error *error) {
  const double *F = body->stiffening.value, *D = body->centrifugal.value;
  const size_t count = 6 * (size_t)e->n * (size_t)e->n;
  double *less = malloc(count * sizeof *less);
  for (size_t i = 0; less && i < count; ++i) less[i] = D[i] - F[i];
  const double *kept = less ? to->keep(to->self, less, count * sizeof *less) : NULL;
  free(less);
  if (!kept) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  e->inertia.D = kept;
  e->inertia.E = F + count;
  e->least = 0; /* the speed is no limit then */
  return TORSOR_OK;
}

/* Keeps the names of points, copies that live as long as the model. */
static torsor_status keep_names(superelement_data *e, const body_superelement_data *body,
                                const torsor_expansion *to, torsor_error *error) {
  const int count = body->stress_points.count;
  e->points = count;
  e->stress = body->stress.value;
  if (!count) return TORSOR_OK;
  const char **name = calloc((size_t)count, sizeof *name);
  bool good = name != NULL;
  for (int i = 0; i < count && good; ++i) {
    const char *word = body->stress_points.name[i];
    good = (name[i] = to->keep(to->self, word, strlen(word) + 1)) != NULL;
  }
  if (good) e->name = to->keep(to->self, name, (size_t)count * sizeof *name);
  free(name);
  return good && e->name ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static torsor_status find_constants(superelement_data *e, const body_superelement_data *body,
                                    const torsor_expansion *to, torsor_error *error) {
  double *memory = NULL;
  size_t size = 0;
  const super_given given = {.place = body->interfaces.frame,
                             .interfaces = e->interfaces,
                             .n = e->n,
                             .K = body->stiffness.value,
                             .M = body->mass.value,
                             .C = body->gyroscopic.value,
                             .D = body->centrifugal.value,
                             .frame = e->frame};
  torsor_status status = super_find_constants(e, &memory, &size, &given, error);
  if (!status) status = keep_constants(e, memory, size, to, error);
  if (!status && body->stiffening.value) status = stiffen(e, body, to, error);
  free(memory);
  return status ? status : keep_names(e, body, to, error);
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const body_superelement_data *body = self;
  torsor_status status = check(body, error);
  if (status) return status;
  superelement_data e = {.interfaces = body->interfaces.count,
                         .n = body->mass.rows,
                         .frame = body->frame == FRAME_MEAN ? -1 : body->frame_interface,
                         .place = body->interfaces.frame,
                         .K = body->stiffness.value,
                         .damping = body->damping.value,
                         .lag = body->damping_factor};
  e.carriers = (e.n - 6 * e.interfaces + 2) / 3;
  e.nodes = super_first_carrier(&e) + e.carriers;
  int *node = calloc((size_t)e.nodes, sizeof *node);
  if (!node) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  status = find_constants(&e, body, to, error);
  if (!status) status = add_nodes(node, &e, body, to, error);
  if (!status) {
    e.node = to->keep(to->self, node, (size_t)e.nodes * sizeof *node);
    if (!e.node) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  free(node);
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
        "a\n"
        "Craig-Bampton or static reduction to interfaces, modes behind them.  `torsor reduce` "
        "makes\n"
        "them.  Deformations are small in a frame that moves with an interface (frame_interface), "
        "or\n"
        "with the mean of the body (\"frame\": \"mean\"), which treats all interfaces alike.  "
        "With\n"
        "gyroscopic and centrifugal matrices its inertia is that of all masses of the model.\n"
        "Joints and forces hold the interfaces \"name[0]\", \"name[1]\", ..; "
        "\"name.modes[k].position\" are\n"
        "the modal coordinates 3 k to 3 k + 2, \"name.frame\" is the frame of the mean.  Rigid "
        "motions\n"
        "must cost no force, and the matrices be symmetric.",
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
