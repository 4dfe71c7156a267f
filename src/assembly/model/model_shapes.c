/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "assembly/model/model.h"

torsor_status torsor_builder_shape(torsor_builder *builder, const char *body,
                                   const torsor_solid *solid, int count, torsor_error *error) {
  torsor_model *model = builder_model(builder);
  const bool ground = strcmp(body, "ground") == 0;
  const int element = ground ? -1 : builder_find(builder, body);
  if (!ground && (element < 0 || !model->element[element].body)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is no body with a frame of its own", body);
    torsor_hint(error, "leave \"shape\" out: beams are drawn with their section, superelements by "
                       "their interfaces");
    return TORSOR_SCENE;
  }
  torsor_solid *copy = arena_take(&model->memory, (size_t)count, sizeof *copy);
  if (!copy) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (count) memcpy(copy, solid, (size_t)count * sizeof *copy);
  if (ground) {
    model->ground_solid = copy;
    model->ground_solids = count;
    return TORSOR_OK;
  }
  model->element[element].shaped = true;
  model->element[element].solid = copy;
  model->element[element].solids = count;
  return TORSOR_OK;
}

/* ---- lists of bodies ------------------------------------------------------------------------- */

/* Does the name match a pattern in which "*" stands for any characters? */
static bool matches(const char *pattern, const char *name) {
  const char *star = NULL, *from = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = ++pattern;
      from = name;
    } else if (*pattern == *name) {
      ++pattern;
      ++name;
    } else if (star) {
      pattern = star;
      name = ++from;
    } else
      return false;
  }
  while (*pattern == '*') ++pattern;
  return !*pattern;
}

/* Marks the bodies of one name, the ground behind them; returns false where there are none. */
static bool mark(unsigned char *wanted, const torsor_builder *builder, const char *name) {
  const torsor_model *model = builder_model(builder);
  char room[MODEL_NAME_ROOM];
  bool found = false;
  if (!strcmp(name, "ground")) {
    wanted[model->element_count] = 1;
    return true;
  }
  if (!strchr(name, '*')) name = builder_name(builder, name, room);
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->body || e->nodes != 1 || !matches(name, e->name)) continue;
    wanted[i] = 1;
    found = true;
  }
  return found;
}

/* Lists the nodes that joints link with one node: out NULL counts them. */
static int list_links(int *out, const torsor_model *model, const int *first, const int *use,
                      int node) {
  int count = 0;
  for (int k = first[node]; k < first[node + 1]; ++k) {
    const model_element *e = &model->element[use[k]];
    for (int i = 0; i < e->nodes; ++i) {
      if (e->node[i] == node) continue;
      if (out) out[count] = e->node[i];
      ++count;
    }
  }
  return count;
}

/* The joints of each node: use[first[i]] to use[first[i + 1] - 1]. */
static bool list_joints(int **first, int **use, const torsor_model *model, arena *scratch) {
  size_t uses = 0;
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].type->kind == TORSOR_JOINT) uses += (size_t)model->element[i].nodes;
  *first = arena_take(scratch, (size_t)model->node_count + 2, sizeof **first);
  *use = arena_take(scratch, uses, sizeof **use);
  if (!*first || !*use) return false;
  for (int i = 0; i < model->element_count; ++i)
    for (int k = 0; model->element[i].type->kind == TORSOR_JOINT && k < model->element[i].nodes;
         ++k)
      ++(*first)[model->element[i].node[k] + 2];
  for (int i = 0; i < model->node_count; ++i) (*first)[i + 2] += (*first)[i + 1];
  for (int i = 0; i < model->element_count; ++i)
    for (int k = 0; model->element[i].type->kind == TORSOR_JOINT && k < model->element[i].nodes;
         ++k)
      (*use)[(*first)[model->element[i].node[k] + 1]++] = i;
  return true;
}

static void add_solids(torsor_member *to, const torsor_member *body, se3 frame,
                       const torsor_solid *solid, int count) {
  for (int k = 0; k < count; ++k) {
    to[k] = *body;
    to[k].solid = &solid[k];
    to[k].x = solid[k].frame.x;
    to[k].R = so3_matrix(solid[k].frame.R);
    to[k].x0 = v3_add(frame.x, so3_rotate(frame.R, solid[k].frame.x));
  }
}

/* Fills the list of those that are wanted. */
static bool fill(torsor_bodies *out, torsor_model *model, const unsigned char *wanted,
                 arena *scratch) {
  const int elements = model->element_count;
  int *first, *use, solids = wanted[elements] ? model->ground_solids : 0, nodes = 0;
  for (int i = 0; i < elements; ++i) {
    solids += wanted[i] ? model->element[i].solids : 0;
    nodes += wanted[i];
  }
  torsor_member *member = arena_take(&model->memory, (size_t)solids + 1, sizeof *member);
  int *node = arena_take(&model->memory, (size_t)nodes + 1, sizeof *node);
  if (!member || !node || !list_joints(&first, &use, model, scratch)) return false;
  *out = (torsor_bodies){.member = member, .node = node};
  for (int i = 0; i < elements; ++i) {
    const model_element *e = &model->element[i];
    if (!wanted[i]) continue;
    const int links = list_links(NULL, model, first, use, e->node[0]);
    int *linked = arena_take(&model->memory, (size_t)links + 1, sizeof *linked);
    if (!linked) return false;
    list_links(linked, model, first, use, e->node[0]);
    const torsor_member body = {
        .side = out->nodes, .body = e->name, .linked = linked, .links = links, .node = e->node[0]};
    add_solids(member + out->count, &body, model->node[e->node[0]].init.frame, e->solid, e->solids);
    node[out->nodes++] = e->node[0];
    out->count += e->solids;
  }
  const torsor_member ground = {.side = -1, .body = "ground", .node = TORSOR_GROUND};
  if (wanted[elements])
    add_solids(member + out->count, &ground, (se3){.R = so3_identity()}, model->ground_solid,
               model->ground_solids);
  out->count += wanted[elements] ? model->ground_solids : 0;
  return true;
}

/* Fails where a body of the list has no solids or no orientation. */
static torsor_status check_bodies(const torsor_model *model, const unsigned char *wanted,
                                  torsor_error *error) {
  for (int i = 0; i <= model->element_count; ++i) {
    const bool ground = i == model->element_count;
    const model_element *e = &model->element[i];
    if (!wanted[i]) continue;
    if (ground ? !model->ground_solids : !e->solids) {
      torsor_fail(error, TORSOR_SCENE, "\"%s\" has no shape", ground ? "ground" : e->name);
      torsor_hint(error, "add \"shape\" to it, or leave it out");
      return TORSOR_SCENE;
    }
    if (ground || model->node[e->node[0]].init.group != TORSOR_GROUP_R3) continue;
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has no orientation to touch with", e->name);
    torsor_hint(error, "make it a rigid_body");
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}

torsor_status torsor_builder_bodies(torsor_bodies *out, const torsor_builder *builder,
                                    const char *const *names, int count, int *which,
                                    torsor_error *error) {
  torsor_model *model = builder_model(builder);
  unsigned char *wanted = calloc((size_t)model->element_count + 1, 1);
  arena scratch = {0};
  torsor_status status = wanted ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (*which = 0; !status && *which < count; ++*which) {
    if (mark(wanted, builder, names[*which])) continue;
    torsor_fail(error, TORSOR_SCENE, "no body is called \"%s\"", names[*which]);
    torsor_hint(error, "name bodies with a \"shape\", or \"ground\"; * stands for any characters");
    status = TORSOR_SCENE;
    break;
  }
  if (!status) status = check_bodies(model, wanted, error);
  if (!status && !fill(out, model, wanted, &scratch))
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  arena_release(&scratch);
  free(wanted);
  return status;
}
