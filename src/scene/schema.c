/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/scene.h>

#include <string.h>

#include "base/text.h"
#include "elements/section.h"
#include "scene/homogeneous.h"
#include "scene/joint_start.h"
#include "scene/schema_definitions.h"
#include "scene/shapes.h"

/* Members of the object "simulation" beside "method". */
static const char simulation_members[] =
    "        \"formulation\": {\"enum\": [\"index3\", \"ggl\"], \"default\": \"ggl\"},\n"
    "        \"start\": {\"enum\": [\"perturbed\", \"plain\", \"damped\"], "
    "\"description\": \"damped with ggl and soi2 by default, else perturbed\"},\n"
    "        \"correction_metric\": {\"enum\": [\"bodies\", \"plain\"], \"default\": \"bodies\", "
    "\"description\": \"where the corrections of positions of ggl are least\"},\n"
    "        \"multipliers\": {\"enum\": [\"acceleration_level\", \"method\"], "
    "\"default\": \"acceleration_level\"},\n"
    "        \"mass_alpha\": {\"enum\": [\"carried\", \"evaluated\"], \"default\": \"carried\"},\n"
    "        \"additive\": {\"type\": \"boolean\", \"default\": false},\n"
    "        \"error_estimate\": {\"type\": \"boolean\", \"default\": true},\n"
    "        \"step_correction\": {\"type\": \"boolean\", \"default\": true},\n"
    "        \"reaction\": {\"enum\": [\"end\", \"explicit\", \"midpoint\", "
    "\"midpoint_explicit\"], \"default\": \"end\"},\n"
    "        \"order\": {\"anyOf\": [{\"enum\": [8, 5]}, {\"type\": \"string\"}], \"default\": 8, "
    "\"description\": \"of the method explicit\"},\n"
    "        \"reaction_weight\": {\"type\": [\"number\", \"string\"], \"default\": 0},\n"
    "        \"rho_inf\": {\"type\": [\"number\", \"string\"], \"minimum\": 0, \"maximum\": 1, "
    "\"description\": \"spectral radius at infinity (Chung and Hulbert): by default 0.8 with ggl, "
    "else 0.9\"},\n"
    "        \"hht\": {\"type\": [\"number\", \"string\"], \"maximum\": 0, "
    "\"description\": \"alpha of HHT, from -1/3 to 0\"},\n"
    "        \"newmark\": {\"type\": \"object\", \"required\": [\"beta\", \"gamma\"], "
    "\"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"beta\": {\"$ref\": \"#/definitions/number\"}, "
    "\"gamma\": {\"$ref\": \"#/definitions/number\"}}},\n"
    "        \"alpha\": {\"type\": \"object\", "
    "\"required\": [\"alpha_m\", \"alpha_f\", \"beta\", \"gamma\"], "
    "\"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"alpha_m\": {\"$ref\": \"#/definitions/number\"}, "
    "\"alpha_f\": {\"$ref\": \"#/definitions/number\"}, "
    "\"beta\": {\"$ref\": \"#/definitions/number\"}, "
    "\"gamma\": {\"$ref\": \"#/definitions/number\"}}},\n"
    "        \"initial\": {\"enum\": [\"scene\", \"equilibrium\", \"steady\"], \"default\": "
    "\"scene\"},\n"
    "        \"step\": {\"$ref\": \"#/definitions/positive\"},\n"
    "        \"duration\": {\"$ref\": \"#/definitions/nonnegative\"},\n"
    "        \"atol\": {\"$ref\": \"#/definitions/positive\"},\n"
    "        \"rtol\": {\"$ref\": \"#/definitions/positive\"},\n"
    "        \"max_iterations\": {\"$ref\": \"#/definitions/positive_integer\"},\n"
    "        \"max_halvings\": {\"$ref\": \"#/definitions/nonnegative_integer\"},\n"
    "        \"accuracy\": {\"type\": \"object\", \"additionalProperties\": false, "
    "\"minProperties\": 1, \"patternProperties\": {\"^_\": {}}, \"properties\": {"
    "\"comment\": {}, \"position\": {\"$ref\": \"#/definitions/positive\"}, "
    "\"rotation\": {\"$ref\": \"#/definitions/positive\"}, "
    "\"velocity\": {\"$ref\": \"#/definitions/positive\"}}},\n"
    "        \"linear_solver\": {\"enum\": [\"block\", \"klu\", \"umfpack\"], \"default\": "
    "\"block\"}\n"
    "      },\n"
    "      \"not\": {\"anyOf\": [{\"required\": [\"rho_inf\", \"hht\"]}, "
    "{\"required\": [\"rho_inf\", \"newmark\"]}, {\"required\": [\"rho_inf\", \"alpha\"]}, "
    "{\"required\": [\"hht\", \"newmark\"]}, {\"required\": [\"hht\", \"alpha\"]}, "
    "{\"required\": [\"newmark\", \"alpha\"]}]}\n"
    "    },\n";

/* Models and their instances. */
static const char model_lists[] =
    "    \"models\": {\"type\": \"object\", \"patternProperties\": {\"^_|^comment$\": {}}, "
    "\"additionalProperties\": {\"anyOf\": [{\"type\": \"string\"}, "
    "{\"$ref\": \"#/definitions/model\"}]}},\n"
    "    \"assemblies\": {\"type\": \"array\", \"items\": "
    "{\"$ref\": \"#/definitions/assembly\"}},\n";

static const char event_list[] =
    "    \"events\": {\"type\": \"array\", \"items\": {\n      \"type\": \"object\",\n"
    "      \"required\": [\"name\"],\n      \"additionalProperties\": false,\n"
    "      \"anyOf\": [{\"required\": [\"when\"]}, {\"required\": [\"break\", \"limits\"]}],\n"
    "      \"patternProperties\": {\"^_\": {}},\n      \"properties\": {\n"
    "        \"comment\": {},\n        \"name\": {\"type\": \"string\"},\n"
    "        \"when\": {\"type\": \"string\", \"description\": "
    "\"expression in t and signals whose sign is watched\"},\n"
    "        \"direction\": {\"enum\": [\"both\", \"rising\", \"falling\"], "
    "\"default\": \"both\"},\n"
    "        \"break\": {\"type\": \"string\", \"description\": "
    "\"force or joint that is taken away where one of its limits is exceeded\"},\n"
    "        \"limits\": {\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": "
    "{\"$ref\": \"#/definitions/number\"}, \"description\": \"of signals of what breaks\"},\n"
    "        \"action\": {\"default\": \"log\", \"anyOf\": [{\"enum\": [\"log\", \"stop\"]}, "
    "{\"$ref\": \"#/definitions/deeds\"}, "
    "{\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/deeds\"}}]},\n"
    "        \"times\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
    "\"description\": \"occurrences after which it is over\"}\n"
    "      }\n    }},\n";

/* The object "statics". */
static const char statics_object[] =
    "    \"statics\": {\n      \"type\": \"object\",\n"
    "      \"additionalProperties\": false,\n"
    "      \"patternProperties\": {\"^_\": {}},\n      \"properties\": {\n"
    "        \"comment\": {},\n"
    "        \"method\": {\"enum\": [\"newton\", \"arc_length\"], \"default\": \"newton\"},\n"
    "        \"loads\": {\"enum\": [\"all\", \"functions\"]},\n"
    "        \"until\": {\"allOf\": [{\"$ref\": \"#/definitions/number\"}], \"default\": 1},\n"
    "        \"steps\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
    "\"default\": 10},\n"
    "        \"arc\": {\"allOf\": [{\"$ref\": \"#/definitions/positive\"}], \"default\": 0.1},\n"
    "        \"points\": {\"$ref\": \"#/definitions/positive_integer\"},\n"
    "        \"rows\": {\"enum\": [\"steps\", \"critical\"], \"default\": \"steps\"},\n"
    "        \"buckling\": {\"allOf\": [{\"$ref\": \"#/definitions/nonnegative_integer\"}], "
    "\"default\": 0},\n"
    "        \"tolerance\": {\"allOf\": [{\"$ref\": \"#/definitions/positive\"}], "
    "\"default\": 1e-10},\n"
    "        \"max_iterations\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
    "\"default\": 20},\n"
    "        \"max_halvings\": {\"allOf\": [{\"$ref\": \"#/definitions/nonnegative_integer\"}], "
    "\"default\": 20}\n      }\n    },\n";

/* The object "linear". */
static const char linear_object[] =
    "    \"linear\": {\n      \"type\": \"object\",\n"
    "      \"additionalProperties\": false,\n"
    "      \"patternProperties\": {\"^_\": {}},\n      \"properties\": {\n"
    "        \"comment\": {},\n"
    "        \"about\": {\"enum\": [\"initial\", \"equilibrium\", \"steady\"]},\n"
    "        \"inputs\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
    "        \"outputs\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
    "        \"states\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
    "        \"moving_inputs\": {\"enum\": [\"acceleration\", \"triple\"], "
    "\"default\": \"acceleration\"},\n"
    "        \"frequencies\": {\"anyOf\": [{\"type\": \"array\", "
    "\"items\": {\"$ref\": \"#/definitions/number\"}},\n"
    "          {\"type\": \"object\", \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"required\": [\"from\", \"to\"], "
    "\"properties\": {\"comment\": {}, "
    "\"from\": {\"$ref\": \"#/definitions/number\"}, "
    "\"to\": {\"$ref\": \"#/definitions/number\"}, "
    "\"count\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
    "\"default\": 400}, "
    "\"spacing\": {\"enum\": [\"log\", \"linear\"], \"default\": \"log\"}}}]},\n"
    "        \"reduce\": {\"type\": \"object\", \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"required\": [\"states\"], "
    "\"properties\": {\"comment\": {}, "
    "\"states\": {\"$ref\": \"#/definitions/positive_integer\"}}}\n"
    "      }\n    },\n";

/* The object "periodic". */
static const char periodic_object[] =
    "    \"periodic\": {\n      \"type\": \"object\",\n"
    "      \"additionalProperties\": false, \"required\": [\"period\"],\n"
    "      \"patternProperties\": {\"^_\": {}},\n      \"properties\": {\n"
    "        \"comment\": {},\n"
    "        \"period\": {\"$ref\": \"#/definitions/positive\"},\n"
    "        \"period_unknown\": {\"type\": \"boolean\", \"default\": false},\n"
    "        \"steps\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
    "\"default\": 200},\n"
    "        \"settle\": {\"allOf\": [{\"$ref\": \"#/definitions/nonnegative_integer\"}], "
    "\"default\": 0},\n"
    "        \"tolerance\": {\"allOf\": [{\"$ref\": \"#/definitions/positive\"}], "
    "\"default\": 1e-9},\n"
    "        \"max_iterations\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
    "\"default\": 30}\n      }\n    },\n";

/* The list "sensitivities". */
static const char sensitivity_list[] =
    "    \"sensitivities\": {\"type\": \"array\", \"items\": {\"anyOf\": [{\"type\": \"string\"}, "
    "{\"type\": \"object\", \"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, "
    "\"required\": [\"parameter\"], \"properties\": {\"comment\": {}, "
    "\"parameter\": {\"type\": \"string\"}, "
    "\"scale\": {\"$ref\": \"#/definitions/positive\"}}}]}},\n";

static const char *const kind_words[] = {"body", "joint", "force"};

static const char *definition_of(const torsor_param *param) {
  const bool positive = param->conditions & TORSOR_POSITIVE;
  const bool nonnegative = param->conditions & TORSOR_NONNEGATIVE;
  switch (param->kind) {
  case TORSOR_PARAM_NUMBER:
    return positive ? "positive" : nonnegative ? "nonnegative" : "number";
  case TORSOR_PARAM_INTEGER:
    return positive ? "positive_integer" : nonnegative ? "nonnegative_integer" : "integer";
  case TORSOR_PARAM_BOOLEAN:
    return "boolean";
  case TORSOR_PARAM_CHOICE:
    return NULL;
  case TORSOR_PARAM_VECTOR:
  case TORSOR_PARAM_DIRECTION:
    return "vector";
  case TORSOR_PARAM_INERTIA:
    return "inertia";
  case TORSOR_PARAM_ORIENTATION:
    return "orientation";
  case TORSOR_PARAM_ANGULAR_VELOCITY:
    return "angular_velocity";
  case TORSOR_PARAM_GROUP:
    return "group";
  case TORSOR_PARAM_MARKER:
    return "marker";
  case TORSOR_PARAM_CURVE:
    return "curve";
  case TORSOR_PARAM_MATRIX6:
    return "matrix6";
  case TORSOR_PARAM_NUMBERS:
    return "numbers";
  case TORSOR_PARAM_SECTION:
    return "section";
  case TORSOR_PARAM_SECTION_TABLE:
    return "section_table";
  case TORSOR_PARAM_FUNCTION:
    return "function";
  case TORSOR_PARAM_CHARACTERISTIC:
    return "characteristic";
  case TORSOR_PARAM_CONTROL:
    return "control";
  case TORSOR_PARAM_COORDINATE:
    return "coordinate";
  case TORSOR_PARAM_CHAIN:
  case TORSOR_PARAM_SURFACE:
    return "chain";
  case TORSOR_PARAM_PROFILE:
    return "profile";
  case TORSOR_PARAM_MATRIX:
    return "any_matrix";
  case TORSOR_PARAM_FRAMES:
    return "frames";
  case TORSOR_PARAM_LAYERS:
    return "layers";
  case TORSOR_PARAM_MESH:
    return "mesh";
  case TORSOR_PARAM_BODY_FILE:
    return "file_name";
  case TORSOR_PARAM_PATH:
    return "path";
  case TORSOR_PARAM_BODIES:
    return "bodies";
  case TORSOR_PARAM_NAMES:
    return "names";
  case TORSOR_PARAM_CALLBACK:
    return "callback";
  }
  return NULL;
}

static void append_words(text *t, const char *const *words) {
  text_append(t, "[");
  for (int i = 0; words && words[i]; ++i) {
    if (i) text_append(t, ", ");
    text_json_string(t, words[i]);
  }
  text_append(t, "]");
}

static void append_param(text *t, const torsor_param *param) {
  text_append(t, "        ");
  text_json_string(t, param->key);
  const char *definition = definition_of(param);
  if (definition) {
    text_printf(t,
                ": {\"allOf\": [{\"$ref\": \"#/definitions/%s\"}], \"description\": ", definition);
  } else {
    text_append(t, ": {\"enum\": ");
    append_words(t, param->choices);
    text_append(t, ", \"description\": ");
  }
  text description = {0};
  text_append(&description, param->doc);
  if (param->unit) text_printf(&description, " [%s]", param->unit);
  t->failed |= description.failed;
  text_json_string(t, description.data ? description.data : "");
  text_release(&description);
  if (param->fallback && param->fallback[0]) text_printf(t, ", \"default\": %s", param->fallback);
  text_append(t, "}");
}

static void append_type(text *t, const torsor_element_type *type) {
  text_printf(t, "    \"type_%s\": {\n      \"title\": ", type->name);
  text_json_string(t, type->title);
  text_append(t, ",\n      \"description\": ");
  text_json_string(t, type->doc);
  text_append(t, ",\n      \"additionalProperties\": false,\n"
                 "      \"patternProperties\": {\"^_\": {}},\n");
  const bool dense = homogeneous_takes(type);
  if (dense)
    text_append(t, "      \"anyOf\": [{\"required\": [\"mass\", \"inertia\"]}, "
                   "{\"required\": [\"density\", \"shape\"]}],\n");
  text_append(t, "      \"required\": [\"name\", \"type\"");
  for (const torsor_param *param = type->params; param->key; ++param)
    if (!param->fallback &&
        !(dense && (strcmp(param->key, "mass") == 0 || strcmp(param->key, "inertia") == 0))) {
      text_append(t, ", ");
      text_json_string(t, param->key);
    }
  text_printf(t,
              "],\n      \"properties\": {\n        \"comment\": {},\n"
              "        \"name\": {\"$ref\": \"#/definitions/name\"},\n"
              "        \"repeat\": {\"$ref\": \"#/definitions/nonnegative_integer\"},\n"
              "        \"index\": {\"type\": \"string\", \"default\": \"i\"},\n"
              "        \"type\": {\"const\": \"%s\"}",
              type->name);
  if (type->kind != TORSOR_BODY)
    text_append(t, ",\n        \"active\": {\"type\": \"boolean\", \"default\": true, "
                   "\"description\": \"whether it acts at the start; events switch it\"}");
  if (type->kind == TORSOR_BODY && !type->composite.expand)
    text_append(t, ",\n        \"shape\": {\"$ref\": \"#/definitions/shape\"},\n"
                   "        \"in\": {\"type\": \"string\", \"description\": "
                   "\"body or marker in which position and orientation are\"},\n"
                   "        \"markers\": {\"$ref\": \"#/definitions/named_markers\"}");
  if (type->kind == TORSOR_JOINT && joint_start_known(type->name))
    text_append(t, ",\n        \"start\": {\"type\": \"object\", \"description\": "
                   "\"coordinates and rates at the start, which place the body of b\"}");
  if (dense)
    text_append(t, ",\n        \"density\": {\"allOf\": [{\"$ref\": "
                   "\"#/definitions/positive\"}], \"description\": \"of the shape, in place of "
                   "mass, inertia and center_of_mass [kg/m^3]\"}");
  for (const torsor_param *param = type->params; param->key; ++param) {
    text_append(t, ",\n");
    append_param(t, param);
  }
  text_append(t, "\n      }\n    }");
}

/* The definition that chooses among the types of a kind. */
static void append_kind(text *t, const torsor_registry *registry, torsor_kind kind) {
  const char *comma = "";
  text_printf(
      t,
      "    \"%s\": {\n      \"type\": \"object\",\n      \"required\": [\"name\", \"type\"],\n"
      "      \"properties\": {\"type\": {\"enum\": [",
      kind_words[kind]);
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    const torsor_element_type *type = torsor_registry_at(registry, i);
    if (type->kind != kind) continue;
    text_printf(t, "%s\"%s\"", comma, type->name);
    comma = ", ";
  }
  text_append(t, "]}},\n      \"allOf\": [{}");
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    const torsor_element_type *type = torsor_registry_at(registry, i);
    if (type->kind != kind) continue;
    text_printf(t,
                ",\n        {\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}, "
                "\"required\": [\"type\"]}, \"then\": {\"$ref\": \"#/definitions/type_%s\"}}",
                type->name, type->name);
  }
  text_append(t, "\n      ]\n    }");
}

/* A section: one form for every shape, and one with the matrices. */
static void append_section(text *t) {
  static const char comments[] =
      "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, "
      "\"properties\": {\"comment\": {}, ";
  static const char names[] = "\"patternProperties\": {\"^_|^comment$\": {}}, ";
  static const char matrix[] = "{\"anyOf\": [{\"$ref\": \"#/definitions/matrix6\"}, "
                               "{\"type\": \"array\", \"minItems\": 6, \"maxItems\": 6, "
                               "\"items\": {\"$ref\": \"#/definitions/number\"}}]}";
  text_printf(
      t,
      "    \"section_object\": {\"type\": \"object\", \"oneOf\": [\n      "
      "{\"required\": [\"stiffness\", \"inertia\"], %s\"stiffness\": %s, "
      "\"inertia\": %s, \"points\": {\"type\": \"object\", %s\"additionalProperties\": {\"type\": "
      "\"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"type\": \"array\", "
      "\"minItems\": 6, \"maxItems\": 6, \"items\": {\"$ref\": \"#/definitions/number\"}}}}}}",
      comments, matrix, matrix, names);
  for (int i = 1; i < TORSOR_SHAPES; ++i) {
    const section_shape *shape = &section_shapes[i];
    text_append(t, ",\n      {\"required\": [\"shape\", \"E\", \"density\"");
    for (int k = 0; shape->size[k]; ++k) text_printf(t, ", \"%s\"", shape->size[k]);
    text_printf(t, "], %s\"shape\": {\"const\": \"%s\"}", comments, shape->name);
    for (int k = 0; shape->size[k]; ++k)
      text_printf(t, ", \"%s\": {\"$ref\": \"#/definitions/positive\"}", shape->size[k]);
    text_append(t, ", \"E\": {\"$ref\": \"#/definitions/positive\"}, "
                   "\"G\": {\"$ref\": \"#/definitions/positive\"}, "
                   "\"nu\": {\"$ref\": \"#/definitions/number\"}, "
                   "\"density\": {\"$ref\": \"#/definitions/positive\"}, "
                   "\"torsion_constant\": {\"$ref\": \"#/definitions/positive\"}, ");
    text_printf(t,
                "\"points\": {\"type\": \"object\", %s\"additionalProperties\": {\"type\": "
                "\"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"$ref\": "
                "\"#/definitions/number\"}}}, ",
                names);
    text_append(t, "\"shear_coefficients\": {\"type\": \"array\", \"minItems\": 2, "
                   "\"maxItems\": 2, \"items\": {\"$ref\": \"#/definitions/number\"}}}}");
  }
  text_append(t, "]},\n");
}

/* Solids: "size" is three numbers, as are "from" and "to", which replace "length" and the frame. */
static void append_shapes(text *t) {
  static const char place[] = "\"position\": {\"$ref\": \"#/definitions/vector\"}, "
                              "\"orientation\": {\"$ref\": \"#/definitions/orientation\"}";
  text_append(t, "    \"solid\": {\"type\": \"object\", \"oneOf\": [");
  for (int i = 0; i < SHAPE_KINDS; ++i) {
    const shape_kind *kind = &shape_kinds[i];
    text_printf(t,
                "%s\n      {\"required\": [\"type\", \"%s\"], \"additionalProperties\": false, "
                "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
                "\"type\": {\"const\": \"%s\"}, %s, "
                "\"color\": {\"type\": \"string\", \"pattern\": \"^#[0-9A-Fa-f]{6}$\"}",
                i ? "," : "", kind->key[0], kind->name, place);
    for (int k = 0; kind->key[k]; ++k) {
      const bool vector = strchr("sft", kind->key[k][0]) && strcmp(kind->key[k], "tube");
      text_printf(t, ", \"%s\": {\"$ref\": \"#/definitions/%s\"}", kind->key[k],
                  vector ? "vector" : "positive");
    }
    text_append(t, "}");
    if (kind->key[1])
      text_printf(t,
                  kind->key[2] ? ", \"oneOf\": [{\"required\": [\"length\"]}, {\"required\": "
                                 "[\"from\", \"to\"]}]"
                               : ", \"allOf\": [{\"required\": [\"%s\"]}]",
                  kind->key[1]);
    text_append(t, "}");
  }
  text_append(t, "]},\n    \"shape\": {\"description\": \"what it looks like, in its frame\", "
                 "\"anyOf\": [{\"$ref\": \"#/definitions/solid\"}, {\"type\": \"array\", "
                 "\"items\": {\"$ref\": \"#/definitions/solid\"}}]},\n");
}

static void append_definitions(text *t, const torsor_registry *registry) {
  text_append(t, "  \"definitions\": {\n");
  for (int i = 0; schema_definitions[i]; ++i) text_printf(t, "    %s,\n", schema_definitions[i]);
  append_section(t);
  append_shapes(t);
  for (int kind = 0; kind < 3; ++kind) {
    append_kind(t, registry, (torsor_kind)kind);
    text_append(t, ",\n");
  }
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    if (i) text_append(t, ",\n");
    append_type(t, torsor_registry_at(registry, i));
  }
  text_append(t, "\n  }\n");
}

static void append_simulation(text *t) {
  text_append(t, "    \"simulation\": {\n      \"type\": \"object\",\n"
                 "      \"required\": [\"duration\"],\n"
                 "      \"additionalProperties\": false,\n"
                 "      \"patternProperties\": {\"^_\": {}},\n      \"properties\": {\n"
                 "        \"comment\": {},\n        \"method\": {\"enum\": [");
  for (int i = 0; torsor_method_name(i); ++i) {
    if (i) text_append(t, ", ");
    text_json_string(t, torsor_method_name(i));
  }
  text_append(t, "]},\n");
  text_append(t, simulation_members);
}

static void append_output(text *t) {
  text_append(
      t, "    \"output\": {\n      \"type\": \"object\",\n"
         "      \"additionalProperties\": false,\n"
         "      \"patternProperties\": {\"^_\": {}},\n      \"properties\": {\n"
         "        \"comment\": {},\n"
         "        \"interpolate\": {\"type\": \"boolean\", \"default\": false},\n"
         "        \"every\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
         "\"default\": 1, \"description\": \"steps between output times\"},\n"
         "        \"step\": {\"allOf\": [{\"$ref\": \"#/definitions/positive\"}], "
         "\"description\": \"time between output times, in place of every [s]\"},\n"
         "        \"signals\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
         "        \"statistics\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
         "        \"units\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
         "        \"checkpoint\": {\"allOf\": [{\"$ref\": \"#/definitions/nonnegative\"}], "
         "\"default\": 60, \"description\": \"wall time between checkpoints, 0 for none [s]\"},\n"
         "        \"sync\": {\"allOf\": [{\"$ref\": \"#/definitions/number\"}], \"default\": 1, "
         "\"description\": \"no row stays out of the files for longer [s]\"},\n"
         "        \"full\": {\"description\": \"full states into state.nc\", \"default\": "
         "false, \"anyOf\": [{\"type\": \"boolean\"}, {\n          \"type\": \"object\", "
         "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}},\n"
         "          \"properties\": {\"comment\": {},\n"
         "            \"every\": {\"allOf\": [{\"$ref\": \"#/definitions/positive_integer\"}], "
         "\"default\": 1, \"description\": \"rows of output between full states\"},\n"
         "            \"channels\": {\"type\": \"array\", \"minItems\": 1, \"items\": "
         "{\"enum\": [");
  for (int f = 0; f < TORSOR_FIELDS; ++f)
    text_printf(t, "%s\"%s\"", f ? ", " : "", torsor_field_name((torsor_field)f));
  text_append(t, "]}}}}]}\n      }\n    }\n  },\n");
}

static const char signals_object[] =
    "    \"signals\": {\"type\": \"object\", \"properties\": {\"comment\": {}}, "
    "\"patternProperties\": {\"^(?!comment$)[A-Za-z][A-Za-z0-9_]*$\": {\"anyOf\": "
    "[{\"$ref\": \"#/definitions/number\"}, {\"type\": \"object\", \"required\": "
    "[\"value\"], \"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, "
    "\"properties\": {\"comment\": {}, \"value\": {\"$ref\": \"#/definitions/number\"}, "
    "\"unit\": {\"type\": \"string\"}}}]}, \"^_\": {}}, \"additionalProperties\": false},\n";

torsor_status torsor_schema_text(char **out, const torsor_registry *registry, torsor_error *error) {
  text t = {0};
  text_append(
      &t,
      "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
      "  \"title\": \"Torsor scene\",\n  \"type\": \"object\",\n"
      "  \"required\": [\"torsor\"],\n  \"additionalProperties\": false,\n"
      "  \"patternProperties\": {\"^_\": {}},\n  \"properties\": {\n"
      "    \"$schema\": {\"type\": \"string\"},\n    \"comment\": {},\n"
      "    \"torsor\": {\"const\": 1, \"description\": \"version of the format\"},\n"
      "    \"title\": {\"type\": \"string\"},\n"
      "    \"parameters\": {\"type\": \"object\", \"properties\": {\"comment\": {}}, "
      "\"patternProperties\": {\"^(?!comment$)[A-Za-z][A-Za-z0-9_]*$\": "
      "{\"$ref\": \"#/definitions/number\"}, \"^_\": {}}, \"additionalProperties\": false},\n"
      "    \"inputs\": {\"type\": \"object\", \"properties\": {\"comment\": {}}, "
      "\"patternProperties\": {\"^(?!comment$)[A-Za-z][A-Za-z0-9_]*$\": {\"anyOf\": "
      "[{\"$ref\": \"#/definitions/number\"}, {\"type\": \"object\", "
      "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
      "{\"comment\": {}, \"value\": {\"$ref\": \"#/definitions/number\"}, "
      "\"min\": {\"$ref\": \"#/definitions/number\"}, \"max\": {\"$ref\": "
      "\"#/definitions/number\"}, "
      "\"unit\": {\"type\": \"string\"}, \"doc\": {\"type\": \"string\"}}}]}, \"^_\": {}}, "
      "\"additionalProperties\": false},\n"
      "    \"controllers\": {\"type\": \"array\", \"items\": {\"type\": \"object\", "
      "\"anyOf\": [{\"required\": [\"name\", \"callback\", \"period\"]}, {\"required\": "
      "[\"state\", \"rate\"]}, {\"required\": [\"name\", \"type\"]}], "
      "\"additionalProperties\": false, "
      "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
      "\"name\": {\"type\": \"string\"}, \"type\": {\"enum\": [\"callback\", \"state\", \"value\", "
      "\"transfer_function\", \"state_space\", \"sampled\", \"pid\", \"relay\", \"delay\", "
      "\"continuous_pid\", \"rate_limit\"], "
      "\"default\": "
      "\"callback\"}, \"callback\": {\"type\": \"string\"}, "
      "\"state\": {\"type\": \"string\"}, \"rate\": {\"$ref\": \"#/definitions/number\"}, "
      "\"value\": {\"$ref\": \"#/definitions/number\"}, "
      "\"initial\": {\"anyOf\": [{\"type\": \"boolean\"}, {\"$ref\": \"#/definitions/number\"}, "
      "{\"$ref\": \"#/definitions/numbers\"}]}, "
      "\"input\": {\"$ref\": \"#/definitions/number\"}, "
      "\"time\": {\"$ref\": \"#/definitions/number\"}, "
      "\"filter\": {\"$ref\": \"#/definitions/number\"}, "
      "\"tracking\": {\"$ref\": \"#/definitions/number\"}, "
      "\"rates\": {\"$ref\": \"#/definitions/numbers\"}, "
      "\"on\": {\"$ref\": \"#/definitions/number\"}, \"off\": {\"$ref\": "
      "\"#/definitions/number\"}, \"values\": {\"$ref\": \"#/definitions/numbers\"}, "
      "\"kp\": {\"$ref\": \"#/definitions/number\"}, \"ki\": {\"$ref\": "
      "\"#/definitions/number\"}, \"kd\": {\"$ref\": \"#/definitions/number\"}, "
      "\"limits\": {\"$ref\": \"#/definitions/numbers\"}, "
      "\"states\": {\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": "
      "[\"state\", \"next\"], \"additionalProperties\": false, \"patternProperties\": {\"^_\": "
      "{}}, "
      "\"properties\": {\"comment\": {}, \"state\": {\"type\": \"string\"}, "
      "\"next\": {\"$ref\": \"#/definitions/number\"}, "
      "\"initial\": {\"$ref\": \"#/definitions/number\"}}}}, "
      "\"numerator\": {\"$ref\": \"#/definitions/numbers\"}, "
      "\"denominator\": {\"$ref\": \"#/definitions/numbers\"}, "
      "\"inputs\": {\"$ref\": \"#/definitions/numbers\"}, "
      "\"A\": {\"$ref\": \"#/definitions/number_rows\"}, "
      "\"B\": {\"$ref\": \"#/definitions/number_rows\"}, "
      "\"C\": {\"$ref\": \"#/definitions/number_rows\"}, "
      "\"D\": {\"$ref\": \"#/definitions/number_rows\"}, "
      "\"period\": {\"$ref\": \"#/definitions/number\"}, "
      "\"offset\": {\"$ref\": \"#/definitions/number\"}, "
      "\"reads\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, "
      "\"writes\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}}}},\n"
      "    \"functions\": {\"type\": \"object\", \"patternProperties\": {\"^_\": {}}, "
      "\"properties\": {\"comment\": {}}, "
      "\"additionalProperties\": {\"$ref\": \"#/definitions/named_function\"}},\n"
      "    \"sections\": {\"type\": \"object\", \"patternProperties\": {\"^_\": {}}, "
      "\"properties\": {\"comment\": {}}, "
      "\"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/definitions/section_object\"}, "
      "{\"$ref\": \"#/definitions/section_rows\"}]}},\n"
      "    \"include\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
      "    \"gravity\": {\"allOf\": [{\"$ref\": \"#/definitions/vector\"}], "
      "\"default\": [0, 0, 0], \"description\": \"inertial axes [m/s^2]\"},\n"
      "    \"group\": {\"enum\": [\"R3xSO3\", \"SE3\"], \"default\": \"R3xSO3\"},\n"
      "    \"placement\": {\"enum\": [\"exact\", \"guess\"], \"default\": \"exact\"},\n"
      "    \"ground\": {\"type\": \"object\", \"additionalProperties\": false, "
      "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
      "\"shape\": {\"$ref\": \"#/definitions/shape\"}, "
      "\"markers\": {\"$ref\": \"#/definitions/named_markers\"}}},\n");
  text_append(&t, signals_object);
  text_append(&t, model_lists);
  text_append(
      &t,
      "    \"bodies\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/body\"}},\n"
      "    \"joints\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/joint\"}},\n"
      "    \"forces\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/force\"}},\n");
  text_append(&t, event_list);
  append_simulation(&t);
  text_append(&t, statics_object);
  text_append(&t, linear_object);
  text_append(&t, periodic_object);
  text_append(&t, sensitivity_list);
  append_output(&t);
  append_definitions(&t, registry);
  text_append(&t, "}\n");
  return text_finish(out, &t, error);
}
