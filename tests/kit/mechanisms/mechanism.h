/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_MECHANISM_H
#define TORSOR_TESTS_MECHANISM_H

/** Random mechanisms of every kind of body, joint, drive and force, and the scenes that they are
 * written to. */

#include <torsor/lie.h>
#include <torsor/torsor.h>

#include "check.h"

enum { MECHANISM_BODIES = 3, MECHANISM_STEPS = 40 };

/** Step of the runs, s: a thirtieth and less of the periods of all that vibrates. */
#define MECHANISM_STEP 2e-3

typedef enum body_kind {
  RIGID_R3SO3,
  RIGID_SE3,
  RIGID_SO3, /* on the ground, its frame where it does not move */
  POINT,
  BEAM,
  CABLE,
  SUPERELEMENT,
  BODY_KINDS
} body_kind;

/** Options of a body, drawn at random; each kind takes those that it has. */
enum {
  OPTION_SE3 = 1,
  OPTION_CURVED = 2,
  OPTION_DAMPED = 4,
  OPTION_LUMPED = 8,
  OPTION_COMPRESSION = 8, /* of a cable */
  OPTION_INEXTENSIBLE = 16,
  OPTION_SHEAR_RIGID = 32,
  OPTIONS = 64
};

typedef enum joint_kind {
  SPHERICAL,
  REVOLUTE,
  PRISMATIC,
  CYLINDRICAL,
  SCREW,
  PLANAR,
  UNIVERSAL,
  CONSTANT_VELOCITY,
  WELD,
  CONSTANT_ORIENTATION,
  DISTANCE,
  POINT_ON_LINE,
  POINT_ON_PLANE,
  POINT_ON_CURVE,
  POINT_ON_LOOP, /* a curve that is closed */
  MOTION,
  KNIFE_EDGE,
  ROLLING_DISC,
  ROLLING_SPHERE,
  VELOCITY_CONSTRAINT,
  SENSOR,
  ANGLE_SENSOR,
  JOINT_KINDS
} joint_kind;

/** Forces, and constraints of coordinates, of which each body gets one. */
typedef enum force_kind {
  SPRING,
  BUSHING,
  AXLE, /* a bushing without stiffness about one axis */
  FORCE,
  FORCE_ON_BODY, /* whose force and moment turn with the body */
  ATTRACTION,
  DRAG,
  CONTACT,
  BEAM_LOAD,
  COORDINATE_SPRING,
  COORDINATE_FORCE,
  FRICTION,
  STOP,
  ACTUATOR,
  CONTROLLED,
  DRIVE,
  VELOCITY_DRIVE,
  COUPLING,
  VELOCITY_COUPLING,
  FORCE_KINDS
} force_kind;

typedef struct joint_traits {
  const char *type, *coordinate, *more;
  bool travel, point; /* the coordinate is a length; b may be a point */
  int rows;
  bool spins; /* b may turn as it likes at the start */
} joint_traits;
extern const joint_traits mechanism_joints[JOINT_KINDS];

/** Joints beyond those that make a tree. */
typedef enum loop_kind { TREE, TWICE, CLOSED, CLOSED_TWICE } loop_kind;

typedef struct random_body {
  body_kind kind;
  int options;
  double mass;
  v3 inertia, center, spin;
  se3 frame, end; /* of the body, or of its start; of its other end, where other bodies join it */
} random_body;

typedef struct mechanism {
  random_body body[MECHANISM_BODIES];
  int parent[MECHANISM_BODIES]; /* that joint i leads from, -1 = ground, to body i */
  joint_kind joint[MECHANISM_BODIES];
  se3 a[MECHANISM_BODIES], b[MECHANISM_BODIES]; /* its markers */
  int given_motions[MECHANISM_BODIES];          /* bits: x, y, z, angle */
  force_kind force[MECHANISM_BODIES];
  int partner[MECHANISM_BODIES]; /* of the coordinate of a coupling */
  double gap[MECHANISM_BODIES];  /* of contacts */
  loop_kind loop;
  int twice;         /* the joint that is there twice */
  v3 given;          /* of forces, and their second marker */
  bool conservative; /* every fourth one, for RATTLE: nothing but potentials, and mass matrices that
                        are constant */
} mechanism;

/** A change that is made to a mechanism. */
typedef struct change {
  se3 move;
  bool reversed;
  double s;
  bool rest; /* without gravity and all that is given */
  double step;
  int parts;              /* of each step; 0 = 1 */
  const char *simulation; /* more keys, each with a comma in front; NULL = none */
  bool no_step;           /* and neither `parts` */
} change;

/** The mechanism of a number. */
void mechanism_draw(mechanism *m, uint64_t seed);

/** Its scene, to be freed.  Signals: see mechanism_columns. */
char *mechanism_scene(const mechanism *m, const change *c);

bool mechanism_is_point(const mechanism *m, int body);
/** Does the coordinate of joint i begin at 0? */
bool mechanism_from_zero(const mechanism *m, int i);
/** Is force i a joint of the scene? */
bool mechanism_constrains(force_kind f);
/** Is it at rest where nothing is given? */
bool mechanism_rests(const mechanism *m);
/** Do constraint rows depend on each other by what it is made of? */
bool mechanism_is_redundant(const mechanism *m);

/** May a cable of it go slack, with a tension that has a corner there, or damped with one that
 * jumps? */
typedef enum slack_kind { NEVER_SLACK, SLACK, SLACK_DAMPED } slack_kind;
slack_kind mechanism_slackens(const mechanism *m);

/** Columns of the signals: bodies' positions and, where they have one, quaternions, then momentum,
 * impulse, both angular, and what the balance of the energy is off by. */
typedef struct columns {
  int body[MECHANISM_BODIES], momentum, impulse, angular_momentum, angular_impulse, balance;
} columns;
columns mechanism_columns(const mechanism *m);

/** Rows of a run. */
typedef struct rows {
  columns at;
  int columns, count;
  double *value; /* time, signals */
  torsor_summary summary;
  char warnings[2000];
} rows;

/** Run it; false with `error` where the run does not get to its end. */
bool mechanism_run(rows *out, const mechanism *m, const change *c, torsor_error *error);
void mechanism_release(rows *r);
/** Row i, from its first signal on. */
const double *mechanism_row(const rows *r, int i);

/** Largest difference of positions, in parts of the size, and of orientations, rad, of a row and of
 * one of the changed mechanism. */
double mechanism_difference(const mechanism *m, const columns *at, const double *base,
                            const double *other, const change *c);

/** Largest of the rows: what momentum, or angular momentum, has gained less the impulse of all that
 * acts from outside, N s and N m s; what the balance of energy is off by, J. */
typedef enum balance { BALANCE_MOMENTUM, BALANCE_ANGULAR, BALANCE_ENERGY, BALANCES } balance;
double mechanism_unbalanced(const rows *r, balance kind);
/** The most that it may be with half the step of the rows. */
double mechanism_balance_bound(const mechanism *m, const rows *r, balance kind);

/** Print what it is made of. */
void mechanism_print(const mechanism *m);

#endif
