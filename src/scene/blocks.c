/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Controllers with continuous states, as states with rates and values with expressions. */
#include "scene/blocks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Most states, inputs and outputs of one entry. */
enum { MOST = 64 };

typedef struct block_reader {
  scene_blocks *out;
  arena *memory;
  const reader *r;
  int entry;
} block_reader;

static const char *const types[] = {"state",       "value",          "transfer_function",
                                    "state_space", "continuous_pid", "rate_limit"};
enum { TYPE_STATE, TYPE_VALUE, TYPE_TRANSFER, TYPE_SPACE, TYPE_PID, TYPE_LIMIT, TYPES };

bool blocks_are(const json_node *entry) {
  const json_node type = json_member(entry, "type");
  if (json_member(entry, "state").item) return true;
  for (int i = 0; cJSON_IsString(type.item) && i < TYPES; ++i)
    if (strcmp(type.item->valuestring, types[i]) == 0) return true;
  return false;
}

static torsor_status out_of_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

/* ---- adding ---------------------------------------------------------------------------------- */

const block *blocks_find(const scene_blocks *blocks, const char *word) {
  for (int i = 0; blocks && i < blocks->count; ++i)
    if (strcmp(blocks->item[i].name, word) == 0) return &blocks->item[i];
  return NULL;
}

static torsor_status check_name(const block_reader *b, const json_node *node, const char *name) {
  char shown[96];
  if (!expression_is_name(name))
    return reader_fail(b->r, node, "letters, digits and _, beginning with a letter",
                       "%s cannot be the name of a block", reader_show_text(name, shown));
  double constant;
  if (blocks_find(b->out, name) || expression_constant(&constant, name) ||
      expression_is_builtin(name) || strcmp(name, EXPRESSION_TIME) == 0 ||
      strcmp(name, EXPRESSION_LOAD) == 0 || expression_lookup(b->r->scope, name) ||
      expression_function_find(b->r->scope, name))
    return reader_fail(b->r, node, "choose another name",
                       "\"%s\" is taken: another block, a parameter, an input, a function, or a "
                       "word of expressions",
                       name);
  for (int i = 0; i < b->r->scope->input_count; ++i)
    if (strcmp(b->r->scope->inputs[i], name) == 0)
      return reader_fail(b->r, node, "choose another name", "\"%s\" is an input", name);
  return TORSOR_OK;
}

/* Adds a block with copies of its name and text. */
static torsor_status add(block_reader *b, const json_node *node, const char *name,
                         const char *words, bool state, double initial) {
  scene_blocks *all = b->out;
  const torsor_status status = check_name(b, node, name);
  if (status) return status;
  if (all->count == all->size) {
    const int size = 2 * all->size + 16;
    block *moved = arena_take(b->memory, (size_t)size, sizeof *moved);
    if (!moved) return out_of_memory(b->r);
    if (all->count) memcpy(moved, all->item, (size_t)all->count * sizeof *moved);
    all->item = moved;
    all->size = size;
  }
  const block made = {arena_string(b->memory, name), arena_string(b->memory, words), state, initial,
                      b->entry};
  if (!made.name || !made.text) return out_of_memory(b->r);
  all->item[all->count++] = made;
  return TORSOR_OK;
}

/* Adds a block whose text has been built. */
static torsor_status add_built(block_reader *b, const json_node *node, const char *name,
                               text *words, bool state, double initial) {
  if (words->failed) return out_of_memory(b->r);
  return add(b, node, name, words->data ? words->data : "0", state, initial);
}

/* The text of a number or an expression. */
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

/* ---- states and values ----------------------------------------------------------------------- */

static torsor_status read_state(block_reader *b, const json_node *entry) {
  static const char *const keys[] = {"name", "state", "type", "rate", "initial"};
  const reader *r = b->r;
  const json_node state = json_member(entry, "state");
  const json_node name = state.item ? state : json_member(entry, "name");
  const json_node rate = json_member(entry, "rate"), initial = json_member(entry, "initial");
  const char *word = NULL;
  double value = 0;
  text words = {0};
  torsor_status status = reader_object(r, entry, "a state", keys, 5);
  if (!status) status = reader_text(&word, r, &name);
  if (!status) status = read_words(&words, r, &rate);
  if (!status && initial.item) status = reader_number(&value, r, &initial);
  if (!status) status = add_built(b, &name, word, &words, true, value);
  text_release(&words);
  return status;
}

static torsor_status read_value(block_reader *b, const json_node *entry) {
  static const char *const keys[] = {"name", "type", "value"};
  const reader *r = b->r;
  const json_node name = json_member(entry, "name"), value = json_member(entry, "value");
  const char *word = NULL;
  text words = {0};
  torsor_status status = reader_object(r, entry, "a value", keys, 3);
  if (!status) status = reader_text(&word, r, &name);
  if (!status) status = read_words(&words, r, &value);
  if (!status) status = add_built(b, &name, word, &words, false, 0);
  text_release(&words);
  return status;
}

/* ---- transfer functions ---------------------------------------------------------------------- */

/* Coefficients, that of the highest power first, into out [*count] with the lowest first; leading
 * zeros are dropped. */
static torsor_status read_polynomial(double out[MOST + 1], int *count, const reader *r,
                                     const json_node *node) {
  torsor_status status = reader_array(r, node, "coefficients, the highest power first");
  const int size = status ? 0 : cJSON_GetArraySize(node->item);
  if (!status && (size < 1 || size > MOST))
    return reader_fail(r, node, "for example [1, 0.2, 4]", "must have 1 to %d coefficients", MOST);
  const cJSON *item = status ? NULL : node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node number = json_item(node, item, i);
    status = reader_number(&out[size - 1 - i], r, &number);
  }
  *count = size;
  while (!status && *count > 1 && out[*count - 1] == 0) --*count;
  return status;
}

/* Controllable canonical form: x_i' = x_(i+1), x_n' = u - sum alpha_k x_(k+1). */
static torsor_status add_transfer(block_reader *b, const json_node *name, const char *word,
                                  const char *input, double *num, int n, const double *den, int m) {
  const int order = m - 1;
  const double through = n == m ? num[order] / den[order] : 0;
  torsor_status status = TORSOR_OK;
  text last = {0}, value = {0};
  char state[EXPRESSION_WORD + 1];
  text_printf(&last, "(%s)", input);
  text_printf(&value, "(%.17g)*(%s)", through, input);
  for (int k = 0; k < order; ++k) {
    const double beta = ((k < n ? num[k] : 0) - through * den[k]) / den[order];
    text_printf(&last, " - (%.17g)*%s_%d", den[k] / den[order], word, k + 1);
    if (beta != 0) text_printf(&value, " + (%.17g)*%s_%d", beta, word, k + 1);
  }
  for (int k = 1; k <= order && !status; ++k) {
    text words = {0};
    snprintf(state, sizeof state, "%.60s_%d", word, k);
    if (k == order)
      text_append(&words, last.data ? last.data : "0");
    else
      text_printf(&words, "%s_%d", word, k + 1);
    words.failed |= last.failed;
    status = add_built(b, name, state, &words, true, 0);
    text_release(&words);
  }
  if (!status) status = add_built(b, name, word, &value, false, 0);
  text_release(&last);
  text_release(&value);
  return status;
}

static torsor_status read_transfer(block_reader *b, const json_node *entry) {
  static const char *const keys[] = {"name", "type", "input", "numerator", "denominator"};
  const reader *r = b->r;
  const json_node name = json_member(entry, "name"), input = json_member(entry, "input");
  const json_node above = json_member(entry, "numerator");
  const json_node below = json_member(entry, "denominator");
  double num[MOST + 1], den[MOST + 1];
  int n = 0, m = 0;
  const char *word = NULL;
  text words = {0};
  torsor_status status = reader_object(r, entry, "a transfer function", keys, 5);
  if (!status) status = reader_text(&word, r, &name);
  if (!status) status = read_words(&words, r, &input);
  if (!status) status = read_polynomial(num, &n, r, &above);
  if (!status) status = read_polynomial(den, &m, r, &below);
  if (!status && n > m)
    status = reader_fail(r, &above, "a filter makes it proper: divide by (T s + 1) as well",
                         "the numerator has the degree %d, above that of the denominator, %d",
                         n - 1, m - 1);
  if (!status && den[m - 1] == 0) status = reader_fail(r, &below, NULL, "the denominator is zero");
  if (!status && words.failed) status = out_of_memory(r);
  if (!status) status = add_transfer(b, &name, word, words.data, num, n, den, m);
  text_release(&words);
  return status;
}

/* ---- state space ----------------------------------------------------------------------------- */

typedef struct space {
  double A[MOST][MOST], B[MOST][MOST], C[MOST][MOST], D[MOST][MOST];
  int states, inputs, outputs;
  text input[MOST];
} space;

/* A matrix of `rows` rows (0 = as many as it has) and `columns` columns. */
static torsor_status read_rows(double out[MOST][MOST], int *rows, int columns, const reader *r,
                               const json_node *node) {
  torsor_status status = reader_array(r, node, "a matrix, a list of rows");
  const int size = status ? 0 : cJSON_GetArraySize(node->item);
  if (!status && (size < 1 || size > MOST || (*rows && size != *rows)))
    return reader_fail(r, node, NULL, "must have %d rows, but has %d", *rows ? *rows : MOST, size);
  const cJSON *item = status ? NULL : node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node row = json_item(node, item, i);
    status = reader_numbers(out[i], columns, r, &row);
  }
  *rows = size;
  return status;
}

static torsor_status read_inputs(space *s, const reader *r, const json_node *node) {
  torsor_status status = reader_array(r, node, "expressions of the inputs");
  const int size = status ? 0 : cJSON_GetArraySize(node->item);
  if (!status && (size < 1 || size > MOST))
    return reader_fail(r, node, "for example [\"target - hinge.angle\"]",
                       "must have 1 to %d expressions, but has %d", MOST, size);
  const cJSON *item = status ? NULL : node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node input = json_item(node, item, i);
    status = read_words(&s->input[i], r, &input);
    if (!status && s->input[i].failed) status = out_of_memory(r);
  }
  s->inputs = size;
  return status;
}

static torsor_status read_matrices(space *s, const reader *r, const json_node *entry) {
  const json_node A = json_member(entry, "A"), B = json_member(entry, "B");
  const json_node C = json_member(entry, "C"), D = json_member(entry, "D");
  torsor_status status = reader_array(r, &A, "a matrix, a list of rows");
  const int states = status ? 0 : cJSON_GetArraySize(A.item);
  if (!status && (states < 1 || states > MOST))
    return reader_fail(r, &A, NULL, "must have 1 to %d rows, but has %d", MOST, states);
  s->states = states;
  if (!status) status = read_rows(s->A, &s->states, states, r, &A);
  if (!status) status = read_rows(s->B, &s->states, s->inputs, r, &B);
  if (!status) status = read_rows(s->C, &s->outputs, states, r, &C);
  if (!status && D.item) status = read_rows(s->D, &s->outputs, s->inputs, r, &D);
  return status;
}

/* sum of row[k] word_xk and of through[k] (input k). */
static void write_row(text *out, const space *s, const char *word, const double *row,
                      const double *through) {
  text_append(out, "0");
  for (int k = 0; k < s->states; ++k)
    if (row[k] != 0) text_printf(out, " + (%.17g)*%s_x%d", row[k], word, k + 1);
  for (int k = 0; k < s->inputs; ++k)
    if (through[k] != 0)
      text_printf(out, " + (%.17g)*(%s)", through[k], s->input[k].data ? s->input[k].data : "");
}

static torsor_status add_space(block_reader *b, const json_node *name, const char *word,
                               const space *s, const double *initial) {
  torsor_status status = TORSOR_OK;
  char made[EXPRESSION_WORD + 1];
  for (int i = 0; i < s->states && !status; ++i) {
    text words = {0};
    write_row(&words, s, word, s->A[i], s->B[i]);
    snprintf(made, sizeof made, "%.60s_x%d", word, i + 1);
    status = add_built(b, name, made, &words, true, initial[i]);
    text_release(&words);
  }
  for (int i = 0; i < s->outputs && !status; ++i) {
    text words = {0};
    write_row(&words, s, word, s->C[i], s->D[i]);
    if (s->outputs == 1)
      snprintf(made, sizeof made, "%.60s", word);
    else
      snprintf(made, sizeof made, "%.60s_%d", word, i + 1);
    status = add_built(b, name, made, &words, false, 0);
    text_release(&words);
  }
  return status;
}

static torsor_status read_space(block_reader *b, const json_node *entry) {
  static const char *const keys[] = {"name", "type", "inputs", "A", "B", "C", "D", "initial"};
  const reader *r = b->r;
  const json_node name = json_member(entry, "name"), inputs = json_member(entry, "inputs");
  const json_node initial = json_member(entry, "initial");
  const char *word = NULL;
  double start[MOST] = {0};
  space *s = calloc(1, sizeof *s);
  if (!s) return out_of_memory(r);
  torsor_status status = reader_object(r, entry, "a state space", keys, 8);
  if (!status) status = reader_text(&word, r, &name);
  if (!status) status = read_inputs(s, r, &inputs);
  if (!status) status = read_matrices(s, r, entry);
  if (!status && initial.item) status = reader_numbers(start, s->states, r, &initial);
  if (!status) status = add_space(b, &name, word, s, start);
  for (int i = 0; i < MOST; ++i) text_release(&s->input[i]);
  free(s);
  return status;
}

/* ---- controllers with limits ----------------------------------------------------------------- */

/* Two limits, the lower one first; none where the member is missing. */
static torsor_status read_limits(double out[2], const reader *r, const json_node *node) {
  if (!node->item) return TORSOR_OK;
  const torsor_status status = reader_numbers(out, 2, r, node);
  if (status || out[0] < out[1]) return status;
  return reader_fail(r, node, "for example [-20, 20]", "the lower limit %g is not below %g", out[0],
                     out[1]);
}

typedef struct pid {
  double kp, ki, kd, filter, tracking, limits[2];
  bool limited;
} pid;

static torsor_status read_gains(pid *p, const reader *r, const json_node *entry) {
  const json_node kp = json_member(entry, "kp"), ki = json_member(entry, "ki");
  const json_node kd = json_member(entry, "kd"), limits = json_member(entry, "limits");
  const json_node filter = json_member(entry, "filter"), tracking = json_member(entry, "tracking");
  torsor_status status = TORSOR_OK;
  if (kp.item) status = reader_number(&p->kp, r, &kp);
  if (!status && ki.item) status = reader_number(&p->ki, r, &ki);
  if (!status && kd.item) status = reader_number(&p->kd, r, &kd);
  if (!status && p->kd != 0 && !filter.item)
    return reader_fail(r, &filter, "seconds, some tenths of the time in which the loop settles",
                       "is missing: the derivative of a continuous PID needs a filter");
  if (!status)
    status =
        reader_positive(&p->filter, r, &filter, "seconds, the time constant of the derivative");
  if (!status) status = read_limits(p->limits, r, &limits);
  p->limited = limits.item != NULL;
  if (!status && p->limited && p->ki != 0 && !tracking.item)
    return reader_fail(
        r, &tracking, "seconds, for example kp/ki",
        "is missing: the time in which the integral follows a limit that is reached");
  if (!status && tracking.item && !p->limited)
    return reader_fail_key(r, &tracking, "\"limits\": [-20, 20]", "has no limits to follow");
  if (!status) status = reader_positive(&p->tracking, r, &tracking, "seconds, for example kp/ki");
  return status;
}

/* u = kp e + I + kd (e - D)/T within the limits, I' = ki e + (u - unlimited u)/tracking, D' = (e -
 * D)/T. */
static torsor_status add_pid(block_reader *b, const json_node *name, const char *word,
                             const char *input, const pid *p) {
  text law = {0}, value = {0}, rate = {0};
  char made[EXPRESSION_WORD + 1];
  torsor_status status = TORSOR_OK;
  text_printf(&law, "(%.17g)*(%s)", p->kp, input);
  if (p->ki != 0) text_printf(&law, " + %s_I", word);
  if (p->kd != 0) text_printf(&law, " + (%.17g)*((%s) - %s_D)", p->kd / p->filter, input, word);
  const char *words = law.data ? law.data : "0";
  if (p->limited)
    text_printf(&value, "max(%.17g, min(%.17g, %s))", p->limits[0], p->limits[1], words);
  else
    text_append(&value, words);
  if (p->ki != 0) {
    text_printf(&rate, "(%.17g)*(%s)", p->ki, input);
    if (p->limited) text_printf(&rate, " + (%s - (%s))/%.17g", word, words, p->tracking);
    snprintf(made, sizeof made, "%.60s_I", word);
    rate.failed |= law.failed || value.failed;
    status = add_built(b, name, made, &rate, true, 0);
  }
  text_release(&rate);
  if (!status && p->kd != 0) {
    text slope = {0};
    text_printf(&slope, "((%s) - %s_D)/%.17g", input, word, p->filter);
    snprintf(made, sizeof made, "%.60s_D", word);
    status = add_built(b, name, made, &slope, true, 0);
    text_release(&slope);
  }
  if (!status) status = add_built(b, name, word, &value, false, 0);
  text_release(&law);
  text_release(&value);
  return status;
}

static torsor_status read_pid(block_reader *b, const json_node *entry) {
  static const char *const keys[] = {"name", "type",   "input",  "kp",      "ki",
                                     "kd",   "filter", "limits", "tracking"};
  const reader *r = b->r;
  const json_node name = json_member(entry, "name"), input = json_member(entry, "input");
  const char *word = NULL;
  pid p = {0};
  text words = {0};
  torsor_status status = reader_object(r, entry, "a continuous PID", keys, 9);
  if (!status) status = reader_text(&word, r, &name);
  if (!status) status = read_words(&words, r, &input);
  if (!status) status = read_gains(&p, r, entry);
  if (!status && words.failed) status = out_of_memory(r);
  if (!status) status = add_pid(b, &name, word, words.data ? words.data : "0", &p);
  text_release(&words);
  return status;
}

/* y' = (u - y)/T, but not beyond the limits. */
static torsor_status read_rate_limit(block_reader *b, const json_node *entry) {
  static const char *const keys[] = {"name", "type", "input", "rates", "time", "initial"};
  const reader *r = b->r;
  const json_node name = json_member(entry, "name"), input = json_member(entry, "input");
  const json_node rates = json_member(entry, "rates"), time = json_member(entry, "time");
  const json_node initial = json_member(entry, "initial");
  const char *word = NULL;
  double limits[2] = {0}, lag = 0, value = 0;
  text words = {0}, rate = {0};
  torsor_status status = reader_object(r, entry, "a rate limit", keys, 6);
  if (!status) status = reader_text(&word, r, &name);
  if (!status) status = read_words(&words, r, &input);
  if (!status && !rates.item)
    status = reader_fail(r, &rates, "the fastest fall and rise, for example [-2, 2]", "is missing");
  if (!status) status = read_limits(limits, r, &rates);
  if (!status && !(limits[0] <= 0 && limits[1] >= 0))
    status = reader_fail(r, &rates, "the fastest fall and rise, for example [-2, 2]",
                         "the rates %g to %g do not let it rest", limits[0], limits[1]);
  if (!status && !time.item)
    status = reader_fail(r, &time, "seconds, short beside the motion, for example 0.01",
                         "is missing: the lag with which it follows what is slow enough");
  if (!status) status = reader_positive(&lag, r, &time, "seconds, for example 0.01");
  if (!status && initial.item) status = reader_number(&value, r, &initial);
  if (!status)
    text_printf(&rate, "max(%.17g, min(%.17g, ((%s) - %s)/%.17g))", limits[0], limits[1],
                words.data ? words.data : "0", word, lag);
  rate.failed |= words.failed;
  if (!status) status = add_built(b, &name, word, &rate, true, value);
  text_release(&words);
  text_release(&rate);
  return status;
}

/* ---- the list -------------------------------------------------------------------------------- */

static torsor_status read_entry(block_reader *b, const json_node *entry) {
  const json_node type = json_member(entry, "type");
  int chosen = TYPE_STATE;
  if (type.item) {
    const torsor_status status = reader_word(&chosen, b->r, &type, types, TYPES);
    if (status) return status;
  }
  switch (chosen) {
  case TYPE_STATE:
    return read_state(b, entry);
  case TYPE_VALUE:
    return read_value(b, entry);
  case TYPE_TRANSFER:
    return read_transfer(b, entry);
  case TYPE_PID:
    return read_pid(b, entry);
  case TYPE_LIMIT:
    return read_rate_limit(b, entry);
  default:
    return read_space(b, entry);
  }
}

torsor_status blocks_read(scene_blocks *out, arena *memory, const reader *r,
                          const json_node *list) {
  *out = (scene_blocks){0};
  block_reader b = {.out = out, .memory = memory, .r = r};
  torsor_status status = TORSOR_OK;
  const cJSON *item = cJSON_IsArray(list->item) ? list->item->child : NULL;
  for (; item && !status; ++b.entry, item = item->next) {
    const json_node entry = json_item(list, item, b.entry);
    if (blocks_are(&entry)) status = read_entry(&b, &entry);
  }
  return status;
}

/* ---- replacing values by their expressions ----------------------------------------------------
 */

/* Cuts ".value" off. */
static void cut_value(char word[EXPRESSION_WORD + 1]) {
  char *dot = strrchr(word, '.');
  if (dot && strcmp(dot, ".value") == 0 && strchr(word, '.') == dot) *dot = '\0';
}

bool blocks_have_state(const scene_blocks *blocks, const char *word) {
  char plain[EXPRESSION_WORD + 1];
  snprintf(plain, sizeof plain, "%.*s", EXPRESSION_WORD, word);
  cut_value(plain);
  const block *b = blocks_find(blocks, plain);
  return b && b->state;
}

/* Blocks that are being replaced. */
typedef struct chain {
  const block *b;
  const struct chain *up;
} chain;

static torsor_status fail_loop(const chain *up, const block *b, torsor_error *error) {
  const block *list[MOST];
  int count = 0;
  char words[300] = "";
  size_t used = 0;
  for (; up && count < MOST - 1; up = up->up) {
    list[count++] = up->b;
    if (up->b == b) break;
  }
  for (int i = count - 1; i >= 0 && used + EXPRESSION_NAME + 5 < sizeof words; --i)
    used += (size_t)snprintf(words + used, sizeof words - used, "%s -> ", list[i]->name);
  torsor_fail(error, TORSOR_SCENE, "the blocks form an algebraic loop: %s%s", words, b->name);
  torsor_hint(error, "a state in between breaks it: a filter, an integrator, a transfer function "
                     "without direct feedthrough");
  return TORSOR_SCENE;
}

/* Most bytes of an expression with all its blocks. */
enum { LONGEST = 1000000 };

static torsor_status expand(text *out, bool *changed, const scene_blocks *blocks, const char *words,
                            const chain *up, torsor_error *error) {
  char word[EXPRESSION_WORD + 1];
  const char *from = words;
  for (const char *at = words; expression_next_name(&at, word);) {
    const size_t length = strlen(word);
    const char *begin = at - length;
    if (length == EXPRESSION_WORD) continue;
    cut_value(word);
    const block *b = at[strspn(at, " \t\r\n")] == '(' ? NULL : blocks_find(blocks, word);
    if (!b || (b->state && strlen(word) == length)) continue;
    *changed = true;
    text_append_bytes(out, from, (size_t)(begin - from));
    from = at;
    if (b->state) {
      text_append(out, b->name);
      continue;
    }
    for (const chain *c = up; c; c = c->up)
      if (c->b == b) return fail_loop(up, b, error);
    const chain inside = {b, up};
    text_append(out, "(");
    const torsor_status status = expand(out, changed, blocks, b->text, &inside, error);
    if (status) return status;
    text_append(out, ")");
    if (out->length > LONGEST)
      return torsor_fail(error, TORSOR_SCENE, "the expression of block \"%s\" is too long",
                         b->name);
  }
  text_append(out, from);
  return TORSOR_OK;
}

torsor_status blocks_expand(const char **out, char **owned, const scene_blocks *blocks,
                            const char *words, torsor_error *error) {
  text made = {0};
  bool changed = false;
  *out = words;
  *owned = NULL;
  if (!blocks || !blocks->count) return TORSOR_OK;
  torsor_status status = expand(&made, &changed, blocks, words, NULL, error);
  if (!status && changed) {
    *owned = text_take(&made);
    *out = *owned;
    if (!*owned) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  text_release(&made);
  return status;
}
