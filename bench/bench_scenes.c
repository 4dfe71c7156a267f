/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the time of a step, scene by scene, beside that which KLU takes for one refactorisation
 * and one solve of the scene's own matrix.  Times are for this machine at this moment: compare
 * ratios. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "measure.h"

typedef struct options {
  const char *source, *history, *note;
  int repeats, threads;
  bool list;
  char **words;
  int word_count;
} options;

static error_t parse_option(int key, char *value, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case 'r':
    o->repeats = atoi(value);
    if (o->repeats < 1) argp_error(state, "at least one repeat is needed");
    return 0;
  case 't':
    o->threads = atoi(value);
    if (o->threads < 2) argp_error(state, "at least two threads are needed");
    return 0;
  case 'H':
    o->history = value;
    return 0;
  case 'n':
    if (strpbrk(value, ",\n")) argp_error(state, "the note is a cell of a CSV file: no commas");
    o->note = value;
    return 0;
  case 's':
    o->source = value;
    return 0;
  case 'l':
    o->list = true;
    return 0;
  case ARGP_KEY_ARGS:
    o->words = state->argv + state->next;
    o->word_count = state->argc - state->next;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option described[] = {
    {"repeats", 'r', "N", 0, "runs of each scene, of which the least time counts (5)", 0},
    {"threads", 't', "N", 0, "also by N threads, in turns: wall time of one over that of N", 0},
    {"history", 'H', "FILE", 0, "CSV file to compare with and to append to", 0},
    {"note", 'n', "TEXT", 0, "what is measured, for the history", 0},
    {"source", 's', "FOLDER", 0, "folder with data/scenes and bench", 0},
    {"list", 'l', NULL, 0, "names of the scenes", 0},
    {0},
};

/* A word that is a name means that one alone. */
static bool fits(const char *word, const char *name) {
  for (int i = 0; i < bench_case_count; ++i)
    if (!strcmp(word, bench_cases[i].name)) return !strcmp(word, name);
  return strstr(name, word) != NULL;
}

static bool is_wanted(const options *o, const bench_case *c) {
  for (int i = 0; i < o->word_count; ++i)
    if (fits(o->words[i], c->name)) return true;
  return !o->word_count;
}

/* "+3%" against the last run. */
static void print_change(double now, double before) {
  if (before > 0 && now > 0)
    printf(" %+6.0f%%", 100 * (now / before - 1));
  else
    printf(" %7s", "-");
}

static void print_head(void) {
  printf("%-20s %9s %8s %-8s %6s %8s %9s %8s %6s %8s %8s  since the last run\n", "", "us", "us", "",
         "newton", "factored", "KLU:", "solve", "ratio", "setup us", "kB");
  printf("%-20s %9s %8s %-8s %6s %8s %9s %8s %6s %8s %8s %7s %7s\n", "case", "/step", "/part",
         "part", "/step", "/step", "refactor", "us", "", "/part", "/part", "step", "ratio");
}

static void print_figures(const bench_case *c, const figures *f, const figures *last) {
  printf("%-20s %9.2f %8.3f %-8s %6.2f %8.3f %9.2f %8.2f %6.2f %8.1f %8.1f", c->name, f->step,
         f->step / c->parts, c->part, f->newton, f->factorings, f->refactor, f->solve,
         figures_ratio(f), f->setup / c->parts, f->memory / c->parts / 1e3);
  print_change(f->step, last->step);
  print_change(figures_ratio(f), figures_ratio(last));
  if (f->shared < HUGE_VAL) printf("  %5.2f x by threads", f->alone / f->shared);
  printf("\n");
  fflush(stdout);
}

static bool run_case(const options *o, const bench_case *c, const torsor_registry *registry) {
  torsor_error error = {0};
  figures f, last = {.step = (double)NAN, .refactor = (double)NAN, .solve = (double)NAN};
  if (measure(&f, c, o->source, registry, o->repeats, o->threads, &error)) {
    fprintf(stderr, "%s: %s %s\n", c->name, error.message, error.path);
    return false;
  }
  history_last(&last, o->history, c->name);
  print_figures(c, &f, &last);
  if (history_append(o->history, c, &f, o->note)) return true;
  fprintf(stderr, "%s cannot be written\n", o->history);
  return false;
}

int main(int argc, char **argv) {
  static const struct argp parser = {
      .options = described,
      .parser = parse_option,
      .args_doc = "[WORD...]",
      .doc = "What a step of some scenes costs, all of them or those with a WORD in their name",
  };
  options o = {.source = BENCH_SOURCE, .history = BENCH_HISTORY, .note = "", .repeats = 5};
  torsor_error error = {0};
  bool done = true;
  argp_parse(&parser, argc, argv, 0, NULL, &o);
  torsor_registry *registry = torsor_registry_create(&error);
  if (!registry) return EXIT_FAILURE;
  if (!o.list) print_head();
  for (int i = 0; i < bench_case_count; ++i) {
    const bench_case *c = &bench_cases[i];
    if (!is_wanted(&o, c)) continue;
    if (o.list)
      printf("%s\n", c->name);
    else
      done = run_case(&o, c, registry) && done;
  }
  torsor_registry_destroy(registry);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
