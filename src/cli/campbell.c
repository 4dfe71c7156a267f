/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/campbell.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/folder.h"
#include "cli/inputs.h"
#include "results/file.h"

/* Modes beyond those followed that are found as well, since branches cross. */
enum { MORE = 8, DEFAULT_BRANCHES = 10, MOST_POINTS = 100000 };

/* Modes are matched only if the MAC of their shapes is at least LEAST and exceeds that of the next
 * candidate by MARGIN. */
static const double LEAST = 0.5, MARGIN = 0.1;

static const double PI = 3.14159265358979323846;

/* A branch at a point: index of its mode there, -1 when it is lost. */
typedef struct branch_point {
  int mode;
  double frequency_hz, damping_ratio, mac;
} branch_point;

typedef struct critical {
  int branch;
  double order, value, frequency_hz;
} critical;

typedef struct campbell {
  const campbell_options *options;
  char *scene; /* its name */
  char *path;  /* path of the value; the rest of the text is cut off */
  double from, to;
  int points, branches;
  int wanted; /* modes of the first point that may begin branches */
  double *order;
  int orders;
  branch_point *at; /* [points][branches] */
  critical *critical;
  int criticals;
  char *folder;
  folder_lock lock; /* lock of the folder */
  inputs read;      /* files of the first point */
} campbell;

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* ---- options --------------------------------------------------------------------------------- */

static torsor_status read_sweep(campbell *c, torsor_error *error) {
  double count = 0;
  char *equals = strchr(c->path, '='), *colon = equals ? strchr(equals, ':') : NULL;
  char *second = colon ? strchr(colon + 1, ':') : NULL;
  if (second) {
    *equals = *colon = *second = '\0';
    if (c->path[0] && cli_number(&c->from, equals + 1) && cli_number(&c->to, colon + 1) &&
        cli_number(&count, second + 1) && count >= 2 && count <= MOST_POINTS &&
        count == floor(count)) {
      c->points = (int)count;
      return TORSOR_OK;
    }
  }
  torsor_fail(error, TORSOR_ARGUMENT, "--sweep: \"%s\" is no sweep", c->options->sweep);
  torsor_hint(error,
              "for instance --sweep parameters.speed=0:100:21: values from 0 to 100, 21 of them");
  return TORSOR_ARGUMENT;
}

static torsor_status read_orders(campbell *c, torsor_error *error) {
  if (!c->options->orders) return TORSOR_OK;
  char *list = strdup(c->options->orders);
  const char **item = NULL;
  torsor_status status = list ? cli_split(&item, &c->orders, list, error) : out_of_memory(error);
  if (!status) {
    c->order = calloc((size_t)c->orders + 1, sizeof *c->order);
    if (!c->order) status = out_of_memory(error);
  }
  for (int i = 0; i < c->orders && !status; ++i)
    if (!cli_number(&c->order[i], item[i]) || !(c->order[i] > 0))
      status = torsor_fail(error, TORSOR_ARGUMENT, "--orders: \"%s\" is not a multiple", item[i]);
  free(item);
  free(list);
  return status;
}

static double value_at(const campbell *c, int point) {
  return c->from + (c->to - c->from) * point / (c->points - 1);
}

/* ---- following ------------------------------------------------------------------------------- */

/* A point of the sweep: the scene with the value, and its modes. */
typedef struct point {
  session session; /* the types are those of another */
  torsor_modes *modes;
} point;

static void point_close(point *p) {
  torsor_modes_destroy(p->modes);
  session_close_scene(&p->session);
  p->modes = NULL;
}

static void warn(void *data, const char *message) {
  cli_warn(data, "%s", message);
}

static torsor_status point_open(point *p, campbell *c, int k, torsor_error *error) {
  const cli *common = c->options->common;
  char *change = path_format(error, "%s=%.17g", c->path, value_at(c, k));
  const char **set = calloc((size_t)common->set_count + 1, sizeof *set);
  cli with = *common;
  torsor_modes_settings settings;
  torsor_status status = change && set ? TORSOR_OK : out_of_memory(error);
  if (!status) {
    memcpy(set, common->set, (size_t)common->set_count * sizeof *set);
    set[with.set_count++] = change;
    with.set = set;
    status = session_open_scene(&p->session, &with, common->argument[0], error);
  }
  free(set);
  free(change);
  if (!status)
    status = c->options->settings(&settings, c->options->options, p->session.scene, error);
  if (status) return status;
  c->wanted = settings.count ? settings.count : DEFAULT_BRANCHES;
  settings.count = c->wanted + MORE;
  settings.fewer = settings.matrices = true;
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = (void *)(size_t)common,
                              .warn = k ? NULL : warn,
                              .threads = common->threads};
  status = torsor_modes_find(&p->modes, p->session.model, &settings, &hooks, error);
  return session_locate(&p->session, status, error);
}

/* The first point: every mode that is no rigid motion begins a branch. */
static torsor_status begin(campbell *c, const torsor_modes *modes, torsor_error *error) {
  const int wanted = c->wanted < modes->count ? c->wanted : modes->count;
  for (int i = 0; i < wanted; ++i) c->branches += modes->mode[i].kind != TORSOR_MODE_RIGID;
  c->at = calloc((size_t)c->points * (size_t)c->branches + 1, sizeof *c->at);
  if (!c->at) return out_of_memory(error);
  for (int i = 0, b = 0; i < wanted; ++i)
    if (modes->mode[i].kind != TORSOR_MODE_RIGID) c->at[b++] = (branch_point){.mode = i, .mac = 1};
  if (c->branches) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "there is no mode to follow at %s = %g", c->path,
                     c->from);
}

/* Branches that share a frequency have no unique shapes: any two in their plane are valid. */
static bool is_free(const campbell *c, int k, int b) {
  const branch_point *at = c->at + (size_t)k * (size_t)c->branches;
  for (int i = 0; i < c->branches; ++i)
    if (i != b && fabs(at[i].frequency_hz - at[b].frequency_hz) <= 1e-6 * at[b].frequency_hz)
      return true;
  return false;
}

static void tell_doubt(const campbell *c, int k, int b, const torsor_mode_match *m) {
  if (m->mode < 0)
    cli_warn(c->options->common, "branch %d cannot be followed beyond %s = %g", b + 1, c->path,
             value_at(c, k));
  else if (!is_free(c, k - 1, b) && (m->mac < LEAST || m->mac - m->rival < MARGIN))
    cli_warn(c->options->common,
             "the mode that continues branch %d at %s = %g agrees with it only by %.2f, another "
             "one by %.2f: use smaller steps of the sweep",
             b + 1, c->path, value_at(c, k), m->mac, m->rival);
}

static torsor_status go_on(campbell *c, int k, const torsor_modes *before, const torsor_modes *now,
                           torsor_error *error) {
  const size_t n = (size_t)c->branches;
  branch_point *last = c->at + (size_t)(k - 1) * n;
  torsor_mode_match *match = calloc(n, sizeof *match);
  int *which = calloc(n, sizeof *which);
  torsor_status status = match && which ? TORSOR_OK : out_of_memory(error);
  for (size_t b = 0; b < n && !status; ++b) which[b] = last[b].mode;
  if (!status) status = torsor_modes_match(match, before, which, c->branches, now, error);
  for (size_t b = 0; b < n && !status; ++b) {
    last[n + b] = (branch_point){.mode = match[b].mode, .mac = match[b].mac};
    if (which[b] >= 0) tell_doubt(c, k, (int)b, &match[b]);
  }
  free(match);
  free(which);
  return status;
}

static void note(campbell *c, int k, const torsor_modes *modes) {
  for (int b = 0; b < c->branches; ++b) {
    branch_point *at = &c->at[(size_t)k * (size_t)c->branches + (size_t)b];
    const torsor_mode *m = at->mode < 0 ? NULL : &modes->mode[at->mode];
    at->frequency_hz = m ? m->frequency_hz : nan("");
    at->damping_ratio = m ? m->damping_ratio : nan("");
  }
}

static torsor_status follow(campbell *c, session *s, torsor_error *error) {
  point two[2] = {{.session.registry = s->registry}, {.session.registry = s->registry}};
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < c->points && !status; ++k) {
    point *now = &two[k % 2], *before = &two[1 - k % 2];
    status = point_open(now, c, k, error);
    if (!status)
      status = k ? go_on(c, k, before->modes, now->modes, error) : begin(c, now->modes, error);
    if (!status) note(c, k, now->modes);
    if (!status && !k)
      status = inputs_add_scene(&c->read, &now->session, c->options->common, error);
    if (!status && !k) {
      c->scene = path_format(error, "%s", torsor_scene_name(now->session.scene));
      if (!c->scene) status = TORSOR_MEMORY;
    }
    if (!status && !k && !c->folder) {
      c->folder = path_format(error, "out/%s_campbell", torsor_scene_name(now->session.scene));
      if (!c->folder) status = TORSOR_MEMORY;
    }
    point_close(before);
  }
  point_close(&two[0]);
  point_close(&two[1]);
  return status;
}

/* ---- critical speeds ------------------------------------------------------------------------- */

/* Finds the zero of frequency - order value between two points by linear interpolation. */
static torsor_status find_critical(campbell *c, int k, int b, double order, torsor_error *error) {
  const branch_point *p = &c->at[(size_t)k * (size_t)c->branches + (size_t)b];
  const double f0 = p->frequency_hz, f1 = p[c->branches].frequency_hz;
  const double v0 = value_at(c, k), v1 = value_at(c, k + 1);
  const double d0 = f0 - order * fabs(v0) / (2 * PI), d1 = f1 - order * fabs(v1) / (2 * PI);
  if (!(d0 * d1 < 0 || (d1 == 0 && d0 != 0))) return TORSOR_OK;
  critical *grown = reallocarray(c->critical, (size_t)c->criticals + 1, sizeof *grown);
  if (!grown) return out_of_memory(error);
  c->critical = grown;
  const double part = d0 / (d0 - d1);
  grown[c->criticals++] = (critical){.branch = b + 1,
                                     .order = order,
                                     .value = v0 + part * (v1 - v0),
                                     .frequency_hz = f0 + part * (f1 - f0)};
  return TORSOR_OK;
}

static torsor_status find_criticals(campbell *c, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < c->orders; ++i)
    for (int b = 0; b < c->branches; ++b)
      for (int k = 0; k + 1 < c->points && !status; ++k)
        status = find_critical(c, k, b, c->order[i], error);
  return status;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The value stands in the column t, as plots want it. */
static torsor_status write_csv(const campbell *c, torsor_error *error) {
  text t = {0};
  text_append(&t, "t");
  for (int b = 0; b < c->branches; ++b)
    text_printf(&t, ",branch_%d.frequency_hz,branch_%d.damping_ratio,branch_%d.mac", b + 1, b + 1,
                b + 1);
  text_append(&t, "\n");
  for (int k = 0; k < c->points; ++k) {
    text_printf(&t, "%.17g", value_at(c, k));
    for (int b = 0; b < c->branches; ++b) {
      const branch_point *p = &c->at[(size_t)k * (size_t)c->branches + (size_t)b];
      text_printf(&t, ",%.17g,%.17g,%.17g", p->frequency_hz, p->damping_ratio, p->mac);
    }
    text_append(&t, "\n");
  }
  char *file = path_format(error, "%s/campbell.csv", c->folder);
  torsor_status status = file && !t.failed ? TORSOR_OK : out_of_memory(error);
  if (!status) status = file_replace(file, t.data, t.length, error);
  text_release(&t);
  free(file);
  return status;
}

static void add_criticals(text *t, const campbell *c) {
  json_key(t, "critical");
  text_append(t, "[");
  for (int i = 0; i < c->criticals; ++i) {
    text_append(t, i ? ",\n {" : "{");
    json_count(t, "branch", c->critical[i].branch);
    json_number(t, "order", c->critical[i].order);
    json_number(t, "value", c->critical[i].value);
    json_number(t, "frequency_hz", c->critical[i].frequency_hz);
    text_append(t, "}");
  }
  text_append(t, "]");
}

/* The summary says what stands in the column t. */
static torsor_status write_summary(const campbell *c, torsor_error *error) {
  static const char *const column[][2] = {
      {"frequency_hz", "Hz"}, {"damping_ratio", ""}, {"mac", ""}};
  text t = {0};
  text_append(&t, "{");
  json_text(&t, "status", "OK");
  json_text(&t, "version", torsor_version());
  json_text(&t, "scene", c->scene);
  json_text(&t, "analysis", "campbell");
  json_text(&t, "parameter", c->path);
  add_criticals(&t, c);
  json_key(&t, "signals");
  text_append(&t, "[");
  for (int i = 0; i < 3 * c->branches; ++i) {
    char name[64];
    snprintf(name, sizeof name, "branch_%d.%s", i / 3 + 1, column[i % 3][0]);
    text_append(&t, i ? ",\n {" : "{");
    json_text(&t, "signal", name);
    json_text(&t, "unit", column[i % 3][1]);
    text_append(&t, "}");
  }
  text_append(&t, "]}\n");
  char *file = path_format(error, "%s/summary.json", c->folder);
  torsor_status status = file && !t.failed ? TORSOR_OK : out_of_memory(error);
  if (!status) status = file_replace(file, t.data, t.length, error);
  text_release(&t);
  free(file);
  return status;
}

/* The scenes of all points belong to the table: one that is there is that of another analysis. */
static torsor_status remove_scene(const campbell *c, torsor_error *error) {
  static const char *const names[] = {"scene.json", "checkpoint"};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < 2 && !status; ++i) {
    char *file = path_format(error, "%s/%s", c->folder, names[i]);
    if (!file) return TORSOR_MEMORY;
    if (unlink(file) != 0 && errno != ENOENT) status = file_fail(error, file, "remove", errno);
    free(file);
  }
  return status;
}

/* Makes and locks the folder and checks that no input of the sweep would be overwritten. */
static torsor_status claim_folder(campbell *c, torsor_error *error) {
  static const char *const written[] = {"campbell.csv", "summary.json", NULL};
  torsor_status status = folder_make(c->folder, error);
  if (!status) status = folder_lock_take(&c->lock, c->folder, error);
  if (!status) status = inputs_check_folder(&c->read, c->folder, written, error);
  if (!status) status = folder_check_apart(c->folder, c->options->common->argument[0], error);
  if (!status) status = folder_check_stranger(c->folder, error);
  if (!status) status = folder_clear(c->folder, "", error);
  return status ? status : remove_scene(c, error);
}

static void add_numbers(text *t, const char *key, const campbell *c, int b, int which) {
  json_key(t, key);
  text_append(t, "[");
  for (int k = 0; k < c->points; ++k) {
    const branch_point *p = &c->at[(size_t)k * (size_t)c->branches + (size_t)b];
    text_append(t, k ? ", " : "");
    text_json_number(t, which == 0 ? p->frequency_hz : which == 1 ? p->damping_ratio : p->mac);
  }
  text_append(t, "]");
}

static void print_json(text *t, const campbell *c) {
  text_append(t, "{");
  json_text(t, "parameter", c->path);
  json_key(t, "values");
  text_append(t, "[");
  for (int k = 0; k < c->points; ++k) {
    text_append(t, k ? ", " : "");
    text_json_number(t, value_at(c, k));
  }
  text_append(t, "]");
  json_key(t, "branches");
  text_append(t, "[");
  for (int b = 0; b < c->branches; ++b) {
    text_append(t, b ? ",\n {" : "{");
    add_numbers(t, "frequency_hz", c, b, 0);
    add_numbers(t, "damping_ratio", c, b, 1);
    add_numbers(t, "mac", c, b, 2);
    text_append(t, "}");
  }
  text_append(t, "]");
  add_criticals(t, c);
  text_append(t, "}\n");
}

static torsor_status print_for_people(const campbell *c, torsor_error *error) {
  text t = {0};
  const branch_point *end = c->at + (size_t)(c->points - 1) * (size_t)c->branches;
  text_printf(&t, "branch\tHz at %.6g\tHz at %.6g\n", c->from, c->to);
  for (int b = 0; b < c->branches; ++b)
    text_printf(&t, "%d\t%.8g\t%.8g\n", b + 1, c->at[b].frequency_hz, end[b].frequency_hz);
  torsor_status status = cli_print_columns(&t, "rrr", error);
  if (status) return status;
  for (int i = 0; i < c->criticals; ++i)
    text_printf(&t, "critical: branch %d crosses %g times the rate at %s = %.8g\n",
                c->critical[i].branch, c->critical[i].order, c->path, c->critical[i].value);
  text_printf(&t, "results %s/campbell.csv\n", c->folder);
  return cli_answer(c->options->common, &t, error);
}

torsor_status campbell_run(session *s, const campbell_options *options, torsor_error *error) {
  campbell c = {.options = options, .lock = {-1}, .path = strdup(options->sweep)};
  torsor_status status = c.path ? read_sweep(&c, error) : out_of_memory(error);
  if (!status) status = read_orders(&c, error);
  if (!status && options->folder) {
    c.folder = strdup(options->folder);
    if (!c.folder) status = out_of_memory(error);
  }
  if (!status) status = session_open_types(s, options->common, error);
  if (!status) status = follow(&c, s, error);
  if (!status) status = find_criticals(&c, error);
  if (!status) status = claim_folder(&c, error);
  if (!status) status = write_csv(&c, error);
  if (!status) status = write_summary(&c, error);
  if (!status && options->common->json) {
    text t = {0};
    print_json(&t, &c);
    status = cli_print(&t, error);
  } else if (!status && !options->common->quiet) {
    status = print_for_people(&c, error);
  }
  folder_lock_release(&c.lock);
  inputs_release(&c.read);
  free(c.folder);
  free(c.scene);
  free(c.critical);
  free(c.at);
  free(c.order);
  free(c.path);
  return status;
}
