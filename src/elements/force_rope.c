/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/rope_prepare.h"

#include <math.h>
#include <string.h>

#include <torsor/path.h>

typedef struct force_rope_data {
  rope rope;
  torsor_path path;
  double unstrained, tension;
} force_rope_data;

#define MEMBER(name) offsetof(force_rope_data, name)

static const torsor_param params[] = {
    {"path", TORSOR_PARAM_PATH, MEMBER(path), NULL, NULL,
     "stations from one end to the other: objects with \"end\", \"sheave\" or \"drum\"", NULL, 0},
    {"EA", TORSOR_PARAM_NUMBER, MEMBER(rope.stiffness), "N", NULL, "tension over strain", NULL,
     TORSOR_POSITIVE},
    {"damping_time", TORSOR_PARAM_NUMBER, MEMBER(rope.damping_time), "s", "0",
     "part of the rate of the elastic tension that is added to it", NULL, TORSOR_NONNEGATIVE},
    {"slack", TORSOR_PARAM_BOOLEAN, MEMBER(rope.slack), NULL, "true", "the rope does not push",
     NULL, 0},
    {"unstrained", TORSOR_PARAM_NUMBER, MEMBER(unstrained), "m", TORSOR_OPTIONAL,
     "unstrained length at the start, with the arcs on the sheaves; default: that of `tension`",
     NULL, TORSOR_POSITIVE},
    {"tension", TORSOR_PARAM_NUMBER, MEMBER(tension), "N", TORSOR_OPTIONAL,
     "tension at the start, in place of `unstrained`; default: 0", NULL, TORSOR_NONNEGATIVE},
    {"pay_in", TORSOR_PARAM_FUNCTION, MEMBER(rope.pay_in), "m", TORSOR_OPTIONAL,
     "unstrained length that a winch at the first station has wound in, function of t", NULL, 0},
    {0}};

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Rows of segments by the directions of the nodes and by time: unstrained length x strain at
 * constant slip, the same with slip, and the unstrained length at constant slip. */
typedef struct rope_rows {
  double stuck[ROPE_SPANS][ROPE_ROW], strain[ROPE_SPANS][ROPE_ROW], own[ROPE_SPANS][ROPE_ROW];
  double wrap[ROPE_SPANS][ROPE_ROW], slip[ROPE_SPANS][ROPE_ROW];
} rope_rows;

static void add_scaled(double *row, const relative_state *frame, const double J[6], double factor) {
  const twist scaled = tw_scale(tw_load(J), factor);
  relative_add_wrench(row, frame, scaled);
}

static double row_rate(const double *row, const double *V) {
  double sum = 0;
  for (int i = 0; i < ROPE_ROW; ++i) sum += row[i] * V[i];
  return sum;
}

/* The nodes' twists, and 1 for time. */
static void find_rates(double V[ROPE_ROW], const rope *r, const torsor_element_in *in) {
  memset(V, 0, ROPE_ROW * sizeof *V);
  for (int k = 0; k < r->nodes; ++k) tw_store(V + 6 * k, in->node[k]->V);
  V[ROPE_ROW - 1] = 1;
}

static void find_stuck(rope_rows *rows, const rope *r, const rope_now *now,
                       const rope_tensions *t) {
  memset(rows, 0, sizeof *rows);
  for (int i = 0; i < r->terms; ++i) {
    const rope_term *term = &r->term[i];
    const int j = term->segment;
    const double *J = now->span[term->span].J[term->number];
    const relative_state *frame = &now->frame[term->span];
    const double by_strain = term->by_length - (1 + t->strain[j]) * term->by_unstrained;
    add_scaled(rows->stuck[j], frame, J, by_strain);
    if (term->by_unstrained != 0) add_scaled(rows->own[j], frame, J, term->by_unstrained);
  }
  rows->own[0][ROPE_ROW - 1] = now->pay_rate;
  rows->stuck[0][ROPE_ROW - 1] = -(1 + t->strain[0]) * now->pay_rate;
  for (int k = 0; k < r->grips; ++k) {
    const int station = r->grip[k];
    const double sense = r->wheel[station].sense;
    add_scaled(rows->wrap[k], &now->frame[station], now->span[station].J[ROPE_LEAVES], sense);
    add_scaled(rows->wrap[k], &now->frame[station - 1], now->span[station - 1].J[ROPE_ARRIVES],
               -sense);
  }
}

/* Adds what slips to the rows, as `t` says. */
static void find_slipping(rope_rows *rows, const rope *r, const rope_tensions *t) {
  memcpy(rows->strain, rows->stuck, sizeof rows->strain);
  rope_slip_rates(rows->slip[0], r, t, rows->stuck[0], rows->wrap[0], ROPE_ROW);
  for (int j = 0; j < r->segments; ++j)
    for (int i = 0; i < ROPE_ROW; ++i) {
      const double in = j > 0 ? rows->slip[j - 1][i] : 0, out = j < r->grips ? rows->slip[j][i] : 0;
      rows->strain[j][i] -= (1 + t->strain[j]) * (in - out);
    }
}

/* Part of a tension by which it may be off its limit where the rope slips. */
static const double AT_LIMIT = 1e-9;

/* At the end of a step what slipped within it is just at its limit: it goes on slipping where the
 * tensions would leave the limit if it did not. */
static void find_going_on(rope_tensions *t, const rope *r, const rope_rows *rows, const double *V) {
  double stuck[ROPE_SPANS], wrap[ROPE_SPANS], slip[ROPE_SPANS];
  bool candidate[ROPE_SPANS], dropped = r->grips > 0;
  for (int j = 0; j < r->segments; ++j) stuck[j] = row_rate(rows->stuck[j], V);
  for (int k = 0; k < r->grips; ++k) {
    const double before = t->tension[k], behind = t->tension[k + 1];
    const double near = 2 * rope_round_off(r, t, k) + AT_LIMIT * fmax(before, behind);
    const double lower = fmin(before, behind), upper = fmax(before, behind);
    wrap[k] = row_rate(rows->wrap[k], V);
    candidate[k] = !t->slides[k] && upper - t->ratio[k] * lower > -near && upper > near;
    if (candidate[k]) t->slides[k] = behind > before ? 1 : -1;
  }
  for (int pass = 0; pass <= r->grips && dropped; ++pass) {
    dropped = false;
    rope_slip_rates(slip, r, t, stuck, wrap, 1);
    for (int k = 0; k < r->grips; ++k) {
      if (!candidate[k] || !t->slides[k] || t->slides[k] * slip[k] > 0) continue;
      t->slides[k] = 0;
      dropped = true;
    }
  }
}

/* ---- the rope at a motion ------------------------------------------------------------------- */

typedef struct rope_forces {
  rope_now now;
  rope_tensions t;
  rope_rows rows;
  double V[ROPE_ROW];
  double rate[ROPE_SPANS];                 /* of unstrained length x strain, m/s */
  double damping[ROPE_SPANS];              /* tension beyond the elastic one, N */
  bool cut[ROPE_SPANS];                    /* it would push */
  double weight[ROPE_SPANS][ROPE_NUMBERS]; /* generalised forces on the numbers of the spans */
} rope_forces;

static void find_weights(rope_forces *f, const rope *r) {
  memset(f->weight, 0, sizeof f->weight);
  for (int i = 0; i < r->terms; ++i) {
    const rope_term *term = &r->term[i];
    const int j = term->segment;
    const double tension = f->t.tension[j] + f->damping[j];
    const double pull = f->t.pull[j] + (1 + f->t.strain[j]) * f->damping[j];
    f->weight[term->span][term->number] += term->by_length * tension - term->by_unstrained * pull;
  }
}

static bool find_forces(rope_forces *f, const rope *r, const torsor_element_in *in, bool second) {
  if (!rope_find(&f->now, r, in, in->state, second) || !rope_solve(&f->t, r, &f->now)) return false;
  find_rates(f->V, r, in);
  find_stuck(&f->rows, r, &f->now, &f->t);
  find_going_on(&f->t, r, &f->rows, f->V);
  find_slipping(&f->rows, r, &f->t);
  for (int j = 0; j < r->segments; ++j) {
    f->rate[j] = row_rate(f->rows.strain[j], f->V);
    f->damping[j] = r->damping_time * f->t.slope[j] * f->rate[j];
    f->cut[j] = r->slack && f->t.tension[j] + f->damping[j] < 0;
    if (f->cut[j]) f->damping[j] = -f->t.tension[j];
  }
  find_weights(f, r);
  return true;
}

/* The generalised force on a span, D U[e] = force e. */
static twist span_force(const rope_forces *f, int i) {
  double sum[6] = {0};
  for (int n = 0; n < ROPE_NUMBERS; ++n)
    for (int k = 0; k < 6; ++k) sum[k] += f->weight[i][n] * f->now.span[i].J[n][k];
  return tw_load(sum);
}

/* K of the geometry at constant tensions. */
static void add_geometry(double *K, const rope_forces *f, const rope *r) {
  for (int i = 0; i < r->stations - 1; ++i) {
    double X[6][6] = {{0}};
    const twist force = span_force(f, i);
    for (int n = 0; n < ROPE_NUMBERS; ++n)
      for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) X[j][k] += f->weight[i][n] * f->now.span[i].K[n][j][k];
    relative_add_matrix(K, 6 * r->nodes, &f->now.frame[i], X, &force);
  }
}

/* The derivative of the rate of a segment's strain by the directions, at constant V, J and strain:
 * that of J V is V^T K less J ad(Wa). */
static void find_turning(double row[ROPE_ROW], const rope_forces *f, const rope *r, int j) {
  memset(row, 0, ROPE_ROW * sizeof *row);
  for (int i = 0; i < r->terms; ++i) {
    const rope_term *term = &r->term[i];
    if (term->segment != j) continue;
    const relative_state *frame = &f->now.frame[term->span];
    const rope_span *span = &f->now.span[term->span];
    const double by_strain = term->by_length - (1 + f->t.strain[j]) * term->by_unstrained;
    double V[6], turned[6];
    tw_store(V, frame->in.V);
    tw_store(turned, se3_adT_apply(frame->Wa, tw_load(span->J[term->number])));
    for (int k = 0; k < 6; ++k) {
      turned[k] *= -1;
      for (int l = 0; l < 6; ++l) turned[k] += V[l] * span->K[term->number][l][k];
    }
    add_scaled(row, frame, turned, by_strain);
  }
}

/* D(damping tension) by the directions. */
static void find_damping_row(double row[ROPE_ROW], const rope_forces *f, const rope *r, int j) {
  const double l = f->now.unstrained[j], slope = f->t.slope[j];
  const double own = row_rate(f->rows.own[j], f->V);
  find_turning(row, f, r, j);
  for (int i = 0; i < 6 * r->nodes; ++i) {
    const double strain = f->rows.strain[j][i] / l, by_own = f->rows.own[j][i];
    const double stiffer = (f->t.bend[j] * strain - slope * by_own) / l;
    row[i] = r->damping_time * (slope * (row[i] - strain * own) + stiffer * f->rate[j]);
  }
}

/* Adds the tangents of the tensions of segment j. */
static void add_segment(torsor_element_out *out, const rope_forces *f, const rope *r, int j) {
  const int n = 6 * r->nodes;
  const double slope = f->cut[j] ? 0 : f->t.slope[j], l = f->now.unstrained[j];
  const double *stuck = f->rows.stuck[j], *strain = f->rows.strain[j], *own = f->rows.own[j];
  const bool damped = r->damping_time > 0 && !f->cut[j];
  double row[ROPE_ROW];
  if (out->K && damped) find_damping_row(row, f, r, j);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      if (out->C && damped) out->C[a * n + b] += r->damping_time * slope * stuck[a] * strain[b];
      if (!out->K) continue;
      out->K[a * n + b] += slope * stuck[a] * strain[b] - f->damping[j] / l * own[a] * strain[b];
      if (damped) out->K[a * n + b] += stuck[a] * row[b];
    }
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const force_rope_data *data = self;
  const rope *r = &data->rope;
  rope_forces f;
  if (!find_forces(&f, r, in, out->K != NULL)) return TORSOR_DOMAIN;
  for (int i = 0; out->r && i < r->stations - 1; ++i)
    relative_add_wrench(out->r, &f.now.frame[i], span_force(&f, i));
  if (in->hold) memcpy(f.rows.strain, f.rows.stuck, sizeof f.rows.strain);
  if (out->K) add_geometry(out->K, &f, r);
  for (int j = 0; (out->K || out->C) && j < r->segments; ++j) add_segment(out, &f, r, j);
  return TORSOR_OK;
}

/* ---- what it keeps, its energy -------------------------------------------------------------- */

static void keep_angles(double *state, const rope *r, const rope_now *now) {
  for (int k = 0; k < r->stations; ++k) {
    state[k * ROPE_STATES + ROPE_STATE_ARRIVES] = now->arrives[k] - r->arrives[k];
    state[k * ROPE_STATES + ROPE_STATE_LEAVES] = now->leaves[k] - r->leaves[k];
  }
}

static void begin(const void *self, const torsor_element_in *in, double *state) {
  const force_rope_data *data = self;
  const rope *r = &data->rope;
  rope_now now;
  memset(state, 0, (size_t)(ROPE_STATES * r->stations) * sizeof *state);
  if (rope_find(&now, r, in, NULL, false)) keep_angles(state, r, &now);
}

static void advance(const void *self, const torsor_element_in *in, double *state) {
  const force_rope_data *data = self;
  const rope *r = &data->rope;
  rope_now now;
  rope_tensions t;
  memcpy(state, in->state, (size_t)(ROPE_STATES * r->stations) * sizeof *state);
  if (!rope_find(&now, r, in, in->state, false)) return;
  keep_angles(state, r, &now);
  rope_solve(&t, r, &now);
  for (int k = 0; k < r->grips; ++k)
    state[r->grip[k] * ROPE_STATES + ROPE_STATE_SLIPPED] += t.slip[k];
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_rope_data *data = self;
  rope_now now;
  rope_tensions t;
  if (!rope_find(&now, &data->rope, in, in->state, false)) return;
  rope_solve(&t, &data->rope, &now);
  for (int j = 0; j < data->rope.segments; ++j) sum->elastic += t.energy[j];
}

/* The power of the damping, and that of the friction: the difference of the pulls times the rate
 * of the slip. */
static double loss(const void *self, const torsor_element_in *in) {
  const force_rope_data *data = self;
  const rope *r = &data->rope;
  rope_forces f;
  double power = 0;
  if (!find_forces(&f, r, in, false)) return 0;
  for (int j = 0; j < r->segments; ++j) power += f.damping[j] * row_rate(f.rows.stuck[j], f.V);
  for (int k = 0; k < r->grips; ++k)
    power += row_rate(f.rows.slip[k], f.V) * (f.t.pull[k + 1] - f.t.pull[k]);
  return power;
}

static double supply(const void *self, const torsor_element_in *in) {
  const force_rope_data *data = self;
  rope_forces f;
  if (!data->rope.pay_in.eval || !find_forces(&f, &data->rope, in, false)) return 0;
  return -f.now.pay_rate * (f.t.pull[0] + (1 + f.t.strain[0]) * f.damping[0]);
}

static const char *obstacle(const void *self) {
  const force_rope_data *data = self;
  if (data->rope.grips) return "has friction";
  return data->rope.damping_time > 0 ? "has damping" : NULL;
}

/* ---- signals --------------------------------------------------------------------------------- */

static const torsor_output outputs[] = {{"tension", "N", "largest tension, damping included", 1},
                                        {"length", "m", "length along the path, with the arcs", 1},
                                        {"unstrained", "m", "unstrained length of that", 1},
                                        {"loss", "W", "power of damping and friction", 1},
                                        {"supply", "W", "power of the winch", 1},
                                        {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const force_rope_data *data = self;
  const rope *r = &data->rope;
  rope_forces f;
  for (int i = 0; i < 5; ++i) values[i] = 0;
  if (!find_forces(&f, r, in, false)) return;
  for (int j = 0; j < r->segments; ++j) {
    const double tension = f.t.tension[j] + f.damping[j];
    values[0] = j ? fmax(values[0], tension) : tension;
    values[1] += f.now.length[j];
    values[2] += f.now.unstrained[j];
  }
  values[3] = loss(self, in);
  values[4] = supply(self, in);
}

static const char *span_name(const void *self, int k) {
  static const char *const names[] = {"0", "1", "2",  "3",  "4",  "5",  "6", "7",
                                      "8", "9", "10", "11", "12", "13", "14"};
  const force_rope_data *data = self;
  return k < data->rope.stations - 1 ? names[k] : NULL;
}

static void output_span(const void *self, const torsor_element_in *in, int k, double *values) {
  const force_rope_data *data = self;
  const rope *r = &data->rope;
  rope_forces f;
  for (int i = 0; i < 11; ++i) values[i] = 0;
  if (!find_forces(&f, r, in, false)) return;
  const int j = r->segment_of[k];
  const m3 Rb = relative_axes_b(&r->span[k], in),
           Ra = m3_mul(Rb, m3_transpose(f.now.frame[k].in.R));
  const torsor_motion *node = r->span[k].side_b < 0 ? NULL : in->node[r->span[k].side_b];
  const v3 xb = node ? v3_add(node->x, m3_mulv(node->R, r->span[k].b.x)) : r->span[k].b.x0;
  const v3 xa = v3_sub(xb, m3_mulv(Ra, f.now.frame[k].in.p));
  values[0] = f.t.tension[j] + f.damping[j];
  values[1] = f.now.span[k].value[ROPE_LENGTH];
  values[2] = f.now.wrap[k + 1];
  for (int g = 0; g < r->grips; ++g)
    if (r->grip[g] == k + 1)
      values[3] =
          f.t.slip[g] + (in->state ? in->state[(k + 1) * ROPE_STATES + ROPE_STATE_SLIPPED] : 0);
  values[4] = asin(fmin(f.now.span[k].fleet, 1));
  v3_store(values + 5, v3_add(xa, m3_mulv(Ra, f.now.span[k].from)));
  v3_store(values + 8, v3_add(xb, m3_mulv(Rb, f.now.span[k].to)));
}

static const char *const span_components[] = {"tension", "length", "wrap",   "slipped",
                                              "fleet",   "from.x", "from.y", "from.z",
                                              "to.x",    "to.y",   "to.z",   NULL};
static const char *const span_units[] = {"N", "m", "rad", "m", "rad", "m", "m", "m", "m", "m", "m"};

static const torsor_place_outputs spans = {
    .name = "span",
    .unit = "N, m, rad",
    .units = span_units,
    .doc = "spans are counted from 0: tension, length of the free part, wrap of the sheave at its "
           "end and what has slipped there, largest fleet angle, tangent points, inertial axes",
    .component = span_components,
    .place = span_name,
    .output = output_span,
};

/* Fleet angles that wear ropes, and wraps that are probably meant the other way round. */
static const double LARGE_FLEET = 0.069756473744125302, LARGE_WRAP = 4.71238898038469;

static const char *remark(const void *self, const torsor_element_in *in) {
  const force_rope_data *data = self;
  const rope *r = &data->rope;
  rope_now now;
  if (!rope_find(&now, r, in, in->state, false)) return NULL;
  for (int k = 1; k < r->stations - 1; ++k)
    if (!data->path.station[k].turns && now.wrap[k] > LARGE_WRAP)
      return "wraps a sheave by more than 270 degrees: its \"sense\" may be the opposite";
  for (int i = 0; i < r->stations - 1; ++i)
    if (now.span[i].fleet > LARGE_FLEET)
      return "meets a sheave at a fleet angle of more than 4 degrees: turn its axis";
  return NULL;
}

/* ---- the type -------------------------------------------------------------------------------- */

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_rope_data *data = self;
  if (!torsor_absent_number(data->unstrained) && !torsor_absent_number(data->tension)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has \"unstrained\" and \"tension\"", setup->name);
    torsor_hint(error, "leave one of them out: each gives the other");
    return TORSOR_SCENE;
  }
  const double tension = torsor_absent_number(data->tension) ? 0 : data->tension;
  return rope_prepare(&data->rope, &data->path, data->unstrained, tension, setup, error);
}

const torsor_element_type force_rope = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "rope",
    .title = "rope over sheaves, with friction and a winch",
    .doc =
        "tension T = EA (L/l - 1) + damping_time d/dt(EA (L/l - 1)), not below 0 where `slack`, L "
        "the\n"
        "length along the path and l the unstrained length, of each part between two sheaves that "
        "grip\n"
        "or an end.  Elastic energy: EA (L - l)^2/(2 l); the forces are its gradient, so that a "
        "sheave\n"
        "or drum that grips bears (T + T^2/(2 EA)) R on either side.  The rope has no mass.\n"
        "It leaves and arrives where its projection to a sheave's plane is tangent; angles count "
        "over\n"
        "many turns.  A sheave without friction only leads it; one with friction mu or bending w "
        "grips\n"
        "it, turning with its body, up to the ratio exp(mu wrap) (1 + w) of the tensions on both "
        "sides,\n"
        "and keeps this ratio where it slips (return map; Euler, Eytelwein).\n"
        "A winch at the first station takes `pay_in` of unstrained length in; a drum takes R times "
        "its\n"
        "rotation.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"load\","
        " \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.3], \"position\":"
        " [0.3, 0.1, -2]}, {\"name\": \"sheave\", \"type\": \"rigid_body\", \"mass\": 1,"
        " \"inertia\": [0.1, 0.1, 0.2], \"position\": [0, 0, 0.1]}, {\"name\": \"weight\", "
        "\"type\":"
        " \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [-0.4, 0, "
        "-1]}],"
        " \"forces\": [{\"name\": \"hoist\", \"type\": \"rope\", \"EA\": 30, \"damping_time\":"
        " 0.01, \"tension\": 20, \"path\": [{\"end\": {\"body\": \"load\","
        " \"position\": [0, 0.1, 0.2]}}, {\"sheave\": \"sheave\", \"axis\": [0.1, 1, 0.05],"
        " \"radius\": 0.3, \"sense\": -1, \"friction\": 2}, {\"end\": \"weight\"}]}]}",
    .size = sizeof(force_rope_data),
    .params = params,
    .prepare = prepare,
    .eval = eval,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .outputs = {.list = outputs, .eval = output, .places = &spans},
    .energy = {.balance = balance, .loss = loss, .supply = supply, .obstacle = obstacle},
    .look.symbol = TORSOR_SYMBOL_ROPE,
    .limits = {.range = "ends outside of its sheaves, wraps above 0 and fleet angles below 45 "
                        "degrees",
               .advice = "the rope has left a sheave, run out, or come too close: change the path "
                         "or its lengths, or take a smaller step",
               .remark = remark},
    .history = {begin, advance},
};
