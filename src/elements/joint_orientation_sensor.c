/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/sensor_kit.h"

typedef struct joint_orientation_sensor_data {
  torsor_joint joint;
  int sequence;
} joint_orientation_sensor_data;

static const char *const sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx",
                                        "xzx", "yxy", "yzy", "zxz", "zyz", NULL};

static const torsor_param params[] = {
    SENSOR_MARKERS(joint_orientation_sensor_data, "marker that it measures from",
                   TORSOR_NEEDS_ORIENTATION),
    {"sequence", TORSOR_PARAM_CHOICE, offsetof(joint_orientation_sensor_data, sequence), NULL,
     "\"zyx\"", "axes of the three turns, each in the frame that the turns before it have made",
     sequences, 0},
    {0}};

/* The first two angles turn about the axes i and j; k is the third axis of the frame, and sign that
 * of the permutation (i, j, k).  The last axis is k, or again i where `again`. */
typedef struct angles {
  const m3 *R;
  int i, j, k;
  bool again;
  double sign;
} angles;

enum { FIRST, SECOND, THIRD };

/* Below this sine of the angle between the first and the last axis rounding decides where they
 * intersect. */
static const double ALIGNED = 1e-14;

static angles find_axes(const joint_orientation_sensor_data *data, const m3 *R) {
  const char *word = sequences[data->sequence];
  const int i = word[0] - 'x', j = word[1] - 'x';
  return (angles){R, i, j, 3 - i - j, word[0] == word[2], (j - i + 3) % 3 == 1 ? 1 : -1};
}

/* `factor` times the component R[row][column], a function of the rotation. */
static torsor_turned component(const angles *a, int row, int column, double factor) {
  const v3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  torsor_turned t =
      torsor_turned_cosine(m3_tmulv(*a->R, axis[row]), v3_scale(axis[column], factor));
  return t;
}

/* The second angle from its cosine (`again`) or its sine y, whose other one is `across` > 0:
 * D y = y' D angle, and D^2 angle follows from that derived again. */
static void find_second(torsor_coordinate_out *out, const angles *a, double across) {
  const torsor_turned y =
      a->again ? component(a, a->i, a->i, 1) : component(a, a->i, a->k, a->sign);
  const double slope = a->again ? -across : across;
  out->value = a->again ? atan2(across, y.y) : atan2(y.y, across);
  if (!(across > ALIGNED)) return;
  const v3 g = v3_scale(y.g, 1 / slope);
  tw_store(out->J, (twist){.ang = g});
  if (!out->second) return;
  const m3 bend = m3_axpy(y.y, m3_outer(g, g), y.G);
  torsor_relative_add(out->K, 3, 3, m3_scale(bend, 1 / slope));
}

/* With the last axis z' of b seen from a, and the first axis of a seen from b, the first and the
 * last angle are those by which these are turned. */
static void find_outer(torsor_coordinate_out *out, const angles *a, int index) {
  torsor_turned s, c;
  if (index == FIRST) {
    s = a->again ? component(a, a->j, a->i, 1) : component(a, a->j, a->k, -a->sign);
    c = a->again ? component(a, a->k, a->i, -a->sign) : component(a, a->k, a->k, 1);
  } else {
    s = a->again ? component(a, a->i, a->j, 1) : component(a, a->i, a->j, -a->sign);
    c = a->again ? component(a, a->i, a->k, a->sign) : component(a, a->i, a->i, 1);
  }
  torsor_coordinate_turn(out, &s, &c, 1);
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const angles a = find_axes(self, &in->R);
  const double across = hypot(in->R.m[a.i][a.j], in->R.m[a.i][a.again ? a.k : a.i]);
  tw_store(out->J, tw_zero());
  if (index == SECOND)
    find_second(out, &a, across);
  else if (across > ALIGNED)
    find_outer(out, &a, index);
  else
    out->value = index == FIRST ? atan2(a.sign * in->R.m[a.k][a.j], in->R.m[a.j][a.j]) : 0;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_orientation_sensor_data *data = self;
  return sensor_prepare(&data->joint, setup, 3, coordinate, error);
}

static const torsor_coordinate coordinates[] = {{"angle_1", "rate_1", "rad", TWO_PI},
                                                {"angle_2", "rate_2", "rad", 0},
                                                {"angle_3", "rate_3", "rad", TWO_PI},
                                                {0}};

const torsor_element_type joint_orientation_sensor = {
    SENSOR_TABLE(joint_orientation_sensor_data),
    .name = "orientation_sensor",
    .title = "measures the orientation of marker b against marker a by three angles; constrains "
             "nothing",
    .doc =
        "No rows.  Coordinates: angle_1, angle_2, angle_3 (rad) with R_b = R_a R_1 R_2 R_3, the "
        "turns\n"
        "about the axes of `sequence`, each in the frame that those before it have made, as in "
        "the\n"
        "orientation {\"euler\": \"zyx\", \"angles\": [..]}.  The first and the last are counted "
        "over many\n"
        "turns.  Of three different axes (Cardan, Tait-Bryan) angle_2 is within -pi/2 and pi/2, "
        "of the\n"
        "others (Euler) within 0 and pi.  At the ends of that range the first and the last axis "
        "are\n"
        "parallel: angle_1 is then the whole turn about them, angle_3 is 0, and rates that are "
        "not\n"
        "defined are 0; a motion through such an end changes both angles by half a turn.  Rates "
        "are\n"
        "those of the angles, not components of the angular velocity.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2], \"angular_velocity\": [0.1, 0.2, 3]}],"
               " \"joints\": [{\"name\": \"attitude\", \"type\": \"orientation_sensor\", \"a\": "
               "\"ground\","
               " \"b\": \"plate\", \"sequence\": \"zyx\"}], \"simulation\": {\"step\": 0.01,"
               " \"duration\": 1}, \"output\": {\"signals\": [\"attitude\"]}}",
};
