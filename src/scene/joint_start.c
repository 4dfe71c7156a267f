/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/joint_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/physical.h"

#define PI 3.14159265358979323846

/* Rounding of half a turn that was computed. */
static const double ROUNDING = 1e-12;

enum { MOST = 6 };

/* The coordinates of joints slide along or turn about an axis, or slide across it. */
typedef enum effect { NONE, SLIDES, TURNS, SLIDES_X, SLIDES_Y } effect;

typedef struct coordinate {
  const char *key, *rate;
  effect effect;
} coordinate;

static const struct start_type {
  const char *name, *axis, *axis_b;
  coordinate coordinate[MOST / 2];
} types[] = {
    {"weld", NULL, NULL, {{NULL, NULL, NONE}}},
    {"revolute", "axis", "axis_b", {{"angle", "rate", TURNS}}},
    {"prismatic", "axis", NULL, {{"travel", "speed", SLIDES}}},
    {"cylindrical", "axis", "axis_b", {{"travel", "speed", SLIDES}, {"angle", "rate", TURNS}}},
    {"screw", "axis", "axis_b", {{"travel", "speed", SLIDES}, {"angle", "rate", TURNS}}},
    {"planar",
     "normal",
     "normal_b",
     {{"x", "x_speed", SLIDES_X}, {"y", "y_speed", SLIDES_Y}, {"angle", "rate", TURNS}}},
    {"spherical", NULL, NULL, {{NULL, NULL, NONE}}},
};
enum { TYPES = sizeof types / sizeof *types };

static const struct start_type *find_type(const char *name) {
  for (int i = 0; i < TYPES; ++i)
    if (strcmp(types[i].name, name) == 0) return &types[i];
  return NULL;
}

bool joint_start_known(const char *type) {
  return find_type(type) != NULL;
}

/* Reads a coordinate or a rate that may be left out. */
static torsor_status read_value(double *out, bool *given, const reader *r, const json_node *start,
                                const char *key) {
  const json_node node = json_member(start, key);
  *out = 0;
  if (!node.item) return TORSOR_OK;
  *given = true;
  return reader_number(out, r, &node);
}

/* Reads an angle, which counts from the position in which the frames of the markers agree. */
static torsor_status check_angle(double angle, const reader *r, const json_node *start,
                                 const char *key) {
  const json_node node = json_member(start, key);
  if (fabs(angle) <= PI + ROUNDING) return TORSOR_OK;
  return reader_fail(r, &node, "in radians, or \"30 deg\"; turns are counted from the start on",
                     "must be an angle of at most half a turn, but is %g rad", angle);
}

static void add(joint_start *out, effect what, v3 axis, double value, double rate) {
  const v3 e1 = v3_across(axis), e2 = v3_cross(axis, e1);
  const v3 way = what == SLIDES_X ? e1 : what == SLIDES_Y ? e2 : axis;
  if (what == TURNS) {
    out->frame.R = so3_exp(v3_scale(axis, value));
    out->spin = v3_scale(axis, rate);
  } else {
    out->frame.x = v3_axpy(value, way, out->frame.x);
    out->velocity = v3_axpy(rate, way, out->velocity);
  }
}

static torsor_status read_axis(v3 *out, const struct start_type *type, const reader *r,
                               const json_node *joint) {
  *out = (v3){0, 0, 1};
  if (!type->axis) return TORSOR_OK;
  const json_node axis = json_member(joint, type->axis);
  if (type->axis_b) {
    const json_node other = json_member(joint, type->axis_b);
    if (other.item)
      return reader_fail_key(r, &other, "turn marker b by its \"orientation\" instead",
                             "\"%s\" has no place beside \"start\", which makes the frames of the "
                             "markers agree at 0",
                             type->axis_b);
  }
  return axis.item ? physical_direction(out, r, &axis) : TORSOR_OK;
}

/* A screw advances as it turns: the coordinate that is left out follows from the pitch. */
static torsor_status complete_screw(double value[2], const bool given[2], const reader *r,
                                    const json_node *joint) {
  const json_node node = json_member(joint, "pitch");
  double pitch = 0;
  const torsor_status status = reader_number(&pitch, r, &node);
  if (status || (given[0] && given[1])) return status;
  if (given[1]) value[0] = value[1] * pitch / (2 * PI);
  if (given[0] && pitch != 0) value[1] = value[0] / pitch * 2 * PI;
  return TORSOR_OK;
}

static torsor_status read_coordinates(joint_start *out, const struct start_type *type,
                                      const reader *r, const json_node *joint,
                                      const json_node *start) {
  const coordinate *c = type->coordinate;
  double value[MOST / 2] = {0}, rate[MOST / 2] = {0};
  bool given[MOST / 2] = {false}, moving[MOST / 2] = {false};
  v3 axis;
  torsor_status status = read_axis(&axis, type, r, joint);
  for (int i = 0; i < MOST / 2 && c[i].key && !status; ++i) {
    status = read_value(&value[i], &given[i], r, start, c[i].key);
    if (!status) status = read_value(&rate[i], &moving[i], r, start, c[i].rate);
  }
  const bool screw = strcmp(type->name, "screw") == 0;
  if (screw && !status) status = complete_screw(value, given, r, joint);
  if (screw && !status) status = complete_screw(rate, moving, r, joint);
  for (int i = 0; i < MOST / 2 && c[i].key && !status; ++i) {
    if (c[i].effect == TURNS) status = check_angle(value[i], r, start, c[i].key);
    add(out, c[i].effect, axis, value[i], rate[i]);
    out->moves |= moving[i];
  }
  return status;
}

static torsor_status read_spherical(joint_start *out, const reader *r, const json_node *start) {
  const json_node orientation = json_member(start, "orientation");
  const json_node spin = json_member(start, "angular_velocity");
  torsor_status status = TORSOR_OK;
  if (orientation.item) status = physical_orientation(&out->frame.R, r, &orientation);
  if (!status && spin.item) status = reader_vector(&out->spin, r, &spin);
  out->moves = spin.item != NULL;
  return status;
}

static torsor_status fail_type(const reader *r, const char *name, const json_node *start) {
  return reader_fail_key(r, start,
                         "weld, revolute, prismatic, cylindrical, screw, planar, spherical; place "
                         "the body by \"position\" and \"orientation\"",
                         "a %s places no body by \"start\"", name);
}

torsor_status joint_start_read(joint_start *out, const reader *r, const char *name,
                               const json_node *joint) {
  const json_node start = json_member(joint, "start");
  const struct start_type *type = find_type(name);
  const char *keys[MOST + 2];
  int count = 0;
  *out = (joint_start){.frame = se3_identity()};
  if (!type) return fail_type(r, name, &start);
  const bool spherical = strcmp(name, "spherical") == 0;
  if (spherical) {
    keys[count++] = "orientation";
    keys[count++] = "angular_velocity";
  }
  for (int i = 0; i < MOST / 2 && type->coordinate[i].key; ++i) {
    keys[count++] = type->coordinate[i].key;
    keys[count++] = type->coordinate[i].rate;
  }
  const torsor_status status = reader_object(r, &start, "the start of a joint", keys, count);
  if (status) return status;
  return spherical ? read_spherical(out, r, &start) : read_coordinates(out, type, r, joint, &start);
}
