/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stopwatch.h"
#include "cli/folder.h"
#include "cli/inputs.h"
#include "results/file.h"
#include "scene/reduce_job.h"

typedef struct reduce_options {
  cli common;
  const char *output;
} reduce_options;

/* ---- what was found -------------------------------------------------------------------------- */

/* Parts of the mass that the modes may leave out, and that may differ by directions, without a
 * warning. */
static const double LEFT_OUT = 0.05, UNEQUAL = 1e-6;

static void warn(const cli *common, const reduce_report *report) {
  static const char axis[] = "xyz";
  if (report->isotropy > UNEQUAL)
    cli_warn(common,
             "the mass is not alike in all directions (%.2g of it): terms of gyroscopic and "
             "centrifugal forces are off by as much",
             report->isotropy);
  for (int k = 0; k < 3 && report->modes; ++k)
    if (report->left_out[k] > LEFT_OUT)
      cli_warn(common,
               "the modes leave out %.0f %% of the mass between the interfaces along %c: more of "
               "them carry more",
               100 * report->left_out[k], axis[k]);
}

static void write_words(text *t, const reduce_job *job, const reduce_result *r, const char *output,
                        double seconds) {
  const reduce_report *report = &r->report;
  const m3 J = report->inertia;
  text_printf(t,
              "%s: %d interfaces and %d modes of %d degrees of freedom (%ld entries of the "
              "factor, %.2f s)\n",
              output, job->input.interfaces, report->modes, report->degrees, report->entries,
              seconds);
  text_printf(t, "mass %.9g kg, centre (%.6g, %.6g, %.6g) m\n", report->mass, report->centre.x,
              report->centre.y, report->centre.z);
  text_printf(t, "inertia about it %.6g, %.6g, %.6g; xy %.4g, yz %.4g, xz %.4g kg m^2\n", J.m[0][0],
              J.m[1][1], J.m[2][2], J.m[0][1], J.m[1][2], J.m[0][2]);
  text_printf(t, "forces against rigid motions %.2g, reduced %.2g of those that deform\n",
              report->rigid_full, report->rigid_reduced);
  if (!report->modes) return;
  text_printf(t, "modes, interfaces held: %.6g to %.6g Hz, residual %.2g\n", report->frequency[0],
              report->frequency[report->modes - 1], report->residual);
  text_printf(t, "mass between the interfaces that they leave out: %.2g %%, %.2g %%, %.2g %%\n",
              100 * report->left_out[0], 100 * report->left_out[1], 100 * report->left_out[2]);
}

static void json_list(text *t, const char *key, const double *value, int count) {
  json_key(t, key);
  text_append(t, "[");
  for (int i = 0; i < count; ++i) {
    if (i) text_append(t, ",");
    text_json_number(t, value[i]);
  }
  text_append(t, "]");
}

static void write_json(text *t, const reduce_job *job, const reduce_result *r, const char *output) {
  const reduce_report *report = &r->report;
  double centre[3];
  v3_store(centre, report->centre);
  text_append(t, "{");
  json_text(t, "file", output);
  json_count(t, "degrees", report->degrees);
  json_count(t, "interfaces", job->input.interfaces);
  json_count(t, "modes", report->modes);
  json_number(t, "mass", report->mass);
  json_list(t, "centre", centre, 3);
  json_list(t, "inertia", &report->inertia.m[0][0], 9);
  json_number(t, "rigid_full", report->rigid_full);
  json_number(t, "rigid_reduced", report->rigid_reduced);
  json_number(t, "residual", report->residual);
  json_number(t, "isotropy", report->isotropy);
  json_list(t, "left_out", report->left_out, 3);
  json_list(t, "frequencies", report->frequency, report->modes);
  text_append(t, "}\n");
}

/* ---- the verb -------------------------------------------------------------------------------- */

static torsor_status check_output(const reduce_job *job, const char *file, const char *output,
                                  torsor_error *error) {
  inputs in = {0};
  torsor_status status = inputs_add(&in, file, error);
  for (int i = 0; i < job->m.files && !status; ++i) status = inputs_add(&in, job->m.file[i], error);
  for (int i = 0; i < 4 && !status; ++i)
    if (job->matrix_file[i][0]) status = inputs_add(&in, job->matrix_file[i], error);
  if (!status) status = inputs_check(&in, output, error);
  inputs_release(&in);
  return status;
}

static torsor_status write_body(const reduce_job *job, const reduce_result *r, const char *output,
                                torsor_error *error) {
  text t = {0};
  reduce_job_write(&t, job, r);
  const torsor_status status = t.failed ? torsor_fail(error, TORSOR_MEMORY, "out of memory")
                                        : file_replace(output, t.data, t.length, error);
  text_release(&t);
  return status;
}

/* NAME.body.json beside NAME.json. */
static char *name_output(const reduce_options *options, torsor_error *error) {
  const char *file = options->common.argument[0];
  const size_t length = strlen(file);
  const bool json = length > 5 && !strcmp(file + length - 5, ".json");
  if (options->output) return path_format(error, "%s", options->output);
  return path_format(error, "%.*s.body.json", (int)(json ? length - 5 : length), file);
}

static torsor_status answer(const reduce_options *options, const reduce_job *job,
                            const reduce_result *r, const char *output, double seconds,
                            torsor_error *error) {
  text t = {0};
  warn(&options->common, &r->report);
  if (options->common.json)
    write_json(&t, job, r, output);
  else if (!options->common.quiet)
    write_words(&t, job, r, output, seconds);
  return cli_answer(&options->common, &t, error);
}

static torsor_status reduce_file(const reduce_options *options, torsor_error *error) {
  const char *file = options->common.argument[0];
  const long long begun = stopwatch_now();
  char *output = name_output(options, error);
  reduce_job job = {0};
  reduce_result r = {0};
  torsor_status status = output ? reduce_job_read(&job, file, error) : TORSOR_MEMORY;
  if (!status) status = check_output(&job, file, output, error);
  if (!status) {
    status = reduce(&r, &job.input, error);
    if (status) reduce_job_locate(&job, file, error);
  }
  if (!status) status = write_body(&job, &r, output, error);
  if (!status)
    status = answer(options, &job, &r, output, (double)(stopwatch_now() - begun) * 1e-9, error);
  reduce_release(&r);
  reduce_job_release(&job);
  free(output);
  return status;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  reduce_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"output", 'o', "FILE", 0, "The body file (default: NAME.body.json for NAME.json)", 0}, {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Reduce a finite-element model to frames at its interfaces and to modes.\v"
           "FILE names the matrices of the free body, its mesh and the interfaces: see "
           "docs/commands.md.  Scenes read the body file by \"file\" of a superelement.",
    .children = cli_children};

static int act(int argc, char **argv) {
  reduce_options options = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  if (!status) status = reduce_file(&options, &error);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_reduce = {.name = "reduce",
                              .arguments = "FILE [-o BODY]",
                              .title = "reduce a finite-element model to a body for scenes",
                              .argp = &argp,
                              .act = act};
