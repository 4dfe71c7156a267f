/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_BEAM_FLEXIBILITY_H
#define TORSOR_ELEMENTS_BEAM_FLEXIBILITY_H

/** Elements of order 4: the moments vary linearly along the element, as the balance of its sections
 *  asks for, and the flexibility of the element follows from it (docs/theory.md, "Beams"). */

#include "elements/beam_lanes.h"

/** Data of an element of order 4, which a uniform straight beam has in common. */
typedef struct beam_flexibility {
  m6 mean;         /* flexibility of the section, mean of both Gauss points; 0 for constrained
                      strains */
  m6 change;       /* half its difference between them */
  m6 damping;      /* inverse flexibility of the unstrained element; 0 without damping */
  bool diagonal;   /* mean is */
  bool tapered;    /* change is not 0 */
  bool straight;   /* mean is diagonal and alone, and the unstrained axis is that of the section */
  bool even;       /* straight, and the sections do not turn: damping is diagonal */
  bool fixed_axis; /* the extension is constrained */
} beam_flexibility;

/** The state of two elements: C sigma = (d - d_0)/L with the stress sigma in the middle. */
typedef struct beam_flexed {
  const beam_flexibility *of[2];
  twists axis;       /* p and kappa: what the moments vary by */
  pair reach;        /* distance xi of a Gauss point from the middle, m */
  pair factor[6][6]; /* C = U^T D U: U above the diagonal, 1/D on it */
  twists sigma;
  twists change; /* half the difference of the section's strains between the Gauss points */
} beam_flexed;

/** Computes the data from the section's stiffness at both Gauss points, zero in the rows of
 *  constrained strains.  `places`: size of the coordinates of its ends, by which these are rounded,
 *  m. */
void beam_flexibility_find(beam_flexibility *out, const m6 K[BEAM_POINTS], bool fixed_axis,
                           bool damped, twist reference, double length, double places);

/** Can elements with these data, each of which may be NULL, be evaluated together? */
bool beam_flexibility_alike(const beam_flexibility *first, const beam_flexibility *second);

/** Factors C and finds sigma, which is in->stress where that is given. */
void beam_flex(beam_flexed *x, const beam_pair *both, const relatives *s);

/** Finds `change`, which the functions below need. */
void beam_flex_change(beam_flexed *x);

/** The generalised stress s = dW/dd. */
twists beam_generalised(const beam_flexed *x);

/** The damping stress of the rate d'; none where in->stress is given. */
twists beam_damping(const beam_pair *both, const relatives *s);

/** Strains of the sections, mean over the element. */
twists beam_flexed_strains(const beam_flexed *x);

/** ds/dd of the element in both lanes, symmetric. */
m6 beam_flexed_tangent(const beam_flexed *x, const beam_element_data *e);

/** The stress in the middle after a change `rate` of d, to first order. */
twists beam_flexed_foresee(const beam_flexed *x, const beam_pair *both, const relatives *s);

#endif
