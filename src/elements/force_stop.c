/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/penalty_kit.h"

typedef struct force_stop_data {
  torsor_actor actor;
  double lower, upper;
  penalty wall;
} force_stop_data;

#define MEMBER(name) offsetof(force_stop_data, name)

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_stop_data),
    {"lower", TORSOR_PARAM_NUMBER, MEMBER(lower), "m or rad", TORSOR_OPTIONAL,
     "lower limit of the coordinate; default: none", NULL, 0},
    {"upper", TORSOR_PARAM_NUMBER, MEMBER(upper), "m or rad", TORSOR_OPTIONAL,
     "upper limit of the coordinate; default: none", NULL, 0},
    PENALTY_PARAMS(force_stop_data, wall),
    {0}};

/* How far the coordinate is beyond a limit (0 = nowhere), and which way out is: -1 = above. */
static double depth(const force_stop_data *data, double c, double *inwards) {
  *inwards = c > data->upper ? -1 : 1;
  if (c > data->upper) return c - data->upper;
  return c < data->lower ? data->lower - c : 0;
}

static torsor_status effort(const void *self, const torsor_now *now, double c, double rate,
                            torsor_effort_out *out) {
  const force_stop_data *data = self;
  (void)now;
  double inwards, by_rate;
  const double d = depth(data, c, &inwards); /* d' = -inwards c' */
  out->Q = inwards * penalty_force(&data->wall, d, -inwards * rate, &out->dQ_dc, &by_rate);
  out->dQ_dc = -out->dQ_dc;
  out->dQ_drate = -by_rate;
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_stop_data *data = self;
  if (torsor_absent_number(data->lower) && torsor_absent_number(data->upper)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has no limit", setup->name);
    torsor_hint(error, "give \"lower\", \"upper\" or both");
    return TORSOR_SCENE;
  }
  if (data->lower >= data->upper) {
    torsor_fail(error, TORSOR_SCENE,
                "\"%s\" leaves no room between its limits: lower = %g, upper = %g", setup->name,
                data->lower, data->upper);
    torsor_hint(error, "make \"lower\" less than \"upper\"");
    return TORSOR_SCENE;
  }
  const torsor_status status = penalty_check(&data->wall, setup->name, error);
  if (status) return status;
  return torsor_actor_prepare(&data->actor, setup, effort, error);
}

static const char *obstacle(const void *self) {
  const force_stop_data *data = self;
  return penalty_obstacle(&data->wall);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_stop_data *data = self;
  double c, rate, inwards;
  torsor_actor_coordinate(&data->actor, in, &c, &rate);
  sum->elastic += penalty_energy(&data->wall, depth(data, c, &inwards));
}

const torsor_element_type force_stop = {
    TORSOR_ACTOR_TABLE(force_stop_data),
    .name = "stop",
    .title = "limits of a joint coordinate: elastic stops with dissipation",
    .doc =
        "Beyond a limit by d > 0 the effort k d^n (1 + b d') pushes back (N, or N m for an angle,\n"
        "which counts over many turns), and never pulls: it is 0 where 1 + b d' < 0.\n"
        "Elastic energy: k d^(n+1)/(n+1).  A blow alone at the speed v ends with w < v,\n"
        "b v - ln(1 + b v) = -b w - ln(1 - b w): w/v = 1 - 2 b v/3 + ... whatever k and n.\n"
        "Source: Hunt and Crossley 1975.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.0833, 0.0833],"
        " \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\","
        " \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"rod\","
        " \"position\": [-0.5, 0, 0]}}], \"forces\": [{\"name\": \"limits\", \"type\": \"stop\","
        " \"coordinate\": \"hinge.angle\", \"lower\": -0.05, \"upper\": 0.1, \"stiffness\": 10,"
        " \"exponent\": 2, \"dissipation\": 0.1}]}",
    .energy.balance = balance,
    .energy.obstacle = obstacle,
};
