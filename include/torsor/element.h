/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENT_H
#define TORSOR_ELEMENT_H

/** Element types: bodies, joints and forces, and their interface to the assembly.
 *
 *  An element type is one table in one file.  Its parameter table drives parsing, error messages,
 *  `torsor list`, `torsor describe` and the JSON schema.  Elements see nodes as frames (R, x) with
 *  body twists V = (U, Omega) and their time derivatives, and answer with body wrenches (force,
 *  moment) in the axes of the node's frame, whatever Lie group moves the node: the assembly maps
 *  between the two (docs/theory.md, section 3).  The same table is the plug-in ABI. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <torsor/base.h>
#include <torsor/lie.h>
#include <torsor/mesh.h>
#include <torsor/section.h>
#include <torsor/solid.h>

TORSOR_BEGIN_DECLS

/** Changes whenever a struct of this header changes; a plug-in built for another value is
 *  refused. */
#define TORSOR_ELEMENT_ABI 21

/** Most constraint rows that one element may use, and most nodes of an element that names them in
 *  torsor_setup.node. */
#define TORSOR_ELEMENT_NODES 8
#define TORSOR_ELEMENT_ROWS  12

/** Marks the ground where a node index is expected. */
#define TORSOR_GROUND (-1)

/* ---- parameters -------------------------------------------------------------------------- */

/** Kind of a parameter: its form in a scene and the C type of the member that it fills. */
typedef enum torsor_param_kind {
  TORSOR_PARAM_NUMBER,           /* number or expression           double */
  TORSOR_PARAM_INTEGER,          /* whole number                   int */
  TORSOR_PARAM_BOOLEAN,          /* true | false                   bool */
  TORSOR_PARAM_CHOICE,           /* one word of `choices`          int, index of the word */
  TORSOR_PARAM_VECTOR,           /* [x, y, z]                      v3 */
  TORSOR_PARAM_DIRECTION,        /* [x, y, z] not zero             v3 of length 1 */
  TORSOR_PARAM_INERTIA,          /* [Jx, Jy, Jz] or 3x3            m3, symmetric and physical */
  TORSOR_PARAM_ORIENTATION,      /* object, see docs/scene.md      so3 */
  TORSOR_PARAM_ANGULAR_VELOCITY, /* [..] body axes, or {"in",..}   torsor_angular_velocity */
  TORSOR_PARAM_GROUP,            /* "R3xSO3" | "SE3" | "SO3"       torsor_group */
  TORSOR_PARAM_MARKER,           /* "body" or {"body",..}          torsor_marker */
  TORSOR_PARAM_CURVE,            /* {"points", "closed"}           torsor_curve */
  TORSOR_PARAM_MATRIX6,          /* 6x6, a list of rows            m6 */
  TORSOR_PARAM_NUMBERS,          /* [x, y, ..]                     torsor_numbers */
  TORSOR_PARAM_SECTION,          /* "name" of a section, or object torsor_section */
  TORSOR_PARAM_SECTION_TABLE,    /* the same, or a table           torsor_section_table */
  TORSOR_PARAM_FUNCTION,         /* function of t, docs/scene.md   torsor_function */
  TORSOR_PARAM_CHARACTERISTIC,   /* function of `choices[0]`       torsor_characteristic */
  TORSOR_PARAM_CONTROL,          /* of t and joint coordinates     torsor_control */
  TORSOR_PARAM_COORDINATE,       /* "hinge.angle"                  torsor_coordinate_ref */
  TORSOR_PARAM_CHAIN,            /* "wing": a beam, cable or edge  torsor_chain */
  TORSOR_PARAM_PROFILE,          /* function of s and t            torsor_profile */
  TORSOR_PARAM_MATRIX,           /* "file.mtx" or a list of rows   torsor_matrix */
  TORSOR_PARAM_FRAMES,           /* list of places or frames       torsor_frames */
  TORSOR_PARAM_CALLBACK,         /* "name" of one that is bound    const torsor_callback * */
  TORSOR_PARAM_SURFACE,          /* "plate": a shell               torsor_surface */
  TORSOR_PARAM_LAYERS,           /* list of layers                 torsor_layers */
  TORSOR_PARAM_MESH,             /* "plate.msh", or object         torsor_mesh */
  TORSOR_PARAM_BODY_FILE,        /* "body.json": its matrices and frames take the place of the name;
                                    no member */
  TORSOR_PARAM_PATH,             /* list of stations of a rope     torsor_path */
  TORSOR_PARAM_BODIES,           /* list of names, "*" for any     torsor_bodies */
  TORSOR_PARAM_NAMES             /* list of words for signals      torsor_names */
} torsor_param_kind;

/** Conditions on a parameter's value; they may be combined. */
enum {
  TORSOR_POSITIVE = 1,          /* number > 0 */
  TORSOR_NONNEGATIVE = 2,       /* number >= 0 */
  TORSOR_NEEDS_ORIENTATION = 4, /* marker: the body must have an orientation (not a point mass) */
  TORSOR_GIVES_POSITION =
      8,              /* function of t: a jump of its rate is an impulse, and worth a warning */
  TORSOR_INITIAL = 16 /* an initial value: it affects the start of a motion only */
};

/** `fallback` of an optional parameter without a default value: when it is left out, the member is
 *  marked as absent (NaN in the first number; -1 for a choice; see torsor_absent_*). */
#define TORSOR_OPTIONAL ""

typedef struct torsor_param {
  const char *key; /* word in the scene */
  torsor_param_kind kind;
  size_t offset;              /* offset of the member in the instance */
  const char *unit;           /* "kg", "m", ...; NULL = none */
  const char *fallback;       /* default as JSON text; NULL = required; TORSOR_OPTIONAL */
  const char *doc;            /* one sentence */
  const char *const *choices; /* NULL-terminated, for TORSOR_PARAM_CHOICE; the variable's name for
                               * TORSOR_PARAM_CHARACTERISTIC and the signature for
                               * TORSOR_PARAM_CALLBACK (callback.h) */
  unsigned conditions;        /* TORSOR_POSITIVE ... */
} torsor_param;

/** Angular velocity as given: `in_inertial` says in which axes; absent when value.x is NaN. */
typedef struct torsor_angular_velocity {
  v3 value;
  bool in_inertial;
} torsor_angular_velocity;

/** A frame fixed to a node (or to the ground): offset (R, x) in the node's frame, and where it is
 *  in the inertial frame at the start. */
typedef struct torsor_marker {
  int node;   /* index in the model, or TORSOR_GROUND */
  m3 R;       /* offset rotation */
  v3 x;       /* offset position, m */
  m3 R0;      /* initial rotation, marker to inertial */
  v3 x0;      /* initial position, inertial, m */
  bool point; /* on a point mass, which has no orientation and feels no moment */
} torsor_marker;

/** A discontinuity of the rate of a function of time; the texts live as long as the scene. */
typedef struct torsor_jump {
  double t, change;   /* s, unit/s */
  const char *what;   /* as the end of a sentence, "where .." */
  const char *place;  /* position in the scene: file, line, column and path */
  const char *advice; /* what makes it smooth */
} torsor_jump;

/** Everything that functions depend on besides their own argument.  Each run has its own, so that
 *  runs of one model may differ. */
typedef struct torsor_now {
  double t;    /* s */
  double load; /* "load" of functions: 1 but in statics, where it is the load of the path */
  /** [inputs x 3] of the model's inputs the value, its rate (1/s) and its second derivative (1/s^2)
   *  at t; NULL: those with which the model begins. */
  const double *input;
  struct torsor_complaint *complaint; /* internal, see torsor_callback_fail; may be NULL */
  const signed char *side; /* internal: sides of kinks on which functions stay; NULL: none */
} torsor_now;

/** A function of time and of inputs, with its first two derivatives by time, which may be NULL.
 *  Absent: eval is NULL.  What `self` points at lives as long as the scene. */
typedef struct torsor_function {
  double (*eval)(const void *self, const torsor_now *now, double *rate, double *second);
  const void *self;
  /** The first jump of the rate at a time > after; false when there is none.  NULL: none are
   *  known. */
  bool (*jump)(const void *self, double after, torsor_jump *out);
  /** Does it depend on this input of the model?  NULL: on none. */
  bool (*reads)(const void *self, int input);
} torsor_function;

/** A joint coordinate of the model that another element acts on. */
typedef struct torsor_coordinate_ref {
  const struct torsor_joint *joint; /* the joint's instance; NULL = absent */
  int index;                        /* index among its coordinates */
  int place;                        /* index among all coordinates of the model */
  int element;                      /* index of the joint in the model */
  double period;                    /* period of the value: 2 pi for angles, 0 = none */
} torsor_coordinate_ref;

/** A smooth curve through points: its splines at the points, see torsor/curve.h.  Absent: knot is
 *  NULL.  What `knot` points at lives as long as the scene. */
typedef struct torsor_curve_knot {
  double u, s;    /* length of the polygon and of the curve up to here, m */
  v3 x, x2;       /* position and its second derivative by u */
  v3 side, side2; /* a unit vector across the curve, and that of its spline */
} torsor_curve_knot;

typedef struct torsor_curve {
  const torsor_curve_knot *knot; /* [count]; of a closed curve the last one is the first again */
  int count;
  bool closed;
} torsor_curve;

/** A list of numbers.  Absent: value is NULL.  What `value` points at lives as long as the
 *  scene. */
typedef struct torsor_numbers {
  const double *value; /* [count] */
  int count;
} torsor_numbers;

/** A matrix of any size.  Absent: value is NULL.  What `value` points at lives as long as the
 *  scene. */
typedef struct torsor_matrix {
  const double *value; /* [rows x columns], row by row */
  int rows, columns;
} torsor_matrix;

/** A list of frames.  Absent: frame is NULL.  What `frame` points at lives as long as the scene. */
typedef struct torsor_frames {
  const se3 *frame; /* [count] */
  int count;
} torsor_frames;

/* ---- drawing ------------------------------------------------------------------------------ */

/** Outline of the section of a beam or cable. */
typedef struct torsor_outline {
  torsor_shape shape;                /* not TORSOR_SHAPE_NONE */
  double size[TORSOR_SECTION_SIZES]; /* m, in the order of the shape's words */
  bool guessed;                      /* from stiffness or mass: viewers may change the size */
} torsor_outline;

/** How a joint or a force is drawn.  Its axes are the element's first two parameters of the kind
 *  TORSOR_PARAM_DIRECTION, in the frames of its first and its second marker. */
typedef enum torsor_symbol {
  TORSOR_SYMBOL_NONE,     /* nothing but its markers */
  TORSOR_SYMBOL_BALL,     /* turns about a point */
  TORSOR_SYMBOL_HINGE,    /* turns about an axis */
  TORSOR_SYMBOL_SLIDER,   /* slides along an axis */
  TORSOR_SYMBOL_CYLINDER, /* turns about an axis and slides along it */
  TORSOR_SYMBOL_SCREW,    /* slides along an axis as it turns */
  TORSOR_SYMBOL_CROSS,    /* turns about two axes */
  TORSOR_SYMBOL_PLANE,    /* stays in the plane across an axis */
  TORSOR_SYMBOL_CONTACT,  /* touches the plane across an axis */
  TORSOR_SYMBOL_WELD,     /* holds everything */
  TORSOR_SYMBOL_ROD,      /* a line between two markers */
  TORSOR_SYMBOL_SPRING,   /* a spring between two markers */
  TORSOR_SYMBOL_ARROW,    /* acts at a marker */
  TORSOR_SYMBOL_ROPE,     /* along a path over sheaves */
  TORSOR_SYMBOLS
} torsor_symbol;

/** Functions by which a body draws itself (a visitor). */
typedef struct torsor_drawing {
  void *self; /* first argument of the functions */
  /** A solid, in the frame of the element's node `node` (0 = its first one). */
  void (*solid)(void *self, int node, const torsor_solid *solid);
  /** A piece of a beam between its first two nodes, with the section at both of them.  `framed`: x
   *  of the nodes is along the beam, y and z are in the section, and frames in between are H_a
   *  exp(s log(H_a^-1 H_b)); else it is straight. */
  void (*piece)(void *self, const torsor_outline outline[2], bool framed);
  /** A thin line between two of its nodes. */
  void (*line)(void *self, int a, int b);
} torsor_drawing;

/** A characteristic y(x), as of a spring, with its slope and its integral from 0, which may be
 *  NULL.  Absent: eval is NULL.  What `self` points at lives as long as the scene. */
typedef struct torsor_characteristic {
  double (*eval)(const void *self, const torsor_now *now, double x, double *slope,
                 double *integral);
  const void *self;
  bool (*reads)(const void *self, int input); /* see torsor_function */
} torsor_characteristic;

#define TORSOR_CONTROL_INPUTS 256 /* most variables that one control uses */

/** The meaning of a variable of a control. */
typedef enum torsor_sees {
  TORSOR_SEES_COORDINATE,       /* a joint coordinate, with its turns counted, or its rate */
  TORSOR_SEES_POSITION,         /* of a body, inertial axes */
  TORSOR_SEES_VELOCITY,         /* of a body's origin, inertial axes */
  TORSOR_SEES_ANGULAR_VELOCITY, /* of a body, its own axes */
} torsor_sees;

typedef struct torsor_control_input {
  torsor_sees sees;
  torsor_coordinate_ref on; /* of a coordinate: ... */
  bool rate;                /* ... its rate */
  int node, axis;           /* of a body: in the model; x, y, z are 0, 1, 2 */
  int side_a, side_b; /* nodes of the element, -1 = ground: see torsor_control_prepare, force.h */
} torsor_control_input;

/** A function of time and of positions and velocities x [inputs], with its gradient [inputs], which
 *  may be NULL.  Absent: eval is NULL.  What `self` points at lives as long as the scene. */
typedef struct torsor_control {
  double (*eval)(const void *self, const torsor_now *now, const double *x, double *gradient);
  const void *self;
  bool (*reads)(const void *self, int input); /* see torsor_function */
  int inputs;
  torsor_control_input *input; /* [inputs] of this element alone once it is prepared */
  /** A copy of `input`, which lives as long as the scene; NULL when memory is short. */
  torsor_control_input *(*copy)(const void *self);
} torsor_control;

/** A chain of nodes, such as those of a beam or of an edge of a shell.  Absent: node is NULL.  The
 *  arrays live as long as the model. */
typedef struct torsor_chain {
  const int *node;        /* [count] in the model */
  const double *fraction; /* [count] positions as fractions of the length, ascending from 0 to 1 */
  int count;
  double length;    /* unstrained, m */
  bool point;       /* the nodes are points, without orientation */
  bool edge;        /* of a shell; where it is closed, its last node is its first again */
  const se3 *frame; /* [count] initial frames of the nodes */
} torsor_chain;

/** A layer of a shell, with the axes 1 along its fibres and 2 across them. */
typedef struct torsor_layer {
  double thickness,
      angle; /* m; rad, from the x axis of the shell to the fibres, about its normal */
  double E1, E2, nu12, G12, G13, G23; /* Pa */
  double density;                     /* kg/m^3 */
} torsor_layer;

/** Layers of a shell from the lowest one up, the normal being upwards.  Absent: layer is NULL. What
 *  `layer` points at lives as long as the scene. */
typedef struct torsor_layers {
  const torsor_layer *layer; /* [count] */
  int count;
} torsor_layers;

/** Words that are parts of names of signals.  Absent: name is NULL.  They live as long as the
 * scene.
 */
typedef struct torsor_names {
  const char *const *name; /* [count], each once */
  int count;
} torsor_names;

/** The path of a rope (torsor/path.h).  Absent: station is NULL.  It lives as long as the scene. */
typedef struct torsor_path {
  const struct torsor_station *station; /* [count] from one end to the other */
  int count;
} torsor_path;

/** A four-sided facet of a shell, its nodes in the sense of its normal. */
typedef struct torsor_facet {
  int node[4]; /* in the model */
  v3 place[4]; /* their initial positions, inertial axes, m */
} torsor_facet;

/** The facets of a shell.  Absent: facet is NULL.  The array lives as long as the model. */
typedef struct torsor_surface {
  const torsor_facet *facet; /* [count] */
  int count;
} torsor_surface;

/** A function of the position s along a chain, 0 to 1, and of time t.  Absent: eval is NULL.  What
 *  `self` points at lives as long as the scene. */
typedef struct torsor_profile {
  double (*eval)(const void *self, const torsor_now *now, double s);
  const void *self;
  bool (*reads)(const void *self, int input); /* see torsor_function */
} torsor_profile;

/** True when an optional number or vector was left out. */
static inline bool torsor_absent_number(double value) {
  return value != value;
}
static inline bool torsor_absent_vector(v3 value) {
  return value.x != value.x;
}

/* ---- declarations of an element before evaluation ---------------------------------------- */

/** Initial state of a node that a body makes. */
typedef struct torsor_node_init {
  torsor_group group;
  se3 frame; /* initial frame; for SO3 the position stays where it is; for R3 R = identity */
  twist V;   /* initial body twist: U = R^T x' and Omega, as far as given */
  bool velocity_given, angular_velocity_given;
  bool spin_in_inertial; /* Omega was given in inertial axes: it turns with a frame that is moved */
  bool guess;            /* the frame is a first guess and is moved to fit the joints */
  bool abstract;         /* with R3: the coordinates are no position, e.g. modal coordinates */
} torsor_node_init;

/** Filled by `prepare`: the nodes that the element makes or uses and its constraint rows. */
typedef struct torsor_setup {
  v3 gravity;       /* in: of the scene, inertial axes, m/s^2 */
  bool guess;       /* in: initial frames are guesses by default */
  const char *name; /* in: the element's name */
  /** in: the solids [count] of the body whose own node this is, or of the ground: its shape as
   *  drawn; count is 0 where it has none.  May be NULL. */
  const torsor_solid *(*solids)(const void *model, int node, int *count);
  const void *model;    /* in: first argument of `solids` */
  int first_coordinate; /* in: index of its first joint coordinate in the model */
  int new_nodes;        /* out, bodies: nodes made ... */
  torsor_node_init new_node[TORSOR_ELEMENT_NODES]; /* ... and their initial state */
  int nodes;                      /* out, joints and forces: nodes used (new ones come first) */
  int node[TORSOR_ELEMENT_NODES]; /* out: their indices in the model; never TORSOR_GROUND */
  int rows;                       /* out: constraint rows */
  /** out: how many of them, the last ones, are nonholonomic: k(t, q, v) = phi_v = 0 without a
   *  phi */
  int nonholonomic;
  double length; /* out: largest lever arm used, m: scale of round-off */
  /** out, joints of one node and the ground: rows 0..2 are the components of a vector along the
   *  ground-fixed `ground_axes` (columns) */
  bool ground_vector;
  m3 ground_axes;
  /** out, joints of two nodes: index in `node` of the node a for which all rows are phi [3] =
   *  P^T R_a^T (x - x_a) + constant, with x a point fixed to the other node and P the columns of
   *  `seen_axes`; steps are then cheaper.  -1 (in) = none */
  int seen_from;
  m3 seen_axes;
  bool dissipative; /* out: `loss` of the type may be more than zero */
  int reaction_of;  /* out, forces: the element (torsor_coordinate_ref.element) whose multipliers it
                     * depends on, all of whose nodes it uses; -1 (in) = none */
  int states;       /* out: numbers that the element keeps from step to step, see `history` */
  const int *more;  /* out: [more_nodes] indices of nodes behind those in `node`, as many as there
                     * are; the array is copied */
  int more_nodes;
  const int *others; /* out: [other_nodes] nodes behind these, alike */
  int other_nodes;
  bool alone; /* out, forces: C and K are those of each node by itself, [nodes][6 x 6] */
} torsor_setup;

/* ---- hot evaluation ---------------------------------------------------------------------- */

/** Motion of a node as elements see it. */
typedef struct torsor_motion {
  m3 R;    /* node frame to inertial axes */
  v3 x;    /* position, inertial, m */
  twist V; /* body twist (U, Omega) */
  twist A; /* its time derivative */
} torsor_motion;

typedef struct torsor_element_in {
  const torsor_now *now; /* the time, and what else functions depend on */
  double load; /* factor of gravity and of given forces: 1 but in statics, where it grows from 0 */
  const torsor_motion *const *node; /* [nodes]  motion of the nodes declared in `prepare` */
  const double *lambda;             /* [rows]   multipliers */
  /** All joint coordinates of the model at t, turns counted, extrapolated from the last accepted
   *  steps; NULL: not known. */
  const double *coordinate;
  const double *reaction; /* [its rows] multipliers of the element setup.reaction_of */
  /** [stresses] used in r and in the geometric stiffness of K instead of the element's own
   *  stresses, which K lets change with q; NULL: its own. */
  const double *stress;
  /** [states] what the element kept at the last accepted step before this time. */
  const double *state;
  /** Tangents of what slips are those of what sticks: so that an iteration finds out what comes to
   *  rest within the step. */
  bool hold;
} torsor_element_in;

/** Requested outputs; NULL = not requested.  `eval` adds to them.  n = 6 * nodes, matrices
 *  row-major.  Directions e of dq are body-fixed: frame <- frame exp(e). */
typedef struct torsor_element_out {
  double *r;     /* [n]         inertia + internal - external wrenches + B^T lambda, node axes */
  double *phi;   /* [rows]      constraints */
  double *phi_v; /* [rows]      B V + dPhi/dt */
  double *phi_a; /* [rows]      D_q(B V)[V] + 2 d(B V)/dt + d2Phi/dt2: B A is added to it */
  double *B;     /* [rows x n]  D_q Phi */
  double *M;     /* [n x n]     dr/dA */
  double *C;     /* [n x n]     dr/dV */
  double *K;     /* [n x n]     dr/dq at constant V, A, lambda */
  double *Z;     /* [rows x n]  D_q(B V + dPhi/dt) at constant V */
  double *L;     /* [n x rows of the element setup.reaction_of]  dr/d(reaction) */
} torsor_element_out;

/** Energies (J) and momenta (inertial axes; angular momentum about the origin) of an element. */
typedef struct torsor_balance {
  double kinetic, potential, elastic;
  v3 momentum, angular_momentum;
} torsor_balance;

/** A joint coordinate: its value and rate are outputs and may carry springs, drives and limits. */
typedef struct torsor_coordinate {
  const char *name, *rate; /* names of the signals, e.g. "angle" and "rate" */
  const char *unit;        /* of the value, e.g. "rad" */
  double period;           /* 2 pi for an angle that is counted over many turns; 0 = none */
} torsor_coordinate;

/** A signal of an element: `components` numbers named .x .y .z (3) or just the name (1). */
typedef struct torsor_output {
  const char *name, *unit, *doc;
  int components;
} torsor_output;

/** Signals of an element at named points: "wing.stress[3].top.axial" belongs to the point "top" of
 *  "wing.element[3]".  Each point is evaluated separately. */
typedef struct torsor_place_outputs {
  const char *name, *unit, *doc;
  const char *const *component; /* words, NULL-terminated; TORSOR_PLACE_COMPONENTS at most */
  const char *(*place)(const void *self, int k); /* name of point k; NULL past the last */
  void (*output)(const void *self, const torsor_element_in *in, int k, double *values);
  const char *const *units; /* of the components; NULL: `unit` is that of all */
  bool many; /* they have to be asked for: the name of the element does not stand for them */
} torsor_place_outputs;

#define TORSOR_PLACE_COMPONENTS 12

typedef enum torsor_kind { TORSOR_BODY, TORSOR_JOINT, TORSOR_FORCE } torsor_kind;

/** The tangents that an element has; the others are never requested.  CONSTANT_M: it has M, which
 * is the same at all times and motions: explicit methods then accelerate its node at less cost. */
enum { TORSOR_HAS_M = 1, TORSOR_HAS_C = 2, TORSOR_HAS_K = 4, TORSOR_CONSTANT_M = 8 };

struct torsor_element_type;

/** Functions by which a composite type adds its elements to the model. */
typedef struct torsor_expansion {
  void *self; /* first argument of the functions */
  v3 gravity; /* of the scene, inertial axes, m/s^2 */
  /** Add an element called "<name><suffix>", "wing[0]" or "wing.element[0]"; `instance` is copied.
   *  `node` (may be NULL) receives the index of its first node. */
  torsor_status (*add)(void *self, const struct torsor_element_type *type, const char *suffix,
                       const void *instance, int *node, torsor_error *error);
  /** The bodies added last, with the suffixes "[0]" to "[count - 1]", are a chain of this length
   *  (m): "<name>.start" and "<name>.end" stand for the first and the last of them,
   *  "<name>@<fraction>" for the one at this fraction [count] of the length. */
  torsor_status (*chain)(void *self, const double *fraction, int count, double length,
                         torsor_error *error);
  /** A copy of `data` that lives as long as the model, for elements to share; NULL when memory is
   *  short. */
  const void *(*keep)(void *self, const void *data, size_t size);
  /** Nodes [count] of the element that are an edge of this length (m), called
   *  "<name>.edge_<word>", at these fractions of it. */
  torsor_status (*edge)(void *self, const char *word, const int *node, const double *fraction,
                        int count, double length, torsor_error *error);
  /** The element is a surface of four-sided facets with these nodes [4 x count]. */
  torsor_status (*surface)(void *self, const int *node, int count, torsor_error *error);
} torsor_expansion;

/** The tangents that `eval` gives. */
typedef struct torsor_type_tangents {
  unsigned has; /* TORSOR_HAS_M | ... */
  bool numeric; /* M, C, K, Z by differences of r and phi_v: eval leaves them alone.  The simplest
                 * way to try out a new body; joints and forces have flags of their kits instead */
  double cost;  /* of eval with all tangents relative to r alone; 0 = 7, as for bodies */
} torsor_type_tangents;

/** Joint coordinates; instances of such types begin with a torsor_joint (joint.h). */
typedef struct torsor_type_coordinates {
  const torsor_coordinate *list; /* ended by a zero name */
  /** Value and rate of each coordinate; raw values: the framework counts the turns. */
  void (*eval)(const void *self, const torsor_element_in *in, double *value, double *rate);
} torsor_type_coordinates;

/** Further signals. */
typedef struct torsor_type_outputs {
  const torsor_output *list; /* ended by a zero name */
  /** The values of all of them, one after the other. */
  void (*eval)(const void *self, const torsor_element_in *in, double *values);
  const torsor_place_outputs *places; /* at named points; NULL = none */
  /** Names of those that are whole numbers, ended by NULL; NULL = none.  They change at once, so
   *  that no error of them is estimated. */
  const char *const *counts;
} torsor_type_outputs;

/** Energy of an element. */
typedef struct torsor_type_energy {
  /** Adds energies and momenta. */
  void (*balance)(const void *self, const torsor_element_in *in, torsor_balance *balance);
  /** The power (W) that the element dissipates; of forces by default what they do beyond energy. */
  double (*loss)(const void *self, const torsor_element_in *in);
  /** Of forces with `loss`: energy (J) lost since the motion began, beside what that sums up to. */
  double (*lost)(const void *self, const torsor_element_in *in);
  /** Of forces with `loss`: the power (W) that is supplied from outside, as by a winch. */
  double (*supply)(const void *self, const torsor_element_in *in);
  /** For energy-conserving methods: returns NULL when the element's forces derive from a potential
   *  U(q, t) and a body's mass matrix is constant in its group; otherwise the obstacle, e.g. "has
   *  damping".  Without this function joints count as ideal and other elements as unknown. */
  const char *(*obstacle)(const void *self);
  bool source; /* forces: what they do beyond their energy is supplied, not dissipated */
} torsor_type_energy;

/** How elements are drawn in reports and in ParaView; not used in the hot path. */
typedef struct torsor_type_look {
  torsor_symbol symbol; /* of joints and forces */
  /** For bodies: draws the body. */
  void (*draw)(const void *self, const torsor_drawing *to);
} torsor_type_look;

/** Limits of an element's validity. */
typedef struct torsor_type_limits {
  /** For types whose `eval` may return TORSOR_DOMAIN: the admissible range as the end of the
   *  sentence "it takes ..", and advice for states beyond it. */
  const char *range, *advice;
  /** For joints whose constraints have unintended solutions, as those of a hinge are also satisfied
   *  with its axes in opposite directions: returns NULL near the intended solution, otherwise a
   *  description of the wrong one as the end of a sentence.  `turn`, which may be NULL, then
   *  receives a rotation of marker b, in its axes, that leads back.  Called at the start of a
   *  simulation and after each step.  Instances of such types begin with a torsor_joint. */
  const char *(*astray)(const void *self, const torsor_element_in *in, m3 *turn);
  /** Returns a warning about this state as the end of a sentence, e.g. "is slack", or NULL. */
  const char *(*remark)(const void *self, const torsor_element_in *in);
} torsor_type_limits;

/** For types of which models have hundreds in a row, as beams have. */
typedef struct torsor_type_chain {
  /** Evaluates two elements at once (SIMD), with results identical bit for bit to `eval`.  Only r,
   *  phi and phi_v are requested, the same ones for both.  On failure its results are discarded and
   *  `eval` is called for each element. */
  torsor_status (*eval_pair)(const void *const self[2], const torsor_element_in *const in[2],
                             torsor_element_out *const out[2]);
  /** For stiff elements whose r is a function of q and of stresses, of degree 2 in these at most:
   *  the stresses at `in` plus their first-order change along the displacement with the twists V, a
   *  change about in->stress where that is given.  With stresses as separate unknowns Newton's
   *  iteration in statics also converges where linearised displacements would overstrain the
   *  element (mixed Newton). */
  int stresses;
  void (*stress)(const void *self, const torsor_element_in *in, double *values);
} torsor_type_chain;

/** For composite types, such as a beam: adds elements of the types `parts` (NULL-terminated), whose
 *  suffixes begin with a dot or a bracket.  The outputs of "wing.element[0]" are
 *  "wing.<output>[0]".  Not called in the hot path; may fail with a message.  The kind of such a
 *  type is that of the first element it adds; it needs none of the members after `params`. */
typedef struct torsor_type_composite {
  torsor_status (*expand)(const void *self, const torsor_expansion *to, torsor_error *error);
  const struct torsor_element_type *const *parts;
} torsor_type_composite;

/** For elements that remember, as friction that sticks does: setup.states numbers, which are part
 * of checkpoints.  `eval` and all other functions see those of the last accepted step, and change
 *  nothing. */
typedef struct torsor_type_history {
  /** The numbers at the start of a motion. */
  void (*begin)(const void *self, const torsor_element_in *in, double *state);
  /** The numbers at the end of an accepted step, or of the part of it that counts; in->state are
   *  those at its begin. */
  void (*advance)(const void *self, const torsor_element_in *in, double *state);
} torsor_type_history;

/** An element type.  The first ten members are what each type has (a composite one the first
 *  eight); the groups behind them, and all of their members, may be left out. */
typedef struct torsor_element_type {
  uint32_t abi; /* TORSOR_ELEMENT_ABI */
  torsor_kind kind;
  const char *name;           /* the word behind "type" in a scene */
  const char *title;          /* one line */
  const char *doc;            /* equations, conventions, sources */
  const char *example;        /* a complete scene in JSON that uses the type */
  size_t size;                /* bytes of an instance */
  const torsor_param *params; /* ended by a zero key */

  /** Checks the parameters and declares nodes and rows.  Not called in the hot path; may fail with
   *  a message. */
  torsor_status (*prepare)(void *self, torsor_setup *setup, torsor_error *error);
  /** Adds the requested outputs.  Called in the hot path: no allocation, failure only by a status.
   *  Several threads may call it at the same time, also for one element: it writes to nothing but
   *  `out`. */
  torsor_status (*eval)(const void *self, const torsor_element_in *in, torsor_element_out *out);

  torsor_type_tangents tangents;
  torsor_type_coordinates coordinates;
  torsor_type_outputs outputs;
  torsor_type_energy energy;
  torsor_type_look look;
  torsor_type_limits limits;
  torsor_type_chain chain;
  torsor_type_composite composite;
  torsor_type_history history;
} torsor_element_type;

/* ---- registry and plug-ins --------------------------------------------------------------- */

/** The table that a plug-in exports under the name `torsor_plugin`. */
typedef struct torsor_plugin_table {
  uint32_t abi;                            /* TORSOR_ELEMENT_ABI */
  const torsor_element_type *const *types; /* NULL-terminated */
} torsor_plugin_table;

/** Export the types of a plug-in: TORSOR_PLUGIN_TYPES(&my_joint, &my_force), once, at the end of
 *  its file. */
#define TORSOR_PLUGIN_TYPES(...)                                                                   \
  TORSOR_API extern const torsor_plugin_table torsor_plugin;                                       \
  const torsor_plugin_table torsor_plugin = {                                                      \
      TORSOR_ELEMENT_ABI, (const torsor_element_type *const[]){__VA_ARGS__, NULL}}

/** The element types known to a scene: the built-in ones and those of loaded plug-ins. */
typedef struct torsor_registry torsor_registry;

/** Registry with the built-in types.  NULL when memory is short. */
TORSOR_API torsor_registry *torsor_registry_create(torsor_error *error);
TORSOR_API void torsor_registry_destroy(torsor_registry *registry);

/** Add a type; it must outlive the registry.  Fails on an unknown ABI, a missing member, a name
 *  already in use, or a parameter with the name of a key that every element has (name, type,
 *  repeat, index, active, shape, comment, _..). */
TORSOR_API torsor_status torsor_registry_add(torsor_registry *registry,
                                             const torsor_element_type *type, torsor_error *error);

/** Load the shared object `path` and add its types (symbol `torsor_plugin`). */
TORSOR_API torsor_status torsor_registry_load(torsor_registry *registry, const char *path,
                                              torsor_error *error);

TORSOR_API int torsor_registry_count(const torsor_registry *registry);
TORSOR_API const torsor_element_type *torsor_registry_at(const torsor_registry *registry, int i);

/** The type called `name`, or NULL. */
TORSOR_API const torsor_element_type *torsor_registry_find(const torsor_registry *registry,
                                                           const char *name);

TORSOR_END_DECLS

#endif
