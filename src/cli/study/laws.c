/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of random values. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "cli/study/design.h"
#include "cli/study/study_read.h"

const study_law_words study_laws[LAW_DISCRETE + 1] = {
    [LAW_UNIFORM] = {"uniform", true, {"from", "to", NULL}},
    [LAW_NORMAL] = {"normal", false, {"mean", "sd", NULL}},
    [LAW_LOGNORMAL] = {"lognormal", false, {"mean", "sd", NULL}},
    [LAW_TRIANGULAR] = {"triangular", true, {"from", "mode", "to", NULL}},
    [LAW_EXPONENTIAL] = {"exponential", false, {"mean", NULL}},
    [LAW_WEIBULL] = {"weibull", false, {"scale", "shape", NULL}},
    [LAW_BETA] = {"beta", false, {"a", "b", "from", "to", NULL}},
    [LAW_DISCRETE] = {"discrete", false, {NULL}}};

/* ---- evaluation --------------------------------------------------------------------------------
 */

/* Parameters of the logarithm of a lognormal value with this mean and standard deviation. */
static void logarithmic(const double p[2], double *mean, double *sd) {
  const double variance = log1p(p[1] * p[1] / (p[0] * p[0]));
  *sd = sqrt(variance);
  *mean = log(p[0]) - 0.5 * variance;
}

static double triangular_quantile(const double p[3], double u) {
  const double width = p[2] - p[0], rise = (p[1] - p[0]) / width;
  return u < rise ? p[0] + sqrt(u * width * (p[1] - p[0]))
                  : p[2] - sqrt((1 - u) * width * (p[2] - p[1]));
}

static double triangular_below(const double p[3], double x) {
  const double width = p[2] - p[0];
  if (x <= p[0]) return 0;
  if (x >= p[2]) return 1;
  return x < p[1] ? (x - p[0]) * (x - p[0]) / (width * (p[1] - p[0]))
                  : 1 - (p[2] - x) * (p[2] - x) / (width * (p[2] - p[1]));
}

static double discrete_quantile(const study_distribution *d, double u) {
  int i = 0;
  while (i + 1 < d->count && u >= d->upto[i]) ++i;
  return d->value[i];
}

static double discrete_below(const study_distribution *d, double x) {
  double sum = 0;
  for (int i = 0; i < d->count; ++i)
    if (d->value[i] <= x) sum += d->upto[i] - (i ? d->upto[i - 1] : 0);
  return sum;
}

static double law_below(const study_distribution *d, double x) {
  const double *p = d->p;
  double mean, sd;
  switch (d->law) {
  case LAW_UNIFORM:
    return fmin(1, fmax(0, (x - p[0]) / (p[1] - p[0])));
  case LAW_NORMAL:
    return gsl_cdf_gaussian_P(x - p[0], p[1]);
  case LAW_LOGNORMAL:
    logarithmic(p, &mean, &sd);
    return x > 0 ? gsl_cdf_lognormal_P(x, mean, sd) : 0;
  case LAW_TRIANGULAR:
    return triangular_below(p, x);
  case LAW_EXPONENTIAL:
    return x > 0 ? gsl_cdf_exponential_P(x, p[0]) : 0;
  case LAW_WEIBULL:
    return x > 0 ? gsl_cdf_weibull_P(x, p[0], p[1]) : 0;
  case LAW_BETA:
    return gsl_cdf_beta_P(fmin(1, fmax(0, (x - p[2]) / (p[3] - p[2]))), p[0], p[1]);
  case LAW_DISCRETE:
    return discrete_below(d, x);
  case LAW_NONE:
    break;
  }
  return 0;
}

/* The whole distribution, not truncated. */
static double quantile(const study_distribution *d, double u) {
  const double *p = d->p;
  double mean, sd;
  switch (d->law) {
  case LAW_UNIFORM:
    return p[0] + u * (p[1] - p[0]);
  case LAW_NORMAL:
    return p[0] + gsl_cdf_gaussian_Pinv(u, p[1]);
  case LAW_LOGNORMAL:
    logarithmic(p, &mean, &sd);
    return gsl_cdf_lognormal_Pinv(u, mean, sd);
  case LAW_TRIANGULAR:
    return triangular_quantile(p, u);
  case LAW_EXPONENTIAL:
    return gsl_cdf_exponential_Pinv(u, p[0]);
  case LAW_WEIBULL:
    return gsl_cdf_weibull_Pinv(u, p[0], p[1]);
  case LAW_BETA:
    return p[2] + (p[3] - p[2]) * gsl_cdf_beta_Pinv(u, p[0], p[1]);
  case LAW_DISCRETE:
    return discrete_quantile(d, u);
  case LAW_NONE:
    break;
  }
  return nan("");
}

double law_quantile(const study_distribution *d, double u) {
  if (!isfinite(d->within[0]) && !isfinite(d->within[1])) return quantile(d, u);
  const double low = isfinite(d->within[0]) ? law_below(d, d->within[0]) : 0;
  const double high = isfinite(d->within[1]) ? law_below(d, d->within[1]) : 1;
  const double value = quantile(d, low + u * (high - low));
  return fmin(d->within[1], fmax(d->within[0], value)); /* but for rounding it is there */
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static torsor_status read_parameters(study_distribution *d, const reader *r,
                                     const json_node *node) {
  const study_law_words *words = &study_laws[d->law];
  int count = 0;
  while (words->parameter[count]) ++count;
  if (words->list) return reader_numbers(d->p, count, r, node);
  torsor_status status = reader_object(r, node, "a distribution", words->parameter, count);
  for (int i = 0; i < count && !status; ++i) {
    const json_node one = json_member(node, words->parameter[i]);
    status = reader_number(&d->p[i], r, &one);
  }
  return status;
}

/* Are the parameters those of a distribution? */
static const char *find_fault(const study_distribution *d) {
  const double *p = d->p;
  switch (d->law) {
  case LAW_UNIFORM:
    return p[0] < p[1] ? NULL : "the first number must be below the second";
  case LAW_TRIANGULAR:
    return p[0] <= p[1] && p[1] <= p[2] && p[0] < p[2] ? NULL : "the numbers must ascend";
  case LAW_NORMAL:
    return p[1] > 0 ? NULL : "the standard deviation must be above 0";
  case LAW_LOGNORMAL:
    return p[0] > 0 && p[1] > 0 ? NULL : "mean and standard deviation must be above 0";
  case LAW_EXPONENTIAL:
    return p[0] > 0 ? NULL : "the mean must be above 0";
  case LAW_WEIBULL:
    return p[0] > 0 && p[1] > 0 ? NULL : "scale and shape must be above 0";
  case LAW_BETA:
    return p[0] > 0 && p[1] > 0 && p[2] < p[3] ? NULL : "a and b must be above 0, from below to";
  case LAW_DISCRETE:
  case LAW_NONE:
    break;
  }
  return NULL;
}

static torsor_status read_list(double **out, int *count, arena *memory, const reader *r,
                               const json_node *list) {
  torsor_status status = reader_array(r, list, "a list of numbers");
  if (status) return status;
  *count = cJSON_GetArraySize(list->item);
  *out = arena_take(memory, (size_t)*count, sizeof **out);
  if (!*out) return study_memory_short(r->error);
  return reader_numbers(*out, *count, r, list);
}

static torsor_status read_discrete(study_distribution *d, arena *memory, const reader *r,
                                   const json_node *node) {
  static const char *const keys[] = {"values", "weights"};
  const json_node values = json_member(node, "values"), weights = json_member(node, "weights");
  double *value = NULL, *weight = NULL, total = 0;
  int count = 0;
  torsor_status status = reader_object(r, node, "a discrete distribution", keys, 2);
  if (!status) status = read_list(&value, &d->count, memory, r, &values);
  if (!status && !d->count) status = reader_fail(r, &values, NULL, "needs a value");
  count = d->count;
  if (!status && weights.item) status = read_list(&weight, &count, memory, r, &weights);
  if (!status && count != d->count)
    status = reader_fail(r, &weights, NULL, "must be %d numbers, one for each value", d->count);
  double *upto = status ? NULL : arena_take(memory, (size_t)count, sizeof *upto);
  if (!status && !upto) status = study_memory_short(r->error);
  if (status) return status;
  for (int i = 0; i < count; ++i) {
    if (weight && !(weight[i] >= 0))
      return reader_fail(r, &weights, NULL, "weights must not be below 0");
    total += weight ? weight[i] : 1;
    upto[i] = total;
  }
  if (!(total > 0)) return reader_fail(r, &weights, NULL, "a weight must be above 0");
  for (int i = 0; i < count; ++i) upto[i] /= total;
  d->value = value;
  d->upto = upto;
  return TORSOR_OK;
}

static torsor_status read_within(study_distribution *d, const reader *r, const json_node *node) {
  const json_node within = json_member(node, "within");
  d->within[0] = -HUGE_VAL;
  d->within[1] = HUGE_VAL;
  if (!within.item) return TORSOR_OK;
  const torsor_status status = reader_numbers(d->within, 2, r, &within);
  if (status) return status;
  if (d->within[0] < d->within[1] && law_below(d, d->within[1]) > law_below(d, d->within[0]))
    return TORSOR_OK;
  return reader_fail(r, &within, NULL, "no value of the distribution is in this range");
}

torsor_status study_read_law(study_distribution *d, arena *memory, const reader *r,
                             const json_node *node) {
  const char *words[LAW_DISCRETE + 1];
  for (int i = 1; i <= LAW_DISCRETE; ++i) words[i - 1] = study_laws[i].name;
  words[LAW_DISCRETE] = "within";
  torsor_status status = reader_object(r, node, "a distribution", words, LAW_DISCRETE + 1);
  if (status) return status;
  for (int i = 1; i <= LAW_DISCRETE; ++i) {
    if (!json_member(node, study_laws[i].name).item) continue;
    if (d->law) return reader_fail(r, node, NULL, "must be one distribution, not several");
    d->law = (study_law)i;
  }
  if (!d->law)
    return reader_fail(r, node, "e.g. {\"normal\": {\"mean\": 10, \"sd\": 1}}",
                       "must name a distribution");
  const json_node member = json_member(node, study_laws[d->law].name);
  status = d->law == LAW_DISCRETE ? read_discrete(d, memory, r, &member)
                                  : read_parameters(d, r, &member);
  const char *fault = status ? NULL : find_fault(d);
  if (fault) status = reader_fail(r, &member, NULL, "%s", fault);
  return status ? status : read_within(d, r, node);
}
