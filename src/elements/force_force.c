/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

enum { AXES_INERTIAL, AXES_BODY };

typedef struct force_force_data {
  torsor_marker at;
  v3 force, moment;
  int axes, nodes;
  torsor_control scale;
} force_force_data;

#define MEMBER(name) offsetof(force_force_data, name)

static const char *const axes[] = {"inertial", "body", NULL};

static const torsor_param params[] = {
    {"at", TORSOR_PARAM_MARKER, MEMBER(at), NULL, NULL, "marker that it acts on", NULL, 0},
    {"force", TORSOR_PARAM_VECTOR, MEMBER(force), "N", TORSOR_OPTIONAL,
     "force at the marker's origin", NULL, 0},
    {"moment", TORSOR_PARAM_VECTOR, MEMBER(moment), "N m", TORSOR_OPTIONAL,
     "moment; not on a point mass", NULL, 0},
    {"axes", TORSOR_PARAM_CHOICE, MEMBER(axes), NULL, "\"inertial\"",
     "axes of force and moment: \"inertial\", or \"body\": those of the marker, which turn with "
     "the "
     "body",
     axes, 0},
    {"scale", TORSOR_PARAM_CONTROL, MEMBER(scale), NULL, TORSOR_OPTIONAL,
     "function of t and of joint coordinates that multiplies both; default: 1", NULL, 0},
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_force_data *data = self;
  if (torsor_absent_vector(data->force) && torsor_absent_vector(data->moment)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has neither a force nor a moment", setup->name);
    torsor_hint(error, "give \"force\": [x, y, z] or \"moment\": [x, y, z]");
    return TORSOR_SCENE;
  }
  if (data->at.node == TORSOR_GROUND) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" acts on the ground, which does not move", setup->name);
    torsor_hint(error, "name a body under \"at\"");
    return TORSOR_SCENE;
  }
  if (data->at.point && !torsor_absent_vector(data->moment)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has a moment, but acts on a point mass", setup->name);
    torsor_hint(error, "leave \"moment\" out, or make the body a rigid_body");
    return TORSOR_SCENE;
  }
  if (torsor_absent_vector(data->force)) data->force = v3_zero();
  if (torsor_absent_vector(data->moment)) data->moment = v3_zero();
  if (data->axes == AXES_BODY) { /* from here on in the axes of the node */
    data->force = m3_mulv(data->at.R, data->force);
    data->moment = m3_mulv(data->at.R, data->moment);
  }
  setup->node[setup->nodes++] = data->at.node;
  setup->length = v3_norm(data->at.x);
  const torsor_status status = torsor_control_prepare(&data->scale, setup, error);
  data->nodes = setup->nodes;
  return status;
}

/* Force and moment at the marker before they are scaled, in the axes of the node. */
static twist given(const force_force_data *data, const torsor_element_in *in) {
  const m3 *R = &in->node[0]->R;
  if (data->axes == AXES_BODY) return (twist){data->force, data->moment};
  return (twist){m3_tmulv(*R, data->force), m3_tmulv(*R, data->moment)};
}

static double find_scale(double *q, double *V, const force_force_data *data,
                         const torsor_element_in *in) {
  if (!data->scale.eval) return in->load;
  return torsor_control_load(&data->scale, in) * torsor_control_eval(q, V, &data->scale, in);
}

static void add_block(double *K, int n, int row, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K[n * (row + i) + 3 + j] += block.m[i][j];
}

/* Adds the tangent of a wrench w fixed in inertial axes: delta(R^T f) = skew(R^T f) theta. */
static void add_turning(double *K, int n, const force_force_data *data, twist w) {
  const m3 turn = m3_skew(w.lin);
  add_block(K, n, 0, m3_scale(turn, -1));
  add_block(K, n, 3, m3_scale(m3_add(m3_skew(w.ang), m3_mul(m3_skew(data->at.x), turn)), -1));
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const force_force_data *data = self;
  const twist w = given(data, in);
  const twist at_node = {w.lin, v3_add(w.ang, v3_cross(data->at.x, w.lin))};
  const bool follows = data->scale.inputs && (out->K || out->C);
  const int n = 6 * data->nodes;
  double q[6 * TORSOR_ELEMENT_NODES] = {0}, V[6 * TORSOR_ELEMENT_NODES] = {0};
  const double scale = find_scale(follows ? q : NULL, follows ? V : NULL, data, in);
  if (out->r) tw_store(out->r, tw_axpy(-scale, at_node, tw_load(out->r)));
  if (out->K && data->axes == AXES_INERTIAL) add_turning(out->K, n, data, tw_scale(w, scale));
  if (!follows) return TORSOR_OK;
  double column[6 * TORSOR_ELEMENT_NODES] = {0};
  tw_store(column, tw_neg(at_node));
  torsor_control_add(out, column, q, V, n);
  return TORSOR_OK;
}

/* A force of fixed direction has the potential -scale(t) force.x. */
static const char *obstacle(const void *self) {
  const force_force_data *data = self;
  if (data->axes == AXES_BODY) return "turns with the body, and has no potential";
  if (v3_norm(data->moment) > 0) return "has a moment, which has no potential";
  return data->scale.inputs ? "depends on coordinates" : NULL;
}

static const torsor_output outputs[] = {
    {"force", "N", "force, inertial axes", 3}, {"moment", "N m", "moment, inertial axes", 3}, {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const twist w = tw_scale(given(self, in), find_scale(NULL, NULL, self, in));
  v3_store(values, m3_mulv(in->node[0]->R, w.lin));
  v3_store(values + 3, m3_mulv(in->node[0]->R, w.ang));
}

const torsor_element_type force_force = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "force",
    .energy.source = true,
    .title = "given force and moment on a body, as a function of t and coordinates",
    .doc = "scale force acts at the origin of the marker, scale moment about it.  In \"inertial\" "
           "axes\n"
           "they keep their direction, in \"body\" axes they turn with the marker.  scale is a\n"
           "function of t and of joint coordinates and their rates, written as signals:\n"
           "\"-30*probe.x - 2*probe.x_speed\" with a sensor \"probe\".",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"rocket\", \"type\": \"rigid_body\","
        " \"mass\": 2, \"inertia\": [0.1, 0.2, 0.2]}], \"forces\": [{\"name\": \"thrust\","
        " \"type\": \"force\", \"at\": {\"body\": \"rocket\", \"position\": [-0.5, 0.01, 0]},"
        " \"force\": [4, 0, 0.1], \"moment\": [0, 0.02, 0.05], \"axes\": \"body\","
        " \"scale\": \"exp(-t)\"}]}",
    .size = sizeof(force_force_data),
    .params = params,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .outputs.list = outputs,
    .outputs.eval = output,
    .energy.obstacle = obstacle,
    .look.symbol = TORSOR_SYMBOL_ARROW,
};
