/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampled blocks: difference equations and PID controllers. */
#include "scene/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/analysis.h>

#include "base/text.h"
#include "scene/function_list.h"

/* Most states of one block, and most signals that one reads. */
enum { STATES = 16, SIGNALS = 128 };

/* An input that the block writes, with the expression of its next value. */
typedef struct written {
  int input;
  const char *words;
} written;

typedef struct sampled {
  const char *name;
  double period, offset;
  double delay, before; /* of a delay, which has no period */
  int entry;
  int count;
  written item[1 + STATES];
} sampled;

static const char *const types[] = {"sampled", "pid", "delay"};
enum { TYPES = 3 };

bool samples_are(const json_node *entry) {
  const json_node type = json_member(entry, "type");
  for (int i = 0; cJSON_IsString(type.item) && i < TYPES; ++i)
    if (strcmp(type.item->valuestring, types[i]) == 0) return true;
  return false;
}

static torsor_status out_of_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct sample_reader {
  scene_inputs *inputs;
  arena *memory;
  const reader *r;
  sampled *s;
} sample_reader;

static torsor_status read_words(text *out, const reader *r, const json_node *node) {
  const char *words = NULL;
  if (cJSON_IsNumber(node->item)) {
    text_printf(out, "%.17g", node->item->valuedouble);
    return TORSOR_OK;
  }
  const torsor_status status = reader_text(&words, r, node);
  if (!status) text_append(out, words);
  return status;
}

/* Adds an input with this value at the start; `words` are released. */
static torsor_status add_input(sample_reader *all, const json_node *node, const char *name,
                               text *words, double initial) {
  torsor_status status = words->failed ? out_of_memory(all->r) : TORSOR_OK;
  if (!status) status = scene_inputs_append(all->inputs, all->memory, all->r, node, name, initial);
  const char *copy = status ? NULL : arena_string(all->memory, words->data ? words->data : "0");
  text_release(words);
  if (status) return status;
  if (!copy) return out_of_memory(all->r);
  all->s->item[all->s->count++] = (written){all->inputs->count - 1, copy};
  return TORSOR_OK;
}

static torsor_status read_times(sampled *s, const reader *r, const json_node *entry) {
  const json_node period = json_member(entry, "period"), offset = json_member(entry, "offset");
  if (!period.item)
    return reader_fail(r, &period, "seconds between two samples, for example 0.01", "is missing");
  torsor_status status = reader_positive(&s->period, r, &period, "seconds between two samples");
  if (!status && offset.item) status = reader_number(&s->offset, r, &offset);
  if (!status && s->offset < 0)
    return reader_fail(r, &offset, "the time of the first sample, in s",
                       "must be 0 or greater, but is %g", s->offset);
  return status;
}

static torsor_status read_state(sample_reader *all, const json_node *state) {
  static const char *const keys[] = {"state", "next", "initial"};
  const reader *r = all->r;
  const json_node name = json_member(state, "state"), next = json_member(state, "next");
  const json_node initial = json_member(state, "initial");
  const char *word = NULL;
  double value = 0;
  text words = {0};
  torsor_status status = reader_object(r, state, "a sampled state", keys, 3);
  if (!status) status = reader_text(&word, r, &name);
  if (!status && initial.item) status = reader_number(&value, r, &initial);
  if (!status) status = read_words(&words, r, &next);
  if (!status) return add_input(all, &name, word, &words, value);
  text_release(&words);
  return status;
}

static torsor_status read_sampled(sample_reader *all, const json_node *entry) {
  static const char *const keys[] = {"name",  "type",    "period", "offset",
                                     "value", "initial", "states"};
  const reader *r = all->r;
  const json_node name = json_member(entry, "name"), value = json_member(entry, "value");
  const json_node initial = json_member(entry, "initial"), states = json_member(entry, "states");
  double start = 0;
  text words = {0};
  torsor_status status = reader_object(r, entry, "a sampled block", keys, 7);
  if (!status && initial.item) status = reader_number(&start, r, &initial);
  if (!status) status = read_words(&words, r, &value);
  if (!status)
    status = add_input(all, &name, all->s->name, &words, start);
  else
    text_release(&words);
  if (!status && states.item) status = reader_array(r, &states, "the states of a sampled block");
  const cJSON *item = states.item && !status ? states.item->child : NULL;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node state = json_item(&states, item, i);
    if (i == STATES) return reader_fail(r, &states, NULL, "has more than %d states", STATES);
    status = read_state(all, &state);
  }
  return status;
}

/* u = kp e + I + kd (e - e_1)/T within its limits; I grows by ki T e, but not where that would
 * lead further beyond a limit that is reached (conditional integration). */
static torsor_status add_pid(sample_reader *all, const json_node *name, const char *e,
                             const double gain[3], const double limit[2]) {
  const char *own = all->s->name;
  const double T = all->s->period;
  text raw = {0}, value = {0}, sum = {0}, last = {0};
  char state[EXPRESSION_WORD + 1];
  text_printf(&raw, "((%.17g)*(%s) + %s_I + (%.17g)*((%s) - %s_e))", gain[0], e, own, gain[2] / T,
              e, own);
  const char *u = raw.data ? raw.data : "0";
  const bool limited = isfinite(limit[0]) || isfinite(limit[1]);
  if (limited) {
    text_printf(&value, "max(%.17g, min(%.17g, %s))", fmax(limit[0], -1e300), fmin(limit[1], 1e300),
                u);
    text_printf(&sum, "(%s > %.17g && (%.17g)*(%s) > 0) || (%s < %.17g && (%.17g)*(%s) < 0) ? ", u,
                fmin(limit[1], 1e300), gain[1], e, u, fmax(limit[0], -1e300), gain[1], e);
    text_printf(&sum, "%s_I : ", own);
  } else {
    text_append(&value, u);
  }
  text_printf(&sum, "%s_I + (%.17g)*(%s)", own, gain[1] * T, e);
  text_append(&last, e);
  value.failed |= raw.failed;
  torsor_status status = add_input(all, name, own, &value, 0);
  snprintf(state, sizeof state, "%.60s_I", own);
  if (!status) status = add_input(all, name, state, &sum, 0);
  snprintf(state, sizeof state, "%.60s_e", own);
  if (!status) status = add_input(all, name, state, &last, 0);
  text_release(&raw);
  text_release(&value);
  text_release(&sum);
  text_release(&last);
  return status;
}

static torsor_status read_limits(double limit[2], const reader *r, const json_node *node) {
  limit[0] = -HUGE_VAL;
  limit[1] = HUGE_VAL;
  if (!node->item) return TORSOR_OK;
  const torsor_status status = reader_numbers(limit, 2, r, node);
  if (!status && !(limit[0] < limit[1]))
    return reader_fail(r, node, "for example [-20, 20]", "the first must be below the second");
  return status;
}

static torsor_status read_pid(sample_reader *all, const json_node *entry) {
  static const char *const keys[] = {"name", "type", "period", "offset", "input",
                                     "kp",   "ki",   "kd",     "limits"};
  const reader *r = all->r;
  const json_node name = json_member(entry, "name"), input = json_member(entry, "input");
  const json_node limits = json_member(entry, "limits");
  double gain[3] = {0}, limit[2];
  text e = {0};
  torsor_status status = reader_object(r, entry, "a PID controller", keys, 9);
  for (int i = 0; i < 3 && !status; ++i) {
    const json_node number = json_member(entry, keys[5 + i]);
    if (number.item) status = reader_number(&gain[i], r, &number);
  }
  if (!status) status = read_limits(limit, r, &limits);
  if (!status) status = read_words(&e, r, &input);
  if (!status && e.failed) status = out_of_memory(r);
  if (!status) status = add_pid(all, &name, e.data, gain, limit);
  text_release(&e);
  return status;
}

static torsor_status read_delay(sample_reader *all, const json_node *entry) {
  static const char *const keys[] = {"name", "type", "input", "time", "initial"};
  const reader *r = all->r;
  const json_node name = json_member(entry, "name"), input = json_member(entry, "input");
  const json_node time = json_member(entry, "time"), initial = json_member(entry, "initial");
  text words = {0};
  torsor_status status = reader_object(r, entry, "a delay", keys, 5);
  if (!status && !time.item)
    status = reader_fail(r, &time, "seconds, for example 0.05", "is missing");
  if (!status) status = reader_positive(&all->s->delay, r, &time, "seconds, for example 0.05");
  if (!status && initial.item) status = reader_number(&all->s->before, r, &initial);
  if (!status) status = read_words(&words, r, &input);
  if (!status) return add_input(all, &name, all->s->name, &words, all->s->before);
  text_release(&words);
  return status;
}

static torsor_status read_entry(sample_reader *all, const json_node *entry) {
  const json_node name = json_member(entry, "name"), type = json_member(entry, "type");
  torsor_status status = reader_text(&all->s->name, all->r, &name);
  if (!status && strcmp(type.item->valuestring, "delay") == 0) return read_delay(all, entry);
  if (!status) status = read_times(all->s, all->r, entry);
  if (status) return status;
  return strcmp(type.item->valuestring, "pid") == 0 ? read_pid(all, entry)
                                                    : read_sampled(all, entry);
}

torsor_status samples_read(scene_samples *out, scene_inputs *inputs, arena *memory, const reader *r,
                           const json_node *list) {
  *out = (scene_samples){0};
  if (!cJSON_IsArray(list->item)) return TORSOR_OK;
  out->size = cJSON_GetArraySize(list->item);
  out->item = arena_take(memory, (size_t)out->size, sizeof *out->item);
  if (!out->item) return out_of_memory(r);
  torsor_status status = TORSOR_OK;
  const cJSON *item = list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node entry = json_item(list, item, i);
    if (!samples_are(&entry)) continue;
    sampled *s = &out->item[out->count++];
    *s = (sampled){.entry = i};
    status = read_entry(&(sample_reader){inputs, memory, r, s}, &entry);
  }
  return status;
}

/* ---- controllers ----------------------------------------------------------------------------- */

/* A block in a model: the functions that give its inputs their next values, of the same words. */
typedef struct sample_words {
  int count;
  const char *name[1 + SIGNALS]; /* t, then words of the expressions ... */
  const char *signal[SIGNALS];   /* ... and the signals that they stand for */
  char word[SIGNALS][EXPRESSION_WORD + 1], full[SIGNALS][EXPRESSION_WORD + 16];
} sample_words;

/* Called at a sample: every expression sees the values before it. */
static torsor_status sample_call(void *data, double t, const double *read, double *write) {
  const function *first = data;
  const torsor_now now = {.t = t, .load = 1};
  int k = 0;
  for (const function *f = first; f; f = f->of, ++k) {
    double variable[f->variables];
    memset(variable, 0, sizeof variable);
    function_set(f, &now, variable);
    variable[0] = t;
    if (f->own > 1) memcpy(variable + 1, read, ((size_t)f->own - 1) * sizeof *read);
    write[k] = expression_value(f->value, variable);
  }
  return TORSOR_OK;
}

/* Collects the signals of an expression: those with dots, states of other blocks, and inputs. */
static torsor_status collect(sample_words *words, const function_list *list, const reader *r,
                             const json_node *node, const char *given) {
  char word[EXPRESSION_WORD + 1];
  while (expression_next_name(&given, word)) {
    const bool dotted = strchr(word, '.'), input = scene_inputs_find(list->inputs, word) >= 0;
    const bool called = given[strspn(given, " \t\r\n")] == '(';
    bool known = called || !(dotted || input || blocks_have_state(list->blocks, word));
    for (int i = 0; i < words->count - 1 && !known; ++i) known = strcmp(words->word[i], word) == 0;
    if (known) continue;
    const int i = words->count - 1;
    if (i == SIGNALS) return reader_fail(r, node, NULL, "uses more than %d signals", SIGNALS);
    strcpy(words->word[i], word);
    snprintf(words->full[i], sizeof words->full[i], "%s%s%s", input ? "inputs." : "", word,
             dotted || input ? "" : ".value");
    words->signal[i] = words->full[i];
    words->name[words->count++] = words->word[i];
  }
  return TORSOR_OK;
}

static torsor_status expand(const char **out, char **owned, const function_list *list,
                            const reader *r, const json_node *node, const char *words) {
  if (r->error) r->error->path[0] = '\0';
  return reader_locate(r, &node->path, blocks_expand(out, owned, list->blocks, words, r->error));
}

static torsor_status compile(function **out, function_list *list, sample_words *words,
                             const char *given, const reader *r, const json_node *entry) {
  torsor_status status = function_add(out, list, r);
  if (!status) status = function_reserve(*out, r, words->count);
  return status ? status
                : function_compile_text(&(*out)->value, *out, r, entry, given, words->name);
}

static torsor_status add_controller(torsor_builder *builder, const sampled *s, sample_words *words,
                                    function *first, const int *write, const reader *r,
                                    const json_node *entry) {
  torsor_callback *callback = function_callback(first);
  if (!callback) return out_of_memory(r);
  *callback = (torsor_callback)TORSOR_CALLBACK_INIT("controller", sample_call, NULL);
  callback->data = first;
  callback->threads = true;
  const torsor_controller c = {.name = s->name,
                               .period = s->period,
                               .offset = s->offset,
                               .read = words->signal,
                               .reads = words->count - 1,
                               .write = write,
                               .writes = s->count,
                               .delay = s->delay,
                               .before = s->before,
                               .callback = callback};
  if (r->error) r->error->path[0] = '\0';
  return reader_locate(r, &entry->path, torsor_builder_controller(builder, &c, r->error));
}

static torsor_status add_sampled(torsor_builder *builder, const sampled *s,
                                 function_list *functions, const reader *r,
                                 const json_node *entry) {
  sample_words *words = calloc(1, sizeof *words);
  const char *given[1 + STATES] = {NULL};
  char *owned[1 + STATES] = {NULL};
  function *first = NULL, *last = NULL;
  int write[1 + STATES];
  if (!words) return out_of_memory(r);
  *words = (sample_words){.count = 1, .name = {EXPRESSION_TIME}};
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < s->count && !status; ++k) {
    write[k] = s->item[k].input;
    status = expand(&given[k], &owned[k], functions, r, entry, s->item[k].words);
    if (!status) status = collect(words, functions, r, entry, given[k]);
  }
  for (int k = 0; k < s->count && !status; ++k) {
    function *f = NULL;
    status = compile(&f, functions, words, given[k], r, entry);
    if (last) last->of = f;
    last = f;
    if (!first) first = f;
  }
  if (!status) status = add_controller(builder, s, words, first, write, r, entry);
  for (int k = 0; k < s->count; ++k) free(owned[k]);
  free(words);
  return status;
}

torsor_status samples_add(torsor_builder *builder, const scene_samples *samples,
                          function_list *functions, const reader *r, const json_node *list) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < samples->count && !status; ++i) {
    const sampled *s = &samples->item[i];
    const json_node entry = json_item(list, cJSON_GetArrayItem(list->item, s->entry), s->entry);
    status = add_sampled(builder, s, functions, r, &entry);
  }
  return status;
}

/* The sampled block called `name` in the model, which has other controllers, too. */
static const torsor_controller *find_controller(const torsor_model *model, const char *name) {
  const torsor_controller *c;
  for (int i = 0; (c = torsor_model_controller(model, i)); ++i)
    if (strcmp(c->name, name) == 0) break;
  return c;
}

torsor_status samples_check(const torsor_model *model, const scene_samples *samples,
                            const reader *r, const json_node *list) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < samples->count && !status; ++i) {
    const sampled *s = &samples->item[i];
    const json_node entry = json_item(list, cJSON_GetArrayItem(list->item, s->entry), s->entry);
    const torsor_controller *c = find_controller(model, s->name);
    torsor_signals *found = NULL;
    if (!c->reads) continue;
    if (r->error) r->error->path[0] = '\0';
    status = reader_locate(r, &entry.path,
                           torsor_signals_create(&found, model, c->read, c->reads, NULL, r->error));
    const int columns = status ? 0 : torsor_signals_count(found);
    torsor_signals_destroy(found);
    if (!status && columns != c->reads)
      status = reader_fail(r, &entry, "write the name of each signal in full: \"ball.position.x\"",
                           "reads %d names that stand for %d signals", c->reads, columns);
  }
  return status;
}
