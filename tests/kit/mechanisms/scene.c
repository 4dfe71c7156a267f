/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mechanism.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* A model of the size s has times sqrt(s) and masses s^3: forces are s^3, moments s^4. */

static void put_vector(text *t, const char *key, v3 x) {
  text_printf(t, ", \"%s\": [%.17g, %.17g, %.17g]", key, x.x, x.y, x.z);
}

static void put_frame(text *t, se3 H, double s) {
  put_vector(t, "position", v3_scale(H.x, s));
  text_printf(t, ", \"orientation\": {\"quaternion\": [%.17g, %.17g, %.17g, %.17g]}", H.R.w, H.R.x,
              H.R.y, H.R.z);
}

/* Of all that damps. */
static double loss(const mechanism *m) {
  return m->conservative ? 0 : 1;
}

typedef enum place { START, END } place;

/* The name that markers have of a body's ends. */
static void put_place(text *t, const mechanism *m, int body, place p) {
  const body_kind k = m->body[body].kind;
  text_printf(t, "b%d", body);
  if (k == BEAM || k == CABLE) text_append(t, p == START ? ".start" : ".end");
  if (k == SUPERELEMENT) text_append(t, p == START ? "[0]" : "[1]");
}

static void put_marker(text *t, const char *key, const mechanism *m, const change *c, int body,
                       place p, se3 H) {
  text_printf(t, ", \"%s\": {\"body\": \"", key);
  if (body < 0)
    text_append(t, "ground");
  else
    put_place(t, m, body, p);
  text_append(t, "\"");
  if (mechanism_is_point(m, body)) H.x = v3_zero();
  put_frame(t, body < 0 ? se3_compose(c->move, H) : H, c->s);
  text_append(t, "}");
}

/* ---- bodies
 * ----------------------------------------------------------------------------------------- */

static void put_rigid(text *t, const random_body *b, const change *c) {
  static const char *const groups[] = {"R3xSO3", "SE3", "SO3"};
  text_printf(t, "\"type\": \"rigid_body\", \"mass\": %.17g", b->mass * pow(c->s, 3));
  put_vector(t, "inertia", v3_scale(b->inertia, pow(c->s, 5)));
  put_vector(t, "center_of_mass", v3_scale(b->center, c->s));
  put_frame(t, se3_compose(c->move, b->frame), c->s);
  text_printf(t, ", \"group\": \"%s\"", groups[b->kind]);
  if (!c->rest && v3_norm(b->spin) > 0)
    put_vector(t, "angular_velocity", v3_scale(b->spin, 1 / sqrt(c->s)));
}

/* Two elements whose waves and vibrations have periods of 30 steps and more. */
static void put_beam(text *t, const random_body *b, const change *c) {
  const double EA = pow(c->s, 3), EI = pow(c->s, 5), m = b->mass / 0.4 * c->s * c->s,
               J = 0.04 * m * c->s * c->s;
  text_printf(
      t,
      "\"type\": \"beam\", \"elements\": 2, \"length\": %.17g, \"section\": {\"stiffness\": "
      "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], \"inertia\": [%.17g, %.17g, %.17g, "
      "%.17g, %.17g, %.17g]}",
      0.4 * c->s, 30 * EA, 20 * EA, 25 * EA, 0.4 * EI, 0.6 * EI, 0.5 * EI, m, m, m, 1.5 * J, J,
      1.2 * J);
  put_frame(t, se3_compose(c->move, b->frame), c->s);
  if (b->options & OPTION_CURVED)
    put_vector(t, "curvature", v3_scale((v3){0.3, 0.5, -0.4}, 1 / c->s));
  if (b->options & OPTION_DAMPED) text_printf(t, ", \"damping_factor\": %.17g", 0.01 * sqrt(c->s));
  if (b->options & OPTION_LUMPED) text_append(t, ", \"inertia\": \"lumped\"");
  if (b->options & OPTION_INEXTENSIBLE) text_append(t, ", \"inextensible\": true");
  if (b->options & OPTION_SHEAR_RIGID) text_append(t, ", \"shear_rigid\": true");
  text_printf(t, ", \"group\": \"%s\"", b->options & OPTION_SE3 ? "SE3" : "R3xSO3");
}

/* Where something is given it begins stretched. */
static void put_cable(text *t, const random_body *b, const change *c) {
  text_printf(t,
              "\"type\": \"cable\", \"elements\": 3, \"stiffness\": %.17g, \"density\": %.17g, "
              "\"length\": %.17g",
              20 * pow(c->s, 3), b->mass / 0.4 * c->s * c->s, (c->rest ? 0.4 : 0.38) * c->s);
  put_vector(t, "position", v3_scale(se3_compose(c->move, b->frame).x, c->s));
  put_vector(t, "end", v3_scale(se3_compose(c->move, b->end).x, c->s));
  if (b->options & OPTION_COMPRESSION) text_append(t, ", \"compression\": true");
  if (b->options & OPTION_DAMPED) text_printf(t, ", \"damping_factor\": %.17g", 0.01 * sqrt(c->s));
}

/* An entry of the matrices of a rod; row and column are of displacements (0 to 2) or rotations of
 * either end. */
static double rod_stiffness(int i, int k) {
  const double L = 0.4, EA = 30, GJ = 0.4, EI = 0.5, across = 12 * EI / (L * L * L);
  const double diagonal[6] = {EA / L, across, across, GJ / L, 4 * EI / L, 4 * EI / L};
  const int r = i % 6, q = k % 6;
  const double end = (i < 6 ? 1 : -1), other = (k < 6 ? 1 : -1);
  if (r == q) return r > 3 && i != k ? 2 * EI / L : end * other * diagonal[r];
  const bool z = (r == 2 && q == 4) || (r == 4 && q == 2),
             y = (r == 1 && q == 5) || (r == 5 && q == 1);
  if (!y && !z) return 0;
  const double moved = r < 3 ? end : other; /* the sign of the end that is displaced */
  return (y ? 1 : -1) * moved * across * L / 2;
}

static void put_matrix(text *t, const char *key, const random_body *b, const change *c) {
  const bool stiffness = key[0] == 's';
  text_printf(t, ", \"%s\": [", key);
  for (int i = 0; i < 12; ++i) {
    text_append(t, i ? "], [" : "[");
    for (int k = 0; k < 12; ++k) {
      const int turns = (i % 6 > 2) + (k % 6 > 2);
      const double inertia = i != k ? 0 : turns ? 0.05 : b->mass / 2;
      const double x = stiffness ? rod_stiffness(i, k) : inertia;
      text_printf(t, "%s%.17g", k ? ", " : "", x * pow(c->s, (stiffness ? 2 : 3) + turns));
    }
  }
  text_append(t, "]]");
}

static void put_superelement(text *t, const random_body *b, const change *c) {
  text_printf(
      t,
      "\"type\": \"superelement\", \"interfaces\": [[0, 0, 0], {\"position\": [%.17g, 0, 0], "
      "\"orientation\": {\"rotation_vector\": [0, 0, 0.5]}}], \"group\": \"%s\"",
      0.4 * c->s, b->options & OPTION_SE3 ? "SE3" : "R3xSO3");
  put_frame(t, se3_compose(c->move, b->frame), c->s);
  put_matrix(t, "stiffness", b, c);
  put_matrix(t, "mass", b, c);
  if (b->options & OPTION_DAMPED) text_printf(t, ", \"damping_factor\": %.17g", 0.01 * sqrt(c->s));
}

static void put_body(text *t, const mechanism *m, const change *c, int i) {
  const random_body *b = &m->body[i];
  text_printf(t, "{\"name\": \"b%d\", ", i);
  if (b->kind <= RIGID_SO3) put_rigid(t, b, c);
  if (b->kind == BEAM) put_beam(t, b, c);
  if (b->kind == CABLE) put_cable(t, b, c);
  if (b->kind == SUPERELEMENT) put_superelement(t, b, c);
  if (b->kind == POINT) {
    text_printf(t, "\"type\": \"point_mass\", \"mass\": %.17g", b->mass * pow(c->s, 3));
    put_vector(t, "position", v3_scale(se3_compose(c->move, b->frame).x, c->s));
  }
  text_append(t, "}");
}

/* ---- joints
 * ----------------------------------------------------------------------------------------- */

/* Curves begin, or have their third point, at marker a. */
static void put_curve(text *t, joint_kind j, double s) {
  static const v3 open[] = {
      {-1, 0.2, 0.1}, {-0.5, -0.1, 0}, {0, 0, 0}, {0.5, 0.15, 0.1}, {1, 0, -0.1}};
  static const v3 closed[] = {{0, 0, 0},    {-0.15, 0.35, 0.1}, {-0.5, 0.5, 0},    {-0.9, 0.3, 0},
                              {-1, 0, 0.1}, {-0.8, -0.4, 0},    {-0.5, -0.5, -0.1}};
  const bool loop = j == POINT_ON_LOOP;
  const int count = loop ? sizeof closed / sizeof *closed : sizeof open / sizeof *open;
  text_append(t, ", \"curve\": {\"points\": [");
  for (int i = 0; i < count; ++i) {
    const v3 x = v3_scale(loop ? closed[i] : open[i], s);
    text_printf(t, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", x.x, x.y, x.z);
  }
  text_printf(t, "], \"closed\": %s}", loop ? "true" : "false");
}

static void put_motions(text *t, int bits, const change *c) {
  static const char *const keys[] = {"x", "y", "z", "angle"};
  for (int k = 0; k < 4; ++k)
    if (bits & 1 << k)
      text_printf(t, ", \"%s\": \"%.17g*sin(%d*t/%.17g)^2\"", keys[k],
                  (c->rest ? 0 : 0.2) * (k < 3 ? c->s : 1), 2 + k, sqrt(c->s));
  text_append(t, ", \"axis\": [0.6, 0, 0.8]");
}

static void put_joint(text *t, const mechanism *m, const change *c, int i, const char *name) {
  const joint_kind j = m->joint[i];
  text_printf(t, "{\"name\": \"%s%d\", \"type\": \"%s\"", name, i, mechanism_joints[j].type);
  if (j == POINT_ON_CURVE || j == POINT_ON_LOOP) put_curve(t, j, c->s);
  text_append(t, mechanism_joints[j].more);
  if (j == SCREW) text_printf(t, ", \"pitch\": %.17g", 0.3 * c->s);
  if (j == ROLLING_DISC)
    text_printf(t, ", \"radius\": %.17g, \"tube\": %.17g", 0.2 * c->s, 0.04 * c->s);
  if (j == ROLLING_SPHERE)
    text_printf(t, ", \"radius\": %.17g, \"pivoting\": %s", 0.1 * c->s,
                m->body[i].options & 1 ? "true" : "false");
  if (j == MOTION) put_motions(t, m->given_motions[i], c);
  put_marker(t, "a", m, c, m->parent[i], END, m->a[i]);
  put_marker(t, "b", m, c, i, START, m->b[i]);
  text_append(t, "}");
}

/* A rod from the ground to the last body. */
static void put_closing(text *t, const mechanism *m, const change *c, const char *name) {
  const se3 far = {so3_identity(), v3_add(m->given, (v3){0, 0, 2})}, arm = se3_identity();
  text_printf(t, ", {\"name\": \"%s\", \"type\": \"distance\"", name);
  put_marker(t, "a", m, c, -1, START, far);
  put_marker(t, "b", m, c, MECHANISM_BODIES - 1, END, arm);
  text_append(t, "}");
}

static void put_loop(text *t, const mechanism *m, const change *c) {
  if (m->loop == TWICE) {
    text_append(t, ", ");
    put_joint(t, m, c, m->twice, "again");
  }
  if (m->loop == CLOSED || m->loop == CLOSED_TWICE) put_closing(t, m, c, "rod");
  if (m->loop == CLOSED_TWICE) put_closing(t, m, c, "rod_again");
}

/* ---- forces
 * ----------------------------------------------------------------------------------------- */

static bool is_length(const mechanism *m, int joint) {
  return mechanism_joints[m->joint[joint]].travel;
}

static const char *coordinate_of(const mechanism *m, int joint) {
  return mechanism_joints[m->joint[joint]].coordinate;
}

static void put_coupling(text *t, const mechanism *m, const change *c, int i) {
  const int k = m->partner[i];
  const double L = is_length(m, i) ? c->s : 1, T = sqrt(c->s);
  const double ratio = 0.7 * L / (is_length(m, k) ? c->s : 1);
  text_printf(t, ", \"first\": \"j%d.%s\", \"second\": \"j%d.%s\"", i, coordinate_of(m, i), k,
              coordinate_of(m, k));
  if (m->force[i] == COUPLING)
    text_printf(t, ", \"ratio\": %.17g", ratio);
  else
    text_printf(t,
                ", \"ratio\": \"%.17g*(1 + 0.3*sin(t/%.17g))\", \"rate\": \"%.17g*sin(2*t/%.17g)\"",
                ratio, T, (c->rest ? 0 : 0.3) * L / T, T);
}

static void put_along(text *t, const mechanism *m, const change *c, int i) {
  const force_kind f = m->force[i];
  const bool travel = is_length(m, i);
  const double T = sqrt(c->s), Q = pow(c->s, travel ? 3 : 4), L = travel ? c->s : 1;
  const double off = c->rest ? 0 : 1;
  text_printf(t, ", \"coordinate\": \"j%d.%s\"", i, coordinate_of(m, i));
  if (f == COORDINATE_SPRING)
    text_printf(t, ", \"stiffness\": %.17g, \"damping\": %.17g", 3 * Q / L,
                0.2 * Q * T / L * loss(m));
  if (f == COORDINATE_FORCE) text_printf(t, ", \"effort\": \"%.17g*sin(3*t/%.17g)\"", off * Q, T);
  if (f == FRICTION)
    text_printf(t, ", \"coulomb\": %.17g, \"rate_width\": %.17g", 0.2 * Q, 0.3 * L / T);
  if (f == STOP)
    text_printf(t,
                ", \"lower\": %.17g, \"upper\": %.17g, \"stiffness\": %.17g, \"exponent\": 2, "
                "\"dissipation\": %.17g",
                -0.01 * L, 0.01 * L, 500 * Q / (L * L), 0.3 * T / L * loss(m));
  if (f == ACTUATOR)
    text_printf(t, ", \"target\": \"%.17g*sin(2*t/%.17g)^2\", \"kp\": %.17g, \"kd\": %.17g",
                off * 0.2 * L, T, 5 * Q / L, 0.3 * Q * T / L);
  if (f == DRIVE) text_printf(t, ", \"motion\": \"%.17g*sin(2*t/%.17g)^2\"", off * 0.2 * L, T);
  if (f == VELOCITY_DRIVE)
    text_printf(t, ", \"rate\": \"%.17g*sin(2*t/%.17g)\"", off * 0.4 * L / T, T);
}

static void put_bushing(text *t, const mechanism *m, const change *c, int i) {
  const double s = c->s, k = 20 * s * s, d = pow(s, 2.5) * loss(m);
  put_marker(t, "a", m, c, m->parent[i], END, m->a[i]);
  put_marker(t, "b", m, c, i, START, m->b[i]);
  put_vector(t, "stiffness", (v3){k, 2 * k, 3 * k});
  put_vector(t, "rotational_stiffness",
             (v3){k * s * s, 2 * k * s * s, m->force[i] == AXLE ? 0 : k * s * s});
  put_vector(t, "rotational_damping", (v3){d * s * s, d * s * s, 0.1 * d * s * s});
}

/* Marker a of a pair, of which half begin on the body before: `frame` is where it is in inertial
 * axes. */
static void put_anchor(text *t, const mechanism *m, const change *c, int i, se3 frame) {
  const int parent = m->parent[i];
  const bool before = parent >= 0 && !mechanism_is_point(m, parent) && m->body[i].options & 2;
  if (before)
    put_marker(t, "a", m, c, parent, END, se3_compose(se3_inverse(m->body[parent].end), frame));
  else
    put_marker(t, "a", m, c, -1, START, frame);
}

/* The plane lies by the gap behind a sphere, or a point that has no orientation. */
static void put_contact(text *t, const mechanism *m, const change *c, int i) {
  const double s = c->s, gap = c->rest ? fabs(m->gap[i]) : m->gap[i];
  const double radius = mechanism_is_point(m, i) ? 0 : 0.05;
  const so3 tilt = so3_exp((v3){0.5, 0.2, 0});
  const v3 foot = so3_rotate(tilt, (v3){0.1, 0.2, -radius - gap});
  const se3 ground = {tilt, v3_add(m->body[i].end.x, foot)};
  put_anchor(t, m, c, i, ground);
  put_marker(t, "b", m, c, i, END, se3_identity());
  text_printf(t,
              ", \"radius\": %.17g, \"stiffness\": %.17g, \"exponent\": 2, \"dissipation\": %.17g, "
              "\"friction\": %.17g, \"speed_width\": %.17g",
              radius * s, 3000 * s, 0.3 / sqrt(s) * loss(m), 0.3 * loss(m), 0.2 * sqrt(s));
}

static void put_pair(text *t, const mechanism *m, const change *c, int i) {
  const se3 far = {so3_identity(), v3_add(m->given, (v3){3, 0, 0})};
  const se3 arm = {so3_identity(), v3_scale(m->given, 0.2)};
  put_anchor(t, m, c, i, far);
  put_marker(t, "b", m, c, i, END, arm);
  if (m->force[i] == ATTRACTION)
    text_printf(t, ", \"strength\": %.17g", c->rest ? 0 : 5 * pow(c->s, 5));
  else
    text_printf(t, ", \"stiffness\": %.17g, \"damping\": %.17g", 20 * c->s * c->s,
                pow(c->s, 2.5) * loss(m));
}

static void put_drag(text *t, const mechanism *m, const change *c, int i) {
  put_marker(t, "at", m, c, i, END, (se3){so3_identity(), v3_scale(m->given, 0.2)});
  text_printf(t, ", \"density\": 1.2, \"coefficient\": 1.1, \"area\": %.17g", 0.5 * c->s * c->s);
  const v3 wind = so3_rotate(c->move.R, (v3){1, -2, 0.5});
  put_vector(t, "wind", v3_scale(wind, c->rest ? 0 : sqrt(c->s)));
}

static void put_given(text *t, const mechanism *m, const change *c, int i) {
  const force_kind f = m->force[i];
  const bool body = f == FORCE_ON_BODY;
  const se3 arm = {so3_identity(), v3_scale(m->given, 0.2)};
  const v3 axes = body ? m->given : so3_rotate(c->move.R, m->given);
  const double size = c->rest ? 0 : 2 * pow(c->s, 3);
  put_marker(t, "at", m, c, i, END, arm);
  put_vector(t, "force", v3_scale(axes, size));
  if (body) {
    put_vector(t, "moment", v3_scale((v3){0.3, -0.2, 0.1}, size * c->s));
    text_printf(t, ", \"axes\": \"body\", \"scale\": \"1 + sin(5*t/%.17g)\"", sqrt(c->s));
  }
  if (f == CONTROLLED)
    text_printf(t, ", \"scale\": \"1 - cos(j%d.%s/%.17g)\"", i, coordinate_of(m, i),
                is_length(m, i) ? c->s : 1);
}

static void put_beam_load(text *t, const mechanism *m, const change *c, int i) {
  const bool cable = m->body[i].kind == CABLE,
             body = !cable && !m->conservative && m->body[i].options & 1;
  const v3 axes = body ? m->given : so3_rotate(c->move.R, m->given);
  const double size = c->rest ? 0 : 4 * c->s * c->s;
  text_printf(t, ", \"on\": \"b%d\", \"axes\": \"%s\"", i, body ? "body" : "inertial");
  put_vector(t, "force", v3_scale(axes, size));
  if (!cable && !m->conservative)
    put_vector(t, "moment", v3_scale(v3_neg(axes), 0.1 * size * c->s));
  text_printf(t, ", \"profile\": \"1 + s*sin(4*t/%.17g)\"", sqrt(c->s));
}

static void put_force(text *t, const mechanism *m, const change *c, int i) {
  static const char *const types[] = {[SPRING] = "spring_damper",
                                      [BUSHING] = "bushing",
                                      [AXLE] = "bushing",
                                      [FORCE] = "force",
                                      [FORCE_ON_BODY] = "force",
                                      [ATTRACTION] = "attraction",
                                      [DRAG] = "drag",
                                      [CONTACT] = "contact",
                                      [BEAM_LOAD] = "beam_load",
                                      [COORDINATE_SPRING] = "coordinate_spring",
                                      [COORDINATE_FORCE] = "coordinate_force",
                                      [FRICTION] = "friction",
                                      [STOP] = "stop",
                                      [ACTUATOR] = "actuator",
                                      [CONTROLLED] = "force",
                                      [DRIVE] = "drive",
                                      [VELOCITY_DRIVE] = "velocity_drive",
                                      [COUPLING] = "coupling",
                                      [VELOCITY_COUPLING] = "velocity_coupling"};
  const force_kind f = m->force[i];
  text_printf(t, "{\"name\": \"f%d\", \"type\": \"%s\"", i, types[f]);
  if (f == FORCE || f == FORCE_ON_BODY || f == CONTROLLED)
    put_given(t, m, c, i);
  else if (f == BUSHING || f == AXLE)
    put_bushing(t, m, c, i);
  else if (f == DRAG)
    put_drag(t, m, c, i);
  else if (f == CONTACT)
    put_contact(t, m, c, i);
  else if (f == BEAM_LOAD)
    put_beam_load(t, m, c, i);
  else if (f >= COUPLING)
    put_coupling(t, m, c, i);
  else if (f >= COORDINATE_SPRING)
    put_along(t, m, c, i);
  else
    put_pair(t, m, c, i);
  text_append(t, "}");
}

/* ---- the scene
 * --------------------------------------------------------------------------------------- */

static void put_list(text *t, const mechanism *m, const change *c, bool wanted_joints, int count) {
  for (int k = 0; k < MECHANISM_BODIES; ++k) {
    const int i = c->reversed ? MECHANISM_BODIES - 1 - k : k;
    if (mechanism_constrains(m->force[i]) != wanted_joints) continue;
    if (count++) text_append(t, ", ");
    put_force(t, m, c, i);
  }
}

static void put_simulation(text *t, const change *c) {
  const double T = sqrt(c->s);
  text_printf(t, "\"simulation\": {\"duration\": %.17g", c->step * MECHANISM_STEPS * T);
  if (!c->no_step) text_printf(t, ", \"step\": %.17g", c->step * T / (c->parts ? c->parts : 1));
  text_printf(t, "%s}", c->simulation ? c->simulation : "");
}

static void put_output(text *t, const mechanism *m) {
  text_append(t, "\"output\": {\"signals\": [");
  for (int i = 0; i < MECHANISM_BODIES; ++i) {
    text_append(t, "\"");
    put_place(t, m, i, END);
    text_append(t, ".position\", ");
    if (mechanism_is_point(m, i)) continue;
    text_append(t, "\"");
    put_place(t, m, i, END);
    text_append(t, ".quaternion\", ");
  }
  text_append(t, "\"momentum\", \"impulse\", \"angular_momentum\", \"angular_impulse\", "
                 "\"energy.balance\"]}");
}

char *mechanism_scene(const mechanism *m, const change *c) {
  text t = {0};
  const v3 g = so3_rotate(c->move.R, (v3){1, 2, -9});
  text_append(&t, "{\"torsor\": 1");
  put_vector(&t, "gravity", v3_scale(g, c->rest ? 0 : 1));
  text_append(&t, ", \"bodies\": [");
  for (int k = 0; k < MECHANISM_BODIES; ++k) {
    text_append(&t, k ? ", " : "");
    put_body(&t, m, c, c->reversed ? MECHANISM_BODIES - 1 - k : k);
  }
  text_append(&t, "], \"joints\": [");
  for (int k = 0; k < MECHANISM_BODIES; ++k) {
    text_append(&t, k ? ", " : "");
    put_joint(&t, m, c, c->reversed ? MECHANISM_BODIES - 1 - k : k, "j");
  }
  put_loop(&t, m, c);
  put_list(&t, m, c, true, MECHANISM_BODIES);
  text_append(&t, "], \"forces\": [");
  put_list(&t, m, c, false, 0);
  text_append(&t, "], ");
  put_simulation(&t, c);
  text_append(&t, ", ");
  put_output(&t, m);
  text_append(&t, "}");
  return text_take(&t);
}
