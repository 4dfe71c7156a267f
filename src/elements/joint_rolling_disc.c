/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/rolling_kit.h"

/* Sine of the angle between axis and normal below which the lowest point of a disc has no
 * direction: round-off turns it by eps/FLAT there. */
#define FLAT 1e-8

typedef struct joint_rolling_disc_data {
  torsor_joint joint;
  v3 normal, axis;
  double radius, tube;
  double circle; /* radius of the centre line of the tube, m */
} joint_rolling_disc_data;

#define MEMBER(name) offsetof(joint_rolling_disc_data, name)

static const torsor_param params[] = {
    {"a", TORSOR_PARAM_MARKER, MEMBER(joint.a), NULL, NULL, "marker whose origin lies in the plane",
     NULL, TORSOR_NEEDS_ORIENTATION},
    {"b", TORSOR_PARAM_MARKER, MEMBER(joint.b), NULL, NULL,
     "marker in the centre of the disc; force and moment of the joint are what it applies here",
     NULL, TORSOR_NEEDS_ORIENTATION},
    {"radius", TORSOR_PARAM_NUMBER, MEMBER(radius), "m", NULL, "outer radius of the disc", NULL,
     TORSOR_POSITIVE},
    {"tube", TORSOR_PARAM_NUMBER, MEMBER(tube), "m", "0",
     "radius of the round edge, below `radius`; 0: a sharp edge", NULL, TORSOR_NONNEGATIVE},
    {"normal", TORSOR_PARAM_DIRECTION, MEMBER(normal), NULL, "[0, 0, 1]",
     "normal of the plane in the frame of marker a, towards the disc", NULL, 0},
    {"axis", TORSOR_PARAM_DIRECTION, MEMBER(axis), NULL, "[0, 1, 0]",
     "axis of the disc in the frame of marker b", NULL, 0},
    {0}};

/* Axes of the contact in those of b: along (where positive spin rolls), across (the axis, laid onto
 * the plane) and normal, right-handed; c and s are cosine and sine of the angle between axis and
 * normal. */
typedef struct contact_axes {
  v3 along, across, normal;
  double c, s;
} contact_axes;

static bool find_axes(contact_axes *f, const joint_rolling_disc_data *data, m3 R) {
  f->normal = m3_tmulv(R, data->normal);
  const v3 level = v3_cross(data->axis, f->normal);
  f->c = v3_dot(data->axis, f->normal);
  f->s = v3_norm(level);
  if (!(f->s > FLAT)) return false;
  f->along = v3_scale(level, 1 / f->s);
  f->across = v3_cross(f->normal, f->along);
  return true;
}

/* KL and Z from the derivatives along a turn w of b:
 * D along = (normal - c/s across) across.w, D across = c/s along across.w - normal along.w,
 * D normal = across along.w - along across.w, D c = s along.w, D s = -c along.w. */
static void add_second(torsor_relative_out *out, const joint_rolling_disc_data *data,
                       const contact_axes *f, const torsor_relative_in *in) {
  const double *lambda = in->lambda, slope = f->c / f->s, r = data->circle;
  const double arm = r * f->s + data->tube;
  const m3 along = m3_outer(v3_axpy(-slope, f->across, f->normal), f->across);
  const m3 across =
      m3_sub(m3_outer(f->along, v3_scale(f->across, slope)), m3_outer(f->normal, f->along));
  const m3 square = m3_outer(f->along, f->along);
  m3 lin = m3_scale(m3_skew(f->normal), lambda[0]);
  lin = m3_axpy(lambda[1], along, m3_axpy(lambda[2], across, lin));
  m3 ang = m3_scale(along, lambda[0] * r * f->c + lambda[2] * arm);
  ang = m3_axpy(lambda[0] * r * f->s - lambda[2] * r * f->c, square, ang);
  ang = m3_axpy(-lambda[1] * data->tube, across, ang);
  torsor_relative_add(out->KL, 0, 3, lin);
  torsor_relative_add(out->KL, 3, 3, ang);
  const v3 U = in->V.lin, W = in->V.ang, tilt = m3_tmulv(along, W);
  const double turn = v3_dot(f->along, W);
  v3_store(out->Z[0] + 3,
           v3_axpy(r * f->c, tilt, v3_axpy(r * f->s * turn, f->along, v3_cross(U, f->normal))));
  v3_store(out->Z[1] + 3, v3_axpy(-data->tube, m3_tmulv(across, W), m3_tmulv(along, U)));
  v3_store(out->Z[2] + 3,
           v3_axpy(arm, tilt, v3_axpy(-r * f->c * turn, f->along, m3_tmulv(across, U))));
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_rolling_disc_data *data = self;
  const double r = data->circle, height = v3_dot(data->normal, in->p) - data->tube;
  contact_axes f;
  /* A step that falls past the flat disc has the centre below the plane, where the lowest point is
   * on the other side of the disc at once. */
  if (!find_axes(&f, data, in->R) || !(height > 0)) return TORSOR_DOMAIN;
  out->phi[0] = height - r * f.s;
  tw_store(out->J[0], (twist){f.normal, v3_scale(f.along, r * f.c)});
  tw_store(out->J[1],
           (twist){f.along, v3_neg(v3_axpy(data->tube, f.across, v3_scale(data->axis, r)))});
  tw_store(out->J[2], (twist){f.across, v3_scale(f.along, r * f.s + data->tube)});
  if (out->second) add_second(out, data, &f, in);
  return TORSOR_OK;
}

/* Checks the orientation of the disc at the start; the assembly of the initial state checks its
 * distance from the plane. */
static torsor_status check_start(const joint_rolling_disc_data *data, const char *name,
                                 torsor_error *error) {
  const torsor_marker *a = &data->joint.a, *b = &data->joint.b;
  contact_axes f;
  if (!find_axes(&f, data, m3_tmul(a->R0, b->R0))) {
    torsor_fail(error, TORSOR_SCENE,
                "the disc of \"%s\" lies flat on the plane: its axis is parallel to the normal",
                name);
    torsor_hint(error, "turn the body, or give the `axis` of the disc in the frame of marker b");
    return TORSOR_SCENE;
  }
  const double height = v3_dot(m3_mulv(a->R0, data->normal), v3_sub(b->x0, a->x0));
  if (height > data->tube) return TORSOR_OK;
  torsor_fail(
      error, TORSOR_SCENE,
      "the disc of \"%s\" is not on its plane: the height of its centre is %.6g instead of %.6g",
      name, height, data->circle * f.s + data->tube);
  torsor_hint(error, "move the body, or turn `normal` towards the disc");
  return TORSOR_SCENE;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_rolling_disc_data *data = self;
  data->circle = data->radius - data->tube;
  if (!(data->circle > 0)) {
    torsor_fail(error, TORSOR_SCENE,
                "the tube of \"%s\" leaves no disc: its radius %.6g is not below %.6g", setup->name,
                data->tube, data->radius);
    torsor_hint(error, "`radius` is the outer one; a ball is a rolling_sphere");
    return TORSOR_SCENE;
  }
  setup->nonholonomic = 2;
  const torsor_status status = torsor_joint_prepare(&data->joint, setup, 3, relative, false, error);
  setup->length = fmax(setup->length, data->radius);
  return status ? status : check_start(data, setup->name, error);
}

static void output(const void *self, const torsor_element_in *in, double *values) {
  const joint_rolling_disc_data *data = self;
  torsor_relative_in relative_motion;
  contact_axes f;
  torsor_joint_relative(&data->joint, in, &relative_motion);
  const bool defined = find_axes(&f, data, relative_motion.R);
  /* (normal - c axis)/s = s normal - c across: down to the circle, and on through the tube */
  const v3 down = defined ? v3_axpy(-f.c, f.across, v3_scale(f.normal, f.s)) : v3_zero();
  const v3 arm = v3_axpy(-data->circle, down, v3_scale(f.normal, -data->tube));
  rolling_output(values, &data->joint, in, data->normal, arm);
}

const torsor_element_type joint_rolling_disc = {
    ROLLING_TABLE(joint_rolling_disc_data),
    .name = "rolling_disc",
    .title = "disc or wheel on b rolls without slipping on a plane of a",
    .doc =
        "phi = n.p - (r - tube) s - tube [1] (m): height of the lowest point of the edge over the\n"
        "plane through marker a; s = sin of the angle between the axis and the normal n, p the\n"
        "centre (marker b).  k = (along.vc, across.vc) [2, nonholonomic] (m/s), vc the velocity of "
        "the\n"
        "material point in contact as seen from a; along = axis x n/s, where positive spin about\n"
        "the axis rolls, across = n x along.  A round edge (tube > 0) makes a torus.\n"
        "lambda (N): minus the normal force on b, minus the friction force along, minus across.\n"
        "The plane holds the disc both ways: normal_force < 0 where a real one would let go.\n"
        "Undefined where the disc lies flat.",
    .example = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"wheel\","
               " \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.05, 0.1, 0.05],"
               " \"position\": [0, 0, 0.3], \"angular_velocity\": [0.2, 5, 0.5]}],"
               " \"joints\": [{\"name\": \"road\", \"type\": \"rolling_disc\", \"radius\": 0.3,"
               " \"tube\": 0.05, \"a\": \"ground\", \"b\": \"wheel\"}]}",
    .limits.range = "discs that do not lie flat on the plane and have their centre above it",
    .limits.advice =
        "take a smaller step; for a disc that falls flat use a contact in place of the joint",
    .look.symbol = TORSOR_SYMBOL_CONTACT,
};
