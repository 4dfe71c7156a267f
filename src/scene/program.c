/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/program.h"

#include <stdlib.h>

#include "scene/builtins.h"

int program_operands(const instruction *i) {
  switch (i->op) {
  case OP_NUMBER:
  case OP_VARIABLE:
  case OP_LOCAL:
    return 0;
  case OP_NEGATE:
  case OP_CALL:
  case OP_TABLE:
    return 1;
  case OP_SELECT:
  case OP_GIVEN_RATE:
    return 3;
  case OP_GIVEN:
    return 4;
  case OP_RETURN:
    return i->index + 1;
  default:
    return 2;
  }
}

bool program_is_kink(const instruction *i) {
  switch (i->op) {
  case OP_LESS:
  case OP_LESS_EQUAL:
  case OP_GREATER:
  case OP_GREATER_EQUAL:
  case OP_TABLE:
  case OP_TABLE2:
    return true;
  case OP_CALL:
  case OP_CALL2:
    return !builtin_is_smooth((builtin)i->index);
  default:
    return false;
  }
}

static double compare(operation op, double a, double b) {
  switch (op) {
  case OP_LESS:
    return a < b;
  case OP_LESS_EQUAL:
    return a <= b;
  case OP_GREATER:
    return a > b;
  case OP_GREATER_EQUAL:
    return a >= b;
  case OP_EQUAL:
    return a == b;
  case OP_UNEQUAL:
    return a != b;
  case OP_AND:
    return a != 0 && b != 0;
  default:
    return a != 0 || b != 0;
  }
}

/* ---- values ---------------------------------------------------------------------------------- */

static double combine(operation op, double a, double b) {
  switch (op) {
  case OP_ADD:
    return a + b;
  case OP_SUBTRACT:
    return a - b;
  case OP_MULTIPLY:
    return a * b;
  case OP_DIVIDE:
    return a / b;
  case OP_POWER:
    return jet_raise(a, b);
  default:
    return compare(op, a, b);
  }
}

/* A number that changes its sign where the instruction comes to another branch.  Steps of floor
 * and its like are where a sine of their argument vanishes. */
static double find_kink(const instruction *i, const double *a) {
  const double pi = 3.14159265358979323846;
  if (i->op == OP_TABLE || i->op == OP_TABLE2) return i->called->kink(i->called->self, a);
  if (i->op != OP_CALL && i->op != OP_CALL2) return a[0] - a[1];
  switch ((builtin)i->index) {
  case F_RINT:
    return cos(pi * a[0]);
  case F_FLOOR:
  case F_CEIL:
    return sin(pi * a[0]);
  case F_MOD:
    return sin(pi * a[0] / a[1]);
  case F_MIN:
  case F_MAX:
    return a[0] - a[1];
  default:
    return a[0];
  }
}

/* The whole number that is even for s > 0, else odd, and next to x. */
static double held_whole(double x, int s) {
  return s > 0 ? 2 * floor(x / 2 + 0.5) : 2 * floor(x / 2) + 1;
}

/* Steps of floor and its like on a given side: sin(pi x) > 0 where floor(x) is even, and cos(pi x)
 * where rint(x) is. */
static double held_step(builtin f, double x, int s) {
  const double whole = held_whole(f == F_RINT ? x : x - 0.5, s);
  return f == F_CEIL ? whole + 1 : whole;
}

/* The value on a given side of a kink: s is the sign of find_kink. */
static bool held_value(double *out, const instruction *i, const double *a, int s) {
  const builtin f = (builtin)i->index;
  if (!s || i->op == OP_TABLE || i->op == OP_TABLE2) return false;
  if (i->op == OP_LESS || i->op == OP_LESS_EQUAL)
    *out = s < 0;
  else if (i->op == OP_GREATER || i->op == OP_GREATER_EQUAL)
    *out = s > 0;
  else if (f == F_ABS)
    *out = s * a[0];
  else if (f == F_SIGN)
    *out = s;
  else if (f == F_MIN || f == F_MAX)
    *out = a[(s > 0) == (f == F_MIN)];
  else if (f == F_MOD)
    *out = a[0] - a[1] * held_step(F_FLOOR, a[0] / a[1], s);
  else
    *out = held_step(f, a[0], s);
  return true;
}

/* The less frequent instructions. */
static double apply(const instruction *i, const double *stack, const double *a) {
  switch (i->op) {
  case OP_LOCAL:
    return stack[i->index];
  case OP_NEGATE:
    return -a[0];
  case OP_SELECT:
    return a[0] != 0 ? a[1] : a[2];
  case OP_CALL:
    return builtin_value((builtin)i->index, a[0]);
  case OP_CALL2:
    return builtin_value2((builtin)i->index, a[0], a[1]);
  case OP_TABLE:
  case OP_TABLE2:
    return i->called->eval(i->called->self, a, NULL, NULL);
  case OP_RETURN:
    return a[i->index];
  case OP_GIVEN:
  case OP_GIVEN_RATE:
    return a[1];
  default:
    return combine(i->op, a[0], a[1]);
  }
}

double program_value(const program *p, const double *x, const signed char *side, double *kink) {
  double stack[PROGRAM_STACK], *top = stack;
  for (const instruction *i = p->code, *end = i + p->count; i < end; ++i) {
    switch (i->op) {
    case OP_NUMBER:
      *top++ = i->number;
      break;
    case OP_VARIABLE:
      *top++ = x[i->index];
      break;
    case OP_ADD:
      --top;
      top[-1] += *top;
      break;
    case OP_SUBTRACT:
      --top;
      top[-1] -= *top;
      break;
    case OP_MULTIPLY:
      --top;
      top[-1] *= *top;
      break;
    default:
      top -= program_operands(i);
      if (!program_is_kink(i)) {
        *top = apply(i, stack, top);
      } else {
        if (kink) *kink++ = find_kink(i, top);
        if (!side || !held_value(top, i, top, *side)) *top = apply(i, stack, top);
        if (side) ++side;
      }
      ++top;
    }
  }
  return stack[0];
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static jet combine_jets(operation op, jet a, jet b) {
  switch (op) {
  case OP_ADD:
    return jet_add(a, b);
  case OP_SUBTRACT:
    return jet_add(a, jet_scale(-1, b));
  case OP_MULTIPLY:
    return jet_multiply(a, b);
  case OP_DIVIDE:
    return jet_divide(a, b);
  case OP_POWER:
    return jet_power(a, b);
  default:
    return jet_number(compare(op, a.value, b.value));
  }
}

static jet table_jet(const expression_function *f, jet a) {
  double first = 0, second = 0;
  const double value = f->eval(f->self, &a.value, &first, &second);
  return jet_chain(value, first, second, a);
}

/* second = z_x a'' + z_y b'' + z_xx a'^2 + 2 z_xy a' b' + z_yy b'^2. */
static jet table2_jet(const expression_function *f, jet a, jet b) {
  double first[2] = {0}, second[3] = {0};
  const double value = f->eval(f->self, (const double[]){a.value, b.value}, first, second);
  return (jet){value, jet_part(first[0], a.first) + jet_part(first[1], b.first),
               jet_part(first[0], a.second) + jet_part(first[1], b.second) +
                   jet_part(second[0], a.first * a.first) +
                   jet_part(2 * second[1], a.first * b.first) +
                   jet_part(second[2], b.first * b.first)};
}

static jet apply_jet(const instruction *i, const jet *stack, const jet *a) {
  switch (i->op) {
  case OP_NUMBER:
    return jet_number(i->number);
  case OP_LOCAL:
    return stack[i->index];
  case OP_NEGATE:
    return jet_scale(-1, a[0]);
  case OP_SELECT:
    return a[0].value != 0 ? a[1] : a[2];
  case OP_CALL:
    return builtin_jet((builtin)i->index, a[0]);
  case OP_CALL2:
    return builtin_jet2((builtin)i->index, a[0], a[1]);
  case OP_TABLE:
    return table_jet(i->called, a[0]);
  case OP_TABLE2:
    return table2_jet(i->called, a[0], a[1]);
  case OP_RETURN:
    return a[i->index];
  case OP_GIVEN:
    return jet_chain(a[1].value, a[2].value, a[3].value, a[0]);
  case OP_GIVEN_RATE:
    return (jet){a[1].value, jet_part(a[2].value, a[0].first),
                 jet_part(a[2].value, a[0].second) + a[2].first * a[0].first};
  default:
    return combine_jets(i->op, a[0], a[1]);
  }
}

/* The same with derivatives. */
static bool held_jet(jet *out, const instruction *i, const jet *a, int s) {
  const builtin f = (builtin)i->index;
  if (!s || (i->op != OP_CALL && i->op != OP_CALL2)) {
    const double zero[2] = {0, 0};
    double value;
    if (!held_value(&value, i, zero, s)) return false;
    *out = jet_number(value);
    return true;
  }
  if (f == F_ABS)
    *out = jet_scale(s, a[0]);
  else if (f == F_SIGN)
    *out = jet_number(s);
  else if (f == F_MIN || f == F_MAX)
    *out = a[(s > 0) == (f == F_MIN)];
  else if (f == F_MOD)
    *out = jet_add(a[0], jet_scale(-held_step(F_FLOOR, a[0].value / a[1].value, s), a[1]));
  else
    *out = jet_number(held_step(f, a[0].value, s));
  return true;
}

jet program_jet(const program *p, const double *x, const signed char *side, int by,
                const double *rate, const double *second) {
  jet stack[PROGRAM_STACK], *top = stack;
  for (const instruction *i = p->code, *end = i + p->count; i < end; ++i) {
    top -= program_operands(i);
    if (i->op != OP_VARIABLE) {
      const bool kink = side && program_is_kink(i);
      if (!kink || !held_jet(top, i, top, *side)) *top = apply_jet(i, stack, top);
      if (kink) ++side;
    } else if (by >= 0)
      *top = (jet){x[i->index], i->index == by, 0};
    else
      *top = (jet){x[i->index], rate[i->index], second[i->index]};
    ++top;
  }
  return stack[0];
}

void program_release(program *p) {
  free(p->code);
  *p = (program){0};
}
