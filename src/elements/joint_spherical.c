/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/point_kit.h"

typedef struct joint_spherical_data {
  torsor_joint joint;
  bool turned; /* are the axes of marker a others than those of its body? */
} joint_spherical_data;

static const torsor_param params[] = {TORSOR_JOINT_PARAMS(joint_spherical_data, 0), {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  (void)self;
  torsor_block_point(out, in);
  return TORSOR_OK;
}

/* The joint's state with the force J^T lambda. */
typedef struct ball_state {
  point_state at;
  v3 g, f; /* in the axes of body a, in those of body b */
} ball_state;

/* Rows of output want no forces. */
static void find_state(ball_state *o, const joint_spherical_data *data, const torsor_element_in *in,
                       bool forces) {
  point_find(&o->at, &data->joint, data->turned, in);
  o->g = o->f = v3_zero();
  if (forces && in->lambda) point_find_force(&o->g, &o->f, &o->at, in->lambda);
}

/* df = f x theta_b - G (g x theta_a) on b, at xb; on a the force -g stays and ds moves it. */
static void add_tangent(double *K, int n, const torsor_joint *joint, const ball_state *state) {
  const point_state *o = &state->at;
  const m3 g = m3_skew(state->g);
  const int a = 6 * joint->side_a, b = 6 * joint->side_b;
  if (o->b) {
    const m3 turn = m3_skew(state->f);
    point_add_block(K + b * n + b + 3, n, turn);
    point_add_block(K + (b + 3) * n + b + 3, n, m3_skew_mul(o->xb, turn));
  }
  if (o->a && o->b) {
    const m3 turn = m3_mul_skew(o->G, v3_neg(state->g)),
             force = m3_skew_mul(state->g, m3_transpose(o->G));
    point_add_block(K + b * n + a + 3, n, turn);
    point_add_block(K + (b + 3) * n + a + 3, n, m3_skew_mul(o->xb, turn));
    point_add_block(K + (a + 3) * n + b, n, force);
    point_add_block(K + (a + 3) * n + b + 3, n, m3_mul_skew(force, v3_neg(o->xb)));
  }
  if (!o->a) return;
  point_add_block(K + (a + 3) * n + a, n, m3_scale(g, -1));
  point_add_block(K + (a + 3) * n + a + 3, n, m3_mul_skew(g, o->s));
}

/* Evaluates the quantities that every step needs directly, for speed; the others come from the
 * joint kit. */
static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const joint_spherical_data *data = self;
  const torsor_joint *joint = &data->joint;
  const int n = 6 * ((joint->side_a >= 0) + (joint->side_b >= 0));
  ball_state o;
  if (point_wants_accelerations(in, out, 3)) {
    point_find(&o.at, joint, data->turned, in);
    point_accelerate(&o.at, out, joint, n);
    return TORSOR_OK;
  }
  if (out->Z || out->phi_a) return torsor_joint_eval(self, in, out);
  find_state(&o, self, in, out->r || out->K);
  const point_state *at = &o.at;
  if (out->r) point_add_force(out->r, joint, at, o.g, o.f);
  if (out->phi) v3_store(out->phi, v3_add(v3_load(out->phi), at->p));
  if (out->phi_v) v3_store(out->phi_v, v3_add(v3_load(out->phi_v), point_rate(at)));
  if (!out->B && !out->K) return TORSOR_OK;
  point_find_turn(&o.at);
  if (out->B) point_add_gradient(out->B, n, joint, at);
  if (out->K) add_tangent(out->K, n, joint, &o);
  return TORSOR_OK;
}

/* Force on b, inertial axes; there is no moment about its marker, which is marker a. */
static void output(const void *self, const torsor_element_in *in, double *values) {
  const joint_spherical_data *data = self;
  const torsor_marker *a = &data->joint.a;
  const bool ground = data->joint.side_a < 0;
  v3 on_a = v3_load(in->lambda);
  if (data->turned) on_a = m3_mulv(ground ? a->R0 : a->R, on_a);
  v3_store(values, v3_neg(ground ? on_a : m3_mulv(in->node[data->joint.side_a]->R, on_a)));
  v3_store(values + 3, v3_zero());
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_spherical_data *data = self;
  const torsor_marker *a = &data->joint.a;
  data->turned = point_is_turned(&data->joint);
  const torsor_status status =
      torsor_joint_prepare_point(&data->joint, setup, 3, relative, false, error);
  if (setup->nodes == 2) setup->seen_from = data->joint.side_a;
  setup->seen_axes = a->R;
  return status;
}

const torsor_element_type joint_spherical = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
    .name = "spherical",
    .title = "ball joint: two points coincide, rotation is free",
    .doc = "phi = p [3], the position of marker b in the axes of marker a (m).\n"
           "J = [R, 0]: lambda is the force on a, that is minus the force on b, in the axes of a.\n"
           "Source: Geradin and Cardona 2001, section 7; S4 eq. 62c has the opposite sign.",
    .size = sizeof(joint_spherical_data),
    .params = params,
    .tangents.has = TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .outputs.list = torsor_joint_outputs,
    .outputs.eval = output,
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"top\", \"type\": \"rigid_body\", \"mass\": 15,"
        " \"inertia\": [0.234375, 0.46875, 0.234375], \"position\": [0, 1, 0]}],"
        " \"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\","
        " \"b\": {\"body\": \"top\", \"position\": [0, -1, 0]}}]}",
    .look.symbol = TORSOR_SYMBOL_BALL,
};
