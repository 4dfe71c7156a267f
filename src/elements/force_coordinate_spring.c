/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/spring_kit.h"

typedef struct force_coordinate_spring_data {
  torsor_actor actor;
  spring spring; /* no preload */
  double rest;
} force_coordinate_spring_data;

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_coordinate_spring_data),
    SPRING_PARAMS(force_coordinate_spring_data, spring, "N/m or N m/rad", "N s/m or N m s/rad",
                  "N or N m"),
    {"rest", TORSOR_PARAM_NUMBER, offsetof(force_coordinate_spring_data, rest), "m or rad", "0",
     "value of the coordinate at which the stretch is 0", NULL, 0},
    {0}};

static torsor_status effort(const void *self, const torsor_now *now, double c, double rate,
                            torsor_effort_out *out) {
  const force_coordinate_spring_data *data = self;
  (void)now;
  out->Q = -spring_force(&data->spring, now, c - data->rest, rate, &out->dQ_dc, &out->dQ_drate);
  out->dQ_dc = -out->dQ_dc;
  out->dQ_drate = -out->dQ_drate;
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_coordinate_spring_data *data = self;
  const torsor_status status = spring_check(&data->spring, setup->name, error);
  return status ? status : torsor_actor_prepare(&data->actor, setup, effort, error);
}

static const char *obstacle(const void *self) {
  const force_coordinate_spring_data *data = self;
  return spring_obstacle(&data->spring);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_coordinate_spring_data *data = self;
  double c, rate;
  torsor_actor_coordinate(&data->actor, in, &c, &rate);
  sum->elastic += spring_energy(&data->spring, in->now, c - data->rest);
}

const torsor_element_type force_coordinate_spring = {
    TORSOR_ACTOR_TABLE(force_coordinate_spring_data),
    .name = "coordinate_spring",
    .title = "spring and damper on a joint coordinate, torsional or linear",
    .doc = "Q = -stiffness x - damping x' along the coordinate c (N, or N m for an angle, which "
           "counts\n"
           "over many turns), x = c - rest.  The characteristic `force` of x takes the place of\n"
           "stiffness x, and `damping_force` of v = x' that of damping x'.\n"
           "Elastic energy: stiffness x^2/2, or the integral of `force` from 0 to x.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.0833, 0.0833],"
        " \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\","
        " \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"rod\","
        " \"position\": [-0.5, 0, 0]}}], \"forces\": [{\"name\": \"spring\","
        " \"type\": \"coordinate_spring\", \"coordinate\": \"hinge.angle\","
        " \"force\": \"6*x + 2*x^3\", \"damping\": 0.3, \"rest\": 0.2}]}",
    .energy.balance = balance,
    .energy.obstacle = obstacle,
};
