/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/result.h>

#include "cli/folder.h"
#include "cli/inputs.h"
#include "cli/remarks.h"
#include "cli/session.h"
#include "results/lock.h"

/* The verbs `linearise`, which writes the state space, and `response`, which writes the frequency
 * response. */
typedef struct linear_options {
  cli common;
  const char *folder, *about;
  bool descriptor, response;
} linear_options;

enum { OPTION_ABOUT = 512, OPTION_DESCRIPTOR };

static const double PI = 3.14159265358979323846;

/* ---- settings ------------------------------------------------------------------------------ */

static torsor_status read_settings(torsor_linear_settings *out, const linear_options *options,
                                   const torsor_scene *scene, torsor_error *error) {
  static const char *const abouts[] = {"initial", "equilibrium", "steady"};
  const torsor_linear_request *request = torsor_scene_linear(scene);
  const torsor_simulation *simulation = torsor_scene_simulation(scene);
  *out = request->settings;
  out->equilibrium = torsor_scene_statics(scene);
  out->linear_solver = simulation->linear_solver;
  out->descriptor = options->descriptor || options->response;
  if (!request->about_given)
    out->about = simulation->equilibrium ? TORSOR_ABOUT_EQUILIBRIUM
                 : simulation->steady    ? TORSOR_ABOUT_STEADY
                                         : TORSOR_ABOUT_INITIAL;
  for (int i = 0; options->about && i < 3; ++i) {
    if (strcmp(options->about, abouts[i]) != 0) continue;
    out->about = (torsor_about)i;
    return TORSOR_OK;
  }
  if (!options->about) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "--about: there is no \"%s\"", options->about);
  torsor_hint(error, "there are initial, equilibrium and steady");
  return TORSOR_ARGUMENT;
}

/* ---- files --------------------------------------------------------------------------------- */

typedef struct writing {
  const char *folder;
  const torsor_linear *linear;
  torsor_error *error;
  torsor_status status;
  const torsor_balanced *balanced; /* NULL: none is asked for */
  double largest;                  /* difference between its responses and those of the whole */
} writing;

static void write_dense(writing *w, const char *name, const double *value, int rows, int columns,
                        bool by_rows, const char *comment) {
  char *document = NULL;
  if (w->status) return;
  w->status = torsor_dense_matrix_text(&document, value, rows, columns, by_rows, comment, w->error);
  w->status = write_document(w->folder, name, document, w->status, w->error);
}

static void write_channels(writing *w, const char *name, const torsor_channel *channel, int count) {
  char *document = NULL;
  if (w->status) return;
  w->status = torsor_channels_csv_text(&document, channel, count, w->error);
  w->status = write_document(w->folder, name, document, w->status, w->error);
}

static void write_space(writing *w) {
  const torsor_state_space *s = torsor_linear_state_space(w->linear);
  char *document = NULL;
  if (!s || w->status) return;
  write_dense(w, "A.mtx", s->A, s->states, s->states, true, "x' = A x + B u, y = C x + D u");
  write_dense(w, "B.mtx", s->B, s->states, s->inputs, true, "x' = A x + B u, y = C x + D u");
  write_dense(w, "C.mtx", s->C, s->outputs, s->states, true, "x' = A x + B u, y = C x + D u");
  write_dense(w, "D.mtx", s->D, s->outputs, s->inputs, true, "x' = A x + B u, y = C x + D u");
  write_channels(w, "states.csv", s->state, s->states);
  write_channels(w, "inputs.csv", s->input, s->inputs);
  write_channels(w, "outputs.csv", s->output, s->outputs);
  if (w->status) return;
  w->status = torsor_poles_csv_text(&document, s, w->error);
  w->status = write_document(w->folder, "poles.csv", document, w->status, w->error);
  if (w->status) return;
  document = NULL;
  w->status = torsor_state_space_json_text(&document, s, w->error);
  w->status = write_document(w->folder, "linear.json", document, w->status, w->error);
}

/* Most frequencies at which a reduced system is compared with the whole one. */
enum { COMPARED = 50 };

/* The largest difference of an entry of both transfer functions, over frequencies that are asked
 * for, which are the same in both where one has a pole. */
static torsor_status compare_responses(double *out, const torsor_state_space *whole,
                                       const torsor_state_space *part,
                                       const torsor_linear_request *request, torsor_error *error) {
  const size_t size = 2 * (size_t)whole->outputs * (size_t)whole->inputs;
  double *x = calloc(2 * size + 1, sizeof *x), *y = x + size;
  torsor_status status = x ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  const int every = 1 + (request->frequencies - 1) / COMPARED;
  *out = 0;
  for (int k = 0; k < request->frequencies && !status; k += every) {
    const double omega = 2 * PI * request->frequency[k];
    status = torsor_state_space_response(x, whole, &omega, 1, error);
    if (!status) status = torsor_state_space_response(y, part, &omega, 1, error);
    if (status == TORSOR_SINGULAR)
      status = TORSOR_OK;
    else
      for (size_t i = 0; i < size && !status; i += 2)
        *out = fmax(*out, hypot(x[i] - y[i], x[i + 1] - y[i + 1]));
  }
  free(x);
  return status;
}

/* The balanced truncation that the scene asks for. */
static void write_reduced(writing *w, torsor_linear *linear, const torsor_linear_request *request) {
  const torsor_state_space *whole = torsor_linear_state_space(linear);
  char *document = NULL;
  double largest = 0;
  if (!whole || !request->reduced_states || w->status) return;
  w->status = torsor_linear_balance(&w->balanced, linear, request->reduced_states, w->error);
  if (w->status == TORSOR_ARGUMENT && w->error) {
    snprintf(w->error->path, sizeof w->error->path, "linear.reduce.states");
    w->error->status = w->status = TORSOR_SCENE;
  }
  if (!w->status)
    w->status = compare_responses(&largest, whole, &w->balanced->space, request, w->error);
  if (!w->status) w->status = torsor_balanced_json_text(&document, w->balanced, largest, w->error);
  w->largest = largest;
  w->status = write_document(w->folder, "reduced.json", document, w->status, w->error);
}

/* The sparse matrices of the second-order form, in a folder of their own. */
static void write_descriptor(writing *w) {
  static const char *const orders = "012";
  const torsor_modes *system = torsor_linear_system(w->linear);
  const torsor_linear_terms terms = torsor_linear_terms_of(w->linear);
  const int nv = system->velocities, rows = system->rows;
  writing below = *w;
  int sources, outputs;
  char *document = NULL, *folder = path_format(w->error, "%s/descriptor", w->folder);
  const torsor_channel *input = torsor_linear_inputs(w->linear, &sources);
  const torsor_channel *output = torsor_linear_outputs(w->linear, &outputs);
  if (!w->status) w->status = folder ? folder_make(folder, w->error) : TORSOR_MEMORY;
  below.folder = folder;
  below.status = w->status;
  if (!below.status) below.status = torsor_unknowns_csv_text(&document, system, w->error);
  below.status = write_document(folder, "unknowns.csv", document, below.status, w->error);
  for (int i = 0; i < TORSOR_MATRICES && !below.status; ++i) {
    below.status = torsor_matrix_text(&document, system, i, w->error);
    if (!below.status && document)
      below.status = write_document(folder, torsor_matrix_file(i), document, TORSOR_OK, w->error);
  }
  for (int k = 0; k < 3; ++k) {
    char name[16];
    snprintf(name, sizeof name, "R%c.mtx", orders[k]);
    write_dense(&below, name, terms.R[k], nv + rows, sources, false,
                "M e'' + C e' + K e + G lambda + R0 u + R1 u' + R2 u'' = 0, then rows");
    snprintf(name, sizeof name, "H%c.mtx", orders[k]);
    write_dense(&below, name, terms.H[k], outputs, nv, true,
                "y = H0 e + H1 e' + H2 e'' + L lambda + D0 u + D1 u' + D2 u''");
    snprintf(name, sizeof name, "D%c.mtx", orders[k]);
    write_dense(&below, name, terms.D[k], outputs, sources, false,
                "y = H0 e + H1 e' + H2 e'' + L lambda + D0 u + D1 u' + D2 u''");
  }
  write_dense(&below, "L.mtx", terms.L, outputs, rows, true,
              "y = H0 e + H1 e' + H2 e'' + L lambda + D0 u + D1 u' + D2 u''");
  write_channels(&below, "inputs.csv", input, sources);
  write_channels(&below, "outputs.csv", output, outputs);
  w->status = below.status;
  free(folder);
}

static void write_response(writing *w, const torsor_linear_request *request,
                           const double *response) {
  char *document = NULL;
  if (w->status) return;
  w->status = torsor_response_csv_text(&document, w->linear, request->frequency, response,
                                       request->frequencies, w->error);
  w->status = write_document(w->folder, "response.csv", document, w->status, w->error);
}

static void write_summary(writing *w, const session *s, torsor_about about,
                          const remarks *printed) {
  const torsor_result_info info = {.scene = torsor_scene_name(s->scene),
                                   .title = torsor_scene_title(s->scene),
                                   .hash = torsor_scene_hash(s->scene),
                                   .warning = (const char *const *)printed->line,
                                   .warnings = printed->count};
  char *document = NULL;
  if (w->status) return;
  w->status = torsor_linear_summary_text(&document, w->linear, about, &info, w->error);
  w->status = write_document(w->folder, "summary.json", document, w->status, w->error);
}

/* ---- answer -------------------------------------------------------------------------------- */

static torsor_status answer_space(const writing *w, const cli *common) {
  const torsor_state_space *s = torsor_linear_state_space(w->linear);
  text t = {0};
  if (common->json && s) {
    char *document = NULL;
    const torsor_status status = torsor_state_space_json_text(&document, s, w->error);
    if (!status) text_append(&t, document);
    torsor_text_free(document);
    return status ? status : cli_print(&t, w->error);
  }
  if (common->quiet) return TORSOR_OK;
  if (s) {
    text_append(&t, "pole\tre 1/s\tim 1/s\t  \n");
    for (int i = 0; i < s->states; ++i)
      text_printf(&t, "%d\t%.9g\t%.9g\t  %s\n", i + 1, s->pole_re[i], s->pole_im[i],
                  s->pole_re[i] > 0 && s->pole_re[i] > 1e-9 * hypot(s->pole_re[i], s->pole_im[i])
                      ? "UNSTABLE"
                      : "");
    if (s->zeros) text_append(&t, "zero\t\t\t  \n");
    for (int i = 0; i < s->zeros; ++i)
      text_printf(&t, "%d\t%.9g\t%.9g\t  \n", i + 1, s->zero_re[i], s->zero_im[i]);
    const torsor_status status = cli_print_columns(&t, "rrrl", w->error);
    if (status) return status;
    if (w->balanced)
      text_printf(&t, "reduced to %d states: bound of the error %.6g, largest error %.6g; ",
                  w->balanced->space.states, w->balanced->bound, w->largest);
    text_printf(&t, "%d states, %d inputs, %d outputs; ", s->states, s->inputs, s->outputs);
  }
  text_printf(&t, "results %s/\n", w->folder);
  return cli_answer(common, &t, w->error);
}

static torsor_status answer_response(const writing *w, const cli *common,
                                     const torsor_linear_request *request, const double *response) {
  int sources, outputs;
  torsor_linear_inputs(w->linear, &sources);
  torsor_linear_outputs(w->linear, &outputs);
  text t = {0};
  if (common->json) {
    char *document = NULL;
    const torsor_status status = torsor_response_csv_text(&document, w->linear, request->frequency,
                                                          response, request->frequencies, w->error);
    if (!status) text_append(&t, document);
    torsor_text_free(document);
    return status ? status : cli_print(&t, w->error);
  }
  if (common->quiet) return TORSOR_OK;
  text_printf(&t, "%d frequencies, %d inputs, %d outputs; results %s/response.csv\n",
              request->frequencies, sources, outputs, w->folder);
  return cli_answer(common, &t, w->error);
}

/* ---- verbs --------------------------------------------------------------------------------- */

/* Files of the verb in its folder. */
static const char *const written[] = {"*.csv",        "*.mtx",      "linear.json", "reduced.json",
                                      "summary.json", "scene.json", NULL};

static torsor_status find_response(double **response, torsor_linear *linear,
                                   const torsor_linear_request *request, torsor_error *error) {
  int sources, outputs;
  torsor_linear_inputs(linear, &sources);
  torsor_linear_outputs(linear, &outputs);
  const size_t count = (size_t)request->frequencies;
  double *omega = calloc(count + 1, sizeof *omega);
  *response = calloc(2 * count * (size_t)sources * (size_t)outputs + 1, sizeof **response);
  torsor_status status =
      omega && *response ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (size_t i = 0; i < count && !status; ++i) omega[i] = 2 * PI * request->frequency[i];
  if (!status)
    status = torsor_linear_response(*response, linear, omega, request->frequencies, NULL, error);
  free(omega);
  return status;
}

static torsor_status check_inputs(const linear_options *options,
                                  const torsor_linear_request *request, torsor_error *error) {
  if (options->descriptor && !options->response && request->reduced_states) {
    torsor_fail(error, TORSOR_SCENE,
                "\"reduce\" takes the state space, which --descriptor leaves out");
    snprintf(error->path, sizeof error->path, "linear.reduce");
    return TORSOR_SCENE;
  }
  if (!options->response || request->settings.inputs) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "a frequency response needs an input");
  torsor_hint(error, "name some under \"linear\": {\"inputs\": [..], \"outputs\": [..]}");
  return TORSOR_SCENE;
}

static torsor_status find_into(const char *folder, session *s, linear_options *options,
                               torsor_error *error) {
  const cli *common = &options->common;
  const torsor_linear_request *request = torsor_scene_linear(s->scene);
  torsor_linear_settings settings;
  torsor_linear *linear = NULL;
  double *response = NULL;
  folder_lock lock = {-1};
  remarks printed = {.common = common};
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = &printed,
                              .warn = remarks_warn,
                              .threads = common->threads};
  torsor_status status = check_inputs(options, request, error);
  if (!status) status = read_settings(&settings, options, s->scene, error);
  if (!status) status = folder_claim(&lock, folder, written, s, common, error);
  if (!status)
    status =
        session_locate(s, torsor_linear_find(&linear, s->model, &settings, &hooks, error), error);
  if (!status && options->response) status = find_response(&response, linear, request, error);
  if (!status) status = folder_make(folder, error);
  if (!status) status = folder_lock_take(&lock, folder, error);
  if (!status) status = folder_clear(folder, torsor_scene_canonical(s->scene), error);
  if (!status) status = session_keep_scene(s, folder, error);
  if (!status) {
    writing w = {.folder = folder, .linear = linear, .error = error};
    write_space(&w);
    write_reduced(&w, linear, request);
    if (!options->response) write_descriptor(&w);
    if (options->response) write_response(&w, request, response);
    write_summary(&w, s, settings.about, &printed);
    status = w.status;
    if (!status)
      status = options->response ? answer_response(&w, common, request, response)
                                 : answer_space(&w, common);
  }
  folder_lock_release(&lock);
  torsor_linear_destroy(linear);
  free(response);
  remarks_release(&printed);
  return status;
}

static torsor_status linearise(session *s, linear_options *options, torsor_error *error) {
  cli *common = &options->common;
  torsor_status status = session_open(s, common, common->argument[0], error);
  if (status) return status;
  char *folder = options->folder ? path_format(error, "%s", options->folder)
                                 : path_format(error, "out/%s_%s", torsor_scene_name(s->scene),
                                               options->response ? "response" : "linear");
  status = folder ? find_into(folder, s, options, error) : TORSOR_MEMORY;
  free(folder);
  return status;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  linear_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->folder = argument;
    return 0;
  case OPTION_ABOUT:
    options->about = argument;
    return 0;
  case OPTION_DESCRIPTOR:
    options->descriptor = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option linearise_extra[] = {
    {"output", 'o', "DIR", 0, "Folder of the results (default out/<scene name>_linear/)", 0},
    {"about", OPTION_ABOUT, "STATE", 0,
     "initial, equilibrium or steady; default: what the scene says, or where the simulation would "
     "begin",
     0},
    {"descriptor", OPTION_DESCRIPTOR, NULL, 0,
     "Write the sparse matrices alone: large models have no state space", 0},
    {0}};
static const struct argp linearise_argp = {
    .options = linearise_extra,
    .parser = parse,
    .args_doc = "SCENE",
    .doc = "Linearise SCENE, with the inputs and outputs that it names under \"linear\": the state "
           "space x' = A x + B u, y = C x + D u as A.mtx, B.mtx, C.mtx, D.mtx with states.csv, "
           "inputs.csv, outputs.csv and poles.csv, all of it in linear.json, and the sparse "
           "matrices of the descriptor form in descriptor/.\v"
           "The state must be an equilibrium or a steady motion, as for `torsor modes`.",
    .children = cli_children};

static const struct argp_option response_extra[] = {
    {"output", 'o', "DIR", 0, "Folder of the results (default out/<scene name>_response/)", 0},
    {"about", OPTION_ABOUT, "STATE", 0,
     "initial, equilibrium or steady; default: what the scene says, or where the simulation would "
     "begin",
     0},
    {0}};
static const struct argp response_argp = {
    .options = response_extra,
    .parser = parse,
    .args_doc = "SCENE",
    .doc = "Frequency response of SCENE between the inputs and outputs that it names under "
           "\"linear\": response.csv with amplitude, phase, real and imaginary part at each "
           "frequency.\v"
           "Each frequency is a solution of the sparse linearised system: there is no limit to the "
           "size of the model.",
    .children = cli_children};

static int act(int argc, char **argv, const struct argp *argp, bool response) {
  linear_options options = {.response = response};
  torsor_error error = {0};
  session s = {0};
  torsor_status status = cli_parse(&options.common, argp, &options, argc, argv, 1, 1, &error);
  if (status == TORSOR_OK) status = linearise(&s, &options, &error);
  session_close(&s);
  return cli_finish(&options.common, status, &error);
}

static int act_linearise(int argc, char **argv) {
  return act(argc, argv, &linearise_argp, false);
}

static int act_response(int argc, char **argv) {
  return act(argc, argv, &response_argp, true);
}

const cli_verb verb_linearise = {.name = "linearise",
                                 .arguments = "SCENE [-o DIR]",
                                 .title = "state space between inputs and outputs of a scene",
                                 .argp = &linearise_argp,
                                 .act = act_linearise};
const cli_verb verb_response = {.name = "response",
                                .arguments = "SCENE [-o DIR]",
                                .title = "frequency response between inputs and outputs",
                                .argp = &response_argp,
                                .act = act_response};
