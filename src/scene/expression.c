/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scene/expression_messages.h"
#include "scene/program.h"

/* ---- evaluation ---------------------------------------------------------------------------- */

/* Returns the index of the first = that is not part of a comparison, or of the end. */
static size_t find_assignment(const char *text) {
  size_t i = 0;
  for (; text[i]; ++i) {
    if (text[i] != '=') continue;
    if (text[i + 1] == '=')
      ++i;
    else if (!i || !strchr("<>!", text[i - 1]))
      break;
  }
  return i;
}

/* Checks that the text has only admissible characters. */
static torsor_status check_text(const char *text, torsor_error *error) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
                                " \t\r\n.,+-*/^()<>=!&|?:";
  const size_t good = strspn(text, allowed);
  if (text[good]) return expression_fail_at(error, text, "unexpected character", good, NULL);
  if (!text[strspn(text, " \t\r\n")]) {
    torsor_fail(error, TORSOR_SCENE, "the expression is empty");
    torsor_hint(error, "write a number, or an expression such as \"2*m\"");
    return TORSOR_SCENE;
  }
  const size_t assigned = find_assignment(text);
  if (text[assigned])
    return expression_fail_at(error, text, "an operator in the wrong position", assigned,
                              "values cannot be assigned; == compares");
  return TORSOR_OK;
}

struct expression {
  program program;
};

void expression_destroy(expression *e) {
  if (!e) return;
  program_release(&e->program);
  free(e);
}

bool expression_uses(const expression *e, int index) {
  for (int i = 0; i < e->program.count; ++i)
    if (e->program.code[i].op == OP_VARIABLE && e->program.code[i].index == index) return true;
  return false;
}

double expression_value(const expression *e, const double *x) {
  return program_value(&e->program, x, NULL, NULL);
}

double expression_value_beside(const expression *e, const double *x, const signed char *side) {
  return program_value(&e->program, x, side, NULL);
}

jet expression_derivatives_beside(const expression *e, const double *x, const signed char *side,
                                  int by) {
  return program_jet(&e->program, x, side, by, NULL, NULL);
}

int expression_kinks(const expression *e) {
  return e->program.kinks;
}

void expression_kink_values(const expression *e, const double *x, double *kink) {
  program_value(&e->program, x, NULL, kink);
}

jet expression_derivatives(const expression *e, const double *x, int by) {
  return program_jet(&e->program, x, NULL, by, NULL, NULL);
}

jet expression_rates(const expression *e, const double *x, const double *rate,
                     const double *second) {
  return program_jet(&e->program, x, NULL, -1, rate, second);
}

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status expression_compile(expression **out, const char *text, const expression_scope *scope,
                                 torsor_error *error) {
  *out = NULL;
  torsor_status status = check_text(text, error);
  if (status) return status;
  expression *e = calloc(1, sizeof *e);
  if (!e) return out_of_memory(error);
  status = program_translate(&e->program, text, scope, error);
  if (status)
    expression_destroy(e);
  else
    *out = e;
  return status;
}

static torsor_status check_finite(double value, const char *text, torsor_error *error) {
  return isfinite(value) ? TORSOR_OK : expression_fail_finite(error, text, value);
}

torsor_status expression_evaluate(double *out, const char *text, const expression_scope *scope,
                                  torsor_error *error) {
  const double *plain = expression_lookup(scope, text);
  if (plain) {
    *out = *plain;
    return TORSOR_OK;
  }
  expression *e = NULL;
  torsor_status status = expression_compile(&e, text, scope, error);
  if (status) return status;
  *out = expression_value(e, scope->value);
  expression_destroy(e);
  return check_finite(*out, text, error);
}

/* ---- cache --------------------------------------------------------------------------------- */

typedef struct expression_entry {
  struct expression_entry *next;
  const void *key;
  expression *e;
} expression_entry;

void expression_cache_clear(expression_cache *cache) {
  for (int i = 0; i < EXPRESSION_BUCKETS; ++i)
    while (cache->bucket[i]) {
      expression_entry *entry = cache->bucket[i];
      cache->bucket[i] = entry->next;
      expression_destroy(entry->e);
      free(entry);
    }
}

torsor_status expression_evaluate_cached(double *out, expression_cache *cache, const void *key,
                                         const char *text, const expression_scope *scope,
                                         torsor_error *error) {
  expression_entry **bucket = &cache->bucket[((uintptr_t)key >> 4) % EXPRESSION_BUCKETS];
  expression_entry *entry = *bucket;
  while (entry && entry->key != key) entry = entry->next;
  if (!entry) {
    entry = calloc(1, sizeof *entry);
    if (!entry) return out_of_memory(error);
    const torsor_status status = expression_compile(&entry->e, text, scope, error);
    if (status) {
      free(entry);
      return status;
    }
    *entry = (expression_entry){*bucket, key, entry->e};
    *bucket = entry;
  }
  *out = expression_value(entry->e, scope->value);
  return check_finite(*out, text, error);
}
