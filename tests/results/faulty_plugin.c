/* SPDX-License-Identifier: GPL-3.0-or-later */
/** A plug-in with a force that returns whatever status it is asked for, and says nothing of it. */
#include <torsor/force.h>

typedef struct faulty {
  torsor_pair pair;
  double prepared, evaluated; /* statuses */
} faulty;

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  (void)in;
  (void)out;
  return (torsor_status)((const faulty *)self)->evaluated;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  faulty *data = self;
  const torsor_status status = torsor_pair_prepare(&data->pair, setup, law, false, error);
  return status ? status : (torsor_status)data->prepared;
}

static const torsor_param params[] = {
    TORSOR_PAIR_PARAMS(faulty, 0),
    {"prepared", TORSOR_PARAM_NUMBER, offsetof(faulty, prepared), NULL, "0", "of prepare", NULL, 0},
    {"evaluated", TORSOR_PARAM_NUMBER, offsetof(faulty, evaluated), NULL, "0", "of eval", NULL, 0},
    {0}};

static const torsor_element_type force_faulty = {TORSOR_PAIR_TABLE(faulty), .name = "faulty",
                                                 .title = "a force that fails", .doc = "",
                                                 .example = "{}"};

TORSOR_PLUGIN_TYPES(&force_faulty);
