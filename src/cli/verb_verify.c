/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/reference.h"
#include "cli/session.h"
#include "results/file.h"

/* The answer grows scene by scene. */
typedef struct verification {
  const cli *common;
  session session;
  char *data;  /* folder with scenes/ and reference/ */
  char **name; /* benchmarks that ship */
  int name_count;
  text answer;
  int entries;
  bool holds;
} verification;

/* One benchmark: its run and its comparison. */
typedef struct benchmark {
  torsor_table result, reference;
  torsor_reference sidecar;
  double cpu_seconds;
  torsor_difference *differences;
  int count;
} benchmark;

/* ---- which benchmarks there are ----------------------------------------------------------- */

static int is_sidecar(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && dot != entry->d_name && strcmp(dot, ".json") == 0;
}

static torsor_status list_benchmarks(verification *v, torsor_error *error) {
  char *folder = path_format(error, "%s/reference", v->data);
  if (!folder) return TORSOR_MEMORY;
  struct dirent **entries;
  const int count = scandir(folder, &entries, is_sidecar, alphasort);
  torsor_status status = TORSOR_OK;
  if (count < 0) status = file_fail(error, folder, "list the folder", errno);
  free(folder);
  if (count < 0) return status;
  v->name = calloc((size_t)count + 1, sizeof *v->name);
  for (int i = 0; i < count; ++i) {
    char *dot = strrchr(entries[i]->d_name, '.');
    *dot = '\0';
    char *name = v->name ? strdup(entries[i]->d_name) : NULL;
    char *scene = path_format(NULL, "%s/scenes/%s.json", v->data, entries[i]->d_name);
    if (!name || !scene) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
    if (status == TORSOR_OK && file_exists(scene))
      v->name[v->name_count++] = name;
    else
      free(name);
    free(scene);
    free(entries[i]);
  }
  free(entries);
  return status;
}

static torsor_status check_names(const verification *v, torsor_error *error) {
  for (int i = 0; i < v->common->argument_count; ++i) {
    const char *wanted = v->common->argument[i];
    bool known = false;
    for (int k = 0; k < v->name_count && !known; ++k) known = strcmp(v->name[k], wanted) == 0;
    if (known) continue;
    torsor_fail(error, TORSOR_ARGUMENT, "there is no benchmark \"%s\" in %s", wanted, v->data);
    const char *near = torsor_near_name(wanted, (const char *const *)v->name, v->name_count);
    if (near) torsor_hint(error, "did you mean \"%s\"?", near);
    return TORSOR_ARGUMENT;
  }
  return TORSOR_OK;
}

/* ---- the answer --------------------------------------------------------------------------- */

static void add_entry(verification *v, const char *scene, const torsor_difference *d,
                      double cpu_seconds) {
  text *t = &v->answer;
  v->holds = v->holds && d->holds;
  if (!v->common->json) {
    text_printf(t, "%s\t%s\t%.3g\t%.3g\t%s\t%.3g\t%s\n", scene, d->signal, d->max_error,
                d->tolerance, d->holds ? "yes" : "NO", cpu_seconds, d->basis);
    return;
  }
  text_append(t, v->entries++ ? ",\n {" : "{");
  json_text(t, "scene", scene);
  json_text(t, "signal", d->signal);
  json_number(t, "error", d->max_error);
  json_number(t, "at", d->at);
  json_number(t, "tolerance", d->tolerance);
  json_text(t, "basis", d->basis);
  json_bool(t, "holds", d->holds);
  json_number(t, "cpu_seconds", cpu_seconds);
  text_append(t, "}");
}

/* A benchmark that could not be run or compared counts as failed. */
static void add_failure(verification *v, const char *scene, const torsor_error *error) {
  text *t = &v->answer;
  v->holds = false;
  if (!v->common->json) {
    text_printf(t, "%s\t-\t-\t-\tNO\t-\t%s%s%s\n", scene, error->path, error->path[0] ? ": " : "",
                error->message);
    return;
  }
  text_append(t, v->entries++ ? ",\n {" : "{");
  json_text(t, "scene", scene);
  text_append(t, ", \"signal\": null, \"error\": null, \"tolerance\": null, \"basis\": null");
  json_bool(t, "holds", false);
  text_append(t, ", \"cpu_seconds\": null");
  json_text(t, "status", torsor_status_name(error->status));
  json_text(t, "message", error->message);
  text_append(t, "}");
}

/* ---- running ------------------------------------------------------------------------------ */

static torsor_status record_modes(benchmark *b, const verification *v, torsor_error *error) {
  const torsor_scene *scene = v->session.scene;
  const torsor_modes_settings settings = {.size = sizeof(torsor_modes_settings),
                                          .count = b->sidecar.modes,
                                          .about = b->sidecar.about,
                                          .equilibrium = torsor_scene_statics(scene),
                                          .linear_solver =
                                              torsor_scene_simulation(scene)->linear_solver};
  return session_record_modes(&b->result, &b->cpu_seconds, &settings, &v->session, v->common,
                              error);
}

static torsor_status record_scene(benchmark *b, const verification *v, torsor_error *error) {
  const session *s = &v->session;
  torsor_status status;
  if (b->sidecar.modes) return record_modes(b, v, error);
  if (torsor_scene_is_static(s->scene)) {
    torsor_statics_summary summary = {0};
    status = session_record_statics(&b->result, &summary, s, v->common, error);
    b->cpu_seconds = summary.cpu_seconds;
  } else {
    torsor_summary summary = {0};
    status = session_record(&b->result, &summary, s, torsor_scene_simulation(s->scene), v->common,
                            error);
    b->cpu_seconds = summary.cpu_seconds;
  }
  return status;
}

static torsor_status run_benchmark(benchmark *b, verification *v, const char *name,
                                   torsor_error *error) {
  char *scene = path_format(error, "%s/scenes/%s.json", v->data, name);
  char *sidecar = path_format(error, "%s/reference/%s.json", v->data, name);
  torsor_status status = scene && sidecar ? TORSOR_OK : TORSOR_MEMORY;
  if (status == TORSOR_OK) status = reference_read(&b->reference, &b->sidecar, sidecar, error);
  if (status == TORSOR_OK) status = session_open_scene(&v->session, v->common, scene, error);
  if (status == TORSOR_OK) status = record_scene(b, v, error);
  if (status == TORSOR_OK)
    status =
        torsor_compare(&b->differences, &b->count, &b->result, &b->reference, NULL, 0,
                       b->sidecar.tolerances, b->sidecar.tolerance_count, &reference_exact, error);
  free(scene);
  free(sidecar);
  return status;
}

static torsor_status verify_benchmark(verification *v, const char *name, torsor_error *error) {
  benchmark b = {0};
  cli_note(v->common, "%s", name);
  const torsor_status status = run_benchmark(&b, v, name, error);
  for (int i = 0; i < b.count; ++i) add_entry(v, name, &b.differences[i], b.cpu_seconds);
  if (status != TORSOR_OK) add_failure(v, name, error);
  free(b.differences);
  torsor_table_destroy(&b.result);
  torsor_table_destroy(&b.reference);
  torsor_reference_destroy(&b.sidecar);
  return status == TORSOR_MEMORY ? status : TORSOR_OK;
}

static torsor_status print_answer(verification *v, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  if (v->common->json) {
    text_append(&v->answer, "]\n");
    status = cli_print(&v->answer, error);
  } else if (!v->common->quiet) {
    status = cli_print_columns(&v->answer, "llrrlrl", error);
  }
  return status == TORSOR_OK && !v->holds ? TORSOR_MISMATCH : status;
}

static torsor_status verify(verification *v, torsor_error *error) {
  v->data = folder_data(error);
  if (!v->data) return TORSOR_FILE;
  torsor_status status = list_benchmarks(v, error);
  if (status == TORSOR_OK) status = check_names(v, error);
  if (status == TORSOR_OK) status = session_open_types(&v->session, v->common, error);
  if (status != TORSOR_OK) return status;
  const bool all = v->common->argument_count == 0;
  const char *const *names = all ? (const char *const *)v->name : v->common->argument;
  const int count = all ? v->name_count : v->common->argument_count;
  if (count == 0) return torsor_fail(error, TORSOR_FILE, "there are no references in %s", v->data);
  text_append(&v->answer,
              v->common->json ? "[" : "scene\tsignal\terror\ttolerance\tholds\tCPU s\tbasis\n");
  for (int i = 0; i < count && status == TORSOR_OK; ++i) {
    *error = (torsor_error){0};
    status = verify_benchmark(v, names[i], error);
  }
  if (status != TORSOR_OK) return status;
  *error = (torsor_error){0};
  return print_answer(v, error);
}

static const struct argp argp = {
    .args_doc = "[NAME...]",
    .doc = "Run the shipped scenes that have a reference (or those named) and compare: a table "
           "of errors, tolerances and where the tolerances come from; exit 1 when one fails.\v"
           "The scenes and references are found in $TORSOR_DATA, or where Torsor is installed.",
    .children = cli_children};

static int act(int argc, char **argv) {
  cli common;
  torsor_error error = {0};
  torsor_status status = cli_parse(&common, &argp, &common, argc, argv, 0, argc, &error);
  verification v = {.common = &common, .holds = true};
  if (status == TORSOR_OK) status = verify(&v, &error);
  session_close(&v.session);
  text_release(&v.answer);
  for (int i = 0; i < v.name_count; ++i) free(v.name[i]);
  free(v.name);
  free(v.data);
  return cli_finish(&common, status, &error);
}

const cli_verb verb_verify = {.name = "verify",
                              .arguments = "[NAME...]",
                              .title = "run the shipped benchmarks against their references",
                              .argp = &argp,
                              .act = act};
