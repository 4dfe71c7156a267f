/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"
#include "elements/point_kit.h"

typedef struct joint_revolute_data {
  torsor_joint joint;
  axis_pair pair;
  bool turned;       /* are the axes of marker a others than those of its body? */
  v3 e1, e2, axis_b; /* of the pair, in the axes of the bodies or of the ground */
} joint_revolute_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_revolute_data, TORSOR_NEEDS_ORIENTATION),
    AXIS_PARAMS(joint_revolute_data),
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  torsor_block_point(out, in);
  axis_keep_parallel(out, 3, &((const joint_revolute_data *)self)->pair, in);
  return TORSOR_OK;
}

/* The axis n on b and two directions e1, e2 across it on a, all in the axes of b. */
typedef struct axis_state {
  v3 n, n_a; /* the axis, and the same in the axes of a */
  v3 c1, c2; /* e1, e2 */
} axis_state;

/* How they rotate. */
typedef struct axis_rates {
  v3 Wa, Wb; /* angular velocities of a and b, in the axes of b */
  v3 t, n_W; /* Wb x n, n x Wa + 2 t */
} axis_rates;

static void find_axis(axis_state *x, const point_state *o, const joint_revolute_data *data) {
  x->n = data->axis_b;
  x->n_a = m3_tmulv(o->G, x->n);
  x->c1 = m3_mulv(o->G, data->e1);
  x->c2 = m3_mulv(o->G, data->e2);
}

static void find_rates(axis_rates *w, const point_state *o, const axis_state *x) {
  w->Wa = o->a ? m3_mulv(o->G, o->a->V.ang) : v3_zero();
  w->Wb = o->b ? o->b->V.ang : v3_zero();
  w->t = v3_cross(w->Wb, x->n);
  w->n_W = v3_add(v3_cross(x->n, w->Wa), v3_scale(w->t, 2));
}

static void add_vector(double *to, v3 x) {
  v3_store(to, v3_add(v3_load(to), x));
}

/* Adds a row of B: c = G e changes the cosine c.n by (n x c).theta_b + (e x
 * G^T n).theta_a. */
static void add_cosine(double *B, const torsor_joint *joint, const axis_state *x, v3 e, v3 c) {
  if (joint->side_b >= 0) add_vector(B + 6 * joint->side_b + 3, v3_cross(x->n, c));
  if (joint->side_a >= 0) add_vector(B + 6 * joint->side_a + 3, v3_cross(e, x->n_a));
}

static void add_gradient(double *B, int size, const joint_revolute_data *data, const point_state *o,
                         const axis_state *x) {
  point_add_gradient(B, size, &data->joint, o);
  add_cosine(B + 3 * size, &data->joint, x, data->e1, x->c1);
  add_cosine(B + 4 * size, &data->joint, x, data->e2, x->c2);
}

/* The second derivative of a cosine c.n has beside B V': u.(n x Wa) + 2 u.t + t.(c x Wb), u =
 * Wa x c, t = Wb x n. */
static double accelerate_cosine(const axis_rates *w, v3 c) {
  return v3_dot(v3_cross(w->Wa, c), w->n_W) + v3_dot(w->t, v3_cross(c, w->Wb));
}

/* Adds B^T lambda. */
static void add_wrenches(double *r, const joint_revolute_data *data, const point_state *o,
                         const axis_state *x, const double *lambda) {
  const torsor_joint *joint = &data->joint;
  v3 g, f;
  point_find_force(&g, &f, o, lambda);
  point_add_force(r, joint, o, g, f);
  const v3 c = v3_axpy(lambda[4], x->c2, v3_scale(x->c1, lambda[3])),
           e = v3_axpy(lambda[4], data->e2, v3_scale(data->e1, lambda[3]));
  if (o->b) add_vector(r + 6 * joint->side_b + 3, v3_cross(x->n, c));
  if (o->a) add_vector(r + 6 * joint->side_a + 3, v3_cross(e, x->n_a));
}

static void add_rows(torsor_element_out *out, const point_state *o, const axis_state *x) {
  if (out->phi) {
    v3_store(out->phi, v3_add(v3_load(out->phi), o->p));
    out->phi[3] += v3_dot(x->c1, x->n);
    out->phi[4] += v3_dot(x->c2, x->n);
  }
  if (!out->phi_v) return;
  const v3 Wa = o->a ? m3_mulv(o->G, o->a->V.ang) : v3_zero();
  const v3 turn = v3_sub(o->b ? o->b->V.ang : v3_zero(), Wa);
  v3_store(out->phi_v, v3_add(v3_load(out->phi_v), point_rate(o)));
  out->phi_v[3] += v3_dot(turn, v3_cross(x->n, x->c1));
  out->phi_v[4] += v3_dot(turn, v3_cross(x->n, x->c2));
}

/* Evaluates what every step needs directly, for speed; tangents come from the joint kit. */
static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const joint_revolute_data *data = self;
  const torsor_joint *joint = &data->joint;
  const int n = 6 * ((joint->side_a >= 0) + (joint->side_b >= 0));
  const bool accelerates = point_wants_accelerations(in, out, 5);
  if (!accelerates && (out->phi_a || out->K || out->Z)) return torsor_joint_eval(self, in, out);
  point_state o;
  axis_state x;
  point_find(&o, joint, data->turned, in);
  point_find_turn(&o);
  find_axis(&x, &o, data);
  if (out->B) add_gradient(out->B, n, data, &o, &x);
  add_rows(out, &o, &x);
  if (accelerates) {
    axis_rates w;
    find_rates(&w, &o, &x);
    v3_store(out->phi_a, v3_add(v3_load(out->phi_a), point_rate_rest(&o)));
    out->phi_a[3] += accelerate_cosine(&w, x.c1);
    out->phi_a[4] += accelerate_cosine(&w, x.c2);
  } else if (out->r && in->lambda)
    add_wrenches(out->r, data, &o, &x, in->lambda);
  return TORSOR_OK;
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  (void)index;
  const axis_pair *pair = &((const joint_revolute_data *)self)->pair;
  torsor_coordinate_angle(out, pair->e1, pair->e2, pair->f1, in);
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_revolute_data *data = self;
  return branch_direction(&data->joint, in, data->pair.axis, data->pair.axis_b, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_revolute_data *data = self;
  axis_find(&data->pair, &data->joint, "axis_b");
  const torsor_marker *a = &data->joint.a, *b = &data->joint.b;
  const m3 Ra = a->node == TORSOR_GROUND ? a->R0 : a->R,
           Rb = b->node == TORSOR_GROUND ? b->R0 : b->R;
  data->turned = point_is_turned(&data->joint);
  data->e1 = m3_mulv(Ra, data->pair.e1);
  data->e2 = m3_mulv(Ra, data->pair.e2);
  data->axis_b = m3_mulv(Rb, data->pair.axis_b);
  data->joint.coordinates = 1;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare_point(&data->joint, setup, 5, relative, false, error);
}

static const torsor_coordinate coordinates[] = {{"angle", "rate", "rad", TWO_PI}, {0}};

const torsor_element_type joint_revolute = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
    .size = sizeof(joint_revolute_data),
    .params = params,
    .tangents.has = TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .coordinates.eval = torsor_joint_coordinate,
    .outputs.list = torsor_joint_outputs,
    .outputs.eval = torsor_joint_output,
    .name = "revolute",
    .title = "hinge: two points and one axis coincide, rotation about the axis is free",
    .doc =
        "phi = (p, e1.R n, e2.R n) [5]: position of marker b in a (m) and the cosines between the\n"
        "axis n on b and two directions e1, e2 across the axis on a.\n"
        "Coordinate: angle (rad) from e1 to its partner on b about the axis, counted over many\n"
        "turns, zero when the frames of the markers agree; rate (rad/s).\n"
        "lambda.0..2 is the force on a in the axes of a (N); lambda.3..4 are moments (N m).",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"rod\", \"type\": \"rigid_body\", \"mass\": 1,"
        " \"inertia\": [0.02, 0.0833, 0.0833], \"position\": [0.5, 0, 0]}],"
        " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0],"
        " \"a\": \"ground\", \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 0]}}]}",
    .coordinates.list = coordinates,
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_HINGE,
};
