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

double program_value(const program *p, const double *x, double *kink) {
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
      if (kink && program_is_kink(i)) *kink++ = find_kink(i, top);
      *top = apply(i, stack, top);
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

jet program_jet(const program *p, const double *x, int by, const double *rate,
                const double *second) {
  jet stack[PROGRAM_STACK], *top = stack;
  for (const instruction *i = p->code, *end = i + p->count; i < end; ++i) {
    top -= program_operands(i);
    if (i->op != OP_VARIABLE)
      *top = apply_jet(i, stack, top);
    else if (by >= 0)
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
