/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/body_kit.h"
#include "elements/solid.h"

typedef struct body_point_mass_data {
  double mass;
  v3 position, velocity, gravity;
  int placement;
} body_point_mass_data;

static const torsor_param params[] = {
    {"mass", TORSOR_PARAM_NUMBER, offsetof(body_point_mass_data, mass), "kg", NULL, "mass", NULL,
     TORSOR_POSITIVE},
    {"position", TORSOR_PARAM_VECTOR, offsetof(body_point_mass_data, position), "m", "[0, 0, 0]",
     "initial position, inertial axes", NULL, TORSOR_INITIAL},
    {"velocity", TORSOR_PARAM_VECTOR, offsetof(body_point_mass_data, velocity), "m/s",
     TORSOR_OPTIONAL, "initial velocity, inertial axes; default: follows from the joints", NULL,
     TORSOR_INITIAL},
    BODY_PLACEMENT(offsetof(body_point_mass_data, placement)),
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  body_point_mass_data *body = self;
  const bool given = !torsor_absent_vector(body->velocity);
  body->gravity = setup->gravity;
  setup->new_nodes = 1;
  setup->new_node[0] = (torsor_node_init){
      .group = TORSOR_GROUP_R3,
      .frame = {so3_identity(), body->position},
      .V.lin = given ? body->velocity : v3_zero(),
      .velocity_given = given,
      .angular_velocity_given = true,
      .guess = body_is_guess(body->placement, setup),
  };
  return TORSOR_OK;
}

/* r = m (x'' - g): the frame of a point does not turn, its axes are the inertial ones. */
static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const body_point_mass_data *body = self;
  const v3 r = v3_scale(v3_axpy(-in->load, body->gravity, in->node[0]->A.lin), body->mass);
  if (out->r) v3_store(out->r, v3_add(v3_load(out->r), r));
  for (int i = 0; out->M && i < 3; ++i) out->M[7 * i] += body->mass;
  return TORSOR_OK;
}

/* The mass is constant and the weight has a potential. */
static const char *obstacle(const void *self) {
  (void)self;
  return NULL;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const body_point_mass_data *body = self;
  const twist P = {.lin = v3_scale(in->node[0]->V.lin, body->mass)};
  body_add_balance(sum, P, body->mass, in->node[0]->x, v3_scale(body->gravity, in->load),
                   in->node[0]);
}

static void draw(const void *self, const torsor_drawing *to) {
  torsor_solid solid;
  solid_guess_ball(&solid, ((const body_point_mass_data *)self)->mass);
  to->solid(to->self, 0, &solid);
}

const torsor_element_type body_point_mass = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "point_mass",
    .title = "mass at a point, three translations",
    .doc = "r = m x'' - m g, in R^3.  A point has no orientation: joints that hold one refuse it.",
    .example = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"stone\","
               " \"type\": \"point_mass\", \"mass\": 2, \"position\": [0, 0, 10],"
               " \"velocity\": [3, 0, 0]}]}",
    .size = sizeof(body_point_mass_data),
    .params = params,
    .tangents.has = TORSOR_HAS_M | TORSOR_CONSTANT_M,
    .prepare = prepare,
    .eval = eval,
    .energy.balance = balance,
    .look.draw = draw,
    .energy.obstacle = obstacle,
};
