/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SENSITIVITIES_H
#define TORSOR_SCENE_SENSITIVITIES_H

#include "base/arena.h"
#include "scene/reader.h"

/** Room for a name. */
enum { SENSITIVITY_NAME = 256 };

/** A parameter by which signals are differentiated. */
typedef struct sensitivity_request {
  const char *name; /* of a parameter, or the path of a number, as after --set */
  double scale;     /* a change of it that matters; 0: its own size */
} sensitivity_request;

/** Reads the list "sensitivities"; left out, it is empty.  Memory from `memory`. */
torsor_status sensitivities_read(sensitivity_request **out, int *count, arena *memory,
                                 const reader *r, const json_node *node);

#endif
