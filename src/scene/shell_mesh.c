/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/shell_mesh.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scene/functions_private.h"
#include "scene/json_make.h"
#include "scene/lines.h"
#include "scene/mesh_msh.h"

/* The choice from a file: the elements of a set, NULL = all, and metres per unit of the file. */
typedef struct wanted {
  const char *file, *set;
  double unit;
} wanted;

/* ---- from files ------------------------------------------------------------------------------ */

static bool begins(const char *word, const char *const *with) {
  for (; *with; ++with)
    if (!strncmp(word, *with, strlen(*with))) return true;
  return false;
}

/* Elements of shells with four nodes, and of surfaces with other numbers of nodes. */
static bool is_quad(const mesh_element *e) {
  static const char *const words[] = {"S4", "QUAD4", NULL};
  return e->count == 4 && begins(e->type, words);
}

static bool is_other_surface(const mesh_element *e) {
  static const char *const words[] = {"S3",  "S6",    "S8",    "S9", "STRI",
                                      "TRI", "QUAD8", "QUAD9", NULL};
  return begins(e->type, words);
}

/* Numbers the elements of four nodes and their nodes from 0: element [elements], node [nodes], -1
 * elsewhere; `in` are the indices of the elements that are wanted, NULL = all.  There are no other
 * surface elements among them. */
static torsor_status find_used(int *element, int *node, int count[2], const mesh *m,
                               const mesh_set *in, torsor_error *error) {
  for (int i = 0; i < m->nodes; ++i) node[i] = -1;
  for (int i = 0; i < m->elements; ++i) element[i] = in ? -1 : 0;
  for (int k = 0; in && k < in->count; ++k) element[m->member[in->first + k]] = 0;
  count[0] = count[1] = 0;
  for (int i = 0; i < m->elements; ++i) {
    const mesh_element *e = &m->element[i];
    if (element[i] < 0) continue;
    element[i] = is_quad(e) ? count[1]++ : -1;
    if (is_other_surface(e))
      return mesh_fail(
          m, e->place, error, "mesh it with quadrilaterals of order 1 (Gmsh: Mesh.RecombineAll)",
          "the element %ld has %d nodes, and shells have elements of 4 nodes", e->id, e->count);
    for (int k = 0; element[i] >= 0 && k < 4; ++k) node[m->member[e->first + k]] = 0;
  }
  if (!count[1])
    return mesh_fail(m, in ? in->place : (mesh_place){0, 1}, error,
                     "of the types S4, S4R, or quadrilaterals of Gmsh",
                     "there are no elements of shells");
  for (int i = 0; i < m->nodes; ++i)
    if (!node[i]) node[i] = count[0]++;
  return TORSOR_OK;
}

static cJSON *make_nodes(const mesh *m, const int *node, int count, double unit) {
  double *value = calloc((size_t)count, 3 * sizeof *value);
  for (int i = 0; value && i < m->nodes; ++i)
    if (node[i] >= 0) v3_store(value + 3 * node[i], v3_scale(m->node[i].x, unit));
  cJSON *rows = value ? json_make_rows(value, count, 3) : NULL;
  free(value);
  return rows;
}

/* Four nodes, number and line. */
static cJSON *make_elements(const mesh *m, const int *element, const int *node, int count) {
  double *value = calloc((size_t)count, 6 * sizeof *value), *to = value;
  for (int i = 0; value && i < m->elements; ++i) {
    const mesh_element *e = &m->element[i];
    if (element[i] < 0) continue;
    for (int k = 0; k < 4; ++k) *to++ = node[m->member[e->first + k]];
    *to++ = (double)e->id;
    *to++ = e->place.line;
  }
  cJSON *rows = value ? json_make_rows(value, count, 6) : NULL;
  free(value);
  return rows;
}

/* The sets of nodes or elements that are used, without those that are not. */
static cJSON *make_sets(const mesh *m, const mesh_set *set, int count, const int *number) {
  cJSON *sets = cJSON_CreateObject();
  for (int i = 0; sets && i < count; ++i) {
    double *value = calloc((size_t)set[i].count + 1, sizeof *value);
    int used = 0;
    for (int k = 0; value && k < set[i].count; ++k) {
      const int at = number[m->member[set[i].first + k]];
      if (at >= 0) value[used++] = at;
    }
    if (!value || (used && !cJSON_GetObjectItemCaseSensitive(sets, set[i].name)))
      sets = json_make_member(sets, set[i].name, value ? json_make_numbers(value, used) : NULL);
    free(value);
  }
  return sets;
}

static torsor_status make_mesh(cJSON **out, const mesh *m, const mesh_set *in, const wanted *w,
                               torsor_error *error) {
  int *element = calloc((size_t)m->elements + 1, sizeof *element);
  int *node = calloc((size_t)m->nodes + 1, sizeof *node), count[2] = {0, 0};
  torsor_status status = element && node ? find_used(element, node, count, m, in, error)
                                         : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) {
    *out = json_make_object("file", cJSON_CreateString(w->file));
    if (*out) *out = json_make_member(*out, "nodes", make_nodes(m, node, count[0], w->unit));
    if (*out) *out = json_make_member(*out, "elements", make_elements(m, element, node, count[1]));
    if (*out)
      *out = json_make_member(*out, "node_sets", make_sets(m, m->node_set, m->node_sets, node));
    if (*out)
      *out = json_make_member(*out, "element_sets",
                              make_sets(m, m->element_set, m->element_sets, element));
    if (!*out) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  free(element);
  free(node);
  return status;
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), bytes = strlen(end);
  return length > bytes && !strcasecmp(name + length - bytes, end);
}

/* "file", or {"file", "set", "unit"}. */
static torsor_status read_wanted(wanted *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"file", "set", "unit"};
  *out = (wanted){.unit = 1};
  if (cJSON_IsString(node->item)) return reader_text(&out->file, r, node);
  const json_node file = json_member(node, "file"), set = json_member(node, "set"),
                  unit = json_member(node, "unit");
  torsor_status status = reader_object(r, node, "a mesh file", keys, 3);
  if (!status) status = reader_text(&out->file, r, &file);
  if (!status && set.item) status = reader_text(&out->set, r, &set);
  if (!status && unit.item) status = reader_number(&out->unit, r, &unit);
  if (!status && !(out->unit > 0))
    return reader_fail(r, &unit, "metres per unit of the file", "must be greater than 0");
  return status;
}

static torsor_status find_set(const mesh_set **out, const mesh *m, const wanted *w, const reader *r,
                              const json_node *node) {
  *out = w->set ? mesh_find_element_set(m, w->set) : NULL;
  if (*out || !w->set) return TORSOR_OK;
  char names[200], hint[240];
  const json_node set = json_member(node, "set");
  snprintf(hint, sizeof hint, "it has %.200s",
           m->element_sets ? mesh_list_sets(names, sizeof names, m->element_set, m->element_sets)
                           : "none");
  return reader_fail(r, &set, hint, "there is no set of elements \"%.80s\" in the file", w->set);
}

static torsor_status read_file(cJSON **out, scene_files *files, const reader *r,
                               const json_node *node) {
  char path[320];
  wanted w;
  mesh m = {0};
  const mesh_set *in = NULL;
  torsor_error found = {0};
  torsor_status status = read_wanted(&w, r, node);
  if (status) return status;
  const bool msh = ends_with(w.file, ".msh");
  if (!msh && !ends_with(w.file, ".inp"))
    return reader_fail(r, node, "a mesh of Gmsh (.msh), Abaqus or CalculiX (.inp)",
                       "is no name of a mesh: \"%.80s\"", w.file);
  if (!lines_beside(path, sizeof path, r->file, w.file))
    return reader_fail(r, node, NULL, "the name of the file is too long");
  status = msh ? mesh_read_msh(&m, path, &found) : mesh_read_inp(&m, path, &found);
  for (int i = 0; i < m.files && !status; ++i)
    if (!scene_files_add(files, m.file[i]))
      status = torsor_fail(&found, TORSOR_MEMORY, "out of memory");
  const torsor_status missing = status ? TORSOR_OK : find_set(&in, &m, &w, r, node);
  if (!status && !missing) status = make_mesh(out, &m, in, &w, &found);
  mesh_release(&m);
  if (status == TORSOR_FILE)
    return reader_fail(r, node, found.hint, "\"%s\" %s", path, found.message);
  if (status && r->error) *r->error = found;
  return status ? status : missing;
}

/* A name, or an object that has one and no mesh itself. */
static bool names_file(const json_node *node) {
  return cJSON_IsString(node->item) ||
         (json_member(node, "file").item && !json_member(node, "nodes").item);
}

torsor_status shell_mesh_inline(cJSON *element, const torsor_element_type *type, scene_files *files,
                                const reader *r, const json_node *node) {
  for (const torsor_param *param = type->params; param && param->key; ++param) {
    const json_node name = json_member(node, param->key);
    cJSON *own = NULL;
    if (param->kind != TORSOR_PARAM_MESH || !names_file(&name)) continue;
    const torsor_status status = read_file(&own, files, r, &name);
    if (status) return status;
    if (cJSON_ReplaceItemInObjectCaseSensitive(element, param->key, own)) continue;
    cJSON_Delete(own);
    return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  }
  return TORSOR_OK;
}

/* ---- from a scene ---------------------------------------------------------------------------- */

/* Where the arrays of a mesh are, in one block of memory: nodes, elements, sets, members, names. */
typedef struct room {
  size_t nodes, quads, sets, members, letters;
} room;

static size_t count_items(const cJSON *list) {
  return cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
}

static room find_room(const json_node *node, const json_node set[2]) {
  room all = {.nodes = count_items(json_member(node, "nodes").item),
              .quads = count_items(json_member(node, "elements").item)};
  for (int kind = 0; kind < 2; ++kind) {
    const cJSON *item;
    if (!cJSON_IsObject(set[kind].item)) continue;
    cJSON_ArrayForEach(item, set[kind].item) {
      ++all.sets;
      all.members += count_items(item);
      all.letters += strlen(item->string) + 1;
    }
  }
  return all;
}

static torsor_status read_index(int *out, const reader *r, const json_node *node, int count,
                                const char *what) {
  const torsor_status status = reader_integer(out, r, node, 0);
  if (status || *out < count) return status;
  return reader_fail(r, node, NULL, "there are only %d %s, from 0 on", count, what);
}

static torsor_status read_nodes(v3 *out, const reader *r, const json_node *list) {
  torsor_status status = reader_array(r, list, "places of nodes");
  const cJSON *item = status ? NULL : list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node place = json_item(list, item, i);
    status = reader_vector(&out[i], r, &place);
  }
  return status;
}

static torsor_status read_quads(torsor_mesh_quad *out, int nodes, const reader *r,
                                const json_node *list) {
  torsor_status status = reader_array(r, list, "elements, each four nodes");
  const cJSON *item = status ? NULL : list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node quad = json_item(list, item, i);
    status = reader_array(r, &quad, "four nodes");
    const int count = status ? 0 : cJSON_GetArraySize(item);
    if (!status && count != 4 && count != 6)
      return reader_fail(r, &quad, "four nodes, and number and line in a file",
                         "must have 4 numbers, but has %d", count);
    const cJSON *number = status ? NULL : item->child;
    for (int k = 0; number && !status; ++k, number = number->next) {
      const json_node at = json_item(&quad, number, k);
      if (k < 4)
        status = read_index(&out[i].node[k], r, &at, nodes, "nodes");
      else
        status = reader_integer(k == 4 ? &out[i].number : &out[i].line, r, &at, 0);
    }
  }
  return status;
}

static torsor_status read_sets(torsor_mesh_set **set, int **member, char **letter, int most,
                               bool elements, const reader *r, const json_node *map) {
  if (!map->item) return TORSOR_OK;
  if (!cJSON_IsObject(map->item)) return reader_object(r, map, "sets", NULL, 0);
  torsor_status status = TORSOR_OK;
  const cJSON *item;
  cJSON_ArrayForEach(item, map->item) {
    const json_node list = json_member(map, item->string);
    status = reader_array(r, &list, "a set");
    if (status) return status;
    **set = (torsor_mesh_set){
        .name = strcpy(*letter, item->string), .member = *member, .elements = elements};
    *letter += strlen(*letter) + 1;
    const cJSON *number = item->child;
    for (int k = 0; number && !status; ++k, number = number->next) {
      const json_node at = json_item(&list, number, k);
      status = read_index((*member)++, r, &at, most, elements ? "elements" : "nodes");
      ++(*set)->count;
    }
    ++*set;
    if (status) return status;
  }
  return TORSOR_OK;
}

torsor_status shell_mesh_read(torsor_mesh *out, function_list *list, const reader *r,
                              const json_node *node) {
  static const char *const keys[] = {"file", "nodes", "elements", "node_sets", "element_sets"};
  function *f = NULL;
  if (cJSON_IsString(node->item) && reader_postpones(r)) return TORSOR_SCENE;
  const json_node file = json_member(node, "file"), nodes = json_member(node, "nodes"),
                  quads = json_member(node, "elements");
  const json_node set[2] = {json_member(node, "node_sets"), json_member(node, "element_sets")};
  torsor_status status = reader_object(r, node, "the name of a mesh file, or a mesh", keys, 5);
  if (!status) status = function_add(&f, list, r);
  if (status) return status;
  const room all = find_room(node, set);
  v3 *place = calloc(1, (all.nodes + 1) * sizeof *place + all.quads * sizeof *out->quad +
                            all.sets * sizeof *out->set + all.members * sizeof(int) + all.letters);
  if (!place) return function_out_of_memory(r);
  f->y = (double *)(void *)place;
  torsor_mesh_set *sets = (void *)(place + all.nodes + 1), *at = sets;
  torsor_mesh_quad *quad = (void *)(sets + all.sets);
  int *member = (void *)(quad + all.quads);
  char *letter = (void *)(member + all.members);
  *out = (torsor_mesh){.file = "", .node = place, .quad = quad, .set = sets};
  if (file.item) status = reader_text(&out->file, r, &file);
  if (!status) status = read_nodes(place, r, &nodes);
  out->nodes = (int)all.nodes;
  if (!status) status = read_quads(quad, out->nodes, r, &quads);
  out->quads = (int)all.quads;
  for (int kind = 0; kind < 2 && !status; ++kind)
    status = read_sets(&at, &member, &letter, kind ? out->quads : out->nodes, kind, r, &set[kind]);
  out->sets = (int)(at - sets);
  return status;
}
