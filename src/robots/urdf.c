/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robots/robot.h"
#include "robots/xml.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads `count` finite numbers, with blanks between them, and nothing else. */
static torsor_status read_numbers(double *out, int count, const robot *r, const xml_node *node,
                                  const char *key) {
  const char *given = xml_value(node, key);
  if (given && strstr(given, "${"))
    return robot_fail(r, node->line, "run xacro first: xacro robot.xacro > robot.urdf",
                      "\"%s\" of <%s> is an expression of xacro: %.60s", key, node->name, given);
  return robot_numbers(out, &count, count, r, node, key, given);
}

static torsor_status read_optional(double *out, int count, const robot *r, const xml_node *node,
                                   const char *key) {
  return xml_value(node, key) ? read_numbers(out, count, r, node, key) : TORSOR_OK;
}

static torsor_status read_vector(v3 *out, const robot *r, const xml_node *node, const char *key) {
  double x[3];
  const torsor_status status = read_numbers(x, 3, r, node, key);
  if (!status) *out = v3_load(x);
  return status;
}

/* Reads xyz and rpy of an <origin> that may be missing. */
static torsor_status read_pose(robot_pose *out, const robot *r, const xml_node *origin) {
  double rpy[3] = {0};
  *out = (robot_pose){.R = so3_identity()};
  if (!origin) return TORSOR_OK;
  torsor_status status = TORSOR_OK;
  if (xml_value(origin, "xyz")) status = read_vector(&out->x, r, origin, "xyz");
  if (!status) status = read_optional(rpy, 3, r, origin, "rpy");
  if (status || (rpy[0] == 0 && rpy[1] == 0 && rpy[2] == 0)) return status;
  out->form = ROBOT_RPY;
  memcpy(out->number, rpy, sizeof rpy);
  out->R = so3_compose(so3_exp((v3){0, 0, rpy[2]}),
                       so3_compose(so3_exp((v3){0, rpy[1], 0}), so3_exp((v3){rpy[0], 0, 0})));
  return TORSOR_OK;
}

static torsor_status read_text(const char **out, const robot *r, const xml_node *node,
                               const char *key) {
  *out = xml_value(node, key);
  if (*out && **out) return TORSOR_OK;
  return robot_fail(r, node->line, NULL, "<%s> has no %s", node->name, key);
}

/* ---- links ----------------------------------------------------------------------------------- */

static torsor_status read_inertial(robot_link *link, robot *r, const xml_node *inertial) {
  const xml_node *mass = xml_child(inertial, "mass"), *inertia = xml_child(inertial, "inertia");
  if (!inertial) return TORSOR_OK;
  torsor_status status = read_pose(&link->inertial, r, xml_child(inertial, "origin"));
  if (!status && !mass)
    return robot_fail(r, inertial->line, NULL, "link \"%s\": <inertial> has no <mass>", link->name);
  if (!status) status = read_numbers(&link->mass, 1, r, mass, "value");
  if (status) return status;
  if (link->mass < 0)
    return robot_fail(r, mass->line, NULL, "link \"%s\": its mass is negative", link->name);
  static const char *const moments[] = {"ixx", "iyy", "izz"};
  static const char *const products[] = {"ixy", "ixz", "iyz"};
  for (int i = 0; i < 3 && inertia && !status; ++i) {
    status = read_numbers(&link->moments[i], 1, r, inertia, moments[i]);
    if (!status) status = read_optional(&link->products[i], 1, r, inertia, products[i]);
  }
  if (status || link->mass > 0) return status;
  const bool turns = link->moments[0] != 0 || link->moments[1] != 0 || link->moments[2] != 0;
  return turns ? robot_say(r, inertial->line, "link \"%s\": an inertia without mass is left out",
                           link->name)
               : TORSOR_OK;
}

/* The colour of a <material>, perhaps one that stands under <robot>. */
static torsor_status read_color(robot_solid *solid, const robot *r, const xml_node *top,
                                const xml_node *visual) {
  const xml_node *material = xml_child(visual, "material");
  const char *name = xml_value(material, "name");
  const xml_node *color = xml_child(material, "color");
  for (const xml_node *m = xml_child(top, "material"); m && !color && name;
       m = xml_find(m->next, "material")) {
    const char *other = xml_value(m, "name");
    if (other && strcmp(other, name) == 0) color = xml_child(m, "color");
  }
  double rgba[4] = {0};
  if (!color) return TORSOR_OK;
  const torsor_status status = read_numbers(rgba, 4, r, color, "rgba");
  solid->colored = !status;
  for (int i = 0; i < 3; ++i) solid->color[i] = fmin(fmax(rgba[i], 0), 1);
  return status;
}

/* Reads sizes of a primitive; *known says whether it is one. */
static torsor_status read_primitive(robot_solid *out, bool *known, const robot *r,
                                    const xml_node *geometry) {
  const xml_node *box = xml_child(geometry, "box"), *sphere = xml_child(geometry, "sphere");
  const xml_node *cylinder = xml_child(geometry, "cylinder");
  const xml_node *capsule = xml_child(geometry, "capsule");
  const xml_node *round = sphere ? sphere : cylinder ? cylinder : capsule;
  const xml_node *node = box ? box : round;
  torsor_status status = TORSOR_OK;
  *known = node != NULL;
  if (!node) return TORSOR_OK;
  out->kind = box ? ROBOT_BOX : sphere ? ROBOT_SPHERE : cylinder ? ROBOT_CYLINDER : ROBOT_CAPSULE;
  if (box) status = read_vector(&out->size, r, box, "size");
  if (!box) status = read_numbers(&out->radius, 1, r, round, "radius");
  if (!status && !box && !sphere) status = read_numbers(&out->length, 1, r, round, "length");
  const bool good = box ? out->size.x > 0 && out->size.y > 0 && out->size.z > 0
                        : out->radius > 0 && (sphere || out->length > 0);
  if (status || good) return status;
  return robot_fail(r, node->line, NULL, "sizes of <%s> must be greater than 0", node->name);
}

/* Reads all <visual> or <collision> of a link. */
static torsor_status read_solids(robot_solid **out, robot *r, const xml_node *top,
                                 const robot_link *link, const xml_node *node, const char *which) {
  torsor_status status = TORSOR_OK;
  for (const xml_node *n = xml_child(node, which); n && !status; n = xml_find(n->next, which)) {
    const xml_node *geometry = xml_child(n, "geometry"), *mesh = xml_child(geometry, "mesh");
    robot_solid *solid = arena_take(&r->memory, 1, sizeof *solid);
    bool known = false;
    if (!solid) return robot_no_memory(r);
    status = read_pose(&solid->pose, r, xml_child(n, "origin"));
    if (!status) status = read_primitive(solid, &known, r, geometry);
    if (!status && known) status = read_color(solid, r, top, n);
    if (!status && !known) {
      const char *file = xml_value(mesh, "filename");
      status =
          robot_say(r, n->line, "link \"%s\": a <%s> that is %s is not carried: %.200s", link->name,
                    which, mesh ? "a mesh" : "no shape that is known", file ? file : "");
      continue;
    }
    *out = solid;
    out = &solid->next;
  }
  return status;
}

static torsor_status read_link(robot *r, const xml_node *top, const xml_node *node) {
  const char *name = NULL;
  torsor_status status = read_text(&name, r, node, "name");
  if (status) return status;
  if (robot_find_link(r, name))
    return robot_fail(r, node->line, NULL, "there is a link \"%s\" already", name);
  robot_link *link = robot_add_link(r, name, node->line);
  if (!link) return robot_no_memory(r);
  status = read_inertial(link, r, xml_child(node, "inertial"));
  if (!status) status = read_solids(&link->visual, r, top, link, node, "visual");
  if (!status) status = read_solids(&link->collision, r, top, link, node, "collision");
  return status;
}

/* ---- joints ---------------------------------------------------------------------------------- */

static torsor_status find_link(robot_link **out, const robot *r, const xml_node *joint,
                               const char *side, const char *key) {
  const xml_node *node = xml_child(joint, side);
  const char *name = NULL;
  if (!node)
    return robot_fail(r, joint->line, NULL, "joint \"%s\" has no <%s>", xml_value(joint, "name"),
                      side);
  const torsor_status status = read_text(&name, r, node, key);
  if (status) return status;
  *out = robot_find_link(r, name);
  if (*out) return TORSOR_OK;
  enum { MOST = 256 };
  const char *names[MOST];
  int count = 0;
  for (const robot_link *l = r->link; l && count < MOST; l = l->next) names[count++] = l->name;
  const char *near = torsor_near_name(name, names, count);
  robot_fail(r, node->line, NULL, "there is no link \"%s\"", name);
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

static torsor_status read_kind(robot_joint *joint, bool *endless, robot *r, const xml_node *node) {
  static const struct {
    const char *word;
    robot_joint_kind kind;
  } kinds[] = {{"fixed", ROBOT_FIXED},         {"revolute", ROBOT_REVOLUTE},
               {"continuous", ROBOT_REVOLUTE}, {"prismatic", ROBOT_PRISMATIC},
               {"planar", ROBOT_PLANAR},       {"floating", ROBOT_FREE},
               {"ball", ROBOT_BALL},           {"spherical", ROBOT_BALL}};
  const char *word = NULL, *words[8];
  const torsor_status status = read_text(&word, r, node, "type");
  if (status) return status;
  for (int i = 0; i < 8; ++i) {
    words[i] = kinds[i].word;
    if (strcmp(word, words[i]) != 0) continue;
    joint->kind = kinds[i].kind;
    *endless = i == 2;
    return TORSOR_OK;
  }
  const char *near = torsor_near_name(word, words, 8);
  robot_fail(r, node->line, NULL, "joint \"%s\": there is no type \"%.60s\"", joint->name, word);
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

/* Reads limits, which the joints "revolute" and "prismatic" of the tree have. */
static torsor_status read_limit(robot_joint *joint, bool endless, robot *r, const xml_node *node) {
  const xml_node *limit = xml_child(node, "limit");
  const bool moves = joint->kind == ROBOT_REVOLUTE || joint->kind == ROBOT_PRISMATIC;
  if (!limit || !moves) return TORSOR_OK;
  torsor_status status = read_optional(&joint->lower, 1, r, limit, "lower");
  if (!status) status = read_optional(&joint->upper, 1, r, limit, "upper");
  if (!status) status = read_optional(&joint->effort, 1, r, limit, "effort");
  if (status) return status;
  joint->has_limits = !endless && (xml_value(limit, "lower") || xml_value(limit, "upper"));
  joint->has_effort = joint->effort > 0;
  if (joint->has_limits && joint->lower > joint->upper)
    return robot_fail(r, limit->line, NULL,
                      "joint \"%s\": its lower limit %g is above the upper %g", joint->name,
                      joint->lower, joint->upper);
  const char *speed = xml_value(limit, "velocity");
  return speed ? robot_say(r, limit->line, "joint \"%s\": its largest speed %.40s is not carried",
                           joint->name, speed)
               : TORSOR_OK;
}

static torsor_status read_dynamics(robot_joint *joint, robot *r, const xml_node *node) {
  const xml_node *dynamics = xml_child(node, "dynamics"), *mimic = xml_child(node, "mimic");
  torsor_status status = TORSOR_OK;
  if (dynamics) {
    status = read_optional(&joint->damping, 1, r, dynamics, "damping");
    if (!status) status = read_optional(&joint->friction, 1, r, dynamics, "friction");
    if (!status && (joint->damping < 0 || joint->friction < 0))
      return robot_fail(r, dynamics->line, NULL,
                        "joint \"%s\": damping and friction are not below 0", joint->name);
  }
  if (!mimic || status) return status;
  status = read_text(&joint->mimics, r, mimic, "joint");
  if (!status) status = read_optional(&joint->ratio, 1, r, mimic, "multiplier");
  if (!status) status = read_optional(&joint->offset, 1, r, mimic, "offset");
  return status;
}

static torsor_status say_rest(robot *r, const robot_joint *joint, const xml_node *node) {
  static const char *const rest[] = {"calibration", "safety_controller"};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < 2 && !status; ++i) {
    const xml_node *found = xml_child(node, rest[i]);
    if (found)
      status =
          robot_say(r, found->line, "joint \"%s\": its <%s> is not carried", joint->name, rest[i]);
  }
  return status;
}

static torsor_status read_axis(robot_joint *joint, robot *r, const xml_node *node) {
  const xml_node *axis = xml_child(node, "axis");
  if (!axis) return TORSOR_OK;
  const torsor_status status = read_vector(&joint->axis, r, axis, "xyz");
  const bool needed = joint->kind != ROBOT_FIXED && joint->kind != ROBOT_FREE;
  if (status || v3_norm(joint->axis) > 0 || !needed) return status;
  return robot_fail(r, axis->line, "any length but zero will do", "joint \"%s\": its axis is zero",
                    joint->name);
}

/* Reads a <joint>, or a <loop_joint>, whose frames in both links are given. */
static torsor_status read_joint(robot *r, const xml_node *node, bool loop) {
  const char *name = NULL;
  bool endless = false;
  torsor_status status = read_text(&name, r, node, "name");
  if (status) return status;
  if (robot_find_joint(r, name))
    return robot_fail(r, node->line, NULL, "there is a joint \"%s\" already", name);
  robot_joint *joint = robot_add_joint(r, name, node->line);
  if (!joint) return robot_no_memory(r);
  joint->closes = loop;
  status = read_kind(joint, &endless, r, node);
  if (!status) status = find_link(&joint->parent, r, node, loop ? "link1" : "parent", "link");
  if (!status) status = find_link(&joint->child, r, node, loop ? "link2" : "child", "link");
  if (!status) status = read_pose(&joint->pose, r, xml_child(node, loop ? "link1" : "origin"));
  if (!status && loop) status = read_pose(&joint->pose_b, r, xml_child(node, "link2"));
  if (!status) status = read_axis(joint, r, node);
  if (!status) status = read_limit(joint, endless || loop, r, node);
  if (!status) status = read_dynamics(joint, r, node);
  if (!status) status = say_rest(r, joint, node);
  if (status) return status;
  if (joint->parent == joint->child)
    return robot_fail(r, node->line, NULL, "joint \"%s\" holds link \"%s\" in itself", name,
                      joint->child->name);
  if (loop) return TORSOR_OK;
  if (!joint->child->up) {
    joint->child->up = joint;
    return TORSOR_OK;
  }
  joint->closes = true;
  return robot_say(r, node->line,
                   "joint \"%s\" is a second one that holds link \"%s\": it closes a "
                   "loop",
                   name, joint->child->name);
}

/* ---- the robot ------------------------------------------------------------------------------- */

/* Reads a <transmission>: its joints have motors. */
static torsor_status read_transmission(robot *r, const xml_node *node) {
  for (const xml_node *n = xml_child(node, "joint"); n; n = xml_find(n->next, "joint")) {
    const char *name = xml_value(n, "name");
    robot_joint *joint = name ? robot_find_joint(r, name) : NULL;
    if (!joint)
      return robot_fail(r, n->line, NULL, "a <transmission> drives joint \"%s\", and there is none",
                        name ? name : "");
    joint->actuated = true;
  }
  return TORSOR_OK;
}

static torsor_status read_other(robot *r, const xml_node *node) {
  static const char *const known[] = {"material", "link", "joint", "loop_joint", "transmission"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(node->name, known[i]) == 0) return TORSOR_OK;
  if (strncmp(node->name, "xacro:", 6) == 0)
    return robot_fail(r, node->line, "run xacro first: xacro robot.xacro > robot.urdf",
                      "<%s> is an instruction of xacro", node->name);
  return robot_say(r, node->line, "<%.60s> is not carried", node->name);
}

/* Joints that motors drive: those of transmissions, or without any all that have an effort. */
static void choose_actuated(robot *r, bool transmissions) {
  for (robot_joint *j = r->joint; j; j = j->next) {
    const bool moves = j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PRISMATIC;
    if (!transmissions) j->actuated = j->has_effort && !j->mimics;
    j->actuated = j->actuated && moves && !j->closes;
  }
}

static torsor_status read_all(robot *r, const xml_node *top) {
  torsor_status status = TORSOR_OK;
  bool transmissions = false;
  int links = 0;
  for (const xml_node *n = top->child; n && !status; n = n->next) {
    if (strcmp(n->name, "link") == 0) status = read_link(r, top, n);
    if (strcmp(n->name, "link") == 0 && ++links > ROBOT_LINKS)
      return robot_fail(r, n->line, NULL, "the robot has more than %d links", ROBOT_LINKS);
  }
  int joints = 0;
  for (const xml_node *n = top->child; n && !status; n = n->next) {
    const bool loop = strcmp(n->name, "loop_joint") == 0;
    if (loop || strcmp(n->name, "joint") == 0) status = read_joint(r, n, loop);
    if (++joints > 10 * ROBOT_LINKS)
      return robot_fail(r, n->line, NULL, "the robot has too many parts");
  }
  for (const xml_node *n = top->child; n && !status; n = n->next)
    if (strcmp(n->name, "transmission") == 0) {
      transmissions = true;
      status = read_transmission(r, n);
    }
  for (const xml_node *n = top->child; n && !status; n = n->next) status = read_other(r, n);
  choose_actuated(r, transmissions);
  if (!status && !r->link) return robot_fail(r, top->line, NULL, "the robot has no link");
  return status ? status : robot_find_leaders(r);
}

torsor_status robot_read_urdf(robot *r, const xml_node *top) {
  const char *name = xml_value(top, "name");
  r->name = name ? name : "robot";
  return read_all(r, top);
}
