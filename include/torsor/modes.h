/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_MODES_H
#define TORSOR_MODES_H

/** Eigenmodes of a model about an equilibrium or a steady motion: docs/theory.md, "Modes". */

#include <torsor/statics.h>

TORSOR_BEGIN_DECLS

/** The state about which the model is linearised. */
typedef enum torsor_about {
  TORSOR_ABOUT_INITIAL,     /* the initial state of the scene: an equilibrium or a steady motion */
  TORSOR_ABOUT_EQUILIBRIUM, /* the equilibrium of statics, with the velocities of the scene */
  TORSOR_ABOUT_STEADY       /* steady motion found from the scene's rigid velocities */
} torsor_about;

typedef enum torsor_modes_solver {
  TORSOR_MODES_AUTO,  /* dense up to some hundred unknowns */
  TORSOR_MODES_DENSE, /* all modes, on what the constraints leave free, by LAPACK */
  TORSOR_MODES_SPARSE /* those nearest to 0, by shift and invert, with ARPACK */
} torsor_modes_solver;

/** Begin with TORSOR_MODES_SETTINGS_INIT; see torsor_settings. */
typedef struct torsor_modes_settings {
  size_t size; /* of this struct, set by TORSOR_MODES_SETTINGS_INIT */
  int count;   /* modes, those of the lowest magnitude; 0 = up to ten, as many as there are */
  torsor_about about;
  torsor_modes_solver solver;
  const torsor_statics *equilibrium; /* how it is found; NULL: with the defaults */
  const char *linear_solver;         /* "block" | "klu" | "umfpack"; NULL = "block" */
  bool matrices;                     /* keep those of the linearised system, too */
  bool fewer;                        /* it is no error that there are fewer modes than `count` */
} torsor_modes_settings;
#define TORSOR_MODES_SETTINGS_INIT                                                                 \
  { .size = sizeof(torsor_modes_settings) }

typedef enum torsor_mode_kind {
  TORSOR_MODE_RIGID,       /* eigenvalue 0: a motion that nothing resists */
  TORSOR_MODE_OSCILLATION, /* a pair of complex eigenvalues */
  TORSOR_MODE_REAL         /* one real eigenvalue: decays or grows without swinging */
} torsor_mode_kind;

/** Directions of participation: translations along x, y, z and rotations about them, inertial axes,
 *  through the centre of mass. */
enum { TORSOR_MODE_DIRECTIONS = 6 };

typedef struct torsor_mode {
  torsor_mode_kind kind;
  bool unstable;        /* it grows, by more than round-off */
  double re, im;        /* eigenvalue mu, 1/s; im >= 0: the conjugate is not listed */
  double frequency_hz;  /* im / 2 pi */
  double damping_ratio; /* -re / |mu|; 0 where mu is 0 */
  /* phi^H M r, r the unit rigid motion, with phi^H M phi = 1; and its square: kg, kg m^2 */
  double participation_re[TORSOR_MODE_DIRECTIONS], participation_im[TORSOR_MODE_DIRECTIONS];
  double effective_mass[TORSOR_MODE_DIRECTIONS];
} torsor_mode;

/** Frame of a node in the linearised state, and the body that it belongs to. */
typedef struct torsor_mode_node {
  const char *body; /* name of the body, owned by the model */
  v3 x;             /* m, inertial */
  so3 R;            /* body to inertial axes */
} torsor_mode_node;

/** Amplitude of a node in a mode, inertial axes: x + Re(translation exp(mu t)), R turned by
 *  Re(rotation ..). */
typedef struct torsor_mode_amplitude {
  v3 translation_re, translation_im; /* m */
  v3 rotation_re, rotation_im;       /* rad */
} torsor_mode_amplitude;

/** The linearised system M e'' + C e' + K e + G lambda = 0 with B e = 0 in holonomic rows and B e'
 *  + Z e = 0 in nonholonomic ones; e are the body variations (m, rad) of the nodes.  G is B^T and
 *  left out unless forces depend on multipliers, Z is left out without nonholonomic rows. */
enum {
  TORSOR_MATRIX_M,
  TORSOR_MATRIX_C,
  TORSOR_MATRIX_K,
  TORSOR_MATRIX_B,
  TORSOR_MATRIX_Z,
  TORSOR_MATRIX_G,
  TORSOR_MATRICES
};

/** Entries that are not 0, by columns; indices begin at 0. */
typedef struct torsor_linear_matrix {
  int rows, columns, count; /* rows = 0: left out */
  int *row, *column;
  double *value;
} torsor_linear_matrix;

/** Meaning of an unknown: a component (0..2 translation, 3..5 rotation, body axes) of a node or a
 *  constraint row. */
typedef struct torsor_unknown {
  const char *element;          /* of the model */
  int place;                    /* index of the component or row in the element */
  bool nonholonomic, dependent; /* rows only; dependent: repeats others and is not needed */
} torsor_unknown;

typedef struct torsor_modes {
  int count;
  torsor_mode *mode;
  int nodes;
  torsor_mode_node *node;
  torsor_mode_amplitude *amplitude; /* [count][nodes], with phi^H M phi = 1 */
  int velocities, constraints;      /* unknowns; rows that are independent */
  int zeros;     /* eigenvalues 0: more than modes of the kind RIGID where motions drift */
  bool dense;    /* found by the dense solution */
  bool undamped; /* at rest, without damping: shapes are real and orthonormal */
  double mass[TORSOR_MODE_DIRECTIONS]; /* of the whole model: kg, and inertia about its centre, kg
                                          m^2 */
  v3 centre;                           /* of mass, m */
  double imbalance; /* forces that are left over, parts of the largest sum of forces at a node */
  bool moves;       /* a steady motion: seen from frames that move with `frame` */
  twist frame;      /* velocity of these frames at the origin, inertial axes: (m/s, rad/s) */
  const char *frame_body;                       /* the body that they move with; NULL: none alone */
  torsor_linear_matrix matrix[TORSOR_MATRICES]; /* where they are asked for, with... */
  int rows;                     /* ... all rows of constraints, and what the columns ... */
  torsor_unknown *column, *row; /* ... [velocities] and rows [rows] are */
} torsor_modes;

/** Linearise and solve.  `warn` of the hooks (may be NULL) is used.  INCONSISTENT when the state is
 *  no equilibrium nor steady motion, or NEWTON when no steady motion is found: the error names the
 *  body that accelerates most.  The model must outlive the modes.  Free with
 *  torsor_modes_destroy. */
TORSOR_API torsor_status torsor_modes_find(torsor_modes **out, const torsor_model *model,
                                           const torsor_modes_settings *settings,
                                           const torsor_hooks *hooks, torsor_error *error);
TORSOR_API void torsor_modes_destroy(torsor_modes *modes);

/** The mode of another state that matches a given mode. */
typedef struct torsor_mode_match {
  int mode;     /* -1: none does */
  double mac;   /* |x^H M y|^2/(x^H M x y^H M y) of the two shapes: 1 = the same */
  double rival; /* the largest of the other modes */
} torsor_mode_match;

/** Matches the modes `which` [count] of `from` to modes of `to`, out [count] (-1: no mode), by the
 *  assignment with the largest sum of modal assurance criteria, with complex shapes in the metric
 *  of the mass matrix of `to`.  Both must have been found with `matrices`, for models that still
 *  exist and differ in parameter values only.  Returns ARGUMENT otherwise. */
TORSOR_API torsor_status torsor_modes_match(torsor_mode_match *out, const torsor_modes *from,
                                            const int *which, int count, const torsor_modes *to,
                                            torsor_error *error);

TORSOR_END_DECLS

#endif
