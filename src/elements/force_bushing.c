/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

/* Rotation vectors jump at pi.  The gap, 0.68 rad wide, is one that no sensible step skips. */
#define LARGEST_ROTATION 2.8

typedef struct force_bushing_data {
  torsor_pair pair;
  v3 stiffness, damping, rotational_stiffness, rotational_damping;
} force_bushing_data;

#define MEMBER(name) offsetof(force_bushing_data, name)

static const torsor_param params[] = {
    TORSOR_PAIR_PARAMS(force_bushing_data, TORSOR_NEEDS_ORIENTATION),
    {"stiffness", TORSOR_PARAM_VECTOR, MEMBER(stiffness), "N/m", NULL,
     "stiffness along the axes of marker a", NULL, 0},
    {"damping", TORSOR_PARAM_VECTOR, MEMBER(damping), "N s/m", "[0, 0, 0]",
     "damping along the axes of marker a", NULL, 0},
    {"rotational_stiffness", TORSOR_PARAM_VECTOR, MEMBER(rotational_stiffness), "N m/rad",
     "[0, 0, 0]", "stiffness about the axes of marker a", NULL, 0},
    {"rotational_damping", TORSOR_PARAM_VECTOR, MEMBER(rotational_damping), "N m s/rad",
     "[0, 0, 0]", "damping about the axes of marker a", NULL, 0},
    {0}};

static v3 times(v3 d, v3 a) {
  return (v3){d.x * a.x, d.y * a.y, d.z * a.z};
}

/* Force -R^T f, f = K p + C R U; delta(R^T f) = skew(R^T f) theta, delta(R U) = R theta~ U. */
static void add_translation(torsor_law_out *out, const force_bushing_data *data,
                            const torsor_relative_in *in) {
  const v3 rate = m3_mulv(in->R, in->V.lin);
  const v3 f = v3_add(times(data->stiffness, in->p), times(data->damping, rate));
  const v3 g = m3_tmulv(in->R, f);
  out->w.lin = v3_neg(g);
  if (!out->tangent) return;
  const m3 K = m3_tmul(in->R, m3_mul(m3_diagonal(data->stiffness), in->R));
  const m3 C = m3_tmul(in->R, m3_mul(m3_diagonal(data->damping), in->R));
  torsor_relative_add(out->H, 0, 0, m3_scale(K, -1));
  torsor_relative_add(out->H, 0, 3, m3_sub(m3_mul(C, m3_skew(in->V.lin)), m3_skew(g)));
  torsor_relative_add(out->V, 0, 0, m3_scale(C, -1));
}

/* Moment -S^T h, h = K psi + D S Omega, S = T^-1(psi): psi' = S Omega. */
static torsor_status add_rotation(torsor_law_out *out, const force_bushing_data *data,
                                  const torsor_relative_in *in) {
  const v3 psi = so3_log_matrix(in->R);
  if (!(v3_norm(psi) <= LARGEST_ROTATION)) return TORSOR_DOMAIN;
  const m3 S = so3_taninv(psi);
  const v3 rate = m3_mulv(S, in->V.ang);
  const v3 h =
      v3_add(times(data->rotational_stiffness, psi), times(data->rotational_damping, rate));
  out->w.ang = v3_neg(m3_tmulv(S, h));
  if (!out->tangent) return TORSOR_OK;
  const m3 D = m3_diagonal(data->rotational_damping);
  const m3 turn = so3_map_gradient(psi, in->V.ang, lie_map_taninv(v3_norm2(psi)));
  const m3 dh = m3_add(m3_diagonal(data->rotational_stiffness), m3_mul(D, turn));
  const m3 dm = m3_add(so3_dtaninvT(psi, h), m3_tmul(S, dh));
  torsor_relative_add(out->H, 3, 3, m3_scale(m3_mul(dm, S), -1));
  torsor_relative_add(out->V, 3, 3, m3_scale(m3_tmul(S, m3_mul(D, S)), -1));
  return TORSOR_OK;
}

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  add_translation(out, self, in);
  return add_rotation(out, self, in);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_bushing_data *data = self;
  const v3 values[4] = {data->stiffness, data->damping, data->rotational_stiffness,
                        data->rotational_damping};
  for (int i = 0; i < 4; ++i)
    if (!(fmin(values[i].x, fmin(values[i].y, values[i].z)) >= 0)) {
      torsor_fail(error, TORSOR_SCENE, "\"%s\" of \"%s\" has a negative component",
                  params[2 + i].key, setup->name);
      torsor_hint(error, "stiffness and damping are 0 or greater");
      return TORSOR_SCENE;
    }
  return torsor_pair_prepare(&data->pair, setup, law, false, error);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_bushing_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  const v3 psi = so3_log_matrix(relative.R);
  sum->elastic += v3_dot(relative.p, times(data->stiffness, relative.p)) / 2;
  sum->elastic += v3_dot(psi, times(data->rotational_stiffness, psi)) / 2;
}

const torsor_element_type force_bushing = {
    TORSOR_PAIR_TABLE(force_bushing_data),
    .name = "bushing",
    .title = "elastic bearing: springs and dampers along and about three axes",
    .doc =
        "With p the position of b in the axes of a, psi = log R its rotation vector and\n"
        "U, Omega the relative twist: the force on b is -(K p + C p') in the axes of a, p' = R U,\n"
        "and the moment on b about its marker is -T^-T(psi) (K_r psi + C_r psi') in the axes of\n"
        "b, psi' = T^-1(psi) Omega; K, C, K_r, C_r are diagonal.  At rest where the frames of the\n"
        "markers agree.  Elastic energy: p.K p/2 + psi.K_r psi/2.\n"
        "Fails at rotations above 2.8 rad: the rotation vector jumps at pi.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"engine\","
        " \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.3]}],"
        " \"forces\": [{\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\","
        " \"b\": {\"body\": \"engine\", \"position\": [0.1, 0, -0.2]}, \"stiffness\": [30, 20, 50],"
        " \"damping\": [0.1, 0.2, 0.3], \"rotational_stiffness\": [2, 3, 4],"
        " \"rotational_damping\": [0.01, 0.02, 0.03]}]}",
    .balance = balance,
};
