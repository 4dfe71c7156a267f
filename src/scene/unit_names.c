/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/unit_names.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;

/* Powers of mass, length, time and angle; J is kept apart from N m. */
typedef struct unit {
  const char *name;
  double factor;
  unit_dimension power;
} unit;

/* Base units, to which a prefix may be put. */
static const unit metric[] = {
    {"m", 1, {{0, 1}}},          {"s", 1, {{0, 0, 1}}},    {"g", 1e-3, {{1}}},
    {"N", 1, {{1, 1, -2}}},      {"Pa", 1, {{1, -1, -2}}}, {"J", 1, {{1, 2, -2, 0, 1}}},
    {"W", 1, {{1, 2, -3}}},      {"Hz", 1, {{0, 0, -1}}},  {"rad", 1, {{0, 0, 0, 1}}},
    {"bar", 1e5, {{1, -1, -2}}},
};
static const unit prefixes[] = {{"n", 1e-9, {{0}}}, {"u", 1e-6, {{0}}}, {"m", 1e-3, {{0}}},
                                {"c", 1e-2, {{0}}}, {"k", 1e3, {{0}}},  {"M", 1e6, {{0}}},
                                {"G", 1e9, {{0}}}};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool find_plain(unit *out, const char *name, size_t length) {
  const unit plain[] = {{"1", 1, {{0}}},
                        {"deg", DEGREE, {{0, 0, 0, 1}}},
                        {"rev", 360 * DEGREE, {{0, 0, 0, 1}}},
                        {"min", 60, {{0, 0, 1}}},
                        {"h", 3600, {{0, 0, 1}}},
                        {"t", 1e3, {{1}}},
                        {"%", 1e-2, {{0}}},
                        {"rpm", 6 * DEGREE, {{0, 0, -1, 1}}},
                        {"", 1, {{0}}}};
  for (size_t i = 0; i < LENGTH(plain); ++i)
    if (strlen(plain[i].name) == length && strncmp(plain[i].name, name, length) == 0) {
      *out = plain[i];
      return true;
    }
  return false;
}

static bool find_metric(unit *out, const char *name, size_t length) {
  for (size_t i = 0; i < LENGTH(metric); ++i)
    if (strlen(metric[i].name) == length && strncmp(metric[i].name, name, length) == 0) {
      *out = metric[i];
      return true;
    }
  return false;
}

/* A unit with or without a prefix: "mm", "kN". */
static bool find_unit(unit *out, const char *name, size_t length) {
  if (find_plain(out, name, length) || find_metric(out, name, length)) return true;
  for (size_t i = 0; i < LENGTH(prefixes) && length > 1; ++i)
    if (prefixes[i].name[0] == name[0] && find_metric(out, name + 1, length - 1)) {
      out->factor *= prefixes[i].factor;
      return true;
    }
  return false;
}

/* Factors joined by blanks, "*" and "/", each with a power: "kg m^2", "N s/m". */
bool unit_measure(double *factor, unit_dimension *dimension, const char *unit_name) {
  static const char joins[] = " */^";
  bool divides = false;
  *factor = 1;
  *dimension = (unit_dimension){{0}};
  for (const char *at = unit_name; *at;) {
    const size_t length = strcspn(at, joins);
    unit one;
    int power = 1;
    if (!find_unit(&one, at, length) || (!length && !*unit_name)) return false;
    at += length;
    if (*at == '^') {
      if (at[1] < '1' || at[1] > '9') return false;
      power = at[1] - '0';
      at += 2;
    }
    if (divides) power = -power;
    *factor *= pow(one.factor, power);
    for (int k = 0; k < UNIT_POWERS; ++k) dimension->power[k] += power * one.power.power[k];
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

bool unit_factor(double *factor, const char *unit_name) {
  unit_dimension dimension;
  return unit_measure(factor, &dimension, unit_name);
}
