/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_CONTACT_LAW_H
#define TORSOR_ELEMENTS_CONTACT_LAW_H

/** Forces at points of contact: a spring with dissipation along the normal, and friction that
 *  sticks by a spring along the surfaces and slips at a limit (return map of ideal plasticity). */

#include "elements/penalty_kit.h"
#include "elements/touch.h"

#include <torsor/force.h>

typedef struct contact_law {
  penalty wall;
  double restitution, restitution_speed; /* NaN: not given */
  int restitution_at;                    /* 0: each blow; -1: not given */
  double rest_speed;
  double friction, static_friction;                /* NaN: static as friction */
  double tangential_stiffness, tangential_damping; /* NaN: does not stick */
  /* made by contact_law_prepare: */
  double blow; /* of a law that has its restitution at each blow: dissipation times closing speed */
} contact_law;

#define CONTACT_LAW_PARAM(type, member, field, unit, fallback, doc, choices, kind, conditions)     \
  { #field, kind, offsetof(type, member.field), unit, fallback, doc, choices, conditions }

/** Parameters of restitution and of friction that sticks; `type` has a contact_law `member`. */
#define CONTACT_LAW_PARAMS(type, member)                                                           \
  CONTACT_LAW_PARAM(type, member, restitution, NULL, TORSOR_OPTIONAL,                              \
                    "ratio of the speeds after and before a blow, in place of `dissipation`",      \
                    NULL, TORSOR_PARAM_NUMBER, TORSOR_POSITIVE),                                   \
      CONTACT_LAW_PARAM(type, member, restitution_speed, "m/s", TORSOR_OPTIONAL,                   \
                        "closing speed of the blow that has the `restitution`; slower ones lose "  \
                        "less",                                                                    \
                        NULL, TORSOR_PARAM_NUMBER, TORSOR_POSITIVE),                               \
      CONTACT_LAW_PARAM(type, member, restitution_at, NULL, TORSOR_OPTIONAL,                       \
                        "\"each_blow\": every blow has the `restitution`, whatever its speed",     \
                        contact_law_blows, TORSOR_PARAM_CHOICE, 0),                                \
      CONTACT_LAW_PARAM(type, member, rest_speed, "m/s", "1e-3",                                   \
                        "with `restitution_at`: blows below this closing speed lose what one at "  \
                        "it would, so that bouncing ends",                                         \
                        NULL, TORSOR_PARAM_NUMBER, TORSOR_POSITIVE),                               \
      CONTACT_LAW_PARAM(type, member, static_friction, NULL, TORSOR_OPTIONAL,                      \
                        "coefficient up to which it sticks, at least `friction`; default: "        \
                        "`friction`",                                                              \
                        NULL, TORSOR_PARAM_NUMBER, TORSOR_NONNEGATIVE),                            \
      CONTACT_LAW_PARAM(type, member, tangential_stiffness, "N/m", TORSOR_OPTIONAL,                \
                        "of what sticks, against displacement along the surfaces: about 0.8 of "   \
                        "the stiffness across them",                                               \
                        NULL, TORSOR_PARAM_NUMBER, TORSOR_POSITIVE),                               \
      CONTACT_LAW_PARAM(type, member, tangential_damping, "N s/m", "0",                            \
                        "of what sticks; 0.2 sqrt(tangential_stiffness mass) is a tenth of "       \
                        "critical",                                                                \
                        NULL, TORSOR_PARAM_NUMBER, TORSOR_NONNEGATIVE)

extern const char *const contact_law_blows[];

/** D = b v for which a blow alone at the speed v ends with e v: (1 + e) D = ln((1 + D)/(1 - e D)),
 *  0 < e < 1. */
double contact_law_number(double restitution);

/** Checks the law and makes what it stands for. */
torsor_status contact_law_prepare(contact_law *law, const char *name, torsor_error *error);

static inline bool contact_law_sticks(const contact_law *law) {
  return !torsor_absent_number(law->tangential_stiffness);
}

/* ---- states ------------------------------------------------------------------------------ */

/** Numbers that a pair keeps: its frame at the last accepted step and the work that its points'
 *  springs along the surfaces have taken in, J, and of each point the spring's displacement z,
 *  whether it sticks, the closing speed of the blow, normal and place; and the gap and the rate at
 *  which it closes, while it is open. */
enum {
  CONTACT_PUT_IN = 12,
  CONTACT_FRAME_STATES = 13,
  CONTACT_Z = 0,
  CONTACT_STUCK = 3,
  CONTACT_SPEED = 4,
  CONTACT_NORMAL = 5,
  CONTACT_PLACE = 8,
  CONTACT_GAP = 11,
  CONTACT_CLOSING = 12,
  CONTACT_POINT_STATES = 13
};

static inline int contact_states(int points) {
  return CONTACT_FRAME_STATES + points * CONTACT_POINT_STATES;
}

/** A pair at one motion: frame of b in a, and the twist of b against a about the origin of a, in
 * the axes of a; its numbers. */
typedef struct contact_pair {
  m3 R;
  v3 p;
  twist motion;
  const double *state; /* NULL: a motion begins */
  bool hold;
} contact_pair;

contact_pair contact_find_pair(const torsor_relative_in *in);

/** Its change as b moves by `e` (as the motion) at a constant twist in its own axes, or as its
 * twist changes. */
typedef struct contact_moved {
  twist e, motion;
  v3 p; /* of b's origin */
} contact_moved;

contact_moved contact_move_pair(const contact_pair *pair, const torsor_relative_in *in, int k);

/** Does a pair keep anything from step to step? */
static inline bool contact_law_keeps(const contact_law *law) {
  return contact_law_sticks(law) || law->blow > 0;
}

/** The wall with the dissipation of the present blow at a point; state NULL: one in rest. */
static inline penalty contact_law_wall(const contact_law *law, const double *state, int id) {
  penalty wall = law->wall;
  if (law->blow > 0)
    wall.dissipation =
        law->blow / (state ? state[contact_states(id) + CONTACT_SPEED] : law->rest_speed);
  return wall;
}

/** Force of one point on b, in the axes of a. */
typedef struct contact_force {
  v3 c, force;
  v3 couple;   /* of capsules that share a force */
  double push; /* along the normal */
  double by_depth, by_rate;
  double energy; /* of the spring across the surfaces, J */
  double kept;   /* of that along them */
  double put_in; /* work that this has taken in since the last accepted step */
  v3 slip;       /* velocity of b along the surfaces */
  v3 friction;
  /* Along the normal, of the turn about it: displacement, force and its trial times the lever
   * `spin`. */
  v3 z, trial, rub; /* displacement of the spring; force before and after its limit */
  double limit;     /* 0: none */
  bool sticks;
} contact_force;

/** `share`: the force acts at b + share (a - b) of the point's surfaces. */
contact_force contact_eval(const contact_law *law, const contact_pair *pair, const touch_point *at,
                           double share);

/** Adds the slip and the friction to a point that has its place and its push: a spring up to its
 * limit, and from there a force that follows it. */
void contact_add_friction(contact_force *f, const contact_law *law, const contact_pair *pair,
                          const touch_point *at);

/** Power (W) that a point dissipates; but the energy that the spring along the surfaces gives up as
 *  it slips or parts is in the difference of contact_put_in and contact_kept. */
double contact_loss(const contact_law *law, const contact_pair *pair, const touch_point *at,
                    const contact_force *f);

/** The same of its friction alone. */
double contact_friction_loss(const contact_law *law, const contact_pair *pair,
                             const touch_point *at, const contact_force *f);

/** Work (J) that the springs along the surfaces have taken in since the motion began: by means of
 *  the force over both ends of each step, exact while it sticks.  Energy that they keep, J.  The
 *  difference has been dissipated, whether they slip, are let go or lose their place. */
double contact_put_in(const contact_pair *pair, const contact_force *f, int count);
double contact_kept(const contact_force *f, int count);

/** Changes of a point's normal, place, part, push and spin. */
typedef struct contact_pressing {
  v3 n, c;
  double part, push, spin;
} contact_pressing;

/** Changes of the friction and of its couple. */
typedef struct contact_rubbing {
  v3 force, couple;
} contact_rubbing;

contact_rubbing contact_friction_change(const contact_law *law, const contact_pair *pair,
                                        const touch_point *at, const contact_force *f,
                                        const contact_moved *moved, const contact_pressing *by);

/** Change of force, place and couple. */
typedef struct contact_change {
  v3 force, c, couple;
} contact_change;

contact_change contact_eval_change(const contact_law *law, const contact_pair *pair,
                                   const touch_point *at, double share, const contact_force *f,
                                   const contact_moved *moved);

/** The wrench of a force on b at its marker, in its axes, and that of a change. */
twist contact_wrench(const contact_pair *pair, const contact_force *f);
twist contact_wrench_change(const contact_pair *pair, const contact_force *f,
                            const contact_change *change, const contact_moved *moved);

/** The numbers of the pair, and of a point, after this motion. */
void contact_keep_pair(double *state, const contact_pair *pair, const contact_force *f, int count);
void contact_keep_point(double *state, const contact_law *law, const contact_pair *pair,
                        const touch_point *at, const contact_force *f);

#endif
