/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------------- */

static const struct {
  const char *word, *components, *unit;
} of_nodes[TORSOR_FIELDS] = {
    [TORSOR_FIELD_POSITION] = {"position", "xyz", "m"},
    [TORSOR_FIELD_QUATERNION] = {"quaternion", "wxyz", ""},
    [TORSOR_FIELD_VELOCITY] = {"velocity", "xyz", "m/s"},
    [TORSOR_FIELD_ANGULAR_VELOCITY] = {"angular_velocity", "xyz", "rad/s"},
    [TORSOR_FIELD_ACCELERATION] = {"acceleration", "xyz", "m/s^2"},
    [TORSOR_FIELD_ANGULAR_ACCELERATION] = {"angular_acceleration", "xyz", "rad/s^2"},
};

/* "pivot.lambda.0" -> "pivot.phi.0"; names of elements may have dots. */
static void append_row(text *out, const char *row, const char *word) {
  const char *number = strrchr(row, '.');
  const size_t lambda = strlen(".lambda"), length = number ? (size_t)(number - row) : 0;
  text_append_bytes(out, row, length > lambda ? length - lambda : 0);
  text_printf(out, ".%s%s\t", word, number ? number : "");
}

static void append_model(text *out, torsor_field field, int i) {
  static const char *const energies[] = {"kinetic", "potential", "elastic", "total"};
  if (field == TORSOR_FIELD_ENERGY)
    text_printf(out, "energy.%s\tJ", energies[i]);
  else
    text_printf(out, "%s.%c\t%s", torsor_field_name(field), "xyz"[i],
                field == TORSOR_FIELD_MOMENTUM ? "kg m/s" : "kg m^2/s");
}

void series_append_name(text *out, const torsor_layout *l, series_place p) {
  const int i = p.index;
  if (of_nodes[p.field].word) {
    const char *components = of_nodes[p.field].components;
    const int count = (int)strlen(components);
    text_printf(out, "%s.%s.%c\t%s", l->node_name[i / count], of_nodes[p.field].word,
                components[i % count], of_nodes[p.field].unit);
  } else if (p.field == TORSOR_FIELD_MULTIPLIER) {
    text_printf(out, "%s\t", l->row_name[i]);
  } else if (p.field == TORSOR_FIELD_RESIDUAL) {
    append_row(out, l->row_name[i], "phi");
  } else if (p.field == TORSOR_FIELD_RESIDUAL_RATE) {
    append_row(out, l->row_name[i], "phi_velocity");
  } else if (p.field == TORSOR_FIELD_COORDINATE) {
    text_printf(out, "%s\t%s", l->coordinate_name[i], l->coordinate_unit[i]);
  } else if (p.field == TORSOR_FIELD_RATE) {
    text_printf(out, "%s\t%s/s", l->rate_name[i],
                l->coordinate_unit[i][0] ? l->coordinate_unit[i] : "1");
  } else if (p.field == TORSOR_FIELD_OUTPUT) {
    text_printf(out, "%s\t%s", l->output_name[i], l->output_unit[i]);
  } else if (p.field == TORSOR_FIELD_STRESS) {
    text_printf(out, "%s\t%s", l->stress_name[i], l->stress_unit[i]);
  } else {
    append_model(out, p.field, i);
  }
  text_append(out, "\n");
}

/* ---- choice --------------------------------------------------------------------------------- */

/* Fields in order of importance: the page drops the last ones when there is not enough room. */
static const torsor_field order[] = {
    TORSOR_FIELD_ENERGY,       TORSOR_FIELD_MOMENTUM,   TORSOR_FIELD_ANGULAR_MOMENTUM,
    TORSOR_FIELD_COORDINATE,   TORSOR_FIELD_RATE,       TORSOR_FIELD_OUTPUT,
    TORSOR_FIELD_MULTIPLIER,   TORSOR_FIELD_VELOCITY,   TORSOR_FIELD_ANGULAR_VELOCITY,
    TORSOR_FIELD_ACCELERATION, TORSOR_FIELD_RESIDUAL,   TORSOR_FIELD_RESIDUAL_RATE,
    TORSOR_FIELD_POSITION,     TORSOR_FIELD_QUATERNION, TORSOR_FIELD_ANGULAR_ACCELERATION,
    TORSOR_FIELD_STRESS,
};
enum { ORDERED = sizeof order / sizeof *order };

typedef struct choosing {
  const series_request *request;
  series_place *place;
  size_t count;
  bool *found; /* [signals asked for] */
  text name;
} choosing;

static bool is_vector(const series_request *r, series_place p) {
  if (p.field != TORSOR_FIELD_OUTPUT) return false;
  for (size_t i = 0; i < r->vectors && r->vector[i] <= p.index; ++i)
    if (p.index < r->vector[i] + 3) return true;
  return false;
}

/* The name itself, or one that stands for all below it. */
static bool stands_for(const char *asked, const char *name, size_t length) {
  const size_t size = strlen(asked);
  if (size > length || strncmp(asked, name, size) != 0) return false;
  return size == length || name[size] == '.' || name[size] == '[';
}

static bool is_asked_for(choosing *c, series_place p) {
  const report_source *source = c->request->source;
  bool asked = false;
  c->name.length = 0;
  series_append_name(&c->name, c->request->layout, p);
  if (c->name.failed) return false;
  const size_t length = strcspn(c->name.data, "\t");
  for (int i = 0; i < source->signals; ++i) {
    if (!stands_for(source->signal[i], c->name.data, length)) continue;
    c->found[i] = asked = true;
  }
  return asked;
}

static int count_numbers(const series_request *r, torsor_field field) {
  return r->fields & 1u << field ? (int)torsor_layout_length(r->layout, field) : 0;
}

/* Adds the requested signals except vectors, which the page contains anyway. */
static void add_asked(choosing *c, torsor_field field) {
  const series_request *r = c->request;
  const int count = count_numbers(r, field);
  for (int i = 0; i < count; ++i) {
    const series_place p = {field, i};
    if (!is_asked_for(c, p) || r->shown & 1u << field || is_vector(r, p)) continue;
    c->place[c->count++] = p;
  }
}

/* Adds a whole field, or nothing when it does not fit. */
static bool add_field(choosing *c, torsor_field field) {
  const series_request *r = c->request;
  const size_t before = c->count;
  const int count = r->shown & 1u << field ? 0 : count_numbers(r, field);
  for (int i = 0; i < count; ++i)
    if (!is_vector(r, (series_place){field, i})) c->place[c->count++] = (series_place){field, i};
  if (c->count <= r->room) return true;
  c->count = before;
  return false;
}

static torsor_status choose_asked(choosing *c, torsor_error *error) {
  const report_source *source = c->request->source;
  for (int i = 0; i < ORDERED; ++i) add_asked(c, order[i]);
  for (int i = 0; i < source->signals; ++i) {
    if (c->found[i]) continue;
    torsor_fail(error, TORSOR_ARGUMENT, "there is no signal \"%s\" in it", source->signal[i]);
    if (error) snprintf(error->file, sizeof error->file, "%s/state.nc", source->name);
    torsor_hint(error, "`torsor list signals SCENE` has the names; \"channels\" of the scene's "
                       "output.full say which are kept");
    return TORSOR_ARGUMENT;
  }
  if (c->count <= c->request->room) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "--signals asks for %zu numbers, but the page has room for only %zu", c->count,
              c->request->room);
  torsor_hint(error, "name fewer, or keep fewer states with \"every\" of the scene's output.full");
  return TORSOR_ARGUMENT;
}

static void choose_usual(choosing *c, text *left_out) {
  for (int i = 0; i < ORDERED; ++i)
    if (!add_field(c, order[i]))
      text_printf(left_out, "%s%s", left_out->length ? ", " : "", torsor_field_name(order[i]));
}

torsor_status series_choose(series_place **out, size_t *count, text *left_out,
                            const series_request *request, torsor_error *error) {
  const int asked = request->source->signals;
  const size_t all = torsor_frame_size(request->layout, request->fields);
  choosing c = {.request = request,
                .place = calloc(all, sizeof *c.place),
                .found = calloc((size_t)asked + 1, sizeof *c.found)};
  torsor_status status = c.place && c.found ? TORSOR_OK : TORSOR_MEMORY;
  if (status)
    torsor_fail(error, status, "out of memory");
  else if (asked)
    status = choose_asked(&c, error);
  else
    choose_usual(&c, left_out);
  text_release(&c.name);
  free(c.found);
  *out = c.place;
  *count = c.count;
  return status;
}
