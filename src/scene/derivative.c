/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/derivative.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scene/expression.h"
#include "scene/jet.h"

typedef enum operation {
  OP_NUMBER,
  OP_VARIABLE,
  OP_NEGATE,
  OP_ADD,
  OP_SUBTRACT,
  OP_MULTIPLY,
  OP_DIVIDE,
  OP_POWER,
  OP_LESS,
  OP_LESS_EQUAL,
  OP_GREATER,
  OP_GREATER_EQUAL,
  OP_EQUAL,
  OP_UNEQUAL,
  OP_AND,
  OP_OR,
  OP_SELECT,
  OP_CALL,
} operation;

typedef struct instruction {
  operation op;
  int function, arguments; /* of OP_CALL */
  double number;
  const double *at;
} instruction;

struct derivative {
  int count, size;
  instruction *code; /* [count] */
  derivative_jet *stack;
};

/* ---- functions ------------------------------------------------------------------------------- */

typedef enum function_code {
  F_SIN,
  F_COS,
  F_TAN,
  F_ASIN,
  F_ACOS,
  F_ATAN,
  F_SINH,
  F_COSH,
  F_TANH,
  F_ASINH,
  F_ACOSH,
  F_ATANH,
  F_EXP,
  F_LOG,
  F_LN,
  F_LOG2,
  F_LOG10,
  F_SQRT,
  F_ABS,
  F_SIGN,
  F_RINT,
  F_ATAN2,
  F_MIN,
  F_MAX,
  F_SUM,
  F_AVG,
  FUNCTIONS
} function_code;

static const char *const names[FUNCTIONS] = {
    "sin",   "cos",   "tan",   "asin",  "acos", "atan", "sinh", "cosh",  "tanh",
    "asinh", "acosh", "atanh", "exp",   "log",  "ln",   "log2", "log10", "sqrt",
    "abs",   "sign",  "rint",  "atan2", "min",  "max",  "sum",  "avg"};

static jet call_trigonometric(int f, jet a) {
  const double x = a.value, s = sin(x), c = cos(x), t = tan(x), w = 1 - x * x;
  switch (f) {
  case F_SIN:
    return jet_chain(s, c, -s, a);
  case F_COS:
    return jet_chain(c, -s, -c, a);
  case F_TAN:
    return jet_chain(t, 1 + t * t, 2 * t * (1 + t * t), a);
  case F_ASIN:
    return jet_chain(asin(x), 1 / sqrt(w), x / (w * sqrt(w)), a);
  case F_ACOS:
    return jet_chain(acos(x), -1 / sqrt(w), -x / (w * sqrt(w)), a);
  default:
    return jet_chain(atan(x), 1 / (1 + x * x), -2 * x / ((1 + x * x) * (1 + x * x)), a);
  }
}

static jet call_hyperbolic(int f, jet a) {
  const double x = a.value, t = tanh(x), v = x * x + 1, u = x * x - 1, w = 1 - x * x;
  switch (f) {
  case F_SINH:
    return jet_chain(sinh(x), cosh(x), sinh(x), a);
  case F_COSH:
    return jet_chain(cosh(x), sinh(x), cosh(x), a);
  case F_TANH:
    return jet_chain(t, 1 - t * t, -2 * t * (1 - t * t), a);
  case F_ASINH:
    return jet_chain(asinh(x), 1 / sqrt(v), -x / (v * sqrt(v)), a);
  case F_ACOSH:
    return jet_chain(acosh(x), 1 / sqrt(u), -x / (u * sqrt(u)), a);
  default:
    return jet_chain(atanh(x), 1 / w, 2 * x / (w * w), a);
  }
}

static jet call_logarithm(double value, double base, jet a) {
  const double f1 = 1 / (a.value * base);
  return jet_chain(value, f1, -f1 / a.value, a);
}

static jet call_one(int f, jet a) {
  const double x = a.value, root = sqrt(x);
  switch (f) {
  case F_EXP:
    return jet_chain(exp(x), exp(x), exp(x), a);
  case F_LOG:
  case F_LN:
    return call_logarithm(log(x), 1, a);
  case F_LOG2:
    return call_logarithm(log2(x), log(2), a);
  case F_LOG10:
    return call_logarithm(log10(x), log(10), a);
  case F_SQRT:
    return jet_chain(root, 0.5 / root, -0.25 / (root * x), a);
  case F_ABS:
    return jet_absolute(a);
  case F_SIGN:
    return jet_number((x > 0) - (x < 0));
  case F_RINT:
    return jet_number(floor(x + 0.5));
  default:
    return f <= F_ATAN ? call_trigonometric(f, a) : call_hyperbolic(f, a);
  }
}

static jet call_many(int f, const jet *a, int count) {
  if (f == F_ATAN2) return jet_atan2(a[0], a[1]);
  jet out = a[0];
  for (int i = 1; i < count; ++i) {
    if (f == F_MIN)
      out = jet_is_above(out, a[i]) ? a[i] : out;
    else if (f == F_MAX)
      out = jet_is_above(a[i], out) ? a[i] : out;
    else
      out = jet_add(out, a[i]);
  }
  return f == F_AVG ? jet_scale(1.0 / count, out) : out;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

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

static jet combine(operation op, jet a, jet b) {
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

/* Number of operands that an operation pops from the stack. */
static int operands(const instruction *i) {
  switch (i->op) {
  case OP_NUMBER:
  case OP_VARIABLE:
    return 0;
  case OP_NEGATE:
    return 1;
  case OP_SELECT:
    return 3;
  case OP_CALL:
    return i->arguments;
  default:
    return 2;
  }
}

/* A variable on the way. */
static jet variable_along(const double *at, const derivative_path *path) {
  const uintptr_t begin = (uintptr_t)path->variable, here = (uintptr_t)at;
  const size_t index = (here - begin) / sizeof *at;
  const bool moves = here >= begin && index < (size_t)path->count;
  return moves ? (jet){*at, path->rate[index], path->second[index]} : (jet){*at, 0, 0};
}

static derivative_jet evaluate(const derivative *d, const double *by, const derivative_path *path) {
  jet *top = d->stack;
  for (int k = 0; k < d->count; ++k) {
    const instruction *i = &d->code[k];
    jet *a = top - operands(i);
    if (i->op == OP_NUMBER)
      *a = jet_number(i->number);
    else if (i->op == OP_VARIABLE)
      *a = path ? variable_along(i->at, path) : (jet){*i->at, i->at == by, 0};
    else if (i->op == OP_NEGATE)
      *a = jet_scale(-1, *a);
    else if (i->op == OP_SELECT)
      *a = a[0].value != 0 ? a[1] : a[2];
    else if (i->op == OP_CALL)
      *a = i->function >= F_ATAN2 ? call_many(i->function, a, i->arguments)
                                  : call_one(i->function, *a);
    else
      *a = combine(i->op, a[0], a[1]);
    top = a + 1;
  }
  return d->stack[0];
}

derivative_jet derivative_eval(const derivative *d, const double *by) {
  return evaluate(d, by, NULL);
}

derivative_jet derivative_along(const derivative *d, const derivative_path *path) {
  return evaluate(d, NULL, path);
}

/* ---- translation ----------------------------------------------------------------------------- */

typedef struct translator {
  derivative *d;
  const char *at;
  derivative_find find;
  const void *data;
  int depth, deepest; /* of the stack */
  torsor_status status;
} translator;

/* Binary operators by precedence; longer ones precede their prefixes. */
enum { BIND_UNARY = 6, BIND_POWER = 7 };
static const struct {
  const char *word;
  int binds;
  operation op;
} binary[] = {{"||", 1, OP_OR},           {"&&", 2, OP_AND},
              {"<=", 4, OP_LESS_EQUAL},   {">=", 4, OP_GREATER_EQUAL},
              {"==", 4, OP_EQUAL},        {"!=", 4, OP_UNEQUAL},
              {"<", 4, OP_LESS},          {">", 4, OP_GREATER},
              {"+", 5, OP_ADD},           {"-", 5, OP_SUBTRACT},
              {"*", 6, OP_MULTIPLY},      {"/", 6, OP_DIVIDE},
              {"^", BIND_POWER, OP_POWER}};

static void fail(translator *t, torsor_status status) {
  if (!t->status) t->status = status;
}

static void emit(translator *t, instruction i) {
  derivative *d = t->d;
  if (t->status) return;
  if (d->count == d->size) {
    const int size = 2 * d->size + 16;
    instruction *moved = realloc(d->code, (size_t)size * sizeof *moved);
    if (!moved) {
      fail(t, TORSOR_MEMORY);
      return;
    }
    d->code = moved;
    d->size = size;
  }
  t->depth += 1 - operands(&i);
  if (t->depth > t->deepest) t->deepest = t->depth;
  d->code[d->count++] = i;
}

static char peek(translator *t) {
  t->at += strspn(t->at, " \t\r\n");
  return *t->at;
}

static bool accept(translator *t, char c) {
  if (t->status || peek(t) != c) return false;
  ++t->at;
  return true;
}

static void expect(translator *t, char c) {
  if (!accept(t, c)) fail(t, TORSOR_SCENE);
}

static void translate_all(translator *t);
static void translate_binary(translator *t, int least);

static void translate_call(translator *t, const char *name) {
  instruction i = {.op = OP_CALL, .function = FUNCTIONS};
  for (int f = 0; f < FUNCTIONS; ++f)
    if (strcmp(names[f], name) == 0) i.function = f;
  do {
    translate_all(t);
    ++i.arguments;
  } while (accept(t, ','));
  expect(t, ')');
  const int wanted = i.function < F_ATAN2 ? 1 : i.function == F_ATAN2 ? 2 : i.arguments;
  if (i.function == FUNCTIONS || i.arguments != wanted) fail(t, TORSOR_SCENE);
  emit(t, i);
}

static void translate_word(translator *t) {
  char name[EXPRESSION_WORD + 1];
  if (!expression_next_name(&t->at, name)) {
    fail(t, TORSOR_SCENE);
    return;
  }
  if (accept(t, '(')) {
    translate_call(t, name);
    return;
  }
  const derivative_name known = t->find(t->data, name);
  emit(t, (instruction){
              .op = known.at ? OP_VARIABLE : OP_NUMBER, .number = known.value, .at = known.at});
}

static void translate_operand(translator *t) {
  const char c = peek(t);
  if (t->status) return;
  if (accept(t, '(')) {
    translate_all(t);
    expect(t, ')');
  } else if (accept(t, '-')) {
    translate_binary(t, BIND_POWER);
    emit(t, (instruction){.op = OP_NEGATE});
  } else if (accept(t, '+')) {
    translate_binary(t, BIND_POWER);
  } else if ((c >= '0' && c <= '9') || c == '.') {
    char *end;
    const double number = strtod(t->at, &end);
    if (end == t->at) fail(t, TORSOR_SCENE);
    t->at = end;
    emit(t, (instruction){.op = OP_NUMBER, .number = number});
  } else {
    translate_word(t);
  }
}

/* The next binary operator, or -1. */
static int find_binary(translator *t) {
  peek(t);
  for (int k = 0; k < (int)(sizeof binary / sizeof *binary); ++k)
    if (strncmp(t->at, binary[k].word, strlen(binary[k].word)) == 0) return k;
  return -1;
}

/* Parses operators of at least the precedence `least`; powers associate to the right, all others to
 * the left. */
static void translate_binary(translator *t, int least) {
  translate_operand(t);
  while (!t->status) {
    const int k = find_binary(t);
    if (k < 0 || binary[k].binds < least) return;
    t->at += strlen(binary[k].word);
    translate_binary(t, binary[k].binds + (binary[k].op != OP_POWER));
    emit(t, (instruction){.op = binary[k].op});
  }
}

static void translate_all(translator *t) {
  translate_binary(t, 1);
  if (!accept(t, '?')) return;
  translate_all(t);
  expect(t, ':');
  translate_all(t);
  emit(t, (instruction){.op = OP_SELECT});
}

torsor_status derivative_compile(derivative **out, const char *text, derivative_find find,
                                 const void *data) {
  *out = calloc(1, sizeof **out);
  if (!*out) return TORSOR_MEMORY;
  translator t = {.d = *out, .at = text, .find = find, .data = data};
  translate_all(&t);
  if (peek(&t)) fail(&t, TORSOR_SCENE);
  if (!t.status) {
    (*out)->stack = calloc((size_t)t.deepest + 1, sizeof *(*out)->stack);
    if (!(*out)->stack) fail(&t, TORSOR_MEMORY);
  }
  if (!t.status) return TORSOR_OK;
  derivative_destroy(*out);
  *out = NULL;
  return t.status;
}

void derivative_destroy(derivative *d) {
  if (!d) return;
  free(d->code);
  free(d->stack);
  free(d);
}
