/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/mesh_msh.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/lines.h"

/* A physical group, and an entity of the geometry with its group. */
typedef struct group {
  long dimension, tag;
  char name[84];
} group;

typedef struct entity {
  long dimension, tag, group; /* group 0 = none */
} entity;

typedef struct reading {
  mesh *m;
  line_reader *r;
  torsor_error *error;
  double version;
  group *group;
  int groups;
  entity *entity;
  int entities;
  long *id; /* [ids] nodes of the elements, */
  int ids;
  entity *of; /* [elements] dimension and group of each */
} reading;

static torsor_status out_of_memory(const reading *in) {
  return torsor_fail(in->error, TORSOR_MEMORY, "out of memory");
}

static torsor_status fail(const reading *in, const char *hint, const char *message) {
  return lines_fail(in->r, in->r->number, hint, "%s", message);
}

/* Reads whole numbers, with a sign, from the next line; the line goes on at *at. */
static bool read_line(long *out, int count, reading *in, char **at) {
  *at = lines_next(in->r);
  for (int i = 0; *at && i < count; ++i) {
    char *end;
    out[i] = strtol(*at, &end, 10);
    if (end == *at) return false;
    *at = end;
  }
  return *at != NULL;
}

/* ---- sections -------------------------------------------------------------------------------- */

static torsor_status read_format(reading *in) {
  char *line = lines_next(in->r);
  long binary = 1;
  if (!line || !lines_number(&in->version, &line)) return fail(in, "", "has no format");
  binary = strtol(line, NULL, 10);
  if (binary) return fail(in, "gmsh -save -format msh41 writes text", "is a binary mesh");
  const bool known = (in->version >= 2 && in->version < 3) || in->version == 4.1;
  return known ? TORSOR_OK
               : fail(in, "save it as version 4.1 or 2.2: Mesh.MshFileVersion",
                      "has a version that is not read");
}

static torsor_status read_names(reading *in) {
  long count, two[2];
  char *at;
  if (!read_line(&count, 1, in, &at)) return fail(in, "", "has no number of groups");
  for (long i = 0; i < count; ++i) {
    if (!read_line(two, 2, in, &at) || !(at = strchr(at, '"')))
      return fail(in, "dimension tag \"name\"", "is no physical group");
    if (!lines_grow((void **)&in->group, in->groups, sizeof *in->group)) return out_of_memory(in);
    group *g = &in->group[in->groups++];
    *g = (group){.dimension = two[0], .tag = two[1]};
    snprintf(g->name, sizeof g->name, "%.*s", (int)strcspn(at + 1, "\""), at + 1);
  }
  return TORSOR_OK;
}

/* The first physical group of each entity; points have one place, the others the corners of a
 * box. */
static torsor_status read_entities(reading *in) {
  long count[4];
  char *at;
  if (!read_line(count, 4, in, &at)) return fail(in, "", "has no numbers of entities");
  for (int dimension = 0; dimension < 4; ++dimension)
    for (long i = 0; i < count[dimension]; ++i) {
      entity e = {.dimension = dimension};
      double place;
      if (!read_line(&e.tag, 1, in, &at)) return fail(in, "", "is no entity");
      for (int k = 0; k < (dimension ? 6 : 3); ++k)
        if (!lines_number(&place, &at)) return fail(in, "", "is no entity");
      char *end;
      const long groups = strtol(at, &end, 10);
      if (groups > 0) e.group = labs(strtol(end, NULL, 10));
      if (!lines_grow((void **)&in->entity, in->entities, sizeof e)) return out_of_memory(in);
      in->entity[in->entities++] = e;
    }
  return TORSOR_OK;
}

static torsor_status add_node(reading *in, long id, mesh_place place) {
  mesh *m = in->m;
  if (!lines_grow((void **)&m->node, m->nodes, sizeof *m->node)) return out_of_memory(in);
  m->node[m->nodes++] = (mesh_node){.id = id, .place = place};
  return TORSOR_OK;
}

static bool read_place(mesh_node *out, char *at) {
  double x[3];
  for (int k = 0; k < 3; ++k)
    if (!at || !lines_number(&x[k], &at)) return false;
  out->x = v3_load(x);
  return true;
}

static torsor_status read_nodes(reading *in) {
  long head[4] = {0};
  char *at;
  const bool blocks = in->version > 4;
  if (!read_line(head, blocks ? 4 : 1, in, &at)) return fail(in, "", "has no number of nodes");
  torsor_status status = TORSOR_OK;
  for (long block = 0; block < (blocks ? head[0] : 1) && !status; ++block) {
    long of[4] = {0, 0, 0, head[0]};
    if (blocks && !read_line(of, 4, in, &at)) return fail(in, "", "is no block of nodes");
    const int first = in->m->nodes;
    for (long i = 0; i < of[3] && !status; ++i) {
      long id;
      if (!read_line(&id, 1, in, &at)) return fail(in, "", "is no node");
      status = add_node(in, id, (mesh_place){0, in->r->number});
      if (!status && !blocks && !read_place(&in->m->node[first + i], at))
        return fail(in, "number x y z", "is no node");
    }
    for (long i = 0; blocks && i < of[3] && !status; ++i)
      if (!read_place(&in->m->node[first + i], lines_next(in->r)))
        return fail(in, "x y z", "is no place of a node");
  }
  return status;
}

/* Nodes and dimension of Gmsh's types of elements; 0: not known. */
static const struct {
  const char *name;
  int nodes, dimension;
} types[] = {
    [1] = {"LINE2", 2, 1}, [2] = {"TRI3", 3, 2},   [3] = {"QUAD4", 4, 2},  [4] = {"TET4", 4, 3},
    [5] = {"HEX8", 8, 3},  [6] = {"WEDGE6", 6, 3}, [7] = {"PYR5", 5, 3},   [8] = {"LINE3", 3, 1},
    [9] = {"TRI6", 6, 2},  [10] = {"QUAD9", 9, 2}, [15] = {"POINT", 1, 0}, [16] = {"QUAD8", 8, 2}};

static torsor_status add_element(reading *in, long id, long type, long group_tag, char *at) {
  mesh *m = in->m;
  if (type < 1 || type >= (long)(sizeof types / sizeof *types) || !types[type].name)
    return fail(in, "save the mesh with elements of order 1", "has an element of unknown type");
  if (!lines_grow((void **)&m->element, m->elements, sizeof *m->element) ||
      !lines_grow((void **)&in->of, m->elements, sizeof *in->of))
    return out_of_memory(in);
  in->of[m->elements] = (entity){.dimension = types[type].dimension, .group = group_tag};
  mesh_element *e = &m->element[m->elements++];
  *e = (mesh_element){.id = id, .first = in->ids, .place = {0, in->r->number}};
  snprintf(e->type, sizeof e->type, "%s", types[type].name);
  for (; e->count < types[type].nodes; ++e->count) {
    char *end;
    if (!lines_grow((void **)&in->id, in->ids, sizeof *in->id)) return out_of_memory(in);
    in->id[in->ids++] = strtol(at, &end, 10);
    if (end == at) return fail(in, "", "has too few nodes");
    at = end;
  }
  return TORSOR_OK;
}

static long group_of(const reading *in, long dimension, long tag) {
  for (int i = 0; i < in->entities; ++i)
    if (in->entity[i].dimension == dimension && in->entity[i].tag == tag)
      return in->entity[i].group;
  return 0;
}

static torsor_status read_elements(reading *in) {
  long head[4] = {0};
  char *at;
  const bool blocks = in->version > 4;
  if (!read_line(head, blocks ? 4 : 1, in, &at)) return fail(in, "", "has no number of elements");
  torsor_status status = TORSOR_OK;
  for (long block = 0; block < (blocks ? head[0] : 1) && !status; ++block) {
    long of[4] = {0, 0, 0, head[0]}, line[3];
    if (blocks && !read_line(of, 4, in, &at)) return fail(in, "", "is no block of elements");
    const long shared = blocks ? group_of(in, of[0], of[1]) : 0;
    for (long i = 0; i < of[3] && !status; ++i) {
      if (!read_line(line, blocks ? 1 : 3, in, &at)) return fail(in, "", "is no element");
      long own = shared;
      for (long k = 0; !blocks && k < line[2]; ++k) {
        const long tag = strtol(at, &at, 10);
        if (k == 0) own = tag;
      }
      status = add_element(in, line[0], blocks ? of[2] : line[1], own, at);
    }
  }
  return status;
}

static torsor_status read_sections(reading *in) {
  static const struct {
    const char *word;
    torsor_status (*read)(reading *in);
  } sections[] = {{"$MeshFormat", read_format},
                  {"$PhysicalNames", read_names},
                  {"$Entities", read_entities},
                  {"$Nodes", read_nodes},
                  {"$Elements", read_elements}};
  torsor_status status = TORSOR_OK;
  for (char *line = lines_next(in->r); line && !status; line = status ? NULL : lines_next(in->r))
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !status; ++i) {
      if (strncmp(line, sections[i].word, strlen(sections[i].word)) != 0) continue;
      if (i && !(in->version > 0)) return fail(in, "", "$MeshFormat does not stand first");
      status = sections[i].read(in);
      break;
    }
  return status ? status : lines_status(in->r);
}

/* ---- from numbers to indices ----------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b) {
  const long x = ((const mesh_node *)a)->id, y = ((const mesh_node *)b)->id;
  return (x > y) - (x < y);
}

static torsor_status resolve_elements(reading *in) {
  mesh *m = in->m;
  qsort(m->node, (size_t)m->nodes, sizeof *m->node, compare_nodes);
  for (int i = 1; i < m->nodes; ++i)
    if (m->node[i].id == m->node[i - 1].id)
      return mesh_fail(m, m->node[i].place, in->error, "number nodes each once",
                       "there are two nodes %ld", m->node[i].id);
  m->member = calloc((size_t)in->ids + 1, sizeof *m->member);
  if (!m->member) return out_of_memory(in);
  for (int i = 0; i < m->elements; ++i) {
    const mesh_element *e = &m->element[i];
    for (int k = e->first; k < e->first + e->count; ++k)
      if ((m->member[k] = mesh_find_node(m, in->id[k])) < 0)
        return mesh_fail(m, e->place, in->error, "",
                         "the element %ld has a node %ld that does not exist", e->id, in->id[k]);
  }
  m->members = in->ids;
  return TORSOR_OK;
}

/* One group as a set of nodes, or of elements. */
static torsor_status add_set(reading *in, const group *g, bool of_nodes) {
  mesh *m = in->m;
  const int most = of_nodes ? m->nodes : m->elements;
  unsigned char *mark = calloc((size_t)most + 1, 1);
  mesh_set **list = of_nodes ? &m->node_set : &m->element_set;
  int *count = of_nodes ? &m->node_sets : &m->element_sets;
  if (!mark || !lines_grow((void **)list, *count, sizeof **list)) {
    free(mark);
    return out_of_memory(in);
  }
  mesh_set *set = &(*list)[(*count)++];
  *set = (mesh_set){.first = m->members};
  memcpy(set->name, g->name, sizeof set->name);
  for (int i = 0; i < m->elements; ++i) {
    if (in->of[i].dimension != g->dimension || in->of[i].group != g->tag) continue;
    if (!of_nodes) mark[i] = 1;
    for (int k = 0; of_nodes && k < m->element[i].count; ++k)
      mark[m->member[m->element[i].first + k]] = 1;
  }
  for (int i = 0; i < most; ++i) set->count += mark[i];
  int *more = realloc(m->member, (size_t)(m->members + set->count + 1) * sizeof *more);
  if (more) m->member = more;
  for (int i = 0; more && i < most; ++i)
    if (mark[i]) m->member[m->members++] = i;
  free(mark);
  return more ? TORSOR_OK : out_of_memory(in);
}

static bool has_group(const reading *in, const entity *of) {
  for (int i = 0; i < in->groups; ++i)
    if (in->group[i].dimension == of->dimension && in->group[i].tag == of->group) return true;
  return false;
}

static torsor_status resolve_sets(reading *in) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < in->m->elements; ++i) {
    const entity *of = &in->of[i];
    if (!of->group || has_group(in, of)) continue;
    if (!lines_grow((void **)&in->group, in->groups, sizeof *in->group)) return out_of_memory(in);
    group *g = &in->group[in->groups++];
    *g = (group){.dimension = of->dimension, .tag = of->group};
    snprintf(g->name, sizeof g->name, "physical%ld", of->group);
  }
  for (int i = 0; i < in->groups && !status; ++i) {
    status = add_set(in, &in->group[i], true);
    if (!status && in->group[i].dimension == 2) status = add_set(in, &in->group[i], false);
  }
  return status;
}

torsor_status mesh_read_msh(mesh *out, const char *file, torsor_error *error) {
  line_reader r;
  *out = (mesh){0};
  reading in = {.m = out, .r = &r, .error = error};
  if (!lines_grow((void **)&out->file, 0, sizeof *out->file)) return out_of_memory(&in);
  snprintf(out->file[out->files++], sizeof *out->file, "%s", file);
  torsor_status status = lines_open(&r, file, error);
  if (!status) status = read_sections(&in);
  lines_close(&r);
  if (!status && !out->nodes)
    status = mesh_fail(out, (mesh_place){0, 1}, error, "the section $Nodes has them",
                       "the mesh has no nodes");
  if (!status) status = resolve_elements(&in);
  if (!status) status = resolve_sets(&in);
  free(in.group);
  free(in.entity);
  free(in.id);
  free(in.of);
  return status;
}
