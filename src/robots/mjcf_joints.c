/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "robots/mjcf.h"

static torsor_status fail_name(const mjcf_element *e, const char *key, const char *what,
                               const char *name, const char *const *names, int count) {
  const robot *r = e->m->r;
  robot_fail(r, e->node->line, NULL, "\"%s\" of <%s>: there is no %s \"%.60s\"", key, e->node->name,
             what, name);
  const char *near = torsor_near_name(name, names, count);
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

enum { NAMES = 256 };

static torsor_status find_joint(robot_joint **out, const mjcf_element *e, const char *key) {
  const robot *r = e->m->r;
  const char *name = mjcf_value(e, key), *names[NAMES];
  int count = 0;
  if (!name)
    return robot_fail(r, e->node->line, NULL, "<%s> has no attribute \"%s\"", e->node->name, key);
  *out = robot_find_joint(r, name);
  if (*out) return TORSOR_OK;
  for (const robot_joint *j = r->joint; j && count < NAMES; j = j->next) names[count++] = j->name;
  return fail_name(e, key, "joint", name, names, count);
}

/* The body of that name, or the world where none is named. */
static torsor_status find_body(robot_link **out, const mjcf_element *e, const char *key) {
  const robot *r = e->m->r;
  const char *name = mjcf_value(e, key), *names[NAMES];
  int count = 0;
  *out = r->link;
  if (!name || strcmp(name, "world") == 0) return TORSOR_OK;
  for (robot_link *l = r->link; l; l = l->next) {
    if (l->marker) continue;
    if (count < NAMES) names[count++] = l->name;
    if (strcmp(l->name, name) != 0) continue;
    *out = l;
    return TORSOR_OK;
  }
  return fail_name(e, key, "body", name, names, count);
}

static bool has_coordinate(const robot_joint *j) {
  return j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC;
}

/* ---- actuators ------------------------------------------------------------------------------- */

/* Reads the force of an actuator by its gain and its three biases. */
static torsor_status read_general(robot_actuator *a, const mjcf_element *e) {
  double gain[10] = {1}, bias[10] = {0};
  int count = 10;
  const char *kind = mjcf_value(e, "gaintype"), *other = mjcf_value(e, "biastype");
  const char *inner = mjcf_value(e, "dyntype");
  torsor_status status = mjcf_read_some(gain, &count, 1, e, "gainprm");
  count = 10;
  if (!status) status = mjcf_read_some(bias, &count, 1, e, "biasprm");
  if (status) return status;
  if ((kind && strcmp(kind, "fixed") != 0) ||
      (other && strcmp(other, "none") != 0 && strcmp(other, "affine") != 0) ||
      (inner && strcmp(inner, "none") != 0))
    return robot_fail(e->m->r, e->node->line, "gaintype fixed and biastype none or affine are read",
                      "actuator \"%s\": %s is not known", a->name,
                      inner && strcmp(inner, "none") != 0 ? "its activation" : "its gain or bias");
  a->gain = gain[0];
  if (other && strcmp(other, "affine") == 0) memcpy(a->bias, bias, sizeof a->bias);
  return TORSOR_OK;
}

static torsor_status read_force(robot_actuator *a, const mjcf_element *e) {
  const char *kind = e->node->name;
  double kp = 1, kv = strcmp(kind, "velocity") == 0 ? 1 : 0;
  if (strcmp(kind, "motor") == 0) return TORSOR_OK;
  if (strcmp(kind, "general") == 0) return read_general(a, e);
  torsor_status status = mjcf_read(&kp, 1, e, "kp");
  if (!status) status = mjcf_read(&kv, 1, e, "kv");
  if (strcmp(kind, "position") == 0) {
    a->gain = kp;
    a->bias[1] = -kp;
  } else {
    a->gain = kv;
  }
  a->bias[2] = -kv;
  return status;
}

static torsor_status read_actuator(const mjcf *m, const xml_node *node) {
  const mjcf_element e = {.m = m, .node = node};
  robot_joint *joint = NULL;
  double gear[6] = {1};
  int count = 6;
  torsor_status status = mjcf_check_class(&e, "class");
  if (!status) status = find_joint(&joint, &e, "joint");
  if (!status) status = mjcf_read_some(gear, &count, 1, &e, "gear");
  if (status) return status;
  const char *name = xml_value(node, "name");
  if (!has_coordinate(joint))
    return robot_say(m->r, node->line,
                     "an actuator of joint \"%s\", which has no coordinate, is not carried",
                     joint->name);
  robot_actuator *a = robot_add_actuator(m->r, name ? name : joint->name, node->line);
  if (!a) return robot_no_memory(m->r);
  a->joint = joint;
  a->gear = gear[0];
  status = read_force(a, &e);
  if (!status)
    status = mjcf_read_range(a->input, &a->input_limited, &e, "ctrlrange", "ctrllimited");
  if (status) return status;
  return mjcf_read_range(a->force, &a->force_limited, &e, "forcerange", "forcelimited");
}

torsor_status mjcf_read_actuators(const mjcf *m, const xml_node *list) {
  static const char *const kinds[] = {"motor", "position", "velocity", "general"};
  torsor_status status = TORSOR_OK;
  int actuators = 0;
  for (const xml_node *n = list->child; n && !status; n = n->next) {
    bool known = false;
    for (int i = 0; i < 4; ++i) known |= strcmp(n->name, kinds[i]) == 0;
    const mjcf_element e = {.m = m, .node = n};
    if (++actuators > ROBOT_LINKS)
      return robot_fail(m->r, n->line, NULL, "the robot has more than %d actuators", ROBOT_LINKS);
    if (known && mjcf_value(&e, "joint"))
      status = read_actuator(m, n);
    else
      status = robot_say(m->r, n->line, "<%.60s> %sis not carried", n->name,
                         known ? "of something else than a joint " : "");
  }
  return status;
}

/* ---- equalities ------------------------------------------------------------------------------ */

/* A joint between two bodies that closes a loop. */
static torsor_status add_closing(robot_joint **out, const mjcf_element *e, robot_joint_kind kind) {
  robot *r = e->m->r;
  const char *name = xml_value(e->node, "name");
  const bool unnamed = !name;
  if (unnamed) name = mjcf_made_name(e->m, e->node->name, NULL);
  if (!unnamed && robot_find_joint(r, name))
    return robot_fail(r, e->node->line, NULL, "there is a joint \"%s\" already", name);
  robot_joint *j = name ? robot_add_joint(r, name, e->node->line) : NULL;
  if (!j) return robot_no_memory(r);
  *out = j;
  j->unnamed = unnamed;
  j->kind = kind;
  j->closes = true;
  if (!mjcf_value(e, "body1"))
    return robot_fail(r, e->node->line, NULL, "<%s> has no attribute \"body1\"", e->node->name);
  torsor_status status = find_body(&j->parent, e, "body1");
  if (!status) status = find_body(&j->child, e, "body2");
  if (status || j->parent != j->child) return status;
  return robot_fail(r, e->node->line, NULL, "<%s> holds body \"%s\" in itself", e->node->name,
                    j->child->name);
}

/* The anchor stands in the first body; the place of the second is that in the position of the file.
 */
static torsor_status read_connect(const mjcf_element *e) {
  robot_joint *j = NULL;
  v3 anchor = {0, 0, 0};
  torsor_status status = add_closing(&j, e, ROBOT_BALL);
  if (!status) status = mjcf_read_vector(&anchor, e, "anchor");
  if (status) return status;
  const se3 between = se3_compose(se3_inverse(j->child->frame), j->parent->frame);
  j->pose.x = anchor;
  j->pose_b.x = se3_point(between, anchor);
  return TORSOR_OK;
}

static torsor_status read_weld(const mjcf_element *e) {
  robot_joint *j = NULL;
  double n[7] = {0, 1};
  torsor_status status = add_closing(&j, e, ROBOT_FIXED);
  if (!status) status = mjcf_read(n, 7, e, "relpose");
  if (status) return status;
  se3 between = se3_compose(se3_inverse(j->parent->frame), j->child->frame);
  if (n[3] != 0 || n[4] != 0 || n[5] != 0 || n[6] != 0)
    between = (se3){so3_from_quaternion(n[3], n[4], n[5], n[6]), v3_load(n)};
  j->pose = mjcf_pose_of(between);
  return TORSOR_OK;
}

/* q - ref = c_0 + c_1 (q_2 - ref_2), which are the values at the start here. */
static torsor_status read_coupling(const mjcf_element *e) {
  robot_joint *first = NULL, *second = NULL;
  double c[5] = {0, 1};
  int count = 5;
  torsor_status status = find_joint(&first, e, "joint1");
  if (!status) status = mjcf_read_some(c, &count, 1, e, "polycoef");
  if (status) return status;
  if (!mjcf_value(e, "joint2"))
    return robot_say(e->m->r, e->node->line, "an equality that holds joint \"%s\" is not carried",
                     first->name);
  status = find_joint(&second, e, "joint2");
  if (status) return status;
  if (c[2] != 0 || c[3] != 0 || c[4] != 0 || first->mimics)
    return robot_say(e->m->r, e->node->line, "a coupling of joint \"%s\" %s is not carried",
                     first->name, first->mimics ? "with another one" : "that is not linear");
  first->mimics = second->name;
  first->ratio = c[1];
  first->offset = first->start + c[0] - c[1] * second->start;
  return TORSOR_OK;
}

torsor_status mjcf_read_equalities(const mjcf *m, const xml_node *list) {
  torsor_status status = TORSOR_OK;
  int number = 0;
  for (const xml_node *n = list->child; n && !status; n = n->next) {
    const mjcf_element e = {.m = m, .node = n};
    const bool sites = mjcf_value(&e, "site1") != NULL;
    if (++number > ROBOT_LINKS)
      return robot_fail(m->r, n->line, NULL, "the robot has more than %d equalities", ROBOT_LINKS);
    if (mjcf_is(&e, "active", "false"))
      status = robot_say(m->r, n->line, "<%.60s> is not active, and not carried", n->name);
    else if (strcmp(n->name, "connect") == 0 && !sites)
      status = read_connect(&e);
    else if (strcmp(n->name, "weld") == 0 && !sites)
      status = read_weld(&e);
    else if (strcmp(n->name, "joint") == 0)
      status = read_coupling(&e);
    else
      status = robot_say(m->r, n->line, "<%.60s> %sis not carried", n->name,
                         sites ? "between sites " : "");
  }
  return status;
}
