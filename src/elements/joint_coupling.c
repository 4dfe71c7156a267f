/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/coupling_kit.h"

typedef struct joint_coupling_data {
  coupling coupling;
  double ratio, value;
} joint_coupling_data;

#define MEMBER(name) offsetof(joint_coupling_data, name)

static const torsor_param params[] = {
    COUPLING_PARAMS(joint_coupling_data),
    {"ratio", TORSOR_PARAM_NUMBER, MEMBER(ratio), NULL, NULL,
     "factor of the second coordinate, in units of the first per unit of the second", NULL, 0},
    {"value", TORSOR_PARAM_NUMBER, MEMBER(value), NULL, TORSOR_OPTIONAL,
     "what first + ratio second keeps; default: its value at the start", NULL, 0},
    {0}};

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const joint_coupling_data *data = self;
  const double factor[COUPLING_SIDES] = {1, data->ratio};
  double rate[COUPLING_SIDES];
  if (out->phi) out->phi[0] -= data->value;
  coupling_add(&data->coupling, factor, in, out, rate);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_coupling_data *data = self;
  const torsor_coordinate_ref *on = data->coupling.on;
  if (!(data->ratio < 0 || data->ratio > 0)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" couples nothing: the ratio is 0", setup->name);
    torsor_hint(error, "for a gear pair give e.g. \"first\": \"wheel.angle\", \"second\": "
                       "\"pinion.angle\", \"ratio\": 2");
    return TORSOR_SCENE;
  }
  if (torsor_absent_number(data->value))
    data->value = torsor_coordinate_start(on[0].joint, on[0].index) +
                  data->ratio * torsor_coordinate_start(on[1].joint, on[1].index);
  return coupling_prepare(&data->coupling, setup, error);
}

const torsor_element_type joint_coupling = {
    COUPLING_TABLE(joint_coupling_data),
    .name = "coupling",
    .title = "linear relation of two joint coordinates: gear pair, rack and pinion, belt, screw",
    .doc =
        "phi = first + ratio second - value [1], in the unit of the first coordinate; angles with\n"
        "their turns counted.  The coordinates belong to joints that stand before.\n"
        "A gear pair of radii r1, r2 with parallel axes in one direction has ratio r2/r1 for\n"
        "external teeth and -r2/r1 for internal ones or a belt; rack and pinion of radius r:\n"
        "first = rack.travel, second = pinion.angle, ratio = -r or r by the sense of the axes.\n"
        "lambda is minus the generalised force along the first coordinate.",
    .example =
        "{\"torsor\": 1, \"bodies\": ["
        "{\"name\": \"wheel\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.1, "
        "0.2]},"
        " {\"name\": \"pinion\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.02, "
        "0.03],"
        " \"position\": [0.3, 0, 0]}],"
        " \"joints\": ["
        "{\"name\": \"shaft1\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"wheel\"},"
        " {\"name\": \"shaft2\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\","
        " \"position\": [0.3, 0, 0]}, \"b\": \"pinion\"},"
        " {\"name\": \"teeth\", \"type\": \"coupling\", \"first\": \"shaft1.angle\","
        " \"second\": \"shaft2.angle\", \"ratio\": 0.5}]}",
};
