/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/parser.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <muParserDLL.h>

/* muParser's code ecINTERNAL_ERROR: its headers of C++ bring symbols that the library would
 * export. */
enum { INTERNAL_ERROR = 39 };

/* A parser is a handle of muParser's functions for C. */
static muParserHandle_t handle_of(const parser *p) {
  return reinterpret_cast<muParserHandle_t>(const_cast<parser *>(p));
}

/* Call `action`, which uses the parser.  What it throws, and what muParser calls an internal error
 * since it was thrown there, comes of a failed allocation. */
template <typename Action>
static parser_result guard(const parser *p, parser_fault *fault, Action action) noexcept {
  try {
    action();
    if (!mupError(handle_of(p))) return PARSER_GOOD;
    const int code = mupGetErrorCode(handle_of(p));
    if (code == INTERNAL_ERROR) return PARSER_NO_MEMORY;
    if (fault) *fault = {code, mupGetErrorPos(handle_of(p))};
    return PARSER_REFUSED;
  } catch (...) {
    return PARSER_NO_MEMORY;
  }
}

/* Numbers.  muParser itself reads them from a stream, which calls a failed allocation a fault of
 * the text. */
static muInt_t read_number(const muChar_t *text, muInt_t *position, muFloat_t *value) {
  const bool begins = (*text >= '0' && *text <= '9') || *text == '.';
  const std::from_chars_result read = std::from_chars(text, text + std::strlen(text), *value);
  if (!begins || read.ec != std::errc()) return 0;
  *position += static_cast<muInt_t>(read.ptr - text);
  return 1;
}

parser *parser_create(const char *letters) {
  parser *p = nullptr;
  try {
    p = reinterpret_cast<parser *>(mupCreate(muBASETYPE_FLOAT));
  } catch (...) {
    return nullptr;
  }
  const parser_result result = guard(p, nullptr, [&] {
    mupClearConst(handle_of(p));
    mupAddValIdent(handle_of(p), read_number);
    mupDefineNameChars(handle_of(p), letters);
  });
  if (result == PARSER_GOOD) return p;
  parser_destroy(p);
  return nullptr;
}

void parser_destroy(parser *p) {
  if (p) mupRelease(handle_of(p));
}

parser_result parser_define_constant(parser *p, const char *name, double value) {
  return guard(p, nullptr, [&] { mupDefineConst(handle_of(p), name, value); });
}

parser_result parser_define_variable(parser *p, const char *name, double *value) {
  return guard(p, nullptr, [&] { mupDefineVar(handle_of(p), name, value); });
}

parser_result parser_translate(parser *p, const char *text, int *values, parser_fault *fault) {
  const parser_result result = guard(p, fault, [&] { mupSetExpr(handle_of(p), text); });
  return result != PARSER_GOOD ? result
                               : guard(p, fault, [&] { mupEvalMulti(handle_of(p), values); });
}

double parser_value(const parser *p) {
  return mupEval(handle_of(p));
}
