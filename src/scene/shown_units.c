/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/shown_units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/unit_names.h"

static const char joins[] = " */^";

static bool is_none(const unit_dimension *d) {
  static const unit_dimension none;
  return memcmp(d, &none, sizeof none) == 0;
}

static bool measures(double *factor, const char *unit, const unit_dimension *wanted) {
  unit_dimension dimension;
  return unit_measure(factor, &dimension, unit) &&
         memcmp(&dimension, wanted, sizeof dimension) == 0;
}

torsor_status shown_units_check(const char *const *unit, int count, const reader *r,
                                const json_node *list) {
  double factor, other;
  unit_dimension dimension;
  char shown[96];
  for (int i = 0; i < count; ++i) {
    const json_node node = json_item(list, NULL, i);
    if (!unit_measure(&factor, &dimension, unit[i]) || is_none(&dimension) || strlen(unit[i]) > 15)
      return reader_fail(r, &node, "for example \"deg\", \"mm\", \"kN\", \"rpm\" or \"N/mm^2\"",
                         "%s is no unit in which signals can be shown",
                         reader_show_text(unit[i], shown));
    for (int k = 0; k < i; ++k)
      if (measures(&other, unit[k], &dimension))
        return reader_fail(r, &node, "leave one of them out", "\"%s\" and \"%s\" measure the same",
                           unit[k], unit[i]);
  }
  return TORSOR_OK;
}

/* The unit of the list that stands in for a factor of a unit, such as "kg" or "m". */
static const char *find_factor(double *factor, const char *const *unit, int count,
                               const char *word) {
  unit_dimension dimension;
  double own;
  if (!unit_measure(&own, &dimension, word) || is_none(&dimension)) return NULL;
  for (int i = 0; i < count; ++i)
    if (!unit[i][strcspn(unit[i], joins)] && measures(factor, unit[i], &dimension)) {
      *factor = own / *factor;
      return unit[i];
    }
  return NULL;
}

/* Replaces factor by factor: "N m" becomes "kN mm". */
static bool replace_factors(char *out, size_t room, double *factor, const char *const *unit,
                            int count, const char *own) {
  bool any = false, divides = false;
  size_t length = 0;
  *factor = 1;
  for (const char *at = own; *at && length + 20 < room;) {
    const size_t letters = strcspn(at, joins);
    char word[16];
    double one = 1;
    snprintf(word, sizeof word, "%.*s", (int)letters, at);
    const char *in = find_factor(&one, unit, count, word);
    at += letters;
    const int power = *at == '^' ? at[1] - '0' : 1;
    if (in) *factor *= pow(one, divides ? -power : power);
    any |= in != NULL;
    length += (size_t)snprintf(out + length, room - length, "%s", in ? in : word);
    for (; *at && (strchr(joins, *at) || (at[-1] == '^')) && length + 2 < room; ++at) {
      divides |= *at == '/';
      out[length++] = *at;
    }
    out[length] = '\0';
  }
  return any;
}

bool shown_units_find(char *out, size_t room, double *factor, const char *const *unit, int count,
                      const char *own) {
  unit_dimension dimension;
  double size;
  if (!own[0] || !unit_measure(&size, &dimension, own) || is_none(&dimension)) return false;
  for (int i = 0; i < count; ++i)
    if (measures(factor, unit[i], &dimension)) {
      *factor = size / *factor;
      snprintf(out, room, "%s", unit[i]);
      return true;
    }
  return replace_factors(out, room, factor, unit, count, own);
}
