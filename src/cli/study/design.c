/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/design.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_qrng.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "cli/study/study_read.h"

/* Dimensions that gsl_qrng_sobol has, and the bits of its numbers. */
enum { SOBOL_DIMENSIONS = 40, SOBOL_BITS = 30 };

/* Streams of random numbers that are no columns of values. */
enum { STREAM_SHIFT = 1 << 16, STREAM_PERMUTATION = 1 << 17, STREAM_TRAJECTORY = 1 << 18 };

const char *const study_kinds[DESIGN_KINDS] = {
    "grid",  "list",          "one_at_a_time", "monte_carlo", "latin_hypercube",
    "sobol", "sobol_indices", "morris"};

/* A number in (0, 1) that depends on its arguments alone. */
static double random_number(uint64_t seed, uint64_t sample, uint64_t column) {
  const uint64_t words[3] = {seed, sample, column};
  return ((double)(XXH3_64bits(words, sizeof words) >> 11) + 0.5) * 0x1p-53;
}

/* ---- numbers of samples ------------------------------------------------------------------------
 */

/* Values that variable i has in a grid. */
static long count_values(const study_variable *v) {
  return v->count ? v->count : 1;
}

static long count_samples(const study *s) {
  const study_design *d = &s->design;
  long n = 1;
  switch (d->kind) {
  case DESIGN_GRID:
    for (int i = 0; i < s->variables; ++i) {
      n *= count_values(&s->variable[i]);
      if (n > STUDY_SAMPLES) break;
    }
    return n;
  case DESIGN_LIST:
    return d->rows;
  case DESIGN_ONE_AT_A_TIME:
    for (int i = 0; i < s->variables; ++i) n += count_values(&s->variable[i]);
    return n;
  case DESIGN_SOBOL_INDICES:
    return d->samples * (s->variables + 2) * d->replicates;
  case DESIGN_MORRIS:
    return d->samples * (s->variables + 1);
  case DESIGN_SOBOL:
    return d->samples * d->replicates;
  default:
    return d->samples;
  }
}

/* ---- Sobol' points -----------------------------------------------------------------------------
 */

static int count_bits(uint64_t n) {
  int bits = 1;
  while (bits < SOBOL_BITS && (n >> bits)) ++bits;
  return bits;
}

/* Direction numbers: point n of GSL's sequence, which begins with 1, is the sum modulo 2 of those
 * of the bits of its Gray code, and that of 2^(j+1) - 1 is the bit j alone. */
static torsor_status find_directions(design *d, uint64_t points, torsor_error *error) {
  d->bits = count_bits(points);
  d->direction = arena_take(&d->memory, (size_t)(d->dimensions * d->bits), sizeof *d->direction);
  gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)d->dimensions);
  double x[SOBOL_DIMENSIONS];
  if (sequence && d->direction)
    for (uint64_t n = 1, j = 0; j < (uint64_t)d->bits; ++n) {
      gsl_qrng_get(sequence, x);
      if (n + 1 != (uint64_t)2 << j) continue;
      for (int i = 0; i < d->dimensions; ++i)
        d->direction[i * d->bits + (int)j] = (uint64_t)(x[i] * 0x1p30);
      ++j;
    }
  const bool failed = !sequence || !d->direction;
  if (sequence) gsl_qrng_free(sequence);
  return failed ? study_memory_short(error) : TORSOR_OK;
}

/* Points of a net are shifted modulo 1, by another shift in each replicate. */
static torsor_status open_sobol(design *d, torsor_error *error) {
  const study *s = d->study;
  const int replicates = s->design.replicates;
  d->dimensions = s->design.kind == DESIGN_SOBOL_INDICES ? 2 * s->variables : s->variables;
  if (d->dimensions > SOBOL_DIMENSIONS) {
    torsor_fail(error, TORSOR_SCENE, "the sequence has %d dimensions at most, not %d",
                SOBOL_DIMENSIONS, d->dimensions);
    torsor_hint(error, "take latin_hypercube for more values");
    return TORSOR_SCENE;
  }
  d->shift = arena_take(&d->memory, (size_t)(d->dimensions * replicates), sizeof *d->shift);
  if (!d->shift) return study_memory_short(error);
  for (int i = 0; i < d->dimensions * replicates; ++i)
    d->shift[i] = random_number(s->design.seed, (uint64_t)i, STREAM_SHIFT);
  return find_directions(d, (uint64_t)s->design.samples, error);
}

static double sobol_number(const design *d, long k, int dimension, int replicate) {
  const uint64_t n = (uint64_t)k, gray = n ^ (n >> 1);
  uint64_t sum = 0;
  for (int j = 0; j < d->bits; ++j)
    if (gray >> j & 1) sum ^= d->direction[dimension * d->bits + j];
  double u = (double)sum * 0x1p-30 + d->shift[replicate * d->dimensions + dimension];
  if (u >= 1) u -= 1;
  return fmin(fmax(u, 0x1p-54), 1 - 0x1p-53);
}

/* ---- latin hypercube ---------------------------------------------------------------------------
 */

static torsor_status open_latin(design *d, torsor_error *error) {
  const study *s = d->study;
  const size_t n = (size_t)s->design.samples;
  d->permutation = arena_take(&d->memory, n * (size_t)s->variables, sizeof *d->permutation);
  if (!d->permutation) return study_memory_short(error);
  for (int i = 0; i < s->variables; ++i) {
    uint32_t *p = d->permutation + (size_t)i * n;
    for (size_t k = 0; k < n; ++k) p[k] = (uint32_t)k;
    for (size_t k = n; k > 1; --k) {
      const double u = random_number(s->design.seed, k, STREAM_PERMUTATION + (uint64_t)i);
      const size_t other = (size_t)(u * (double)k);
      const uint32_t kept = p[k - 1];
      p[k - 1] = p[other];
      p[other] = kept;
    }
  }
  return TORSOR_OK;
}

/* ---- points ------------------------------------------------------------------------------------
 */

/* The value of a variable for a number in (0, 1). */
static double map_unit(const study_variable *v, double u) {
  if (v->random.law != LAW_NONE) return law_quantile(&v->random, u);
  if (v->count) return v->value[(int)fmin(u * v->count, v->count - 1)];
  return v->logarithmic ? v->from * pow(v->to / v->from, u) : v->from + (v->to - v->from) * u;
}

/* Numbers in (0, 1) of independent values become those of correlated ones: a normal copula. */
static void correlate(const study *s, double *u) {
  double z[STUDY_COLUMNS];
  const int n = s->variables;
  if (!s->correlation) return;
  for (int i = 0; i < n; ++i) z[i] = gsl_cdf_ugaussian_Pinv(u[i]);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j <= i; ++j) sum += s->correlation[i * n + j] * z[j];
    u[i] = gsl_cdf_ugaussian_P(sum);
  }
}

static void map_units(const study *s, double *u) {
  correlate(s, u);
  for (int i = 0; i < s->variables; ++i) u[i] = map_unit(&s->variable[i], u[i]);
}

/* The first value varies slowest. */
static void grid_point(const study *s, long k, double *value) {
  for (int i = s->variables - 1; i >= 0; --i) {
    const study_variable *v = &s->variable[i];
    const long n = count_values(v);
    value[i] = v->count ? v->value[k % n] : isnan(v->nominal) ? v->start : v->nominal;
    k /= n;
  }
}

/* Sample 0 has the nominal values, the others have one that differs. */
static void single_point(const study *s, long k, double *value) {
  for (int i = 0; i < s->variables; ++i) value[i] = s->variable[i].nominal;
  --k;
  for (int i = 0; i < s->variables && k >= 0; ++i) {
    const long n = count_values(&s->variable[i]);
    if (k < n) value[i] = s->variable[i].value[k];
    k -= n;
  }
}

/* Rows A, B, and A with one column of B, for each point and each replicate. */
static void indices_point(const design *d, long k, double *value) {
  const study *s = d->study;
  const int n = s->variables, block = n + 2;
  const long row = k / block;
  const int which = (int)(k % block), replicate = (int)(row % s->design.replicates);
  const long point = row / s->design.replicates;
  for (int i = 0; i < n; ++i) {
    const bool of_b = which == 1 || which == i + 2;
    value[i] = sobol_number(d, point, of_b ? n + i : i, replicate);
  }
  map_units(s, value);
}

/* Trajectories on p levels: each step changes one value by half the range and its half level. */
static void morris_point(const design *d, long k, double *value) {
  const study *s = d->study;
  const int n = s->variables, p = s->design.levels;
  const long trajectory = k / (n + 1);
  const int step = (int)(k % (n + 1));
  const double delta = 0.5 * p / (p - 1);
  int order[STUDY_COLUMNS];
  for (int i = 0; i < n; ++i) order[i] = i;
  for (int i = n; i > 1; --i) {
    const uint64_t stream = STREAM_TRAJECTORY + (uint64_t)i;
    const int other = (int)(i * random_number(s->design.seed, (uint64_t)trajectory, stream));
    const int kept = order[i - 1];
    order[i - 1] = order[other];
    order[other] = kept;
  }
  for (int place = 0; place < n; ++place) {
    const int i = order[place];
    const uint64_t stream = (uint64_t)i;
    const double u = random_number(s->design.seed, (uint64_t)trajectory, stream);
    const int level = (int)(u * p); /* the lower half of the levels goes up, the upper one down */
    const double base = (double)level / (p - 1), sign = level < p / 2 ? 1 : -1;
    value[i] = place < step ? base + sign * delta : base;
  }
  for (int i = 0; i < n; ++i) value[i] = map_unit(&s->variable[i], fmin(fmax(value[i], 0), 1));
}

void design_point(const design *d, long k, double *value) {
  const study *s = d->study;
  const study_design *of = &s->design;
  switch (of->kind) {
  case DESIGN_GRID:
    grid_point(s, k, value);
    return;
  case DESIGN_LIST:
    memcpy(value, of->point + (size_t)k * (size_t)s->variables,
           (size_t)s->variables * sizeof *value);
    return;
  case DESIGN_ONE_AT_A_TIME:
    single_point(s, k, value);
    return;
  case DESIGN_SOBOL_INDICES:
    indices_point(d, k, value);
    return;
  case DESIGN_MORRIS:
    morris_point(d, k, value);
    return;
  default:
    break;
  }
  for (int i = 0; i < s->variables; ++i) switch (of->kind) {
    case DESIGN_LATIN_HYPERCUBE:
      value[i] = ((double)d->permutation[(size_t)i * (size_t)of->samples + (size_t)k] +
                  random_number(of->seed, (uint64_t)k, (uint64_t)i)) /
                 (double)of->samples;
      break;
    case DESIGN_SOBOL:
      value[i] = sobol_number(d, k / of->replicates, i, (int)(k % of->replicates));
      break;
    default:
      value[i] = random_number(of->seed, (uint64_t)k, (uint64_t)i);
    }
  map_units(s, value);
}

/* A permutation of 0 .. mask: odd factors and shifts can be undone modulo a power of two. */
static uint64_t mix(uint64_t i, uint64_t mask) {
  const int half = (count_bits(mask) + 1) / 2;
  for (int round = 0; round < 3; ++round) {
    i = (i * 0x9e3779b97f4a7c15u + 0x7f4a7c15u) & mask;
    i ^= i >> half;
  }
  return i & mask;
}

long design_order(const design *d, long i) {
  if (!d->mask) return i;
  uint64_t k = (uint64_t)i;
  do k = mix(k, d->mask);
  while (k >= (uint64_t)d->samples);
  return (long)k;
}

torsor_status design_open(design *out, const study *s, long samples, torsor_error *error) {
  *out = (design){.study = s, .samples = count_samples(s)};
  gsl_set_error_handler_off();
  if (samples && samples < out->samples) out->samples = samples;
  if (out->samples > STUDY_SAMPLES) {
    torsor_fail(error, TORSOR_SCENE, "the study has more than %ld samples", STUDY_SAMPLES);
    torsor_hint(error, "split it, or take a design with fewer points");
    return TORSOR_SCENE;
  }
  if (s->design.shuffle)
    for (out->mask = 1; out->mask < (uint64_t)out->samples - 1;) out->mask = 2 * out->mask + 1;
  if (s->design.kind == DESIGN_LATIN_HYPERCUBE) return open_latin(out, error);
  if (s->design.kind == DESIGN_SOBOL || s->design.kind == DESIGN_SOBOL_INDICES)
    return open_sobol(out, error);
  return TORSOR_OK;
}

void design_close(design *d) {
  arena_release(&d->memory);
  *d = (design){0};
}
