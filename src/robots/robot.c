/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robots/robot.h"

#include <stdarg.h>
#include <stdio.h>
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

void robot_release(robot *r) {
  arena_release(&r->memory);
  arena_release(&r->texts);
}
