/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

enum { AXES_BODY, AXES_INERTIAL };

typedef struct changing_mass_data {
  torsor_marker at;
  torsor_function mass;
  v3 gyration, velocity, gravity;
  int axes;
} changing_mass_data;

#define MEMBER(name) offsetof(changing_mass_data, name)

static const char *const axes[] = {"body", "inertial", NULL};

static const torsor_param params[] = {
    {"at", TORSOR_PARAM_MARKER, MEMBER(at), NULL, NULL, "marker at its centre of mass", NULL, 0},
    {"mass", TORSOR_PARAM_FUNCTION, MEMBER(mass), "kg", NULL, "mass, function of t", NULL, 0},
    {"gyration", TORSOR_PARAM_VECTOR, MEMBER(gyration), "m", "[0, 0, 0]",
     "radii of gyration about the axes of the marker; not on a point mass", NULL, 0},
    {"velocity", TORSOR_PARAM_VECTOR, MEMBER(velocity), "m/s", TORSOR_OPTIONAL,
     "of what leaves or comes; default: that of the marker", NULL, 0},
    {"axes", TORSOR_PARAM_CHOICE, MEMBER(axes), NULL, "\"body\"",
     "\"body\": the velocity is that against the marker, in its axes; \"inertial\": against the "
     "ground",
     axes, 0},
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  changing_mass_data *data = self;
  const v3 k = data->gyration;
  if (data->at.node == TORSOR_GROUND) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is on the ground, which does not move", setup->name);
    torsor_hint(error, "name a body under \"at\"");
    return TORSOR_SCENE;
  }
  if (k.x < 0 || k.y < 0 || k.z < 0)
    return torsor_fail(error, TORSOR_SCENE, "the radii of gyration of \"%s\" must be 0 or greater",
                       setup->name);
  if (data->at.point && v3_norm(k) > 0) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has radii of gyration, but is on a point mass",
                setup->name);
    torsor_hint(error, "leave \"gyration\" out, or make the body a rigid_body");
    return TORSOR_SCENE;
  }
  data->gravity = setup->gravity;
  if (data->axes == AXES_BODY && !torsor_absent_vector(data->velocity))
    data->velocity = m3_mulv(data->at.R, data->velocity); /* from here on in those of the node */
  setup->node[setup->nodes++] = data->at.node;
  setup->length = v3_norm(data->at.x);
  return TORSOR_OK;
}

/* Everything of the mass at a motion, in the axes of the node. */
typedef struct cargo {
  double m, rate; /* kg, kg/s */
  m3 J;           /* moments of inertia about the centre */
  v3 v, thrust;   /* velocity of the centre; force of what leaves or comes */
} cargo;

static torsor_status find_cargo(cargo *c, const changing_mass_data *data,
                                const torsor_element_in *in) {
  const torsor_motion *body = in->node[0];
  double rate = 0, second;
  c->m = data->mass.eval(data->mass.self, in->now, &rate, &second);
  c->rate = rate;
  if (c->m < 0) return TORSOR_DOMAIN;
  const v3 k = data->gyration;
  const m3 square = {{{k.x * k.x, 0, 0}, {0, k.y * k.y, 0}, {0, 0, k.z * k.z}}};
  c->J = m3_scale(m3_mul(m3_mul(data->at.R, square), m3_transpose(data->at.R)), c->m);
  c->v = v3_add(body->V.lin, v3_cross(body->V.ang, data->at.x));
  c->thrust = v3_zero();
  if (torsor_absent_vector(data->velocity)) return TORSOR_OK;
  c->thrust = data->axes == AXES_BODY
                  ? v3_scale(data->velocity, rate)
                  : v3_scale(v3_sub(m3_tmulv(body->R, data->velocity), c->v), rate);
  return TORSOR_OK;
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const changing_mass_data *data = self;
  const torsor_motion *body = in->node[0];
  const v3 w = body->V.ang, x = data->at.x;
  cargo c;
  const torsor_status status = find_cargo(&c, data, in);
  if (status || !out->r) return status;
  v3 a = v3_add(body->A.lin, v3_cross(w, body->V.lin));
  a = v3_add(a, v3_add(v3_cross(body->A.ang, x), v3_cross(w, v3_cross(w, x))));
  a = v3_axpy(-in->load, m3_tmulv(body->R, data->gravity), a);
  const v3 f = v3_sub(v3_scale(a, c.m), c.thrust);
  const v3 turning = v3_add(m3_mulv(c.J, body->A.ang), v3_cross(w, m3_mulv(c.J, w)));
  const twist r = {.lin = f, .ang = v3_add(v3_cross(x, f), turning)};
  tw_store(out->r, tw_add(tw_load(out->r), r));
  return TORSOR_OK;
}

static v3 place_of(const changing_mass_data *data, const torsor_element_in *in) {
  return v3_add(in->node[0]->x, m3_mulv(in->node[0]->R, data->at.x));
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const changing_mass_data *data = self;
  const torsor_motion *body = in->node[0];
  cargo c;
  if (find_cargo(&c, data, in)) return;
  const v3 x = place_of(data, in), p = m3_mulv(body->R, v3_scale(c.v, c.m));
  const v3 spin = m3_mulv(c.J, body->V.ang);
  sum->kinetic += (c.m * v3_dot(c.v, c.v) + v3_dot(body->V.ang, spin)) / 2;
  sum->potential -= in->load * c.m * v3_dot(data->gravity, x);
  sum->momentum = v3_add(sum->momentum, p);
  sum->angular_momentum =
      v3_add(sum->angular_momentum, v3_add(v3_cross(x, p), m3_mulv(body->R, spin)));
}

/* Minus the power that is supplied: that of the thrust, and the energy of what comes. */
static double loss(const void *self, const torsor_element_in *in) {
  const changing_mass_data *data = self;
  cargo c;
  if (find_cargo(&c, data, in)) return 0;
  const v3 w = in->node[0]->V.ang;
  const double spin = c.m > 0 ? v3_dot(w, m3_mulv(c.J, w)) / c.m : 0;
  const double each =
      (v3_dot(c.v, c.v) + spin) / 2 - in->load * v3_dot(data->gravity, place_of(data, in));
  return -(v3_dot(c.thrust, c.v) + c.rate * each);
}

static const torsor_output outputs[] = {
    {"mass", "kg", "mass that is there", 1},
    {"force", "N", "force of what leaves or comes, inertial axes", 3},
    {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const changing_mass_data *data = self;
  cargo c;
  if (find_cargo(&c, data, in)) return;
  values[0] = c.m;
  v3_store(values + 1, m3_mulv(in->node[0]->R, c.thrust));
}

const torsor_element_type force_changing_mass = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "changing_mass",
    .title = "mass that changes in time: fuel, a bunker",
    .doc =
        "m(t) (x'' - g) at the marker and J(t) w' + w x J(t) w, J = m(t) diag(gyration^2), as of "
        "a\n"
        "body, and the force m' u of what leaves (m' < 0) or comes with the velocity u against\n"
        "the marker (Reynolds' transport theorem: matter takes the momentum with it that it has).\n"
        "Its weight and inertia are those of the mass that is there.",
    .size = sizeof(changing_mass_data),
    .params = params,
    .tangents.has = TORSOR_HAS_M | TORSOR_HAS_C | TORSOR_HAS_K,
    .tangents.numeric = true,
    .prepare = prepare,
    .eval = eval,
    .outputs.list = outputs,
    .outputs.eval = output,
    .energy.balance = balance,
    .energy.loss = loss,
    .energy.source = true,
    .limits.range = "masses of 0 and more",
    .limits.advice = "end the function at 0, or the run before",
    .look.symbol = TORSOR_SYMBOL_ARROW,
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rocket\","
        " \"type\": \"rigid_body\", \"mass\": 20, \"inertia\": [5, 5, 1]}],"
        " \"forces\": [{\"name\": \"fuel\", \"type\": \"changing_mass\","
        " \"at\": {\"body\": \"rocket\", \"position\": [0, 0, -0.5]}, \"mass\": \"80 - 2*t\","
        " \"gyration\": [0.4, 0.4, 0.1], \"velocity\": [0, 0, -2000]}]}",
};
