/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

typedef struct force_coordinate_spring_data {
  torsor_actor actor;
  double stiffness, damping, rest;
} force_coordinate_spring_data;

#define MEMBER(name) offsetof(force_coordinate_spring_data, name)

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_coordinate_spring_data),
    {"stiffness", TORSOR_PARAM_NUMBER, MEMBER(stiffness), "N/m or N m/rad", "0", "stiffness", NULL,
     TORSOR_NONNEGATIVE},
    {"damping", TORSOR_PARAM_NUMBER, MEMBER(damping), "N s/m or N m s/rad", "0", "damping", NULL,
     TORSOR_NONNEGATIVE},
    {"rest", TORSOR_PARAM_NUMBER, MEMBER(rest), "m or rad", "0",
     "value of the coordinate at which the spring is free", NULL, 0},
    {0}};

static torsor_status effort(const void *self, double t, double c, double rate,
                            torsor_effort_out *out) {
  const force_coordinate_spring_data *data = self;
  (void)t;
  out->Q = -data->stiffness * (c - data->rest) - data->damping * rate;
  out->dQ_dc = -data->stiffness;
  out->dQ_drate = -data->damping;
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_coordinate_spring_data *data = self;
  return torsor_actor_prepare(&data->actor, setup, effort, error);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_coordinate_spring_data *data = self;
  double c, rate;
  torsor_actor_coordinate(&data->actor, in, &c, &rate);
  sum->elastic += data->stiffness * (c - data->rest) * (c - data->rest) / 2;
}

const torsor_element_type force_coordinate_spring = {
    TORSOR_ACTOR_TABLE(force_coordinate_spring_data),
    .name = "coordinate_spring",
    .title = "spring and damper on a joint coordinate, torsional or linear",
    .doc =
        "Q = -stiffness (c - rest) - damping c' along the coordinate c (N, or N m for an angle,\n"
        "which counts over many turns).  Elastic energy: stiffness (c - rest)^2/2.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.0833, 0.0833],"
        " \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\","
        " \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"rod\","
        " \"position\": [-0.5, 0, 0]}}], \"forces\": [{\"name\": \"spring\","
        " \"type\": \"coordinate_spring\", \"coordinate\": \"hinge.angle\", \"stiffness\": 6,"
        " \"damping\": 0.3, \"rest\": 0.2}]}",
    .balance = balance,
};
