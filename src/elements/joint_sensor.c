/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/sensor_kit.h"

typedef struct joint_sensor_data {
  torsor_joint joint;
} joint_sensor_data;

static const torsor_param params[] = {
    SENSOR_MARKERS(joint_sensor_data, "marker that it measures from, in its axes", 0), {0}};

enum { DISTANCE = 3 };

/* The distance has no gradient where the markers coincide: 0 is used there. */
static void find_distance(torsor_coordinate_out *out, const torsor_relative_in *in) {
  out->value = v3_norm(in->p);
  const double nearness = out->value > 0 ? 1 / out->value : 0;
  const v3 n = m3_tmulv(in->R, v3_scale(in->p, nearness));
  tw_store(out->J, (twist){.lin = n});
  if (!out->second) return;
  const m3 across = m3_sub(m3_identity(), m3_outer(n, n));
  torsor_coordinate_bend(out, n, m3_scale(across, nearness));
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  static const v3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  (void)self;
  if (index == DISTANCE)
    find_distance(out, in);
  else
    torsor_coordinate_along(out, axis[index], in);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_sensor_data *data = self;
  return sensor_prepare(&data->joint, setup, 4, coordinate, error);
}

static const torsor_coordinate coordinates[] = {{"x", "x_speed", "m", 0},
                                                {"y", "y_speed", "m", 0},
                                                {"z", "z_speed", "m", 0},
                                                {"distance", "distance_speed", "m", 0},
                                                {0}};

const torsor_element_type joint_sensor = {
    SENSOR_TABLE(joint_sensor_data),
    .name = "sensor",
    .title = "measures where marker b is as seen from marker a; constrains nothing",
    .doc = "No rows.  Coordinates: x, y, z (m) of b along the axes of a, which may turn, distance "
           "(m) of\n"
           "the markers, and their rates (that of the distance is taken as 0 where they meet).  "
           "Forces\n"
           "may use them as those of any joint: \"probe.x\", \"probe.x_speed\".",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2], \"position\": [0.4, 0.3, 0.5]}],"
               " \"joints\": [{\"name\": \"probe\", \"type\": \"sensor\", \"a\": \"ground\","
               " \"b\": {\"body\": \"plate\", \"position\": [0.1, 0, 0]}}], \"forces\": ["
               "{\"name\": \"hold\", \"type\": \"force\", \"at\": \"plate\", \"force\": [1, 0, 0],"
               " \"scale\": \"-30*(probe.x - 0.4) - 2*probe.x_speed\"}]}",
};
