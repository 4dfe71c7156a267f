/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_JOINT_H
#define TORSOR_JOINT_H

/** The joint kit: a joint is a function of the relative frame of two markers.
 *
 *  With the marker frames H_A and H_B, H = H_A^-1 H_B = (R, p) takes coordinates of marker b into
 *  those of marker a, and V = V_B - Ad(H^-1) V_A is the relative twist in the axes of b.  A joint
 *  type gives phi(H, t), its Jacobian J (D phi[e] = J e for H <- H exp(e)) and the two second
 *  derivatives below; the kit makes of it all that the assembly wants (docs/theory.md, section 4).
 *  A joint instance starts with the member `torsor_joint joint`, its parameter table with
 *  TORSOR_JOINT_PARAMS(type), and its table has eval = torsor_joint_eval. */

#include <math.h>

#include <torsor/element.h>

TORSOR_BEGIN_DECLS

typedef struct torsor_relative_in {
  const torsor_now *now;    /* time and inputs, see torsor_element_in */
  m3 R;                     /* axes of marker b in those of marker a */
  v3 p;                     /* origin of marker b in marker a, m */
  twist V;                  /* direction of Z: the relative twist, axes of b */
  const double *lambda;     /* [rows] for KL; NULL when KL is not wanted */
  const double *coordinate; /* see torsor_element_in */
  const double *state;      /* the same */
  bool hold;                /* the same */
} torsor_relative_in;

/** Rows are those of the joint; they are zero on entry, KL and Z where `second` is set. */
typedef struct torsor_relative_out {
  double phi[TORSOR_ELEMENT_ROWS];
  double phi_t[TORSOR_ELEMENT_ROWS];  /* d phi/dt at fixed H */
  double phi_tt[TORSOR_ELEMENT_ROWS]; /* d2 phi/dt2 at fixed H */
  double J[TORSOR_ELEMENT_ROWS][6];
  double J_t[TORSOR_ELEMENT_ROWS][6]; /* d J/dt at fixed H: zero unless J depends on t */
  bool second;                        /* in: are KL and Z wanted? */
  double KL[6][6];                    /* column k: D(J^T lambda)[e_k] */
  double Z[TORSOR_ELEMENT_ROWS][6];   /* column k: D(J V)[e_k] at constant V */
} torsor_relative_out;

/** Add a 3x3 block to a 6x6 matrix at (row, column). */
static inline void torsor_relative_add(double K[6][6], int row, int column, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K[row + i][column + j] += block.m[i][j];
}

typedef torsor_status (*torsor_relative)(const void *self, const torsor_relative_in *in,
                                         torsor_relative_out *out);

/** Value (raw: angles in (-pi, pi]) of a joint coordinate and its gradient: D value[e] = J e, so
 *  that its rate is J V.  K is zero on entry where `second` is set. */
typedef struct torsor_coordinate_out {
  double value, J[6];
  bool second;    /* in: is K wanted? */
  double K[6][6]; /* column k: D(J^T)[e_k] */
} torsor_coordinate_out;

typedef void (*torsor_relative_coordinate)(const void *self, int index,
                                           const torsor_relative_in *in,
                                           torsor_coordinate_out *out);

/** First member of every joint instance. */
typedef struct torsor_joint {
  torsor_marker a, b;
  int rows;
  int side_a, side_b; /* which of the element's nodes is a's and b's; -1 = ground */
  bool numeric;       /* KL, Z and K of the coordinates by differences of J over the 6 directions */
  double scale;       /* length (m) over which J changes, for those; 0 = the larger of |p| and the
                       * arms of the markers, or 1 m where all of them are 0 */
  torsor_relative relative;
  /* Set in `prepare` by joints that have coordinates: */
  int coordinates;
  torsor_relative_coordinate coordinate; /* evaluates them */
  /** The part of marker b that was derived from the initial frames, e.g. "axis_b"; "" = the whole
   *  orientation that the joint keeps; NULL = nothing. */
  const char *taken;
  double taken_angle; /* angle (rad) between that and the same numbers on marker a */
  double period;      /* period of the first coordinate where parameters decide on it, else 0 */
  double highest;     /* upper limit of the first coordinate, whose lower one is 0; 0 = no limits */
} torsor_joint;

/** Parameters that every joint has. `conditions`: TORSOR_NEEDS_ORIENTATION or 0. */
#define TORSOR_JOINT_PARAMS(type, conditions)                                                      \
  {"a",  TORSOR_PARAM_MARKER, offsetof(type, joint.a), NULL, NULL, "first marker",                 \
   NULL, (conditions)},                                                                            \
  {                                                                                                \
    "b", TORSOR_PARAM_MARKER, offsetof(type, joint.b), NULL, NULL,                                 \
        "second marker; force and moment of the joint are what it applies here", NULL,             \
        (conditions)                                                                               \
  }

/** Parameters of joints that act on a point of b in the axes of a: the force has a lever arm at a,
 *  which therefore needs an orientation, while b may be a point mass. */
#define TORSOR_JOINT_PARAMS_OF_POINT(type)                                                         \
  {"a",  TORSOR_PARAM_MARKER,     offsetof(type, joint.a), NULL, NULL, "first marker",             \
   NULL, TORSOR_NEEDS_ORIENTATION},                                                                \
  {                                                                                                \
    "b", TORSOR_PARAM_MARKER, offsetof(type, joint.b), NULL, NULL,                                 \
        "second marker; force and moment of the joint are what it applies here", NULL, 0           \
  }

/** Entries common to the type tables of all joints; uses `params` and `prepare` of the file. */
#define TORSOR_JOINT_TABLE(type)                                                                   \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_JOINT, .size = sizeof(type), .params = params,         \
  .tangents.has = TORSOR_HAS_K, .prepare = prepare, .eval = torsor_joint_eval,                     \
  .coordinates.eval = torsor_joint_coordinate, .outputs.list = torsor_joint_outputs,               \
  .outputs.eval = torsor_joint_output

/** Declare `rows` constraints given by `relative`.  With `numeric`, `relative` leaves KL and Z
 * alone and the kit differences J.  Fails when both markers are on one body or on the ground. */
TORSOR_API torsor_status torsor_joint_prepare(torsor_joint *joint, torsor_setup *setup, int rows,
                                              torsor_relative relative, bool numeric,
                                              torsor_error *error);

/** Like torsor_joint_prepare, for joints whose rows 0..2 are those of torsor_block_point. */
TORSOR_API torsor_status torsor_joint_prepare_point(torsor_joint *joint, torsor_setup *setup,
                                                    int rows, torsor_relative relative,
                                                    bool numeric, torsor_error *error);

/** `eval` of every joint. */
TORSOR_API torsor_status torsor_joint_eval(const void *self, const torsor_element_in *in,
                                           torsor_element_out *out);

/** `coordinate` of every joint that has some: value and rate = J V of each. */
TORSOR_API void torsor_joint_coordinate(const void *self, const torsor_element_in *in,
                                        double *value, double *rate);

/** Relative frame and relative twist of the markers: input of coordinates and outputs. */
TORSOR_API void torsor_joint_relative(const torsor_joint *joint, const torsor_element_in *in,
                                      torsor_relative_in *relative);

/** Signals of every joint: force and moment on b at its marker, inertial axes. */
TORSOR_API extern const torsor_output torsor_joint_outputs[];
TORSOR_API void torsor_joint_output(const void *self, const torsor_element_in *in, double *values);

/* ---- building blocks with closed derivatives --------------------------------------------- */

/** Row `row`: component of p along the unit vector a (axes of marker a).
 *  phi = a.p - offset, J = [a^T R, 0]. */
static inline void torsor_block_along(torsor_relative_out *out, int row, v3 a, double offset,
                                      const torsor_relative_in *in) {
  const v3 c = m3_tmulv(in->R, a);
  out->phi[row] = v3_dot(a, in->p) - offset;
  tw_store(out->J[row], (twist){.lin = c});
  if (!out->second) return;
  /* delta(R^T a) = skew(R^T a) theta */
  torsor_relative_add(out->KL, 0, 3, m3_scale(m3_skew(c), in->lambda[row]));
  v3_store(out->Z[row] + 3, v3_cross(in->V.lin, c));
}

/** Rows 0..2: phi = p, marker b is at marker a. */
static inline void torsor_block_point(torsor_relative_out *out, const torsor_relative_in *in) {
  torsor_block_along(out, 0, (v3){1, 0, 0}, 0, in);
  torsor_block_along(out, 1, (v3){0, 1, 0}, 0, in);
  torsor_block_along(out, 2, (v3){0, 0, 1}, 0, in);
}

/** Row `row`: a . (R b), the cosine between a direction of marker a and one of marker b.
 *  phi = a^T R b, J = [0, (b x R^T a)^T]. */
static inline void torsor_block_cosine(torsor_relative_out *out, int row, v3 a, v3 b,
                                       const torsor_relative_in *in) {
  const v3 c = m3_tmulv(in->R, a);
  out->phi[row] = v3_dot(c, b);
  tw_store(out->J[row], (twist){.ang = v3_cross(b, c)});
  if (!out->second) return;
  const m3 second = m3_mul(m3_skew(b), m3_skew(c));
  torsor_relative_add(out->KL, 3, 3, m3_scale(second, in->lambda[row]));
  v3_store(out->Z[row] + 3, m3_tmulv(second, in->V.ang));
}

/** Raw value of coordinate `index` in the initial configuration, from which turns are counted. */
static inline double torsor_coordinate_start(const torsor_joint *joint, int index) {
  const torsor_marker *a = &joint->a, *b = &joint->b;
  const torsor_relative_in start = {.R = m3_tmul(a->R0, b->R0),
                                    .p = m3_tmulv(a->R0, v3_sub(b->x0, a->x0))};
  torsor_coordinate_out c = {0};
  joint->coordinate(joint, index, &start, &c);
  return c.value;
}

/** The raw value of a coordinate with its turns counted: the one nearest to what is expected.  Of
 *  `ref` only `place` and `period` are used.  `coordinate`: see torsor_element_in. */
static inline double torsor_coordinate_turns(const torsor_coordinate_ref *ref, double raw,
                                             const double *coordinate) {
  if (!(ref->period > 0) || !coordinate) return raw;
  return raw + ref->period * nearbyint((coordinate[ref->place] - raw) / ref->period);
}

/** K of a coordinate that is a function of p alone, of gradient g and second derivative H, both in
 *  the axes of b: D(R^T grad)[u, theta] = H u + g~ theta. */
static inline void torsor_coordinate_bend(torsor_coordinate_out *out, v3 g, m3 H) {
  torsor_relative_add(out->K, 0, 0, H);
  torsor_relative_add(out->K, 0, 3, m3_skew(g));
}

/** Coordinate: component of p along the unit vector a (axes of marker a), m. */
static inline void torsor_coordinate_along(torsor_coordinate_out *out, v3 a,
                                           const torsor_relative_in *in) {
  const v3 g = m3_tmulv(in->R, a);
  out->value = v3_dot(a, in->p);
  tw_store(out->J, (twist){.lin = g});
  if (out->second) torsor_coordinate_bend(out, g, m3_zero());
}

/** A function y of the rotation alone, its gradient g (axes of b) and the derivative of g: D
 *  g[theta] = G theta. */
typedef struct torsor_turned {
  double y;
  v3 g;
  m3 G;
} torsor_turned;

/** a.(R b) for a direction of marker a, seen from b, and one of marker b. */
static inline torsor_turned torsor_turned_cosine(v3 a_in_b, v3 b) {
  return (torsor_turned){v3_dot(a_in_b, b), v3_cross(b, a_in_b),
                         m3_mul(m3_skew(b), m3_skew(a_in_b))};
}

/** Coordinate: factor atan2(s, c).  With w = c^2 + s^2 and N = c s' - s c' the gradient is N/w, and
 *  its derivative (c s'' - s c'' + s' c'^T - c' s'^T)/w - N (2 c c' + 2 s s')^T/w^2. */
static inline void torsor_coordinate_turn(torsor_coordinate_out *out, const torsor_turned *s,
                                          const torsor_turned *c, double factor) {
  const double w = c->y * c->y + s->y * s->y;
  const v3 N = v3_sub(v3_scale(s->g, c->y), v3_scale(c->g, s->y));
  out->value = factor * atan2(s->y, c->y);
  tw_store(out->J, (twist){.ang = v3_scale(N, factor / w)});
  if (!out->second) return;
  const v3 dw = v3_scale(v3_axpy(c->y, c->g, v3_scale(s->g, s->y)), 2 / w);
  m3 K = m3_sub(m3_outer(s->g, c->g), m3_outer(c->g, s->g));
  K = m3_axpy(c->y, s->G, m3_axpy(-s->y, c->G, m3_sub(K, m3_outer(N, dw))));
  torsor_relative_add(out->K, 3, 3, m3_scale(K, factor / w));
}

/** Coordinate: angle (rad) from e1 to R f about n, where (e1, e2, n) are right-handed directions of
 *  marker a and f is a direction of marker b; exact also where R f leaves the plane across n. */
static inline void torsor_coordinate_angle(torsor_coordinate_out *out, v3 e1, v3 e2, v3 f,
                                           const torsor_relative_in *in) {
  const torsor_turned c = torsor_turned_cosine(m3_tmulv(in->R, e1), f);
  const torsor_turned s = torsor_turned_cosine(m3_tmulv(in->R, e2), f);
  torsor_coordinate_turn(out, &s, &c, 1);
}

TORSOR_END_DECLS

#endif
