/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

typedef struct force_drag_data {
  torsor_marker at;
  double density, coefficient, area;
  v3 wind;
  double factor; /* density coefficient area/2 */
} force_drag_data;

#define MEMBER(name) offsetof(force_drag_data, name)

static const torsor_param params[] = {
    {"at", TORSOR_PARAM_MARKER, MEMBER(at), NULL, NULL,
     "marker at whose origin the drag acts: the centre of pressure", NULL, 0},
    {"density", TORSOR_PARAM_NUMBER, MEMBER(density), "kg/m^3", "1.225", "density of the fluid",
     NULL, TORSOR_NONNEGATIVE},
    {"coefficient", TORSOR_PARAM_NUMBER, MEMBER(coefficient), NULL, NULL, "drag coefficient", NULL,
     TORSOR_NONNEGATIVE},
    {"area", TORSOR_PARAM_NUMBER, MEMBER(area), "m^2", NULL, "reference area", NULL,
     TORSOR_NONNEGATIVE},
    {"wind", TORSOR_PARAM_VECTOR, MEMBER(wind), "m/s", "[0, 0, 0]",
     "velocity of the fluid, inertial axes", NULL, 0},
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_drag_data *data = self;
  if (data->at.node == TORSOR_GROUND) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" acts on the ground, which does not move", setup->name);
    torsor_hint(error, "name a body under \"at\"");
    return TORSOR_SCENE;
  }
  data->factor = data->density * data->coefficient * data->area / 2;
  setup->node[setup->nodes++] = data->at.node;
  setup->length = v3_norm(data->at.x);
  return TORSOR_OK;
}

/* Drag -k |w| w, w = U + Omega x x - R^T wind (node axes). */
static v3 speed_of(const force_drag_data *data, const torsor_motion *node) {
  return v3_sub(v3_add(node->V.lin, v3_cross(node->V.ang, data->at.x)),
                m3_tmulv(node->R, data->wind));
}

static void add(double A[6][6], double *sum) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) sum[6 * i + j] += A[i][j];
}

/* D = d(k |w| w)/dw = k (|w| I + w w^T/|w|) at the marker: rows D and x~ D. */
static void add_tangent(double *sum, const force_drag_data *data, m3 D, m3 column) {
  double A[6][6] = {{0}};
  const m3 block = m3_mul(D, column);
  torsor_relative_add(A, 0, 3, block);
  torsor_relative_add(A, 3, 3, m3_mul(m3_skew(data->at.x), block));
  add(A, sum);
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const force_drag_data *data = self;
  const torsor_motion *node = in->node[0];
  const v3 w = speed_of(data, node);
  const double speed = v3_norm(w);
  if (out->r) {
    const v3 f = v3_scale(w, data->factor * speed);
    tw_store(out->r, tw_add(tw_load(out->r), (twist){f, v3_cross(data->at.x, f)}));
  }
  if (!out->C && !out->K) return TORSOR_OK;
  const m3 along = speed > 0 ? m3_scale(m3_outer(w, w), 1 / speed) : m3_zero();
  const m3 D = m3_scale(m3_axpy(speed, m3_identity(), along), data->factor);
  if (out->K) /* delta(R^T wind) = skew(R^T wind) theta */
    add_tangent(out->K, data, D, m3_scale(m3_skew(m3_tmulv(node->R, data->wind)), -1));
  if (!out->C) return TORSOR_OK;
  double A[6][6] = {{0}};
  torsor_relative_add(A, 0, 0, D);
  torsor_relative_add(A, 3, 0, m3_mul(m3_skew(data->at.x), D));
  add(A, out->C);
  add_tangent(out->C, data, D, m3_scale(m3_skew(data->at.x), -1));
  return TORSOR_OK;
}

static const char *obstacle(const void *self) {
  (void)self;
  return "resists the motion";
}

static const torsor_output outputs[] = {{"force", "N", "drag, inertial axes", 3}, {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const force_drag_data *data = self;
  const v3 w = speed_of(data, in->node[0]);
  v3_store(values, m3_mulv(in->node[0]->R, v3_scale(w, -data->factor * v3_norm(w))));
}

const torsor_element_type force_drag = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "drag",
    .title = "drag of a fluid on a body, quadratic in the speed",
    .doc = "F = -density coefficient area/2 |w| w (N) at the origin of the marker, w its velocity\n"
           "relative to the fluid (m/s).  The area does not depend on the attitude.",
    .example = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"dart\","
               " \"type\": \"rigid_body\", \"mass\": 0.1, \"inertia\": [1e-5, 1e-3, 1e-3],"
               " \"velocity\": [20, 0, 5]}], \"forces\": [{\"name\": \"fins\", \"type\": \"drag\","
               " \"at\": {\"body\": \"dart\", \"position\": [-0.2, 0, 0.01]}, \"coefficient\": 1.1,"
               " \"area\": 2e-3}]}",
    .size = sizeof(force_drag_data),
    .params = params,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .outputs.list = outputs,
    .outputs.eval = output,
    .energy.obstacle = obstacle,
    .look.symbol = TORSOR_SYMBOL_ARROW,
};
