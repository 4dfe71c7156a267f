/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CHANNELS_H
#define TORSOR_ANALYSIS_CHANNELS_H

/** Inputs of a linearised model: inputs of the scene, functions of time and controls of elements,
 * to which something is added, and numbers of elements. */

#include <torsor/linear.h>

#include "assembly/assembly.h"

typedef enum channel_kind {
  CHANNEL_INPUT,    /* an input of the model */
  CHANNEL_FUNCTION, /* added to a function of time, with its derivatives */
  CHANNEL_CONTROL,  /* added to a function of time and of joint coordinates */
  CHANNEL_NUMBER    /* added to a number of an element */
} channel_kind;

typedef struct channel {
  torsor_channel label;
  channel_kind kind;
  int index;              /* of the model's input */
  int element, last, key; /* first and last element and index of its parameter */
  double added[3];        /* value, rate (1/s) and second derivative (1/s^2) at present */
} channel;

typedef struct channels {
  int count;
  channel *channel;
  torsor_model model; /* a copy of the model with elements of its own where inputs change them */
} channels;

/** Finds the inputs by their names.  Memory comes from `memory`, where the changed elements are,
 * too; `model` must outlive it.  Fails with SCENE, and a hint. */
torsor_status channels_create(channels *out, const torsor_model *model, const char *const *name,
                              int count, arena *memory, torsor_error *error);

/** Adds x to the derivative of order 0, 1 or 2 of input i at time t, and nothing to the others.
 * Fails with DOMAIN where the element refuses the number. */
torsor_status channels_set(channels *c, assembly *a, int i, int order, double x, double t);

/** Can the input have a rate, i.e. is it none that an element reads as a mere number? */
bool channels_moves(const channels *c, int i);

#endif
