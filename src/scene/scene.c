/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/scene_private.h"

#include <stdlib.h>
#include <string.h>

#include "scene/canonical.h"
#include "scene/json_scan.h"
#include "scene/market.h"
#include "scene/parameters.h"
#include "scene/recording.h"
#include "scene/sections.h"
#include "scene/set.h"
#include "scene/shown_units.h"
#include "scene/simulation.h"
#include "scene/source.h"
#include "scene/linear.h"
#include "scene/periodic.h"
#include "scene/statics.h"
#include "scene/table_file.h"

/* Most wall time (s) that a killed run loses. */
static const double USUAL_CHECKPOINT = 60;

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

void torsor_scene_destroy(torsor_scene *scene) {
  if (!scene) return;
  cJSON_Delete(scene->root);
  include_release(&scene->parts);
  free(scene->text);
  torsor_text_free(scene->canonical);
  functions_destroy(scene->functions);
  arena_release(&scene->memory);
  free(scene);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* `making`: the scene is a draft whose included files have not been read yet. */
static torsor_status check_top(const reader *r, const json_node *root, bool making) {
  static const char *const keys[] = {
      "torsor",     "$schema",    "title",         "parameters", "inputs", "controllers", "gravity",
      "group",      "placement",  "functions",     "bodies",     "joints", "forces",      "events",
      "simulation", "output",     "sections",      "statics",    "linear", "periodic",    "ground",
      "models",     "assemblies", "sensitivities", "signals",    "include"};
  return reader_object(r, root, "a scene", keys, sizeof keys / sizeof *keys - !making);
}

static torsor_status check_format(const reader *r, const json_node *root) {
  const json_node format = json_member(root, "torsor");
  char shown[96];
  if (!format.item)
    return reader_fail(r, &format, "a scene begins with \"torsor\": 1",
                       "is missing: the version of the scene format");
  if (cJSON_IsNumber(format.item) && format.item->valuedouble == 1) return TORSOR_OK;
  return reader_fail(r, &format, "write 1", "the version of the scene format must be 1, but is %s",
                     reader_show(format.item, shown));
}

static torsor_status read_group(torsor_group *out, const reader *r, const json_node *root) {
  static const char *const words[] = {"R3xSO3", "SE3"};
  const json_node group = json_member(root, "group");
  int chosen = 0;
  const torsor_status status = group.item ? reader_word(&chosen, r, &group, words, 2) : TORSOR_OK;
  *out = chosen ? TORSOR_GROUP_SE3 : TORSOR_GROUP_R3SO3;
  return status;
}

static torsor_status read_placement(bool *guess, const reader *r, const json_node *root) {
  static const char *const words[] = {"exact", "guess"};
  const json_node placement = json_member(root, "placement");
  int chosen = 0;
  const torsor_status status =
      placement.item ? reader_word(&chosen, r, &placement, words, 2) : TORSOR_OK;
  *guess = chosen == 1;
  return status;
}

static torsor_status read_signals(const char ***out, int *number, arena *memory, const reader *r,
                                  const json_node *node) {
  if (!node->item) return TORSOR_OK;
  torsor_status status = reader_array(r, node, "the signals");
  if (status) return status;
  const size_t count = (size_t)cJSON_GetArraySize(node->item);
  const char **signal = arena_take(memory, count, sizeof *signal);
  if (!signal) return out_of_memory(r->error);
  *out = signal;
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node name = json_item(node, item, i);
    char buffer[256];
    status = reader_pattern(&signal[i], buffer, sizeof buffer, r, &name);
    if (!status && signal[i] == buffer) {
      signal[i] = arena_string(memory, buffer);
      if (!signal[i]) status = out_of_memory(r->error);
    }
    *number = i + 1;
  }
  return status;
}

/* s of wall time. */
static torsor_status read_checkpoint(double *out, const reader *r, const json_node *output) {
  const json_node node = json_member(output, "checkpoint");
  const torsor_status status = node.item ? reader_number(out, r, &node) : TORSOR_OK;
  if (status || *out >= 0) return status;
  return reader_fail(r, &node, "seconds between two checkpoints, 0 for none",
                     "must be 0 or greater, but is %g", *out);
}

static torsor_status check_output(const reader *r, const json_node *output) {
  static const char *const keys[] = {"every", "step",       "interpolate", "signals", "full",
                                     "sync",  "checkpoint", "statistics",  "units"};
  return reader_object(r, output, "output", keys, sizeof keys / sizeof *keys);
}

static torsor_status read_output(torsor_scene *scene, const reader *r, const json_node *root) {
  const json_node output = json_member(root, "output");
  scene->recording = torsor_recording_default();
  if (!output.item) return TORSOR_OK;
  const json_node every = json_member(&output, "every"), step = json_member(&output, "step");
  const json_node signals = json_member(&output, "signals");
  const json_node chosen = json_member(&output, "statistics");
  const json_node units = json_member(&output, "units");
  torsor_status status = check_output(r, &output);
  if (!status && every.item && step.item)
    return reader_fail_key(r, &step, "give one of the two",
                           "\"every\" and \"step\" both set the output times");
  if (!status && every.item && scene->simulation.settings.step == 0)
    return reader_fail_key(r, &every, "give \"step\", the time between two rows, in place of it",
                           "\"every\" counts steps, and the simulation names none");
  if (!status && every.item) status = reader_integer(&scene->simulation.every, r, &every, 1);
  if (!status) status = simulation_read_output(&scene->simulation, r, &output);
  if (!status) status = recording_read(&scene->recording, r, &output);
  if (!status) status = read_checkpoint(&scene->checkpoint, r, &output);
  if (!status) status = read_signals(&scene->signal, &scene->signals, &scene->memory, r, &signals);
  if (!status)
    status = read_signals(&scene->statistic, &scene->statistics, &scene->memory, r, &chosen);
  if (!status && units.item) status = reader_array(r, &units, "the units");
  if (!status) status = read_signals(&scene->unit, &scene->units, &scene->memory, r, &units);
  return status ? status : shown_units_check(scene->unit, scene->units, r, &units);
}

/* Reads how the initial state of a simulation is found. */
static torsor_status read_initial(torsor_scene *scene, const reader *r,
                                  const json_node *simulation) {
  static const char *const words[] = {"scene", "equilibrium", "steady"};
  const json_node initial = json_member(simulation, "initial");
  int chosen = 0;
  const torsor_status status =
      initial.item ? reader_word(&chosen, r, &initial, words, 3) : TORSOR_OK;
  if (chosen == 1) scene->simulation.equilibrium = &scene->statics;
  scene->simulation.steady = chosen == 2;
  return status;
}

/* Reads everything but the elements. */
static torsor_status read_scene(torsor_scene *scene, torsor_error *error) {
  const reader r = scene_reader(scene, error);
  const json_node root = json_root(scene->root);
  const json_node title = json_member(&root, "title"), gravity = json_member(&root, "gravity");
  const json_node parameters = json_member(&root, "parameters");
  const json_node inputs = json_member(&root, "inputs");
  const json_node functions = json_member(&root, "functions");
  const json_node controllers = json_member(&root, "controllers");
  const json_node simulation = json_member(&root, "simulation");
  const json_node statics = json_member(&root, "statics");
  const json_node linear = json_member(&root, "linear");
  const json_node periodic = json_member(&root, "periodic");
  const json_node sensitivities = json_member(&root, "sensitivities");
  torsor_status status = check_top(&r, &root, false);
  if (!status) status = check_format(&r, &root);
  if (!status && title.item) status = reader_text(&scene->title, &r, &title);
  if (!status) status = parameters_read(&scene->scope, &scene->memory, &r, &parameters);
  if (!status) status = scene_inputs_read(&scene->inputs, &scene->memory, &r, &inputs);
  if (!status)
    status = samples_read(&scene->samples, &scene->inputs, &scene->memory, &r, &controllers);
  if (!status)
    status = relays_read(&scene->relays, &scene->inputs, &scene->memory, &r, &controllers);
  scene->scope.inputs = scene->inputs.name;
  scene->scope.input_count = scene->inputs.count;
  if (!status)
    status = functions_read(&scene->functions, &scene->inputs, scene->registry, &r, &functions);
  if (!status) scene->scope.functions = functions_called(scene->functions);
  if (!status) status = blocks_read(&scene->blocks, &scene->memory, &r, &controllers);
  if (!status) functions_set_blocks(scene->functions, &scene->blocks);
  if (!status && gravity.item) status = reader_vector(&scene->gravity, &r, &gravity);
  if (!status) status = read_group(&scene->group, &r, &root);
  if (!status) status = read_placement(&scene->guess, &r, &root);
  if (!status) status = simulation_read(&scene->simulation, &r, &simulation);
  if (!status) status = statics_read(&scene->statics, &r, &statics);
  if (!status) status = linear_read(&scene->linear, &scene->memory, &r, &linear);
  if (!status) status = periodic_read(&scene->periodic, &r, &periodic);
  if (!status)
    status = sensitivities_read(&scene->sensitivity, &scene->sensitivities, &scene->memory, &r,
                                &sensitivities);
  if (!status) status = read_initial(scene, &r, &simulation);
  if (!status) status = read_output(scene, &r, &root);
  const json_node sections = json_member(&root, "sections");
  if (!status) status = sections_check(scene->functions, &r, &sections);
  return status;
}

torsor_status scene_keys_check(const reader *r, const json_node *root) {
  return check_top(r, root, true);
}

torsor_status scene_member_check(const reader *r, const json_node *root, const char *key) {
  static const char *const lists[] = {"bodies",     "joints",        "forces", "events",
                                      "assemblies", "sensitivities", "include"};
  const json_node value = json_member(root, key);
  const char *title = NULL;
  v3 gravity;
  torsor_group group;
  bool guess;
  torsor_status status = scene_keys_check(r, root);
  if (!status && strcmp(key, "torsor") == 0) status = check_format(r, root);
  if (!status && strcmp(key, "title") == 0) status = reader_text(&title, r, &value);
  if (!status && strcmp(key, "gravity") == 0) status = reader_vector(&gravity, r, &value);
  if (!status) status = read_group(&group, r, root);
  if (!status) status = read_placement(&guess, r, root);
  for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; ++i)
    if (strcmp(key, lists[i]) == 0) status = reader_array(r, &value, key);
  return status;
}

torsor_status scene_object_keys_check(const reader *r, const json_node *object, const char *word) {
  if (strcmp(word, "simulation") == 0) return simulation_check_keys(r, object);
  if (strcmp(word, "statics") == 0) return statics_check_keys(r, object);
  if (strcmp(word, "linear") == 0) return linear_check_keys(r, object);
  if (strcmp(word, "periodic") == 0) return periodic_check_keys(r, object);
  return strcmp(word, "output") == 0 ? check_output(r, object) : TORSOR_OK;
}

torsor_status scene_named_check(const reader *r, const torsor_registry *registry,
                                const json_node *object, const char *word) {
  static const char *const words[] = {"parameters", "inputs", "functions", "sections"};
  enum { WORDS = 4 };
  arena memory = {0};
  expression_scope scope = {0};
  scene_inputs inputs = {0};
  function_list *functions = NULL;
  json_node node[WORDS] = {0};
  reader inside = *r;
  inside.scope = &scope;
  bool named = false;
  for (int i = 0; i < WORDS; ++i)
    if (strcmp(words[i], word) == 0) {
      node[i] = *object;
      named = true;
    }
  if (!named) return TORSOR_OK;
  torsor_status status = parameters_read(&scope, &memory, &inside, &node[0]);
  if (!status) status = scene_inputs_read(&inputs, &memory, &inside, &node[1]);
  if (!status) status = functions_read(&functions, &inputs, registry, &inside, &node[2]);
  if (!status) status = sections_check(functions, &inside, &node[3]);
  functions_destroy(functions);
  arena_release(&memory);
  return status;
}

static torsor_status inline_files(torsor_scene *scene, torsor_error *error) {
  scene->files.memory = &scene->memory;
  const reader r = scene_reader(scene, error);
  torsor_status status = TORSOR_OK;
  for (int kind = 0; kind < 3 && !status; ++kind)
    status = market_inline(scene->root, scene_lists[kind], scene->registry, &scene->files, &r);
  return status ? status : tables_inline(scene->root, &scene->files, &r);
}

/* The value counts as null, whatever it is. */
static torsor_status hash_without_duration(torsor_scene *scene, torsor_error *error) {
  const cJSON *simulation = cJSON_GetObjectItemCaseSensitive(scene->root, "simulation");
  cJSON *duration = cJSON_GetObjectItemCaseSensitive(simulation, "duration");
  text canonical = {0};
  const int type = duration ? duration->type : 0;
  if (duration) duration->type = cJSON_NULL;
  canonical_append(&canonical, scene->root);
  if (duration) duration->type = type;
  if (!canonical.failed) canonical_hash(scene->resume_hash, canonical.data, canonical.length);
  const bool failed = canonical.failed;
  text_release(&canonical);
  return failed ? out_of_memory(error) : TORSOR_OK;
}

static torsor_status make_canonical(torsor_scene *scene, torsor_error *error) {
  text canonical = {0};
  canonical_append(&canonical, scene->root);
  const size_t length = canonical.length;
  scene->canonical = text_take(&canonical);
  if (!scene->canonical) return out_of_memory(error);
  canonical_hash(scene->hash, scene->canonical, length);
  return hash_without_duration(scene, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* File name without folder and ".json". */
static bool name_scene(torsor_scene *scene, const char *file) {
  const char *slash = strrchr(file, '/');
  char *name = arena_string(&scene->memory, slash ? slash + 1 : file);
  scene->file = arena_string(&scene->memory, file);
  scene->name = name;
  if (!name || !scene->file) return false;
  const size_t length = strlen(name);
  if (length > 5 && strcmp(name + length - 5, ".json") == 0) name[length - 5] = '\0';
  return true;
}

/* Completes a scene whose JSON tree has been parsed. */
static torsor_status open_tree(torsor_scene *scene, const char *const *set, int set_count,
                               torsor_error *error) {
  torsor_status status = TORSOR_OK;
  const reader r = scene_reader(scene, error);
  const bool object = cJSON_IsObject(scene->root);
  if (object) status = include_read(&scene->parts, scene->root, &scene->memory, &r);
  if (object && !status)
    status = set_apply(&scene->change, scene->root, &scene->memory, set, set_count, error);
  scene->changes = scene->change ? set_count : 0;
  if (!status) status = inline_files(scene, error);
  if (!status) status = read_scene(scene, error);
  if (!status) status = make_canonical(scene, error);
  if (!status && error) *error = (torsor_error){0};
  return status;
}

static torsor_status open_text(torsor_scene *scene, const char *file, size_t length,
                               const char *const *set, int set_count, torsor_error *error) {
  if (!name_scene(scene, file)) return out_of_memory(error);
  const torsor_status status = source_parse(&scene->root, scene->text, length, file, error);
  if (status) return status;
  const size_t bom = json_scan_bom(scene->text, length);
  memmove(scene->text, scene->text + bom, length + 1 - bom);
  return open_tree(scene, set, set_count, error);
}

static torsor_scene *allocate_scene(const torsor_registry *registry) {
  torsor_scene *scene = calloc(1, sizeof *scene);
  if (!scene) return NULL;
  scene->registry = registry;
  scene->title = "";
  scene->checkpoint = USUAL_CHECKPOINT;
  return scene;
}

torsor_status scene_from_tree(torsor_scene **out, const cJSON *root,
                              const torsor_registry *registry, torsor_error *error) {
  torsor_scene *scene = allocate_scene(registry);
  *out = NULL;
  if (error) *error = (torsor_error){0};
  if (!scene) return out_of_memory(error);
  scene->root = cJSON_Duplicate(root, true);
  const torsor_status status = scene->root && name_scene(scene, "")
                                   ? open_tree(scene, NULL, 0, error)
                                   : out_of_memory(error);
  if (status)
    torsor_scene_destroy(scene);
  else
    *out = scene;
  return status;
}

/* Takes `bytes`, zero-terminated. */
static torsor_status create_scene(torsor_scene **out, char *bytes, size_t length, const char *name,
                                  const torsor_registry *registry, const char *const *set,
                                  int set_count, torsor_error *error) {
  torsor_scene *scene = allocate_scene(registry);
  if (!scene) {
    free(bytes);
    return out_of_memory(error);
  }
  scene->text = bytes;
  const torsor_status status = open_text(scene, name, length, set, set_count, error);
  if (status)
    torsor_scene_destroy(scene);
  else
    *out = scene;
  return status;
}

torsor_status torsor_scene_load(torsor_scene **out, const char *file,
                                const torsor_registry *registry, const char *const *set,
                                int set_count, torsor_error *error) {
  char *bytes = NULL;
  size_t length = 0;
  *out = NULL;
  const torsor_status status = source_read(&bytes, &length, file, error);
  if (status) return status;
  return create_scene(out, bytes, length, file, registry, set, set_count, error);
}

torsor_status torsor_scene_parse(torsor_scene **out, const char *bytes, size_t length,
                                 const char *name, const torsor_registry *registry,
                                 const char *const *set, int set_count, torsor_error *error) {
  *out = NULL;
  if (error) *error = (torsor_error){0};
  if (length > SOURCE_BYTES)
    return torsor_fail(error, TORSOR_SCENE, "the scene is too large: over %d MB",
                       SOURCE_BYTES >> 20);
  char *copy = malloc(length + 1);
  if (!copy) return out_of_memory(error);
  memcpy(copy, bytes, length);
  copy[length] = '\0';
  return create_scene(out, copy, length, name, registry, set, set_count, error);
}

/* The number `key` of an object; those of the text stay where errors find them. */
static bool put_number(cJSON *object, const char *key, double value) {
  return cJSON_GetObjectItemCaseSensitive(object, key) ||
         cJSON_AddNumberToObject(object, key, value);
}

static cJSON *member_object(cJSON *object, const char *key) {
  cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
  return found ? found : cJSON_AddObjectToObject(object, key);
}

static bool put_accuracy(cJSON *simulation, const torsor_accuracy *a) {
  if (!torsor_accuracy_is_set(a)) return true;
  cJSON *accuracy = member_object(simulation, "accuracy");
  return accuracy && (!(a->position > 0) || put_number(accuracy, "position", a->position)) &&
         (!(a->rotation > 0) || put_number(accuracy, "rotation", a->rotation));
}

torsor_status torsor_scene_settle_steps(torsor_scene *scene, const torsor_simulation *chosen,
                                        torsor_error *error) {
  const torsor_simulation all = torsor_simulation_copy(chosen);
  const torsor_settings *s = &all.settings;
  if (scene->simulation.settings.step != 0) return TORSOR_OK;
  cJSON *simulation = cJSON_GetObjectItemCaseSensitive(scene->root, "simulation");
  cJSON *output = member_object(scene->root, "output");
  if (!simulation || !output || !put_number(simulation, "step", s->step) ||
      !put_number(simulation, "max_halvings", s->max_halvings) ||
      !put_accuracy(simulation, &s->accuracy) || !put_number(output, "step", all.output_step))
    return out_of_memory(error);
  scene->simulation = all;
  torsor_text_free(scene->canonical);
  scene->canonical = NULL;
  return make_canonical(scene, error);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const char *torsor_scene_name(const torsor_scene *scene) {
  return scene->name;
}

const char *torsor_scene_file(const torsor_scene *scene, int i) {
  if (i == 0) return scene->file;
  const char *part;
  int parts = 0;
  for (; (part = include_file(&scene->parts, parts)); ++parts)
    if (parts == i - 1) return part;
  const scene_file *file = scene->files.first;
  for (i -= 1 + parts; file && i > 0; --i) file = file->next;
  return file ? file->name : NULL;
}

const char *torsor_scene_title(const torsor_scene *scene) {
  return scene->title;
}

const char *torsor_scene_hash(const torsor_scene *scene) {
  return scene->hash;
}

const char *torsor_scene_resume_hash(const torsor_scene *scene) {
  return scene->resume_hash;
}

double torsor_scene_checkpoint(const torsor_scene *scene) {
  return scene->checkpoint;
}

const char *torsor_scene_canonical(const torsor_scene *scene) {
  return scene->canonical;
}

const torsor_simulation *torsor_scene_simulation(const torsor_scene *scene) {
  return &scene->simulation;
}

bool torsor_scene_is_static(const torsor_scene *scene) {
  const json_node root = json_root(scene->root);
  return json_member(&root, "statics").item && !json_member(&root, "simulation").item;
}

const torsor_statics *torsor_scene_statics(const torsor_scene *scene) {
  return &scene->statics;
}

const torsor_linear_request *torsor_scene_linear(const torsor_scene *scene) {
  return &scene->linear;
}

const torsor_periodic_settings *torsor_scene_periodic(const torsor_scene *scene) {
  return &scene->periodic;
}

const torsor_recording *torsor_scene_recording(const torsor_scene *scene) {
  return &scene->recording;
}

const char *const *torsor_scene_signals(const torsor_scene *scene, int *count) {
  *count = scene->signals;
  return scene->signal;
}

const char *const *torsor_scene_statistics(const torsor_scene *scene, int *count) {
  *count = scene->statistics;
  return scene->statistic;
}

torsor_status torsor_scene_show_units(const torsor_scene *scene, torsor_signals *signals,
                                      torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < torsor_signals_count(signals) && !status && scene->units; ++i) {
    char unit[32];
    double factor;
    if (shown_units_find(unit, sizeof unit, &factor, scene->unit, scene->units,
                         torsor_signals_unit(signals, i)))
      status = torsor_signals_show_in(signals, i, unit, factor, error);
  }
  return status;
}

void torsor_scene_locate_signal(const torsor_scene *scene, int index, torsor_error *error) {
  if (!error) return;
  const reader r = scene_reader(scene, error);
  const json_node root = json_root(scene->root);
  const json_node output = json_member(&root, "output");
  const json_node signals = json_member(&output, "signals");
  const json_node name = json_item(&signals, NULL, index);
  reader_place(&r, &name.path, false);
}

/* The member that a key with dots names, or as much of it as there is. */
static void place_key(const reader *r, const cJSON *root, char *key) {
  enum { DEEPEST = 3 };
  json_node node[DEEPEST + 1] = {
      json_root(root)}; /* the path of each goes through that before it */
  int depth = 0;
  for (char *rest = NULL, *part = strtok_r(key, ".", &rest); part && depth < DEEPEST;
       part = strtok_r(NULL, ".", &rest)) {
    node[depth + 1] =
        cJSON_IsArray(node[depth].item)
            ? json_item(&node[depth], cJSON_GetArrayItem(node[depth].item, atoi(part)), atoi(part))
            : json_member(&node[depth], part);
    if (!node[depth + 1].item) break;
    ++depth;
  }
  if (depth) reader_place(r, &node[depth].path, false);
}

void torsor_scene_locate(const torsor_scene *scene, torsor_error *error) {
  if (!error || error->file[0]) return;
  if (!scene->text && error->element[0] && error->path[0])
    return; /* its position is known already */
  const reader r = scene_reader(scene, error);
  /* Copies, since the position overwrites the fields by which it is found. */
  char key[sizeof error->path], name[sizeof error->element];
  memcpy(key, error->path, sizeof key);
  memcpy(name, error->element, sizeof name);
  if (name[0])
    scene_place_element(scene, error, name);
  else
    place_key(&r, scene->root, key);
}
