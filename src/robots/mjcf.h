/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ROBOTS_MJCF_H
#define TORSOR_ROBOTS_MJCF_H

/** Parts of the reader of MJCF, MuJoCo's format. */

#include "robots/robot.h"
#include "robots/xml.h"

typedef enum mjcf_masses { MJCF_NEVER, MJCF_WHERE_MISSING, MJCF_ALWAYS } mjcf_masses;

/** The file, and what its <compiler> says. */
typedef struct mjcf {
  robot *r;
  const xml_node *top;
  double unit;        /* rad, of an angle in the file */
  const char *euler;  /* sequence of axes, such as "xyz" */
  bool auto_limits;   /* a range limits by itself */
  mjcf_masses masses; /* when masses follow from geoms */
  int bodies;         /* how many there are, the world included */
} mjcf;

/** An element with the attributes of its own and of its class; `inherited` is the class of the
 *  bodies around it, or NULL. */
typedef struct mjcf_element {
  const mjcf *m;
  const xml_node *node;
  const char *inherited;
} mjcf_element;

/** Returns a name for what has none, such as "arm/joint", which no name in the file is; NULL
 * without memory. */
const char *mjcf_made_name(const mjcf *m, const char *first, const char *second);
/** The value of an attribute, or NULL. */
const char *mjcf_value(const mjcf_element *e, const char *key);
bool mjcf_is(const mjcf_element *e, const char *key, const char *word);
/** Refuses a class that no <default> has. */
torsor_status mjcf_check_class(const mjcf_element *e, const char *key);
/** Read `count` numbers where the attribute is there. */
torsor_status mjcf_read(double *out, int count, const mjcf_element *e, const char *key);
torsor_status mjcf_read_vector(v3 *out, const mjcf_element *e, const char *key);
/** The same from `least` numbers on; the count of those that are there. */
torsor_status mjcf_read_some(double *out, int *count, int least, const mjcf_element *e,
                             const char *key);
/** Position and orientation in any of the forms of MJCF. */
torsor_status mjcf_read_pose(robot_pose *out, const mjcf_element *e);
robot_pose mjcf_pose_of(se3 frame);
/** Read a range and whether it limits, by `limited` or by itself. */
torsor_status mjcf_read_range(double range[2], bool *limits, const mjcf_element *e, const char *key,
                              const char *limited);

/** Read the geoms of a body: its shapes, and its mass where they have it. */
torsor_status mjcf_read_geoms(robot_link *link, const mjcf *m, const xml_node *body,
                              const char *inherited);
torsor_status mjcf_read_actuators(const mjcf *m, const xml_node *list);
torsor_status mjcf_read_equalities(const mjcf *m, const xml_node *list);

#endif
