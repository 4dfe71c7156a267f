/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/body_kit.h"
#include "elements/solid.h"

typedef struct body_rigid_body_data {
  double mass;
  m3 inertia;
  v3 center_of_mass, position, velocity;
  so3 orientation;
  torsor_angular_velocity angular_velocity;
  torsor_group group;
  int placement;
  v3 gravity;
  bool centred; /* c = 0 */
  v3 moment;    /* m c: first moment of mass about the node, node axes */
  m3 J;         /* J - m c~ c~: inertia about the node */
} body_rigid_body_data;

#define MEMBER(name) offsetof(body_rigid_body_data, name)

static const torsor_param params[] = {
    {"mass", TORSOR_PARAM_NUMBER, MEMBER(mass), "kg", NULL, "mass", NULL, TORSOR_POSITIVE},
    {"inertia", TORSOR_PARAM_INERTIA, MEMBER(inertia), "kg m^2", NULL,
     "inertia about the centre of mass, body axes: [Jx, Jy, Jz] or 3x3 with J_xy = - integral of x "
     "y dm off the diagonal; or an object, in other axes or about another point",
     NULL, 0},
    {"center_of_mass", TORSOR_PARAM_VECTOR, MEMBER(center_of_mass), "m", "[0, 0, 0]",
     "centre of mass in the body frame", NULL, 0},
    {"position", TORSOR_PARAM_VECTOR, MEMBER(position), "m", "[0, 0, 0]",
     "initial position of the body frame, inertial axes", NULL, TORSOR_INITIAL},
    {"orientation", TORSOR_PARAM_ORIENTATION, MEMBER(orientation), NULL,
     "{\"quaternion\": [1, 0, 0, 0]}", "initial rotation from body to inertial axes", NULL, 0},
    {"velocity", TORSOR_PARAM_VECTOR, MEMBER(velocity), "m/s", TORSOR_OPTIONAL,
     "initial velocity of the body frame's origin, inertial axes; default: follows from the joints",
     NULL, TORSOR_INITIAL},
    {"angular_velocity", TORSOR_PARAM_ANGULAR_VELOCITY, MEMBER(angular_velocity), "rad/s",
     TORSOR_OPTIONAL,
     "initial angular velocity, body axes (or {\"in\": \"inertial\", \"value\": [..]}); default: "
     "follows from the joints",
     NULL, 0},
    {"group", TORSOR_PARAM_GROUP, MEMBER(group), NULL, TORSOR_OPTIONAL,
     "Lie group of the node; default: the scene's.  \"SO3\" fixes the origin of the body frame",
     NULL, 0},
    BODY_PLACEMENT(MEMBER(placement)),
    {0}};

/* M W with M = [[m I, -m c~], [m c~, J - m c~ c~]]. */
static twist times_mass(const body_rigid_body_data *body, twist W) {
  const twist P = {.lin = v3_scale(W.lin, body->mass), .ang = m3_mulv(body->J, W.ang)};
  if (body->centred) return P;
  return (twist){.lin = v3_add(P.lin, v3_cross(W.ang, body->moment)),
                 .ang = v3_add(P.ang, v3_cross(body->moment, W.lin))};
}

static m6 mass_matrix(const body_rigid_body_data *body) {
  const m3 moment = m3_skew(body->moment);
  return m6_blocks(m3_scale(m3_identity(), body->mass), m3_scale(moment, -1), moment, body->J);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  body_rigid_body_data *body = self;
  const bool moves = !torsor_absent_vector(body->velocity);
  if (body->group == TORSOR_GROUP_SO3 && moves && v3_norm(body->velocity) > 0) {
    torsor_fail(error, TORSOR_SCENE,
                "\"%s\" is given a velocity, but on \"SO3\" its origin is fixed", setup->name);
    torsor_hint(error, "leave the velocity out, or use \"R3xSO3\" or \"SE3\"");
    return TORSOR_SCENE;
  }
  const bool turns = !torsor_absent_vector(body->angular_velocity.value);
  v3 velocity = moves ? body->velocity : v3_zero();
  v3 spin = turns ? body->angular_velocity.value : v3_zero();
  velocity = so3_rotate_inverse(body->orientation, velocity);
  if (body->angular_velocity.in_inertial) spin = so3_rotate_inverse(body->orientation, spin);
  body->gravity = setup->gravity;
  body->centred = !(v3_norm(body->center_of_mass) > 0);
  body->moment = v3_scale(body->center_of_mass, body->mass);
  body->J = m3_sub(body->inertia, m3_mul(m3_skew(body->moment), m3_skew(body->center_of_mass)));
  setup->length = v3_norm(body->center_of_mass);
  setup->new_nodes = 1;
  setup->new_node[0] = (torsor_node_init){
      .group = body->group,
      .frame = {body->orientation, body->position},
      .V = {velocity, spin},
      .velocity_given = moves,
      .angular_velocity_given = turns,
      .spin_in_inertial = body->angular_velocity.in_inertial,
      .guess = body_is_guess(body->placement, setup),
  };
  return TORSOR_OK;
}

static void add_matrix(double *sum, m6 A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) sum[6 * i + j] += A.m[i][j];
}

/* d/dV (-ad(V)^T M V) = -(breve(P) + ad(V)^T M), as ad(V)^T P = breve(P) V, P = M V; by blocks. */
static m6 gyroscopic(const body_rigid_body_data *body, twist V, twist P) {
  const m3 moment = m3_skew(body->moment), turned = m3_skew_mul(V.ang, moment);
  const v3 weighted = v3_scale(V.lin, body->mass);
  const m3 inertia = m3_sub(m3_skew_mul(V.ang, body->J), m3_skew_mul(V.lin, moment));
  return m6_blocks(
      m3_skew(v3_scale(V.ang, body->mass)), m3_scale(m3_add(turned, m3_skew(P.lin)), -1),
      m3_add(turned, m3_skew(v3_sub(weighted, P.lin))), m3_sub(inertia, m3_skew(P.ang)));
}

/* r = M A - ad(V)^T M V - weight. */
static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const body_rigid_body_data *body = self;
  const torsor_motion *node = in->node[0];
  const twist P = times_mass(body, node->V);
  if (out->r) {
    const twist inertia = tw_sub(times_mass(body, node->A), se3_adT_apply(node->V, P));
    tw_store(out->r, tw_add(tw_load(out->r), inertia));
  }
  if (out->M) add_matrix(out->M, mass_matrix(body));
  if (out->C) add_matrix(out->C, gyroscopic(body, node->V, P));
  body_add_weight(out->r, out->K, body->mass, body->center_of_mass,
                  v3_scale(body->gravity, in->load), node);
  return TORSOR_OK;
}

/* With x' inertial and Omega in body axes the lever arm turns between them. */
static const char *obstacle(const void *self) {
  const body_rigid_body_data *body = self;
  if (body->group != TORSOR_GROUP_R3SO3 || body->centred) return NULL;
  return "has no constant mass matrix on \"R3xSO3\", as its centre of mass is not the origin of "
         "its "
         "frame: use the group \"SE3\"";
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const body_rigid_body_data *body = self;
  const torsor_motion *node = in->node[0];
  const v3 middle =
      body->centred ? node->x : v3_add(node->x, m3_mulv(node->R, body->center_of_mass));
  body_add_balance(sum, times_mass(body, node->V), body->mass, middle,
                   v3_scale(body->gravity, in->load), node);
}

static void draw(const void *self, const torsor_drawing *to) {
  const body_rigid_body_data *body = self;
  torsor_solid solid;
  solid_equimomental(&solid, body->mass, body->inertia, body->center_of_mass);
  to->solid(to->self, 0, &solid);
}

const torsor_element_type body_rigid_body = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "rigid_body",
    .title = "rigid body: mass, inertia and weight",
    .doc =
        "r = M V' - ad(V)^T M V - weight, in body axes about the body frame's origin, with\n"
        "M = [[m I, -m c~], [m c~, J - m c~ c~]], c the centre of mass in the body frame.\n"
        "The group decides how the node moves: \"R3xSO3\", \"SE3\", or \"SO3\" for a body whose\n"
        "frame origin stays where it is.  Source: Sonneville, Cardona and Bruels 2014.",
    .example = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"brick\","
               " \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5],"
               " \"center_of_mass\": [0.1, -0.2, 0.05], \"angular_velocity\": [1, 2, 3]}]}",
    .size = sizeof(body_rigid_body_data),
    .params = params,
    .tangents.has = TORSOR_HAS_M | TORSOR_HAS_C | TORSOR_HAS_K | TORSOR_CONSTANT_M,
    .prepare = prepare,
    .eval = eval,
    .energy.balance = balance,
    .look.draw = draw,
    .energy.obstacle = obstacle,
};
