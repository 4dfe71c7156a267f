/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bodies of MJCF stand in each other, with their joints inside, at the positions of the file. */

#include "robots/mjcf.h"

#include <math.h>
#include <string.h>

/* ---- joints ---------------------------------------------------------------------------------- */

static torsor_status read_joint_kind(robot_joint *j, const mjcf_element *e) {
  static const struct {
    const char *word;
    robot_joint_kind kind;
  } kinds[] = {{"hinge", ROBOT_REVOLUTE},
               {"slide", ROBOT_PRISMATIC},
               {"ball", ROBOT_BALL},
               {"free", ROBOT_FREE}};
  const char *type = mjcf_value(e, "type"), *names[4];
  j->kind = strcmp(e->node->name, "freejoint") == 0 ? ROBOT_FREE : ROBOT_REVOLUTE;
  for (int i = 0; i < 4; ++i) {
    names[i] = kinds[i].word;
    if (!type || strcmp(type, kinds[i].word) != 0) continue;
    j->kind = kinds[i].kind;
    return TORSOR_OK;
  }
  if (!type) return TORSOR_OK;
  robot_fail(e->m->r, e->node->line, NULL, "there is no type \"%.60s\" of joints", type);
  const char *near = torsor_near_name(type, names, 4);
  if (near) torsor_hint(e->m->r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

/* Reads the axis and what acts along it; at the value `ref` bodies are where the file has them. */
static torsor_status read_coordinate(robot_joint *j, const mjcf_element *e) {
  const bool turns = j->kind == ROBOT_REVOLUTE;
  const double unit = turns ? e->m->unit : 1;
  double range[2] = {0}, ref = 0;
  j->axis = (v3){0, 0, 1};
  torsor_status status = mjcf_read_vector(&j->axis, e, "axis");
  if (!status && !(v3_norm(j->axis) > 0))
    return robot_fail(e->m->r, e->node->line, "any length but zero will do",
                      "joint \"%s\": its axis is zero", j->name);
  if (!status) status = mjcf_read_range(range, &j->has_limits, e, "range", "limited");
  if (!status) status = mjcf_read(&ref, 1, e, "ref");
  if (!status) status = mjcf_read(&j->rest, 1, e, "springref");
  if (status) return status;
  j->lower = unit * range[0];
  j->upper = unit * range[1];
  j->start = unit * ref;
  j->rest *= unit;
  if (j->start == 0) return TORSOR_OK;
  const v3 way = v3_scale(v3_unit(j->axis), -j->start);
  const se3 back = turns ? (se3){so3_exp(way), v3_zero()} : (se3){so3_identity(), way};
  j->pose = mjcf_pose_of(se3_compose(robot_frame(&j->pose), back));
  return TORSOR_OK;
}

static torsor_status say_rest(const robot_joint *j, const mjcf_element *e) {
  static const char *const rest[] = {"armature", "actuatorfrcrange"};
  const bool along = j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < 2 && !status; ++i) {
    const char *value = mjcf_value(e, rest[i]);
    if (value && strspn(value, "0. ") < strlen(value))
      status = robot_say(e->m->r, e->node->line, "joint \"%s\": its %s %.60s is not carried",
                         j->name, rest[i], value);
  }
  if (along || status || j->kind == ROBOT_FREE) return status;
  return j->damping > 0 || j->stiffness > 0 || j->friction > 0 || mjcf_value(e, "range")
             ? robot_say(e->m->r, e->node->line,
                         "joint \"%s\": what a ball joint resists by is not carried", j->name)
             : TORSOR_OK;
}

static torsor_status read_forces(robot_joint *j, const mjcf_element *e) {
  torsor_status status = mjcf_read(&j->damping, 1, e, "damping");
  if (!status) status = mjcf_read(&j->friction, 1, e, "frictionloss");
  if (!status) status = mjcf_read(&j->stiffness, 1, e, "stiffness");
  if (status || (j->damping >= 0 && j->friction >= 0 && j->stiffness >= 0)) return status;
  return robot_fail(e->m->r, e->node->line, NULL,
                    "joint \"%s\": damping, friction and stiffness are not below 0", j->name);
}

/* A joint of the link, which stands at `pose` in its parent. */
static torsor_status add_joint(robot_joint **out, mjcf *m, const char *name, long line,
                               robot_link *parent, robot_link *link, const robot_pose *pose) {
  const bool unnamed = !name;
  if (unnamed) name = mjcf_made_name(m, link->name, "joint");
  if (!unnamed && robot_find_joint(m->r, name))
    return robot_fail(m->r, line, NULL, "there is a joint \"%s\" already", name);
  robot_joint *j = name ? robot_add_joint(m->r, name, line) : NULL;
  if (!j) return robot_no_memory(m->r);
  j->unnamed = unnamed;
  j->parent = parent;
  j->child = link;
  j->pose = *pose;
  link->up = j;
  *out = j;
  return TORSOR_OK;
}

static torsor_status read_joint(mjcf *m, const xml_node *node, const char *inherited,
                                robot_link *parent, robot_link *link, const robot_pose *pose) {
  const mjcf_element e = {.m = m, .node = node, .inherited = inherited};
  robot_joint *j = NULL;
  torsor_status status = add_joint(&j, m, xml_value(node, "name"), node->line, parent, link, pose);
  if (!status) status = mjcf_check_class(&e, "class");
  if (!status) status = read_joint_kind(j, &e);
  if (status || (j->kind == ROBOT_FREE && parent == m->r->link)) return status;
  if (j->kind == ROBOT_FREE)
    return robot_fail(m->r, node->line, NULL, "body \"%s\" is free, and stands in another body",
                      link->name);
  status = mjcf_read_vector(&j->pose_b.x, &e, "pos");
  j->pose.x = se3_point(robot_frame(pose), j->pose_b.x);
  if (!status && j->kind != ROBOT_BALL) status = read_coordinate(j, &e);
  if (!status) status = read_forces(j, &e);
  return status ? status : say_rest(j, &e);
}

/* The one joint of a body, or none, which fixes it. */
static torsor_status read_joints(mjcf *m, const xml_node *body, const char *inherited,
                                 robot_link *parent, robot_link *link, const robot_pose *pose) {
  const xml_node *only = NULL;
  robot_joint *j = NULL;
  for (const xml_node *n = body->child; n; n = n->next) {
    if (strcmp(n->name, "joint") != 0 && strcmp(n->name, "freejoint") != 0) continue;
    if (only)
      return robot_fail(
          m->r, n->line,
          "give the second joint a body of its own, with a mass, or take a ball joint",
          "body \"%s\" has more than one joint: what moves between them has no mass", link->name);
    only = n;
  }
  if (only) return read_joint(m, only, inherited, parent, link, pose);
  return add_joint(&j, m, NULL, body->line, parent, link, pose);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static torsor_status read_inertial(robot_link *link, const mjcf *m, const xml_node *node) {
  const mjcf_element e = {.m = m, .node = node};
  double six[6] = {0};
  if (!node) return TORSOR_OK;
  torsor_status status = mjcf_read_pose(&link->inertial, &e);
  if (!status)
    status = robot_numbers(&link->mass, &(int){1}, 1, m->r, node, "mass", xml_value(node, "mass"));
  if (!status && link->mass < 0)
    return robot_fail(m->r, node->line, NULL, "body \"%s\": its mass is negative", link->name);
  if (!status && xml_value(node, "fullinertia"))
    status = mjcf_read(six, 6, &e, "fullinertia");
  else if (!status)
    status = mjcf_read(six, 3, &e, "diaginertia");
  memcpy(link->moments, six, sizeof link->moments);
  memcpy(link->products, six + 3, sizeof link->products);
  return status;
}

/* Places of a body that have names. */
static torsor_status read_sites(mjcf *m, const xml_node *body, const char *inherited,
                                robot_link *link) {
  torsor_status status = TORSOR_OK;
  for (const xml_node *n = xml_child(body, "site"); n && !status; n = xml_find(n->next, "site")) {
    const mjcf_element e = {.m = m, .node = n, .inherited = inherited};
    const char *name = xml_value(n, "name");
    robot_pose pose;
    robot_joint *j = NULL;
    if (!name) continue;
    status = mjcf_read_pose(&pose, &e);
    robot_link *site = status ? NULL : robot_add_link(m->r, name, n->line);
    if (!status && !site) status = robot_no_memory(m->r);
    if (!status) site->marker = true;
    if (!status) status = add_joint(&j, m, NULL, n->line, link, site, &pose);
  }
  return status;
}

/* Bodies in these elements would be lost; of others it is said that they are not carried. */
static torsor_status check_children(const mjcf *m, const xml_node *body) {
  static const char *const known[] = {"body", "joint", "freejoint", "inertial",
                                      "geom", "site",  "camera",    "light"};
  static const char *const made[] = {"frame", "replicate", "attach", "composite", "flexcomp"};
  torsor_status status = TORSOR_OK;
  for (const xml_node *n = body->child; n && !status; n = n->next) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
      is_known |= strcmp(n->name, known[i]) == 0;
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i)
      if (strcmp(n->name, made[i]) == 0)
        return robot_fail(m->r, n->line, "save the model with MuJoCo, which writes bodies for it",
                          "<%s> makes bodies or moves them, and is not read", n->name);
    if (!is_known) status = robot_say(m->r, n->line, "<%.60s> in a body is not carried", n->name);
  }
  return status;
}

static torsor_status add_body(robot_link **out, mjcf *m, const xml_node *node) {
  const char *name = xml_value(node, "name");
  const bool unnamed = !name;
  if (unnamed) name = mjcf_made_name(m, "body", NULL);
  for (const robot_link *l = m->r->link; l && !unnamed; l = l->next)
    if (!l->marker && strcmp(l->name, name) == 0)
      return robot_fail(m->r, node->line, NULL, "there is a body \"%s\" already", name);
  if (++m->bodies > ROBOT_LINKS)
    return robot_fail(m->r, node->line, NULL, "the robot has more than %d bodies", ROBOT_LINKS);
  *out = name ? robot_add_link(m->r, name, node->line) : NULL;
  if (!*out) return robot_no_memory(m->r);
  (*out)->unnamed = unnamed;
  return TORSOR_OK;
}

/* Reads a body with all that stand in it. */
static torsor_status read_body(mjcf *m, const xml_node *node, const char *inherited,
                               robot_link *parent) {
  const mjcf_element e = {.m = m, .node = node, .inherited = inherited};
  const char *class = xml_value(node, "childclass");
  robot_link *link = NULL;
  robot_pose pose;
  torsor_status status = mjcf_check_class(&e, "childclass");
  if (class) inherited = class;
  if (!status) status = check_children(m, node);
  if (!status) status = add_body(&link, m, node);
  if (!status) status = mjcf_read_pose(&pose, &e);
  if (!status) link->frame = se3_compose(parent->frame, robot_frame(&pose));
  if (!status) status = read_joints(m, node, inherited, parent, link, &pose);
  if (!status) status = read_inertial(link, m, xml_child(node, "inertial"));
  if (!status) status = mjcf_read_geoms(link, m, node, inherited);
  if (!status) status = read_sites(m, node, inherited, link);
  if (!status && (mjcf_value(&e, "gravcomp") || mjcf_is(&e, "mocap", "true")))
    status = robot_say(m->r, node->line, "body \"%s\": its %s is not carried", link->name,
                       mjcf_value(&e, "gravcomp") ? "compensation of gravity" : "mocap");
  for (const xml_node *n = xml_child(node, "body"); n && !status; n = xml_find(n->next, "body"))
    status = read_body(m, n, inherited, link);
  return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static torsor_status fail_words(const mjcf_element *e, const char *hint, const char *key) {
  return robot_fail(e->m->r, e->node->line, hint, "\"%s\" of <%s> is \"%.60s\"", key, e->node->name,
                    mjcf_value(e, key));
}

static torsor_status read_compiler(mjcf *m, const xml_node *node) {
  const mjcf_element e = {.m = m, .node = node};
  const char *euler = mjcf_value(&e, "eulerseq");
  if (mjcf_is(&e, "angle", "radian"))
    m->unit = 1;
  else if (mjcf_is(&e, "angle", "degree"))
    m->unit = M_PI / 180;
  else if (mjcf_value(&e, "angle"))
    return fail_words(&e, "degree and radian are known", "angle");
  if (mjcf_is(&e, "coordinate", "global"))
    return fail_words(&e, "save the model with MuJoCo, which writes local ones", "coordinate");
  if (mjcf_is(&e, "autolimits", "false")) m->auto_limits = false;
  if (mjcf_is(&e, "inertiafromgeom", "true")) m->masses = MJCF_ALWAYS;
  if (mjcf_is(&e, "inertiafromgeom", "false")) m->masses = MJCF_NEVER;
  if (mjcf_value(&e, "settotalmass"))
    return robot_say(m->r, node->line, "settotalmass is not carried: masses stay as they are");
  if (!euler) return TORSOR_OK;
  if (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3)
    return fail_words(&e, "three of x, y, z, or of X, Y, Z are needed", "eulerseq");
  m->euler = euler;
  return TORSOR_OK;
}

static torsor_status read_option(mjcf *m, const xml_node *node) {
  static const char *const rest[] = {"wind", "density", "viscosity"};
  const mjcf_element e = {.m = m, .node = node};
  torsor_status status = mjcf_read_vector(&m->r->gravity, &e, "gravity");
  for (int i = 0; i < 3 && !status; ++i)
    if (xml_value(node, rest[i]))
      status = robot_say(m->r, node->line, "\"%s\" of <option> is not carried", rest[i]);
  return status;
}

static torsor_status read_settings(mjcf *m) {
  torsor_status status = TORSOR_OK;
  for (const xml_node *n = m->top->child; n && !status; n = n->next) {
    if (strcmp(n->name, "include") == 0)
      return robot_fail(
          m->r, n->line,
          "save the model as one file with MuJoCo's compile, or import the other file",
          "<include> names another file, which is not read");
    if (strcmp(n->name, "compiler") == 0) status = read_compiler(m, n);
    if (strcmp(n->name, "option") == 0) status = read_option(m, n);
  }
  return status;
}

static torsor_status read_world(mjcf *m, robot_link *world, const xml_node *node) {
  torsor_status status = check_children(m, node);
  if (!status) status = mjcf_read_geoms(world, m, node, NULL);
  if (!status) status = read_sites(m, node, NULL, world);
  for (const xml_node *n = xml_child(node, "body"); n && !status; n = xml_find(n->next, "body"))
    status = read_body(m, n, NULL, world);
  return status;
}

static torsor_status say_others(const mjcf *m) {
  static const char *const known[] = {"compiler", "option", "size",      "visual",   "statistic",
                                      "default",  "asset",  "worldbody", "actuator", "equality"};
  torsor_status status = TORSOR_OK;
  for (const xml_node *n = m->top->child; n && !status; n = n->next) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
      is_known |= strcmp(n->name, known[i]) == 0;
    if (!is_known) status = robot_say(m->r, n->line, "<%.60s> is not carried", n->name);
  }
  return status;
}

torsor_status robot_read_mjcf(robot *r, const xml_node *top) {
  mjcf m = {.r = r,
            .top = top,
            .unit = M_PI / 180,
            .euler = "xyz",
            .auto_limits = true,
            .masses = MJCF_WHERE_MISSING,
            .bodies = 1};
  const char *name = xml_value(top, "model");
  r->name = name ? name : "robot";
  robot_link *world = robot_add_link(r, "world", top->line);
  if (!world) return robot_no_memory(r);
  world->frame = se3_identity();
  torsor_status status = read_settings(&m);
  for (const xml_node *n = top->child; n && !status; n = n->next)
    if (strcmp(n->name, "worldbody") == 0) status = read_world(&m, world, n);
  for (const xml_node *n = top->child; n && !status; n = n->next) {
    if (strcmp(n->name, "equality") == 0) status = mjcf_read_equalities(&m, n);
    if (strcmp(n->name, "actuator") == 0) status = mjcf_read_actuators(&m, n);
  }
  if (!status) status = say_others(&m);
  if (!status && m.bodies == 1) return robot_fail(r, top->line, NULL, "the robot has no body");
  return status ? status : robot_find_leaders(r);
}
