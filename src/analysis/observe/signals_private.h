/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNALS_PRIVATE_H
#define TORSOR_ANALYSIS_SIGNALS_PRIVATE_H

#include "analysis/observe/signals.h"

/* A source computes a few numbers at once; a column is one of them. */
typedef enum source_kind {
  SOURCE_POSITION,
  SOURCE_QUATERNION,
  SOURCE_ROTATION_VECTOR,
  SOURCE_VELOCITY,
  SOURCE_ANGULAR_VELOCITY,
  SOURCE_SPIN,
  SOURCE_ACCELERATION,
  SOURCE_ANGULAR_ACCELERATION,
  SOURCE_LAMBDA,
  SOURCE_COORDINATE,
  SOURCE_RATE,
  SOURCE_OUTPUT,
  SOURCE_OUTPUT_A, /* forces and moments in the axes of marker a ... */
  SOURCE_OUTPUT_B, /* ... and of marker b */
  SOURCE_PLACE,
  SOURCE_PHI,
  SOURCE_PHI_VELOCITY,
  SOURCE_WORK,
  SOURCE_BALANCE,
  SOURCE_WORK_SUM,
  SOURCE_IMPULSE,
  SOURCE_INPUT,
  SOURCE_DERIVED,
  SOURCE_LOAD
} source_kind;

enum { SOURCE_SIZE = ELEMENT_OUTPUTS, NAME_SIZE = 160 };

typedef struct column {
  char name[NAME_SIZE];
  const char *unit;
  char rate_unit[16]; /* unit of a rate, which replaces `unit` */
  source_kind kind;
  int element, component;
  int at; /* index of a section point of the element, of an input, or of a derived signal */
  torsor_signals *of;  /* of a chosen derived signal: what it is made of */
  bool counts;         /* it is a whole number */
  char shown_unit[32]; /* in which results show it, with the factor */
  double shown_factor; /* 0: in its own unit */
  bool is_default, chosen;
  /* Length of a name such as "wing.start": shorter names do not stand for the column. */
  size_t place;
} column;

struct torsor_signals {
  const torsor_model *model;
  /* While signals are listed: [wanted_count] names that are asked for; only signals that one of
   * them may mean are listed; 0: all. */
  const char *const *wanted;
  int wanted_count;
  bool stresses; /* stresses are listed whatever is wanted */
  bool parts;    /* only signals that full states name */
  int count, size;
  column *column;
  derivatives derived;
};

#endif
