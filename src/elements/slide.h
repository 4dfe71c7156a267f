/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SLIDE_H
#define TORSOR_ELEMENTS_SLIDE_H

/** The parts of a sliding joint on a chain of nodes.
 *
 *  The chain carries a curve X(s) of the material place s, cubic in each element, with one tangent
 *  at each node: it and its first derivative are continuous.  So are the axes of the sections, as
 *  cubics through those of the nodes.  The rows of the joint are functions of the node of s, the
 *  body that slides and all nodes of the chain.  As an element has room for few nodes, the joint is
 *  a row of parts, each with some elements of the chain.  A part whose elements hold the place s
 *  has the rows themselves, D; the others have D = 0.  Sums Z between parts make one constraint of
 *  them,
 *
 *    phi_k = D_k + Z_k - Z_(k+1) = 0,   Z_0 = Z_n = 0:   sum D_k = 0 and Z_k = 0,
 *
 *  and all parts have the same multipliers, since the sums have no inertia.  Rows of the place and
 *  of the axes have a row of parts each. */

#include <torsor/joint.h>

/** Most nodes of the chain that one part uses, and most of its rows. */
enum { SLIDE_NODES = 4, SLIDE_ROWS = 3 };

/** Some elements of a chain, from the node `first` of the piece to its node `last`, with a node
 * more at each side, where there is one, if neighbours are needed. */
typedef struct slide_piece {
  int count, first, last;
  double place[SLIDE_NODES]; /* of its nodes, m */
  bool point;                /* nodes without axes */
  bool turns;                /* the axes are wanted, not the place */
  bool begins, ends;         /* the curve goes on straight before and behind */
} slide_piece;

/** Factors, with their derivatives 0 to 2 by s, of a vector b = sum c_i x_i + d_i R_i e with the
 *  places x_i of the nodes and one of their axes e: b = X for the place, else the tangent or the
 *  side of the sections. */
typedef struct slide_weights {
  double c[3][SLIDE_NODES], d[3][SLIDE_NODES];
} slide_weights;

/** Does the piece hold the place s? */
bool slide_holds(const slide_piece *piece, double s);

/** Computes the factors at the place s. */
void slide_weigh(slide_weights *out, const slide_piece *piece, double s);

/** A part.  Its nodes are that of s, the slider's unless it is the ground, those of the sums before
 *  and behind, and those of the piece. */
typedef struct slide_part_data {
  torsor_joint travel; /* a: the ground, b: the node of s; its coordinate is s */
  torsor_marker slider;
  slide_piece piece;
  int rows, chain[SLIDE_NODES];
  int sums[2];                        /* nodes of the sums before and behind, -1 = none */
  double length;                      /* of the chain, m */
  int at_slider, at_sum[2], at_chain; /* indices among its nodes, -1 = none */
} slide_part_data;

/** A node of three numbers, of which the first ones are used; rows keep the others at zero.  It has
 *  no inertia. */
typedef struct slide_node_data {
  torsor_node_init init;
  int used;
} slide_node_data;

/** The last part of the place has the coordinate and the force, that of the axes the moment. */
extern const torsor_element_type slide_node, slide_part, slide_end, slide_turn;

#endif
