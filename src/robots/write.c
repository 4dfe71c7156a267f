/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robots/robot.h"
#include "robots/write.h"

/* ---- numbers --------------------------------------------------------------------------------- */

void write_number(text *t, double value) {
  char digits[32];
  if (fabs(value) < 1e9 && value == floor(value)) {
    text_printf(t, "%.0f", value == 0 ? 0 : value);
    return;
  }
  for (int places = 1; places <= 17; ++places) {
    snprintf(digits, sizeof digits, "%.*g", places, value);
    if (strtod(digits, NULL) == value) break;
  }
  text_append(t, digits);
}

void write_numbers(text *t, const char *key, const double *value, int count) {
  text_printf(t, ", \"%s\": [", key);
  for (int i = 0; i < count; ++i) {
    if (i) text_append(t, ", ");
    write_number(t, value[i]);
  }
  text_append(t, "]");
}

void write_value(text *t, const char *key, double value) {
  text_printf(t, ", \"%s\": ", key);
  write_number(t, value);
}

static void write_vector(text *t, const char *key, v3 x) {
  double value[3];
  v3_store(value, x);
  write_numbers(t, key, value, 3);
}

/* The numbers of the file, or of a frame that was computed. */
static void write_orientation(text *t, const robot_pose *pose) {
  const double *n = pose->number, zyx[3] = {n[2], n[1], n[0]};
  if (pose->form == ROBOT_NO_TURN) return;
  text_append(t, ", \"orientation\": {");
  text inner = {0};
  if (pose->form == ROBOT_RPY) {
    text_append(t, "\"euler\": \"zyx\"");
    write_numbers(&inner, "angles", zyx, 3);
  } else {
    write_numbers(&inner, "quaternion", n, 4);
  }
  if (inner.data) text_append(t, inner.data + (pose->form == ROBOT_RPY ? 0 : 2));
  t->failed |= inner.failed;
  text_release(&inner);
  text_append(t, "}");
}

void write_pose(text *t, const robot_pose *pose) {
  if (v3_norm(pose->x) > 0) write_vector(t, "position", pose->x);
  write_orientation(t, pose);
}

static robot_pose pose_of(se3 frame) {
  robot_pose out = {.x = frame.x, .form = ROBOT_QUATERNION, .R = frame.R};
  const double q[4] = {frame.R.w, frame.R.x, frame.R.y, frame.R.z};
  memcpy(out.number, q, sizeof q);
  if (v3_norm(so3_log(frame.R)) == 0) out.form = ROBOT_NO_TURN;
  return out;
}

static bool is_identity(se3 frame) {
  return v3_norm(frame.x) == 0 && v3_norm(so3_log(frame.R)) == 0;
}

/* A frame in a link as one in the body of which it is a part; the numbers stay where they are one.
 */
static robot_pose in_body(const robot_link *l, const robot_pose *pose) {
  return is_identity(l->in_body) ? *pose : pose_of(se3_compose(l->in_body, robot_frame(pose)));
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void write_solid(text *t, const robot_link *l, const robot_solid *s) {
  static const char *const kinds[] = {"box", "sphere", "cylinder", "capsule"};
  const robot_pose pose = in_body(l, &s->pose);
  text_printf(t, "{\"type\": \"%s\"", kinds[s->kind]);
  if (s->kind == ROBOT_BOX) write_vector(t, "size", s->size);
  if (s->kind != ROBOT_BOX) write_value(t, "radius", s->radius);
  if (s->kind == ROBOT_CYLINDER || s->kind == ROBOT_CAPSULE) write_value(t, "length", s->length);
  write_pose(t, &pose);
  if (s->colored)
    text_printf(t, ", \"color\": \"#%02x%02x%02x\"", (unsigned)lround(255 * s->color[0]),
                (unsigned)lround(255 * s->color[1]), (unsigned)lround(255 * s->color[2]));
  text_append(t, "}");
}

/* Shapes of all parts of a body (NULL: of the ground): what is seen, or else what touches. */
static void write_shapes(text *t, const robot *r, const robot_link *body) {
  bool any = false;
  for (int i = 0; i < r->links; ++i) {
    const robot_link *l = r->link_order[i];
    if (l->body != body) continue;
    for (const robot_solid *s = l->visual ? l->visual : l->collision; s; s = s->next) {
      text_append(t, any ? ",\n       " : ",\n     \"shape\": [");
      write_solid(t, l, s);
      any = true;
    }
  }
  if (any) text_append(t, "]");
}

/* Links that are parts of a body stay known as its markers. */
static void write_markers(text *t, const robot *r, const robot_link *body) {
  bool any = false;
  for (int i = 0; i < r->links; ++i) {
    const robot_link *l = r->link_order[i];
    if (l->body != body || l == body || !l->up) continue;
    const robot_pose pose = is_identity(l->up->parent->in_body) ? l->up->pose : pose_of(l->in_body);
    text inner = {0};
    write_pose(&inner, &pose);
    text_append(t, any ? ", " : ",\n     \"markers\": {");
    text_printf(t, "\"%s\": {%s}", l->in_scene, inner.data ? inner.data + 2 : "");
    t->failed |= inner.failed;
    text_release(&inner);
    any = true;
  }
  if (any) text_append(t, "}");
}

static void write_six(text *t, const double *moments, const double *products,
                      const robot_pose *axes) {
  const bool mixed = products[0] != 0 || products[1] != 0 || products[2] != 0;
  if (!mixed && axes->form == ROBOT_NO_TURN) {
    write_numbers(t, "inertia", moments, 3);
    return;
  }
  text inner = {0};
  write_numbers(&inner, "moments", moments, 3);
  if (mixed) {
    write_numbers(&inner, "products", products, 3);
    text_append(&inner, ", \"products_are\": \"matrix_entries\"");
  }
  write_orientation(&inner, axes);
  text_printf(t, ", \"inertia\": {%s}", inner.data ? inner.data + 2 : "");
  t->failed |= inner.failed;
  text_release(&inner);
}

/* Mass, centre and inertia of a body: the numbers of the file where one link has them all. */
static void write_mass(text *t, const robot_link *b) {
  const robot_link *heavy = b->heavy;
  robot_pose inertial = in_body(heavy, &heavy->inertial);
  write_value(t, "mass", b->whole_mass);
  if (b->parts == 1) {
    if (v3_norm(inertial.x) > 0) write_vector(t, "center_of_mass", inertial.x);
    write_six(t, heavy->moments, heavy->products, &inertial);
    return;
  }
  const m3 *J = &b->inertia;
  const double moments[3] = {J->m[0][0], J->m[1][1], J->m[2][2]};
  const double products[3] = {J->m[0][1], J->m[0][2], J->m[1][2]};
  inertial.form = ROBOT_NO_TURN;
  write_vector(t, "center_of_mass", b->center);
  write_six(t, moments, products, &inertial);
}

void write_reference(text *t, const robot_link *l) {
  const char *body = l->body ? l->body->in_scene : "ground";
  if (l == l->body || (!l->body && !l->up))
    text_printf(t, "\"%s\"", body);
  else
    text_printf(t, "\"%s.%s\"", body, l->in_scene);
}

/* A body that no joint places stands in the link that it may leave. */
static void write_place(text *t, const robot_link *b) {
  if (b->up && b->up->kind == ROBOT_FREE) {
    text_append(t, ", \"in\": ");
    write_reference(t, b->up->parent);
    write_pose(t, &b->up->pose);
  }
  if (b->guess) text_append(t, ", \"placement\": \"guess\"");
}

static void write_bodies(text *t, const robot *r) {
  const char *comma = "";
  text_append(t, "  \"bodies\": [\n");
  for (int i = 0; i < r->links; ++i) {
    const robot_link *b = r->link_order[i];
    if (b->body != b || b->left_out) continue;
    text_printf(t, "%s    {\"name\": \"%s\", \"type\": \"rigid_body\"", comma, b->in_scene);
    write_place(t, b);
    write_mass(t, b);
    write_markers(t, r, b);
    write_shapes(t, r, b);
    text_append(t, "}");
    comma = ",\n";
  }
  text_append(t, "\n  ]");
}

static void write_ground(text *t, const robot *r) {
  text inner = {0};
  write_markers(&inner, r, NULL);
  write_shapes(&inner, r, NULL);
  if (inner.length) text_printf(t, "  \"ground\": {%s},\n", strstr(inner.data, "\""));
  t->failed |= inner.failed;
  text_release(&inner);
}

/* ---- the scene ------------------------------------------------------------------------------- */

torsor_status robot_write(text *out, robot *r) {
  text t = {0};
  text_append(&t, "{\n  \"torsor\": 1,\n  \"title\": ");
  text_json_string(&t, r->name);
  text gravity = {0};
  write_vector(&gravity, "gravity", r->gravity);
  text_printf(&t, ",\n  %s,\n", gravity.data ? gravity.data + 2 : "");
  t.failed |= gravity.failed;
  text_release(&gravity);
  write_inputs(&t, r);
  write_ground(&t, r);
  write_bodies(&t, r);
  write_joints(&t, r);
  write_forces(&t, r);
  text_append(&t, ",\n  \"simulation\": {\"step\": 1e-3, \"duration\": 5},\n"
                  "  \"output\": {\"every\": 10}\n}\n");
  *out = t;
  return t.failed ? robot_no_memory(r) : TORSOR_OK;
}
