/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_MODEL_H
#define TORSOR_MODEL_H

/** The model: elements assembled over nodes.  Constant once built; threads may share it. */

#include <torsor/callback.h>

TORSOR_BEGIN_DECLS

typedef struct torsor_builder torsor_builder;
typedef struct torsor_model torsor_model;

/** Start a model under `gravity` (inertial axes, m/s^2). */
TORSOR_API torsor_status torsor_builder_create(torsor_builder **out, v3 gravity,
                                               torsor_error *error);
TORSOR_API void torsor_builder_destroy(torsor_builder *builder);

/** Sets whether the initial frames of bodies added from here on are first guesses by default. */
TORSOR_API void torsor_builder_guess(torsor_builder *builder, bool guess);

/** Declares that a function of the elements reads the load (torsor_now). */
TORSOR_API void torsor_builder_follows_load(torsor_builder *builder);

/** Declares that a function of the elements may be called by one thread at a time only: runs of the
 *  model then have one thread each. */
TORSOR_API void torsor_builder_one_thread(torsor_builder *builder);

/** Adds an input: a value that the caller of a run changes between steps and that functions read
 *  (torsor_now.input).  Inputs are numbered from 0 in the order in which they are added.  `unit`
 *  and `doc` may be NULL; all texts are copied.  Names are unique. */
TORSOR_API torsor_status torsor_builder_input(torsor_builder *builder, const char *name,
                                              const char *unit, const char *doc, double value,
                                              torsor_error *error);

/** Bounds the values that an input may have, its first one included; either may be infinite. */
TORSOR_API torsor_status torsor_builder_input_range(torsor_builder *builder, const char *name,
                                                    double least, double largest,
                                                    torsor_error *error);

/** Add an element: `instance` (type->size bytes, parameters filled in) is copied and prepared.
 *  Bodies come before what is attached to them.  Names are unique; "ground" is reserved.  A
 *  composite type is expanded. */
TORSOR_API torsor_status torsor_builder_add(torsor_builder *builder,
                                            const torsor_element_type *type, const char *name,
                                            const void *instance, torsor_error *error);

/** Sets the solids [count] that draw the body `body`, added before, or "ground", in its frame; they
 *  are copied and replace the default solid, which follows from the inertia.  They do not affect
 *  the motion.  Returns TORSOR_SCENE when `body` is not a body with a single frame. */
TORSOR_API torsor_status torsor_builder_shape(torsor_builder *builder, const char *body,
                                              const torsor_solid *solid, int count,
                                              torsor_error *error);

/** Fill `marker`: the frame (R, x) fixed to the body called `body`, or to "ground".
 *  `conditions`: TORSOR_NEEDS_ORIENTATION or 0.  TORSOR_SCENE when there is no such body (the hint
 *  has a near name) or it does not meet the conditions. */
TORSOR_API torsor_status torsor_builder_marker(torsor_marker *marker, const torsor_builder *builder,
                                               const char *body, so3 R, v3 x, unsigned conditions,
                                               torsor_error *error);

/** Is `node` a node of a beam whose initial frame follows from the beam's axis and is not a
 *  guess? */
TORSOR_API bool torsor_builder_on_beam(const torsor_builder *builder, int node);

/** Finds the beam, cable or edge of a shell `name`, added before.  TORSOR_SCENE with a near name in
 *  the hint when there is none. */
TORSOR_API torsor_status torsor_builder_chain(torsor_chain *out, const torsor_builder *builder,
                                              const char *name, torsor_error *error);

/** Finds the shell `name`, added before.  TORSOR_SCENE with a near name in the hint when there is
 *  none. */
TORSOR_API torsor_status torsor_builder_surface(torsor_surface *out, const torsor_builder *builder,
                                                const char *name, torsor_error *error);

/** Finds the solids of bodies that were added before; in a name "*" stands for any characters.
 *  TORSOR_SCENE where there are none; `which` is then the name at fault. */
TORSOR_API torsor_status torsor_builder_bodies(torsor_bodies *out, const torsor_builder *builder,
                                               const char *const *names, int count, int *which,
                                               torsor_error *error);

/** Finds the joint coordinate `name` ("hinge.angle") of a joint added before.  TORSOR_SCENE with a
 *  near name in the hint when there is none. */
TORSOR_API torsor_status torsor_builder_coordinate(torsor_coordinate_ref *out,
                                                   const torsor_builder *builder, const char *name,
                                                   torsor_error *error);

/** Finds a joint coordinate, the rate of one ("hinge.rate") or a component of the position,
 *  velocity or angular velocity of a body ("ball.velocity.x"), added before.  TORSOR_SCENE with a
 *  near name in the hint when there is none. */
TORSOR_API torsor_status torsor_builder_signal(torsor_control_input *out,
                                               const torsor_builder *builder, const char *name,
                                               torsor_error *error);

/** Finds the force `name`, added before: its index, or that of its first part, for events and
 *  torsor_builder_active.  TORSOR_SCENE with a near name in the hint when there is none. */
TORSOR_API torsor_status torsor_builder_force(int *element, const torsor_builder *builder,
                                              const char *name, torsor_error *error);

/** Finds the force or the joint `name`, added before, for the same.  Joints that are switched make
 *  steps a little more expensive. */
TORSOR_API torsor_status torsor_builder_switched(int *element, torsor_builder *builder,
                                                 const char *name, torsor_error *error);

/** Sets whether a force, or a joint that torsor_builder_switched has found, acts from the start
 *  (the default) or only after an event switches it on. */
TORSOR_API void torsor_builder_active(torsor_builder *builder, int element, bool active);

typedef enum torsor_direction { TORSOR_BOTH, TORSOR_RISING, TORSOR_FALLING } torsor_direction;

/** Action of an event: only record it, end the simulation, or switch forces and joints on and
 *  off. */
typedef enum torsor_action { TORSOR_LOG, TORSOR_STOP, TORSOR_SWITCH } torsor_action;

/** A value that an event gives to an input. */
typedef struct torsor_event_set {
  int input; /* its index */
  /** The value; x [signals] are those of the event. */
  double (*value)(const void *self, const torsor_now *now, const double *x);
  const void *self;
} torsor_event_set;

/** An event: occurs when a function of time and signals changes its sign. */
typedef struct torsor_event {
  const char *name;
  /** The function; x [signals] are the values of the signals.  What `self` points at lives as long
   *  as the model. */
  double (*when)(const void *self, const torsor_now *now, const double *x);
  const void *self;
  const char *const *signal; /* [signals] full names: "ball.position.z" */
  int signals;
  torsor_direction direction;
  torsor_action action;
  /** [on_count], [off_count] forces and joints, see torsor_builder_force and
   *  torsor_builder_switched.  A `lock` or a `clamp` that is switched on keeps what is then; other
   *  joints must fit. */
  const int *on, *off;
  int on_count, off_count;
  const torsor_event_set *set; /* [sets] inputs that it changes, in this order */
  int sets;
  int times; /* largest number of occurrences; 0 = no limit */
  /** A place where a function of the model jumps or has a kink: the motion begins anew there, and
   *  nothing is reported.  Such events come last; a value that is not finite has no sign. */
  bool kink;
  /** [resets] states of controllers that get new values; `input` is the node of the state. */
  const torsor_event_set *reset;
  int resets;
  /** [starts], [stops] indices of sampled controllers that are called from then on, or no more. */
  const int *start, *stop;
  int starts, stops;
  bool trips; /* rising: a function that is positive at the start counts as a crossing there */
} torsor_event;

/** Add an event; everything but `self` is copied.  Names are unique among events.  Signals are
 *  looked up by the simulation. */
TORSOR_API torsor_status torsor_builder_event(torsor_builder *builder, const torsor_event *event,
                                              torsor_error *error);

/** A signal that is an expression in others: "signals.<name>". */
typedef struct torsor_derived {
  const char *name, *unit; /* "" = none */
  /** The value; x [signals] are the values of the signals.  What `self` points at lives as long as
   *  the model. */
  double (*eval)(const void *self, const torsor_now *now, const double *x);
  const void *self;
  const char *const *signal; /* [signals] full names; of derived signals those that stand before */
  int signals;
} torsor_derived;

/** Add a derived signal; everything but `self` is copied.  Names are unique among them.  Signals
 *  are looked up when they are chosen. */
TORSOR_API torsor_status torsor_builder_derived(torsor_builder *builder,
                                                const torsor_derived *derived, torsor_error *error);

/** A sampled controller: at the times offset + n period (s) it reads signals and writes inputs,
 *  which stay constant until the next sample (zero-order hold).  It may have internal state. */
typedef struct torsor_controller {
  const char *name;
  double period, offset;
  const char *const *read; /* [reads] full names of signals: "hinge.angle" */
  int reads;
  const int *write; /* [writes] indices of inputs */
  int writes;
  const torsor_callback *callback; /* of the signature "controller"; it outlives the model */
  /** Greater than 0: no samples; the one input is what the callback made of the signals so long
   *  ago, s, by the method's dense output, or `before` where the run had not begun. */
  double delay, before;
} torsor_controller;

/** Add a controller; names are copied and unique among controllers.  Signals are looked up by the
 *  simulation. */
TORSOR_API torsor_status torsor_builder_controller(torsor_builder *builder,
                                                   const torsor_controller *controller,
                                                   torsor_error *error);
/** Controllers of the model, in the order in which they were added; NULL past the end. */
TORSOR_API const torsor_controller *torsor_model_controller(const torsor_model *model, int i);

/** Completes the model: numbering, sparsity pattern, scatter maps.  The caller still destroys the
 *  builder. */
TORSOR_API torsor_status torsor_builder_finish(torsor_model **out, torsor_builder *builder,
                                               torsor_error *error);
TORSOR_API void torsor_model_destroy(torsor_model *model);

typedef struct torsor_model_counts {
  int bodies, joints, forces, elements;
  int nodes, coordinates, velocities; /* nq and nv */
  int holonomic, nonholonomic;        /* constraint rows */
} torsor_model_counts;

TORSOR_API torsor_model_counts torsor_model_count(const torsor_model *model);
TORSOR_API const char *torsor_model_element_name(const torsor_model *model, int element);
TORSOR_API const torsor_element_type *torsor_model_element_type(const torsor_model *model,
                                                                int element);

/** Events of the model, in the order in which they were added; NULL past the end. */
TORSOR_API const torsor_event *torsor_model_event(const torsor_model *model, int i);

/** Inputs of the model: their number, the index of the input `name` (-1 = none), and the name, unit
 *  ("" = none), description ("" = none) and initial value of each. */
TORSOR_API int torsor_model_inputs(const torsor_model *model);
TORSOR_API int torsor_model_input_find(const torsor_model *model, const char *name);
TORSOR_API const char *torsor_model_input_name(const torsor_model *model, int i);
TORSOR_API const char *torsor_model_input_unit(const torsor_model *model, int i);
TORSOR_API const char *torsor_model_input_doc(const torsor_model *model, int i);
TORSOR_API double torsor_model_input_value(const torsor_model *model, int i);
/** The least and the largest value that it may be given; infinite where there is no such bound. */
TORSOR_API double torsor_model_input_least(const torsor_model *model, int i);
TORSOR_API double torsor_model_input_largest(const torsor_model *model, int i);

/** The element that owns constraint row `row`; `local` receives the row within it. */
TORSOR_API int torsor_model_row_element(const torsor_model *model, int row, int *local);
/** The body that owns velocity `index`; `local` receives the component within its node. */
TORSOR_API int torsor_model_velocity_element(const torsor_model *model, int index, int *local);

TORSOR_END_DECLS

#endif
