/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/relative_kit.h"

enum { SIDES = 2 };

typedef struct joint_coupling_data {
  torsor_coordinate_ref on[SIDES];
  double ratio, value;
  torsor_joint link[SIDES]; /* markers of the joints that have the coordinates */
  double factor[SIDES];     /* 1 and ratio */
} joint_coupling_data;

#define MEMBER(name) offsetof(joint_coupling_data, name)

static const torsor_param params[] = {
    {"first", TORSOR_PARAM_COORDINATE, MEMBER(on[0]), NULL, NULL,
     "joint coordinate, e.g. \"wheel.angle\"", NULL, 0},
    {"second", TORSOR_PARAM_COORDINATE, MEMBER(on[1]), NULL, NULL,
     "joint coordinate, e.g. \"pinion.angle\" or \"rack.travel\"", NULL, 0},
    {"ratio", TORSOR_PARAM_NUMBER, MEMBER(ratio), NULL, NULL,
     "factor of the second coordinate, in units of the first per unit of the second", NULL, 0},
    {"value", TORSOR_PARAM_NUMBER, MEMBER(value), NULL, TORSOR_OPTIONAL,
     "what first + ratio second keeps; default: its value at the start", NULL, 0},
    {0}};

/* One coordinate at a motion. */
typedef struct coupling_side {
  relative_state s;
  torsor_coordinate_out c;
} coupling_side;

static void find_side(coupling_side *side, const joint_coupling_data *data, int i,
                      const torsor_element_in *in) {
  const torsor_coordinate_ref *on = &data->on[i];
  relative_find(&side->s, &data->link[i], in);
  relative_velocity(&side->s, in);
  side->c = (torsor_coordinate_out){0};
  on->joint->coordinate(on->joint, on->index, &side->s.in, &side->c);
  side->c.value = torsor_coordinate_turns(on, side->c.value, in->coordinate);
}

/* Second derivatives: K, and through g = V^T D(J^T) the rows Z and phi_a, as in the joint kit. */
static void add_second(torsor_element_out *out, const coupling_side *side,
                       const torsor_coordinate_ref *on, double factor, double lambda, int n) {
  double KJ[6][6], KL[6][6], V[6], g[6], turned[6], scaled[6];
  relative_coordinate_tangent(KJ, on->joint, on->index, &side->s.in);
  tw_store(V, side->s.in.V);
  tw_store(turned, se3_adT_apply(side->s.Wa, tw_load(side->c.J)));
  for (int k = 0; k < 6; ++k) {
    g[k] = 0;
    for (int j = 0; j < 6; ++j) {
      g[k] += V[j] * KJ[j][k];
      KL[j][k] = factor * lambda * KJ[j][k];
    }
    scaled[k] = factor * (g[k] - turned[k]);
  }
  const twist f = tw_scale(tw_load(side->c.J), factor * lambda);
  if (out->K) relative_add_matrix(out->K, n, &side->s, KL, &f);
  if (out->Z) relative_add_row(out->Z, &side->s, scaled);
  if (!out->phi_a) return;
  double turn[6];
  tw_store(turn, se3_ad_apply(side->s.in.V, side->s.Wa));
  out->phi_a[0] += factor * (relative_dot(side->c.J, turn) + relative_dot(g, V));
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const joint_coupling_data *data = self;
  int n = 0;
  for (int i = 0; i < SIDES; ++i)
    n += 6 * ((data->link[i].side_a >= 0) + (data->link[i].side_b >= 0));
  const double lambda = in->lambda ? in->lambda[0] : 0;
  if (out->phi) out->phi[0] -= data->value;
  for (int i = 0; i < SIDES; ++i) {
    coupling_side side;
    find_side(&side, data, i, in);
    double V[6], J[6];
    tw_store(V, side.s.in.V);
    for (int k = 0; k < 6; ++k) J[k] = data->factor[i] * side.c.J[k];
    if (out->phi) out->phi[0] += data->factor[i] * side.c.value;
    if (out->phi_v) out->phi_v[0] += relative_dot(J, V);
    if (out->r) relative_add_wrench(out->r, &side.s, tw_scale(tw_load(J), lambda));
    if (out->B) relative_add_row(out->B, &side.s, J);
    if (out->K || out->Z || out->phi_a)
      add_second(out, &side, &data->on[i], data->factor[i], lambda, n);
  }
  return TORSOR_OK;
}

/* The coordinate where the markers are at the start. */
static double initial_value(const torsor_coordinate_ref *on) {
  const torsor_marker *a = &on->joint->a, *b = &on->joint->b;
  const torsor_relative_in start = {.R = m3_tmul(a->R0, b->R0),
                                    .p = m3_tmulv(a->R0, v3_sub(b->x0, a->x0))};
  torsor_coordinate_out c = {0};
  on->joint->coordinate(on->joint, on->index, &start, &c);
  return c.value;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_coupling_data *data = self;
  if (data->on[0].place == data->on[1].place || !(data->ratio < 0 || data->ratio > 0)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" couples nothing: %s", setup->name,
                data->ratio == 0 ? "the ratio is 0" : "both coordinates are the same");
    torsor_hint(error, "a gear pair has e.g. \"first\": \"wheel.angle\", \"second\": "
                       "\"pinion.angle\", \"ratio\": 2");
    return TORSOR_SCENE;
  }
  data->factor[0] = 1;
  data->factor[1] = data->ratio;
  double length = 0;
  for (int i = 0; i < SIDES; ++i) {
    data->link[i] = (torsor_joint){.a = data->on[i].joint->a, .b = data->on[i].joint->b};
    const torsor_status status = torsor_joint_prepare(&data->link[i], setup, 0, NULL, false, error);
    if (status) return status;
    length = fmax(length, setup->length);
  }
  setup->rows = 1;
  setup->length = length;
  if (torsor_absent_number(data->value))
    data->value = initial_value(&data->on[0]) + data->ratio * initial_value(&data->on[1]);
  return TORSOR_OK;
}

static const torsor_output outputs[] = {
    {"effort", "N or N m", "generalised force of the coupling along the first coordinate", 1}, {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  (void)self;
  *values = -in->lambda[0];
}

const torsor_element_type joint_coupling = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
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
    .size = sizeof(joint_coupling_data),
    .params = params,
    .tangents = TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .outputs = outputs,
    .output = output,
};
