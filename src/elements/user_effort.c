/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/callback.h>

typedef struct user_effort_data {
  torsor_actor actor;
  const torsor_callback *law;
} user_effort_data;

static const char *const signature[] = {"effort", NULL};

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(user_effort_data),
    {"effort", TORSOR_PARAM_CALLBACK, offsetof(user_effort_data, law), NULL, NULL,
     "name of the callback: the force along the coordinate", signature, 0},
    {0}};

static torsor_status effort(const void *self, const torsor_now *now, double c, double rate,
                            torsor_effort_out *out) {
  const user_effort_data *data = self;
  return ((torsor_call_effort)data->law->call)(data->law->data, now, c, rate, out);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  user_effort_data *data = self;
  return torsor_actor_prepare(&data->actor, setup, effort, error);
}

const torsor_element_type user_effort = {
    TORSOR_ACTOR_TABLE(user_effort_data),
    .name = "user_effort",
    .energy.source = true,
    .title = "force along a joint coordinate by a callback",
    .doc =
        "The callback of the signature \"effort\" gives Q(t, c, c') along the coordinate c, whose\n"
        "turns are counted, with its derivatives by c and c'.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"arm\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2]}], \"joints\": [{\"name\": \"elbow\","
               " \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"arm\"}],"
               " \"forces\": [{\"name\": \"muscle\", \"type\": \"user_effort\","
               " \"coordinate\": \"elbow.angle\", \"effort\": \"muscle\"}]}",
};
