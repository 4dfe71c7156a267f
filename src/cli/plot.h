/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_PLOT_H
#define TORSOR_CLI_PLOT_H

/** A drawing of time series, or of frequency responses (Bode diagrams): panels one above the other,
 * a signal in each. */

#include <torsor/scene.h>

#include "base/text.h"

typedef struct plot_curve {
  int series, column; /* of plot.series */
  int component;      /* where the part of the column's name behind that of the signal begins */
  double shift;       /* of its panel */
} plot_curve;

typedef struct plot_panel {
  const char *signal; /* [length] of a name in the first series' table */
  int length;
  const char *unit;
  int first, count; /* its curves */
  double shift;     /* subtracted from all values when they differ by little */
  bool logarithmic; /* an amplitude */
  double low, high; /* range of what is left; low > high: there is no number */
} plot_panel;

/** One table to draw from. */
typedef struct plot_series {
  const char *label; /* "" = none */
  torsor_table table;
  bool reference; /* drawn as points, not too many of them */
  bool scattered; /* drawn as points, all of them */
} plot_series;

typedef struct plot {
  plot_series *series; /* [series_count], the caller's */
  int series_count;
  plot_panel *panel;
  plot_curve *curve;
  int panel_count, curve_count;
  bool response;          /* over frequencies: column 0 is frequency_hz */
  bool branches;          /* modes over a value of the scene */
  const char *x, *x_unit; /* name and unit of column 0; NULL: time in s, or frequency */
} plot;

/** How to draw. */
typedef enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF } plot_format;

/** Append the label of a curve: "x", or "run 2: x" where several results are drawn; "" where it
 *  needs none. */
void plot_label(text *out, const plot *p, const plot_curve *curve);

/** Panels and curves for `signals` [count] of the first series, whose names stand for all signals
 *  below them; count = 0: for all, but no more than `most`.  `left_out` receives how many are not
 *  drawn.  ARGUMENT with a near name for a signal that the first series has not. */
torsor_status plot_choose(plot *p, const char *const *signals, int count, int most, int *left_out,
                          const torsor_units *units, torsor_error *error);
void plot_release(plot *p);

/** The gnuplot script of it, with all data; draws on stdout. */
void plot_script(text *out, const plot *p, plot_format format);

#endif
