/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_EVENT_JOINTS_H
#define TORSOR_SCENE_EVENT_JOINTS_H

/** Events that change what is held: locks, welds and their release, and elements that break. */

#include <torsor/model.h>

#include "scene/functions.h"

struct element_context;

/** Adds an element of this type, read from the object `element`, under its whole name. */
typedef torsor_status element_adder(torsor_builder *builder, const struct element_context *context,
                                    const torsor_element_type *type, const char *name,
                                    const json_node *element);

/** Add what the events lock and weld: joints "hinge_angle_lock", "ball_lock" and those of the
 *  welds' names, which do not act at the start. `context`: that of elements of the scene, with a
 *  reader. */
torsor_status event_joints_add(torsor_builder *builder, const struct element_context *context,
                               element_adder *add, const json_node *list);

/** Elements, and sampled controllers, that an action switches on or off. */
enum { SWITCHED_CONTROLLERS = 64 };
typedef struct switched_elements {
  int count, room;
  int *element; /* [room] */
  int controllers, controller[SWITCHED_CONTROLLERS];
} switched_elements;

/** Read the lists "lock", "weld" and "release" of an action. */
torsor_status event_joints_lock(switched_elements *on, torsor_builder *builder, const reader *r,
                                const json_node *list);
torsor_status event_joints_weld(switched_elements *on, torsor_builder *builder, const reader *r,
                                const json_node *list);
torsor_status event_joints_release(switched_elements *off, torsor_builder *builder, const reader *r,
                                   const json_node *list);
/** Read the lists "on" and "off" of forces and joints. */
torsor_status event_joints_switch(switched_elements *out, torsor_builder *builder, const reader *r,
                                  const json_node *list);

/** Most signals whose limits one event watches, and their names. */
enum { BREAK_SIGNALS = 24 };
typedef struct break_signals {
  int count;
  const char *signal[BREAK_SIGNALS];
  char name[BREAK_SIGNALS][256];
} break_signals;

/** Read "break": the element that breaks, which is added to `off`, and "limits" of its signals; the
 *  event occurs where one of them is exceeded. */
torsor_status event_joints_break(torsor_event *out, break_signals *names, switched_elements *off,
                                 torsor_builder *builder, function_list *functions, const reader *r,
                                 const json_node *event);

#endif
