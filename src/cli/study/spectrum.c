/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_fft_real.h>
#include <math.h>
#include <stdlib.h>

#include "cli/study/reduce.h"

static const double PI = 3.14159265358979323846;

/* Replaces y [n] by its transform in GSL's half-complex order. */
static bool transform(double *y, size_t n) {
  gsl_fft_real_wavetable *table = gsl_fft_real_wavetable_alloc(n);
  gsl_fft_real_workspace *room = gsl_fft_real_workspace_alloc(n);
  const bool fine = table && room && gsl_fft_real_transform(y, 1, n, table, room) == 0;
  if (table) gsl_fft_real_wavetable_free(table);
  if (room) gsl_fft_real_workspace_free(room);
  return fine;
}

static double line(const double *y, size_t n, size_t k) {
  if (k == 0) return fabs(y[0]);
  if (2 * k >= n) return n % 2 ? 0 : fabs(y[n - 1]);
  return hypot(y[2 * k - 1], y[2 * k]);
}

/* Offset of a tone from line k, in lines.  A Hann window of n rows shows a tone at distance d from
 * a line as sinc(d) / (1 - d^2), so that the ratio of two neighbouring lines is
 * (1 + d) / (2 - d). */
static double find_offset(const double *y, size_t n, size_t k) {
  const double low = line(y, n, k - 1), here = line(y, n, k), high = line(y, n, k + 1);
  const double ratio = fmax(low, high) / here;
  const double offset = (2 * ratio - 1) / (ratio + 1);
  return high >= low ? offset : -offset;
}

/* The lines' height is n/4 of the amplitude times that shape. */
static double find_height(double here, double offset, size_t n) {
  const double d = fabs(offset);
  const double shape = d > 0 ? sin(PI * d) / (PI * d) / (1 - d * d) : 1;
  return 4 * here / ((double)n * shape);
}

bool spectrum_peak(double *frequency, double *amplitude, const double *y, size_t rows,
                   double spacing, const double band[2]) {
  double *window = malloc(rows * sizeof *window), mean = 0;
  if (!window) return false;
  for (size_t k = 0; k < rows; ++k) mean += y[k] / (double)rows;
  for (size_t k = 0; k < rows; ++k)
    window[k] = (y[k] - mean) * (0.5 - 0.5 * cos(2 * PI * (double)k / (double)rows));
  const bool fine = transform(window, rows);
  size_t best = 0;
  const double width = 1 / ((double)rows * spacing);
  for (size_t k = 1; fine && 2 * k < rows - 1; ++k) {
    const double at = (double)k * width;
    if (at < band[0] || at > band[1]) continue;
    if (!best || line(window, rows, k) > line(window, rows, best)) best = k;
  }
  if (best && line(window, rows, best) > 0) {
    const double offset = find_offset(window, rows, best);
    *frequency = ((double)best + offset) * width;
    *amplitude = find_height(line(window, rows, best), offset, rows);
  }
  free(window);
  return fine;
}
