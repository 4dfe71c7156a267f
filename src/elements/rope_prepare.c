/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/rope_prepare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <torsor/path.h>

static const double turn = 6.283185307179586, degree = 0.017453292519943295;

static const char *const station_words[] = {"end", "sheave", "drum"};

/* Everything that messages need. */
typedef struct making {
  rope *r;
  const torsor_path *path;
  torsor_setup *setup;
  torsor_error *error;
} making;

static torsor_status fail(const making *m, const char *hint, const char *what) {
  torsor_fail(m->error, TORSOR_SCENE, "\"%s\" %s", m->setup->name, what);
  torsor_hint(m->error, "%s", hint);
  return TORSOR_SCENE;
}

/* ---- stations -------------------------------------------------------------------------------- */

static torsor_status check_order(const making *m) {
  const torsor_path *path = m->path;
  char text[160];
  if (path->count < 2 || path->count > ROPE_STATIONS) {
    snprintf(text, sizeof text, "has a path of %d stations, but takes 2 to %d", path->count,
             ROPE_STATIONS);
    return fail(m, "a path begins and ends with \"end\" or \"drum\"; sheaves are between", text);
  }
  for (int k = 0; k < path->count; ++k) {
    const bool outer = k == 0 || k == path->count - 1;
    const bool sheave = path->station[k].kind == TORSOR_STATION_SHEAVE;
    if (outer != sheave) continue;
    snprintf(text, sizeof text, "has the %s %d of its path %s",
             station_words[path->station[k].kind], k, outer ? "at its end" : "between its ends");
    return fail(m, "a path begins and ends with \"end\" or \"drum\"; sheaves are between", text);
  }
  return TORSOR_OK;
}

static int find_side(torsor_setup *setup, int node) {
  if (node == TORSOR_GROUND) return -1;
  for (int k = 0; k < setup->nodes; ++k)
    if (setup->node[k] == node) return k;
  if (setup->nodes == TORSOR_ELEMENT_NODES) return -2;
  setup->node[setup->nodes] = node;
  return setup->nodes++;
}

/* The marker of a station, its axis along z. */
static torsor_marker station_marker(const torsor_station *station) {
  torsor_marker marker = station->marker;
  if (station->kind == TORSOR_STATION_END) return marker;
  const m3 axes = torsor_station_axes(station);
  marker.R = m3_mul(marker.R, axes);
  marker.R0 = m3_mul(marker.R0, axes);
  return marker;
}

static torsor_status make_stations(const making *m) {
  rope *r = m->r;
  int side[ROPE_STATIONS];
  r->stations = m->path->count;
  r->terms = r->grips = 0;
  for (int k = 0; k < r->stations; ++k) {
    const torsor_station *station = &m->path->station[k];
    const torsor_marker marker = station_marker(station);
    const bool wheel = station->kind != TORSOR_STATION_END;
    side[k] = find_side(m->setup, marker.node);
    if (side[k] < -1) {
      char text[80];
      snprintf(text, sizeof text, "has a path over more than %d bodies", TORSOR_ELEMENT_NODES);
      return fail(m,
                  "sheaves without friction need no body of their own: let their block or the "
                  "ground carry them",
                  text);
    }
    r->wheel[k] = (rope_wheel){wheel ? station->radius : 0, wheel ? station->sense : 0};
    r->friction[k] = station->friction;
    r->bending[k] = station->bending;
    if (k > 0) r->span[k - 1].b = marker;
    if (k < r->stations - 1) r->span[k].a = marker;
    const double arm = v3_norm(marker.node == TORSOR_GROUND ? marker.x0 : marker.x);
    m->setup->length = fmax(m->setup->length, arm + r->wheel[k].radius);
  }
  for (int i = 0; i < r->stations - 1; ++i) {
    r->span[i].side_a = side[i];
    r->span[i].side_b = side[i + 1];
  }
  r->nodes = m->setup->nodes;
  if (r->nodes) return TORSOR_OK;
  return fail(m, "let it pull at a body", "has a path of the ground alone");
}

/* ---- segments -------------------------------------------------------------------------------- */

static void add_term(rope *r, int segment, int span, int number, double by_length,
                     double by_unstrained) {
  r->term[r->terms++] = (rope_term){segment, span, number, by_length, by_unstrained};
}

/* The angle at which the rope leaves a wheel, or arrives there: `side` 1 or -1.  On a sheave the
 * unstrained length that has run over it is less by R x (mean of both angles); that on a drum is
 * less by what is wound. */
static void add_angle(rope *r, int station, int side, bool grips) {
  const double half = r->wheel[station].sense * r->wheel[station].radius / 2;
  const int span = side > 0 ? station : station - 1, segment = r->segment_of[span];
  const int number = side > 0 ? ROPE_LEAVES : ROPE_ARRIVES;
  if (station == 0 || station == r->stations - 1) {
    add_term(r, segment, span, number, 0, -2 * side * half);
  } else if (grips) {
    const int before = r->segment_of[station - 1];
    add_term(r, before, span, number, side * half, half);
    add_term(r, before + 1, span, number, side * half, -half);
  } else {
    add_term(r, segment, span, number, 2 * side * half, 0);
  }
}

static bool grips(const rope *r, int station) {
  return r->friction[station] > 0 || r->bending[station] > 0;
}

static void make_segments(rope *r) {
  r->segments = 1;
  for (int i = 0; i < r->stations - 1; ++i) {
    if (i > 0 && grips(r, i)) {
      r->grip[r->grips++] = i;
      ++r->segments;
    }
    r->segment_of[i] = r->segments - 1;
  }
  for (int i = 0; i < r->stations - 1; ++i) {
    add_term(r, r->segment_of[i], i, ROPE_LENGTH, 1, 0);
    if (r->wheel[i].radius > 0) add_angle(r, i, 1, i > 0 && grips(r, i));
    if (r->wheel[i + 1].radius > 0) add_angle(r, i + 1, -1, i + 2 < r->stations && grips(r, i + 1));
  }
}

/* ---- the start ------------------------------------------------------------------------------- */

static void place_at(m3 *R, v3 *p, const torsor_joint *span) {
  *R = m3_tmul(span->a.R0, span->b.R0);
  *p = m3_tmulv(span->a.R0, v3_sub(span->b.x0, span->a.x0));
}

/* Why there is no span: the end of one is inside of the other, or the sheaves overlap. */
static torsor_status fail_span(const making *m, int i) {
  const rope *r = m->r;
  char text[200];
  m3 R;
  v3 p;
  place_at(&R, &p, &r->span[i]);
  const v3 back = m3_tmulv(R, p);
  const double away_a = hypot(p.x, p.y), away_b = hypot(back.x, back.y);
  const bool wheel_a = r->wheel[i].radius > 0, wheel_b = r->wheel[i + 1].radius > 0;
  if (!wheel_a && !wheel_b) {
    snprintf(text, sizeof text, "has its stations %d and %d in one place", i, i + 1);
    return fail(m, "move one of them", text);
  }
  if (wheel_a && wheel_b) {
    snprintf(text, sizeof text,
             "has no tangent between the sheaves %d and %d of its path: their axes are %.4g m "
             "apart, their radii are %.4g m and %.4g m",
             i, i + 1, v3_norm(p), r->wheel[i].radius, r->wheel[i + 1].radius);
    return fail(m, "move them apart, or make them smaller", text);
  }
  snprintf(text, sizeof text,
           "has the station %d of its path inside of sheave %d (%.4g m from its axis, radius %.4g "
           "m)",
           wheel_a ? i + 1 : i, wheel_a ? i : i + 1, wheel_a ? away_a : away_b,
           wheel_a ? r->wheel[i].radius : r->wheel[i + 1].radius);
  return fail(m, "the rope touches a sheave at tangents from outside", text);
}

static torsor_status find_start(const making *m, double length[ROPE_SPANS]) {
  rope *r = m->r;
  double arrives = 0, value[ROPE_SPANS][ROPE_NUMBERS];
  for (int i = 0; i < r->stations - 1; ++i) {
    rope_span span;
    m3 R;
    v3 p;
    place_at(&R, &p, &r->span[i]);
    if (!rope_span_find(&span, &r->wheel[i], &r->wheel[i + 1], &R, p, false))
      return fail_span(m, i);
    if (span.fleet > ROPE_FLEET) {
      char text[120];
      snprintf(text, sizeof text, "has a fleet angle of %.3g degrees between stations %d and %d",
               asin(fmin(span.fleet, 1)) / degree, i, i + 1);
      return fail(m, "turn the axes of the sheaves, so that the rope stays in their planes", text);
    }
    double wrap = r->wheel[i].sense * (span.value[ROPE_LEAVES] - arrives);
    wrap -= turn * floor(wrap / turn);
    if (i > 0) wrap += turn * m->path->station[i].turns;
    r->arrives[i] = arrives;
    r->leaves[i] = i > 0 ? arrives + r->wheel[i].sense * wrap : span.value[ROPE_LEAVES];
    arrives = span.value[ROPE_ARRIVES];
    value[i][ROPE_LENGTH] = span.value[ROPE_LENGTH];
    value[i][ROPE_LEAVES] = r->leaves[i];
    value[i][ROPE_ARRIVES] = arrives;
  }
  r->arrives[r->stations - 1] = arrives;
  for (int i = 0; i < r->terms; ++i) {
    const rope_term *t = &r->term[i];
    length[t->segment] += t->by_length * value[t->span][t->number];
  }
  return TORSOR_OK;
}

/* The unstrained lengths with which all segments have the same strain. */
static torsor_status make_lengths(const making *m, const double length[ROPE_SPANS],
                                  double unstrained, double tension) {
  rope *r = m->r;
  double all = 0, strain = tension / r->stiffness;
  for (int j = 0; j < r->segments; ++j) all += length[j];
  if (!torsor_absent_number(unstrained)) strain = all / unstrained - 1;
  for (int j = 0; j < r->segments; ++j) r->unstrained[j] = length[j] / (1 + strain);
  return TORSOR_OK;
}

torsor_status rope_prepare(rope *r, const torsor_path *path, double length, double tension,
                           torsor_setup *setup, torsor_error *error) {
  const making m = {r, path, setup, error};
  double start[ROPE_SPANS] = {0};
  torsor_status status = check_order(&m);
  if (!status) status = make_stations(&m);
  if (status) return status;
  make_segments(r);
  if (r->grips && !r->slack)
    return fail(&m, "leave out \"slack\": false, or \"friction\" and \"bending\"",
                "may push, but friction on sheaves needs a rope that pulls");
  status = find_start(&m, start);
  setup->states = ROPE_STATES * r->stations;
  return status ? status : make_lengths(&m, start, length, tension);
}
