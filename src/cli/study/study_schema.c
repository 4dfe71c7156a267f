/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/study.h"
#include "cli/study/study_read.h"

/* Where a number may be an expression, as in a scene. */
#define NUMBER   "{\"$ref\": \"#/definitions/number\"}"
#define POSITIVE "{\"type\": \"number\", \"exclusiveMinimum\": 0}"
#define WORDS    "{\"type\": \"string\"}"
#define PAIR     "{\"type\": \"array\", \"items\": " NUMBER ", \"minItems\": 2, \"maxItems\": 2}"

static const char head[] = "{\n"
                           "  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                           "  \"title\": \"A Torsor study\",\n"
                           "  \"type\": \"object\",\n"
                           "  \"required\": [\"torsor_study\", \"scene\", \"vary\"],\n"
                           "  \"additionalProperties\": false,\n"
                           "  \"patternProperties\": {\"^(_|comment$)\": true},\n"
                           "  \"properties\": {\n"
                           "    \"torsor_study\": {\"const\": 1},\n"
                           "    \"$schema\": " WORDS ",\n"
                           "    \"title\": " WORDS ",\n"
                           "    \"scene\": {\"type\": \"string\", \"minLength\": 1},\n"
                           "    \"set\": {\"type\": \"object\"},\n";

static const char search[] =
    "    \"data\": {\"type\": \"object\", \"required\": [\"file\", \"signals\"], "
    "\"additionalProperties\": false, \"properties\": {\n"
    "      \"file\": " WORDS ", \"signals\": {\"type\": \"object\", \"minProperties\": 1, "
    "\"additionalProperties\": {\"type\": \"object\",\n"
    "        \"additionalProperties\": false, \"properties\": {\"sigma\": " POSITIVE
    ", \"column\": " WORDS "}}}}},\n"
    "    \"minimise\": " WORDS ",\n"
    "    \"subject_to\": {\"type\": \"array\", \"items\": " WORDS "},\n"
    "    \"fit\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\n"
    "      \"gradient\": {\"enum\": [\"exact\", \"central\", \"forward\"]}, \"noise\": " POSITIVE
    ", \"tolerance\": " POSITIVE ",\n"
    "      \"max_runs\": {\"type\": \"integer\", \"minimum\": 1}, \"starts\": {\"type\": "
    "\"integer\", \"minimum\": 1}, \"seed\": {\"type\": \"integer\", \"minimum\": 0},\n"
    "      \"method\": {\"enum\": [";

static const char rules[] =
    "]}}}\n  },\n"
    "  \"anyOf\": [{\"required\": [\"outputs\"]}, {\"required\": [\"data\"]}],\n"
    "  \"not\": {\"required\": [\"data\", \"minimise\"]},\n"
    "  \"dependencies\": {\"subject_to\": [\"minimise\"],\n"
    "    \"fit\": {\"anyOf\": [{\"required\": [\"data\"]}, {\"required\": [\"minimise\"]}]}},\n"
    "  \"definitions\": {\n"
    "    \"name\": {\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]*$\"},\n"
    "    \"number\": {\"type\": [\"number\", \"string\"]},\n";

static const char definitions[] =
    "    \"correlation\": {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": [" WORDS
    ", " WORDS ", " NUMBER "], \"minItems\": 3, \"maxItems\": 3}},\n"
    "    \"limits\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\n"
    "      \"cpu\": " POSITIVE ", \"wall\": " POSITIVE ", \"memory\": " POSITIVE "}},\n"
    "    \"allow_failed\": {\"type\": \"number\", \"minimum\": 0},\n"
    "    \"keep\": {\"oneOf\": [{\"enum\": [\"rows\", \"failed\", \"all\"]}, {\"type\": "
    "\"array\", \"items\": {\"type\": \"integer\", \"minimum\": 0}}]},\n"
    "    \"reuse\": {\"enum\": [\"auto\", \"never\"]},\n"
    "    \"plots\": {\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"x\", "
    "\"y\"], \"additionalProperties\": false, \"properties\": {\n"
    "      \"x\": " WORDS ", \"by\": " WORDS ", \"y\": {\"type\": \"array\", \"items\": " WORDS
    ", \"minItems\": 1}}}}\n";

static const char variable[] =
    "    \"variable\": {\"type\": \"object\", \"additionalProperties\": false,\n"
    "      \"patternProperties\": {\"^(_|comment$)\": true}, \"properties\": {\n"
    "      \"path\": {\"oneOf\": [" WORDS ", {\"type\": \"array\", \"items\": " WORDS
    ", \"minItems\": 1}]},\n"
    "      \"input\": " WORDS ", \"unit\": " WORDS ", \"doc\": " WORDS ",\n"
    "      \"from\": " NUMBER ", \"to\": " NUMBER
    ", \"count\": {\"type\": \"integer\", \"minimum\": 1},\n"
    "      \"values\": {\"type\": \"array\", \"items\": " NUMBER ", \"minItems\": 1},\n"
    "      \"scale\": {\"oneOf\": [{\"enum\": [\"linear\", \"log\"]}, " POSITIVE "]},\n"
    "      \"nominal\": " NUMBER ", \"start\": " NUMBER ",\n"
    "      \"distribution\": {\"$ref\": \"#/definitions/distribution\"}},\n"
    "      \"oneOf\": [{\"required\": [\"path\"]}, {\"required\": [\"input\"]}],\n"
    "      \"not\": {\"anyOf\": [{\"required\": [\"values\", \"count\"]}, {\"required\": "
    "[\"values\", \"distribution\"]}, {\"required\": [\"count\", \"distribution\"]}]}},\n";

static const char options[] =
    "      \"from\": " NUMBER ", \"to\": " NUMBER ", \"at\": " NUMBER ", \"band\": " PAIR ",\n"
    "      \"within\": " POSITIVE ", \"which\": {\"oneOf\": [{\"enum\": [\"first\", \"last\"]}, "
    "{\"type\": \"integer\", \"minimum\": 1}]},\n"
    "      \"direction\": {\"enum\": [\"both\", \"rising\", \"falling\"]}, \"peak\": {\"enum\": "
    "[\"rows\", \"parabola\"]}";

/* The texts of a list with commas between them, each in quotes. */
static void add_words(text *t, const char *const *word, int from, int to) {
  for (int i = from; i < to; ++i) {
    text_append(t, i > from ? ", " : "");
    text_json_string(t, word[i]);
  }
}

static void add_design(text *t) {
  text_append(t, "    \"design\": {\"type\": \"object\", \"required\": [\"kind\"], "
                 "\"additionalProperties\": false, \"properties\": {\n"
                 "      \"kind\": {\"enum\": [");
  add_words(t, study_kinds, 0, DESIGN_KINDS);
  text_append(t, "]},\n      \"samples\": {\"type\": \"integer\", \"minimum\": 1}, \"seed\": "
                 "{\"type\": \"integer\", \"minimum\": 0},\n"
                 "      \"replicates\": {\"type\": \"integer\", \"minimum\": 1}, \"levels\": "
                 "{\"type\": \"integer\", \"minimum\": 4, \"multipleOf\": 2},\n"
                 "      \"order\": {\"enum\": [\"plain\", \"shuffle\"]},\n"
                 "      \"points\": {\"oneOf\": [" WORDS
                 ", {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", "
                 "\"items\": " NUMBER "}}]}},\n      \"allOf\": [\n"
                 "        {\"if\": {\"properties\": {\"kind\": {\"const\": \"list\"}}}, \"then\": "
                 "{\"required\": [\"points\"]}, \"else\": {\"not\": {\"required\": "
                 "[\"points\"]}}},\n        {\"if\": {\"properties\": {\"kind\": {\"enum\": [");
  add_words(t, study_kinds, DESIGN_MONTE_CARLO, DESIGN_KINDS);
  text_append(t, "]}}}, \"then\": {\"required\": [\"samples\"]}, \"else\": {\"not\": "
                 "{\"required\": [\"samples\"]}}}]},\n");
}

static void add_law(text *t, const study_law_words *law) {
  int count = 0;
  while (law->parameter[count]) ++count;
  text_printf(t, "      \"%s\": ", law->name);
  if (!count) {
    text_append(t, "{\"type\": \"object\", \"required\": [\"values\"], \"additionalProperties\": "
                   "false, \"properties\": {\"values\": {\"type\": \"array\", \"minItems\": 1, "
                   "\"items\": " NUMBER "}, \"weights\": {\"type\": \"array\", \"items\": " NUMBER
                   "}}},\n");
    return;
  }
  if (law->list) {
    text_printf(
        t, "{\"type\": \"array\", \"items\": " NUMBER ", \"minItems\": %d, \"maxItems\": %d},\n",
        count, count);
    return;
  }
  text_append(t, "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [");
  add_words(t, law->parameter, 0, count);
  text_append(t, "], \"properties\": {");
  for (int i = 0; i < count; ++i)
    text_printf(t, "%s\"%s\": " NUMBER, i ? ", " : "", law->parameter[i]);
  text_append(t, "}},\n");
}

static void add_distribution(text *t) {
  text_append(t, "    \"distribution\": {\"type\": \"object\", \"additionalProperties\": false, "
                 "\"properties\": {\n");
  for (int i = LAW_NONE + 1; i <= LAW_DISCRETE; ++i) add_law(t, &study_laws[i]);
  text_append(t, "      \"within\": " PAIR "},\n      \"oneOf\": [");
  for (int i = LAW_NONE + 1; i <= LAW_DISCRETE; ++i)
    text_printf(t, "%s{\"required\": [\"%s\"]}", i > 1 ? ", " : "", study_laws[i].name);
  text_append(t, "]},\n");
}

static void add_output(text *t) {
  text_append(t, "    \"output\": {\"type\": \"object\", \"additionalProperties\": false,\n"
                 "      \"patternProperties\": {\"^(_|comment$)\": true}, \"properties\": {\n"
                 "      ");
  for (int i = 0; i < REDUCTIONS; ++i)
    text_printf(t, "\"%s\": %s, ", study_reductions[i],
                i == REDUCE_FREQUENCY || i == REDUCE_DAMPING
                    ? "{\"type\": \"integer\", \"minimum\": 1}"
                    : WORDS);
  text_append(t, "\n      \"unit\": " WORDS ", \"doc\": " WORDS ",\n");
  text_append(t, options);
  text_append(t, "},\n      \"oneOf\": [");
  for (int i = 0; i < REDUCTIONS; ++i) {
    const char *more = i == REDUCE_VALUE ? ", \"at\"" : i == REDUCE_SETTLE ? ", \"within\"" : "";
    text_printf(t, "%s{\"required\": [\"%s\"%s]}", i ? ", " : "", study_reductions[i], more);
  }
  text_append(t, "]}\n  }\n}\n");
}

torsor_status study_schema_text(char **out, torsor_error *error) {
  text t = {0};
  text_append(&t, head);
  text_append(&t, "    \"vary\": {\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": "
                  "{\"$ref\": \"#/definitions/name\"}, \"additionalProperties\": {\"$ref\": "
                  "\"#/definitions/variable\"}},\n");
  text_append(&t, "    \"outputs\": {\"type\": \"object\", \"minProperties\": 1, "
                  "\"propertyNames\": {\"$ref\": \"#/definitions/name\"}, "
                  "\"additionalProperties\": {\"$ref\": \"#/definitions/output\"}},\n");
  add_design(&t);
  text_append(&t, definitions);
  text_append(&t, ",\n");
  text_append(&t, "    \"analysis\": {\"enum\": [");
  add_words(&t, study_analyses, 0, STUDY_ANALYSES);
  text_append(&t, "]},\n");
  text_append(&t, search);
  add_words(&t, study_methods, 0, METHODS);
  text_append(&t, rules);
  text_append(&t, variable);
  add_distribution(&t);
  add_output(&t);
  return text_finish(out, &t, error);
}
