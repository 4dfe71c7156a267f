/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/expression.h"

/** Exact derivatives of expressions: closed forms at every scale, kinks, and random expressions,
 * whose derivatives are those that differences of their values find.  Values are compared with
 * those of another program in tests/whole/words.py. */

static double x;

static expression *compile(const char *text) {
  static const char *name = "x";
  const expression_scope scope = {.count = 1, .name = &name, .varies = true};
  torsor_error error = {0};
  expression *e = NULL;
  if (expression_compile(&e, text, &scope, &error))
    fail_msg("%s: %s (%s)", text, error.message, error.hint);
  return e;
}

static jet at(const char *text, double where) {
  expression *e = compile(text);
  x = where;
  const jet j = expression_derivatives(e, &x, 0);
  expression_destroy(e);
  return j;
}

/* ---- closed forms -------------------------------------------------------------------------- */

typedef struct closed_form {
  const char *text;
  double x, first, second;
} closed_form;

/* y = c f(x/s) has y' = c f'/s and y'' = c f''/s^2. */
static void check_scaled(const char *text, double where, double first, double second) {
  static const double scales[] = {1e-9, 1e-6, 1e-3, 1, 1e3, 1e9};
  for (int i = 0; i < 6; ++i) {
    const double s = scales[i];
    char scaled[400];
    snprintf(scaled, sizeof scaled, text, s, s, s);
    const jet j = at(scaled, where * s);
    /* some 10 operations, each with a rounding of the values of size 1 to 10 that they meet */
    CHECK_NEAR(j.first * s, first, 100 * CHECK_EPS * (1 + fabs(first)));
    CHECK_NEAR(j.second * s * s, second, 400 * CHECK_EPS * (1 + fabs(second)));
  }
}

static void closed_forms_hold_at_every_scale(void **state) {
  (void)state;
  const double a = 0.3, e = exp(0.3), s = sin(0.3), c = cos(0.3), w = 1 - 0.09, v = 1.09;
  check_scaled("sin(x/%.17g)", a, c, -s);
  check_scaled("cos(x/%.17g)", a, -s, -c);
  check_scaled("tan(x/%.17g)", a, 1 / (c * c), 2 * s / (c * c * c));
  check_scaled("asin(x/%.17g)", a, 1 / sqrt(w), a / (w * sqrt(w)));
  check_scaled("acos(x/%.17g)", a, -1 / sqrt(w), -a / (w * sqrt(w)));
  check_scaled("atan(x/%.17g)", a, 1 / v, -2 * a / (v * v));
  check_scaled("sinh(x/%.17g)", a, cosh(a), sinh(a));
  check_scaled("cosh(x/%.17g)", a, sinh(a), cosh(a));
  check_scaled("tanh(x/%.17g)", a, 1 / pow(cosh(a), 2), -2 * tanh(a) / pow(cosh(a), 2));
  check_scaled("asinh(x/%.17g)", a, 1 / sqrt(v), -a / (v * sqrt(v)));
  check_scaled("acosh(2 + x/%.17g)", a, 1 / sqrt(4.29), -2.3 / (4.29 * sqrt(4.29)));
  check_scaled("atanh(x/%.17g)", a, 1 / w, 2 * a / (w * w));
  check_scaled("exp(x/%.17g)", a, e, e);
  check_scaled("log(x/%.17g)", a, 1 / a, -1 / (a * a));
  check_scaled("ln(x/%.17g)", a, 1 / a, -1 / (a * a));
  check_scaled("log2(x/%.17g)", a, 1 / (a * log(2)), -1 / (a * a * log(2)));
  check_scaled("log10(x/%.17g)", a, 1 / (a * log(10)), -1 / (a * a * log(10)));
  check_scaled("sqrt(x/%.17g)", a, 0.5 / sqrt(a), -0.25 / (a * sqrt(a)));
  check_scaled("(x/%.17g)^3", a, 0.27, 1.8);
  check_scaled("(x/%.17g)^(-2)", a, -2 / pow(a, 3), 6 / pow(a, 4));
  check_scaled("2^(x/%.17g)", a, pow(2, a) * log(2), pow(2, a) * log(2) * log(2));
  check_scaled("(x/%.17g)^(x/%.17g)", a, pow(a, a) * (log(a) + 1),
               pow(a, a) * ((log(a) + 1) * (log(a) + 1) + 1 / a));
  check_scaled("atan2(x/%.17g, 2)", a, 2 / 4.09, -4 * a / (4.09 * 4.09));
  check_scaled("atan2(2, x/%.17g)", a, -2 / 4.09, 4 * a / (4.09 * 4.09));
  check_scaled("1/(1 + x/%.17g)", a, -1 / 1.69, 2 / (1.69 * 1.3));
  check_scaled("sum(x/%.17g, (x/%.17g)^2, 1)", a, 1 + 2 * a, 2);
  check_scaled("avg(x/%.17g, (x/%.17g)^2)", a, (1 + 2 * a) / 2, 1);
  check_scaled("sign(x/%.17g) + rint(x)*0", a, 0, 0);
  check_scaled("-(x/%.17g)^2", a, -2 * a, -2);
  check_scaled("90 deg * x/%.17g", a, M_PI / 2, 0);
}

/* ---- kinks ----------------------------------------------------------------------------------- */

/* At a kink derivatives are those ahead; one that is 0 times an infinite slope is 0. */
static void kinks_have_the_branch_ahead(void **state) {
  (void)state;
  static const closed_form cases[] = {
      {"abs(x - 1)", 1, 1, 0},
      {"abs(1 - x)", 1, 1, 0},
      {"abs(x - 1)", 0.999, -1, 0},
      {"max(0, x - 1)", 1, 1, 0},
      {"min(0, x - 1)", 1, 0, 0},
      {"max(x, 2*x, 3*x)", 0, 3, 0},
      {"min(x, x + x^2)", 0, 1, 0},
      {"max(x, x + x^2)", 0, 1, 2},
      {"x < 1 ? x^2 : 5", 1, 0, 0},
      {"x <= 1 ? x^2 : 5", 1, 2, 2},
      {"x < 1 ? x^2 : 5", 1 - 0x1p-53, 2, 2},
      {"x > 1 && x < 3 || x == 0 ? x : -x", 0, 1, 0},
      {"x > 1 ? sqrt(x - 1) : 0", 0.5, 0, 0},
      {"sqrt(max(0, x))", -1, 0, 0},
      {"max(0, x)^1.5", -1, 0, 0},
      {"max(0, x)^2.5", 0, 0, 0},
      {"max(0, x)^0.5", -2, 0, 0},
      {"x^1", 0, 1, 0},
      {"x^2", 0, 0, 2},
      {"x^0", 0, 0, 0},
      {"(x^2)^x", 1, 2, 6}, /* x^(2x): (2 + 2 log x)^2 + 2/x */
      {"x >= 2 ? 1 : x != 1 ? 2*x : 3*x", 1, 3, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const jet j = at(cases[i].text, cases[i].x);
    if (!(fabs(j.first - cases[i].first) <= 8 * CHECK_EPS &&
          fabs(j.second - cases[i].second) <= 32 * CHECK_EPS))
      fail_msg("%s at %g: %.17g %.17g", cases[i].text, cases[i].x, j.first, j.second);
  }
}

/* ---- random expressions ---------------------------------------------------------------------- */

enum { EXPRESSIONS = 3000, LONGEST = 900 };

/* A smooth expression whose values and derivatives stay near 1 for 0.5 < x < 1.5, or one with
 * branches. */
static void write_random(char *out, check_rng *rng, int depth, bool smooth) {
  static const char *const calls[] = {"sin(%s)",
                                      "cos(%s)",
                                      "tanh(%s)",
                                      "atan(%s)",
                                      "exp(-(%s)^2)",
                                      "sqrt(2 + sin(%s))",
                                      "ln(3 + cos(%s))",
                                      "atan2(%s, 3)",
                                      "1/(2 + (%s)^2)",
                                      "asinh(%s)",
                                      "-(%s)",
                                      "avg(%s, x)",
                                      "2^sin(%s)",
                                      "(2 + cos(%s))^1.5",
                                      "(1.5 + sin(%s))^cos(x)",
                                      "sum(%s, -x, 2)",
                                      "log10(4 + tanh(%s))",
                                      "-(%s)^2"};
  static const char *const branched[] = {
      "abs(%s)",  "max(%s, x)", "min(0.5, %s)", "((%s) < x ? x : 2 - x)", "(x != 2 && 1 ? %s : 5)",
      "sign(%s)", "rint(%s)"};
  static const char *const joins[] = {"%s + %s", "(%s)*(%s)", "%s - (%s)", "(%s)/(2 + (%s)^2)",
                                      "%s - x*%s"};
  char a[LONGEST] = "", b[LONGEST] = "";
  const double draw = check_uniform(rng, 0, 1);
  if (!depth || draw < 0.1) {
    snprintf(out, LONGEST, check_uniform(rng, 0, 1) < 0.7 ? "x" : "%.3g",
             check_uniform(rng, 0.2, 2));
    return;
  }
  write_random(a, rng, depth - 1, smooth);
  write_random(b, rng, depth - 1, smooth);
  if (strlen(a) + strlen(b) > LONGEST / 2) b[1] = a[1] = '\0', a[0] = b[0] = 'x';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (!smooth && draw < 0.4)
    snprintf(out, LONGEST, branched[(int)check_uniform(rng, 0, 7)], a);
  else if (draw < 0.6)
    snprintf(out, LONGEST, calls[(int)check_uniform(rng, 0, 18)], a);
  else
    snprintf(out, LONGEST, joins[(int)check_uniform(rng, 0, 5)], a, b);
#pragma GCC diagnostic pop
}

static double value_at(const expression *e, double where) {
  x = where;
  return expression_value(e, &x);
}

/* Central differences of order 8. */
static double difference(const expression *e, double where, bool second, double h) {
  static const double one[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  static const double two[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  const double middle = value_at(e, where);
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const double up = value_at(e, where + (k + 1) * h), down = value_at(e, where - (k + 1) * h);
    sum += second ? two[k] * ((up - middle) + (down - middle)) / (h * h) : one[k] * (up - down) / h;
  }
  return sum;
}

static void random_expressions_agree_with_differences(void **state) {
  (void)state;
  check_rng rng = {20261130};
  double worst_value = 0, worst_first = 0, worst_second = 0;
  for (int i = 0; i < EXPRESSIONS; ++i) {
    char text[LONGEST];
    write_random(text, &rng, 4, true);
    expression *e = compile(text);
    const double where = check_uniform(&rng, 0.5, 1.5), h = 0x1p-10;
    const double value = value_at(e, where);
    const jet j = expression_derivatives(e, &x, 0);
    double first = difference(e, where, false, h), second = difference(e, where, true, h);
    const double size = 1 + fabs(value) + fabs(j.first) + fabs(j.second);
    worst_value = check_max(worst_value, fabs(j.value - value) / size);
    worst_first = check_max(worst_first, fabs(j.first - first) / size);
    worst_second = check_max(worst_second, fabs(j.second - second) / size);
    if (!(fabs(j.second - second) <= 1e-7 * size))
      print_error("%s at %.17g: %.17g %.17g, differences %.17g %.17g\n", text, where, j.first,
                  j.second, first, second);
    expression_destroy(e);
  }
  /* 50 operations, each with a rounding: of the values, of differences 1.5 eps/h and 7 eps/h^2;
   * their truncation h^8/630 times the ninth derivative is below 1e-12 for frequencies up to 20 */
  check_report("values with derivatives against those without", worst_value, 50 * CHECK_EPS);
  check_report("first derivatives against differences", worst_first, 75 * CHECK_EPS * 1024);
  check_report("second derivatives against differences", worst_second, 350 * CHECK_EPS * 1048576);
  CHECK_LE(worst_value, 50 * CHECK_EPS);
  CHECK_LE(worst_first, 75 * CHECK_EPS * 1024);
  CHECK_LE(worst_second, 350 * CHECK_EPS * 1048576);
}

/* Branches: both evaluations take the same ones. */
static void random_branches_have_the_same_values(void **state) {
  (void)state;
  check_rng rng = {7};
  int count = 0;
  for (; count < EXPRESSIONS; ++count) {
    char text[LONGEST];
    write_random(text, &rng, 4, false);
    expression *e = compile(text);
    const double value = value_at(e, check_uniform(&rng, 0.5, 1.5));
    const jet j = expression_derivatives(e, &x, 0);
    if (!(fabs(j.value - value) <= 100 * CHECK_EPS * (1 + fabs(value))))
      fail_msg("%s at %.17g: %.17g with derivatives, %.17g without", text, x, j.value, value);
    expression_destroy(e);
  }
  print_message("  %d expressions\n", count);
}

/* Precedence and association, by hand. */
static void operators_bind_as_documented(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } cases[] = {{"-2^2", -4},
               {"2^3^2", 512},
               {"2^-3^2", 1.0 / 512},
               {"-2^-2", -0.25},
               {"2*-3^2", -18},
               {"1<2<3", 1},
               {"1+1==2 && 3>2 || 0", 1},
               {"1||0&&0", 1},
               {"1 ? 2 : 0 ? 3 : 4", 2},
               {"1<2 ? 5 : 6 + 1", 5},
               {"2--3", 5},
               {"+3", 3},
               {"1 ? 2 : 3 + 10", 2},
               {"1<=2!=3", 1},
               {"min(3)", 3},
               {"6/3*2", 4},
               {"2-3-4", -5},
               {"1e3*.5e-2", 5},
               {"rint(2.5)", 3},
               {"rint(-2.5)", -2},
               {"floor(-0.5)", -1},
               {"ceil(-0.5)", 0},
               {"mod(-1, 3)", 2},
               {"mod(7.5, 2)", 1.5},
               {"avg(1, 2, 6)", 3},
               {"max(1, 7, 3)", 7},
               {"180 deg/pi", 1},
               {"1/2 deg*360/pi", 1},
               {"3 == 3 + 1 - 1", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    expression *e = compile(cases[i].text);
    CHECK_NEAR(value_at(e, 0), cases[i].value, 4 * CHECK_EPS * fabs(cases[i].value));
    expression_destroy(e);
  }
}

/* Texts of any length and most depths; what is nested without end is refused. */
static void long_expressions(void **state) {
  (void)state;
  enum { TERMS = 20000, DEEP = 150, TOO_DEEP = 5000 };
  char *text = malloc(16 * TERMS), *at = text;
  for (int i = 0; i < TERMS; ++i) at += sprintf(at, "%sx*1", i ? "+" : "");
  expression *e = compile(text);
  CHECK_NEAR(value_at(e, 0.5), 0.5 * TERMS, 0);
  x = 0.5;
  CHECK_NEAR(expression_derivatives(e, &x, 0).first, TERMS, 0);
  expression_destroy(e);
  memset(text, '(', DEEP);
  text[DEEP] = 'x';
  memset(text + DEEP + 1, ')', DEEP);
  text[2 * DEEP + 1] = '\0';
  expression_destroy(compile(text));
  static const char *name = "x";
  const expression_scope scope = {.count = 1, .name = &name, .varies = true};
  static const char *const endless[] = {"(", "-", "2^", "1+(", "sin(", "x ? "};
  for (int k = 0; k < 6; ++k) {
    torsor_error error = {0};
    at = text;
    for (int i = 0; i < TOO_DEEP; ++i) at += sprintf(at, "%s", endless[k]);
    CHECK_INT(expression_compile(&e, text, &scope, &error), TORSOR_SCENE);
    CHECK_CONTAINS(error.message, "nested too deeply");
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms_hold_at_every_scale),
      cmocka_unit_test(kinks_have_the_branch_ahead),
      cmocka_unit_test(random_expressions_agree_with_differences),
      cmocka_unit_test(random_branches_have_the_same_values),
      cmocka_unit_test(operators_bind_as_documented),
      cmocka_unit_test(long_expressions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
