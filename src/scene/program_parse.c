/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the text of an expression to its program: precedence climbing, functions of the scene put in
 * where they are called. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/builtins.h"
#include "scene/expression_messages.h"
#include "scene/program.h"

/* Most parentheses, calls and powers within each other, those of functions of the scene among
 * them: bounds the recursion. */
enum { NESTED = 200 };

/* A function of the scene that is being put in, and the place of its first argument on the
 * stack. */
typedef struct frame {
  const expression_function *f;
  int base;
  const struct frame *caller;
} frame;

typedef struct translator {
  program *p;
  const char *text, *at;
  const expression_scope *scope;
  const frame *inside; /* NULL in the expression itself */
  int depth;           /* of the stack */
  int nested;
  torsor_error *error;
  torsor_status status;
} translator;

/* ---- failing --------------------------------------------------------------------------------- */

static void fail_here(translator *t, const char *what, const char *at, const char *hint) {
  if (!t->status)
    t->status = expression_fail_at(t->error, t->text, what, (size_t)(at - t->text), hint);
}

static void out_of_memory(translator *t) {
  if (!t->status) t->status = torsor_fail(t->error, TORSOR_MEMORY, "out of memory");
}

static const char check_parentheses[] = "check that ( and ) match";

/* Fails at what stands where a value should. */
static void fail_operand(translator *t) {
  switch (*t->at) {
  case '\0':
    fail_here(t, "a value is missing", t->at, "the expression ends too early");
    return;
  case ')':
    fail_here(t, "a parenthesis in the wrong position", t->at, check_parentheses);
    return;
  case ',':
    fail_here(t, "a comma in the wrong position", t->at,
              "commas separate the arguments of a function");
    return;
  default:
    fail_here(t, "an operator in the wrong position", t->at,
              "values cannot be assigned; == compares");
  }
}

/* Fails at what stands where an operator, or the end, should. */
static void fail_operator(translator *t) {
  const char c = *t->at;
  char name[EXPRESSION_WORD + 1];
  const char *after = t->at;
  if (c == '\0') {
    fail_here(t, "a parenthesis is not closed", t->at, check_parentheses);
  } else if (c == ')' || c == '(') {
    fail_here(t, "a parenthesis in the wrong position", t->at, check_parentheses);
  } else if (c == ',') {
    fail_operand(t);
  } else if (c == ':') {
    fail_here(t, ": without ?", t->at, "write condition ? a : b");
  } else if (expression_digit(c) || c == '.') {
    fail_here(t, "a value without an operator before it", t->at, "write 2*m, not 2m or 2 m");
  } else if (expression_letter(c) && expression_next_name(&after, name)) {
    const bool call = after[strspn(after, " \t\r\n")] == '(';
    fail_here(t,
              call ? "a function without an operator before it"
                   : "a name without an operator before it",
              t->at, call ? "write 2*sin(x)" : "write 2*m, not 2m or 2 m");
  } else {
    fail_operand(t);
  }
}

/* ---- emitting -------------------------------------------------------------------------------- */

/* Evaluates an instruction whose operands are numbers at once. */
static bool fold(translator *t, instruction i) {
  program *p = t->p;
  const int n = program_operands(&i);
  if (!n || i.op == OP_TABLE || i.op == OP_TABLE2 || i.op == OP_RETURN || p->count < n)
    return false;
  for (int k = 0; k < n; ++k)
    if (p->code[p->count - 1 - k].op != OP_NUMBER) return false;
  instruction code[5];
  memcpy(code, p->code + p->count - n, (size_t)n * sizeof *code);
  code[n] = i;
  const double value = program_value(&(program){.count = n + 1, .code = code}, NULL, NULL, NULL);
  p->count -= n;
  p->code[p->count++] = (instruction){.op = OP_NUMBER, .number = value};
  t->depth += 1 - n;
  return true;
}

static bool has_room(translator *t) {
  program *p = t->p;
  if (p->count >= PROGRAM_LENGTH) {
    fail_here(t, "with all functions put in it is too long", t->at,
              "a table takes the place of functions that call each other many times");
    return false;
  }
  if (p->count < p->size) return true;
  const int size = p->size ? 2 * p->size : 16;
  instruction *moved = realloc(p->code, (size_t)size * sizeof *moved);
  if (!moved) {
    out_of_memory(t);
    return false;
  }
  p->code = moved;
  p->size = size;
  return true;
}

static void emit(translator *t, instruction i) {
  program *p = t->p;
  if (t->status || fold(t, i) || !has_room(t)) return;
  t->depth += 1 - program_operands(&i);
  if (t->depth > p->deepest) p->deepest = t->depth;
  if (t->depth >= PROGRAM_STACK) fail_here(t, "nested too deeply", t->at, NULL);
  if (program_is_kink(&i)) ++p->kinks;
  p->code[p->count++] = i;
}

static void emit_number(translator *t, double value) {
  emit(t, (instruction){.op = OP_NUMBER, .number = value});
}

/* ---- words ----------------------------------------------------------------------------------- */

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
  if (!t->status && !accept(t, c)) fail_operator(t);
}

static void translate_all(translator *t);
static void translate_binary(translator *t, int least);

/* The argument `name` of the function that is put in. */
static bool translate_argument(translator *t, const char *name) {
  const frame *in = t->inside;
  for (int k = 0; in && k < in->f->arguments; ++k)
    if (strcmp(in->f->argument[k], name) == 0) {
      emit(t, (instruction){.op = OP_LOCAL, .index = in->base + k});
      return true;
    }
  return false;
}

/* A variable or a constant of the scope; functions of the scene do not see the variables of the
 * place where they are called. */
static bool translate_value(translator *t, const char *name) {
  const expression_scope *s = t->scope;
  const int hidden = t->inside ? s->own : 0;
  for (int k = hidden; s->varies && k < s->count; ++k)
    if (strcmp(s->name[k], name) == 0) {
      emit(t, (instruction){.op = OP_VARIABLE, .index = k});
      return true;
    }
  const double *known = expression_lookup(s->varies ? s->outer : s, name);
  if (known) emit_number(t, *known);
  return known != NULL;
}

/* Program of another text in place of a call, whose arguments stand on the stack from `base`. */
static void translate_body(translator *t, const expression_function *f, const char *text,
                           int base) {
  const frame in = {f, base, t->inside};
  translator body = {.p = t->p,
                     .text = text,
                     .at = text,
                     .scope = t->scope,
                     .inside = &in,
                     .depth = t->depth,
                     .nested = t->nested + 1,
                     .error = t->error};
  if (t->status) return;
  translate_all(&body);
  if (!body.status && peek(&body)) fail_operator(&body);
  t->depth = body.depth;
  t->status = body.status;
}

static bool is_inside(const frame *in, const expression_function *f) {
  for (; in; in = in->caller)
    if (in->f == f) return true;
  return false;
}

/* The function `f`, whose arguments are on the stack. */
static void emit_function(translator *t, const expression_function *f) {
  const int n = f->arguments, base = t->depth - n;
  if (t->status) return;
  if (f->eval) {
    emit(t, (instruction){.op = n == 1 ? OP_TABLE : OP_TABLE2, .called = f});
    return;
  }
  if (is_inside(t->inside, f)) {
    t->status = expression_fail_circle(t->error, f->name);
    return;
  }
  translate_body(t, f, f->text, base);
  if (f->rate) translate_body(t, f, f->rate, base);
  if (f->second) translate_body(t, f, f->second, base);
  emit(t, f->rate ? (instruction){.op = f->second ? OP_GIVEN : OP_GIVEN_RATE}
                  : (instruction){.op = OP_RETURN, .index = n});
}

/* A function of the scene by its name alone: that of the time, at the time. */
static bool translate_plain_function(translator *t, const char *name, const char *start) {
  const expression_function *f = expression_function_find(t->scope, name);
  if (!f) return false;
  if (f->arguments == 1 && f->of_time &&
      (translate_argument(t, EXPRESSION_TIME) ||
       (!t->inside && expression_has_variable(t->scope, EXPRESSION_TIME) &&
        translate_value(t, EXPRESSION_TIME))))
    emit_function(t, f);
  else
    fail_here(t, "a function without arguments", start,
              f->arguments == 1 ? "write its argument: ramp(t), map(hinge.angle)"
                                : "write its arguments: map(hinge.angle, t)");
  return true;
}

static void translate_name(translator *t, const char *name, const char *start) {
  double constant;
  if (translate_argument(t, name) || translate_value(t, name) ||
      translate_plain_function(t, name, start))
    return;
  if (expression_constant(&constant, name))
    emit_number(t, constant);
  else if (builtin_find(name) < BUILTINS)
    fail_here(t, "a function without arguments", start, "write sin(x)");
  else
    t->status = expression_fail_unknown(t->error, t->scope, t->text, name, false);
}

static void check_arguments(translator *t, int given, int wanted) {
  if (given < wanted) fail_here(t, "a function has too few arguments", t->at - 1, NULL);
  if (given > wanted) fail_here(t, "a function has too many arguments", t->at - 1, NULL);
}

static void translate_builtin(translator *t, builtin f) {
  const int wanted = builtin_arguments(f);
  int given = 0;
  if (peek(t) == ')') fail_here(t, "a function has too few arguments", t->at, NULL);
  do {
    translate_all(t);
    if (!wanted && given) emit(t, (instruction){.op = OP_CALL2, .index = (int)f});
    ++given;
  } while (accept(t, ','));
  expect(t, ')');
  if (wanted) check_arguments(t, given, wanted);
  if (wanted)
    emit(t, (instruction){.op = wanted == 1 ? OP_CALL : OP_CALL2, .index = (int)f});
  else if (f == F_AVG) {
    emit_number(t, given);
    emit(t, (instruction){.op = OP_DIVIDE});
  }
}

static void translate_function(translator *t, const expression_function *f) {
  int given = 0;
  if (peek(t) != ')') do {
      translate_all(t);
      ++given;
    } while (accept(t, ','));
  expect(t, ')');
  if (given == f->arguments)
    emit_function(t, f);
  else if (!t->status)
    t->status = expression_fail_arguments(t->error, f, given);
}

static void translate_word(translator *t) {
  char name[EXPRESSION_WORD + 1];
  const char *start = t->at;
  expression_next_name(&t->at, name);
  if (!accept(t, '(')) {
    translate_name(t, name, start);
    return;
  }
  const builtin known = builtin_find(name);
  const expression_function *f = expression_function_find(t->scope, name);
  if (f)
    translate_function(t, f);
  else if (known < BUILTINS)
    translate_builtin(t, known);
  else
    t->status = expression_fail_unknown(t->error, t->scope, t->text, name, true);
}

/* ---- values and operators -------------------------------------------------------------------- */

static void translate_number(translator *t) {
  double value = 0;
  const char *end = number_read(&value, t->at);
  if (!end) {
    fail_here(t, "not understood", t->at, "an example: 2*m*sqrt(1 - cos(pi/3)^2)");
    return;
  }
  t->at = end;
  emit_number(t, value);
}

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

static void translate_operand(translator *t) {
  const char c = peek(t);
  if (t->status) return;
  if (++t->nested > NESTED) {
    fail_here(t, "nested too deeply", t->at, NULL);
  } else if (accept(t, '(')) {
    translate_all(t);
    expect(t, ')');
  } else if (accept(t, '-')) {
    translate_binary(t, BIND_POWER);
    emit(t, (instruction){.op = OP_NEGATE});
  } else if (accept(t, '+')) {
    translate_binary(t, BIND_POWER);
  } else if (expression_digit(c) || c == '.') {
    translate_number(t);
  } else if (expression_letter(c)) {
    translate_word(t);
  } else {
    fail_operand(t);
  }
  --t->nested;
}

/* The next binary operator, or -1. */
static int find_binary(translator *t) {
  peek(t);
  for (int k = 0; k < (int)(sizeof binary / sizeof *binary); ++k)
    if (strncmp(t->at, binary[k].word, strlen(binary[k].word)) == 0) return k;
  return -1;
}

/* Does "deg" follow, with a blank before it?  "30 deg" is a product. */
static bool finds_degrees(const translator *t) {
  char name[EXPRESSION_WORD + 1];
  const char *after = t->at;
  if (t->at == t->text || !strchr(" \t\r\n", t->at[-1]) || *t->at != 'd') return false;
  return expression_next_name(&after, name) && strcmp(name, "deg") == 0;
}

/* Parses operators of at least the precedence `least`; powers associate to the right, all others to
 * the left. */
static void translate_binary(translator *t, int least) {
  translate_operand(t);
  while (!t->status) {
    const int k = find_binary(t);
    if (k < 0 && BIND_UNARY >= least && finds_degrees(t)) {
      translate_word(t);
      emit(t, (instruction){.op = OP_MULTIPLY});
      continue;
    }
    if (k < 0 || binary[k].binds < least) return;
    t->at += strlen(binary[k].word);
    ++t->nested;
    if (t->nested > NESTED) fail_here(t, "nested too deeply", t->at, NULL);
    translate_binary(t, binary[k].binds + (binary[k].op != OP_POWER));
    --t->nested;
    emit(t, (instruction){.op = binary[k].op});
  }
}

static void translate_all(translator *t) {
  translate_binary(t, 1);
  const char *question = t->at;
  if (!accept(t, '?')) return;
  if (++t->nested > NESTED) fail_here(t, "nested too deeply", t->at, NULL);
  translate_all(t);
  if (!accept(t, ':')) fail_here(t, "? without :", question, "write condition ? a : b");
  translate_all(t);
  --t->nested;
  emit(t, (instruction){.op = OP_SELECT});
}

torsor_status program_translate(program *p, const char *text, const expression_scope *scope,
                                torsor_error *error) {
  translator t = {.p = p, .text = text, .at = text, .scope = scope, .error = error};
  int values = 1;
  *p = (program){0};
  translate_all(&t);
  while (!t.status && accept(&t, ',')) {
    translate_all(&t);
    ++values;
  }
  if (!t.status && peek(&t)) fail_operator(&t);
  if (t.status || values == 1) return t.status;
  return expression_fail_values(error, text, values);
}
