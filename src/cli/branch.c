/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/branch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/result.h>

#include "cli/folder.h"
#include "cli/remarks.h"

/* Rows of a period in which extremes are looked for. */
enum { ROWS = 200, MOST_MODELS = 4 };

/* The models that are in use: that of the present point and of the next one, and one beside them.
 */
typedef struct following {
  const session *session;
  const cli *common;
  torsor_branch_settings settings;
  char *path;
  session open[MOST_MODELS];
  text table, folds;
  int points, fold_count;
  torsor_error *error;
} following;

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* ---- the option ------------------------------------------------------------------------------ */

static torsor_status read_range(following *f, const char *what, torsor_error *error) {
  f->path = strdup(what);
  if (!f->path) return out_of_memory(error);
  char *equals = strchr(f->path, '='), *colon = equals ? strchr(equals, ':') : NULL;
  char *second = colon ? strchr(colon + 1, ':') : NULL;
  if (colon && equals > f->path) {
    *equals = *colon = '\0';
    if (second) *second = '\0';
    torsor_branch_settings *b = &f->settings;
    if (cli_number(&b->from, equals + 1) && cli_number(&b->to, colon + 1) &&
        (b->from < b->to || b->from > b->to) &&
        (!second || (cli_number(&b->step, second + 1) && b->step > 0)))
      return TORSOR_OK;
  }
  torsor_fail(error, TORSOR_ARGUMENT, "--follow: \"%s\" is no range of a number", what);
  torsor_hint(error, "for instance --follow parameters.w=0.8:2.2, or with the largest step along "
                     "the branch --follow parameters.w=0.8:2.2:0.02");
  return TORSOR_ARGUMENT;
}

torsor_status branch_check(const char *what, torsor_error *error) {
  following f = {0};
  const torsor_status status = read_range(&f, what, error);
  free(f.path);
  return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

static torsor_status load(session *out, const following *f, double value, torsor_error *error) {
  cli with = *f->common;
  const char **set = calloc((size_t)with.set_count + 1, sizeof *set);
  text change = {0};
  text_printf(&change, "%s=", f->path);
  text_json_number(&change, value);
  torsor_status status = set && !change.failed ? TORSOR_OK : out_of_memory(error);
  for (int i = 0; i < with.set_count && !status; ++i) set[i] = with.set[i];
  if (!status) {
    set[with.set_count++] = change.data;
    with.set = set;
    *out = (session){.registry = f->session->registry};
    status = session_open_scene(out, &with, f->common->argument[0], error);
  }
  text_release(&change);
  free(set);
  return status;
}

static torsor_status build(void *data, double value, const torsor_model **model, double *period,
                           torsor_error *error) {
  following *f = data;
  session *s = f->open;
  while (s < f->open + MOST_MODELS && s->registry) ++s;
  if (s == f->open + MOST_MODELS) return out_of_memory(error);
  const torsor_status status = load(s, f, value, error);
  if (status) {
    session_close_scene(s);
    s->registry = NULL;
    return status;
  }
  *model = s->model;
  *period = torsor_scene_periodic(s->scene)->period;
  return TORSOR_OK;
}

static session *session_of(following *f, const torsor_model *model) {
  for (int i = 0; i < MOST_MODELS; ++i)
    if (f->open[i].registry && f->open[i].model == model) return &f->open[i];
  return NULL;
}

static void drop(void *data, const torsor_model *model) {
  session *s = session_of(data, model);
  if (!s) return;
  session_close_scene(s);
  s->registry = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *const kinds[] = {"stable", "fold", "flip", "quasi-periodic", "neutral"};

static void add_heading(following *f, const torsor_signals *signals, int multipliers) {
  text *t = &f->table;
  text_append(t, "point,");
  text_csv_field(t, f->path);
  text_append(t, ",period,along,fold,stability");
  for (int i = 0; i < multipliers; ++i)
    text_printf(t, ",multiplier[%d].re,multiplier[%d].im", i + 1, i + 1);
  for (int i = 0; i < torsor_signals_count(signals); ++i)
    text_printf(t, ",%s.min,%s.max", torsor_signals_name(signals, i),
                torsor_signals_name(signals, i));
  text_append(t, "\n");
}

/* Extremes [2 count] of the signals over a period. */
static torsor_status find_extremes(double *extreme, const torsor_signals *signals, torsor_run *run,
                                   double period, torsor_error *error) {
  const int count = torsor_signals_count(signals);
  double *row = calloc((size_t)count + 1, sizeof *row);
  torsor_status status = row ? TORSOR_OK : out_of_memory(error);
  for (int k = 0; k < ROWS && !status; ++k) {
    if (k) status = torsor_run_advance(run, period * k / ROWS, error);
    if (!status) status = torsor_run_values(run, signals, row, error);
    for (int i = 0; i < count && !status; ++i) {
      extreme[2 * i] = k ? fmin(extreme[2 * i], row[i]) : row[i];
      extreme[2 * i + 1] = k ? fmax(extreme[2 * i + 1], row[i]) : row[i];
    }
  }
  free(row);
  return status;
}

static torsor_status take_point(void *data, const torsor_branch_point *p, const torsor_model *model,
                                torsor_run *run, torsor_error *error) {
  following *f = data;
  const torsor_signals *signals = session_of(f, model)->signals;
  const int count = torsor_signals_count(signals);
  double *extreme = calloc(2 * (size_t)count + 1, sizeof *extreme);
  torsor_status status = extreme ? TORSOR_OK : out_of_memory(error);
  if (!f->points && !status) add_heading(f, signals, p->count);
  if (!status) status = find_extremes(extreme, signals, run, p->period, error);
  text *t = &f->table;
  if (!status) {
    text_printf(t, "%d,%.17g,%.17g,%.9g,%d,%s", f->points++, p->parameter, p->period, p->along,
                p->fold, kinds[p->kind]);
    for (int i = 0; i < p->count; ++i)
      text_printf(t, ",%.17g,%.17g", p->multiplier_re[i], p->multiplier_im[i]);
    for (int i = 0; i < 2 * count; ++i) text_printf(t, ",%.17g", extreme[i]);
    text_append(t, "\n");
  }
  if (!status && p->fold) {
    text_append(&f->folds, f->fold_count++ ? ", " : "");
    text_json_number(&f->folds, p->parameter);
  }
  free(extreme);
  return status ? status : t->failed ? out_of_memory(error) : TORSOR_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static torsor_status write(const following *f, const char *folder, torsor_status found,
                           torsor_error *error) {
  text t = {0};
  text_append(&t, "{");
  json_text(&t, "scene", torsor_scene_name(f->session->scene));
  json_text(&t, "parameter", f->path);
  json_count(&t, "points", f->points);
  json_bool(&t, "complete", found == TORSOR_OK);
  json_key(&t, "folds");
  text_printf(&t, "[%s]}\n", f->folds.data ? f->folds.data : "");
  char *table = f->table.data ? strdup(f->table.data) : NULL, *summary = t.failed ? NULL : t.data;
  torsor_status status = table && summary ? TORSOR_OK : out_of_memory(error);
  if (!status) {
    status = write_document(folder, "branch.csv", table, TORSOR_OK, error);
    table = NULL;
  }
  if (!status) {
    status = write_document(folder, "summary.json", strdup(summary), TORSOR_OK, error);
  }
  free(table);
  text_release(&t);
  return status;
}

static torsor_status answer(const following *f, const char *folder, torsor_error *error) {
  text t = {0};
  if (!f->common->quiet)
    text_printf(&t, "%d points, folds at %s = %s; results %s/branch.csv\n", f->points, f->path,
                f->folds.data ? f->folds.data : "(none)", folder);
  return cli_answer(f->common, &t, error);
}

torsor_status branch_follow(session *s, const cli *common, const char *what, const char *folder,
                            const torsor_hooks *hooks, torsor_error *error) {
  following f = {.session = s, .common = common, .settings = TORSOR_BRANCH_SETTINGS_INIT};
  torsor_error late = {0};
  torsor_status status = read_range(&f, what, error);
  f.settings.data = &f;
  f.settings.build = build;
  f.settings.drop = drop;
  f.settings.found = take_point;
  if (!status)
    status = torsor_periodic_follow(&f.settings, torsor_scene_simulation(s->scene),
                                    torsor_scene_periodic(s->scene), hooks, error);
  if (f.points) {
    const torsor_status written = write(&f, folder, status, status ? &late : error);
    if (!status) status = written;
  }
  if (!status) status = answer(&f, folder, error);
  for (int i = 0; i < MOST_MODELS; ++i)
    if (f.open[i].registry) session_close_scene(&f.open[i]);
  text_release(&f.table);
  text_release(&f.folds);
  free(f.path);
  return status;
}
