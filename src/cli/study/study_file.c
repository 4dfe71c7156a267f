/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/study/design.h"
#include "cli/study/study_read.h"
#include "scene/json_make.h"
#include "scene/source.h"

static const char *const keys[] = {"torsor_study", "$schema",  "title",       "scene",   "set",
                                   "vary",         "design",   "correlation", "outputs", "analysis",
                                   "data",         "minimise", "subject_to",  "fit",     "limits",
                                   "allow_failed", "keep",     "reuse",       "plots"};
static const char *const limit_keys[] = {"cpu", "wall", "memory"};
static const char *const plot_keys[] = {"x", "y", "by"};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

torsor_status study_memory_short(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* ---- the scene and its changes -----------------------------------------------------------------
 */

/* The name of a file beside the study. */
const char *study_beside(study *s, const char *name) {
  const char *last = strrchr(s->file, '/');
  if (!last || name[0] == '/') return arena_string(&s->memory, name);
  const size_t folder = (size_t)(last - s->file) + 1, length = strlen(name);
  char *path = arena_take(&s->memory, folder + length + 1, 1);
  if (!path) return NULL;
  memcpy(path, s->file, folder);
  memcpy(path + folder, name, length);
  return path;
}

static torsor_status read_scene(study *s, const reader *r, const json_node *root) {
  const json_node scene = json_member(root, "scene");
  const char *name;
  const torsor_status status = reader_text(&name, r, &scene);
  if (status) return status;
  s->scene = study_beside(s, name);
  if (!s->scene) return study_memory_short(r->error);
  if (file_exists(s->scene)) return TORSOR_OK;
  char shown[96];
  return reader_fail(r, &scene, "it is looked for beside the study", "there is no scene %s",
                     reader_show_text(name, shown));
}

static torsor_status read_set(study *s, const reader *r, const json_node *root) {
  const json_node set = json_member(root, "set");
  if (!set.item) return TORSOR_OK;
  char shown[96];
  if (!cJSON_IsObject(set.item))
    return reader_fail(r, &set, "e.g. {\"simulation.duration\": 10}",
                       "must be an object of paths and values, but is %s",
                       reader_show(set.item, shown));
  const cJSON *item;
  s->set = arena_take(&s->memory, (size_t)cJSON_GetArraySize(set.item), sizeof *s->set);
  if (!s->set) return study_memory_short(r->error);
  cJSON_ArrayForEach(item, set.item) {
    if (reader_is_comment(item->string)) continue;
    char *value = cJSON_PrintUnformatted(item);
    char *change = value ? path_format(r->error, "%s=%s", item->string, value) : NULL;
    cJSON_free(value);
    s->set[s->sets++] = change ? arena_string(&s->memory, change) : NULL;
    free(change);
    if (!s->set[s->sets - 1]) return study_memory_short(r->error);
  }
  return TORSOR_OK;
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

static torsor_status read_limits(study *s, const reader *r, const json_node *root) {
  const json_node limits = json_member(root, "limits");
  s->cpu = s->wall = s->memory_limit = HUGE_VAL;
  const json_node allow = json_member(root, "allow_failed");
  torsor_status status = allow.item ? reader_number(&s->allow_failed, r, &allow) : TORSOR_OK;
  if (!status && !(s->allow_failed >= 0))
    status =
        reader_fail(r, &allow, "a number of samples, or a part below 1", "must not be below 0");
  if (status || !limits.item) return status;
  status = reader_object(r, &limits, "the limits", limit_keys, COUNT(limit_keys));
  double *const value[] = {&s->cpu, &s->wall, &s->memory_limit};
  for (int i = 0; i < COUNT(limit_keys) && !status; ++i) {
    const json_node limit = json_member(&limits, limit_keys[i]);
    status = reader_positive(value[i], r, &limit, i < 2 ? "s" : "bytes");
  }
  return status;
}

/* Numbers of samples. */
static torsor_status read_kept(study_keep *k, study *s, const reader *r, const json_node *keep) {
  const int most = cJSON_GetArraySize(keep->item);
  const cJSON *item;
  k->kind = KEEP_LIST;
  k->sample = arena_take(&s->memory, (size_t)most + 1, sizeof *k->sample);
  if (!k->sample) return study_memory_short(r->error);
  cJSON_ArrayForEach(item, keep->item) {
    const json_node one = json_item(keep, item, k->count);
    int sample;
    const torsor_status status = reader_integer(&sample, r, &one, 0);
    if (status) return status;
    k->sample[k->count++] = sample;
  }
  return TORSOR_OK;
}

const char *const study_keep_words[KEEP_LIST] = {"rows", "failed", "all"};

static torsor_status read_keep(study *s, const reader *r, const json_node *root) {
  const json_node keep = json_member(root, "keep");
  int word = KEEP_ROWS;
  if (cJSON_IsArray(keep.item)) return read_kept(&s->keep, s, r, &keep);
  const torsor_status status =
      keep.item ? reader_word(&word, r, &keep, study_keep_words, KEEP_LIST) : TORSOR_OK;
  s->keep.kind = (study_keeps)word;
  return status;
}

static torsor_status read_reuse(study *s, const reader *r, const json_node *root) {
  static const char *const words[] = {"auto", "never"};
  const json_node reuse = json_member(root, "reuse");
  int word = 0;
  const torsor_status status =
      reuse.item ? reader_word(&word, r, &reuse, words, COUNT(words)) : TORSOR_OK;
  s->rebuilds = word;
  return status;
}

static int find_output(const study *s, const char *name) {
  for (int i = 0; i < s->outputs; ++i)
    if (strcmp(s->output[i].name, name) == 0) return i;
  return -1;
}

/* A column of the table by its name. */
static torsor_status read_column(const char **out, const study *s, const reader *r,
                                 const json_node *node) {
  const torsor_status status = reader_text(out, r, node);
  if (status) return status;
  if (study_find_variable(s, *out) >= 0 || find_output(s, *out) >= 0) return TORSOR_OK;
  return study_fail_name(s, r, node, *out, true);
}

static torsor_status read_plot(study_plot *p, study *s, const reader *r, const json_node *node) {
  torsor_status status = reader_object(r, node, "a plot", plot_keys, COUNT(plot_keys));
  const json_node x = json_member(node, "x"), y = json_member(node, "y"),
                  by = json_member(node, "by");
  if (!status) status = read_column(&p->x, s, r, &x);
  if (!status && by.item) status = read_column(&p->by, s, r, &by);
  if (!status) status = reader_array(r, &y, "a list of columns");
  if (status) return status;
  p->y = arena_take(&s->memory, (size_t)cJSON_GetArraySize(y.item), sizeof *p->y);
  if (!p->y) return study_memory_short(r->error);
  const cJSON *item;
  cJSON_ArrayForEach(item, y.item) {
    const json_node one = json_item(&y, item, p->count);
    status = read_column(&p->y[p->count], s, r, &one);
    if (status) return status;
    ++p->count;
  }
  return p->count ? TORSOR_OK : reader_fail(r, &y, NULL, "a plot needs a column to draw");
}

static torsor_status read_plots(study *s, const reader *r, const json_node *root) {
  const json_node plots = json_member(root, "plots");
  if (!plots.item) return TORSOR_OK;
  torsor_status status = reader_array(r, &plots, "a list of plots");
  if (status) return status;
  s->plot = arena_take(&s->memory, (size_t)cJSON_GetArraySize(plots.item), sizeof *s->plot);
  if (!s->plot) return study_memory_short(r->error);
  const cJSON *item;
  cJSON_ArrayForEach(item, plots.item) {
    const json_node one = json_item(&plots, item, s->plots);
    status = read_plot(&s->plot[s->plots], s, r, &one);
    if (status) return status;
    ++s->plots;
  }
  return TORSOR_OK;
}

static torsor_status read_version(const reader *r, const json_node *root) {
  const json_node version = json_member(root, "torsor_study");
  char shown[96];
  if (cJSON_IsNumber(version.item) && version.item->valuedouble == 1) return TORSOR_OK;
  return reader_fail(r, &version, "a study begins with \"torsor_study\": 1", "must be 1, but is %s",
                     reader_show(version.item, shown));
}

const char *const study_analyses[STUDY_ANALYSES] = {"run", "statics", "modes", "response"};

static torsor_status read_analysis(study *s, const reader *r, const json_node *root) {
  const json_node analysis = json_member(root, "analysis");
  int word = STUDY_RUN;
  const torsor_status status =
      analysis.item ? reader_word(&word, r, &analysis, study_analyses, STUDY_ANALYSES) : TORSOR_OK;
  s->analysis = (study_analysis)word;
  return status;
}

static torsor_status read_all(study *s, const reader *r) {
  const json_node root = json_root(s->root);
  const json_node title = json_member(&root, "title");
  torsor_status status = TORSOR_OK;
  if (json_member(&root, "torsor").item && !json_member(&root, "torsor_study").item)
    status = reader_fail(r, &root, "`torsor run` simulates it; a study names it under \"scene\"",
                         "this is a scene, not a study");
  if (!status) status = reader_object(r, &root, "a study", keys, COUNT(keys));
  if (!status) status = read_version(r, &root);
  if (!status && title.item) status = reader_text(&s->title, r, &title);
  if (!status) status = read_scene(s, r, &root);
  if (!status) status = read_set(s, r, &root);
  if (!status) status = study_read_variables(s, r, &root);
  if (!status) status = study_read_design(s, r, &root);
  if (!status) status = read_analysis(s, r, &root);
  if (!status) status = study_read_outputs(s, r, &root);
  if (!status) status = study_read_search(s, r, &root);
  if (!status) status = read_limits(s, r, &root);
  if (!status) status = read_keep(s, r, &root);
  if (!status) status = read_reuse(s, r, &root);
  if (!status) status = read_plots(s, r, &root);
  return status;
}

static torsor_status find_name(study *s, torsor_error *error) {
  char *name = arena_string(&s->memory, path_last(s->file));
  if (!name) return study_memory_short(error);
  char *dot = strrchr(name, '.');
  if (dot && dot != name) *dot = '\0';
  s->name = name;
  s->title = "";
  return TORSOR_OK;
}

torsor_status study_load(study *out, const char *file, torsor_error *error) {
  static const expression_scope nothing = {0};
  *out = (study){.file = file};
  size_t length;
  torsor_status status = source_read(&out->text, &length, file, error);
  if (!status) status = source_parse(&out->root, out->text, length, file, error);
  if (!status) status = find_name(out, error);
  if (status) return status;
  const reader r = {.file = file, .text = out->text, .scope = &nothing, .error = error};
  return read_all(out, &r);
}

void study_release(study *s) {
  cJSON_Delete(s->root);
  free(s->text);
  arena_release(&s->memory);
  *s = (study){0};
}

/* ---- names and places --------------------------------------------------------------------------
 */

int study_find_variable(const study *s, const char *name) {
  for (int i = 0; i < s->variables; ++i)
    if (strcmp(s->variable[i].name, name) == 0) return i;
  return -1;
}

torsor_status study_fail_name(const study *s, const reader *r, const json_node *node,
                              const char *name, bool outputs) {
  const char *names[STUDY_COLUMNS];
  int count = 0;
  char shown[96];
  for (int i = 0; i < s->variables && count < STUDY_COLUMNS; ++i)
    names[count++] = s->variable[i].name;
  for (int i = 0; i < s->outputs && outputs && count < STUDY_COLUMNS; ++i)
    names[count++] = s->output[i].name;
  reader_fail(r, node, NULL, "there is no %s %s",
              outputs ? "varied value and no output called" : "varied value called",
              reader_show_text(name, shown));
  const char *near = torsor_near_name(name, names, count);
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

/* Does "--set PATH=VALUE" set this path? */
static bool sets(const char *words, const char *path) {
  const size_t length = strlen(path);
  return strncmp(words, path, length) == 0 && words[length] == '=';
}

torsor_status study_locate(const study *s, torsor_status status, torsor_error *error) {
  static const char mark[] = "--set ";
  if (!error || strncmp(error->file, mark, sizeof mark - 1) != 0) return status;
  const char *words = error->file + sizeof mark - 1;
  const reader r = {.file = s->file, .text = s->text, .error = error};
  const json_path root = {NULL, NULL, 0}, vary = {&root, "vary", 0}, set = {&root, "set", 0};
  for (int i = 0; i < s->variables; ++i)
    for (int k = 0; k < s->variable[i].paths; ++k)
      if (sets(words, s->variable[i].path[k])) {
        const json_path variable = {&vary, s->variable[i].name, 0};
        reader_place(&r, &variable, true);
        return error->status = TORSOR_SCENE;
      }
  const cJSON *item;
  cJSON_ArrayForEach(
      item, cJSON_GetObjectItemCaseSensitive(s->root, "set")) if (sets(words, item->string)) {
    const json_path change = {&set, item->string, 0};
    reader_place(&r, &change, true);
    return error->status = TORSOR_SCENE;
  }
  return status;
}

void study_locate_output(const study *s, int output, const char *key, torsor_error *error) {
  const reader r = {.file = s->file, .text = s->text, .error = error};
  const json_path root = {NULL, NULL, 0}, outputs = {&root, "outputs", 0};
  const json_path one = {&outputs, s->output[output].name, 0}, member = {&one, key, 0};
  const json_path minimise = {&root, "minimise", 0}, list = {&root, "subject_to", 0};
  const json_path constraint = {&list, NULL, output - s->search.objective - 1};
  const bool hidden = s->output[output].hidden;
  reader_place(&r,
               !hidden                         ? &member
               : output == s->search.objective ? &minimise
                                               : &constraint,
               false);
}

void study_locate_key(const study *s, const char *key, int index, torsor_error *error) {
  const reader r = {.file = s->file, .text = s->text, .error = error};
  const json_path root = {NULL, NULL, 0}, member = {&root, key, 0}, item = {&member, NULL, index};
  reader_place(&r, &item, false);
}

void study_locate_series(const study *s, int series, torsor_error *error) {
  const reader r = {.file = s->file, .text = s->text, .error = error};
  const json_path root = {NULL, NULL, 0}, data = {&root, "data", 0},
                  signals = {&data, "signals", 0}, one = {&signals, s->series[series].text, 0};
  reader_place(&r, &one, true);
}
