/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_RELAYS_H
#define TORSOR_SCENE_RELAYS_H

#include "scene/inputs.h"

/** A relay with hysteresis: an input of the model that two events set. */
typedef struct relay {
  const char *name;
  const char *when_on, *when_off;   /* expressions whose sign changes there */
  const char *value_on, *value_off; /* expressions of its value */
  bool rises;                       /* it is switched on where its input rises */
  int input, entry;
} relay;

typedef struct scene_relays {
  int count;
  relay *item; /* [count] from an arena */
} scene_relays;

/** Is the entry of "controllers" a relay? */
bool relays_are(const json_node *entry);

/** Reads the relays of the list "controllers", which may be missing, and adds their values to
 *  `inputs`. */
torsor_status relays_read(scene_relays *out, scene_inputs *inputs, arena *memory, const reader *r,
                          const json_node *list);

#endif
