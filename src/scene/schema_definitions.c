/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/schema_definitions.h"

#include <stddef.h>

/* Definitions that do not depend on the registry.  A number may be an expression, and so a
 * string. */
const char *const schema_definitions[] = {
    "\"number\": {\"type\": [\"number\", \"string\"]}",
    "\"positive\": {\"type\": [\"number\", \"string\"], \"exclusiveMinimum\": 0}",
    "\"nonnegative\": {\"type\": [\"number\", \"string\"], \"minimum\": 0}",
    "\"integer\": {\"type\": [\"integer\", \"string\"]}",
    "\"positive_integer\": {\"type\": [\"integer\", \"string\"], \"minimum\": 1}",
    "\"nonnegative_integer\": {\"type\": [\"integer\", \"string\"], \"minimum\": 0}",
    "\"boolean\": {\"type\": \"boolean\"}",
    "\"name\": {\"type\": \"string\", "
    "\"pattern\": \"^([A-Za-z0-9_-]|[$][{][^}]*[}])+$\"}",
    "\"vector\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}, "
    "\"minItems\": 3, \"maxItems\": 3}",
    "\"quadruple\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}, "
    "\"minItems\": 4, \"maxItems\": 4}",
    "\"matrix\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/vector\"}, "
    "\"minItems\": 3, \"maxItems\": 3}",
    "\"inertia\": {\"anyOf\": [{\"$ref\": \"#/definitions/vector\"}, "
    "{\"$ref\": \"#/definitions/matrix\"}, {\"type\": \"object\", "
    "\"required\": [\"moments\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"moments\": {\"$ref\": \"#/definitions/vector\"}, "
    "\"products\": {\"$ref\": \"#/definitions/vector\"}, "
    "\"products_are\": {\"enum\": [\"matrix_entries\", \"integrals\"]}, "
    "\"orientation\": {\"$ref\": \"#/definitions/orientation\"}, "
    "\"about\": {\"$ref\": \"#/definitions/vector\"}}, "
    "\"dependencies\": {\"products\": [\"products_are\"], "
    "\"products_are\": [\"products\"]}}]}",
    "\"model\": {\"type\": \"object\", \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"title\": {\"type\": \"string\"}, \"parameters\": {\"type\": \"object\"}, "
    "\"bodies\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/body\"}}, "
    "\"joints\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/joint\"}}, "
    "\"forces\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/force\"}}, "
    "\"assemblies\": {\"type\": \"array\", \"items\": "
    "{\"$ref\": \"#/definitions/assembly\"}}}}",
    "\"assembly\": {\"type\": \"object\", \"required\": [\"name\", \"model\"], "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
    "{\"comment\": {}, \"name\": {\"$ref\": \"#/definitions/name\"}, "
    "\"model\": {\"type\": \"string\"}, \"parameters\": {\"type\": \"object\"}, "
    "\"with\": {\"type\": \"object\", \"description\": "
    "\"names in the model for elements outside\"}, \"in\": {\"type\": \"string\"}, "
    "\"position\": {\"$ref\": \"#/definitions/vector\"}, "
    "\"orientation\": {\"$ref\": \"#/definitions/orientation\"}, "
    "\"repeat\": {\"$ref\": \"#/definitions/nonnegative_integer\"}, "
    "\"index\": {\"type\": \"string\", \"default\": \"i\"}}}",
    "\"named_markers\": {\"type\": \"object\", \"properties\": {\"comment\": {}}, "
    "\"patternProperties\": {\"^(?!comment$)[A-Za-z][A-Za-z0-9_]*$\": {\"type\": \"object\", "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
    "{\"comment\": {}, \"position\": {\"$ref\": \"#/definitions/vector\"}, "
    "\"orientation\": {\"$ref\": \"#/definitions/orientation\"}}}, \"^_\": {}}, "
    "\"additionalProperties\": false}",
    "\"orientation\": {\"type\": \"object\", \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"matrix\": {\"$ref\": \"#/definitions/matrix\"}, "
    "\"quaternion\": {\"$ref\": \"#/definitions/quadruple\"}, "
    "\"rotation_vector\": {\"$ref\": \"#/definitions/vector\"}, "
    "\"euler\": {\"enum\": [\"xyx\", \"xyz\", \"xzx\", \"xzy\", \"yxy\", \"yxz\", \"yzx\", "
    "\"yzy\", \"zxy\", \"zxz\", \"zyx\", \"zyz\"]}, "
    "\"angles\": {\"$ref\": \"#/definitions/vector\"}}, "
    "\"oneOf\": [{\"required\": [\"matrix\"]}, {\"required\": [\"quaternion\"]}, "
    "{\"required\": [\"rotation_vector\"]}, {\"required\": [\"euler\"]}], "
    "\"dependencies\": {\"euler\": [\"angles\"], \"angles\": [\"euler\"]}}",
    "\"angular_velocity\": {\"anyOf\": [{\"$ref\": \"#/definitions/vector\"}, "
    "{\"type\": \"object\", \"required\": [\"in\", \"value\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"in\": {\"enum\": [\"body\", \"inertial\"]}, "
    "\"value\": {\"$ref\": \"#/definitions/vector\"}}}]}",
    "\"function\": {\"anyOf\": [{\"$ref\": \"#/definitions/callback_object\"}, "
    "{\"type\": [\"number\", \"string\"]}, {\"type\": \"object\", "
    "\"required\": [\"value\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"value\": {\"$ref\": \"#/definitions/number\"}, "
    "\"rate\": {\"$ref\": \"#/definitions/number\"}, "
    "\"second\": {\"$ref\": \"#/definitions/number\"}}, "
    "\"dependencies\": {\"second\": [\"rate\"]}}, {\"type\": \"object\", "
    "\"required\": [\"table\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"table\": {\"$ref\": \"#/definitions/rows\"}, "
    "\"columns\": {\"$ref\": \"#/definitions/texts\"}, "
    "\"units\": {\"$ref\": \"#/definitions/texts\"}, "
    "\"interpolation\": {\"enum\": [\"cubic\", \"linear\", \"akima\", \"monotone\"], "
    "\"default\": \"cubic\"}}}]}",
    "\"number_rows\": {\"type\": \"array\", \"minItems\": 1, "
    "\"items\": {\"$ref\": \"#/definitions/numbers\"}}",
    "\"texts\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 3, "
    "\"items\": {\"type\": \"string\"}}",
    "\"rows\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 2, "
    "\"items\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}, "
    "\"minItems\": 2, \"maxItems\": 3}}]}",
    "\"named_function\": {\"anyOf\": [{\"$ref\": \"#/definitions/function\"}, "
    "{\"type\": \"object\", \"required\": [\"arguments\", \"value\"], "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
    "{\"comment\": {}, \"arguments\": {\"type\": \"array\", \"minItems\": 1, "
    "\"items\": {\"type\": \"string\"}}, "
    "\"value\": {\"$ref\": \"#/definitions/number\"}}}]}",
    "\"callback\": {\"type\": \"string\"}",
    "\"file_name\": {\"type\": \"string\"}",
    "\"mesh\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
    "{\"comment\": {}, \"file\": {\"type\": \"string\"}, \"set\": {\"type\": \"string\"}, "
    "\"unit\": {\"type\": \"number\"}, \"nodes\": {\"type\": \"array\"}, \"elements\": {\"type\": "
    "\"array\"}, \"node_sets\": {\"type\": \"object\"}, \"element_sets\": {\"type\": "
    "\"object\"}}}]}",
    "\"callback_object\": {\"type\": \"object\", \"required\": [\"callback\"], "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, "
    "\"properties\": {\"comment\": {}, \"callback\": {\"type\": \"string\"}}}",
    "\"characteristic\": {\"anyOf\": [{\"$ref\": \"#/definitions/callback_object\"}, "
    "{\"type\": \"string\"}, {\"type\": \"object\", "
    "\"required\": [\"value\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"value\": {\"$ref\": \"#/definitions/number\"}, "
    "\"slope\": {\"$ref\": \"#/definitions/number\"}, "
    "\"integral\": {\"$ref\": \"#/definitions/number\"}}}, {\"type\": \"object\", "
    "\"required\": [\"table\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"table\": {\"$ref\": \"#/definitions/rows\"}, "
    "\"columns\": {\"$ref\": \"#/definitions/texts\"}, "
    "\"units\": {\"$ref\": \"#/definitions/texts\"}, "
    "\"interpolation\": {\"enum\": [\"cubic\", \"linear\", \"akima\", \"monotone\"], "
    "\"default\": \"monotone\"}}}]}",
    "\"curve\": {\"type\": \"object\", \"required\": [\"points\"], "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
    "{\"comment\": {}, \"points\": {\"type\": \"array\", \"minItems\": 4, \"items\": "
    "{\"$ref\": \"#/definitions/vector\"}}, \"closed\": {\"type\": \"boolean\", "
    "\"default\": false}}}",
    "\"control\": {\"$ref\": \"#/definitions/function\"}",
    "\"matrix6\": {\"type\": \"array\", \"minItems\": 6, \"maxItems\": 6, \"items\": "
    "{\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}, "
    "\"minItems\": 6, \"maxItems\": 6}}",
    "\"coordinate\": {\"type\": \"string\"}",
    "\"chain\": {\"type\": \"string\"}",
    "\"layers\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"object\", "
    "\"required\": [\"thickness\", \"density\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, \"thickness\": "
    "{\"$ref\": \"#/definitions/number\"}, \"angle\": {\"$ref\": \"#/definitions/number\"}, "
    "\"density\": {\"$ref\": \"#/definitions/number\"}, \"E\": {\"$ref\": "
    "\"#/definitions/number\"}, \"nu\": {\"$ref\": \"#/definitions/number\"}, \"E1\": {\"$ref\": "
    "\"#/definitions/number\"}, \"E2\": {\"$ref\": \"#/definitions/number\"}, \"nu12\": {\"$ref\": "
    "\"#/definitions/number\"}, \"G12\": {\"$ref\": \"#/definitions/number\"}, \"G13\": {\"$ref\": "
    "\"#/definitions/number\"}, \"G23\": {\"$ref\": \"#/definitions/number\"}}}}",
    "\"path\": {\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"object\", "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
    "{\"comment\": {}, \"end\": {\"$ref\": \"#/definitions/marker\"}, \"sheave\": {\"$ref\": "
    "\"#/definitions/marker\"}, \"drum\": {\"$ref\": \"#/definitions/marker\"}, \"axis\": "
    "{\"$ref\": \"#/definitions/vector\"}, \"radius\": {\"$ref\": \"#/definitions/positive\"}, "
    "\"sense\": {\"enum\": [1, -1]}, \"friction\": {\"$ref\": "
    "\"#/definitions/nonnegative\"}, \"bending\": {\"$ref\": \"#/definitions/nonnegative\"}, "
    "\"turns\": {\"$ref\": \"#/definitions/nonnegative_integer\"}}}}",
    "\"bodies\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"string\"}}",
    "\"names\": {\"type\": \"array\", \"minItems\": 1, \"uniqueItems\": true, \"items\": "
    "{\"type\": "
    "\"string\", \"pattern\": \"^[^ .@\\\\[\\\\]]{1,39}$\"}}",
    "\"any_matrix\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, "
    "\"items\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": "
    "\"#/definitions/number\"}}}]}",
    "\"frames\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"anyOf\": [{\"$ref\": "
    "\"#/definitions/vector\"}, {\"type\": \"object\", \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, \"position\": "
    "{\"$ref\": "
    "\"#/definitions/vector\"}, \"orientation\": {\"$ref\": \"#/definitions/orientation\"}}}]}}",
    "\"profile\": {\"anyOf\": [{\"type\": [\"number\", \"string\"]}, {\"type\": \"object\", "
    "\"required\": [\"table\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"table\": {\"$ref\": \"#/definitions/rows\"}, "
    "\"columns\": {\"$ref\": \"#/definitions/texts\"}, "
    "\"units\": {\"$ref\": \"#/definitions/texts\"}, "
    "\"interpolation\": {\"enum\": [\"cubic\", \"linear\", \"akima\", \"monotone\"], "
    "\"default\": \"linear\"}}}]}",
    "\"names\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}",
    "\"deeds\": {\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"on\": {\"$ref\": \"#/definitions/names\"}, \"off\": {\"$ref\": \"#/definitions/names\"}, "
    "\"set\": {\"type\": \"object\", \"additionalProperties\": "
    "{\"$ref\": \"#/definitions/number\"}}, \"reset\": {\"type\": \"object\", "
    "\"additionalProperties\": {\"$ref\": \"#/definitions/number\"}}, \"lock\": {\"$ref\": "
    "\"#/definitions/names\"}, "
    "\"release\": {\"$ref\": \"#/definitions/names\"}, \"weld\": {\"type\": \"array\", "
    "\"items\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", \"required\": "
    "[\"name\", \"a\", \"b\"], \"additionalProperties\": false, \"patternProperties\": "
    "{\"^_\": {}}, \"properties\": {\"comment\": {}, \"name\": {\"$ref\": "
    "\"#/definitions/name\"}, \"a\": {\"$ref\": \"#/definitions/marker\"}, \"b\": {\"$ref\": "
    "\"#/definitions/marker\"}, \"keeps\": {\"enum\": [\"pose\", \"rotation\", "
    "\"position\"]}}}]}}}}",
    "\"numbers\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/number\"}}",
    "\"section\": {\"anyOf\": [{\"type\": \"string\"}, "
    "{\"$ref\": \"#/definitions/section_object\"}]}",
    "\"section_rows\": {\"type\": \"object\", \"required\": [\"table\"], "
    "\"additionalProperties\": false, \"patternProperties\": {\"^_\": {}}, \"properties\": "
    "{\"comment\": {}, \"table\": {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": "
    "\"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": [{\"$ref\": "
    "\"#/definitions/number\"}, {\"$ref\": \"#/definitions/section\"}]}}}}",
    "\"section_table\": {\"anyOf\": [{\"$ref\": \"#/definitions/section\"}, "
    "{\"$ref\": \"#/definitions/section_rows\"}]}",
    "\"group\": {\"enum\": [\"R3xSO3\", \"SE3\", \"SO3\"]}",
    "\"marker\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"object\", "
    "\"required\": [\"body\"], \"additionalProperties\": false, "
    "\"patternProperties\": {\"^_\": {}}, \"properties\": {\"comment\": {}, "
    "\"body\": {\"type\": \"string\"}, \"position\": {\"$ref\": \"#/definitions/vector\"}, "
    "\"orientation\": {\"anyOf\": [{\"$ref\": \"#/definitions/orientation\"}, "
    "{\"enum\": [\"fit\"]}]}}}]}",
    NULL,
};
