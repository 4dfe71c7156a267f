/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_CONTACT_GROUP_H
#define TORSOR_ELEMENTS_CONTACT_GROUP_H

/** Contacts among many shapes: which pairs are near each other, and what they keep.
 *
 *  A pair is a candidate when the balls about its shapes, made fatter by what they may move in the
 *  next steps, overlap.  The list is made between steps alone, from what is kept from step to step,
 *  in the order of the shapes: a step sees a fixed list, and results do not depend on how they are
 *  reached. */

#include "elements/relative_kit.h"
#include "elements/touching.h"

typedef struct contact_group {
  torsor_bodies between, against;
  torsor_marker plane; /* R NaN: there is none */
  contact_law law;
  double face_stiffness, rounding, margin; /* NaN: not given */
  int max_pairs;                           /* -1: not given */
  bool joined, coupled;
  /* made by contact_group_prepare: */
  int shapes;      /* of both lists; the plane has this index */
  int pairs;       /* room for candidates */
  int pair_states; /* numbers that each keeps */
  double smallest; /* radius of the ball about the smallest shape, m */
  int axis;        /* along which shapes are sorted within a strip */
  int across;      /* axis across the strips */
} contact_group;

/** Places of the numbers that the group keeps: first these, then of each shape where it was when
 * the list was made and how much fatter it is, the order of the shapes along the axis, of each
 *  candidate its shapes, and what the pairs keep. */
enum { GROUP_TIME, GROUP_COUNT, GROUP_NEEDED, GROUP_LOST, GROUP_HEAD };
enum { SHAPE_AT = 0, SHAPE_FAT = 3, SHAPE_BALL = 4, GROUP_SHAPE_STATES = 5 };

int contact_group_states(const contact_group *g);

torsor_status contact_group_prepare(contact_group *g, const char *name, torsor_error *error);

/** One candidate, at a motion. */
typedef struct group_pair {
  int a, b; /* shapes; a is the flatter one */
  touch_shape shape_a, shape_b;
  touching_pair pair;
  relative_state at;
  const double *state; /* what the pair keeps; NULL: it has nothing */
  double reach;        /* least distance that the balls about the shapes leave, m */
} group_pair;

int contact_group_count(const double *state);

/** Finds candidate k and its `reach` at this motion: all but `pair` and `at`. */
void contact_group_pair(group_pair *out, const contact_group *g, const torsor_element_in *in,
                        const double *state, int k);

/** Finds `pair` and `at`, which a pair that does not reach does without. */
void contact_group_relate(group_pair *out, const contact_group *g, const torsor_element_in *in);

/** Has a shape moved further than the list allows, or has the list no room? */
bool contact_group_is_outdated(const contact_group *g, const torsor_element_in *in);

/** The numbers after this motion; in->state NULL: a motion begins. */
void contact_group_keep(const contact_group *g, const torsor_element_in *in, double *state);

#endif
