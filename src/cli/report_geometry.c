/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_geometry.h"

#include <math.h>
#include <stdlib.h>

#include <torsor/geometry.h>

#include "cli/cli.h"

/* Numbers of the head need no more digits than a screen shows. */
static void append_short(text *t, double x) {
  text_printf(t, "%.7g", isfinite(x) ? x : 0);
}

static void append_numbers(text *t, const char *key, const double *x, int count) {
  json_key(t, key);
  text_append(t, "[");
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? "," : "");
    append_short(t, x[i]);
  }
  text_append(t, "]");
}

static void append_vector(text *t, const char *key, v3 x) {
  append_numbers(t, key, (double[]){x.x, x.y, x.z}, 3);
}

static void append_place(text *t, int node, se3 frame) {
  json_count(t, "node", node == TORSOR_GROUND ? -1 : node);
  append_vector(t, "position", frame.x);
  append_numbers(t, "quaternion", (double[]){frame.R.w, frame.R.x, frame.R.y, frame.R.z}, 4);
}

static void begin_list(text *t, const char *key) {
  json_key(t, key);
  text_append(t, "[");
}

static void begin_item(text *t) {
  const char last = t->length ? t->data[t->length - 1] : '\0';
  text_append(t, last == '[' ? "\n{" : ",\n{");
}

/* ---- bodies -------------------------------------------------------------------------------- */

static void append_body(text *t, const char *name, int node) {
  begin_item(t);
  json_text(t, "name", name);
  json_count(t, "node", node);
  text_append(t, "}");
}

/* Lists the nodes that the viewer can follow: the ends of beams and the first nodes of other
 * bodies. */
static torsor_status append_bodies(text *t, const torsor_geometry *g, const torsor_model *model) {
  bool *strung = calloc((size_t)g->nodes + 1, sizeof *strung);
  if (!strung) return TORSOR_MEMORY;
  begin_list(t, "bodies");
  for (int i = 0; i < g->pieces; ++i)
    for (int k = 0; k < 2; ++k) strung[g->piece[i].node[k]] = true;
  for (int i = 0; i < g->strands; ++i) {
    const torsor_geometry_strand *s = &g->strand[i];
    if (s->pieces > 0) append_body(t, s->name, g->piece[s->first_piece + s->pieces - 1].node[1]);
  }
  for (int i = 0; i < g->nodes; ++i) {
    const bool first = i == 0 || g->node[i - 1].element != g->node[i].element;
    if (first && !strung[i] && !g->node[i].abstract)
      append_body(t, torsor_model_element_name(model, g->node[i].element), i);
  }
  text_append(t, "]");
  free(strung);
  return TORSOR_OK;
}

static void append_solids(text *t, const torsor_geometry *g, const torsor_model *model) {
  begin_list(t, "solids");
  for (int i = 0; i < g->solids; ++i) {
    const torsor_geometry_solid *s = &g->solid[i];
    begin_item(t);
    json_text(t, "name", s->element < 0 ? "ground" : torsor_model_element_name(model, s->element));
    json_text(t, "kind", torsor_solid_name(s->solid.kind));
    append_place(t, s->node, s->solid.frame);
    append_vector(t, "size", s->solid.size);
    if (!isnan(s->solid.color.x)) append_vector(t, "rgb", s->solid.color);
    if (s->solid.guessed) json_bool(t, "guessed", true);
    text_append(t, "}");
  }
  text_append(t, "]");
}

/* ---- beams --------------------------------------------------------------------------------- */

static void append_loop(text *t, const torsor_outline *outline, int loop) {
  double yz[TORSOR_OUTLINE_POINTS][2];
  const int count = torsor_outline_points(yz, outline, loop);
  text_append(t, "[");
  for (int i = 0; i < count; ++i) {
    text_append(t, i ? ",[" : "[");
    append_short(t, yz[i][0]);
    text_append(t, ",");
    append_short(t, yz[i][1]);
    text_append(t, "]");
  }
  text_append(t, "]");
}

static bool is_same(const torsor_outline *a, const torsor_outline *b) {
  bool same = a->shape == b->shape;
  for (int i = 0; i < TORSOR_SECTION_SIZES; ++i)
    same = same && !(fabs(a->size[i] - b->size[i]) > 0);
  return same;
}

/* One loop where the section is the same all along, else one for each node. */
static void append_loops(text *t, const char *key, const torsor_geometry_piece *piece, int pieces,
                         int loop) {
  double yz[TORSOR_OUTLINE_POINTS][2];
  if (torsor_outline_points(yz, &piece[0].outline[0], loop) == 0) return;
  bool same = true;
  for (int i = 0; i < pieces; ++i)
    same = same && is_same(&piece[i].outline[0], &piece[0].outline[0]) &&
           is_same(&piece[i].outline[1], &piece[0].outline[0]);
  begin_list(t, key);
  append_loop(t, &piece[0].outline[0], loop);
  for (int i = 0; i < pieces && !same; ++i) {
    text_append(t, ",");
    append_loop(t, &piece[i].outline[1], loop);
  }
  text_append(t, "]");
}

static void append_strands(text *t, const torsor_geometry *g) {
  begin_list(t, "beams");
  for (int i = 0; i < g->strands; ++i) {
    const torsor_geometry_strand *s = &g->strand[i];
    const torsor_geometry_piece *piece = g->piece + s->first_piece;
    if (s->pieces == 0) continue;
    begin_item(t);
    json_text(t, "name", s->name);
    json_bool(t, "framed", piece->framed);
    json_key(t, "nodes");
    text_printf(t, "[%d", piece->node[0]);
    for (int k = 0; k < s->pieces; ++k) text_printf(t, ",%d", piece[k].node[1]);
    text_append(t, "]");
    append_loops(t, "outlines", piece, s->pieces, 0);
    append_loops(t, "holes", piece, s->pieces, 1);
    text_append(t, "}");
  }
  text_append(t, "]");
  begin_list(t, "lines");
  for (int i = 0; i < g->lines; ++i)
    text_printf(t, "%s[%d,%d]", i ? "," : "", g->line[i].node[0], g->line[i].node[1]);
  text_append(t, "]");
}

/* ---- joints and forces --------------------------------------------------------------------- */

static void append_links(text *t, const torsor_geometry *g, const torsor_model *model) {
  begin_list(t, "links");
  for (int i = 0; i < g->links; ++i) {
    const torsor_geometry_link *l = &g->link[i];
    if (l->markers == 0) continue;
    begin_item(t);
    json_text(t, "name", torsor_model_element_name(model, l->element));
    json_text(t, "type", torsor_model_element_type(model, l->element)->name);
    json_text(t, "symbol", torsor_symbol_name(l->symbol));
    begin_list(t, "axes");
    for (int k = 0; k < l->axes; ++k) {
      const v3 a = l->axis[k];
      text_printf(t, "%s[%.7g,%.7g,%.7g]", k ? "," : "", a.x, a.y, a.z);
    }
    text_append(t, "]");
    begin_list(t, "markers");
    for (int k = 0; k < l->markers; ++k) {
      const torsor_geometry_marker *m = &g->marker[l->first_marker + k];
      begin_item(t);
      append_place(t, m->node, m->frame);
      if (m->radius > 0) {
        json_key(t, "radius");
        append_short(t, m->radius);
        json_count(t, "sense", m->sense);
      }
      text_append(t, "}");
    }
    text_append(t, "]}");
  }
  text_append(t, "]");
}

torsor_status report_append_geometry(text *list, const torsor_model *model, torsor_error *error) {
  torsor_geometry g;
  torsor_status status = torsor_geometry_create(&g, model, error);
  if (status) return status;
  text_append(list, "{");
  append_vector(list, "up", g.up);
  json_key(list, "scale");
  append_short(list, g.scale);
  if (append_bodies(list, &g, model) != TORSOR_OK)
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  append_solids(list, &g, model);
  append_strands(list, &g);
  append_links(list, &g, model);
  text_append(list, "}");
  torsor_geometry_destroy(&g);
  return status;
}
