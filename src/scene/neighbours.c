/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The neighbouring models of the parameters by which signals are differentiated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene_private.h"
#include "scene/set.h"

/* Steps of the differences over the scale of a parameter: rounding is eps over it, and differences
 * of order 8 leave its eighth power.  Where there are events, all neighbours must have them in the
 * same step, and are nearer. */
static const double STEP = 1.0 / 128, EVENT_STEP = 1.0 / 131072;

/* The parameters with the models, and what owns them. */
typedef struct neighbours {
  torsor_sensitivities by; /* must be first */
  arena memory;
  torsor_scene **scene; /* [built] */
  torsor_model **model; /* [built] */
  int built;
  const char **name;
  double *step;
} neighbours;

/* A number of the scene. */
typedef struct quantity {
  char path[SENSITIVITY_NAME + 16];
  double value;
} quantity;

/* Fails at entry i of the list. */
static torsor_status fail_at(const torsor_scene *scene, int i, torsor_status status,
                             torsor_error *error) {
  const reader r = scene_reader(scene, error);
  const json_node root = json_root(scene->root), list = json_member(&root, "sensitivities");
  const json_node entry = json_item(&list, cJSON_GetArrayItem(list.item, i), i);
  reader_place(&r, &entry.path, false);
  if (status == TORSOR_ARGUMENT) status = TORSOR_SCENE;
  if (error) error->status = status;
  return status;
}

/* Finds the number that is meant: a parameter or, where there is none of the name, a path. */
static torsor_status find_quantity(quantity *out, const torsor_scene *scene, int i, arena *memory,
                                   torsor_error *error) {
  const char *name = scene->sensitivity[i].name;
  const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(scene->root, "parameters");
  const bool parameter = cJSON_GetObjectItemCaseSensitive(parameters, name) != NULL;
  const reader r = scene_reader(scene, error);
  json_node node;
  if (strlen(name) >= SENSITIVITY_NAME)
    return torsor_fail(error, TORSOR_SCENE, "the path is too long");
  snprintf(out->path, sizeof out->path, "%s%s", parameter ? "parameters." : "", name);
  torsor_status status = set_find(&node, scene->root, memory, out->path, error);
  if (status) {
    torsor_fail(error, TORSOR_SCENE, "there is no parameter or number \"%s\"", name);
    torsor_hint(error, "give the name of a parameter, or a path such as bodies[0].mass or "
                       "bodies.top.mass");
    return TORSOR_SCENE;
  }
  if (!cJSON_IsNumber(node.item) && !cJSON_IsString(node.item)) {
    char shown[96];
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is no number, but %s", name,
                reader_show(node.item, shown));
    torsor_hint(error, "name one of its numbers, such as %s[0]", name);
    return TORSOR_SCENE;
  }
  status = reader_number(&out->value, &r, &node);
  if (status)
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is no number that could have another value", name);
  return status ? TORSOR_SCENE : TORSOR_OK;
}

/* Builds the model with another value. */
static torsor_status build(neighbours *n, const torsor_scene *scene, const quantity *q,
                           double value, torsor_error *error) {
  char set[sizeof q->path + 32];
  const char *const sets[] = {set};
  const scene_change *changes;
  snprintf(set, sizeof set, "%s=%.17g", q->path, value);
  cJSON *root = cJSON_Duplicate(scene->root, true);
  if (!root) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  torsor_status status = set_apply(&changes, root, &n->memory, sets, 1, error);
  if (!status) status = scene_from_tree(&n->scene[n->built], root, scene->registry, error);
  cJSON_Delete(root);
  if (status) return status;
  status = torsor_scene_model(&n->model[n->built], n->scene[n->built], error);
  if (status) torsor_scene_destroy(n->scene[n->built]);
  n->built += !status;
  return status;
}

static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* Refuses a parameter that the times or the method of the simulation depend on: the neighbours take
 * the steps of the motion itself. */
static torsor_status check_simulation(const torsor_scene *scene, const torsor_scene *other,
                                      torsor_error *error) {
  const torsor_simulation *a = torsor_scene_simulation(scene);
  const torsor_simulation *b = torsor_scene_simulation(other);
  const torsor_settings *s = &a->settings, *o = &b->settings;
  if (same(a->duration, b->duration) && a->every == b->every &&
      same(a->output_step, b->output_step) && same(s->step, o->step) && same(s->atol, o->atol) &&
      same(s->rtol, o->rtol) && same(s->reaction_weight, o->reaction_weight) &&
      memcmp(&s->alpha, &o->alpha, sizeof s->alpha) == 0 &&
      memcmp(&s->accuracy, &o->accuracy, sizeof s->accuracy) == 0)
    return TORSOR_OK;
  return torsor_fail(error, TORSOR_SCENE,
                     "the simulation itself changes with it, as its duration or its step");
}

static torsor_status build_all(neighbours *n, const torsor_scene *scene, int j, double reach,
                               torsor_error *error) {
  quantity q;
  const sensitivity_request *request = &scene->sensitivity[j];
  torsor_status status = find_quantity(&q, scene, j, &n->memory, error);
  if (status) return fail_at(scene, j, status, error);
  const double scale = request->scale > 0 ? request->scale : fabs(q.value);
  if (!(scale > 0)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is 0, which does not say what a small change is",
                request->name);
    torsor_hint(error, "write {\"parameter\": \"%s\", \"scale\": 0.1}", request->name);
    return fail_at(scene, j, TORSOR_SCENE, error);
  }
  /* a step of one binary digit: values differ from each other by it to the bit, or nearly so */
  n->step[j] = ldexp(1, (int)floor(log2(scale * reach)));
  n->name[j] = request->name;
  for (int k = -TORSOR_NEIGHBOURS / 2; k <= TORSOR_NEIGHBOURS / 2 && !status; ++k) {
    torsor_error why = {0};
    const double value = q.value + k * n->step[j];
    if (k) status = build(n, scene, &q, value, &why);
    if (k && !status) status = check_simulation(scene, n->scene[n->built - 1], &why);
    if (!status) continue;
    torsor_fail(error, status, "there is no model with %s = %.9g, near its value: %.380s",
                request->name, value, why.message);
    return fail_at(scene, j, status, error);
  }
  return TORSOR_OK;
}

static bool has_events(const torsor_model *model) {
  return torsor_model_event(model, 0) != NULL;
}

torsor_status torsor_scene_sensitivities(torsor_sensitivities **out, const torsor_scene *scene,
                                         const torsor_model *model, torsor_error *error) {
  const size_t count = (size_t)scene->sensitivities, models = count * TORSOR_NEIGHBOURS;
  *out = NULL;
  if (!count) return TORSOR_OK;
  neighbours *n = calloc(1, sizeof *n);
  if (!n) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  n->by.size = sizeof n->by;
  n->scene = arena_take(&n->memory, models, sizeof *n->scene);
  n->model = arena_take(&n->memory, models, sizeof *n->model);
  n->name = arena_take(&n->memory, count, sizeof *n->name);
  n->step = arena_take(&n->memory, count, sizeof *n->step);
  torsor_status status = TORSOR_OK;
  if (!n->scene || !n->model || !n->name || !n->step)
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  const double reach = has_events(model) ? EVENT_STEP : STEP;
  for (int j = 0; j < scene->sensitivities && !status; ++j)
    status = build_all(n, scene, j, reach, error);
  n->by.count = scene->sensitivities;
  n->by.name = n->name;
  n->by.step = n->step;
  n->by.neighbour = n->model;
  if (status)
    torsor_scene_sensitivities_destroy(&n->by);
  else
    *out = &n->by;
  return status;
}

void torsor_scene_sensitivities_destroy(torsor_sensitivities *sensitivities) {
  if (!sensitivities) return;
  neighbours *n = (neighbours *)(void *)sensitivities; /* its first member */
  for (int i = 0; i < n->built; ++i) {
    torsor_model_destroy(n->model[i]);
    torsor_scene_destroy(n->scene[i]);
  }
  arena_release(&n->memory);
  free(n);
}
