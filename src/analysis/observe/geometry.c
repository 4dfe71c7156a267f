/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/geometry.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/path.h>

#include "assembly/model/model.h"

/* ---- lists ---------------------------------------------------------------------------------- */

/* A geometry that is being made; lists are full at powers of two. */
typedef struct making {
  torsor_geometry *g;
  const torsor_model *model;
  int element; /* element that draws itself */
  bool failed; /* memory is short */
} making;

/* Makes room for one more item behind `count` ones; returns NULL without memory. */
static void *grow(making *m, void **items, int *count, size_t item) {
  const int n = *count;
  if (m->failed) return NULL;
  if ((n & (n - 1)) == 0) {
    void *moved = realloc(*items, (n ? 2 * (size_t)n : 1) * item);
    if (!moved) {
      m->failed = true;
      return NULL;
    }
    *items = moved;
  }
  ++*count;
  return memset((char *)*items + (size_t)n * item, 0, item);
}

#define GROW(m, list, count) grow((m), (void **)&(m)->g->list, &(m)->g->count, sizeof *(m)->g->list)

/* ---- nodes ---------------------------------------------------------------------------------- */

static void add_nodes(making *m) {
  for (int i = 0; i < m->model->node_count; ++i) {
    const model_node *node = &m->model->node[i];
    torsor_geometry_node *out = GROW(m, node, nodes);
    if (!out) return;
    *out = (torsor_geometry_node){.element = node->element,
                                  .point = node->init.group == TORSOR_GROUP_R3,
                                  .abstract = node->init.abstract,
                                  .start = node->init.frame};
  }
}

static se3 frame_of(const torsor_geometry *g, int node, se3 own) {
  return node < 0 ? own : se3_compose(g->node[node].start, own);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static void add_solid(making *m, int element, int node, const torsor_solid *solid) {
  torsor_geometry_solid *out = GROW(m, solid, solids);
  if (out) *out = (torsor_geometry_solid){node, element, *solid};
}

static void draw_solid(void *self, int node, const torsor_solid *solid) {
  making *m = self;
  add_solid(m, m->element, m->model->element[m->element].node[node], solid);
}

static void draw_piece(void *self, const torsor_outline outline[2], bool framed) {
  making *m = self;
  const int *node = m->model->element[m->element].node;
  torsor_geometry_piece *out = GROW(m, piece, pieces);
  if (out)
    *out =
        (torsor_geometry_piece){m->element, {node[0], node[1]}, {outline[0], outline[1]}, framed};
}

static void draw_line(void *self, int a, int b) {
  making *m = self;
  const int *node = m->model->element[m->element].node;
  torsor_geometry_line *out = GROW(m, line, lines);
  if (out) *out = (torsor_geometry_line){m->element, {node[a], node[b]}};
}

static void add_bodies(making *m) {
  const torsor_drawing to = {m, draw_solid, draw_piece, draw_line};
  for (int i = 0; i < m->model->ground_solids; ++i)
    add_solid(m, -1, TORSOR_GROUND, &m->model->ground_solid[i]);
  for (m->element = 0; m->element < m->model->element_count; ++m->element) {
    const model_element *e = &m->model->element[m->element];
    for (int i = 0; e->shaped && i < e->solids; ++i)
      add_solid(m, m->element, e->node[0], &e->solid[i]);
    if (!e->shaped && e->type->look.draw) e->type->look.draw(e->instance, &to);
  }
}

/* Returns the name of the chain that the node is in, or that of the element. */
static const char *strand_name(const torsor_model *model, const torsor_geometry_piece *piece) {
  for (const model_chain *c = model->chain; c; c = c->next) {
    const torsor_chain *chain = &c->nodes;
    if (!chain->edge && piece->node[0] >= chain->node[0] &&
        piece->node[0] <= chain->node[chain->count - 1])
      return c->name;
  }
  return model->element[piece->element].name;
}

static void add_strands(making *m) {
  torsor_geometry *g = m->g;
  for (int i = 0; i < g->pieces; ++i) {
    if (i && g->piece[i].node[0] == g->piece[i - 1].node[1]) {
      ++g->strand[g->strands - 1].pieces;
      continue;
    }
    torsor_geometry_strand *strand = GROW(m, strand, strands);
    if (!strand) return;
    *strand = (torsor_geometry_strand){strand_name(m->model, &g->piece[i]), i, 1};
  }
}

/* ---- joints and forces ---------------------------------------------------------------------- */

static void add_marker(making *m, const char *key, const torsor_marker *marker) {
  torsor_geometry_marker *out = GROW(m, marker, markers);
  if (out)
    *out = (torsor_geometry_marker){
        .key = key, .node = marker->node, .frame = {so3_from_matrix(marker->R), marker->x}};
}

/* The stations of a rope, their axes along z. */
static void add_path(making *m, const torsor_path *path) {
  for (int k = 0; k < path->count; ++k) {
    const torsor_station *station = &path->station[k];
    torsor_marker marker = station->marker;
    if (station->kind != TORSOR_STATION_END)
      marker.R = m3_mul(marker.R, torsor_station_axes(station));
    add_marker(m, "station", &marker);
    if (m->failed || station->kind == TORSOR_STATION_END) continue;
    m->g->marker[m->g->markers - 1].radius = station->radius;
    m->g->marker[m->g->markers - 1].sense = station->sense;
  }
}

/* Takes from a parameter the position of a link. */
static void take_param(making *m, torsor_geometry_link *link, const torsor_param *param,
                       const char *member) {
  const torsor_marker *marker = (const void *)member;
  const v3 *axis = (const void *)member;
  const torsor_coordinate_ref *on = (const void *)member;
  if (param->kind == TORSOR_PARAM_MARKER && !torsor_absent_number(marker->R.m[0][0])) {
    add_marker(m, param->key, marker);
    ++link->markers;
  }
  if (param->kind == TORSOR_PARAM_PATH) {
    const torsor_path *path = (const void *)member;
    add_path(m, path);
    link->markers += path->count;
  }
  if (param->kind == TORSOR_PARAM_DIRECTION && link->axes < 2 && !torsor_absent_vector(*axis))
    link->axis[link->axes++] = *axis;
  if (param->kind == TORSOR_PARAM_COORDINATE && link->on < 0 && on->joint) link->on = on->element;
}

static void add_links(making *m) {
  for (int i = 0; i < m->model->element_count && !m->failed; ++i) {
    const model_element *e = &m->model->element[i];
    if (e->type->kind == TORSOR_BODY) continue;
    torsor_geometry_link link = {
        .element = i, .symbol = e->type->look.symbol, .first_marker = m->g->markers, .on = -1};
    for (const torsor_param *p = e->type->params; p->key; ++p)
      take_param(m, &link, p, (const char *)e->instance + p->offset);
    if (!link.markers && link.on < 0) continue;
    torsor_geometry_link *out = GROW(m, link, links);
    if (out) *out = link;
  }
}

/* ---- sizes ---------------------------------------------------------------------------------- */

typedef struct box {
  v3 low, high;
} box;

static void box_add(box *b, v3 x, double radius) {
  b->low = (v3){fmin(b->low.x, x.x - radius), fmin(b->low.y, x.y - radius),
                fmin(b->low.z, x.z - radius)};
  b->high = (v3){fmax(b->high.x, x.x + radius), fmax(b->high.y, x.y + radius),
                 fmax(b->high.z, x.z + radius)};
}

static double largest_extent(v3 size) {
  return fmax(size.x, fmax(size.y, size.z));
}

/* Returns the diagonal of a box around everything of a known size or, where that is a point, the
 * size of the largest solid. */
static double find_scale(const torsor_geometry *g) {
  box b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  double guessed = 0;
  for (int i = 0; i < g->nodes; ++i)
    if (!g->node[i].abstract) box_add(&b, g->node[i].start.x, 0);
  for (int i = 0; i < g->markers; ++i)
    box_add(&b, frame_of(g, g->marker[i].node, g->marker[i].frame).x, 0);
  for (int i = 0; i < g->solids; ++i) {
    const torsor_solid *solid = &g->solid[i].solid;
    if (solid->guessed)
      guessed = fmax(guessed, largest_extent(solid->size));
    else if (g->solid[i].node >= 0)
      box_add(&b, frame_of(g, g->solid[i].node, solid->frame).x, v3_norm(solid->size) / 2);
  }
  const double diagonal = v3_norm(v3_sub(b.high, b.low));
  if (diagonal > 0 && diagonal < HUGE_VAL) return diagonal;
  return guessed > 0 ? guessed : 1;
}

/* Returns, for each node, the largest distance of its markers from its origin; a fraction of the
 * whole where all markers are there. */
static double *find_reach(const torsor_geometry *g) {
  double *reach = calloc((size_t)g->nodes + 1, sizeof *reach);
  for (int i = 0; reach && i < g->markers; ++i) {
    const torsor_geometry_marker *marker = &g->marker[i];
    if (marker->node >= 0)
      reach[marker->node] = fmax(reach[marker->node], v3_norm(marker->frame.x));
  }
  for (int i = 0; reach && i < g->nodes; ++i)
    if (!(reach[i] > 0)) reach[i] = 3 * g->scale / (g->nodes + 2);
  return reach;
}

/* A guessed size is kept where it can be seen and hides nothing. */
static void fit_solid(torsor_solid *solid, double reach, bool point) {
  const double extent = largest_extent(solid->size), most = (point ? 0.3 : 2) * reach;
  const double least = 0.06 * reach;
  const double wanted = fmin(fmax(extent, least), most);
  if (!(extent > 0)) solid->size = (v3){wanted, wanted, wanted};
  if (extent > 0) solid->size = v3_scale(solid->size, wanted / extent);
  const double thin = least / 2;
  solid->size =
      (v3){fmax(solid->size.x, thin), fmax(solid->size.y, thin), fmax(solid->size.z, thin)};
}

static void fit_solids(making *m) {
  torsor_geometry *g = m->g;
  double *reach = find_reach(g);
  m->failed |= !reach;
  for (int i = 0; reach && i < g->solids; ++i) {
    const int node = g->solid[i].node;
    if (g->solid[i].solid.guessed) fit_solid(&g->solid[i].solid, reach[node], g->node[node].point);
  }
  free(reach);
}

static double strand_length(const torsor_geometry *g, const torsor_geometry_strand *strand) {
  double length = 0;
  for (int i = 0; i < strand->pieces; ++i) {
    const int *node = g->piece[strand->first_piece + i].node;
    length += v3_norm(v3_sub(g->node[node[1]].start.x, g->node[node[0]].start.x));
  }
  return length;
}

/* A guessed section is kept between 1/400 and 1/10 of the length. */
static void fit_outline(torsor_outline *outline, double length) {
  const bool round = outline->shape == TORSOR_SHAPE_CIRCLE;
  const double least = length / (round ? 800 : 400), most = length / (round ? 20 : 10);
  for (int i = 0; i < TORSOR_SECTION_SIZES; ++i)
    outline->size[i] = fmin(fmax(outline->size[i], least), most);
}

static void fit_strands(torsor_geometry *g) {
  for (int i = 0; i < g->strands; ++i) {
    const torsor_geometry_strand *strand = &g->strand[i];
    const double length = strand_length(g, strand);
    for (int k = 0; k < strand->pieces; ++k)
      for (int end = 0; end < 2; ++end) {
        torsor_outline *outline = &g->piece[strand->first_piece + k].outline[end];
        if (outline->guessed) fit_outline(outline, length);
      }
  }
}

/* ---- all of it ------------------------------------------------------------------------------ */

void torsor_geometry_destroy(torsor_geometry *g) {
  free(g->node);
  free(g->solid);
  free(g->strand);
  free(g->piece);
  free(g->line);
  free(g->link);
  free(g->marker);
  *g = (torsor_geometry){0};
}

torsor_status torsor_geometry_create(torsor_geometry *out, const torsor_model *model,
                                     torsor_error *error) {
  const v3 gravity = model->gravity;
  making m = {.g = out, .model = model};
  *out = (torsor_geometry){.up = v3_norm(gravity) > 0 ? v3_unit(v3_neg(gravity)) : (v3){0, 0, 1}};
  add_nodes(&m);
  add_bodies(&m);
  add_strands(&m);
  add_links(&m);
  if (!m.failed) {
    out->scale = find_scale(out);
    fit_solids(&m);
    fit_strands(out);
  }
  if (!m.failed) return TORSOR_OK;
  torsor_geometry_destroy(out);
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}
