// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene/parser.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <muParser.h>
#include <new>

struct parser {
  mu::Parser translator;
};

// What `action` throws: muParser's own errors are faults of the expression, everything else that it can throw comes of
// a failed allocation.
template <typename Action> static parser_result guard(parser_fault *fault, Action action) noexcept {
  try {
    action();
    return PARSER_GOOD;
  } catch (const mu::ParserError &error) {
    if (fault) *fault = {static_cast<int>(error.GetCode()), static_cast<int>(error.GetPos())};
    return PARSER_REFUSED;
  } catch (...) {
    return PARSER_NO_MEMORY;
  }
}

// Numbers.  muParser itself reads them from a stream, which calls a failed allocation a fault of the text.
static int read_number(const char *text, int *position, double *value) {
  const bool begins = (*text >= '0' && *text <= '9') || *text == '.';
  const std::from_chars_result read = std::from_chars(text, text + std::strlen(text), *value);
  if (!begins || read.ec != std::errc()) return 0;
  *position += static_cast<int>(read.ptr - text);
  return 1;
}

parser *parser_create(const char *letters) {
  parser *p = nullptr;
  const parser_result result = guard(nullptr, [&] {
    p = new parser;
    p->translator.ClearConst();
    p->translator.AddValIdent(read_number);
    p->translator.DefineNameChars(letters);
  });
  if (result == PARSER_GOOD) return p;
  parser_destroy(p);
  return nullptr;
}

void parser_destroy(parser *p) {
  delete p;
}

parser_result parser_define_constant(parser *p, const char *name, double value) {
  return guard(nullptr, [&] { p->translator.DefineConst(name, value); });
}

parser_result parser_define_variable(parser *p, const char *name, double *value) {
  return guard(nullptr, [&] { p->translator.DefineVar(name, value); });
}

parser_result parser_translate(parser *p, const char *text, int *values, parser_fault *fault) {
  return guard(fault, [&] {
    p->translator.SetExpr(text);
    p->translator.Eval(*values);
  });
}

double parser_value(const parser *p) {
  double value = std::nan("");
  guard(nullptr, [&] { value = p->translator.Eval(); });
  return value;
}
