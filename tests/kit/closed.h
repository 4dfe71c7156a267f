/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_CLOSED_H
#define TORSOR_TESTS_CLOSED_H

/** Small scenes with closed solutions, on both groups. */

#include "support.h"

#define PI 3.141592653589793

/* A body of 2 kg with Jz = 0.2; a scene of such. */
#define BODY(name, more)                                                                           \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 2,"                                \
  " \"inertia\": [0.1, 0.3, 0.2]" more "}"
#define SCENE(bodies, joints, forces)                                                              \
  "{\"torsor\": 1, \"bodies\": [" bodies "], \"joints\": [" joints "], \"forces\": [" forces "]}"
/* A rotor about z with moment of inertia 0.2. */
#define ROTOR(more, joints, forces)                                                                \
  SCENE(                                                                                           \
      BODY("rotor", more),                                                                         \
      "{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"rotor\"}" joints,  \
      forces)

extern const char *const closed_groups[2];

/** Simulate `text` with step h for `duration`; Newton's tolerance far below the errors of the step,
 * and all steps alike: the first ones of a damped start have errors of their own, 4 % of those of a
 * stone in the wind with 100 steps a second. */
support_trace closed_run(const char *text, const char *const *signals, const char *group, double h,
                         double duration);

/** Equilibria of `text`: the last row, load and then the signals, into row [room]. */
void closed_rest(double *row, int room, const char *text, const char *const *signals);

/** Largest |column - exact(t)| of a trace. */
double closed_off(const support_trace *trace, int column, double (*exact)(double t));

/** A case with a closed solution: what its signal is. */
typedef struct closed_case {
  const char *title, *text, *signal;
  double (*exact)(double t);
  double h, duration;
} closed_case;

/** Errors at h and h/2 are of order 2 within 0.1, as the next term of the expansion leaves. */
void closed_check(const closed_case *c);

/** Bound of the error of a signal of that size which what is given determines by itself, at any
 * step: differences in time of step eps^(1/3), and a factor for their sums. */
double closed_given(double size);

/** Errors at h and h/2 are below closed_given. */
void closed_check_given(const closed_case *c, double size);

#endif
