/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "robots/write.h"

/* Depth in a stop under the effort of the joint or its load: rad or m. */
static const double STOP_DEPTH_ANGLE = 0.02, STOP_DEPTH_TRAVEL = 1e-3;
/* Way on which friction that sticks builds up: rad or m. */
static const double STICK_ANGLE = 1e-3, STICK_TRAVEL = 1e-4;

static const char *word_of(const robot_joint *j) {
  return j->kind == ROBOT_PRISMATIC ? "travel" : "angle";
}

static bool has_coordinate(const robot_joint *j) {
  return (j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC) && !j->closes &&
         !j->child->left_out;
}

/* Is there a joint in the scene?  What is merged or left out has none, and what is free. */
static bool is_written(const robot_joint *j) {
  if (j->child->left_out || j->parent->left_out || j->kind == ROBOT_FREE) return false;
  return j->closes || j->kind != ROBOT_FIXED;
}

static bool is_driven(const robot_joint *j) {
  return has_coordinate(j) && j->actuated;
}

static const char *rate_of(const robot_joint *j) {
  return j->kind == ROBOT_PRISMATIC ? "speed" : "rate";
}

void write_inputs(text *t, const robot *r) {
  const char *comma = "  \"inputs\": {\n";
  for (const robot_joint *j = r->joint; j; j = j->next) {
    if (!is_driven(j)) continue;
    text_printf(t, "%s    \"tau_%s\": {\"value\": 0, \"unit\": \"%s\"}", comma, j->in_scene,
                j->kind == ROBOT_PRISMATIC ? "N" : "N m");
    comma = ",\n";
  }
  for (const robot_actuator *a = r->actuator; a; a = a->next) {
    if (!has_coordinate(a->joint)) continue;
    text_printf(t, "%s    \"u_%s\": {\"value\": 0}", comma, a->in_scene);
    comma = ",\n";
  }
  if (comma[0] == ',') text_append(t, "\n  },\n");
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void write_marker(text *t, const char *key, const robot_link *l, const robot_pose *pose) {
  text inner = {0};
  write_pose(&inner, pose);
  text_printf(t, ", \"%s\": ", key);
  if (inner.length) text_append(t, "{\"body\": ");
  write_reference(t, l);
  if (inner.length) text_printf(t, "%s}", inner.data);
  t->failed |= inner.failed;
  text_release(&inner);
}

static void write_axis(text *t, const robot_joint *j) {
  double axis[3];
  v3_store(axis, j->axis);
  if (j->kind == ROBOT_FIXED || j->kind == ROBOT_BALL) return;
  write_numbers(t, j->kind == ROBOT_PLANAR ? "normal" : "axis", axis, 3);
  if (!j->closes || j->kind == ROBOT_PRISMATIC) return;
  write_numbers(t, j->kind == ROBOT_PLANAR ? "normal_b" : "axis_b", axis, 3);
}

static void write_joint(text *t, const robot_joint *j) {
  static const char *const kinds[] = {"weld", "revolute", "prismatic", "planar", "", "spherical"};
  text_printf(t, "{\"name\": \"%s\", \"type\": \"%s\"", j->in_scene, kinds[j->kind]);
  write_axis(t, j);
  write_marker(t, "a", j->parent, &j->pose);
  write_marker(t, "b", j->child, &j->pose_b);
  if (!j->closes) {
    text_append(t, ", \"start\": {");
    if (has_coordinate(j)) {
      text_printf(t, "\"%s\": ", word_of(j));
      write_number(t, j->start);
    }
    text_append(t, "}");
  }
  text_append(t, "}");
}

/* Coordinate - ratio times that of the leader = offset. */
static void write_coupling(text *t, const robot_joint *j) {
  text_printf(t,
              "{\"name\": \"%s_mimic\", \"type\": \"coupling\", \"first\": \"%s.%s\", "
              "\"second\": \"%s.%s\"",
              j->in_scene, j->in_scene, word_of(j), j->leader->in_scene, word_of(j->leader));
  write_value(t, "ratio", -j->ratio);
  write_value(t, "value", j->offset);
  text_append(t, "}");
}

static void begin_item(text *t, const char *list, bool *any) {
  if (*any)
    text_append(t, ",\n    ");
  else
    text_printf(t, ",\n  \"%s\": [\n    ", list);
  *any = true;
}

void write_joints(text *t, const robot *r) {
  bool any = false;
  for (int i = 0; i < r->links; ++i) {
    const robot_joint *j = r->link_order[i]->up;
    if (!j || !is_written(j)) continue;
    begin_item(t, "joints", &any);
    write_joint(t, j);
  }
  for (const robot_joint *j = r->joint; j; j = j->next) {
    if (!j->closes || !is_written(j)) continue;
    begin_item(t, "joints", &any);
    write_joint(t, j);
  }
  for (const robot_joint *j = r->joint; j; j = j->next) {
    if (!j->leader || !has_coordinate(j)) continue;
    begin_item(t, "joints", &any);
    write_coupling(t, j);
  }
  if (any) text_append(t, "\n  ]");
}

/* ---- forces ---------------------------------------------------------------------------------- */

static void begin_force(text *t, bool *any, const robot_joint *j, const char *ending,
                        const char *type) {
  begin_item(t, "forces", any);
  text_printf(t, "{\"name\": \"%s_%s\", \"type\": \"%s\", \"coordinate\": \"%s.%s\"", j->in_scene,
              ending, type, j->in_scene, word_of(j));
}

static double round_figure(double x) {
  const double scale = pow(10, floor(log10(x)));
  return round(x / scale) * scale;
}

static void write_motor(text *t, bool *any, const robot_joint *j) {
  begin_force(t, any, j, "motor", "coordinate_force");
  if (j->has_effort) {
    text_printf(t, ", \"effort\": \"min(max(tau_%s, -", j->in_scene);
    write_number(t, j->effort);
    text_append(t, "), ");
    write_number(t, j->effort);
    text_append(t, ")\"}");
  } else {
    text_printf(t, ", \"effort\": \"tau_%s\"}", j->in_scene);
  }
}

/* A file has no stiffness of stops: they yield by a small depth under what the joint bears. */
static void write_stop(text *t, bool *any, const robot_joint *j) {
  const bool slides = j->kind == ROBOT_PRISMATIC;
  const double depth = slides ? STOP_DEPTH_TRAVEL : STOP_DEPTH_ANGLE;
  const double effort = fmax(j->effort, j->load);
  begin_force(t, any, j, "stop", "stop");
  write_value(t, "lower", j->lower);
  write_value(t, "upper", j->upper);
  write_value(t, "stiffness", round_figure((effort > 0 ? effort : 1) / pow(depth, 1.5)));
  text_printf(t, ", \"dissipation\": %d}", slides ? 10 : 1);
}

static void write_friction(text *t, bool *any, const robot_joint *j) {
  const double way = j->kind == ROBOT_PRISMATIC ? STICK_TRAVEL : STICK_ANGLE;
  begin_force(t, any, j, "friction", "friction");
  write_value(t, "coulomb", j->friction);
  if (j->damping > 0) write_value(t, "viscous", j->damping);
  write_value(t, "stick_stiffness", round_figure(j->friction / way));
  text_append(t, "}");
}

/* The spring damps where friction does not. */
static void write_spring(text *t, bool *any, const robot_joint *j) {
  const bool damps = j->damping > 0 && !(j->friction > 0);
  begin_force(t, any, j, j->stiffness > 0 ? "spring" : "damper", "coordinate_spring");
  if (j->stiffness > 0) write_value(t, "stiffness", j->stiffness);
  if (damps) write_value(t, "damping", j->damping);
  if (j->stiffness > 0 && j->rest != 0) write_value(t, "rest", j->rest);
  text_append(t, "}");
}

/* A term `+ c*word`, or nothing where c is 0. */
static void add_term(text *t, double c, const char *joint, const char *word) {
  if (c == 0) return;
  text_append(t, c < 0 ? " - " : " + ");
  write_number(t, fabs(c));
  if (joint) text_printf(t, "*%s.%s", joint, word);
}

static void begin_limits(text *t, bool limited) {
  if (limited) text_append(t, "min(max(");
}

static void end_limits(text *t, bool limited, const double range[2]) {
  if (!limited) return;
  text_append(t, ", ");
  write_number(t, range[0]);
  text_append(t, "), ");
  write_number(t, range[1]);
  text_append(t, ")");
}

/* See robot_actuator. */
static void write_actuator(text *t, bool *any, const robot_actuator *a) {
  const robot_joint *j = a->joint;
  begin_item(t, "forces", any);
  text_printf(
      t,
      "{\"name\": \"%s_actuator\", \"type\": \"coordinate_force\", \"coordinate\": \"%s.%s\", "
      "\"effort\": \"",
      a->in_scene, j->in_scene, word_of(j));
  if (a->gear != 1) {
    write_number(t, a->gear);
    text_append(t, "*(");
  }
  begin_limits(t, a->force_limited);
  if (a->gain != 1) {
    write_number(t, a->gain);
    text_append(t, "*");
  }
  begin_limits(t, a->input_limited);
  text_printf(t, "u_%s", a->in_scene);
  end_limits(t, a->input_limited, a->input);
  add_term(t, a->bias[0], NULL, NULL);
  add_term(t, a->bias[1] * a->gear, j->in_scene, word_of(j));
  add_term(t, a->bias[2] * a->gear, j->in_scene, rate_of(j));
  end_limits(t, a->force_limited, a->force);
  text_append(t, a->gear != 1 ? ")\"}" : "\"}");
}

void write_forces(text *t, const robot *r) {
  bool any = false;
  for (const robot_joint *j = r->joint; j; j = j->next) {
    if (!has_coordinate(j)) continue;
    if (is_driven(j)) write_motor(t, &any, j);
    if (j->has_limits && !j->leader) write_stop(t, &any, j);
    if (j->friction > 0) write_friction(t, &any, j);
    if (j->stiffness > 0 || (j->damping > 0 && !(j->friction > 0))) write_spring(t, &any, j);
  }
  for (const robot_actuator *a = r->actuator; a; a = a->next)
    if (has_coordinate(a->joint)) write_actuator(t, &any, a);
  if (any) text_append(t, "\n  ]");
}
