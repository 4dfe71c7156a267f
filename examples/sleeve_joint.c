/* SPDX-License-Identifier: GPL-3.0-or-later */
/** A plug-in joint in one file: a sleeve that slides along a rod and turns about it.
 *
 *  Marker a sits on the rod, marker b in the sleeve.  With n the rod's axis in the axes of a, n_b
 *  the same axis in those of b, and e1, e2 two unit vectors across n, the sleeve stays on the rod
 *  when
 *
 *      phi = (e1.p, e2.p, e1.R n_b, e2.R n_b)  [4]    m, m, 1, 1
 *
 *  vanishes; p and R are the position and the axes of b in a.  lambda.0..1 is the force on the rod
 *  along e1, e2 (N), lambda.2..3 are moments (N m).
 *  Coordinates: travel (m) of b along the rod; angle (rad) about it, counted over many turns. */
#include <torsor/joint.h>

#define TWO_PI 6.283185307179586

typedef struct sleeve {
  torsor_joint joint; /* first: the kit's part */
  v3 axis, axis_b;    /* n, n_b: the rod in the axes of a and of b */
  v3 e1, e2;          /* across the rod, in a; (e1, e2, n) right-handed */
  v3 f1;              /* in b: where e1 is at the start, so that angle(0) = 0 */
} sleeve;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(sleeve, TORSOR_NEEDS_ORIENTATION),
    {"axis", TORSOR_PARAM_DIRECTION, offsetof(sleeve, axis), NULL, "[0, 0, 1]",
     "direction of the rod in the frame of marker a", NULL, 0},
    {0},
};

/* Four rows from the kit's building blocks, which bring their own derivatives. */
static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const sleeve *data = self;
  torsor_block_along(out, 0, data->e1, 0, in);
  torsor_block_along(out, 1, data->e2, 0, in);
  torsor_block_cosine(out, 2, data->e1, data->axis_b, in);
  torsor_block_cosine(out, 3, data->e2, data->axis_b, in);
  return TORSOR_OK;
}

/* travel = n.p; angle from e1 to R f1 about n. */
static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const sleeve *data = self;
  if (index == 0)
    torsor_coordinate_along(out, data->axis, in);
  else
    torsor_coordinate_angle(out, data->e1, data->e2, data->f1, in);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  sleeve *data = self;
  const m3 R = m3_tmul(data->joint.a.R0, data->joint.b.R0); /* b in a at the start */
  data->axis_b = m3_tmulv(R, data->axis);
  data->e1 = v3_across(data->axis);
  data->e2 = v3_cross(data->axis, data->e1);
  data->f1 = m3_tmulv(R, data->e1);
  data->joint.coordinates = 2;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare(&data->joint, setup, 4, relative, false, error);
}

static const torsor_coordinate coordinates[] = {
    {"travel", "speed", "m", 0}, {"angle", "rate", "rad", TWO_PI}, {0}};

static const torsor_element_type joint_sleeve = {
    TORSOR_JOINT_TABLE(sleeve),
    .name = "sleeve",
    .title = "sleeve on a rod: sliding along and turning about one axis are free",
    .doc =
        "phi = (e1.p, e2.p, e1.R n, e2.R n) [4]: position of marker b across the rod (m) and the\n"
        "cosines between the rod's axis n on b and two directions e1, e2 across it on a.\n"
        "Coordinates: travel (m) along the rod and its speed (m/s); angle (rad) about it, zero at\n"
        "the start, counted over many turns, and its rate (rad/s).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"ring\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.02, 0.02, 0.03], \"position\": [0.1, 0, 0.4]}],"
               " \"joints\": [{\"name\": \"rod\", \"type\": \"sleeve\", \"axis\": [0, 0, 1],"
               " \"a\": \"ground\", \"b\": {\"body\": \"ring\", \"position\": [-0.1, 0, 0]}}]}",
    .coordinates.list = coordinates,
};

TORSOR_PLUGIN_TYPES(&joint_sleeve);
