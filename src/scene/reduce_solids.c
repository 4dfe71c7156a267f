/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/reduce_solids.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analysis/reduce/solids.h"
#include "scene/names.h"

typedef struct solids_reading {
  reduce_job *job;
  const reader *r;
  double length, mass; /* m, kg */
} solids_reading;

static torsor_status out_of_memory(const solids_reading *in) {
  return torsor_fail(in->r->error, TORSOR_MEMORY, "out of memory");
}

/* ---- material -------------------------------------------------------------------------------- */

/* Gives E and nu to the elements of a set, or to all of them. */
static torsor_status read_material(const solids_reading *in, reduce_solid *to,
                                   const json_node *node) {
  static const char *const keys[] = {"set", "E", "nu"};
  const mesh *m = &in->job->m;
  const json_node set = json_member(node, "set"), E = json_member(node, "E");
  const json_node nu = json_member(node, "nu");
  reduce_solid given = {0};
  torsor_status status = reader_object(in->r, node, "a material", keys, 3);
  if (!status && !(E.item && nu.item))
    status = reader_fail(in->r, node, "{\"E\": 2.1e11, \"nu\": 0.3}",
                         "needs \"E\" and \"nu\" of an isotropic material");
  if (!status) status = reader_positive(&given.E, in->r, &E, "Young's modulus");
  if (!status) status = reader_number(&given.nu, in->r, &nu);
  if (!status && !(given.nu > -1 && given.nu < 0.5))
    status = reader_fail(in->r, &nu, "0.3 for steel", "must be between -1 and 0.5");
  given.E *= in->mass / in->length;
  const char *word = NULL;
  if (!status && set.item) status = reader_text(&word, in->r, &set);
  if (status) return status;
  const mesh_set *found = word ? mesh_find_element_set(m, word) : NULL;
  if (word && !found) {
    char names[200], hint[300];
    snprintf(hint, sizeof hint, "sets of elements there: %s",
             m->element_sets ? mesh_list_sets(names, sizeof names, m->element_set, m->element_sets)
                             : "none");
    return reader_fail(in->r, &set, hint, "the mesh has no set of elements \"%s\"", word);
  }
  const int count = found ? found->count : m->elements;
  for (int i = 0; i < count; ++i) {
    reduce_solid *one = &to[found ? m->member[found->first + i] : i];
    one->E = given.E;
    one->nu = given.nu;
  }
  return TORSOR_OK;
}

static torsor_status read_materials(const solids_reading *in, reduce_solid *to,
                                    const json_node *root) {
  const json_node node = json_member(root, "material");
  if (!node.item)
    return reader_fail(in->r, root, "\"material\": {\"E\": 2.1e11, \"nu\": 0.3}",
                       "\"stresses\" and \"stiffening\" need a \"material\"");
  if (!cJSON_IsArray(node.item)) return read_material(in, to, &node);
  torsor_status status = TORSOR_OK;
  int i = 0;
  for (const cJSON *item = node.item->child; item && !status; item = item->next, ++i) {
    const json_node one = json_item(&node, item, i);
    status = read_material(in, to, &one);
  }
  return status;
}

/* ---- elements -------------------------------------------------------------------------------- */

static torsor_status check_element(const solids_reading *in, const reduce_solid *s, int index) {
  static const char *const types[] = {"C3D4", "C3D8", "C3D8R", "C3D10", "C3D20", "C3D20R"};
  const mesh *m = &in->job->m;
  const mesh_element *e = &m->element[index];
  bool known = false;
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    known = known || !strcasecmp(e->type, types[i]);
  if (!known || !solid_points(e->count))
    return mesh_fail(m, e->place, in->r->error,
                     "stresses are found in C3D4, C3D8, C3D8R, C3D10, C3D20 and C3D20R",
                     "the element %ld is a %s", e->id, e->type);
  if (!(s->E > 0))
    return mesh_fail(m, e->place, in->r->error, "see \"material\", which may be a list with sets",
                     "the element %ld has no material", e->id);
  for (int p = 0; p < solid_points(e->count); ++p) {
    double g[SOLID_NODES][3];
    v3 x[SOLID_NODES];
    for (int i = 0; i < e->count; ++i) x[i] = in->job->input.place[s->node[i]];
    if (solid_gradients(g, x, e->count, p) > 0) continue;
    return mesh_fail(m, e->place, in->r->error, "its nodes are in the order of Abaqus",
                     "the element %ld is inverted or warped", e->id);
  }
  return TORSOR_OK;
}

static torsor_status read_elements(const solids_reading *in, const json_node *root) {
  reduce_job *job = in->job;
  const mesh *m = &job->m;
  reduce_solid *to = arena_take(&job->memory, (size_t)m->elements + 1, sizeof *to);
  if (!to) return out_of_memory(in);
  for (int i = 0; i < m->elements; ++i)
    to[i] = (reduce_solid){.node = m->member + m->element[i].first, .nodes = m->element[i].count};
  torsor_status status = read_materials(in, to, root);
  for (int i = 0; i < m->elements && !status; ++i) status = check_element(in, &to[i], i);
  job->input.solid = to;
  job->input.solids = m->elements;
  return status;
}

/* ---- points ---------------------------------------------------------------------------------- */

static torsor_status add_point(const solids_reading *in, const json_node *node, const char *name,
                               int at) {
  reduce_job *job = in->job;
  for (int i = 0; i < job->input.points; ++i)
    if (!strcmp(job->point_name[i], name))
      return reader_fail(in->r, node, NULL, "there are two points \"%s\"", name);
  job->point_name[job->input.points] = name;
  job->point[job->input.points++] = at;
  return TORSOR_OK;
}

/* All nodes of a set, called NAME_17 by their numbers. */
static torsor_status add_set(const solids_reading *in, const json_node *node, const char *name) {
  const json_node set = json_member(node, "set");
  const mesh *m = &in->job->m;
  const char *word = NULL;
  torsor_status status = reader_text(&word, in->r, &set);
  const mesh_set *found = status ? NULL : mesh_find_node_set(m, word);
  if (!status && !found)
    return reader_fail(in->r, &set, NULL, "the mesh has no set of nodes \"%s\"", word);
  for (int i = 0; i < (found ? found->count : 0) && !status; ++i) {
    char longer[80];
    const int at = m->member[found->first + i];
    snprintf(longer, sizeof longer, "%.40s_%ld", name, m->node[at].id);
    const char *kept = arena_string(&in->job->memory, longer);
    status = kept ? add_point(in, node, kept, at) : out_of_memory(in);
  }
  return status;
}

static torsor_status read_point(const solids_reading *in, const json_node *node) {
  static const char *const keys[] = {"name", "node", "set"};
  const json_node name = json_member(node, "name"), at = json_member(node, "node");
  const json_node set = json_member(node, "set");
  const char *word = NULL;
  int id = 0;
  torsor_status status = reader_object(in->r, node, "a point with stresses", keys, 3);
  if (!status && !(name.item && !at.item != !set.item))
    status = reader_fail(in->r, node, "{\"name\": \"fillet\", \"node\": 17}",
                         "needs \"name\" and either \"node\" or \"set\"");
  if (!status) status = reader_text(&word, in->r, &name);
  if (!status && !names_fit(word))
    status = reader_fail(in->r, &name, "letters, digits and _, at most 39",
                         "\"%s\" cannot be part of a signal", word);
  if (status) return status;
  if (set.item) return add_set(in, node, word);
  status = reader_integer(&id, in->r, &at, 1);
  const int index = status ? 0 : mesh_find_node(&in->job->m, id);
  if (!status && index < 0) return reader_fail(in->r, &at, NULL, "the mesh has no node %d", id);
  return status ? status : add_point(in, node, word, index);
}

static torsor_status read_points(const solids_reading *in, const json_node *list) {
  reduce_job *job = in->job;
  torsor_status status = reader_array(in->r, list, "a list of points with stresses");
  if (status) return status;
  const size_t most = (size_t)cJSON_GetArraySize(list->item) * ((size_t)job->m.nodes + 1) + 1;
  job->point = arena_take(&job->memory, most, sizeof *job->point);
  job->point_name = arena_take(&job->memory, most, sizeof *job->point_name);
  if (!job->point || !job->point_name) return out_of_memory(in);
  int i = 0;
  for (const cJSON *item = list->item->child; item && !status; item = item->next, ++i) {
    const json_node one = json_item(list, item, i);
    status = read_point(in, &one);
  }
  job->input.point = job->point;
  return status;
}

/* ---- stiffening ------------------------------------------------------------------------------ */

static torsor_status read_holder(const solids_reading *in, bool *holds, const json_node *node) {
  const reduce_input *of = &in->job->input;
  const char *word = NULL;
  const torsor_status status = reader_text(&word, in->r, node);
  if (status) return status;
  for (int i = 0; i < of->interfaces; ++i)
    if (!strcmp(of->interface[i].name, word)) {
      holds[i] = true;
      return TORSOR_OK;
    }
  return reader_fail(in->r, node, "a name of \"interfaces\"", "there is no interface \"%s\"", word);
}

static torsor_status read_stiffening(const solids_reading *in, const json_node *list) {
  reduce_job *job = in->job;
  torsor_status status = reader_array(in->r, list, "the interfaces that bear the body as it turns");
  bool *holds = arena_take(&job->memory, (size_t)job->input.interfaces + 1, sizeof *holds);
  if (!holds) return out_of_memory(in);
  memset(holds, 0, (size_t)job->input.interfaces * sizeof *holds);
  if (!status && !list->item->child)
    status = reader_fail(in->r, list, "[\"hub\"]", "needs one interface at least");
  int i = 0;
  for (const cJSON *item = status ? NULL : list->item->child; item && !status;
       item = item->next, ++i) {
    const json_node one = json_item(list, item, i);
    status = read_holder(in, holds, &one);
  }
  job->input.holds = holds;
  return status;
}

torsor_status reduce_solids_read(reduce_job *job, const reader *r, const json_node *root,
                                 double length, double mass) {
  const solids_reading in = {job, r, length, mass};
  const json_node points = json_member(root, "stresses"), held = json_member(root, "stiffening");
  torsor_status status = TORSOR_OK;
  if (!points.item && !held.item) return TORSOR_OK;
  if (points.item) status = read_points(&in, &points);
  if (!status && held.item) status = read_stiffening(&in, &held);
  return status ? status : read_elements(&in, root);
}
