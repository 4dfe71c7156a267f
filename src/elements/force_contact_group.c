/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <torsor/force.h>

#include "elements/contact_group.h"

#define MEMBER(name) offsetof(contact_group, name)

static const torsor_param params[] = {
    {"between", TORSOR_PARAM_BODIES, MEMBER(between), NULL, TORSOR_OPTIONAL,
     "bodies whose shapes touch each other or, with `against`, those of that list; "
     "\"grain*\" is all whose names begin so",
     NULL, 0},
    {"against", TORSOR_PARAM_BODIES, MEMBER(against), NULL, TORSOR_OPTIONAL,
     "bodies whose shapes touch those of `between`, but not each other", NULL, 0},
    {"plane", TORSOR_PARAM_MARKER, MEMBER(plane), NULL, TORSOR_OPTIONAL,
     "marker on the ground: an endless plane across its z, solid below, which all touch", NULL, 0},
    PENALTY_PARAM(contact_group, law.wall.stiffness, "stiffness", "N/m^n", TORSOR_OPTIONAL,
                  "k in k d^n, n = `exponent`; of all pairs but two boxes", TORSOR_POSITIVE),
    PENALTY_PARAM(contact_group, law.wall.exponent, "exponent", NULL, TORSOR_OPTIONAL,
                  "n in k d^n, at least 1; 1 has a kink where the contact begins; default: 1.5",
                  TORSOR_POSITIVE),
    PENALTY_PARAM(contact_group, face_stiffness, "face_stiffness", "N/m^3", TORSOR_OPTIONAL,
                  "pressure of a face over its depth, where both shapes are boxes",
                  TORSOR_POSITIVE),
    PENALTY_PARAM(contact_group, law.wall.dissipation, "dissipation", "s/m", "0", "b in 1 + b d'",
                  TORSOR_NONNEGATIVE),
    {"friction", TORSOR_PARAM_NUMBER, MEMBER(law.friction), NULL, "0",
     "coefficient of friction where it slips; needs `tangential_stiffness`", NULL,
     TORSOR_NONNEGATIVE},
    CONTACT_LAW_PARAMS(contact_group, law),
    {"rounding", TORSOR_PARAM_NUMBER, MEMBER(rounding), "m", TORSOR_OPTIONAL,
     "radius of the edges of boxes and cylinders; default: 1 % of the smallest extent", NULL,
     TORSOR_NONNEGATIVE},
    {"joined", TORSOR_PARAM_BOOLEAN, MEMBER(joined), NULL, "false",
     "bodies that a joint links touch each other, too", NULL, 0},
    {"coupled", TORSOR_PARAM_BOOLEAN, MEMBER(coupled), NULL, "false",
     "the matrix has the stiffness between the bodies, too, as equilibria, modes and linear "
     "systems need it; at most 200 bodies",
     NULL, 0},
    {"max_pairs", TORSOR_PARAM_INTEGER, MEMBER(max_pairs), NULL, "-1",
     "room for pairs that are near each other; default: 8 for each shape", NULL, 0},
    {"margin", TORSOR_PARAM_NUMBER, MEMBER(margin), "m", TORSOR_OPTIONAL,
     "distance within which pairs are watched; default: a tenth of the smallest shape's radius",
     NULL, TORSOR_POSITIVE},
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  contact_group *g = self;
  const torsor_status status = contact_group_prepare(g, setup->name, error);
  if (status) return status;
  setup->more = g->between.node;
  setup->more_nodes = g->between.nodes;
  setup->others = g->against.node;
  setup->other_nodes = g->against.nodes;
  setup->alone = !g->coupled;
  setup->states = contact_group_states(g);
  return TORSOR_OK;
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* Adds the tangents of a pair to the blocks of its bodies, without those between them. */
static void add_own_blocks(torsor_element_out *out, const relative_state *at,
                           torsor_law_out *law) {
  double K[12 * 12] = {0}, C[12 * 12] = {0};
  relative_state s = *at;
  s.side_a = at->side_a < 0 ? -1 : 0;
  s.side_b = at->side_b < 0 ? -1 : 1;
  relative_add_tangents(out->K ? K : NULL, out->C ? C : NULL, 12, &s, law->H, law->V, law->w);
  for (int side = 0; side < 2; ++side) {
    const int node = side ? at->side_b : at->side_a, first = 6 * side * 13;
    for (int i = 0; node >= 0 && i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        if (out->K) out->K[36 * node + 6 * i + j] += K[first + 12 * i + j];
        if (out->C) out->C[36 * node + 6 * i + j] += C[first + 12 * i + j];
      }
  }
}

static void add_tangents(torsor_element_out *out, const contact_group *g, const group_pair *p,
                         const touching *t, twist w) {
  torsor_law_out law = {.w = w, .tangent = true};
  for (int k = 0; k < 12; ++k) touching_add_change(&law, t, &p->pair, &p->at.in, k);
  if (g->coupled)
    relative_add_tangents(out->K, out->C, 6 * (g->between.nodes + g->against.nodes), &p->at, law.H,
                          law.V, w);
  else
    add_own_blocks(out, &p->at, &law);
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const contact_group *g = self;
  const int count = contact_group_count(in->state);
  torsor_status status = TORSOR_OK;
  if (!in->state) return TORSOR_OK;
  if (contact_group_is_outdated(g, in)) return TORSOR_DOMAIN;
  for (int k = 0; k < count && !status; ++k) {
    group_pair p;
    touching t;
    contact_group_pair(&p, g, in, in->state, k);
    if (!(p.reach < 0)) continue;
    contact_group_relate(&p, g, in);
    status = touching_find(&t, &p.pair, &p.at.in);
    twist w = tw_zero();
    for (int i = 0; i < t.count; ++i)
      if (t.force[i].push > 0) w = tw_add(w, contact_wrench(&t.pair, &t.force[i]));
    if (status) continue;
    if (out->r) relative_add_wrench(out->r, &p.at, tw_neg(w));
    if (out->K || out->C) add_tangents(out, g, &p, &t, w);
  }
  return status;
}

/* ---- energies -------------------------------------------------------------------------------- */

/* Sums over the pairs that touch. */
typedef struct sums {
  double elastic, loss, put_in, kept, push, deepest;
  int touching;
} sums;

static sums sum_up(const contact_group *g, const torsor_element_in *in) {
  sums s = {.put_in = in->state ? in->state[GROUP_LOST] : 0};
  for (int k = 0; k < contact_group_count(in->state); ++k) {
    group_pair p;
    touching t;
    contact_group_pair(&p, g, in, in->state, k);
    if (!(p.reach < 0)) {
      if (p.state) s.put_in += p.state[CONTACT_PUT_IN];
      continue;
    }
    contact_group_relate(&p, g, in);
    touching_find(&t, &p.pair, &p.at.in);
    s.loss += touching_loss(&t, &p.pair);
    if (p.at.in.state) s.put_in += contact_put_in(&t.pair, t.force, t.count);
    s.kept += contact_kept(t.force, t.count);
    double push = 0;
    for (int i = 0; i < t.count; ++i) {
      push += t.force[i].push;
      s.elastic += t.force[i].energy;
      s.deepest = fmax(s.deepest, -t.at[i].gap);
    }
    s.push += push;
    s.touching += push > 0;
  }
  return s;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const sums s = sum_up(self, in);
  sum->elastic += s.elastic + s.kept;
}

static double loss(const void *self, const torsor_element_in *in) {
  return sum_up(self, in).loss;
}

static double lost(const void *self, const torsor_element_in *in) {
  const sums s = sum_up(self, in);
  return s.put_in - s.kept;
}

static const char *obstacle(const void *self) {
  const contact_group *g = self;
  if (contact_law_sticks(&g->law)) return "has friction";
  return g->law.blow > 0 ? "has a restitution" : penalty_obstacle(&g->law.wall);
}

static void keep(const void *self, const torsor_element_in *in, double *state) {
  contact_group_keep(self, in, state);
}

static void begin(const void *self, const torsor_element_in *in, double *state) {
  torsor_element_in anew = *in;
  anew.state = NULL;
  contact_group_keep(self, &anew, state);
}

static const torsor_output outputs[] = {{"touching", "", "number of pairs that push", 1},
                                        {"candidates", "", "number of pairs that are watched", 1},
                                        {"deepest", "m", "largest depth", 1},
                                        {"normal_force", "N", "sum of all pushes", 1},
                                        {0}};

static const char *const counts[] = {"touching", "candidates", "count", NULL};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const sums s = sum_up(self, in);
  values[0] = s.touching;
  values[1] = contact_group_count(in->state);
  values[2] = s.deepest;
  values[3] = s.push;
}

/* Node k of the element is of this body: members are in the order of the nodes, each of which has
 * one at least. */
static const char *body_name(const void *self, int k) {
  const contact_group *g = self;
  const torsor_bodies *list = k < g->between.nodes ? &g->between : &g->against;
  const int node = list == &g->between ? k : k - g->between.nodes;
  if (node >= list->nodes) return NULL;
  for (int i = node; i < list->count; ++i)
    if (list->member[i].side == node) return list->member[i].body;
  return NULL;
}

static void output_body(const void *self, const torsor_element_in *in, int k, double *values) {
  const contact_group *g = self;
  double r[6] = {0}, push = 0;
  int contacts = 0;
  for (int i = 0; i < contact_group_count(in->state); ++i) {
    group_pair p;
    touching t;
    contact_group_pair(&p, g, in, in->state, i);
    if (!(p.reach < 0)) continue;
    contact_group_relate(&p, g, in);
    if (p.at.side_a != k && p.at.side_b != k) continue;
    touching_find(&t, &p.pair, &p.at.in);
    double pair = 0;
    twist w = tw_zero();
    for (int j = 0; j < t.count; ++j) pair += t.force[j].push;
    for (int j = 0; j < t.count; ++j)
      if (t.force[j].push > 0) w = tw_add(w, contact_wrench(&t.pair, &t.force[j]));
    p.at.side_a = p.at.side_a == k ? 0 : -1;
    p.at.side_b = p.at.side_b == k ? 0 : -1;
    relative_add_wrench(r, &p.at, w);
    push += pair;
    contacts += pair > 0;
  }
  v3_store(values, m3_mulv(in->node[k]->R, v3_load(r)));
  values[3] = push;
  values[4] = contacts;
}

static const char *const body_components[] = {"force.x", "force.y", "force.z",
                                              "push",    "count",   NULL};
static const char *const body_units[] = {"N", "N", "N", "N", ""};

static const torsor_place_outputs bodies = {
    .name = "on",
    .unit = "N",
    .units = body_units,
    .doc = "force of all contacts on a body that moves, inertial axes, sum of the pushes and count "
           "of the pairs that push",
    .component = body_components,
    .place = body_name,
    .output = output_body,
    .many = true,
};

const torsor_element_type force_contact_group = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "contact_group",
    .title = "contacts among the shapes of many bodies, and with a plane",
    .doc =
        "The forces of `shape_contact` between all pairs of shapes that are near each other:\n"
        "within the list `between` or, with `against`, across both lists, and of all of them\n"
        "with `plane`.  Shapes of one body, and of bodies that a joint links, do not touch.\n"
        "Which pairs are near is found between steps, by the balls about the shapes, made\n"
        "fatter by `margin` and by what they move in four steps; a shape that leaves its ball "
        "within\n"
        "a step halves it.\n"
        "The iteration of a step has the tangents of each body by itself, so that bodies stay "
        "apart\n"
        "in the matrix: it converges as long as the step is below a third of the time of a blow.\n"
        "Equilibria, modes and linear systems need `coupled`: then the matrix has a block for any\n"
        "two bodies of the group.\n"
        "Elastic energy: as of `shape_contact`.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"one\", \"type\": \"rigid_body\", \"mass\": 0.5,"
        " \"inertia\": [0.05, 0.05, 0.05], \"position\": [0, 0, 0], \"velocity\": [1, 0, 0],"
        " \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}, {\"name\": \"two\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.05],"
        " \"position\": [0.9, 0.3, 0], \"shape\": {\"type\": \"capsule\", \"radius\": 0.6,"
        " \"length\": 2}}], \"forces\": [{\"name\": \"pile\", \"type\": \"contact_group\","
        " \"between\": [\"one\", \"two\"], \"margin\": 10, \"stiffness\": 20, \"exponent\": 2,"
        " \"dissipation\": 0.1}]}",
    .size = sizeof(contact_group),
    .params = params,
    .prepare = prepare,
    .eval = eval,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .outputs = {.list = outputs, .eval = output, .places = &bodies, .counts = counts},
    .energy = {.balance = balance, .loss = loss, .lost = lost, .obstacle = obstacle},
    .limits = {.range = "overlaps less deep than the radii and roundings of both shapes together, "
                        "and as many pairs near each other as it has room for",
               .advice = "the stiffness is too small for these forces, the step too large, or "
                         "\"max_pairs\" too small (signal candidates)"},
    .look.symbol = TORSOR_SYMBOL_CONTACT,
    .history = {begin, keep},
};
