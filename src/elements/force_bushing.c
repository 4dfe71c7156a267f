/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/turn_kit.h"

typedef struct force_bushing_data {
  torsor_pair pair;
  v3 stiffness, damping, rotational_stiffness, rotational_damping; /* as given */
  v3 preload, rotational_preload;
  m6 K, C;
  turn_measure measure;
  int axis; /* the free one of TURN_AXLE */
} force_bushing_data;

#define MEMBER(name) offsetof(force_bushing_data, name)

static const torsor_param params[] = {
    TORSOR_PAIR_PARAMS(force_bushing_data, TORSOR_NEEDS_ORIENTATION),
    {"stiffness", TORSOR_PARAM_VECTOR, MEMBER(stiffness), "N/m", TORSOR_OPTIONAL,
     "stiffness along the axes of marker a", NULL, 0},
    {"damping", TORSOR_PARAM_VECTOR, MEMBER(damping), "N s/m", TORSOR_OPTIONAL,
     "damping along the axes of marker a", NULL, 0},
    {"rotational_stiffness", TORSOR_PARAM_VECTOR, MEMBER(rotational_stiffness), "N m/rad",
     TORSOR_OPTIONAL, "stiffness about the axes of marker a", NULL, 0},
    {"rotational_damping", TORSOR_PARAM_VECTOR, MEMBER(rotational_damping), "N m s/rad",
     TORSOR_OPTIONAL, "damping about the axes of marker a", NULL, 0},
    {"stiffness_matrix", TORSOR_PARAM_MATRIX6, MEMBER(K), "N/m, N, N m/rad", TORSOR_OPTIONAL,
     "symmetric matrix in place of both stiffnesses, translations first", NULL, 0},
    {"damping_matrix", TORSOR_PARAM_MATRIX6, MEMBER(C), "N s/m, N s, N m s/rad", TORSOR_OPTIONAL,
     "matrix in place of both dampings; its symmetric part takes energy away, the rest none", NULL,
     0},
    {"preload", TORSOR_PARAM_VECTOR, MEMBER(preload), "N", "[0, 0, 0]",
     "force on b where the frames agree, axes of a", NULL, 0},
    {"rotational_preload", TORSOR_PARAM_VECTOR, MEMBER(rotational_preload), "N m", "[0, 0, 0]",
     "moment on b where the frames agree, axes of a", NULL, 0},
    {0}};

/* y = (p, psi) of marker b in a, its rate y' = A V with A = diag(R, S). */
typedef struct bushing_state {
  twist y;
  m6 A;
  turn_state turn;
} bushing_state;

static torsor_status find_state(bushing_state *s, const force_bushing_data *data,
                                const torsor_relative_in *in, bool second) {
  if (!turn_find(&s->turn, data->measure, data->axis, &in->R, second)) return TORSOR_DOMAIN;
  s->y = (twist){in->p, s->turn.y};
  s->A = m6_blocks(in->R, m3_zero(), m3_zero(), s->turn.S);
  return TORSOR_OK;
}

static twist preload(const force_bushing_data *data) {
  return (twist){data->preload, data->rotational_preload};
}

/* With w = -A^T f: D w = -A^T (K A + C D(A V)) - D(A^T) f, where D(R U) = -R U~ theta,
 * D(R^T g) = (R^T g)~ theta, D psi = S theta and row i of S changes by (G_i theta)^T. */
static void add_tangent(torsor_law_out *out, const force_bushing_data *data,
                        const torsor_relative_in *in, const bushing_state *s, twist f) {
  const double *const rate_of[3] = {&f.ang.x, &f.ang.y, &f.ang.z};
  m3 turn = m3_zero(), bend = m3_zero();
  for (int i = 0; i < 3; ++i) {
    v3_store(turn.m[i], m3_tmulv(s->turn.G[i], in->V.ang));
    bend = m3_axpy(*rate_of[i], s->turn.G[i], bend);
  }
  const m6 rate =
      m6_blocks(m3_zero(), m3_scale(m3_mul(in->R, m3_skew(in->V.lin)), -1), m3_zero(), turn);
  const m6 df = m6_add(m6_mul(data->K, s->A), m6_mul(data->C, rate));
  const m6 dA = m6_blocks(m3_zero(), m3_skew(m3_tmulv(in->R, f.lin)), m3_zero(), bend);
  const m6 H = m6_add(m6_tmul(s->A, df), dA), V = m6_tmul(s->A, m6_mul(data->C, s->A));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      out->H[i][j] = -H.m[i][j];
      out->V[i][j] = -V.m[i][j];
    }
}

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  const force_bushing_data *data = self;
  bushing_state s;
  const torsor_status status = find_state(&s, data, in, out->tangent);
  if (status) return status;
  const twist rate = m6_mulv(s.A, in->V);
  const twist f = tw_sub(tw_add(m6_mulv(data->K, s.y), m6_mulv(data->C, rate)), preload(data));
  out->w = tw_neg(m6_tmulv(s.A, f));
  if (out->tangent) add_tangent(out, data, in, &s, f);
  return TORSOR_OK;
}

static torsor_status fail(torsor_error *error, const char *name, const char *key, const char *what,
                          const char *advice) {
  torsor_fail(error, TORSOR_SCENE, "\"%s\" of \"%s\" %s", key, name, what);
  torsor_hint(error, "%s", advice);
  return TORSOR_SCENE;
}

/* One matrix from two vectors or as it is given; zero when nothing is. */
static torsor_status choose_matrix(m6 *matrix, v3 along, v3 about, const char *const keys[3],
                                   const char *name, torsor_error *error) {
  const bool vectors = !torsor_absent_vector(along) || !torsor_absent_vector(about);
  if (!torsor_absent_number(matrix->m[0][0]))
    return vectors ? fail(error, name, keys[2], "is given twice: as a matrix and by its diagonal",
                          "leave one of them out")
                   : TORSOR_OK;
  if (torsor_absent_vector(along)) along = v3_zero();
  if (torsor_absent_vector(about)) about = v3_zero();
  if (!(fmin(along.x, fmin(along.y, along.z)) >= 0))
    return fail(error, name, keys[0], "has a negative component",
                "stiffness and damping are 0 or greater");
  if (!(fmin(about.x, fmin(about.y, about.z)) >= 0))
    return fail(error, name, keys[1], "has a negative component",
                "stiffness and damping are 0 or greater");
  *matrix = m6_blocks(m3_diagonal(along), m3_zero(), m3_zero(), m3_diagonal(about));
  return TORSOR_OK;
}

/* Round-off of what was rounded to be typed, relative to the diagonal. */
#define TYPED 1e-6

/* Does the symmetric part, scaled to a diagonal of ones, have no negative pivot?  Elimination with
 * the largest pivot first. */
static bool is_nonnegative(m6 A) {
  double scale[6];
  for (int i = 0; i < 6; ++i) scale[i] = A.m[i][i] > 0 ? 1 / sqrt(A.m[i][i]) : 1;
  m6 S;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) S.m[i][j] = (A.m[i][j] + A.m[j][i]) / 2 * scale[i] * scale[j];
  bool used[6] = {false};
  for (int step = 0; step < 6; ++step) {
    int best = -1;
    for (int i = 0; i < 6; ++i)
      if (!used[i] && (best < 0 || S.m[i][i] > S.m[best][best])) best = i;
    const double pivot = S.m[best][best];
    if (!(pivot > TYPED)) { /* the rest is 0, or has a negative direction */
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          if (!used[i] && !used[j] && !(fabs(S.m[i][j]) <= TYPED)) return false;
      return true;
    }
    used[best] = true;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        if (!used[i] && !used[j]) S.m[i][j] -= S.m[i][best] * S.m[best][j] / pivot;
  }
  return true;
}

static bool is_symmetric(m6 A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j)
      if (!(fabs(A.m[i][j] - A.m[j][i]) <= TYPED * sqrt(fabs(A.m[i][i] * A.m[j][j])))) return false;
  return true;
}

/* Is there anything elastic about axis i? */
static bool resists(const force_bushing_data *data, int i) {
  double preload[3];
  v3_store(preload, data->rotational_preload);
  bool any = preload[i] != 0;
  for (int j = 0; j < 6; ++j) any |= data->K.m[3 + i][j] != 0;
  return any;
}

static void choose_measure(force_bushing_data *data) {
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    if (resists(data, i))
      ++count;
    else
      data->axis = i;
  }
  data->measure = !count ? TURN_FREE : count == 2 ? TURN_AXLE : TURN_VECTOR;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  static const char *const stiffness[] = {"stiffness", "rotational_stiffness", "stiffness_matrix"};
  static const char *const damping[] = {"damping", "rotational_damping", "damping_matrix"};
  force_bushing_data *data = self;
  const char *name = setup->name;
  if (torsor_absent_vector(data->stiffness) && torsor_absent_vector(data->rotational_stiffness) &&
      torsor_absent_number(data->K.m[0][0]))
    return fail(error, name, stiffness[0], "is missing",
                "give \"stiffness\": [x, y, z], \"rotational_stiffness\" or \"stiffness_matrix\"");
  torsor_status status =
      choose_matrix(&data->K, data->stiffness, data->rotational_stiffness, stiffness, name, error);
  if (!status)
    status = choose_matrix(&data->C, data->damping, data->rotational_damping, damping, name, error);
  if (status) return status;
  if (!is_symmetric(data->K))
    return fail(error, name, stiffness[2], "is not symmetric",
                "make it symmetric, so that it has an energy");
  if (!is_nonnegative(data->K))
    return fail(error, name, stiffness[2], "has a direction of negative stiffness",
                "choose entries without a negative eigenvalue");
  if (!is_nonnegative(data->C))
    return fail(error, name, damping[2], "has a direction of negative damping",
                "choose entries whose symmetric part has no negative eigenvalue");
  data->K = m6_scale(m6_add(data->K, m6_transpose(data->K)), 0.5);
  choose_measure(data);
  return torsor_pair_prepare(&data->pair, setup, law, false, error);
}

static const char *obstacle(const void *self) {
  const force_bushing_data *data = self;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (data->C.m[i][j] != 0) return "has damping";
  return NULL;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_bushing_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  bushing_state s;
  if (find_state(&s, data, &relative, false)) return;
  sum->elastic += tw_dot(s.y, m6_mulv(data->K, s.y)) / 2 - tw_dot(s.y, preload(data));
}

const torsor_element_type force_bushing = {
    TORSOR_PAIR_TABLE(force_bushing_data),
    .name = "bushing",
    .title = "elastic bearing: springs and dampers along and about three axes, also coupled",
    .doc =
        "With p the position of b in the axes of a, psi = log R its rotation vector, y = (p, psi)\n"
        "and U, Omega the relative twist: y' = A (U, Omega), A = diag(R, T^-1(psi)), and force "
        "and\n"
        "moment on b at its marker, in the axes of b, are -A^T (K y + C y' - preload).  Force and\n"
        "moment have the work -(K y + C y' - preload) . y', whatever the rotation.\n"
        "K is symmetric and C need not be; no eigenvalue of them (of C: of its symmetric part) is\n"
        "negative.  Rows and columns: x, y, z, then the rotations, in the axes of a; the four\n"
        "vectors are the diagonals.  Elastic energy: y.K y/2 - preload.y.\n"
        "Without stiffness and preload about any axis psi' = R Omega, and b turns without limit.\n"
        "Without those about one axis n of a, psi is across n: the shortest rotation that takes n\n"
        "where it goes, and psi' about n the rate of the rest; b spins about n without limit.\n"
        "Rotations psi are at most 2.8 rad: those of log R jump at pi.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"engine\","
        " \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.3]}],"
        " \"forces\": [{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\","
        " \"b\": {\"body\": \"engine\", \"position\": [0.1, 0, -0.2]}, \"stiffness_matrix\":"
        " [[30, 2, 0, 0, 3, 1], [2, 20, 1, -2, 0, 0.5], [0, 1, 50, 1, 2, 0], [0, -2, 1, 3, 0.2, 0],"
        " [3, 0, 2, 0.2, 4, 0.3], [1, 0.5, 0, 0, 0.3, 5]], \"damping_matrix\":"
        " [[0.4, 0.3, 0, 0, 0.1, 0], [-0.1, 0.4, 0, 0, 0, 0], [0, 0, 0.5, 0, 0, 0.1],"
        " [0, 0, 0, 0.2, 0.1, 0], [0.1, 0, 0, -0.1, 0.2, 0], [0, 0, 0.1, 0, 0, 0.3]],"
        " \"preload\": [1, 0, 19.62], \"rotational_preload\": [0.1, 0, 0.2]}]}",
    .energy.balance = balance,
    .energy.obstacle = obstacle,
    .limits.range =
        "rotations of at most 2.8 rad (160 degrees) between its markers, as it has rotational "
        "stiffness or preload",
    .limits.advice =
        "turn a marker so that its axes are nearer to those of the other, or make it a "
        "bushing without rotational stiffness, which turns without limit, with a "
        "joint and a coordinate_spring, which count turns",
    .look.symbol = TORSOR_SYMBOL_SPRING,
};
