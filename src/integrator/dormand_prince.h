/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_DORMAND_PRINCE_H
#define TORSOR_INTEGRATOR_DORMAND_PRINCE_H

/** The explicit Runge-Kutta pairs 8(5,3) and 5(4) of Dormand and Prince, as in Hairer, Norsett,
 *  Wanner, Solving Ordinary Differential Equations I, section II.5, with their continuous
 *  extensions (II.6).  Of the two embedded methods of 8(5,3) that of order 5 is used. */

enum { PAIR_STAGES = 16, PAIR_TERMS = 4 };

typedef struct runge_kutta_pair {
  int order;
  /** A step has so many stages.  The rates at its end are those of one more, which is the first
   * stage of the next step; the rest of `all` stages are those of the extension. */
  int stages, all;
  double node[PAIR_STAGES];
  /** Butcher's matrix.  Row `stages` holds the weights of the step's end. */
  double matrix[PAIR_STAGES][PAIR_STAGES];
  /** Weights of the end less those of the embedded method, and its order. */
  int embedded;
  double error[PAIR_STAGES];
  /** The extension on 0 <= s <= 1, whose first four terms are those of a cubic with the values and
   * the rates at both ends, in s and 1 - s by turns: the weights of the terms that follow. */
  int terms;
  double extension[PAIR_TERMS][PAIR_STAGES];
  /** For x' = l x and z = h l the embedded method's error begins with leading z^(embedded + 1), and
   * that of the method itself with own z^(order + 1), in parts of x. */
  double leading, own;
  /** Nonlinear motions have larger errors than x' = l x: with this factor those of seven models are
   * mostly 0.03 to 6 times what is allowed. */
  double nonlinear;
  /** Larger estimates of z are beyond the limit of stability. */
  double stable;
} runge_kutta_pair;

extern const runge_kutta_pair pair_853, pair_54;

#endif
