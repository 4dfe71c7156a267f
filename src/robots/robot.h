/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ROBOTS_ROBOT_H
#define TORSOR_ROBOTS_ROBOT_H

/** A robot as its description has it: links, joints, and what is to be said about them. */

#include <stdbool.h>

#include <torsor/lie.h>

#include "base/arena.h"
#include "base/text.h"

/** Most links of a robot. */
enum { ROBOT_LINKS = 10000 };

typedef enum robot_turn { ROBOT_NO_TURN, ROBOT_RPY, ROBOT_QUATERNION } robot_turn;

/** A frame in another one, with the numbers of the file. */
typedef struct robot_pose {
  v3 x;
  robot_turn form;
  double number[4]; /* roll, pitch, yaw or w, x, y, z */
  so3 R;
} robot_pose;

typedef enum robot_solid_kind {
  ROBOT_BOX,
  ROBOT_SPHERE,
  ROBOT_CYLINDER,
  ROBOT_CAPSULE
} robot_solid_kind;

typedef struct robot_solid {
  struct robot_solid *next;
  robot_solid_kind kind;
  v3 size; /* of a box */
  double radius, length;
  robot_pose pose;
  bool colored;
  double color[3]; /* 0 to 1 */
} robot_solid;

struct robot_joint;
struct xml_node;

typedef struct robot_link {
  struct robot_link *next;
  const char *name, *in_scene; /* as in the file; as in the scene */
  long line;
  double mass; /* 0: none */
  robot_pose inertial;
  double moments[3], products[3]; /* xx, yy, zz; xy, xz, yz, entries of the matrix */
  robot_solid *visual, *collision;
  struct robot_joint *up; /* the joint that holds it, NULL: a root */
  bool marker;            /* a place on another link */
  bool unnamed;           /* the file has no name for it */
  /* what robot_merge finds: */
  struct robot_link *body; /* the link of which it is a part; NULL: the ground */
  se3 in_body;
  bool left_out;
  double whole_mass;        /* of a body with all its parts */
  int parts;                /* links with mass among them */
  struct robot_link *heavy; /* the last of those */
  v3 center;
  m3 inertia; /* about the centre, axes of the body */
  se3 frame;  /* at the start */
  bool guess; /* a loop has to be closed by it */
} robot_link;

typedef enum robot_joint_kind {
  ROBOT_FIXED,
  ROBOT_REVOLUTE,
  ROBOT_PRISMATIC,
  ROBOT_PLANAR,
  ROBOT_FREE,
  ROBOT_BALL
} robot_joint_kind;

typedef struct robot_joint {
  struct robot_joint *next;
  const char *name, *in_scene;
  long line;
  robot_joint_kind kind;
  bool unnamed; /* the file has no name for it */
  robot_link *parent, *child;
  robot_pose pose, pose_b; /* of its frame in the parent; in the child */
  v3 axis;
  bool closes; /* a loop: it is no part of the tree */
  bool has_limits, has_effort, actuated;
  double lower, upper, effort, damping, friction;
  double stiffness, rest; /* of a spring along its coordinate */
  const char *mimics;     /* name of another joint */
  struct robot_joint *leader;
  double ratio, offset;
  double start; /* value of its coordinate */
  double load;  /* weight that it bears at most, N m or N */
} robot_joint;

/** A drive of a joint: with the value u of an input, within its limits, the force gain u + bias_0
 * + bias_1 l + bias_2 l', within its limits, acts along l = gear times the coordinate. */
typedef struct robot_actuator {
  struct robot_actuator *next;
  const char *name, *in_scene;
  long line;
  robot_joint *joint;
  double gear, gain, bias[3];
  bool input_limited, force_limited;
  double input[2], force[2];
} robot_actuator;

/** A remark about a line of the file: it could not be carried, or something was decided. */
typedef struct robot_note {
  struct robot_note *next;
  long line;
  const char *words;
} robot_note;

typedef struct robot {
  arena texts; /* of the file */
  arena memory;
  const char *file, *name;
  robot_link *link, *last_link;
  robot_joint *joint, *last_joint;
  robot_actuator *actuator, *last_actuator;
  robot_note *note, *last_note;
  robot_link **link_order; /* [links] each behind that which holds it */
  int links;
  bool fixed; /* roots are parts of the ground */
  v3 gravity; /* m/s^2 */
  torsor_error *error;
} robot;

torsor_status robot_no_memory(const robot *r);
/** Remember what is to be said about a line of the file. */
torsor_status robot_say(robot *r, long line, const char *format, ...) TORSOR_PRINTF(3, 4);
/** TORSOR_SCENE at a line of the file. */
torsor_status robot_fail(const robot *r, long line, const char *hint, const char *format, ...)
    TORSOR_PRINTF(4, 5);
se3 robot_frame(const robot_pose *pose);

/** Add zeroed ones at the ends of the lists; NULL without memory. */
robot_link *robot_add_link(robot *r, const char *name, long line);
robot_joint *robot_add_joint(robot *r, const char *name, long line);
robot_actuator *robot_add_actuator(robot *r, const char *name, long line);
robot_link *robot_find_link(const robot *r, const char *name);
robot_joint *robot_find_joint(const robot *r, const char *name);

/** Read `least` to *count finite numbers, with blanks between them and nothing else, from the text
 *  `given` of an attribute, NULL where there is none; *count becomes how many there are. */
torsor_status robot_numbers(double *out, int *count, int least, const robot *r,
                            const struct xml_node *node, const char *key, const char *given);
/** Find the joints that others mimic, all of which have been read. */
torsor_status robot_find_leaders(robot *r);

/** Read the file, URDF or MJCF, into the robot, zeroed but for its options.  To be released even
 *  after a failure. */
torsor_status robot_read(robot *r, const char *file, torsor_error *error);
torsor_status robot_read_urdf(robot *r, const struct xml_node *top);
torsor_status robot_read_mjcf(robot *r, const struct xml_node *top);
/** Once all is read: order the tree, give names, merge what is fixed, find masses and frames. */
torsor_status robot_merge(robot *r);
/** Frames at the start, and loops that they leave open. */
torsor_status robot_place(robot *r);
/** The scene of a robot that is merged and placed. */
torsor_status robot_write(text *out, robot *r);
void robot_release(robot *r);

#endif
