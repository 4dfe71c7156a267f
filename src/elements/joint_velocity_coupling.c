/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/coupling_kit.h"

typedef struct joint_velocity_coupling_data {
  coupling coupling;
  torsor_function ratio, rate;
} joint_velocity_coupling_data;

#define MEMBER(name) offsetof(joint_velocity_coupling_data, name)

static const torsor_param params[] = {
    COUPLING_PARAMS(joint_velocity_coupling_data),
    {"ratio", TORSOR_PARAM_FUNCTION, MEMBER(ratio), NULL, NULL,
     "factor of the second rate, in units of the first per unit of the second, function of t", NULL,
     0},
    {"rate", TORSOR_PARAM_FUNCTION, MEMBER(rate), "m/s or rad/s", "0",
     "what first' + ratio second' is, function of t", NULL, 0},
    {0}};

/* k = c1' + r(t) c2' - f(t): dk/dt has r' c2' - f' beside what the rows of a coupling have. */
static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const joint_velocity_coupling_data *data = self;
  double change, slope, rate[COUPLING_SIDES];
  const double factor[COUPLING_SIDES] = {
      1, data->ratio.eval(data->ratio.self, in->now, &change, NULL)};
  const double given = data->rate.eval(data->rate.self, in->now, &slope, NULL);
  coupling_add(&data->coupling, factor, in, out, rate);
  if (out->phi_v) out->phi_v[0] -= given;
  if (out->phi_a) out->phi_a[0] += change * rate[1] - slope;
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_velocity_coupling_data *data = self;
  setup->nonholonomic = 1;
  return coupling_prepare(&data->coupling, setup, error);
}

const torsor_element_type joint_velocity_coupling = {
    COUPLING_TABLE(joint_velocity_coupling_data),
    .name = "velocity_coupling",
    .title = "linear relation of the rates of two joint coordinates: variable gear",
    .doc =
        "k = first' + ratio(t) second' - rate(t) [1, nonholonomic], in the unit of the first\n"
        "coordinate's rate.  The coordinates belong to joints that stand before.  A gear whose\n"
        "ratio changes while it turns has no relation of the angles themselves: what they become\n"
        "depends on when they turned.\n"
        "lambda is minus the generalised force along the first coordinate.",
    .example =
        "{\"torsor\": 1, \"bodies\": ["
        "{\"name\": \"wheel\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.1, "
        "0.2]},"
        " {\"name\": \"disc\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.02, "
        "0.03],"
        " \"position\": [0.3, 0, 0]}],"
        " \"joints\": ["
        "{\"name\": \"shaft1\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"wheel\"},"
        " {\"name\": \"shaft2\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\","
        " \"position\": [0.3, 0, 0]}, \"b\": \"disc\"},"
        " {\"name\": \"gear\", \"type\": \"velocity_coupling\", \"first\": \"shaft1.angle\","
        " \"second\": \"shaft2.angle\", \"ratio\": \"0.5 + 0.2*t\", \"rate\": \"0.3*sin(2*t)\"}]}",
};
