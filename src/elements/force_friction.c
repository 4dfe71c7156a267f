/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

typedef struct force_friction_data {
  torsor_actor actor;
  double coulomb, breakaway, stribeck_rate, viscous, rate_width;
} force_friction_data;

#define MEMBER(name) offsetof(force_friction_data, name)

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_friction_data),
    {"coulomb", TORSOR_PARAM_NUMBER, MEMBER(coulomb), "N or N m", NULL, "friction while sliding",
     NULL, TORSOR_NONNEGATIVE},
    {"static", TORSOR_PARAM_NUMBER, MEMBER(breakaway), "N or N m", TORSOR_OPTIONAL,
     "friction at the smallest rates, at least `coulomb`; default: `coulomb`", NULL,
     TORSOR_NONNEGATIVE},
    {"stribeck_rate", TORSOR_PARAM_NUMBER, MEMBER(stribeck_rate), "m/s or rad/s", TORSOR_OPTIONAL,
     "rate at which the excess of `static` has fallen to 1/e; default: 10 rate_width", NULL,
     TORSOR_POSITIVE},
    {"viscous", TORSOR_PARAM_NUMBER, MEMBER(viscous), "N s/m or N m s/rad", "0", "viscous friction",
     NULL, TORSOR_NONNEGATIVE},
    {"rate_width", TORSOR_PARAM_NUMBER, MEMBER(rate_width), "m/s or rad/s", "1e-3",
     "width of the smooth reversal: at this rate the friction is tanh 1 = 76 % of its value", NULL,
     TORSOR_POSITIVE},
    {0}};

static torsor_status effort(const void *self, double t, double c, double rate,
                            torsor_effort_out *out) {
  const force_friction_data *data = self;
  (void)t;
  (void)c;
  const double s = rate / data->stribeck_rate;
  const double excess = (data->breakaway - data->coulomb) * exp(-s * s);
  const double direction = tanh(rate / data->rate_width);
  const double slope = (1 - direction * direction) / data->rate_width;
  out->Q = -(data->coulomb + excess) * direction - data->viscous * rate;
  out->dQ_drate = 2 * s / data->stribeck_rate * excess * direction -
                  (data->coulomb + excess) * slope - data->viscous;
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_friction_data *data = self;
  if (torsor_absent_number(data->breakaway)) data->breakaway = data->coulomb;
  if (torsor_absent_number(data->stribeck_rate)) data->stribeck_rate = 10 * data->rate_width;
  if (data->breakaway < data->coulomb) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has less static than sliding friction", setup->name);
    torsor_hint(error, "\"static\" is at least \"coulomb\"; without it both are the same");
    return TORSOR_SCENE;
  }
  return torsor_actor_prepare(&data->actor, setup, effort, error);
}

const torsor_element_type force_friction = {
    TORSOR_ACTOR_TABLE(force_friction_data),
    .name = "friction",
    .title = "friction of a joint coordinate: Coulomb, Stribeck and viscous, made smooth",
    .doc = "Q = -(coulomb + (static - coulomb) exp(-(c'/stribeck_rate)^2)) tanh(c'/rate_width)\n"
           "    - viscous c'                                                    (N, or N m for an "
           "angle)\n"
           "The reversal is smooth: what would stick creeps at rates below rate_width.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2], \"angular_velocity\": [0, 0, 1]}],"
               " \"joints\": [{\"name\": \"bearing\", \"type\": \"revolute\", \"a\": \"ground\","
               " \"b\": \"rotor\"}], \"forces\": [{\"name\": \"seal\", \"type\": \"friction\","
               " \"coordinate\": \"bearing.angle\", \"coulomb\": 0.3, \"static\": 0.5,"
               " \"stribeck_rate\": 2, \"viscous\": 0.02, \"rate_width\": 0.5}]}",
};
