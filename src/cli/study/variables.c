/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Varied values of a study. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/study/study_read.h"

static const char *const keys[] = {"path",  "input",  "unit",  "doc",          "from",    "to",
                                   "count", "values", "scale", "distribution", "nominal", "start"};
enum { KEYS = sizeof keys / sizeof *keys, MOST_VALUES = 1000000 };

/* Words that expressions of outputs have already. */
static bool is_taken(const char *name) {
  return strcmp(name, EXPRESSION_TIME) == 0 || expression_reserved(name) ||
         expression_is_builtin(name) || strcmp(name, "sample") == 0 || strcmp(name, "status") == 0;
}

torsor_status study_check_name(const reader *r, const json_node *node) {
  char shown[96];
  const char *name = node->path.key;
  if (!expression_is_name(name))
    return reader_fail_key(r, node, "letters, digits and _, beginning with a letter",
                           "%s is no name", reader_show_text(name, shown));
  if (is_taken(name))
    return reader_fail_key(r, node, NULL, "%s has a meaning of its own and cannot be a name",
                           reader_show_text(name, shown));
  return TORSOR_OK;
}

/* ---- places in the scene -----------------------------------------------------------------------
 */

static torsor_status add_path(study_variable *v, study *s, const reader *r, const json_node *node,
                              const char *format) {
  const char *words;
  torsor_status status = reader_text(&words, r, node);
  if (status) return status;
  if (!words[0] || strchr(words, '='))
    return reader_fail(r, node, "for example parameters.m or bodies.top.mass", "is no path");
  char *path = path_format(r->error, format, words);
  v->path[v->paths++] = path ? arena_string(&s->memory, path) : NULL;
  free(path);
  return v->path[v->paths - 1] ? TORSOR_OK : study_memory_short(r->error);
}

static torsor_status read_paths(study_variable *v, study *s, const reader *r,
                                const json_node *node) {
  const json_node path = json_member(node, "path"), input = json_member(node, "input");
  if (!path.item == !input.item)
    return reader_fail(r, node, "a path of the scene such as \"parameters.m\", or an input",
                       "needs either \"path\" or \"input\"");
  const int most = cJSON_IsArray(path.item) ? cJSON_GetArraySize(path.item) : 1;
  v->path = arena_take(&s->memory, (size_t)most, sizeof *v->path);
  if (!v->path) return study_memory_short(r->error);
  if (input.item) {
    const torsor_status status = add_path(v, s, r, &input, "inputs.%s.value");
    v->input = status ? NULL : input.item->valuestring;
    return status;
  }
  if (!cJSON_IsArray(path.item)) return add_path(v, s, r, &path, "%s");
  torsor_status status = TORSOR_OK;
  const cJSON *item;
  cJSON_ArrayForEach(item, path.item) {
    const json_node one = json_item(&path, item, v->paths);
    if (!status) status = add_path(v, s, r, &one, "%s");
  }
  if (!status && !v->paths) status = reader_fail(r, &path, NULL, "needs a path");
  return status;
}

/* ---- values ------------------------------------------------------------------------------------
 */

static torsor_status read_values(study_variable *v, study *s, const reader *r,
                                 const json_node *values) {
  torsor_status status = reader_array(r, values, "a list of numbers");
  if (status) return status;
  const int count = cJSON_GetArraySize(values->item);
  double *value = arena_take(&s->memory, (size_t)count, sizeof *value);
  if (!value) return study_memory_short(r->error);
  if (!count) return reader_fail(r, values, NULL, "needs a value");
  const cJSON *item = values->item->child;
  for (int i = 0; i < count && !status; ++i, item = item->next) {
    const json_node one = json_item(values, item, i);
    status = reader_number(&value[i], r, &one);
  }
  v->value = value;
  v->count = count;
  return status;
}

static double between(const study_variable *v, double part) {
  if (part >= 1) return v->to;
  return v->logarithmic ? v->from * pow(v->to / v->from, part) : v->from + (v->to - v->from) * part;
}

static torsor_status read_count(study_variable *v, study *s, const reader *r,
                                const json_node *count) {
  torsor_status status = reader_integer(&v->count, r, count, 1);
  if (status) return status;
  if (v->count > MOST_VALUES)
    return reader_fail(r, count, NULL, "must not be above %d", MOST_VALUES);
  if (!isfinite(v->from) || !isfinite(v->to))
    return reader_fail_key(r, count, NULL, "needs \"from\" and \"to\" beside it");
  double *value = arena_take(&s->memory, (size_t)v->count, sizeof *value);
  if (!value) return study_memory_short(r->error);
  for (int i = 0; i < v->count; ++i)
    value[i] = v->count == 1 ? v->from : between(v, (double)i / (v->count - 1));
  v->value = value;
  return TORSOR_OK;
}

static torsor_status read_optional(double *out, const reader *r, const json_node *node,
                                   const char *key) {
  const json_node member = json_member(node, key);
  *out = nan("");
  return member.item ? reader_number(out, r, &member) : TORSOR_OK;
}

/* "scale": "log", "linear", or the size of a change for fits. */
static torsor_status read_scale(study_variable *v, const reader *r, const json_node *node) {
  static const char *const words[] = {"linear", "log"};
  const json_node scale = json_member(node, "scale");
  int word = 0;
  v->scale = nan("");
  if (!scale.item) return TORSOR_OK;
  if (cJSON_IsNumber(scale.item)) return reader_positive(&v->scale, r, &scale, NULL);
  const torsor_status status = reader_word(&word, r, &scale, words, 2);
  v->logarithmic = word == 1;
  if (!status && v->logarithmic && (v->from <= 0 || v->to <= 0))
    return reader_fail(r, &scale, NULL, "a logarithmic scale needs \"from\" and \"to\" above 0");
  return status;
}

static torsor_status read_range(study_variable *v, const reader *r, const json_node *node) {
  torsor_status status = read_optional(&v->from, r, node, "from");
  if (!status) status = read_optional(&v->to, r, node, "to");
  if (!status) status = read_optional(&v->nominal, r, node, "nominal");
  if (!status) status = read_optional(&v->start, r, node, "start");
  if (!status) status = read_scale(v, r, node);
  const json_node to = json_member(node, "to");
  if (!status && v->to <= v->from && json_member(node, "distribution").item == NULL &&
      json_member(node, "count").item == NULL)
    status = reader_fail(r, &to, NULL, "must be above \"from\"");
  return status;
}

static torsor_status read_variable(study_variable *v, study *s, const reader *r,
                                   const json_node *node) {
  const json_node unit = json_member(node, "unit"), values = json_member(node, "values");
  const json_node count = json_member(node, "count"), law = json_member(node, "distribution");
  torsor_status status = study_check_name(r, node);
  v->name = node->path.key;
  v->unit = "";
  v->random.law = LAW_NONE;
  if (!status) status = reader_object(r, node, "a varied value", keys, KEYS);
  if (!status && unit.item) status = reader_text(&v->unit, r, &unit);
  if (!status) status = read_paths(v, s, r, node);
  if (!status) status = read_range(v, r, node);
  if (status) return status;
  if (!!values.item + !!count.item + !!law.item > 1)
    return reader_fail(r, node, NULL,
                       "takes one of \"values\", \"count\" and \"distribution\", not several");
  if (values.item) return read_values(v, s, r, &values);
  if (count.item) return read_count(v, s, r, &count);
  return law.item ? study_read_law(&v->random, &s->memory, r, &law) : TORSOR_OK;
}

/* ---- correlation -------------------------------------------------------------------------------
 */

/* Replaces a matrix by its lower Cholesky factor; false where it is not positive definite. */
static bool factor(double *a, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0)) return false;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  return true;
}

static torsor_status read_pair(study *s, const reader *r, const json_node *pair) {
  char shown[96];
  int at[2];
  double value;
  if (!cJSON_IsArray(pair->item) || cJSON_GetArraySize(pair->item) != 3)
    return reader_fail(r, pair, "e.g. [\"m\", \"k\", 0.4]",
                       "must be two names and a number, but is %s", reader_show(pair->item, shown));
  for (int i = 0; i < 2; ++i) {
    const json_node name = json_item(pair, cJSON_GetArrayItem(pair->item, i), i);
    const char *words;
    const torsor_status status = reader_text(&words, r, &name);
    if (status) return status;
    at[i] = study_find_variable(s, words);
    if (at[i] < 0) return study_fail_name(s, r, &name, words, false);
  }
  const json_node number = json_item(pair, cJSON_GetArrayItem(pair->item, 2), 2);
  const torsor_status status = reader_number(&value, r, &number);
  if (status) return status;
  if (at[0] == at[1] || !(fabs(value) < 1))
    return reader_fail(r, &number, NULL, "a correlation is between two values, and within (-1, 1)");
  s->correlation[at[0] * s->variables + at[1]] = value;
  s->correlation[at[1] * s->variables + at[0]] = value;
  return TORSOR_OK;
}

static torsor_status read_correlation(study *s, const reader *r, const json_node *root) {
  const json_node list = json_member(root, "correlation");
  const int n = s->variables;
  if (!list.item) return TORSOR_OK;
  torsor_status status = reader_array(r, &list, "a list of correlations");
  if (status) return status;
  s->correlation = arena_take(&s->memory, (size_t)(n * n), sizeof *s->correlation);
  if (!s->correlation) return study_memory_short(r->error);
  for (int i = 0; i < n; ++i) s->correlation[i * n + i] = 1;
  const cJSON *item;
  int index = 0;
  cJSON_ArrayForEach(item, list.item) {
    const json_node pair = json_item(&list, item, index++);
    if (!status) status = read_pair(s, r, &pair);
  }
  if (status || factor(s->correlation, n)) return status;
  return reader_fail(r, &list, NULL,
                     "no values can be correlated like this: the matrix is not "
                     "positive definite");
}

torsor_status study_read_variables(study *s, const reader *r, const json_node *root) {
  const json_node vary = json_member(root, "vary");
  char shown[96];
  if (!cJSON_IsObject(vary.item) || !vary.item->child)
    return reader_fail(r, &vary, "e.g. {\"m\": {\"path\": \"parameters.m\", \"values\": [1, 2]}}",
                       "must name values that are varied, but is %s",
                       reader_show(vary.item, shown));
  const int most = cJSON_GetArraySize(vary.item);
  if (most > STUDY_COLUMNS)
    return reader_fail(r, &vary, NULL, "must not be more than %d values", STUDY_COLUMNS);
  s->variable = arena_take(&s->memory, (size_t)most, sizeof *s->variable);
  if (!s->variable) return study_memory_short(r->error);
  const cJSON *item;
  cJSON_ArrayForEach(item, vary.item) {
    if (reader_is_comment(item->string)) continue;
    const json_node one = json_member(&vary, item->string);
    const torsor_status status = read_variable(&s->variable[s->variables], s, r, &one);
    if (status) return status;
    ++s->variables;
  }
  return read_correlation(s, r, root);
}
