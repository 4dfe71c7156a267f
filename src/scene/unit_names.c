/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/unit_names.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

typedef struct unit {
  const char *name;
  double factor;
} unit;

/* Base units, to which a prefix may be put. */
static const unit metric[] = {{"m", 1}, {"s", 1}, {"g", 1e-3}, {"N", 1},   {"Pa", 1},
                              {"J", 1}, {"W", 1}, {"Hz", 1},   {"rad", 1}, {"bar", 1e5}};
static const unit prefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"c", 1e-2},
                                {"k", 1e3},  {"M", 1e6},  {"G", 1e9}};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool find_plain(double *factor, const char *name, size_t length) {
  const unit plain[] = {{"1", 1},    {"deg", DEGREE},     {"rev", 360 * DEGREE},
                        {"min", 60}, {"h", 3600},         {"t", 1e3},
                        {"%", 1e-2}, {"rpm", 6 * DEGREE}, {"", 1}};
  for (size_t i = 0; i < LENGTH(plain); ++i)
    if (strlen(plain[i].name) == length && strncmp(plain[i].name, name, length) == 0) {
      *factor = plain[i].factor;
      return true;
    }
  return false;
}

static bool find_metric(double *factor, const char *name, size_t length) {
  for (size_t i = 0; i < LENGTH(metric); ++i)
    if (strlen(metric[i].name) == length && strncmp(metric[i].name, name, length) == 0) {
      *factor = metric[i].factor;
      return true;
    }
  return false;
}

/* A unit with or without a prefix: "mm", "kN". */
static bool find_unit(double *factor, const char *name, size_t length) {
  if (find_plain(factor, name, length) || find_metric(factor, name, length)) return true;
  for (size_t i = 0; i < LENGTH(prefixes) && length > 1; ++i)
    if (prefixes[i].name[0] == name[0] && find_metric(factor, name + 1, length - 1)) {
      *factor *= prefixes[i].factor;
      return true;
    }
  return false;
}

/* Factors joined by blanks, "*" and "/", each with a power: "kg m^2", "N s/m". */
bool unit_factor(double *factor, const char *unit_name) {
  static const char joins[] = " */^";
  bool divides = false;
  *factor = 1;
  for (const char *at = unit_name; *at;) {
    const size_t length = strcspn(at, joins);
    double one, power = 1;
    if (!find_unit(&one, at, length) || (!length && !*unit_name)) return false;
    at += length;
    if (*at == '^') {
      if (at[1] < '1' || at[1] > '9') return false;
      power = at[1] - '0';
      at += 2;
    }
    *factor *= pow(one, divides ? -power : power);
    const size_t blanks = strspn(at, " *");
    at += blanks;
    if (*at == '/') {
      divides = true;
      ++at;
      at += strspn(at, " ");
      if (!*at) return false;
    } else if (!blanks && *at) {
      return false;
    }
  }
  return true;
}
