/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fmu_description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "fmu/core.h"
#include "results/zip.h"

/* ---- units ----------------------------------------------------------------------------------- */

/* Units of the scene format as products of base units: no factor is ever needed. */
static const struct {
  const char *unit, *base;
} units[] = {
    {"m", "m=\"1\""},
    {"m/s", "m=\"1\" s=\"-1\""},
    {"m/s^2", "m=\"1\" s=\"-2\""},
    {"m^2", "m=\"2\""},
    {"rad", "rad=\"1\""},
    {"rad/s", "rad=\"1\" s=\"-1\""},
    {"rad/s^2", "rad=\"1\" s=\"-2\""},
    {"N", "kg=\"1\" m=\"1\" s=\"-2\""},
    {"N m", "kg=\"1\" m=\"2\" s=\"-2\""},
    {"N s", "kg=\"1\" m=\"1\" s=\"-1\""},
    {"N m s", "kg=\"1\" m=\"2\" s=\"-1\""},
    {"N/m", "kg=\"1\" s=\"-2\""},
    {"N m/rad", "kg=\"1\" m=\"2\" s=\"-2\" rad=\"-1\""},
    {"N s/m", "kg=\"1\" s=\"-1\""},
    {"N m s/rad", "kg=\"1\" m=\"2\" s=\"-1\" rad=\"-1\""},
    {"N m^2", "kg=\"1\" m=\"3\" s=\"-2\""},
    {"J", "kg=\"1\" m=\"2\" s=\"-2\""},
    {"W", "kg=\"1\" m=\"2\" s=\"-3\""},
    {"Pa", "kg=\"1\" m=\"-1\" s=\"-2\""},
    {"kg", "kg=\"1\""},
    {"kg m", "kg=\"1\" m=\"1\""},
    {"kg m^2", "kg=\"1\" m=\"2\""},
    {"kg/m", "kg=\"1\" m=\"-1\""},
    {"kg/m^3", "kg=\"1\" m=\"-3\""},
    {"kg m/s", "kg=\"1\" m=\"1\" s=\"-1\""},
    {"kg m^2/s", "kg=\"1\" m=\"2\" s=\"-1\""},
    {"1/m", "m=\"-1\""},
    {"1/s", "s=\"-1\""},
    {"rad/m", "rad=\"1\" m=\"-1\""},
    {"s", "s=\"1\""},
    {"Hz", "s=\"-1\""},
};
enum { UNITS = sizeof units / sizeof *units };

/* Index of a unit, with "N*m" and "N m" alike; -1 = it is not known. */
static int find_unit(const char *word) {
  for (int i = 0; i < UNITS; ++i) {
    const char *a = units[i].unit, *b = word;
    while (*a && (*a == *b || (*a == ' ' && *b == '*'))) {
      ++a;
      ++b;
    }
    if (!*a && !*b) return i;
  }
  return -1;
}

/* ---- variables ------------------------------------------------------------------------------- */

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static char *copy(const char *words) {
  return strdup(words ? words : "");
}

static torsor_status find_inputs(fmu_variables *v, const torsor_model *model, torsor_error *error) {
  const int count = torsor_model_inputs(model);
  v->input = calloc((size_t)count + 1, sizeof *v->input);
  if (!v->input) return out_of_memory(error);
  for (; v->inputs < count; ++v->inputs) {
    const int i = v->inputs;
    v->input[i] = (fmu_variable){
        copy(torsor_model_input_name(model, i)), copy(torsor_model_input_doc(model, i)),
        torsor_model_input_unit(model, i),       torsor_model_input_value(model, i),
        torsor_model_input_least(model, i),      torsor_model_input_largest(model, i)};
    if (!v->input[i].name || !v->input[i].doc) return out_of_memory(error);
  }
  return TORSOR_OK;
}

static torsor_status find_outputs(fmu_variables *v, const session *s, const char *const *names,
                                  int count, torsor_error *error) {
  if (!count) names = torsor_scene_signals(s->scene, &count);
  int index = -1;
  const torsor_status status =
      torsor_signals_create(&v->signals, s->model, names, count, &index, error);
  if (status) return status;
  const int columns = torsor_signals_count(v->signals);
  v->output = calloc((size_t)columns + 1, sizeof *v->output);
  if (!v->output) return out_of_memory(error);
  for (; v->outputs < columns; ++v->outputs) {
    /* "N or N m", of forces along a coordinate of either kind, is no unit. */
    const char *unit = torsor_signals_unit(v->signals, v->outputs);
    if (strstr(unit, " or ")) unit = "";
    const char *name = torsor_signals_name(v->signals, v->outputs);
    v->output[v->outputs] = (fmu_variable){copy(name), copy(""), unit, 0, 0, 0};
    if (!v->output[v->outputs].name) return out_of_memory(error);
  }
  return TORSOR_OK;
}

/* Named numbers: those of the scene's parameters that are plain numbers; expressions follow from
 * them. */
static torsor_status find_parameters(fmu_variables *v, const session *s, torsor_error *error) {
  cJSON *root = cJSON_Parse(torsor_scene_canonical(s->scene));
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "parameters"), *item;
  v->parameter = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *v->parameter);
  bool complete = root && v->parameter;
  if (complete) cJSON_ArrayForEach(item, list) {
      if (!cJSON_IsNumber(item)) continue;
      fmu_variable *made = &v->parameter[v->parameters++];
      *made = (fmu_variable){copy(item->string), copy(""), "", item->valuedouble, 0, 0};
      complete = complete && made->name && made->doc;
    }
  cJSON_Delete(root);
  return complete ? TORSOR_OK : out_of_memory(error);
}

static torsor_status find_tunables(fmu_variables *v, const session *s, const char *const *paths,
                                   int count, torsor_error *error) {
  v->tunable = calloc((size_t)count + 1, sizeof *v->tunable);
  if (!v->tunable) return out_of_memory(error);
  if (!count) return TORSOR_OK;
  torsor_run *run = NULL;
  torsor_status status =
      torsor_run_create(&run, s->model, torsor_scene_simulation(s->scene), NULL, error);
  for (; !status && v->tunables < count; ++v->tunables) {
    const char *path = paths[v->tunables];
    const double value = torsor_run_parameter(run, path);
    v->tunable[v->tunables] = (fmu_variable){copy(path), copy(""), "", value, 0, 0};
    if (!isnan(value)) continue;
    status = torsor_fail(error, TORSOR_ARGUMENT, "no element has the number \"%s\"", path);
    torsor_hint(error, "numbers of elements are called as in \"spring.stiffness\" and "
                       "\"rod.inertia.xy\"");
    free(v->tunable[v->tunables].name);
    free(v->tunable[v->tunables].doc);
    break;
  }
  torsor_run_destroy(run);
  return status;
}

void fmu_variables_list(text *out, const fmu_variables *v) {
  text_printf(out, "%s\n", v->token);
  for (int i = 0; i < v->outputs; ++i) text_printf(out, "output %s\n", v->output[i].name);
  for (int i = 0; i < v->parameters; ++i)
    text_printf(out, "parameter %.17g %s\n", v->parameter[i].start, v->parameter[i].name);
  for (int i = 0; i < v->tunables; ++i)
    text_printf(out, "tunable %.17g %s\n", v->tunable[i].start, v->tunable[i].name);
}

torsor_status fmu_variables_find(fmu_variables *out, const session *s, const char *const *outputs,
                                 int output_count, const char *const *tunables, int tunable_count,
                                 torsor_error *error) {
  torsor_status status = find_inputs(out, s->model, error);
  if (!status) status = find_outputs(out, s, outputs, output_count, error);
  if (!status) status = find_parameters(out, s, error);
  if (!status) status = find_tunables(out, s, tunables, tunable_count, error);
  if (!status && out->inputs >= FMU_REFERENCE_OUTPUTS - FMU_REFERENCE_INPUTS)
    status = torsor_fail(error, TORSOR_SCENE, "an FMU has at most %d inputs",
                         FMU_REFERENCE_OUTPUTS - FMU_REFERENCE_INPUTS - 1);
  text list = {0};
  fmu_variables_list(&list, out);
  if (!status && list.failed) status = out_of_memory(error);
  if (!status) {
    const unsigned long sum = zip_sum(list.data, list.length);
    snprintf(out->token, sizeof out->token, "%s-%08lx", torsor_scene_hash(s->scene), sum);
  }
  text_release(&list);
  return status;
}

static void release_list(fmu_variable *list, int count) {
  for (int i = 0; i < count; ++i) {
    free(list[i].name);
    free(list[i].doc);
  }
  free(list);
}

void fmu_variables_release(fmu_variables *v) {
  release_list(v->input, v->inputs);
  release_list(v->output, v->outputs);
  release_list(v->parameter, v->parameters);
  release_list(v->tunable, v->tunables);
  torsor_signals_destroy(v->signals);
  *v = (fmu_variables){0};
}

/* ---- the description ------------------------------------------------------------------------- */

static void put_escaped(text *out, const char *words) {
  for (; *words; ++words) switch (*words) {
    case '&':
      text_append(out, "&amp;");
      break;
    case '<':
      text_append(out, "&lt;");
      break;
    case '>':
      text_append(out, "&gt;");
      break;
    case '"':
      text_append(out, "&quot;");
      break;
    default:
      if ((unsigned char)*words >= ' ') text_append_bytes(out, words, 1);
    }
}

static void put_attribute(text *out, const char *name, const char *value) {
  text_printf(out, " %s=\"", name);
  put_escaped(out, value);
  text_append(out, "\"");
}

/* How a list of variables appears. */
typedef struct kind {
  const fmu_variable *list;
  int count, first; /* the first value reference */
  const char *causality, *variability, *initial;
  bool start;
} kind;

enum { KINDS = 4 };

static void list_kinds(kind out[KINDS], const fmu_variables *v) {
  out[0] = (kind){v->input, v->inputs, FMU_REFERENCE_INPUTS, "input", "continuous", NULL, true};
  out[1] = (kind){v->output,    v->outputs, FMU_REFERENCE_OUTPUTS, "output", "continuous",
                  "calculated", false};
  out[2] = (kind){v->parameter, v->parameters, FMU_REFERENCE_PARAMETERS, "parameter", "fixed",
                  "exact",      true};
  out[3] = (kind){v->tunable, v->tunables, FMU_REFERENCE_TUNABLES, "parameter", "tunable",
                  "exact",    true};
}

static void put_variable(text *out, const kind *k, int i, int version) {
  const fmu_variable *v = &k->list[i];
  text_append(out, version == 3 ? "    <Float64" : "    <ScalarVariable");
  put_attribute(out, "name", v->name);
  text_printf(out, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", k->first + i,
              k->causality, k->variability);
  if (k->initial) put_attribute(out, "initial", k->initial);
  if (v->doc && v->doc[0]) put_attribute(out, "description", v->doc);
  if (version == 2) text_append(out, "><Real");
  if (v->unit && v->unit[0]) put_attribute(out, "unit", units[find_unit(v->unit)].unit);
  if (v->least < v->largest && isfinite(v->least)) text_printf(out, " min=\"%.17g\"", v->least);
  if (v->least < v->largest && isfinite(v->largest)) text_printf(out, " max=\"%.17g\"", v->largest);
  if (k->start) text_printf(out, " start=\"%.17g\"", v->start);
  text_append(out, version == 3 ? "/>\n" : "/></ScalarVariable>\n");
}

/* Marks the units that are used; fails at one that is not known. */
static torsor_status use_units(bool used[UNITS], const kind kinds[KINDS], torsor_error *error) {
  for (int k = 0; k < KINDS; ++k)
    for (int i = 0; i < kinds[k].count; ++i) {
      const fmu_variable *v = &kinds[k].list[i];
      if (!v->unit || !v->unit[0]) continue;
      const int unit = find_unit(v->unit);
      if (unit >= 0) {
        used[unit] = true;
        continue;
      }
      torsor_fail(error, TORSOR_SCENE, "\"%.80s\" has the unit \"%.40s\", which an FMU cannot have",
                  v->name, v->unit);
      torsor_hint(error, "units are products of SI units: \"m\", \"rad/s\", \"N m\", \"kg m^2/s\"");
      return TORSOR_SCENE;
    }
  return TORSOR_OK;
}

static void put_units(text *out, const bool used[UNITS]) {
  text_append(out, "  <UnitDefinitions>\n");
  for (int i = 0; i < UNITS; ++i)
    if (used[i]) {
      text_append(out, "    <Unit");
      put_attribute(out, "name", units[i].unit);
      text_printf(out, "><BaseUnit %s/></Unit>\n", units[i].base);
    }
  text_append(out, "  </UnitDefinitions>\n");
}

static void put_capabilities(text *out, const torsor_simulation *s, int version) {
  text_append(
      out,
      "  <CoSimulation modelIdentifier=\"torsor\" canHandleVariableCommunicationStepSize=\"true\"");
  if (version == 2) {
    text_append(out, " canInterpolateInputs=\"true\" canGetAndSetFMUstate=\"true\" "
                     "canSerializeFMUstate=\"true\"/>\n");
    return;
  }
  text_append(out,
              " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" hasEventMode=\"true\""
              " mightReturnEarlyFromDoStep=\"true\" providesIntermediateUpdate=\"true\""
              " canReturnEarlyAfterIntermediateUpdate=\"true\"");
  if (s->settings.step > 0 && !torsor_accuracy_is_set(&s->settings.accuracy))
    text_printf(out, " fixedInternalStepSize=\"%.17g\"", s->settings.step);
  text_append(out, "/>\n");
}

static void put_structure(text *out, const fmu_variables *v, int version) {
  text_append(out, "  <ModelStructure>\n");
  const char *const lists[] = {"Outputs", "InitialUnknowns"}, *const entries[] = {"Output",
                                                                                  "InitialUnknown"};
  for (int list = 0; list < 2 && v->outputs; ++list) {
    if (version == 2) text_printf(out, "    <%s>\n", lists[list]);
    for (int i = 0; i < v->outputs; ++i)
      if (version == 2)
        text_printf(out, "      <Unknown index=\"%d\"/>\n", v->inputs + i + 1);
      else
        text_printf(out, "    <%s valueReference=\"%d\"/>\n", entries[list],
                    FMU_REFERENCE_OUTPUTS + i);
    if (version == 2) text_printf(out, "    </%s>\n", lists[list]);
  }
  text_append(out, "  </ModelStructure>\n");
}

static void put_head(text *out, const fmu_variables *v, const session *s, int version) {
  const char *name = torsor_scene_name(s->scene), *title = torsor_scene_title(s->scene);
  text_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
  put_attribute(out, "fmiVersion", version == 3 ? "3.0" : "2.0");
  put_attribute(out, "modelName", name[0] ? name : "scene");
  put_attribute(out, version == 3 ? "instantiationToken" : "guid", v->token);
  if (title[0]) put_attribute(out, "description", title);
  text_printf(out, " generationTool=\"Torsor %s\"", torsor_version());
  put_attribute(out, "license", "library: GPL-3.0-or-later; the scene: its author's");
  text_append(out, " variableNamingConvention=\"structured\">\n");
}

torsor_status fmu_description(text *out, const fmu_variables *v, const session *s, int version,
                              torsor_error *error) {
  const torsor_simulation *simulation = torsor_scene_simulation(s->scene);
  kind kinds[KINDS];
  bool used[UNITS] = {false};
  list_kinds(kinds, v);
  const torsor_status status = use_units(used, kinds, error);
  if (status) return status;
  used[find_unit("s")] = true;
  put_head(out, v, s, version);
  put_capabilities(out, simulation, version);
  put_units(out, used);
  text_append(out, "  <LogCategories>\n    <Category name=\"logStatusWarning\"/>\n"
                   "    <Category name=\"logStatusError\"/>\n    <Category name=\"logEvents\"/>\n"
                   "  </LogCategories>\n");
  const double step =
      simulation->settings.step > 0 ? 10 * simulation->settings.step : simulation->duration / 500;
  text_printf(out, "  <DefaultExperiment startTime=\"0\" stopTime=\"%.17g\" stepSize=\"%.17g\"/>\n",
              simulation->duration, simulation->output_step > 0 ? simulation->output_step : step);
  text_append(out, "  <ModelVariables>\n");
  if (version == 3)
    text_append(out, "    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\""
                     " variability=\"continuous\" unit=\"s\"/>\n");
  for (int k = 0; k < KINDS; ++k)
    for (int i = 0; i < kinds[k].count; ++i) put_variable(out, &kinds[k], i, version);
  text_append(out, "  </ModelVariables>\n");
  put_structure(out, v, version);
  text_append(out, "</fmiModelDescription>\n");
  return out->failed ? out_of_memory(error) : TORSOR_OK;
}
