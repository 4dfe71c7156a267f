/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/chain_kit.h"

#include <math.h>
#include <stdio.h>

#include <torsor/curve.h>

const torsor_param chain_no_params[] = {{0}};

torsor_status chain_fail(torsor_error *error, const char *key, const char *hint,
                         const char *message) {
  torsor_fail(error, TORSOR_SCENE, "%s", message);
  if (error) snprintf(error->path, sizeof error->path, "%s", key);
  torsor_hint(error, "%s", hint);
  return TORSOR_SCENE;
}

torsor_status chain_fractions(double *fraction, int elements, const torsor_numbers *stations,
                              torsor_error *error) {
  const int n = elements;
  for (int i = 0; i <= n; ++i) fraction[i] = (double)i / n;
  for (int k = 0; k < stations->count; ++k) {
    const double s = stations->value[k];
    if (!(s >= 0 && s <= 1))
      return chain_fail(error, "stations", "fractions of the length, 0 to 1",
                        "a station is off the beam");
    const int i = (int)floor(s * n + 0.5);
    const bool taken = fraction[i] != (double)i / n && fraction[i] != s;
    if (taken || ((i == 0 || i == n) && fraction[i] != s))
      return chain_fail(error, "stations", "take more elements",
                        "two stations are nearest to the same node of the mesh");
    fraction[i] = s;
  }
  return TORSOR_OK;
}

/* Bisection, which has no bad cases. */
double chain_curve_parameter(const torsor_curve *curve, double length) {
  const int k = torsor_curve_segment(curve, length, true);
  double low = curve->knot[k].u, high = curve->knot[k + 1].u;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    if (torsor_curve_arc(curve, k, middle) < length)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}
