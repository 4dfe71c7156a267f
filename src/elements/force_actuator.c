/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

typedef struct force_actuator_data {
  torsor_actor actor;
  torsor_function target;
  double kp, kd, limit;
} force_actuator_data;

#define MEMBER(name) offsetof(force_actuator_data, name)

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_actuator_data),
    {"target", TORSOR_PARAM_FUNCTION, MEMBER(target), "m or rad", NULL,
     "wanted value of the coordinate, function of t", NULL, 0},
    {"kp", TORSOR_PARAM_NUMBER, MEMBER(kp), "N/m or N m/rad", NULL, "gain on the deviation", NULL,
     TORSOR_NONNEGATIVE},
    {"kd", TORSOR_PARAM_NUMBER, MEMBER(kd), "N s/m or N m s/rad", "0",
     "gain on the deviation of the rate", NULL, TORSOR_NONNEGATIVE},
    {"limit", TORSOR_PARAM_NUMBER, MEMBER(limit), "N or N m", TORSOR_OPTIONAL,
     "largest effort, either way; default: none", NULL, TORSOR_POSITIVE},
    {0}};

static torsor_status effort(const void *self, const torsor_now *now, double c, double rate,
                            torsor_effort_out *out) {
  const force_actuator_data *data = self;
  double target_rate;
  const double target = data->target.eval(data->target.self, now, &target_rate, NULL);
  out->Q = data->kp * (target - c) + data->kd * (target_rate - rate);
  out->dQ_dc = -data->kp;
  out->dQ_drate = -data->kd;
  if (!(fabs(out->Q) > data->limit)) return TORSOR_OK; /* also without a limit */
  *out = (torsor_effort_out){.Q = copysign(data->limit, out->Q)};
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_actuator_data *data = self;
  return torsor_actor_prepare(&data->actor, setup, effort, error);
}

/* The rest is a spring, also beyond the limit, whose other end is moved. */
static const char *obstacle(const void *self) {
  const force_actuator_data *data = self;
  return data->kd > 0 ? "depends on rates by \"kd\"" : NULL;
}

const torsor_element_type force_actuator = {
    TORSOR_ACTOR_TABLE(force_actuator_data),
    .name = "actuator",
    .energy.source = true,
    .title = "actuator that pulls a joint coordinate to a target (PD law)",
    .doc =
        "Q = kp (target(t) - c) + kd (target'(t) - c') along the coordinate c (N, or N m for an\n"
        "angle, which counts over many turns), cut off at +-limit.",
    .energy.obstacle = obstacle,
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"arm\", \"type\": \"rigid_body\","
        " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2]}], \"joints\": [{\"name\": \"elbow\","
        " \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"arm\"}],"
        " \"forces\": [{\"name\": \"servo\", \"type\": \"actuator\","
        " \"coordinate\": \"elbow.angle\", \"target\": \"0.5*sin(2*t)\", \"kp\": 20, \"kd\": 2,"
        " \"limit\": 50}]}",
};
