/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

typedef struct force_coordinate_force_data {
  torsor_actor actor;
  torsor_function given;
} force_coordinate_force_data;

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_coordinate_force_data),
    {"effort", TORSOR_PARAM_FUNCTION, offsetof(force_coordinate_force_data, given), "N or N m",
     NULL, "force or moment along the coordinate, function of t", NULL, 0},
    {0}};

static torsor_status effort(const void *self, double t, double c, double rate,
                            torsor_effort_out *out) {
  const force_coordinate_force_data *data = self;
  (void)c;
  (void)rate;
  out->Q = data->given.eval(data->given.self, t, NULL, NULL);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_coordinate_force_data *data = self;
  return torsor_actor_prepare(&data->actor, setup, effort, error);
}

const torsor_element_type force_coordinate_force = {
    TORSOR_ACTOR_TABLE(force_coordinate_force_data),
    .name = "coordinate_force",
    .source = true,
    .title = "given force or moment along a joint coordinate, as a function of t",
    .doc =
        "Q = effort(t) along the coordinate (N, or N m for an angle); positive effort increases\n"
        "the coordinate.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2]}], \"joints\": [{\"name\": \"bearing\","
               " \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"rotor\"}],"
               " \"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\","
               " \"coordinate\": \"bearing.angle\", \"effort\": \"0.5*cos(3*t)\"}]}",
};
