/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* More steps than this are taken for a mistake: they would take years. */
#define MOST_STEPS 1e12

static const char *const solvers[] = {"block", "klu", "umfpack"};

/* ---- single values --------------------------------------------------------------------------- */

static torsor_status read_method(const char **out, const reader *r, const json_node *node) {
  enum { METHODS = 64 };
  const char *names[METHODS];
  int count = 0, chosen = 0;
  while (count < METHODS && torsor_method_name(count)) {
    names[count] = torsor_method_name(count);
    ++count;
  }
  if (!node->item) return TORSOR_OK;
  const torsor_status status = reader_word(&chosen, r, node, names, count);
  if (!status) *out = names[chosen];
  return status;
}

/* A key that would be without effect is a mistake. */
static torsor_status check_known(const char *method, const reader *r, const json_node *node) {
  static const char *const special[] = {"formulation",
                                        "start",
                                        "multipliers",
                                        "correction_metric",
                                        "mass_alpha",
                                        "additive",
                                        "step_correction",
                                        "reaction",
                                        "reaction_weight",
                                        "order",
                                        "atol",
                                        "rtol"};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i) {
    const json_node member = json_member(node, special[i]);
    if (member.item && !torsor_method_takes(method, special[i]))
      return reader_fail_key(r, &member, "leave it out, or choose another method",
                             "the method \"%s\" does not know \"%s\"", method, special[i]);
  }
  return TORSOR_OK;
}

/* Reads the options of methods with weighted means: mass_alpha, additive and step_correction. */
static torsor_status read_weighted(torsor_settings *out, const reader *r, const json_node *node) {
  static const char *const masses[] = {"carried", "evaluated"};
  const json_node mass = json_member(node, "mass_alpha");
  const json_node additive = json_member(node, "additive");
  const json_node correction = json_member(node, "step_correction");
  int chosen = 0;
  bool corrected = true;
  torsor_status status = TORSOR_OK;
  if (mass.item) status = reader_word(&chosen, r, &mass, masses, 2);
  if (additive.item && !status) status = reader_boolean(&out->additive, r, &additive);
  if (correction.item && !status) status = reader_boolean(&corrected, r, &correction);
  out->mass_alpha = chosen ? TORSOR_MASS_EVALUATED : TORSOR_MASS_CARRIED;
  out->uncorrected = !corrected;
  return status;
}

/* Reads the options of method S3: where the reaction is evaluated, and its weight. */
static torsor_status read_reaction(torsor_settings *out, const reader *r, const json_node *node) {
  static const char *const places[] = {"end", "explicit", "midpoint", "midpoint_explicit"};
  const json_node reaction = json_member(node, "reaction");
  const json_node weight = json_member(node, "reaction_weight");
  int chosen = 0;
  char shown[96];
  torsor_status status = TORSOR_OK;
  if (reaction.item) status = reader_word(&chosen, r, &reaction, places, 4);
  out->reaction = (torsor_reaction)chosen;
  if (!weight.item || status) return status;
  status = reader_number(&out->reaction_weight, r, &weight);
  if (!status && out->reaction_weight == 0.5)
    return reader_fail(r, &weight,
                       "choose another weight: with 1/2 the two reactions cannot be distinguished",
                       "must not be 1/2, but is %s", reader_show(weight.item, shown));
  return status;
}

static torsor_status read_words(torsor_simulation *out, const reader *r, const json_node *node) {
  static const char *const formulations[] = {"index3", "ggl"};
  static const char *const starts[] = {"perturbed", "plain", "damped"};
  static const torsor_start start_of[] = {TORSOR_START_PERTURBED, TORSOR_START_PLAIN,
                                          TORSOR_START_DAMPED};
  static const char *const multipliers[] = {"acceleration_level", "method"};
  static const char *const metrics[] = {"bodies", "plain"};
  const json_node formulation = json_member(node, "formulation");
  const json_node start = json_member(node, "start");
  const json_node shown = json_member(node, "multipliers");
  const json_node metric = json_member(node, "correction_metric");
  const json_node solver = json_member(node, "linear_solver");
  torsor_settings *settings = &out->settings;
  int chosen = 0;
  torsor_status status = TORSOR_OK;
  if (formulation.item) {
    status = reader_word(&chosen, r, &formulation, formulations, 2);
    settings->formulation = chosen ? TORSOR_GGL : TORSOR_INDEX3;
  }
  if (start.item && !status) {
    status = reader_word(&chosen, r, &start, starts, 3);
    settings->start = start_of[chosen];
  }
  if (shown.item && !status) {
    status = reader_word(&chosen, r, &shown, multipliers, 2);
    settings->multipliers = chosen ? TORSOR_MULTIPLIERS_METHOD : TORSOR_MULTIPLIERS_ACCELERATION;
  }
  if (metric.item && !status) {
    status = reader_word(&chosen, r, &metric, metrics, 2);
    settings->metric = chosen ? TORSOR_METRIC_PLAIN : TORSOR_METRIC_BODIES;
  }
  if (solver.item && !status) {
    status = reader_word(&chosen, r, &solver, solvers, 3);
    out->linear_solver = solvers[chosen];
  }
  return status;
}

static torsor_status read_order(torsor_settings *out, const reader *r, const json_node *node) {
  const json_node order = json_member(node, "order");
  if (!order.item) return TORSOR_OK;
  const torsor_status status = reader_integer(&out->order, r, &order, 1);
  if (status || out->order == 8 || out->order == 5) return status;
  return reader_fail(r, &order, "8 is the better one below errors of 1e-4, 5 above",
                     "must be 8 or 5, but is %d", out->order);
}

/* ---- parameters of the method ---------------------------------------------------------------- */

/* The numbers `keys` [count], all needed, of the object `node`. */
static torsor_status read_members(double *out, const reader *r, const json_node *node,
                                  const char *what, const char *const *keys, int count) {
  torsor_status status = reader_object(r, node, what, keys, count);
  for (int i = 0; i < count && !status; ++i) {
    const json_node member = json_member(node, keys[i]);
    status = reader_number(&out[i], r, &member);
  }
  return status;
}

static torsor_status read_rho(torsor_alpha *out, const reader *r, const json_node *node) {
  double rho;
  char shown[96];
  const torsor_status status = reader_number(&rho, r, node);
  if (status) return status;
  if (!(rho >= 0 && rho <= 1))
    return reader_fail(r, node, "0 damps high frequencies most, 1 not at all",
                       "must be between 0 and 1, but is %s", reader_show(node->item, shown));
  *out = torsor_alpha_chung_hulbert(rho);
  return TORSOR_OK;
}

static torsor_status read_hht(torsor_alpha *out, const reader *r, const json_node *node) {
  double alpha;
  char shown[96];
  const torsor_status status = reader_number(&alpha, r, node);
  if (status) return status;
  if (!(alpha >= -1.0 / 3 && alpha <= 0))
    return reader_fail(r, node, "-1/3 damps high frequencies most, 0 not at all",
                       "must be between -1/3 and 0, but is %s", reader_show(node->item, shown));
  *out = torsor_alpha_hht(alpha);
  return TORSOR_OK;
}

static torsor_status read_newmark(torsor_alpha *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"beta", "gamma"};
  double value[2] = {0};
  const torsor_status status = read_members(value, r, node, "newmark", keys, 2);
  *out = torsor_alpha_newmark(value[0], value[1]);
  return status;
}

static torsor_status read_free(torsor_alpha *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"alpha_m", "alpha_f", "beta", "gamma"};
  double value[4] = {0};
  const torsor_status status = read_members(value, r, node, "alpha", keys, 4);
  *out = (torsor_alpha){value[0], value[1], value[2], value[3]};
  return status;
}

/* Default of methods that have only HHT's parameter: moderate numerical damping. */
static const double USUAL_HHT = -0.1;

/* A key of parameters that the method does not have. */
static torsor_status refuse_form(const char *method, const reader *r, const json_node *value,
                                 const char *key) {
  return reader_fail_key(r, value,
                         torsor_method_takes(method, "hht") ? "give \"hht\" instead"
                                                            : "leave it out: it has no parameters",
                         "the method \"%s\" does not know \"%s\"", method, key);
}

/* Default of index-3 methods, which integrate multipliers instead of solving for them on the
 * acceleration level: numerical damping makes their transients decay, and affects the motion less
 * than in other methods. */
static const double INDEX3_RHO = 0.9;

/* One of rho_inf, hht, newmark, alpha, or none. */
static torsor_status read_alpha(torsor_alpha *out, const torsor_settings *settings, const reader *r,
                                const json_node *node) {
  const char *method = settings->method;
  static const struct {
    const char *key;
    torsor_status (*read)(torsor_alpha *, const reader *, const json_node *);
  } forms[] = {
      {"rho_inf", read_rho}, {"hht", read_hht}, {"newmark", read_newmark}, {"alpha", read_free}};
  const char *first = NULL;
  if (torsor_method_takes(method, "hht") && !torsor_method_takes(method, "rho_inf"))
    *out = torsor_alpha_hht(USUAL_HHT);
  else if (torsor_method_takes(method, "rho_inf") &&
           torsor_settings_chosen(settings).formulation != TORSOR_GGL)
    *out = torsor_alpha_chung_hulbert(INDEX3_RHO);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    const json_node value = json_member(node, forms[i].key);
    if (!value.item) continue;
    if (first)
      return reader_fail_key(r, &value, "give one of rho_inf, hht, newmark, alpha",
                             "\"%s\" and \"%s\" both set the parameters of the method", first,
                             forms[i].key);
    if (!torsor_method_takes(method, forms[i].key))
      return refuse_form(method, r, &value, forms[i].key);
    first = forms[i].key;
    const torsor_status status = forms[i].read(out, r, &value);
    if (status) return status;
  }
  return TORSOR_OK;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Number of time steps: duration/step to the nearest; -1 when it is not whole within rounding. */
static double whole_steps(double duration, double step) {
  const double ratio = duration / step, steps = nearbyint(ratio);
  /* Both numbers and their quotient are rounded; the decimals of a duration may be, too. */
  return fabs(ratio - steps) <= 1e-6 + 2 * DBL_EPSILON * steps ? steps : -1;
}

static torsor_status read_time(torsor_simulation *out, const reader *r, const json_node *node) {
  const json_node step = json_member(node, "step"), duration = json_member(node, "duration");
  char shown[96];
  if (!duration.item) return reader_fail(r, &duration, "simulated time in s", "is missing");
  torsor_status status = TORSOR_OK;
  out->settings.step = 0;
  if (step.item) status = reader_positive(&out->settings.step, r, &step, "step size in s");
  if (!status) status = reader_number(&out->duration, r, &duration);
  if (status) return status;
  const double h = out->settings.step;
  if (!(out->duration >= 0))
    return reader_fail(r, &duration, "simulated time in s", "must be 0 or greater, but is %s",
                       reader_show(duration.item, shown));
  if (!step.item) return TORSOR_OK;
  if (!(out->duration / h < MOST_STEPS))
    return reader_fail(r, &duration, "a longer step or a shorter duration",
                       "would take %g steps of %g s", out->duration / h, h);
  if (whole_steps(out->duration, h) >= 0) return TORSOR_OK;
  reader_fail(r, &duration, NULL, "is not a whole number of steps: %.15g s / %.15g s = %.10g",
              out->duration, h, out->duration / h);
  torsor_hint(r->error, "the nearest duration that fits is %.15g s",
              h * nearbyint(out->duration / h));
  return TORSOR_SCENE;
}

torsor_status simulation_read_output(torsor_simulation *out, const reader *r,
                                     const json_node *output) {
  const json_node step = json_member(output, "step");
  const json_node interpolate = json_member(output, "interpolate");
  torsor_status status =
      reader_positive(&out->output_step, r, &step, "time between two rows of output, s");
  if (!status && interpolate.item) {
    status = reader_boolean(&out->interpolate, r, &interpolate);
    if (!status && !step.item)
      status = reader_fail_key(r, &interpolate, "give \"step\", too, or leave it out",
                               "rows at every so many steps need no interpolation");
  }
  if (status || !(out->output_step > 0)) return status;
  const double count = out->duration / out->output_step;
  if (count < MOST_STEPS) return TORSOR_OK;
  return reader_fail(r, &step, "a longer step", "would write %g rows", count);
}

static torsor_status read_accuracy(torsor_settings *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"position", "rotation", "velocity"};
  const json_node accuracy = json_member(node, "accuracy");
  if (!accuracy.item) return TORSOR_OK;
  if (cJSON_IsNumber(accuracy.item))
    return reader_fail_key(r, &accuracy, "e.g. {\"position\": 1e-6, \"rotation\": 1e-6}",
                           "must name the errors to keep below, in m/s, rad/s and the unit of "
                           "velocities, since one number cannot have the units of all");
  double *const value[] = {&out->accuracy.position, &out->accuracy.rotation,
                           &out->accuracy.velocity};
  static const char *const hints[] = {"error of positions made in a second, m/s",
                                      "error of rotations made in a second, rad/s",
                                      "error of velocities made in a second"};
  torsor_status status = reader_object(r, &accuracy, "accuracy", keys, 3);
  int given = 0;
  for (int i = 0; i < 3 && !status; ++i) {
    const json_node item = json_member(&accuracy, keys[i]);
    given += item.item != NULL;
    status = reader_positive(value[i], r, &item, hints[i]);
  }
  if (!status && !given)
    status = reader_fail(r, &accuracy, "e.g. {\"position\": 1e-6, \"rotation\": 1e-6}",
                         "names no error to keep below");
  return status;
}

torsor_status simulation_check_keys(const reader *r, const json_node *node) {
  static const char *const keys[] = {"method",
                                     "formulation",
                                     "start",
                                     "multipliers",
                                     "correction_metric",
                                     "mass_alpha",
                                     "additive",
                                     "step_correction",
                                     "rho_inf",
                                     "hht",
                                     "newmark",
                                     "alpha",
                                     "step",
                                     "duration",
                                     "atol",
                                     "rtol",
                                     "max_iterations",
                                     "max_halvings",
                                     "linear_solver",
                                     "accuracy",
                                     "reaction",
                                     "reaction_weight",
                                     "order",
                                     "error_estimate",
                                     "initial"};
  return reader_object(r, node, "simulation", keys, sizeof keys / sizeof *keys);
}

static torsor_status read_estimate(torsor_settings *out, const reader *r, const json_node *node) {
  const json_node estimate = json_member(node, "error_estimate");
  bool wanted = true;
  if (!estimate.item) return TORSOR_OK;
  const torsor_status status = reader_boolean(&wanted, r, &estimate);
  out->unestimated = !wanted;
  return status;
}

torsor_status simulation_read(torsor_simulation *out, const reader *r, const json_node *node) {
  *out = torsor_simulation_default();
  out->linear_solver = solvers[0];
  if (!node->item) return TORSOR_OK;
  torsor_settings *settings = &out->settings;
  const json_node method = json_member(node, "method");
  const json_node atol = json_member(node, "atol"), rtol = json_member(node, "rtol");
  const json_node iterations = json_member(node, "max_iterations");
  const json_node halvings = json_member(node, "max_halvings");
  torsor_status status = simulation_check_keys(r, node);
  if (!status) status = read_method(&settings->method, r, &method);
  if (!status) status = check_known(settings->method, r, node);
  if (!status) status = read_words(out, r, node);
  if (!status) status = read_accuracy(settings, r, node);
  if (!status) status = read_weighted(settings, r, node);
  if (!status) status = read_order(settings, r, node);
  if (!status) status = read_estimate(settings, r, node);
  if (!status) status = read_reaction(settings, r, node);
  if (!status) status = read_alpha(&settings->alpha, settings, r, node);
  if (!status) status = read_time(out, r, node);
  if (!status) status = reader_positive(&settings->atol, r, &atol, "absolute tolerance of Newton");
  if (!status) status = reader_positive(&settings->rtol, r, &rtol, "relative tolerance of Newton");
  if (!status && iterations.item)
    status = reader_integer(&settings->max_iterations, r, &iterations, 1);
  if (!status && halvings.item) status = reader_integer(&settings->max_halvings, r, &halvings, 0);
  return status;
}
