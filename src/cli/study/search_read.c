/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readers of measured data, objectives and searches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/result.h>

#include "cli/folder.h"
#include "cli/study/study_read.h"

static const char *const fit_keys[] = {"method",   "gradient", "noise", "tolerance",
                                       "max_runs", "starts",   "seed"};
static const char *const data_keys[] = {"file", "signals"};
static const char *const series_keys[] = {"sigma", "column"};

const char *const study_methods[METHODS] = {"levenberg_marquardt",
                                            "bobyqa",
                                            "cobyla",
                                            "neldermead",
                                            "sbplx",
                                            "slsqp",
                                            "lbfgs",
                                            "direct",
                                            "crs2",
                                            "isres"};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- measured data -----------------------------------------------------------------------------
 */

static torsor_status read_series(study_series *out, const reader *r, const json_node *node) {
  const json_node sigma = json_member(node, "sigma"), column = json_member(node, "column");
  torsor_status status =
      reader_object(r, node, "a measured signal", series_keys, COUNT(series_keys));
  out->text = out->column = node->path.key;
  out->sigma = nan("");
  if (!status && sigma.item) status = reader_positive(&out->sigma, r, &sigma, NULL);
  if (!status && column.item) status = reader_text(&out->column, r, &column);
  return status;
}

static int find_column(const torsor_table *table, const char *name) {
  for (int j = 1; j < table->columns; ++j)
    if (strcmp(table->name[j], name) == 0) return j;
  return -1;
}

static torsor_status fail_column(const torsor_table *table, const study_series *series,
                                 const reader *r, const json_node *node) {
  reader_fail_key(r, node, NULL, "the measured data have no column \"%s\"", series->column);
  const char *near =
      torsor_near_name(series->column, (const char *const *)table->name + 1, table->columns - 1);
  if (near) torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

/* The numbers of the table, by time. */
static torsor_status take_data(study *s, const torsor_table *table, const reader *r,
                               const json_node *file, const json_node *signals) {
  const size_t columns = (size_t)table->columns;
  s->datum = arena_take(&s->memory, (size_t)table->rows * (size_t)s->measured, sizeof *s->datum);
  if (!s->datum) return study_memory_short(r->error);
  for (int row = 0; row < table->rows; ++row)
    for (int i = 0; i < s->measured; ++i) {
      const int column = find_column(table, s->series[i].column);
      const json_node one = json_member(signals, s->series[i].text);
      if (column < 0) return fail_column(table, &s->series[i], r, &one);
      const double *at = table->value + (size_t)row * columns;
      if (row && at[0] <= at[-(long)columns])
        return reader_fail(r, file, NULL, "its times must ascend, but t = %g follows %g", at[0],
                           at[-(long)columns]);
      s->datum[s->data++] = (study_datum){.t = at[0], .value = at[column], .series = i};
    }
  if (!s->data) return reader_fail(r, file, NULL, "has no rows");
  if (s->data + s->outputs > STUDY_NUMBERS)
    return reader_fail(r, file, "leave rows out", "has %d numbers, %d may be fitted", s->data,
                       STUDY_NUMBERS - s->outputs);
  return TORSOR_OK;
}

static torsor_status read_data(study *s, const reader *r, const json_node *data) {
  const json_node file = json_member(data, "file"), signals = json_member(data, "signals");
  const char *name;
  char shown[96];
  torsor_status status = reader_object(r, data, "measured data", data_keys, COUNT(data_keys));
  if (!status) status = reader_text(&name, r, &file);
  if (status) return status;
  if (!cJSON_IsObject(signals.item) || !signals.item->child)
    return reader_fail(r, &signals, "e.g. {\"hinge.angle\": {\"sigma\": 1e-3}}",
                       "must name the signals that were measured, but is %s",
                       reader_show(signals.item, shown));
  s->series = arena_take(&s->memory, (size_t)cJSON_GetArraySize(signals.item), sizeof *s->series);
  const char *place = study_beside(s, name);
  if (!s->series || !place) return study_memory_short(r->error);
  const cJSON *item;
  cJSON_ArrayForEach(item, signals.item) {
    const json_node one = json_member(&signals, item->string);
    status = read_series(&s->series[s->measured++], r, &one);
    if (status) return status;
  }
  torsor_table table = {0};
  status = torsor_csv_read(&table, place, r->error);
  if (!status) status = take_data(s, &table, r, &file, &signals);
  torsor_table_destroy(&table);
  return status;
}

/* ---- objectives --------------------------------------------------------------------------------
 */

/* One more output, of other ones. */
static torsor_status add_output(study *s, const char *name, const char *words, const reader *r) {
  const char *copy = arena_string(&s->memory, name);
  if (!copy) return study_memory_short(r->error);
  s->output[s->outputs++] = (study_output){
      .name = copy, .unit = "", .reduction = REDUCE_OF, .text = words, .hidden = true};
  return TORSOR_OK;
}

/* "a <= b" is a - b, which must not be above 0. */
static torsor_status add_constraint(study *s, const reader *r, const json_node *node) {
  const char *words;
  torsor_status status = reader_text(&words, r, node);
  if (status) return status;
  const char *sign = strstr(words, "<="), *other = strstr(words, ">=");
  if (!sign == !other || strpbrk((sign ? sign : other) + 2, "<>"))
    return reader_fail(r, node, "e.g. \"sway <= 5\"", "must be one inequality with <= or >=");
  const char *at = sign ? sign : other;
  const int left = (int)(at - words);
  char *change = sign ? path_format(r->error, "(%.*s) - (%s)", left, words, at + 2)
                      : path_format(r->error, "(%s) - (%.*s)", at + 2, left, words);
  const char *copy = change ? arena_string(&s->memory, change) : NULL;
  char name[32];
  free(change);
  if (!copy) return study_memory_short(r->error);
  snprintf(name, sizeof name, "constraint_%d", ++s->search.constraints);
  return add_output(s, name, copy, r);
}

static torsor_status read_objective(study *s, const reader *r, const json_node *root) {
  const json_node minimise = json_member(root, "minimise"), list = json_member(root, "subject_to");
  const char *words;
  torsor_status status = reader_text(&words, r, &minimise);
  if (!status && list.item) status = reader_array(r, &list, "a list of inequalities");
  if (status) return status;
  const int constraints = list.item ? cJSON_GetArraySize(list.item) : 0;
  if (s->outputs + constraints + 1 + s->variables > STUDY_COLUMNS)
    return reader_fail(r, &minimise, NULL, "there are more than %d columns", STUDY_COLUMNS);
  study_output *all = arena_take(&s->memory, (size_t)(s->outputs + constraints + 1), sizeof *all);
  if (!all) return study_memory_short(r->error);
  if (s->outputs) memcpy(all, s->output, (size_t)s->outputs * sizeof *all);
  s->output = all;
  s->search.objective = s->outputs;
  status = add_output(s, "objective", words, r);
  for (int i = 0; i < constraints && !status; ++i) {
    const json_node one = json_item(&list, cJSON_GetArrayItem(list.item, i), i);
    status = add_constraint(s, r, &one);
  }
  return status;
}

/* ---- how ---------------------------------------------------------------------------------------
 */

static study_method usual_method(const study *s) {
  if (s->search.objective < 0) return METHOD_LEVENBERG_MARQUARDT;
  return s->search.constraints || s->variables < 2 ? METHOD_COBYLA : METHOD_BOBYQA;
}

static torsor_status check_method(const study *s, const reader *r, const json_node *method) {
  const study_method found = s->search.method;
  const bool fits = s->search.objective < 0;
  const char *word = study_methods[found];
  if (fits != (found == METHOD_LEVENBERG_MARQUARDT))
    return reader_fail(r, method, NULL,
                       fits ? "data are fitted by levenberg_marquardt, not by %s"
                            : "%s is for data; what is minimised takes another method",
                       word);
  if (found == METHOD_BOBYQA && s->variables < 2)
    return reader_fail(r, method, "take cobyla", "bobyqa needs two values or more");
  const bool takes = found == METHOD_COBYLA || found == METHOD_SLSQP || found == METHOD_ISRES;
  if (s->search.constraints && !takes)
    return reader_fail(r, method, "take cobyla, slsqp or isres", "%s takes no \"subject_to\"",
                       word);
  return TORSOR_OK;
}

static torsor_status read_fit(study *s, const reader *r, const json_node *fit) {
  study_search *out = &s->search;
  static const char *const gradients[] = {"exact", "central", "forward"};
  const json_node method = json_member(fit, "method"), gradient = json_member(fit, "gradient");
  const json_node noise = json_member(fit, "noise"), tolerance = json_member(fit, "tolerance");
  const json_node runs = json_member(fit, "max_runs"), starts = json_member(fit, "starts");
  const json_node seed = json_member(fit, "seed");
  int word = 0, number = 0;
  torsor_status status =
      fit->item ? reader_object(r, fit, "a search", fit_keys, COUNT(fit_keys)) : TORSOR_OK;
  out->method = usual_method(s);
  if (!status && method.item) {
    status = reader_word(&word, r, &method, study_methods, METHODS);
    out->method = (study_method)word;
    if (!status) status = check_method(s, r, &method);
  }
  word = 0;
  if (!status && gradient.item) status = reader_word(&word, r, &gradient, gradients, 3);
  out->exact = word == 0;
  out->forward = word == 2;
  if (!status) status = reader_positive(&out->noise, r, &noise, NULL);
  if (!status) status = reader_positive(&out->tolerance, r, &tolerance, NULL);
  if (!status && runs.item) status = reader_integer(&out->most_runs, r, &runs, 1);
  if (!status && starts.item) status = reader_integer(&out->starts, r, &starts, 1);
  if (!status && seed.item) status = reader_integer(&number, r, &seed, 0);
  out->seed = (uint64_t)number;
  return status;
}

/* Each value must begin somewhere, between its bounds; global methods need both of these. */
static torsor_status check_starts(study *s, const reader *r, const json_node *root) {
  const json_node vary = json_member(root, "vary");
  const bool global = s->search.method >= METHOD_DIRECT || s->search.starts > 1;
  for (int i = 0; i < s->variables; ++i) {
    study_variable *v = &s->variable[i];
    const json_node node = json_member(&vary, v->name);
    if (isnan(v->start))
      return reader_fail(r, &node, NULL, "needs \"start\", the value at which the search begins");
    if (v->start <= v->from || v->start >= v->to)
      return reader_fail(r, &node, NULL, "\"start\" must be between \"from\" and \"to\"");
    if (global && (isnan(v->from) || isnan(v->to)))
      return reader_fail(r, &node, NULL, "needs \"from\" and \"to\" for this search");
    const double width = v->to - v->from;
    if (isnan(v->scale)) v->scale = isfinite(width) ? 0.1 * width : 0.1 * fabs(v->start);
    if (!(v->scale > 0))
      return reader_fail(r, &node, NULL, "needs \"scale\", the size of a change of it");
  }
  return TORSOR_OK;
}

torsor_status study_read_search(study *s, const reader *r, const json_node *root) {
  const json_node data = json_member(root, "data"), minimise = json_member(root, "minimise");
  const json_node fit = json_member(root, "fit"), list = json_member(root, "subject_to");
  s->search = (study_search){.objective = -1,
                             .noise = 1e-10,
                             .tolerance = 1e-8,
                             .most_runs = 500,
                             .starts = 1,
                             .asked = data.item || minimise.item};
  torsor_status status = TORSOR_OK;
  if (data.item && minimise.item)
    return reader_fail_key(r, &minimise, NULL, "a study fits \"data\" or minimises, not both");
  const json_node *idle = list.item && !minimise.item ? &list : fit.item ? &fit : NULL;
  if (idle && (idle == &list || !s->search.asked))
    return reader_fail_key(r, idle, NULL, "needs %s beside it",
                           idle == &list ? "\"minimise\"" : "\"data\" or \"minimise\"");
  if (data.item) status = read_data(s, r, &data);
  if (!status && minimise.item) status = read_objective(s, r, root);
  if (!status && s->search.asked) status = read_fit(s, r, &fit);
  if (!status && s->search.asked) status = check_starts(s, r, root);
  s->numbers = s->outputs + s->data;
  return status;
}
