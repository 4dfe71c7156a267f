/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/callback.h>

typedef struct user_force_data {
  torsor_pair pair;
  const torsor_callback *law;
  bool numeric;
} user_force_data;

static const char *const signature[] = {"law", NULL};

static const torsor_param params[] = {
    TORSOR_PAIR_PARAMS(user_force_data, 0),
    {"law", TORSOR_PARAM_CALLBACK, offsetof(user_force_data, law), NULL, NULL,
     "name of the callback: the wrench on b at its marker", signature, 0},
    {"numeric", TORSOR_PARAM_BOOLEAN, offsetof(user_force_data, numeric), NULL, "true",
     "derivatives of the wrench are found by differences; else the callback gives them", NULL, 0},
    {0}};

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  const user_force_data *data = self;
  return ((torsor_call_law)data->law->call)(data->law->data, in, out);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  user_force_data *data = self;
  return torsor_pair_prepare(&data->pair, setup, law, data->numeric, error);
}

const torsor_element_type user_force = {
    TORSOR_PAIR_TABLE(user_force_data),
    .name = "user_force",
    .energy.source = true,
    .title = "force and moment between two markers by a callback",
    .doc =
        "The callback of the signature \"law\" gives force and moment on b at its marker, in the\n"
        "axes of b, from the relative frame, the relative twist and the time.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"ball\", \"type\": \"point_mass\", \"mass\": 1}],"
        " \"forces\": [{\"name\": \"pull\", \"type\": \"user_force\", \"a\": \"ground\","
        " \"b\": \"ball\", \"law\": \"magnet\"}]}",
};
