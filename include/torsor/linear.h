/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LINEAR_H
#define TORSOR_LINEAR_H

/** A model with inputs and outputs, linearised about a state: state space, poles and frequency
 * response (docs/theory.md, "Inputs and outputs"). */

#include <torsor/analysis.h>
#include <torsor/modes.h>

TORSOR_BEGIN_DECLS

/** Begin with TORSOR_LINEAR_SETTINGS_INIT; see torsor_settings. */
typedef struct torsor_linear_settings {
  size_t size; /* of this struct, set by TORSOR_LINEAR_SETTINGS_INIT */
  torsor_about about;
  /** [inputs] An input of the model ("push"), to which its value is added; or "<element>.<key>" of
   * a parameter that is a function of time or a control ("motor.effort"), which the input is added
   * to, or a number ("spring.stiffness"), which it changes. */
  const char *const *input;
  int inputs;
  const char *const *output; /* [outputs] signals, see torsor_signals_create */
  int outputs;
  /** [states] Joint coordinates and positions of bodies that are to be states, e.g. "hinge.angle";
   * others are added where these are not all.  None: all are chosen. */
  const char *const *state;
  int states;
  /** An input that moves a joint needs its rate and acceleration too.  false: its acceleration is
   * the input, and value and rate are two more states; true: all three are inputs. */
  bool triple;
  bool descriptor; /* no state space, which takes dense matrices: only the response */
  const torsor_statics *equilibrium; /* how it is found; NULL: with the defaults */
  const char *linear_solver;         /* "block" | "klu" | "umfpack"; NULL = "block" */
} torsor_linear_settings;
#define TORSOR_LINEAR_SETTINGS_INIT                                                                \
  { .size = sizeof(torsor_linear_settings) }

typedef struct torsor_linear torsor_linear;

/** A name with its unit; "" = none. */
typedef struct torsor_channel {
  const char *name, *unit;
} torsor_channel;

/** The system x' = A x + B u, y = C x + D u of variations about the state.  Matrices are stored row
 * by row. */
typedef struct torsor_state_space {
  int states, inputs, outputs;
  const torsor_channel *state, *input, *output;
  const double *A, *B; /* [states x states], [states x inputs] */
  const double *C, *D; /* [outputs x states], [outputs x inputs] */
  /** [states] Poles, the eigenvalues of A, 1/s, by magnitude; both of a pair. */
  const double *pole_re, *pole_im;
  /** [zeros] Invariant zeros, 1/s, by magnitude: those of the transfer function, and poles that no
   * input reaches or no output shows. */
  int zeros;
  const double *zero_re, *zero_im;
} torsor_state_space;

/** Linearise.  `warn` of the hooks (may be NULL) is used.  Fails like torsor_modes_find; with
 * SCENE where an input, an output or a state does not exist or cannot be one; with ARGUMENT where
 * an output is not constant in the frames of a steady motion, or depends on the past.  The model
 * must outlive the system.  Free with torsor_linear_destroy. */
TORSOR_API torsor_status torsor_linear_find(torsor_linear **out, const torsor_model *model,
                                            const torsor_linear_settings *settings,
                                            const torsor_hooks *hooks, torsor_error *error);
TORSOR_API void torsor_linear_destroy(torsor_linear *linear);

/** The state space; NULL with `descriptor`.  Valid as long as the system. */
TORSOR_API const torsor_state_space *torsor_linear_state_space(const torsor_linear *linear);

/** A state space with fewer states, by balanced truncation of its stable part. */
typedef struct torsor_balanced {
  torsor_state_space space; /* its states are named "balanced_1", .. */
  int kept;             /* the last of them: poles that are not stable, which are not balanced */
  int values;           /* stable states of the whole system ... */
  const double *hankel; /* [values] ... and their Hankel singular values, descending */
  double bound; /* twice the sum of those left out: the largest singular value of the difference of
                   both transfer functions is below it at all frequencies */
} torsor_balanced;

/** Reduces the state space to so many states, or fewer where the next Hankel singular values are
 * round-off.  ARGUMENT where there is none, where it has fewer states or where more than these are
 * not stable.  Valid as long as the system. */
TORSOR_API torsor_status torsor_linear_balance(const torsor_balanced **out, torsor_linear *linear,
                                               int states, torsor_error *error);

/** C (i omega - A)^-1 B + D at omega [count], rad/s, as pairs (re, im) [count x outputs x inputs].
 * SINGULAR at a pole. */
TORSOR_API torsor_status torsor_state_space_response(double *response,
                                                     const torsor_state_space *space,
                                                     const double *omega, int count,
                                                     torsor_error *error);

/** The inputs and outputs, as they were given. */
TORSOR_API const torsor_channel *torsor_linear_inputs(const torsor_linear *linear, int *count);
TORSOR_API const torsor_channel *torsor_linear_outputs(const torsor_linear *linear, int *count);

/** The matrices of M e'' + C e' + K e + G lambda = 0 with their constraints, see
 * torsor_linear_matrix; there are no modes in it.  Valid as long as the system. */
TORSOR_API const torsor_modes *torsor_linear_system(const torsor_linear *linear);

/** Coefficients of inputs and outputs in that system: with the derivatives of the inputs u
 *
 *    M e'' + C e' + K e + G lambda + R[0] u + R[1] u' + R[2] u'' = 0,  and so for rows of
 * constraints, y = H[0] e + H[1] e' + H[2] e'' + L lambda + D[0] u + D[1] u' + D[2] u''
 *
 * H [outputs x velocities] and L [outputs x rows] are stored row by row; R [inputs x (velocities +
 * rows)] and D [inputs x outputs] column by column. */
typedef struct torsor_linear_terms {
  const double *R[3], *H[3], *L, *D[3];
} torsor_linear_terms;
TORSOR_API torsor_linear_terms torsor_linear_terms_of(const torsor_linear *linear);

/** Frequency response: at s = i omega [count], rad/s, H(s) [count x outputs x inputs] pairs (re,
 * im), y = H(s) u.  Fails with SINGULAR where the system has a pole at a frequency, whose index
 * `at` (may be NULL) receives. */
TORSOR_API torsor_status torsor_linear_response(double *response, torsor_linear *linear,
                                                const double *omega, int count, int *at,
                                                torsor_error *error);

TORSOR_END_DECLS

#endif
