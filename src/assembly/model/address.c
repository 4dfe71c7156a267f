/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/model/address.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fractions that differ by less than this are the same: decimal numbers and quotients agree up to
 * round-off. */
static const double SAME = 1e-9;

/* Finds the chain whose name `text` begins with, and what follows: '.', '@' or '['. */
static const model_chain *find_chain(const torsor_model *model, const char *text,
                                     const char **rest) {
  for (const model_chain *chain = model->chain; chain; chain = chain->next) {
    const size_t length = strlen(chain->name);
    if (strncmp(text, chain->name, length) != 0) continue;
    *rest = text + length;
    if (**rest == '.' || **rest == '@' || **rest == '[') return chain;
  }
  return NULL;
}

bool address_is_chain(const torsor_model *model, const char *text) {
  const char *rest;
  return find_chain(model, text, &rest) != NULL;
}

/* Does `text` begin with the whole word `word`? */
static bool begins(const char *text, const char *word, const char **rest) {
  const size_t length = strlen(word);
  if (strncmp(text, word, length) != 0) return false;
  *rest = text + length;
  return **rest == '\0' || **rest == '.';
}

/* The index of "[3]"; -1 where there is none. */
static int read_index(const char *text, const char **rest) {
  char *end;
  if (*text != '[' || text[1] < '0' || text[1] > '9') return -1;
  const long index = strtol(text + 1, &end, 10);
  if (*end != ']' || index > INT_MAX || (end[1] != '\0' && end[1] != '.')) return -1;
  *rest = end + 1;
  return (int)index;
}

static void hint_places(const model_chain *chain, torsor_error *error) {
  torsor_hint(
      error, "write \"%s.start\", \"%s.end\", \"%s[0]\" to \"%s[%d]\" or, by length, \"%s@0.5\"",
      chain->name, chain->name, chain->name, chain->name, chain->nodes.count - 1, chain->name);
}

static torsor_status find_fraction(int *element, const torsor_model *model,
                                   const model_chain *chain, double fraction, torsor_error *error) {
  int next = 0;
  if (!(fraction >= 0 && fraction <= 1)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s@%g\" is not on the %s", chain->name, fraction,
                chain->nodes.edge ? "edge" : "beam");
    torsor_hint(error, "give a number from 0, its start, to 1, its end");
    return TORSOR_SCENE;
  }
  while (next < chain->nodes.count - 1 && chain->nodes.fraction[next] < fraction - SAME) ++next;
  *element = model_chain_body(model, chain, next);
  if (fabs(chain->nodes.fraction[next] - fraction) <= SAME) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "\"%s\" has no node at %g of its length", chain->name, fraction);
  torsor_hint(error, "%s, or take %s[%d] (%g) or %s[%d] (%g)",
              chain->nodes.edge ? "choose \"elements\" with a node there"
                                : "list it under \"stations\"",
              chain->name, next - 1, chain->nodes.fraction[next - 1], chain->name, next,
              chain->nodes.fraction[next]);
  return TORSOR_SCENE;
}

void address_hint(const torsor_model *model, const char *name, torsor_error *error) {
  const size_t length = strlen(name);
  for (const model_chain *chain = model->chain; chain; chain = chain->next) {
    if (!strcmp(chain->name, name)) {
      torsor_hint(error, "name one: \"%s.start\", \"%s.end\", \"%s[1]\" or, by length, \"%s@0.5\"",
                  name, name, name, name);
      return;
    }
    if (chain->nodes.edge && !strncmp(chain->name, name, length) && chain->name[length] == '.') {
      torsor_hint(error, "name one: \"%s[0][0]\" or, on an edge, \"%s.start\" or \"%s@0.5\"", name,
                  chain->name, chain->name);
      return;
    }
  }
  torsor_hint(error, "name one: \"%s[0]\"", name);
}

torsor_status address_begin(int *element, const char **rest, const torsor_model *model,
                            const char *text, torsor_error *error) {
  const char *place;
  const model_chain *chain = find_chain(model, text, &place);
  *element = -1;
  if (!chain) return torsor_fail(error, TORSOR_SCENE, "there is no beam in \"%s\"", text);
  const int last = chain->nodes.count - 1, index = read_index(place, rest);
  if (begins(place, ".start", rest)) *element = model_chain_body(model, chain, 0);
  if (begins(place, ".end", rest)) *element = model_chain_body(model, chain, last);
  if (index >= 0 && index <= last) *element = model_chain_body(model, chain, index);
  if (*element >= 0) return TORSOR_OK;
  if (*place == '@') {
    char *end;
    const double fraction = strtod(place + 1, &end);
    if (end > place + 1 && end[-1] == '.' && *end) --end; /* the dot belongs to the rest */
    *rest = end;
    if (end > place + 1 && (*end == '\0' || *end == '.'))
      return find_fraction(element, model, chain, fraction, error);
  }
  torsor_fail(error, TORSOR_SCENE, "\"%s\" is no position on \"%s\"", text, chain->name);
  hint_places(chain, error);
  return TORSOR_SCENE;
}

torsor_status address_find(int *element, const torsor_model *model, const char *text,
                           torsor_error *error) {
  const char *rest = "";
  const torsor_status status = address_begin(element, &rest, model, text, error);
  if (status || !*rest) return status;
  torsor_fail(error, TORSOR_SCENE, "\"%s\" is not a position on a beam", text);
  torsor_hint(error, "leave \"%s\" out", rest);
  return TORSOR_SCENE;
}
