/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robots/robot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robots/xml.h"

torsor_status robot_no_memory(const robot *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

torsor_status robot_say(robot *r, long line, const char *format, ...) {
  char words[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  robot_note *note = arena_take(&r->memory, 1, sizeof *note);
  const char *copy = note ? arena_string(&r->memory, words) : NULL;
  if (!copy) return robot_no_memory(r);
  *note = (robot_note){.line = line, .words = copy};
  if (r->last_note)
    r->last_note->next = note;
  else
    r->note = note;
  r->last_note = note;
  return TORSOR_OK;
}

torsor_status robot_fail(const robot *r, long line, const char *hint, const char *format, ...) {
  char words[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  xml_fail(r->error, r->file, line, "%s", words);
  if (hint) torsor_hint(r->error, "%s", hint);
  return TORSOR_SCENE;
}

se3 robot_frame(const robot_pose *pose) {
  return (se3){pose->R, pose->x};
}

robot_link *robot_add_link(robot *r, const char *name, long line) {
  robot_link *link = arena_take(&r->memory, 1, sizeof *link);
  if (!link) return NULL;
  *link = (robot_link){.name = name, .line = line, .in_body = se3_identity()};
  link->inertial.R = so3_identity();
  if (r->last_link)
    r->last_link->next = link;
  else
    r->link = link;
  r->last_link = link;
  return link;
}

robot_joint *robot_add_joint(robot *r, const char *name, long line) {
  robot_joint *joint = arena_take(&r->memory, 1, sizeof *joint);
  if (!joint) return NULL;
  *joint = (robot_joint){.name = name, .line = line, .axis = {1, 0, 0}, .ratio = 1};
  joint->pose.R = joint->pose_b.R = so3_identity();
  if (r->last_joint)
    r->last_joint->next = joint;
  else
    r->joint = joint;
  r->last_joint = joint;
  return joint;
}

robot_actuator *robot_add_actuator(robot *r, const char *name, long line) {
  robot_actuator *actuator = arena_take(&r->memory, 1, sizeof *actuator);
  if (!actuator) return NULL;
  *actuator = (robot_actuator){.name = name, .line = line, .gear = 1, .gain = 1};
  if (r->last_actuator)
    r->last_actuator->next = actuator;
  else
    r->actuator = actuator;
  r->last_actuator = actuator;
  return actuator;
}

robot_link *robot_find_link(const robot *r, const char *name) {
  robot_link *link = r->link;
  while (link && strcmp(link->name, name) != 0) link = link->next;
  return link;
}

robot_joint *robot_find_joint(const robot *r, const char *name) {
  robot_joint *joint = r->joint;
  while (joint && strcmp(joint->name, name) != 0) joint = joint->next;
  return joint;
}

torsor_status robot_numbers(double *out, int *count, int least, const robot *r,
                            const xml_node *node, const char *key, const char *given) {
  const char *at = given;
  const int most = *count;
  for (*count = 0; *count < most && at; ++*count) {
    char *end = NULL;
    if (*count >= least && at[strspn(at, " \t\r\n")] == '\0') break;
    out[*count] = strtod(at, &end);
    at = end == at || !isfinite(out[*count]) ? NULL : end;
  }
  if (at && at[strspn(at, " \t\r\n")] == '\0') return TORSOR_OK;
  if (!given)
    return robot_fail(r, node->line, NULL, "<%s> has no attribute \"%s\"", node->name, key);
  if (most == 1)
    return robot_fail(r, node->line, NULL, "\"%s\" of <%s> must be a number, but is \"%.60s\"", key,
                      node->name, given);
  return robot_fail(r, node->line, NULL, "\"%s\" of <%s> must be numbers, but is \"%.60s\"", key,
                    node->name, given);
}

torsor_status robot_find_leaders(robot *r) {
  for (robot_joint *j = r->joint; j; j = j->next) {
    if (!j->mimics) continue;
    j->leader = robot_find_joint(r, j->mimics);
    if (!j->leader)
      return robot_fail(r, j->line, NULL, "joint \"%s\" mimics \"%s\", and there is no such joint",
                        j->name, j->mimics);
    const robot_joint *at = j->leader;
    for (int i = 0; at && at != j && i < ROBOT_LINKS; ++i) at = at->mimics ? at->leader : NULL;
    if (at) return robot_fail(r, j->line, NULL, "joint \"%s\" mimics itself in the end", j->name);
  }
  return TORSOR_OK;
}

torsor_status robot_read(robot *r, const char *file, torsor_error *error) {
  xml_tree tree;
  r->file = file;
  r->error = error;
  r->gravity = (v3){0, 0, -9.81};
  torsor_status status = xml_read(&tree, file, error);
  if (!status && strcmp(tree.root->name, "robot") == 0)
    status = robot_read_urdf(r, tree.root);
  else if (!status && strcmp(tree.root->name, "mujoco") == 0)
    status = robot_read_mjcf(r, tree.root);
  else if (!status)
    status = robot_fail(r, tree.root->line, "<robot> of URDF and <mujoco> of MJCF are read",
                        "the file begins with <%.60s>", tree.root->name);
  /* Texts of the tree stay with the robot. */
  if (status)
    xml_release(&tree);
  else
    r->texts = tree.memory;
  return status;
}

void robot_release(robot *r) {
  arena_release(&r->memory);
  arena_release(&r->texts);
}
