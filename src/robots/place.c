/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "robots/robot.h"

/* Parts of the robot's size (m), and angles (rad), by which a loop may be open. */
static const double OPEN = 1e-6;

static bool is_turning(const robot_joint *j) {
  return j->kind == ROBOT_REVOLUTE;
}

static bool has_coordinate(const robot_joint *j) {
  return (is_turning(j) || j->kind == ROBOT_PRISMATIC) && !j->closes && !j->child->left_out;
}

/* ---- values at the start --------------------------------------------------------------------- */

/* A joint starts at 0, or where the file has it, or at the limit that is nearest to it. */
static torsor_status choose_starts(robot *r) {
  torsor_status status = TORSOR_OK;
  for (robot_joint *j = r->joint; j && !status; j = j->next) {
    if (!has_coordinate(j) || j->mimics || !j->has_limits) continue;
    const double given = j->start;
    if (j->lower <= given && j->upper >= given) continue;
    j->start = j->lower > given ? j->lower : j->upper;
    status = robot_say(r, j->line, "joint \"%s\" starts at its limit %g, as %g is beyond it",
                       j->name, j->start, given);
  }
  return status;
}

/* A joint that mimics starts where its leader has it, and follows no joint without a coordinate. */
static torsor_status follow_leaders(robot *r) {
  torsor_status status = TORSOR_OK;
  for (robot_joint *j = r->joint; j && !status; j = j->next) {
    if (!j->mimics || !has_coordinate(j)) continue;
    if (!has_coordinate(j->leader)) {
      status =
          robot_say(r, j->line, "joint \"%s\" mimics \"%s\", which has no coordinate: it is free",
                    j->name, j->mimics);
      j->leader = NULL;
    }
  }
  for (robot_joint *j = r->joint; j && !status; j = j->next) {
    double ratio = 1, offset = 0;
    const robot_joint *at = j;
    if (!j->leader || !has_coordinate(j)) continue;
    for (; at->leader; at = at->leader) {
      offset += ratio * at->offset;
      ratio *= at->ratio;
    }
    j->start = ratio * at->start + offset;
  }
  return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static se3 motion_of(const robot_joint *j) {
  se3 out = se3_identity();
  if (is_turning(j)) out.R = so3_exp(v3_scale(v3_unit(j->axis), j->start));
  if (j->kind == ROBOT_PRISMATIC) out.x = v3_scale(v3_unit(j->axis), j->start);
  return out;
}

/* The joint's frame in its parent, moved to the start. */
static se3 moved_frame(const robot_joint *j) {
  return se3_compose(robot_frame(&j->pose), motion_of(j));
}

static double find_frames(const robot *r) {
  double size = 0;
  for (int i = 0; i < r->links; ++i) {
    robot_link *l = r->link_order[i];
    const robot_joint *up = l->up;
    l->frame = se3_identity();
    if (!up) continue;
    l->frame = se3_compose(up->parent->frame, moved_frame(up));
    if (v3_norm(up->pose_b.x) > 0)
      l->frame = se3_compose(l->frame, se3_inverse(robot_frame(&up->pose_b)));
    size = fmax(size, v3_norm(l->frame.x));
  }
  return size;
}

/* How far a joint that closes a loop is open, m and rad. */
static void measure(double *gap, double *angle, const robot_joint *j) {
  const se3 a = se3_compose(j->parent->frame, robot_frame(&j->pose));
  const se3 b = se3_compose(j->child->frame, robot_frame(&j->pose_b));
  const se3 between = se3_compose(se3_inverse(a), b);
  const v3 n = v3_norm(j->axis) > 0 ? v3_unit(j->axis) : (v3){1, 0, 0};
  const double along = v3_dot(n, between.x);
  const v3 across = v3_axpy(-along, n, between.x);
  *gap = v3_norm(between.x);
  *angle = v3_norm(so3_log(between.R));
  if (j->kind == ROBOT_PRISMATIC) *gap = v3_norm(across);
  if (j->kind == ROBOT_PLANAR) *gap = fabs(along);
  if (j->kind == ROBOT_REVOLUTE || j->kind == ROBOT_PLANAR)
    *angle = v3_norm(v3_sub(so3_rotate(between.R, n), n));
  if (j->kind == ROBOT_BALL) *angle = 0;
}

static bool is_above(const robot_link *above, const robot_link *link) {
  while (link && link != above) link = link->up ? link->up->parent : NULL;
  return link != NULL;
}

/* The bodies of the loop: those between the joint and where both its branches meet. */
static void guess_branch(const robot_link *from, const robot_link *other) {
  for (const robot_link *l = from; l && !is_above(l, other); l = l->up ? l->up->parent : NULL)
    if (l->body) l->body->guess = true;
}

static torsor_status close_loops(robot *r, double size) {
  torsor_status status = TORSOR_OK;
  for (robot_joint *j = r->joint; j && !status; j = j->next) {
    double gap, angle;
    if (!j->closes || j->kind == ROBOT_FREE) continue;
    measure(&gap, &angle, j);
    if (gap <= OPEN * size && angle <= OPEN) continue;
    guess_branch(j->parent, j->child);
    guess_branch(j->child, j->parent);
    status = robot_say(r, j->line,
                       "joint \"%s\" is open by %.3g m and %.3g rad at the start: the "
                       "bodies of its loop are placed by guess",
                       j->name, gap, angle);
  }
  return status;
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* The weight that a joint bears at most: moments about a hinge, forces along a slide. */
static void find_loads(const robot *r) {
  static const double g = 9.81; /* m/s^2 */
  for (int i = 0; i < r->links; ++i) {
    const robot_link *b = r->link_order[i];
    if (b->body != b || b->left_out) continue;
    const v3 c = se3_point(b->frame, b->center);
    for (const robot_link *l = b; l->up; l = l->up->parent) {
      const se3 at = se3_compose(l->up->parent->frame, robot_frame(&l->up->pose));
      const double arm = is_turning(l->up) ? v3_norm(v3_sub(c, at.x)) : 1;
      l->up->load += g * b->whole_mass * arm;
    }
  }
}

torsor_status robot_place(robot *r) {
  torsor_status status = choose_starts(r);
  if (!status) status = follow_leaders(r);
  if (status) return status;
  const double size = find_frames(r);
  find_loads(r);
  return close_loops(r, size);
}
