/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

typedef struct force_friction_data {
  torsor_actor actor;
  double coulomb, breakaway, coefficient, static_coefficient, radius;
  double stribeck_rate, viscous, rate_width;
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
     "width of the smooth reversal: at this rate the friction is tanh 1 = 76 % of its value", NULL,
     TORSOR_POSITIVE},
    {0}};

static torsor_status effort(const void *self, const torsor_now *now, double c, double rate,
                            torsor_effort_out *out) {
  const force_friction_data *data = self;
  (void)now;
  (void)c;
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
  if (torsor_absent_number(data->stribeck_rate)) data->stribeck_rate = 10 * data->rate_width;
  if (data->breakaway < data->coulomb)
    return fail(error, setup->name, "has less static than sliding friction",
                "make \"static\" at least \"coulomb\", or leave it out, and both are the same");
  if (data->static_coefficient < data->coefficient)
    return fail(error, setup->name, "has a static coefficient below the sliding one",
                "make \"static_coefficient\" at least \"coefficient\", or leave it out, and both "
                "are the same");
  data->actor.reactive = data->static_coefficient > 0;
  const torsor_status status = choose_radius(data, setup->name, error);
  return status ? status : torsor_actor_prepare(&data->actor, setup, effort, error);
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
        "The reversal is smooth: what would stick creeps at rates below rate_width.",
    .energy.obstacle = obstacle,
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2], \"angular_velocity\": [0, 0, 1]}],"
               " \"joints\": [{\"name\": \"bearing\", \"type\": \"revolute\", \"a\": \"ground\","
               " \"b\": \"rotor\"}], \"forces\": [{\"name\": \"seal\", \"type\": \"friction\","
               " \"coordinate\": \"bearing.angle\", \"coulomb\": 0.3, \"static\": 0.5, "
               "\"coefficient\": 0.2, \"radius\": 0.05,"
               " \"stribeck_rate\": 2, \"viscous\": 0.02, \"rate_width\": 0.5}]}",
};
