/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

typedef struct force_friction_data {
  torsor_actor actor;
  double coulomb, breakaway, coefficient, static_coefficient, radius;
  double stribeck_rate, viscous, rate_width;
  double stick_stiffness, stick_damping;
  bool curve; /* the limit falls with the rate: else at once where it slips */
} force_friction_data;

#define MEMBER(name) offsetof(force_friction_data, name)

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_friction_data),
    {"coulomb", TORSOR_PARAM_NUMBER, MEMBER(coulomb), "N or N m", "0", "friction while sliding",
     NULL, TORSOR_NONNEGATIVE},
    {"static", TORSOR_PARAM_NUMBER, MEMBER(breakaway), "N or N m", TORSOR_OPTIONAL,
     "friction at the smallest rates, at least `coulomb`; default: `coulomb`", NULL,
     TORSOR_NONNEGATIVE},
    {"coefficient", TORSOR_PARAM_NUMBER, MEMBER(coefficient), NULL, "0",
     "coefficient of sliding friction: what the joint's own force adds to `coulomb`", NULL,
     TORSOR_NONNEGATIVE},
    {"static_coefficient", TORSOR_PARAM_NUMBER, MEMBER(static_coefficient), NULL, TORSOR_OPTIONAL,
     "coefficient at the smallest rates, at least `coefficient`; default: `coefficient`", NULL,
     TORSOR_NONNEGATIVE},
    {"radius", TORSOR_PARAM_NUMBER, MEMBER(radius), "m", TORSOR_OPTIONAL,
     "of the bearing: arm of the friction of an angle, which `coefficient` needs", NULL,
     TORSOR_POSITIVE},
    {"stribeck_rate", TORSOR_PARAM_NUMBER, MEMBER(stribeck_rate), "m/s or rad/s", TORSOR_OPTIONAL,
     "rate at which the excess of `static` has fallen to 1/e; default: 10 rate_width", NULL,
     TORSOR_POSITIVE},
    {"viscous", TORSOR_PARAM_NUMBER, MEMBER(viscous), "N s/m or N m s/rad", "0", "viscous friction",
     NULL, TORSOR_NONNEGATIVE},
    {"rate_width", TORSOR_PARAM_NUMBER, MEMBER(rate_width), "m/s or rad/s", "1e-3",
     "of friction that does not stick, width of the smooth reversal: at this rate it is tanh 1 = "
     "76 "
     "% of its value",
     NULL, TORSOR_POSITIVE},
    {"stick_stiffness", TORSOR_PARAM_NUMBER, MEMBER(stick_stiffness), "N/m or N m/rad",
     TORSOR_OPTIONAL, "of what sticks, against displacement; without it nothing sticks", NULL,
     TORSOR_POSITIVE},
    {"stick_damping", TORSOR_PARAM_NUMBER, MEMBER(stick_damping), "N s/m or N m s/rad", "0",
     "of what sticks", NULL, TORSOR_NONNEGATIVE},
    {0}};

static bool sticks(const force_friction_data *data) {
  return !torsor_absent_number(data->stick_stiffness);
}

/* The internal variables that a step keeps: displacement of the spring, whether it sticks, the
 * coordinate, and the work that the spring has taken in. */
enum { KEPT_Z, KEPT_STUCK, KEPT_AT, KEPT_PUT_IN, KEPT };

/* Friction with a spring that sticks, at a coordinate and its rate (return map of ideal
 * plasticity). */
typedef struct spring_state {
  double z, force, limit;
  double limit_by_rate, limit_by_reaction;
  double put_in; /* work that the spring has taken in, by means over both ends of each step, J */
  bool stuck;
} spring_state;

static spring_state find_spring(const force_friction_data *data, const double *state, double c,
                                double rate, double reaction) {
  const double k = data->stick_stiffness, arm = data->radius;
  const double s = rate / data->stribeck_rate;
  const double excess = data->curve ? exp(-s * s) : state[KEPT_STUCK];
  const double sliding = data->coulomb + data->coefficient * arm * reaction;
  const double sticking = data->breakaway + data->static_coefficient * arm * reaction;
  spring_state out = {.z = state[KEPT_Z] + c - state[KEPT_AT]};
  out.limit = sliding + (sticking - sliding) * excess;
  out.limit_by_reaction =
      arm * (data->coefficient + (data->static_coefficient - data->coefficient) * excess);
  if (data->curve) out.limit_by_rate = -2 * s / data->stribeck_rate * (sticking - sliding) * excess;
  const double trial = -(k * out.z + data->stick_damping * rate);
  out.stuck = fabs(trial) <= out.limit;
  out.force = out.stuck ? trial : copysign(out.limit, trial);
  if (!out.stuck) out.z = -out.force / k; /* the spring alone is as long as the force is */
  out.put_in = state[KEPT_PUT_IN] + k * (state[KEPT_Z] + out.z) / 2 * (c - state[KEPT_AT]);
  return out;
}

static void add_spring(const force_friction_data *data, double c, double rate,
                       torsor_effort_out *out) {
  const spring_state s = find_spring(data, out->state, c, rate, out->reaction);
  const double way = s.force < 0 ? -1 : 1;
  out->Q = s.force - data->viscous * rate;
  out->dQ_drate = -data->viscous;
  if (s.stuck || out->hold) {
    out->dQ_dc = -data->stick_stiffness;
    out->dQ_drate -= data->stick_damping;
  } else {
    out->dQ_drate += way * s.limit_by_rate;
    out->dQ_dreaction = way * s.limit_by_reaction;
  }
}

static torsor_status effort(const void *self, const torsor_now *now, double c, double rate,
                            torsor_effort_out *out) {
  const force_friction_data *data = self;
  (void)now;
  if (sticks(data)) {
    add_spring(data, c, rate, out);
    return TORSOR_OK;
  }
  const double s = rate / data->stribeck_rate, excess = exp(-s * s);
  const double direction = tanh(rate / data->rate_width);
  const double slope = (1 - direction * direction) / data->rate_width;
  const double sliding = data->coulomb + data->coefficient * data->radius * out->reaction;
  const double sticking = data->breakaway + data->static_coefficient * data->radius * out->reaction;
  const double limit = sliding + (sticking - sliding) * excess;
  out->Q = -limit * direction - data->viscous * rate;
  out->dQ_drate = 2 * s / data->stribeck_rate * (sticking - sliding) * excess * direction -
                  limit * slope - data->viscous;
  out->dQ_dreaction = -data->radius * direction *
                      (data->coefficient + (data->static_coefficient - data->coefficient) * excess);
  return TORSOR_OK;
}

static torsor_status fail(torsor_error *error, const char *name, const char *what,
                          const char *advice) {
  torsor_fail(error, TORSOR_SCENE, "\"%s\" %s", name, what);
  torsor_hint(error, "%s", advice);
  return TORSOR_SCENE;
}

/* The arm of an angle; a travel has none. */
static torsor_status choose_radius(force_friction_data *data, const char *name,
                                   torsor_error *error) {
  const bool given = !torsor_absent_number(data->radius), angle = data->actor.on.period > 0;
  if (angle && !given && data->actor.reactive)
    return fail(error, name, "has a coefficient of friction on an angle, but no radius",
                "add \"radius\", that of the bearing, in m");
  if (!angle && given)
    return fail(error, name, "has a radius, but its coordinate is not an angle",
                "leave \"radius\" out: the friction acts along the travel");
  if (!given) data->radius = 1;
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_friction_data *data = self;
  if (torsor_absent_number(data->breakaway)) data->breakaway = data->coulomb;
  if (torsor_absent_number(data->static_coefficient)) data->static_coefficient = data->coefficient;
  data->curve = !torsor_absent_number(data->stribeck_rate);
  if (!data->curve) data->stribeck_rate = 10 * data->rate_width;
  if (data->breakaway < data->coulomb)
    return fail(error, setup->name, "has less static than sliding friction",
                "make \"static\" at least \"coulomb\", or leave it out, and both are the same");
  if (data->static_coefficient < data->coefficient)
    return fail(error, setup->name, "has a static coefficient below the sliding one",
                "make \"static_coefficient\" at least \"coefficient\", or leave it out, and both "
                "are the same");
  if (!sticks(data) && data->stick_damping > 0)
    return fail(error, setup->name, "has a damping of what sticks, but nothing sticks",
                "add \"stick_stiffness\", or leave \"stick_damping\" out");
  if (sticks(data) && !(data->breakaway > 0) && !(data->static_coefficient > 0))
    return fail(error, setup->name, "has a stiffness of what sticks, but no friction to hold it",
                "add \"coulomb\" or \"coefficient\", or leave \"stick_stiffness\" out");
  setup->states = sticks(data) ? KEPT : 0;
  data->actor.reactive = data->static_coefficient > 0;
  const torsor_status status = choose_radius(data, setup->name, error);
  return status ? status : torsor_actor_prepare(&data->actor, setup, effort, error);
}

/* The spring at a motion; `state` as it was before. */
static spring_state spring_at(const force_friction_data *data, const torsor_element_in *in,
                              double *c) {
  double rate;
  torsor_actor_coordinate(&data->actor, in, c, &rate);
  return find_spring(data, in->state, *c, rate, torsor_actor_reaction(&data->actor, in));
}

static void begin(const void *self, const torsor_element_in *in, double *state) {
  const force_friction_data *data = self;
  double rate;
  torsor_actor_coordinate(&data->actor, in, &state[KEPT_AT], &rate);
  state[KEPT_Z] = state[KEPT_PUT_IN] = 0;
  state[KEPT_STUCK] = 1;
}

static void advance(const void *self, const torsor_element_in *in, double *state) {
  const spring_state s = spring_at(self, in, &state[KEPT_AT]);
  state[KEPT_Z] = s.z;
  state[KEPT_PUT_IN] = s.put_in;
  state[KEPT_STUCK] = s.stuck;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_friction_data *data = self;
  double c;
  if (!sticks(data)) return;
  const double z = spring_at(data, in, &c).z;
  sum->elastic += data->stick_stiffness * z * z / 2;
}

static double loss(const void *self, const torsor_element_in *in) {
  const force_friction_data *data = self;
  torsor_effort_out out = {.state = in->state, .reaction = torsor_actor_reaction(&data->actor, in)};
  double c, rate;
  torsor_actor_coordinate(&data->actor, in, &c, &rate);
  effort(data, in->now, c, rate, &out);
  const double z = sticks(data) ? spring_at(data, in, &c).z : 0;
  return -(out.Q + (z != 0 ? data->stick_stiffness * z : 0)) * rate;
}

static double lost(const void *self, const torsor_element_in *in) {
  const force_friction_data *data = self;
  double c;
  if (!sticks(data)) return 0;
  const spring_state s = spring_at(data, in, &c);
  return s.put_in - data->stick_stiffness * s.z * s.z / 2;
}

static const char *obstacle(const void *self) {
  (void)self;
  return "resists the motion";
}

const torsor_element_type force_friction = {
    TORSOR_ACTOR_TABLE(force_friction_data),
    .name = "friction",
    .title = "friction of a joint coordinate: Coulomb, Stribeck and viscous, made smooth",
    .doc =
        "Q = -(Fc + (Fs - Fc) exp(-(c'/stribeck_rate)^2)) tanh(c'/rate_width) - viscous c'\n"
        "with Fc = coulomb + coefficient radius |F|, Fs = static + static_coefficient radius |F|\n"
        "(N, or N m for an angle; a travel has radius 1).  F is the joint's own force, without "
        "that\n"
        "of drives, so that the friction follows the load (Arnold, Bruels, Cardona 2014, remark "
        "1).\n"
        "The reversal is smooth: what would stick creeps at rates below rate_width.\n"
        "With `stick_stiffness` k it sticks and does not: Q = -k z - stick_damping c' up to the\n"
        "limit Fs, z the displacement since it began to stick, and where it slips Fc, or the\n"
        "curve above if `stribeck_rate` is given.  Such a state changes at ends of steps.",
    .energy.balance = balance,
    .energy.loss = loss,
    .energy.lost = lost,
    .history = {begin, advance},
    .energy.obstacle = obstacle,
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2], \"angular_velocity\": [0, 0, 1]}],"
               " \"joints\": [{\"name\": \"bearing\", \"type\": \"revolute\", \"a\": \"ground\","
               " \"b\": \"rotor\"}], \"forces\": [{\"name\": \"seal\", \"type\": \"friction\","
               " \"coordinate\": \"bearing.angle\", \"coulomb\": 0.3, \"static\": 0.5, "
               "\"coefficient\": 0.2, \"radius\": 0.05,"
               " \"stribeck_rate\": 2, \"viscous\": 0.02, \"rate_width\": 0.5}]}",
};
