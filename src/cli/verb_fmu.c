/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fmu_description.h"
#include "cli/folder.h"
#include "cli/inputs.h"
#include "results/zip.h"

enum { OPTION_FMI = 512, OPTION_OUTPUTS, OPTION_TUNABLES, OPTION_BUNDLE };

typedef struct fmu_options {
  cli common;
  const char *output, *fmi, *bundle;
  char *outputs, *tunables;
} fmu_options;

/* State of one export. */
typedef struct exporting {
  session s;
  fmu_variables variables;
  zip archive;
  char *output, *library; /* the folder with the libraries */
  int version;
} exporting;

static const char licence[] = "The library in binaries/ is Torsor with the libraries that it uses, "
                              "GSL and SuiteSparse among\n"
                              "them: GPL-3.0-or-later.  Who passes it on passes these rights on, "
                              "with the sources or an offer of\n"
                              "them; the version is that of `generationTool` in "
                              "modelDescription.xml.  resources/scene.json is\n"
                              "data and stays its author's.  Texts of the licences of bundled "
                              "libraries are beside this file.\n";

static torsor_status add(exporting *e, const char *name, torsor_error *error,
                         torsor_status (*write)(text *, const exporting *, torsor_error *)) {
  text t = {0};
  torsor_status status = write(&t, e, error);
  if (!status && t.failed) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) zip_add(&e->archive, name, t.data ? t.data : "", t.length);
  text_release(&t);
  return status;
}

static torsor_status write_description(text *out, const exporting *e, torsor_error *error) {
  return fmu_description(out, &e->variables, &e->s, e->version, error);
}

static torsor_status write_list(text *out, const exporting *e, torsor_error *error) {
  (void)error;
  fmu_variables_list(out, &e->variables);
  return TORSOR_OK;
}

/* Every file of `folder` that has `part` in its name goes below `to`. */
static torsor_status add_files(exporting *e, const char *folder, const char *part, const char *to,
                               torsor_error *error) {
  struct dirent **entry = NULL;
  const int count = scandir(folder, &entry, NULL, alphasort);
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < count; ++i) {
    char *from = path_format(error, "%s/%s", folder, entry[i]->d_name);
    char *name = path_format(error, "%s/%s", to, entry[i]->d_name);
    if (!from || !name) status = TORSOR_MEMORY;
    if (!status && strstr(entry[i]->d_name, part) && file_exists(from))
      status = zip_add_file(&e->archive, name, from, error);
    free(from);
    free(name);
    free(entry[i]);
  }
  free(entry);
  return status;
}

/* The library, alone or with those that it needs. */
static torsor_status add_binaries(exporting *e, const fmu_options *options, torsor_error *error) {
  const char *wanted = options->bundle;
  const char *to = e->version == 3 ? "binaries/x86_64-linux" : "binaries/linux64";
  char *whole = path_format(error, "%s/bundle", e->library);
  if (!whole) return TORSOR_MEMORY;
  torsor_status status = TORSOR_OK;
  const bool there = folder_has_file(whole, "torsor.so");
  if (wanted && !strcmp(wanted, "all") && !there) {
    status = torsor_fail(error, TORSOR_FILE,
                         "the libraries of FMUs were not bundled when Torsor was built");
    torsor_hint(error, "build it with patchelf, or take --bundle torsor: the FMU then needs them "
                       "installed where it runs");
  } else if (there && (!wanted || strcmp(wanted, "torsor") != 0)) {
    status = add_files(e, whole, ".so", to, error);
    if (!status) status = add_files(e, whole, "copyright", "documentation/licenses", error);
  } else {
    status = add_files(e, e->library, "torsor.so", to, error);
    if (!status)
      zip_add_text(&e->archive, "documentation/externalDependencies.txt",
                   "The library needs those of GSL, SuiteSparse, ARPACK, LAPACK, cJSON, xxHash\n"
                   "and zlib; `ldd` shows their files.\n");
    if (!wanted)
      cli_note(&options->common,
               "the libraries that the FMU needs are not in it: they were not bundled");
  }
  free(whole);
  return status;
}

static torsor_status read_options(exporting *e, const fmu_options *options, torsor_error *error) {
  e->version = 3;
  if (options->fmi && !strcmp(options->fmi, "2"))
    e->version = 2;
  else if (options->fmi && strcmp(options->fmi, "3") != 0)
    return torsor_fail(error, TORSOR_ARGUMENT, "--fmi takes 2 or 3, not \"%s\"", options->fmi);
  if (options->bundle && strcmp(options->bundle, "all") != 0 &&
      strcmp(options->bundle, "torsor") != 0)
    return torsor_fail(error, TORSOR_ARGUMENT, "--bundle takes all or torsor, not \"%s\"",
                       options->bundle);
  return TORSOR_OK;
}

static torsor_status find_variables(exporting *e, const fmu_options *options, torsor_error *error) {
  const char **outputs = NULL, **tunables = NULL;
  int output_count = 0, tunable_count = 0;
  torsor_status status = TORSOR_OK;
  if (options->outputs) status = cli_split(&outputs, &output_count, options->outputs, error);
  if (!status && options->tunables)
    status = cli_split(&tunables, &tunable_count, options->tunables, error);
  if (!status)
    status = session_locate(&e->s,
                            fmu_variables_find(&e->variables, &e->s, outputs, output_count,
                                               tunables, tunable_count, error),
                            error);
  free(outputs);
  free(tunables);
  return status;
}

/* A scene with callbacks or plug-ins has code that the FMU would not have. */
static torsor_status check_scene(const exporting *e, const fmu_options *options,
                                 torsor_error *error) {
  if (torsor_scene_is_static(e->s.scene)) {
    torsor_fail(error, TORSOR_SCENE, "the scene has no simulation, which an FMU takes steps of");
    torsor_hint(error, "give it \"simulation\" with a step and a duration");
    return TORSOR_SCENE;
  }
  if (!options->common.plugin_count) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "an FMU cannot have plug-ins in it");
  torsor_hint(error, "only the types of Torsor itself can be used");
  return TORSOR_ARGUMENT;
}

static torsor_status choose_output(exporting *e, const fmu_options *options, torsor_error *error) {
  const char *name = torsor_scene_name(e->s.scene);
  e->output = options->output ? path_format(error, "%s", options->output)
                              : path_format(error, "%s.fmu", name[0] ? name : "scene");
  if (!e->output) return TORSOR_MEMORY;
  inputs read = {0};
  torsor_status status = inputs_add_scene(&read, &e->s, &options->common, error);
  if (!status) status = inputs_check(&read, e->output, error);
  inputs_release(&read);
  return status;
}

static torsor_status export_scene(exporting *e, const fmu_options *options, torsor_error *error) {
  torsor_status status = read_options(e, options, error);
  if (!status) status = folder_fmu(&e->library, error);
  if (!status) status = session_open(&e->s, &options->common, options->common.argument[0], error);
  if (!status) status = check_scene(e, options, error);
  if (!status) status = choose_output(e, options, error);
  if (!status) status = find_variables(e, options, error);
  if (!status) status = add(e, "modelDescription.xml", error, write_description);
  if (!status) status = add_binaries(e, options, error);
  if (!status) {
    zip_add_text(&e->archive, "documentation/licenses/license.spdx", "GPL-3.0-or-later\n");
    zip_add_text(&e->archive, "documentation/licenses/license.txt", licence);
    zip_add_text(&e->archive, "resources/scene.json", torsor_scene_canonical(e->s.scene));
    status = add(e, "resources/variables.txt", error, write_list);
  }
  return status ? status : zip_write(&e->archive, e->output, error);
}

static torsor_status answer(const exporting *e, const cli *common, torsor_error *error) {
  const fmu_variables *v = &e->variables;
  text t = {0};
  if (common->json) {
    text_append(&t, "{");
    json_text(&t, "file", e->output);
    json_count(&t, "fmi", e->version);
    json_text(&t, "token", v->token);
    json_count(&t, "inputs", v->inputs);
    json_count(&t, "outputs", v->outputs);
    json_count(&t, "parameters", v->parameters + v->tunables);
    text_append(&t, "}\n");
  } else if (!common->quiet) {
    text_printf(&t, "%s: FMI %d.0 for co-simulation, %d inputs, %d outputs, %d parameters\n",
                e->output, e->version, v->inputs, v->outputs, v->parameters + v->tunables);
    text_append(&t,
                "  its library is GPL-3.0-or-later: who passes the file on passes that on, too\n");
  }
  return cli_answer(common, &t, error);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  fmu_options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case OPTION_FMI:
    options->fmi = argument;
    return 0;
  case OPTION_OUTPUTS:
    options->outputs = argument;
    return 0;
  case OPTION_TUNABLES:
    options->tunables = argument;
    return 0;
  case OPTION_BUNDLE:
    options->bundle = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option extra[] = {
    {"output", 'o', "FILE", 0, "The FMU (default: the name of the scene, with .fmu)", 0},
    {"fmi", OPTION_FMI, "VERSION", 0, "Version of FMI, 3 (default) or 2", 0},
    {"outputs", OPTION_OUTPUTS, "SIGNALS", 0,
     "Signals that are its outputs, with commas between them (default: those of the scene)", 0},
    {"tunables", OPTION_TUNABLES, "NUMBERS", 0,
     "Numbers of elements that can be changed while it runs: spring.stiffness,rod.mass", 0},
    {"bundle", OPTION_BUNDLE, "WHAT", 0,
     "all: with every library it needs; torsor: with the engine alone (default: all, if that was "
     "built)",
     0},
    {0}};
static const struct argp argp = {
    .options = extra,
    .parser = parse,
    .args_doc = "SCENE",
    .doc = "Write SCENE as an FMU for co-simulation, which other programs step.\v"
           "Inputs of the scene are its inputs, named numbers its parameters.  The file has the "
           "scene and the library in it.",
    .children = cli_children};

static int act(int argc, char **argv) {
  fmu_options options = {0};
  torsor_error error = {0};
  exporting e = {.version = 3};
  torsor_status status = cli_parse(&options.common, &argp, &options, argc, argv, 1, 1, &error);
  if (!status) status = export_scene(&e, &options, &error);
  if (!status) status = answer(&e, &options.common, &error);
  zip_release(&e.archive);
  fmu_variables_release(&e.variables);
  session_close(&e.s);
  free(e.output);
  free(e.library);
  return cli_finish(&options.common, status, &error);
}

const cli_verb verb_fmu = {.name = "fmu",
                           .arguments = "SCENE [-o FILE]",
                           .title = "write a scene as an FMU for co-simulation",
                           .argp = &argp,
                           .act = act};
