/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robots/mjcf.h"

/* ---- defaults -------------------------------------------------------------------------------- */

/* The <default> of a class within those from `node` on. */
static const xml_node *find_class(const xml_node *node, const char *name) {
  for (const xml_node *d = xml_find(node, "default"); d; d = xml_find(d->next, "default")) {
    const char *class = xml_value(d, "class");
    if (class && strcmp(class, name) == 0) return d;
    const xml_node *inner = d->child ? find_class(d->child, name) : NULL;
    if (inner) return inner;
  }
  return NULL;
}

/* The class "main" is the outermost <default>, whether it has that name or none. */
static const xml_node *class_of(const mjcf *m, const char *name) {
  const xml_node *found = name ? find_class(m->top->child, name) : NULL;
  return found || (name && strcmp(name, "main") != 0) ? found : xml_child(m->top, "default");
}

static const char *of_default(const xml_node *d, const char *kind, const char *key) {
  for (; d && strcmp(d->name, "default") == 0; d = d->up) {
    const char *value = xml_value(xml_child(d, kind), key);
    if (value) return value;
  }
  return NULL;
}

const char *mjcf_value(const mjcf_element *e, const char *key) {
  const char *own = xml_value(e->node, key), *class = xml_value(e->node, "class");
  if (own) return own;
  return of_default(class_of(e->m, class ? class : e->inherited), e->node->name, key);
}

bool mjcf_is(const mjcf_element *e, const char *key, const char *word) {
  const char *value = mjcf_value(e, key);
  return value && strcmp(value, word) == 0;
}

torsor_status mjcf_check_class(const mjcf_element *e, const char *key) {
  const char *class = xml_value(e->node, key);
  if (!class || class_of(e->m, class)) return TORSOR_OK;
  return robot_fail(e->m->r, e->node->line, "a <default> of that class has to stand in the file",
                    "there is no class \"%.60s\"", class);
}

const char *mjcf_made_name(const mjcf *m, const char *first, const char *second) {
  char words[128];
  snprintf(words, sizeof words, "%.60s/%s", first, second ? second : "");
  return arena_string(&m->r->memory, words);
}

/* ---- numbers --------------------------------------------------------------------------------- */

torsor_status mjcf_read_some(double *out, int *count, int least, const mjcf_element *e,
                             const char *key) {
  const char *given = mjcf_value(e, key);
  if (given) return robot_numbers(out, count, least, e->m->r, e->node, key, given);
  *count = 0;
  return TORSOR_OK;
}

torsor_status mjcf_read(double *out, int count, const mjcf_element *e, const char *key) {
  return mjcf_read_some(out, &count, count, e, key);
}

torsor_status mjcf_read_vector(v3 *out, const mjcf_element *e, const char *key) {
  double x[3];
  v3_store(x, *out);
  const torsor_status status = mjcf_read(x, 3, e, key);
  *out = v3_load(x);
  return status;
}

torsor_status mjcf_read_range(double range[2], bool *limits, const mjcf_element *e, const char *key,
                              const char *limited) {
  const char *given = mjcf_value(e, key);
  const torsor_status status = mjcf_read(range, 2, e, key);
  *limits =
      given && !mjcf_is(e, limited, "false") && (e->m->auto_limits || mjcf_is(e, limited, "true"));
  if (status || !*limits || range[0] < range[1]) return status;
  if (range[0] == 0 && range[1] == 0) { /* the default, which limits nothing */
    *limits = false;
    return TORSOR_OK;
  }
  return robot_fail(e->m->r, e->node->line, NULL, "\"%s\" of <%s> must rise, but is \"%.60s\"", key,
                    e->node->name, given);
}

/* ---- frames ---------------------------------------------------------------------------------- */

robot_pose mjcf_pose_of(se3 frame) {
  robot_pose out = {.x = frame.x, .form = ROBOT_QUATERNION, .R = frame.R};
  const double q[4] = {frame.R.w, frame.R.x, frame.R.y, frame.R.z};
  memcpy(out.number, q, sizeof q);
  if (v3_norm((v3){q[1], q[2], q[3]}) == 0) out.form = ROBOT_NO_TURN;
  return out;
}

static torsor_status fail_axes(const mjcf_element *e, const char *key) {
  return robot_fail(e->m->r, e->node->line, NULL, "\"%s\" of <%s> gives no direction", key,
                    e->node->name);
}

/* Turns by angles about axes, which move along with the body where they are small letters. */
static torsor_status read_euler(so3 *R, const mjcf_element *e) {
  double angle[3];
  const torsor_status status = mjcf_read(angle, 3, e, "euler");
  for (int i = 0; i < 3 && !status; ++i) {
    const char letter = e->m->euler[i];
    double n[3] = {0};
    n[tolower((unsigned char)letter) - 'x'] = e->m->unit * angle[i];
    const so3 turn = so3_exp(v3_load(n));
    *R = islower((unsigned char)letter) ? so3_compose(*R, turn) : so3_compose(turn, *R);
  }
  return status;
}

static so3 of_columns(v3 x, v3 y, v3 z) {
  const m3 R = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  return so3_from_matrix(R);
}

static torsor_status read_axes(so3 *R, const mjcf_element *e) {
  double n[6];
  const torsor_status status = mjcf_read(n, 6, e, "xyaxes");
  if (status) return status;
  v3 x = v3_load(n), y = v3_load(n + 3);
  if (!(v3_norm(x) > 0)) return fail_axes(e, "xyaxes");
  x = v3_unit(x);
  y = v3_axpy(-v3_dot(x, y), x, y);
  if (!(v3_norm(y) > 0)) return fail_axes(e, "xyaxes");
  y = v3_unit(y);
  *R = of_columns(x, y, v3_cross(x, y));
  return TORSOR_OK;
}

/* The smallest rotation that takes z to the axis. */
static so3 from_z(v3 axis) {
  const v3 n = v3_unit(axis), turn = v3_cross((v3){0, 0, 1}, n);
  const double sine = v3_norm(turn), angle = atan2(sine, n.z);
  if (sine > 0) return so3_exp(v3_scale(turn, angle / sine));
  return so3_exp((v3){n.z < 0 ? M_PI : 0, 0, 0});
}

static torsor_status read_quaternion(so3 *R, const mjcf_element *e) {
  double q[4];
  const torsor_status status = mjcf_read(q, 4, e, "quat");
  if (status) return status;
  const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(size > 0)) return fail_axes(e, "quat");
  *R = so3_from_quaternion(q[0], q[1], q[2], q[3]);
  return TORSOR_OK;
}

static torsor_status read_axis_angle(so3 *R, const mjcf_element *e) {
  double n[4];
  const torsor_status status = mjcf_read(n, 4, e, "axisangle");
  if (status) return status;
  if (!(v3_norm(v3_load(n)) > 0)) return fail_axes(e, "axisangle");
  *R = so3_exp(v3_scale(v3_unit(v3_load(n)), e->m->unit * n[3]));
  return TORSOR_OK;
}

static torsor_status read_z(so3 *R, const mjcf_element *e) {
  v3 axis = {0, 0, 0};
  const torsor_status status = mjcf_read_vector(&axis, e, "zaxis");
  if (status) return status;
  if (!(v3_norm(axis) > 0)) return fail_axes(e, "zaxis");
  *R = from_z(axis);
  return TORSOR_OK;
}

/* Two ends of a geom along its axis. */
static torsor_status read_ends(se3 *out, const mjcf_element *e) {
  double n[6];
  const torsor_status status = mjcf_read(n, 6, e, "fromto");
  if (status) return status;
  const v3 a = v3_load(n), b = v3_load(n + 3), along = v3_sub(b, a);
  if (!(v3_norm(along) > 0)) return fail_axes(e, "fromto");
  *out = (se3){from_z(along), v3_scale(v3_add(a, b), 0.5)};
  return TORSOR_OK;
}

torsor_status mjcf_read_pose(robot_pose *out, const mjcf_element *e) {
  se3 frame = se3_identity();
  torsor_status status = mjcf_read_vector(&frame.x, e, "pos");
  if (status) return status;
  if (mjcf_value(e, "fromto"))
    status = read_ends(&frame, e);
  else if (mjcf_value(e, "quat"))
    status = read_quaternion(&frame.R, e);
  else if (mjcf_value(e, "axisangle"))
    status = read_axis_angle(&frame.R, e);
  else if (mjcf_value(e, "xyaxes"))
    status = read_axes(&frame.R, e);
  else if (mjcf_value(e, "zaxis"))
    status = read_z(&frame.R, e);
  else if (mjcf_value(e, "euler"))
    status = read_euler(&frame.R, e);
  *out = mjcf_pose_of(frame);
  return status;
}
