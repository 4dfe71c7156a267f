/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/mesh_inp.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scene/lines.h"

/* A set as it is read: numbers of the file, or names of other sets, before they are resolved. */
typedef struct set_item {
  int set;      /* index of the set, of its kind */
  bool of_node; /* a set of nodes */
  long first, last, step;
  char name[84]; /* of another set; "" = numbers */
  bool elements; /* the nodes of elements in that set */
  mesh_place place;
} set_item;

typedef enum section { OTHER, NODES, ELEMENTS, NODE_SET, ELEMENT_SET } section;

typedef struct reading {
  mesh *m;
  line_reader *r;
  torsor_error *error;
  int file; /* index of the file that is read */
  set_item *item;
  int items;
  long *id; /* [ids] numbers of the elements' nodes */
  int ids;
  section in;
  bool generate, continues; /* the card goes on: an element, or a keyword */
  int set;                  /* index of the set that is filled, or -1 */
  bool set_of_nodes;
  char type[12];
  int depth; /* of includes */
} reading;

static torsor_status out_of_memory(const reading *in) {
  return torsor_fail(in->error, TORSOR_MEMORY, "out of memory");
}

static mesh_place place_of(const reading *in) {
  return (mesh_place){in->file, in->r->number};
}

/* ---- keywords -------------------------------------------------------------------------------- */

/* Finds "NAME=value" among the parameters behind a keyword: the value without blanks around it, cut
 * to its room.  A parameter without a value gives "". */
static bool find_parameter(char *out, size_t size, const char *card, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = strchr(card, ','); at; at = strchr(at, ',')) {
    at += 1 + strspn(at + 1, " \t");
    if (strncasecmp(at, name, length) != 0) continue;
    const char *behind = at + length + strspn(at + length, " \t");
    if (*behind && *behind != '=' && *behind != ',') continue;
    if (*behind == '=') ++behind;
    behind += strspn(behind, " \t\"");
    size_t n = strcspn(behind, ",\"");
    while (n && isspace((unsigned char)behind[n - 1])) --n;
    snprintf(out, size, "%.*s", (int)n, behind);
    return true;
  }
  out[0] = '\0';
  return false;
}

/* Is the card this keyword? */
static bool is_keyword(const char *card, const char *word) {
  const size_t length = strlen(word);
  if (strncasecmp(card + 1, word, length) != 0) return false;
  const char *behind = card + 1 + length + strspn(card + 1 + length, " \t");
  return !*behind || *behind == ',';
}

static int find_set(const mesh_set *set, int count, const char *name) {
  for (int i = 0; i < count; ++i)
    if (!strcasecmp(set[i].name, name)) return i;
  return -1;
}

/* The set `name`, which is made where there is none; data lines then fill it. */
static torsor_status open_set(reading *in, const char *name, bool of_nodes) {
  mesh *m = in->m;
  mesh_set **list = of_nodes ? &m->node_set : &m->element_set;
  int *count = of_nodes ? &m->node_sets : &m->element_sets;
  in->set_of_nodes = of_nodes;
  in->set = find_set(*list, *count, name);
  if (in->set >= 0) return TORSOR_OK;
  if (!lines_grow((void **)list, *count, sizeof **list)) return out_of_memory(in);
  in->set = *count;
  (*list)[(*count)++] = (mesh_set){.place = place_of(in)};
  snprintf((*list)[in->set].name, sizeof(*list)[in->set].name, "%s", name);
  return TORSOR_OK;
}

static torsor_status add_item(reading *in, set_item item) {
  if (!lines_grow((void **)&in->item, in->items, sizeof *in->item)) return out_of_memory(in);
  item.set = in->set;
  item.of_node = in->set_of_nodes;
  item.place = place_of(in);
  in->item[in->items++] = item;
  return TORSOR_OK;
}

static torsor_status read_file(reading *in, const char *file);

static torsor_status include(reading *in, const char *card) {
  char name[300], path[640];
  if (!find_parameter(name, sizeof name, card, "INPUT") || !name[0])
    return lines_fail(in->r, in->r->number, "*INCLUDE, INPUT=file", "names no file to include");
  if (in->depth >= 8)
    return lines_fail(in->r, in->r->number, "a file must not include itself",
                      "includes files eight deep");
  if (!lines_beside(path, sizeof path, in->r->name, name))
    return lines_fail(in->r, in->r->number, "", "the name of the file is too long");
  return read_file(in, path);
}

static torsor_status begin_set(reading *in, const char *card, bool of_nodes) {
  char name[84], from[84], word[8];
  const char *key = of_nodes ? "NSET" : "ELSET";
  if (!find_parameter(name, sizeof name, card, key) || !name[0])
    return lines_fail(in->r, in->r->number, of_nodes ? "*NSET, NSET=NAME" : "*ELSET, ELSET=NAME",
                      "a set has no name");
  in->in = of_nodes ? NODE_SET : ELEMENT_SET;
  in->generate = find_parameter(word, sizeof word, card, "GENERATE");
  torsor_status status = open_set(in, name, of_nodes);
  if (!status && of_nodes && find_parameter(from, sizeof from, card, "ELSET")) {
    set_item item = {.elements = true};
    memcpy(item.name, from, sizeof item.name);
    status = add_item(in, item);
  }
  return status;
}

/* Acts on a keyword: the lines behind it belong to the section that it begins. */
static torsor_status read_keyword(reading *in, const char *card) {
  char name[84];
  in->in = OTHER;
  in->continues = false;
  in->set = -1;
  if (is_keyword(card, "INCLUDE")) return include(in, card);
  if (is_keyword(card, "INSTANCE") || is_keyword(card, "PART"))
    return lines_fail(in->r, in->r->number,
                      "write a flat input file: in Abaqus/CAE \"Do not use parts and assemblies in "
                      "input files\" of the model's attributes",
                      "meshes of parts and instances are not read");
  if (is_keyword(card, "NSET")) return begin_set(in, card, true);
  if (is_keyword(card, "ELSET")) return begin_set(in, card, false);
  if (is_keyword(card, "NODE")) {
    in->in = NODES;
    if (!find_parameter(name, sizeof name, card, "NSET") || !name[0]) return TORSOR_OK;
    return open_set(in, name, true);
  }
  if (!is_keyword(card, "ELEMENT")) return TORSOR_OK;
  in->in = ELEMENTS;
  if (!find_parameter(in->type, sizeof in->type, card, "TYPE") || !in->type[0])
    return lines_fail(in->r, in->r->number, "*ELEMENT, TYPE=C3D8", "elements have no type");
  for (char *c = in->type; *c; ++c) *c = (char)toupper((unsigned char)*c);
  if (!find_parameter(name, sizeof name, card, "ELSET") || !name[0]) return TORSOR_OK;
  return open_set(in, name, false);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Passes over blanks and one comma; false where something else is there. */
static bool pass_comma(char **at) {
  *at += strspn(*at, " \t");
  if (!**at) return true;
  if (**at != ',') return false;
  *at += 1 + strspn(*at + 1, " \t");
  return true;
}

static torsor_status read_node(reading *in, char *at) {
  static const char hint[] = "number, x, y, z";
  mesh *m = in->m;
  double x[3] = {0};
  long id = 0;
  if (!lines_count(&id, &at) || !pass_comma(&at))
    return lines_fail(in->r, in->r->number, hint, "is no node");
  for (int k = 0; k < 3 && *at; ++k)
    if ((*at != ',' && !lines_number(&x[k], &at)) || !pass_comma(&at))
      return lines_fail(in->r, in->r->number, hint, "has a coordinate that is no number");
  if (!lines_grow((void **)&m->node, m->nodes, sizeof *m->node)) return out_of_memory(in);
  m->node[m->nodes++] = (mesh_node){id, v3_load(x), place_of(in)};
  return in->set < 0 ? TORSOR_OK : add_item(in, (set_item){.first = id, .last = id, .step = 1});
}

/* The nodes of an element go on in the next line where a line ends with a comma. */
static torsor_status read_element(reading *in, char *at) {
  mesh *m = in->m;
  long id = 0;
  if (!in->continues) {
    if (!lines_count(&id, &at) || !pass_comma(&at))
      return lines_fail(in->r, in->r->number, "number, nodes", "is no element");
    if (!lines_grow((void **)&m->element, m->elements, sizeof *m->element))
      return out_of_memory(in);
    mesh_element *e = &m->element[m->elements++];
    *e = (mesh_element){.id = id, .first = in->ids, .place = place_of(in)};
    memcpy(e->type, in->type, sizeof e->type);
    if (in->set >= 0) {
      const torsor_status status = add_item(in, (set_item){.first = id, .last = id, .step = 1});
      if (status) return status;
    }
  }
  in->continues = false;
  while (*at) {
    if (!lines_count(&id, &at) || (*at && !strchr(" \t,", *at)))
      return lines_fail(in->r, in->r->number, "number, nodes", "has a node that is no number");
    if (!lines_grow((void **)&in->id, in->ids, sizeof *in->id)) return out_of_memory(in);
    in->id[in->ids++] = id;
    ++m->element[m->elements - 1].count;
    in->continues = at[strspn(at, " \t")] == ',';
    if (!pass_comma(&at))
      return lines_fail(in->r, in->r->number, "number, nodes", "numbers need commas between them");
  }
  return TORSOR_OK;
}

static torsor_status read_range(reading *in, char *at) {
  set_item item = {.step = 1};
  if (!lines_count(&item.first, &at) || !pass_comma(&at) || !lines_count(&item.last, &at) ||
      !pass_comma(&at) || (*at && !lines_count(&item.step, &at)) || item.last < item.first)
    return lines_fail(in->r, in->r->number, "first, last, step", "is no range of numbers");
  return add_item(in, item);
}

static torsor_status read_members(reading *in, char *at) {
  if (in->generate) return read_range(in, at);
  while (*at) {
    set_item item = {.step = 1};
    if (isdigit((unsigned char)*at)) {
      if (!lines_count(&item.first, &at) || !pass_comma(&at))
        return lines_fail(in->r, in->r->number, "numbers with commas between them",
                          "has a member that is no number");
      item.last = item.first;
    } else {
      size_t n = strcspn(at, ",");
      snprintf(item.name, sizeof item.name, "%.*s", (int)n, at);
      for (size_t k = strlen(item.name); k && isspace((unsigned char)item.name[k - 1]);)
        item.name[--k] = '\0';
      at += n;
      pass_comma(&at);
      if (!item.name[0]) continue;
    }
    const torsor_status status = add_item(in, item);
    if (status) return status;
  }
  return TORSOR_OK;
}

static torsor_status read_data(reading *in, char *line) {
  line += strspn(line, " \t");
  if (!*line) return TORSOR_OK;
  switch (in->in) {
  case NODES:
    return read_node(in, line);
  case ELEMENTS:
    return read_element(in, line);
  case NODE_SET:
  case ELEMENT_SET:
    return read_members(in, line);
  case OTHER:
    break;
  }
  return TORSOR_OK;
}

/* A keyword may go on over lines that end with a comma. */
static torsor_status read_card(reading *in, char *line) {
  char card[512];
  snprintf(card, sizeof card, "%s", line);
  for (;;) {
    size_t n = strlen(card);
    while (n && isspace((unsigned char)card[n - 1])) --n;
    if (!n || card[n - 1] != ',') break;
    char *more = lines_next(in->r);
    if (!more) break;
    snprintf(card + n, sizeof card - n, "%s", more);
  }
  return read_keyword(in, card);
}

static torsor_status add_file(reading *in, const char *file) {
  mesh *m = in->m;
  if (!lines_grow((void **)&m->file, m->files, sizeof *m->file)) return out_of_memory(in);
  in->file = m->files;
  snprintf(m->file[m->files++], sizeof *m->file, "%s", file);
  return TORSOR_OK;
}

static torsor_status read_file(reading *in, const char *file) {
  line_reader r, *const outer = in->r;
  const int outer_file = in->file;
  torsor_status status = add_file(in, file);
  if (status) return status;
  status = lines_open(&r, file, in->error);
  if (status == TORSOR_FILE && outer)
    return lines_fail(outer, outer->number, "the name is relative to this file",
                      "the file \"%s\" cannot be read", file);
  if (status) return status;
  in->r = &r;
  ++in->depth;
  for (char *line = lines_next(&r); line && !status; line = status ? NULL : lines_next(&r)) {
    if (line[0] == '*' && line[1] == '*') continue;
    status = line[0] == '*' ? read_card(in, line) : read_data(in, line);
  }
  if (!status) status = lines_status(&r);
  lines_close(&r);
  in->r = outer;
  in->file = outer_file;
  --in->depth;
  return status;
}

/* ---- from numbers to indices ----------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b) {
  const mesh_node *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  if (x->place.file != y->place.file) return x->place.file < y->place.file ? -1 : 1;
  return (x->place.line > y->place.line) - (x->place.line < y->place.line);
}

static torsor_status sort_nodes(reading *in) {
  mesh *m = in->m;
  if (m->nodes) qsort(m->node, (size_t)m->nodes, sizeof *m->node, compare_nodes);
  for (int i = 1; i < m->nodes; ++i)
    if (m->node[i].id == m->node[i - 1].id)
      return mesh_fail(m, m->node[i].place, in->error, "number nodes from 1, each once",
                       "the node %ld is also that of line %d of %s", m->node[i].id,
                       m->node[i - 1].place.line, m->file[m->node[i - 1].place.file]);
  return TORSOR_OK;
}

static torsor_status resolve_elements(reading *in) {
  mesh *m = in->m;
  m->member = calloc((size_t)in->ids + 1, sizeof *m->member);
  if (!m->member) return out_of_memory(in);
  for (int i = 0; i < m->elements; ++i) {
    const mesh_element *e = &m->element[i];
    for (int k = e->first; k < e->first + e->count; ++k) {
      m->member[k] = mesh_find_node(m, in->id[k]);
      if (m->member[k] < 0)
        return mesh_fail(m, e->place, in->error, "",
                         "the element %ld has a node %ld that does not exist", e->id, in->id[k]);
    }
  }
  m->members = in->ids;
  return TORSOR_OK;
}

/* Marks that a set contains indices of nodes or of elements: mark [nodes or elements]. */
static torsor_status mark_item(unsigned char *mark, const reading *in, const set_item *item,
                               int depth);

static torsor_status mark_set(unsigned char *mark, const reading *in, int set, bool of_node,
                              int depth, mesh_place place) {
  if (depth > 16) return mesh_fail(in->m, place, in->error, "", "a set contains itself");
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < in->items && !status; ++i)
    if (in->item[i].set == set && in->item[i].of_node == of_node)
      status = mark_item(mark, in, &in->item[i], depth);
  return status;
}

static torsor_status mark_nodes_of(unsigned char *mark, const reading *in, const set_item *item,
                                   int set, int depth) {
  const mesh *m = in->m;
  unsigned char *elements = calloc((size_t)m->elements + 1, 1);
  if (!elements) return out_of_memory(in);
  const torsor_status status = mark_set(elements, in, set, false, depth + 1, item->place);
  for (int i = 0; !status && i < m->elements; ++i)
    for (int k = 0; elements[i] && k < m->element[i].count; ++k)
      mark[m->member[m->element[i].first + k]] = 1;
  free(elements);
  return status;
}

static torsor_status mark_name(unsigned char *mark, const reading *in, const set_item *item,
                               int depth) {
  const mesh *m = in->m;
  const bool nodes = item->of_node && !item->elements;
  const int set = nodes ? find_set(m->node_set, m->node_sets, item->name)
                        : find_set(m->element_set, m->element_sets, item->name);
  if (set < 0)
    return mesh_fail(in->m, item->place, in->error, "", "there is no set of %s \"%s\"",
                     nodes ? "nodes" : "elements", item->name);
  if (item->elements) return mark_nodes_of(mark, in, item, set, depth);
  return mark_set(mark, in, set, item->of_node, depth + 1, item->place);
}

static int find_element(const mesh *m, long id) {
  for (int i = 0; i < m->elements; ++i)
    if (m->element[i].id == id) return i;
  return -1;
}

static torsor_status mark_item(unsigned char *mark, const reading *in, const set_item *item,
                               int depth) {
  if (item->name[0]) return mark_name(mark, in, item, depth);
  for (long id = item->first; id <= item->last; id += item->step) {
    /* elements come in the order of their numbers nearly always */
    const bool near = !item->of_node && id <= in->m->elements && in->m->element[id - 1].id == id;
    const int at = near            ? (int)id - 1
                   : item->of_node ? mesh_find_node(in->m, id)
                                   : find_element(in->m, id);
    if (at < 0)
      return mesh_fail(in->m, item->place, in->error, "", "the set has %s %ld that does not exist",
                       item->of_node ? "a node" : "an element", id);
    mark[at] = 1;
  }
  return TORSOR_OK;
}

static torsor_status resolve_sets(reading *in, bool of_node) {
  mesh *m = in->m;
  const int sets = of_node ? m->node_sets : m->element_sets;
  const int most = of_node ? m->nodes : m->elements;
  unsigned char *mark = malloc((size_t)most + 1);
  torsor_status status = mark ? TORSOR_OK : out_of_memory(in);
  for (int i = 0; i < sets && !status; ++i) {
    mesh_set *set = of_node ? &m->node_set[i] : &m->element_set[i];
    memset(mark, 0, (size_t)most + 1);
    status = mark_set(mark, in, i, of_node, 0, set->place);
    if (status) break;
    for (int k = 0; k < most; ++k) set->count += mark[k];
    int *more =
        realloc(m->member, ((size_t)m->members + (size_t)set->count + 1) * sizeof *m->member);
    if (!more) {
      set->count = 0;
      status = out_of_memory(in);
      break;
    }
    m->member = more;
    set->first = m->members;
    for (int k = 0; k < most; ++k)
      if (mark[k]) m->member[m->members++] = k;
  }
  free(mark);
  return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

torsor_status mesh_read_inp(mesh *out, const char *file, torsor_error *error) {
  *out = (mesh){0};
  reading in = {.m = out, .error = error, .set = -1};
  torsor_status status = read_file(&in, file);
  if (!status && !out->nodes)
    status = mesh_fail(out, (mesh_place){0}, error, "the keyword *NODE begins them",
                       "the mesh has no nodes");
  if (!status) status = sort_nodes(&in);
  if (!status) status = resolve_elements(&in);
  if (!status) status = resolve_sets(&in, true);
  if (!status) status = resolve_sets(&in, false);
  free(in.item);
  free(in.id);
  return status;
}

void mesh_release(mesh *m) {
  free(m->file);
  free(m->node);
  free(m->element);
  free(m->node_set);
  free(m->element_set);
  free(m->member);
  *m = (mesh){0};
}

torsor_status mesh_fail(const mesh *m, mesh_place place, torsor_error *error, const char *hint,
                        const char *format, ...) {
  char message[400];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  const line_reader at = {.name = m->file[place.file], .error = error};
  return lines_fail(&at, place.line, hint, "%s", message);
}

int mesh_find_node(const mesh *m, long id) {
  int low = 0, high = m->nodes - 1;
  while (low <= high) {
    const int middle = (low + high) / 2;
    if (m->node[middle].id == id) return middle;
    if (m->node[middle].id < id)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

const mesh_set *mesh_find_node_set(const mesh *m, const char *name) {
  const int i = find_set(m->node_set, m->node_sets, name);
  return i < 0 ? NULL : &m->node_set[i];
}

const mesh_set *mesh_find_element_set(const mesh *m, const char *name) {
  const int i = find_set(m->element_set, m->element_sets, name);
  return i < 0 ? NULL : &m->element_set[i];
}

const char *mesh_list_sets(char *out, size_t size, const mesh_set *set, int count) {
  size_t n = 0;
  out[0] = '\0';
  for (int i = 0; i < count && n + 2 < size; ++i)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", set[i].name);
  if (n >= size) memcpy(out + size - 4, "...", 4);
  return out;
}
