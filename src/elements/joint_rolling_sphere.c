/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/rolling_kit.h"

typedef struct joint_rolling_sphere_data {
  torsor_joint joint;
  v3 normal;
  v3 e1, e2; /* along the plane, in a: (e1, e2, normal) right-handed */
  double radius;
  bool pivoting;
} joint_rolling_sphere_data;

#define MEMBER(name) offsetof(joint_rolling_sphere_data, name)

static const torsor_param params[] = {
    {"a", TORSOR_PARAM_MARKER, MEMBER(joint.a), NULL, NULL, "marker whose origin lies in the plane",
     NULL, TORSOR_NEEDS_ORIENTATION},
    {"b", TORSOR_PARAM_MARKER, MEMBER(joint.b), NULL, NULL,
     "marker in the centre of the sphere; force and moment of the joint are what it applies here",
     NULL, TORSOR_NEEDS_ORIENTATION},
    {"radius", TORSOR_PARAM_NUMBER, MEMBER(radius), "m", NULL, "radius of the sphere", NULL,
     TORSOR_POSITIVE},
    {"normal", TORSOR_PARAM_DIRECTION, MEMBER(normal), NULL, "[0, 0, 1]",
     "normal of the plane in the frame of marker a, towards the sphere", NULL, 0},
    {"pivoting", TORSOR_PARAM_BOOLEAN, MEMBER(pivoting), NULL, "true",
     "false: the sphere does not spin about the normal either, as seen from a", NULL, 0},
    {0}};

/* Row J = (R^T along, R^T about): directions of a, which turn by w x as seen from b. */
static void put_row(torsor_relative_out *out, int row, v3 along, v3 about,
                    const torsor_relative_in *in) {
  const v3 lin = m3_tmulv(in->R, along), ang = m3_tmulv(in->R, about);
  tw_store(out->J[row], (twist){lin, ang});
  if (!out->second) return;
  torsor_relative_add(out->KL, 0, 3, m3_scale(m3_skew(lin), in->lambda[row]));
  torsor_relative_add(out->KL, 3, 3, m3_scale(m3_skew(ang), in->lambda[row]));
  v3_store(out->Z[row] + 3, v3_add(v3_cross(in->V.lin, lin), v3_cross(in->V.ang, ang)));
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_rolling_sphere_data *data = self;
  out->phi[0] = v3_dot(data->normal, in->p) - data->radius;
  put_row(out, 0, data->normal, v3_zero(), in);
  put_row(out, 1, data->e1, v3_scale(data->e2, -data->radius), in);
  put_row(out, 2, data->e2, v3_scale(data->e1, data->radius), in);
  if (!data->pivoting) put_row(out, 3, v3_zero(), data->normal, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_rolling_sphere_data *data = self;
  data->e1 = v3_across(data->normal);
  data->e2 = v3_cross(data->normal, data->e1);
  setup->nonholonomic = data->pivoting ? 2 : 3;
  const torsor_status status =
      torsor_joint_prepare(&data->joint, setup, 1 + setup->nonholonomic, relative, false, error);
  setup->length = fmax(setup->length, data->radius);
  return status;
}

static void output(const void *self, const torsor_element_in *in, double *values) {
  const joint_rolling_sphere_data *data = self;
  torsor_relative_in motion;
  torsor_joint_relative(&data->joint, in, &motion);
  const v3 arm = m3_tmulv(motion.R, v3_scale(data->normal, -data->radius));
  rolling_output(values, &data->joint, in, data->normal, arm);
}

const torsor_element_type joint_rolling_sphere = {
    ROLLING_TABLE(joint_rolling_sphere_data),
    .name = "rolling_sphere",
    .title = "sphere on b rolls without slipping on a plane of a, which may move",
    .doc =
        "phi = n.p - r [1] (m): height of the sphere over the plane through marker a, p its "
        "centre\n"
        "(marker b).  k = (e1.vc, e2.vc) [2, nonholonomic] (m/s), vc the velocity of the material "
        "point "
        "in\n"
        "contact as seen from a, e1 and e2 fixed on the plane: the coordinate axis of a that is\n"
        "farthest from n, laid onto the plane, and n x e1 (x and y for n = z).  With pivoting "
        "false\n"
        "also n.w [1, nonholonomic] (rad/s): no relative spin about the normal.\n"
        "lambda: minus the normal force on b (N), minus the friction force along e1 and e2 (N),\n"
        "minus the moment about n (N m).  The plane holds the sphere both ways: normal_force < 0\n"
        "where a real one would let go.",
    .example = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\","
               " \"type\": \"rigid_body\", \"mass\": 0.5, \"inertia\": [0.002, 0.002, 0.002],"
               " \"position\": [0.2, 0, 0.1], \"angular_velocity\": [1, 3, 2]}],"
               " \"joints\": [{\"name\": \"floor\", \"type\": \"rolling_sphere\", \"radius\": 0.1,"
               " \"a\": \"ground\", \"b\": \"ball\"}]}",
    .look.symbol = TORSOR_SYMBOL_CONTACT,
};
