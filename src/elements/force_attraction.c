/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/line_kit.h"

typedef struct force_attraction_data {
  torsor_pair pair;
  double strength;
} force_attraction_data;

static const torsor_param params[] = {
    TORSOR_PAIR_PARAMS(force_attraction_data, 0),
    {"strength", TORSOR_PARAM_NUMBER, offsetof(force_attraction_data, strength), "N m^2", NULL,
     "force times squared distance: G m1 m2, or mu m; negative: repulsion", NULL, 0},
    {0}};

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  const force_attraction_data *data = self;
  force_line line;
  if (!line_find(&line, in)) return TORSOR_DOMAIN;
  const double pull = data->strength / (line.length * line.length);
  line_law(out, &line, in, pull, -2 * pull / line.length, 0);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_attraction_data *data = self;
  if (!(v3_norm(v3_sub(data->pair.joint.b.x0, data->pair.joint.a.x0)) > 0)) {
    torsor_fail(error, TORSOR_SCENE, "the markers of \"%s\" coincide: the attraction is not finite",
                setup->name);
    torsor_hint(error, "move one of them");
    return TORSOR_SCENE;
  }
  return torsor_pair_prepare(&data->pair, setup, law, false, error);
}

static const char *obstacle(const void *self) {
  (void)self;
  return NULL;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_attraction_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  sum->potential -= data->strength / v3_norm(relative.p);
}

const torsor_element_type force_attraction = {
    TORSOR_PAIR_TABLE(force_attraction_data),
    .name = "attraction",
    .title = "two points attract each other with the inverse square of their distance",
    .doc =
        "The force on b is -strength n/L^2 (N), L = |p| the distance of the markers, n from a to\n"
        "b; the opposite acts on a.  strength = G m_a m_b for gravitation, mu m for a body in the\n"
        "field of a fixed centre.  It acts at the marker: gradients over the body are left out.\n"
        "Potential energy: -strength/L.  Fails where the markers meet.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"satellite\", \"type\": \"rigid_body\","
        " \"mass\": 2, \"inertia\": [0.1, 0.2, 0.3], \"position\": [1, 0, 0],"
        " \"velocity\": [0, 1, 0]}], \"forces\": [{\"name\": \"gravity\", \"type\": \"attraction\","
        " \"a\": \"ground\", \"b\": \"satellite\", \"strength\": 2}]}",
    .limits.range = "markers that do not meet, where the attraction is infinite",
    .limits.advice =
        "take a smaller step, or start farther from a straight fall into the other marker",
    .energy.balance = balance,
    .energy.obstacle = obstacle,
};
