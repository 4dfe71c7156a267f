/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Scenes that are nearly right: an example of an element type, or a scene of several types,
 * changed as the bytes say.  They are well-formed JSON, and get further than a text does. */
#include "fuzz/fuzz.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <torsor/torsor.h>

/* The bytes, one decision after the other; zeros when they have come to an end. */
typedef struct decisions {
  const uint8_t *byte;
  size_t left;
} decisions;

static unsigned decide(decisions *d, unsigned choices) {
  if (!d->left) return 0;
  --d->left;
  return *d->byte++ % choices;
}

static const double numbers[] = {0,       -0.0,  1,     -1,           0.5,   2,      1e-3,
                                 1e3,     1e-8,  1e8,   1e-30,        1e30,  1e-300, 1e300,
                                 3.14159, -9.81, 1e-16, 4294967296.0, -1e-9, 7};
static const char *const texts[] = {"",
                                    "ground",
                                    "t",
                                    "1/0",
                                    "load",
                                    "i",
                                    "sin(t)",
                                    "2*t^2 + 1",
                                    "SE3",
                                    "SO3",
                                    "R3xSO3",
                                    "index3",
                                    "ggl",
                                    "soi2",
                                    "radau",
                                    "explicit",
                                    "auto",
                                    "rattle",
                                    "hht_odae",
                                    "generalized_alpha",
                                    "equilibrium",
                                    "steady",
                                    "perturbed",
                                    "plain",
                                    "block",
                                    "klu",
                                    "umfpack",
                                    "a.start",
                                    "a.end",
                                    "hinge.angle",
                                    "${i}",
                                    "exp(9e9*t)"};
#define LENGTH(array) ((unsigned)(sizeof(array) / sizeof *(array)))

static cJSON *make_value(decisions *d) {
  switch (decide(d, 7)) {
  case 0:
  case 1:
    return cJSON_CreateNumber(numbers[decide(d, LENGTH(numbers))]);
  case 2:
    return cJSON_CreateString(texts[decide(d, LENGTH(texts))]);
  case 3:
    return cJSON_CreateBool(decide(d, 2) == 1);
  case 4: {
    const double vector[] = {numbers[decide(d, LENGTH(numbers))],
                             numbers[decide(d, LENGTH(numbers))],
                             numbers[decide(d, LENGTH(numbers))]};
    return cJSON_CreateDoubleArray(vector, 3);
  }
  case 5:
    return cJSON_CreateObject();
  default:
    return cJSON_CreateNull();
  }
}

/* A value somewhere in the tree and what it stands in. */
static cJSON *walk(cJSON **parent, cJSON *root, decisions *d) {
  cJSON *item = root;
  *parent = NULL;
  for (int depth = 0; depth < 6 && item->child; ++depth) {
    if (*parent && decide(d, 4) == 0) break;
    *parent = item;
    item = item->child;
    for (unsigned k = decide(d, 12); k && item->next; --k) item = item->next;
  }
  return item;
}

static void replace(cJSON *parent, cJSON *item, cJSON *value) {
  if (!value || !cJSON_ReplaceItemViaPointer(parent, item, value)) cJSON_Delete(value);
}

/* cJSON_ReplaceItemViaPointer leaves the name to the caller. */
static cJSON *with_name(cJSON *value, const cJSON *item) {
  if (value && item->string) {
    free(value->string);
    value->string = malloc(strlen(item->string) + 1);
    if (value->string) strcpy(value->string, item->string);
  }
  return value;
}

static void change(cJSON *root, decisions *d) {
  cJSON *parent, *other_parent, *item = walk(&parent, root, d);
  if (!parent) return;
  const unsigned kind = decide(d, 6);
  if (kind <= 1) {
    replace(parent, item, with_name(make_value(d), item));
  } else if (kind == 2) {
    cJSON_Delete(cJSON_DetachItemViaPointer(parent, item));
  } else if (kind == 3 && cJSON_IsArray(parent)) {
    cJSON_AddItemToArray(parent, cJSON_Duplicate(item, 1));
  } else if (kind == 3 && cJSON_IsNumber(item)) {
    cJSON_SetNumberValue(item, item->valuedouble * numbers[decide(d, LENGTH(numbers))]);
  } else if (kind == 4) {
    const cJSON *other = walk(&other_parent, root, d);
    if (other_parent) replace(parent, item, with_name(cJSON_Duplicate(other, 1), item));
  } else if (cJSON_IsObject(parent)) {
    const cJSON *other = walk(&other_parent, root, d);
    if (other->string && !cJSON_GetObjectItemCaseSensitive(parent, other->string))
      cJSON_AddItemToObject(parent, other->string, make_value(d));
  }
}

static const char settings[] = "{\"method\": \"generalized_alpha\", \"rho_inf\": 0.8, "
                               "\"formulation\": \"ggl\", \"start\": \"perturbed\", \"step\": "
                               "0.01, \"duration\": 0.03, \"max_halvings\": 2, \"max_iterations\": "
                               "8, \"linear_solver\": \"block\"}";

/* Elements of the examples of two types in one scene. */
static cJSON *make_scene(decisions *d, const torsor_registry *registry) {
  const unsigned types = (unsigned)torsor_registry_count(registry);
  cJSON *scene = cJSON_Parse(torsor_registry_at(registry, (int)decide(d, types))->example);
  if (!scene) scene = cJSON_CreateObject();
  if (!cJSON_GetObjectItem(scene, "torsor")) cJSON_AddNumberToObject(scene, "torsor", 1);
  if (decide(d, 2)) {
    cJSON *other = cJSON_Parse(torsor_registry_at(registry, (int)decide(d, types))->example);
    static const char *const lists[] = {"bodies", "joints", "forces"};
    for (int i = 0; other && i < 3; ++i) {
      cJSON *from = cJSON_GetObjectItem(other, lists[i]),
            *to = cJSON_GetObjectItem(scene, lists[i]);
      if (from && !to)
        cJSON_AddItemToObject(scene, lists[i], cJSON_DetachItemViaPointer(other, from));
      while (from && to && from->child)
        cJSON_AddItemToArray(to, cJSON_DetachItemViaPointer(from, from->child));
    }
    cJSON_Delete(other);
  }
  if (!cJSON_GetObjectItem(scene, "simulation"))
    cJSON_AddItemToObject(scene, "simulation", cJSON_Parse(settings));
  if (!cJSON_GetObjectItem(scene, "gravity")) {
    const double gravity[] = {0, 0, -9.81};
    cJSON_AddItemToObject(scene, "gravity", cJSON_CreateDoubleArray(gravity, 3));
  }
  return scene;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static torsor_registry *registry;
  if (!registry) registry = torsor_registry_create(NULL);
  decisions d = {bytes, size};
  cJSON *scene = make_scene(&d, registry);
  for (unsigned k = decide(&d, 12); k; --k) change(scene, &d);
  char *text = cJSON_PrintUnformatted(scene);
  cJSON_Delete(scene);
  if (text) fuzz_scene(text, strlen(text));
  free(text);
  return 0;
}
