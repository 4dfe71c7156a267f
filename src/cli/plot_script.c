/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/plot.h"

/* More points than this cannot be distinguished on paper: of each group the least and the largest
 * value are drawn, so that peaks stay. */
enum { MOST_GROUPS = 2000, MOST_MARKS = 60 };

/* Characters of labels that there is room for beside the panels. */
enum { LONGEST_LABEL = 50 };

/* A script in the making: words that come from outside, and the commands. */
typedef struct script {
  text words, commands;
  int count; /* number of words */
} script;

/* Append words to the commands as a string, whatever they are.  No quotes are safe in gnuplot: it
 * ends strings at doubled ones, and looks for macros and commands of the shell with a notion of
 * strings of its own.  The words are therefore lines of data, which it does not look into, and the
 * commands name these.  The bar keeps a line from being the end of the data, and pictures in place
 * of control characters keep it one line. */
static void add_words(script *s, const char *words) {
  text_append(&s->words, "|");
  for (const char *end; (end = strstr(words, "]]>")); words = end + 2) {
    /* a space of no width: in an SVG file, these three characters must not stand together */
    text shown = {0};
    text_append_bytes(&shown, words, (size_t)(end + 2 - words));
    text_append_shown(&s->words, shown.data ? shown.data : "");
    text_append(&s->words, "\xe2\x80\x8b");
    s->words.failed |= shown.failed;
    text_release(&shown);
  }
  text_append_shown(&s->words, words);
  text_append(&s->words, "\n");
  text_printf(&s->commands, "$label[%d][2:*]", ++s->count);
}

/* The label of a curve; returns its length in characters.  s = NULL: only that. */
static int add_label(script *s, const plot *p, const plot_curve *curve) {
  text label = {0};
  plot_label(&label, p, curve);
  int length = 0;
  for (size_t i = 0; i < label.length; ++i) length += (label.data[i] & 0xc0) != 0x80;
  if (s && length) {
    text_append(&s->commands, "title ");
    add_words(s, label.data);
  } else if (s) {
    text_append(&s->commands, "notitle");
  }
  if (s) s->words.failed |= label.failed;
  text_release(&label);
  return length;
}

static double value_at(const torsor_table *table, int row, int column) {
  return table->value[(size_t)row * (size_t)table->columns + (size_t)column];
}

static void add_point(text *t, const torsor_table *table, int row, const plot_curve *curve) {
  text_printf(t, "%.9g %.9g\n", value_at(table, row, 0),
              value_at(table, row, curve->column) - curve->shift);
}

/* Rows from begin to end: the least and the largest value, in the order of time. */
static void add_group(text *t, const torsor_table *table, const plot_curve *curve, int begin,
                      int end) {
  const int column = curve->column;
  int low = begin, high = begin;
  for (int row = begin + 1; row < end; ++row) {
    if (value_at(table, row, column) < value_at(table, low, column)) low = row;
    if (value_at(table, row, column) > value_at(table, high, column)) high = row;
  }
  add_point(t, table, low < high ? low : high, curve);
  if (low != high) add_point(t, table, low < high ? high : low, curve);
}

static void add_data(text *t, const plot *p, int index) {
  const plot_curve *curve = &p->curve[index];
  const plot_series *series = &p->series[curve->series];
  const torsor_table *table = &series->table;
  text_printf(t, "$c%d << EOD\n", index);
  const int most = series->reference ? MOST_MARKS : MOST_GROUPS;
  const int group = (table->rows + most - 1) / most;
  for (int row = 0; row<table->rows; row += group> 0 ? group : 1) {
    const int end = row + group < table->rows ? row + group : table->rows;
    if (series->reference || series->scattered || group <= 2)
      for (int i = row; i < (series->reference ? row + 1 : end); ++i) add_point(t, table, i, curve);
    else
      add_group(t, table, curve, row, end);
  }
  text_append(t, "EOD\n");
}

static void add_header(text *t, const plot *p, plot_format format) {
  static const char *const terminal[] = {"svg", "pngcairo", "pdfcairo"};
  /* Colours that the colour-blind can distinguish: Okabe and Ito 2008. */
  static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                        "#56B4E9", "#E69F00", "#000000", "#F0E442"};
  const int height = 60 + 200 * p->panel_count;
  text_printf(t, "set terminal %s noenhanced background rgb 'white' ", terminal[format]);
  if (format == PLOT_PDF)
    text_printf(t, "size 16cm,%.1fcm font 'Helvetica,9'\n", 1.5 + 4.5 * p->panel_count);
  else if (format == PLOT_PNG)
    text_printf(t, "size 1600,%d font 'Helvetica,20'\n", 2 * height);
  else
    text_printf(t, "size 800,%d dynamic font 'Helvetica,12'\n", height);
  for (int i = 0; i < 8; ++i)
    text_printf(t, "set linetype %d lc rgb '%s' lw 1.5\n", i + 1, colours[i]);
  text_append(t, "set linetype cycle 8\nset grid lc rgb '#dddddd' lt 1 lw 0.5\n"
                 "set border lc rgb '#444444'\nset key outside right top samplen 1.5\n"
                 "set lmargin 12\nset format y '%g'\nset encoding utf8\n");
  int longest = 0;
  for (int i = 0; i < p->curve_count; ++i) {
    const int length = add_label(NULL, p, &p->curve[i]);
    if (length > longest) longest = length;
  }
  if (longest > LONGEST_LABEL) longest = LONGEST_LABEL;
  text_printf(t, "set rmargin %d\n", longest ? longest + 7 : 3);
}

/* "energy.total - 5435.69608 [J]" */
static void add_axis(script *s, const plot_panel *panel) {
  text *t = &s->commands;
  text label = {0};
  text_append_bytes(&label, panel->signal, (size_t)panel->length);
  if (panel->shift != 0)
    text_printf(&label, " %c %.9g", panel->shift > 0 ? '-' : '+', fabs(panel->shift));
  if (panel->unit[0] && panel->unit[0] != '1') text_printf(&label, " [%s]", panel->unit);
  text_append(t, "set ylabel ");
  add_words(s, label.data ? label.data : "");
  t->failed |= label.failed;
  text_release(&label);
  text_append(t, panel->logarithmic && panel->high > 0 ? "\nset logscale y" : "\nunset logscale y");
  if (panel->logarithmic && panel->high > 0)
    text_append(t, "\nset yrange [*:*]");
  else if (panel->low < panel->high)
    text_append(t, "\nset yrange [*:*]");
  else if (panel->low == panel->high) /* a constant has no range of its own */
    text_printf(t, "\nset yrange [%.9g:%.9g]", panel->low - 1, panel->high + 1);
  else
    text_append(t, "\nset yrange [-1:1]");
}

/* The axis of a column with a name and a unit of its own. */
static void add_x(script *s, const plot *p) {
  text label = {0};
  text_printf(&label, p->x_unit[0] ? "%s [%s]" : "%s", p->x, p->x_unit);
  text_append(&s->commands, "\nset xlabel ");
  add_words(s, label.data ? label.data : "");
  text_append(&s->commands, "\nplot ");
  s->words.failed |= label.failed;
  text_release(&label);
}

static void add_panel(script *s, const plot *p, const plot_panel *panel, bool last) {
  text *t = &s->commands;
  add_axis(s, panel);
  if (last && p->x)
    add_x(s, p);
  else if (last)
    text_append(t, p->response ? "\nset xlabel 'frequency [Hz]'\nplot "
                               : "\nset xlabel 't [s]'\nplot ");
  else
    text_append(t, "\nset xlabel\nplot ");
  for (int i = panel->first; i < panel->first + panel->count; ++i) {
    const plot_series *series = &p->series[p->curve[i].series];
    const bool points = series->reference || series->scattered;
    text_printf(t, "%s$c%d using 1:2 with %s ", i > panel->first ? ", " : "", i,
                points ? "points pt 6 ps 0.5" : "lines");
    add_label(s, p, &p->curve[i]);
  }
  text_append(t, "\n");
}

/* All panels have the same times; one row alone has no range. */
static void add_times(text *t, const plot *p) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < p->series_count; ++i) {
    const torsor_table *table = &p->series[i].table;
    if (!table->rows) continue;
    low = fmin(low, value_at(table, 0, 0));
    high = fmax(high, value_at(table, table->rows - 1, 0));
  }
  if (low > high) low = 0, high = 1;
  if (p->response && low > 0) text_append(t, "set logscale x\n");
  text_printf(t, "set xrange [%.9g:%.9g]\n", low, high > low ? high : low + 1);
}

void plot_script(text *out, const plot *p, plot_format format) {
  script s = {0};
  text *t = &s.commands;
  add_header(t, p, format);
  add_times(t, p);
  text_printf(t, "set multiplot layout %d,1\n", p->panel_count);
  for (int i = 0; i < p->panel_count; ++i) add_panel(&s, p, &p->panel[i], i == p->panel_count - 1);
  text_append(t, "unset multiplot\n");
  for (int i = 0; i < p->curve_count; ++i) add_data(out, p, i);
  text_append(out, "$label << EOD\n");
  text_append_bytes(out, s.words.data, s.words.length);
  text_append(out, "EOD\n");
  text_append_bytes(out, t->data, t->length);
  out->failed |= s.words.failed || t->failed;
  text_release(&s.words);
  text_release(t);
}
