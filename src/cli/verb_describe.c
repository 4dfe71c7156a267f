/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "cli/words.h"

static void add_choices(text *t, const torsor_param *param) {
  for (int i = 0; param->choices && param->choices[i]; ++i)
    text_printf(t, "%s%s", i ? " | " : "", param->choices[i]);
}

static void add_fallback(text *t, const torsor_param *param) {
  if (!param->fallback)
    text_append(t, "required");
  else
    text_append(t, param->fallback[0] ? param->fallback : "optional");
}

static torsor_status print_parameters(const torsor_element_type *type, torsor_error *error) {
  text t = {0};
  text_append(&t, "  parameter\tkind\tunit\tdefault\t\n");
  for (const torsor_param *param = type->params; param && param->key; ++param) {
    text_printf(&t, "  %s\t", param->key);
    if (param->kind == TORSOR_PARAM_CHOICE)
      add_choices(&t, param);
    else if (param->kind == TORSOR_PARAM_CHARACTERISTIC)
      text_printf(&t, "function of %s", param->choices[0]);
    else
      text_append(&t, word_param_kind(param->kind));
    text_printf(&t, "\t%s\t", param->unit ? param->unit : "-");
    add_fallback(&t, param);
    text_append(&t, "\t");
    text_append(&t, param->doc ? param->doc : "");
    if (param->conditions & TORSOR_POSITIVE) text_append(&t, " (> 0)");
    if (param->conditions & TORSOR_NONNEGATIVE) text_append(&t, " (>= 0)");
    if (param->conditions & TORSOR_NEEDS_ORIENTATION)
      text_append(&t, " (on a body with an orientation)");
    text_append(&t, "\n");
  }
  return cli_print_columns(&t, "lllll", error);
}

/* `index` stands behind the names of outputs of parts. */
static void add_outputs(text *t, const torsor_output *output, const char *index) {
  for (; output && output->name; ++output)
    text_printf(t, "  %s%s%s\t%s\t%s\n", output->name, index,
                output->components == 3 ? ".x|y|z" : "", output->unit ? output->unit : "-",
                output->doc ? output->doc : "");
}

/* "stress[i].PLACE.axial|shear_y" */
static void add_places(text *t, const torsor_place_outputs *places, const char *index) {
  if (!places) return;
  text_printf(t, "  %s%s.PLACE", places->name, index);
  for (int i = 0; places->component[i]; ++i)
    text_printf(t, "%c%s", i ? '|' : '.', places->component[i]);
  text_printf(t, "\t%s\t%s\n", places->unit, places->doc);
}

static torsor_status print_signals(const torsor_element_type *type, torsor_error *error) {
  text t = {0};
  text_append(&t, "  signal\tunit\t\n");
  const size_t heading = t.length;
  const torsor_coordinate *coordinate = type->coordinates.list;
  for (; coordinate && coordinate->name; ++coordinate) {
    text_printf(&t, "  %s\t%s\tjoint coordinate%s\n", coordinate->name, coordinate->unit,
                coordinate->period > 0 ? ", counted over many turns" : "");
    text_printf(&t, "  %s\t%s/s\tits rate\n", coordinate->rate, coordinate->unit);
  }
  add_outputs(&t, type->outputs.list, "");
  add_places(&t, type->outputs.places, "");
  for (int i = 0; type->composite.expand && type->composite.parts[i]; ++i) {
    if (word_outputs_again(type, i)) continue;
    add_outputs(&t, type->composite.parts[i]->outputs.list, "[i]");
    add_places(&t, type->composite.parts[i]->outputs.places, "[i]");
  }
  if (t.length == heading) t.length = 0;
  if (t.length) fputc('\n', stdout);
  return cli_print_columns(&t, "lll", error);
}

static torsor_status print_for_people(const torsor_element_type *type, torsor_error *error) {
  text t = {0};
  text_printf(&t, "%s (%s): %s\n\n%s\n\n", type->name, word_kind(type->kind), type->title,
              type->doc ? type->doc : "");
  if (type->tangents.numeric) text_append(&t, "Tangents by numerical differences.\n\n");
  torsor_status status = cli_print(&t, error);
  if (status == TORSOR_OK) status = print_parameters(type, error);
  if (status == TORSOR_OK) status = print_signals(type, error);
  if (status != TORSOR_OK || !type->example) return status;
  text_printf(&t, "\nExample:\n%s\n", type->example);
  return cli_print(&t, error);
}

static void add_optional(text *t, const char *key, const char *value) {
  if (value) {
    json_text(t, key, value);
    return;
  }
  json_key(t, key);
  text_append(t, "null");
}

static void add_parameter(text *t, const torsor_param *param) {
  text_append(t, "{");
  json_text(t, "key", param->key);
  json_text(t, "kind", word_param_kind(param->kind));
  add_optional(t, "unit", param->unit);
  json_bool(t, "required", !param->fallback);
  add_optional(t, "default", param->fallback && param->fallback[0] ? param->fallback : NULL);
  add_optional(t, "doc", param->doc);
  if (param->kind == TORSOR_PARAM_CHARACTERISTIC) {
    json_text(t, "variable", param->choices[0]);
  } else if (param->choices) {
    json_key(t, "choices");
    text_append(t, "[");
    for (int i = 0; param->choices[i]; ++i) {
      if (i) text_append(t, ", ");
      text_json_string(t, param->choices[i]);
    }
    text_append(t, "]");
  }
  text_append(t, "}");
}

static int add_output_signals(text *t, const torsor_output *output, const char *index, int count) {
  for (; output && output->name; ++output) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", output->name, index);
    text_append(t, count++ ? ", {" : "{");
    json_text(t, "signal", name);
    json_count(t, "components", output->components);
    add_optional(t, "unit", output->unit);
    add_optional(t, "doc", output->doc);
    text_append(t, "}");
  }
  return count;
}

static int add_place_signals(text *t, const torsor_place_outputs *places, const char *index,
                             int count) {
  if (!places) return count;
  char name[96];
  int components = 0;
  while (places->component[components]) ++components;
  snprintf(name, sizeof name, "%s%s.PLACE", places->name, index);
  text_append(t, count++ ? ", {" : "{");
  json_text(t, "signal", name);
  json_count(t, "components", components);
  add_optional(t, "unit", places->unit);
  add_optional(t, "doc", places->doc);
  text_append(t, "}");
  return count;
}

static void add_signals(text *t, const torsor_element_type *type) {
  int count = 0;
  const torsor_coordinate *coordinate = type->coordinates.list;
  for (; coordinate && coordinate->name; ++coordinate) {
    text_append(t, count++ ? ", {" : "{");
    json_text(t, "coordinate", coordinate->name);
    json_text(t, "rate", coordinate->rate);
    json_text(t, "unit", coordinate->unit);
    text_append(t, "}");
  }
  count = add_output_signals(t, type->outputs.list, "", count);
  count = add_place_signals(t, type->outputs.places, "", count);
  for (int i = 0; type->composite.expand && type->composite.parts[i]; ++i) {
    if (word_outputs_again(type, i)) continue;
    count = add_output_signals(t, type->composite.parts[i]->outputs.list, "[i]", count);
    count = add_place_signals(t, type->composite.parts[i]->outputs.places, "[i]", count);
  }
}

static torsor_status print_json(const torsor_element_type *type, torsor_error *error) {
  text t = {0};
  text_append(&t, "{");
  json_text(&t, "type", type->name);
  json_text(&t, "kind", word_kind(type->kind));
  json_text(&t, "title", type->title);
  add_optional(&t, "doc", type->doc);
  json_bool(&t, "numeric_tangent", type->tangents.numeric);
  json_key(&t, "parameters");
  text_append(&t, "[");
  for (const torsor_param *param = type->params; param && param->key; ++param) {
    if (param != type->params) text_append(&t, ",\n ");
    add_parameter(&t, param);
  }
  text_append(&t, "]");
  json_key(&t, "signals");
  text_append(&t, "[");
  add_signals(&t, type);
  text_append(&t, "]");
  add_optional(&t, "example", type->example);
  text_append(&t, "}\n");
  return cli_print(&t, error);
}

static torsor_status fail_unknown(const torsor_registry *registry, const char *name,
                                  torsor_error *error) {
  const int count = torsor_registry_count(registry);
  torsor_fail(error, TORSOR_ARGUMENT, "there is no element type \"%s\"", name);
  const char **names = calloc((size_t)count + 1, sizeof *names);
  if (!names) return TORSOR_ARGUMENT;
  for (int i = 0; i < count; ++i) names[i] = torsor_registry_at(registry, i)->name;
  const char *near = torsor_near_name(name, names, count);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "\"torsor list\" shows the types");
  free(names);
  return TORSOR_ARGUMENT;
}

static torsor_status describe(const cli *common, session *s, torsor_error *error) {
  const torsor_status status = session_open_types(s, common, error);
  if (status != TORSOR_OK) return status;
  const char *name = common->argument[0];
  const torsor_element_type *type = torsor_registry_find(s->registry, name);
  if (!type) return fail_unknown(s->registry, name, error);
  return common->json ? print_json(type, error) : print_for_people(type, error);
}

static const struct argp argp = {
    .args_doc = "TYPE",
    .doc = "Describe an element type: equations, parameters, signals, an example scene.",
    .children = cli_children};

static int act(int argc, char **argv) {
  cli common;
  session s = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&common, &argp, &common, argc, argv, 1, 1, &error);
  if (status == TORSOR_OK) status = describe(&common, &s, &error);
  session_close(&s);
  return cli_finish(&common, status, &error);
}

const cli_verb verb_describe = {.name = "describe",
                                .arguments = "TYPE",
                                .title = "parameters, signals and example of an element type",
                                .argp = &argp,
                                .act = act};
