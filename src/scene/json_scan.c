/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/json_scan.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "scene/json_string.h"

/* The longest number that the parser behind the scan reads whole. */
enum { NUMBER_BYTES = 63, WORD_BYTES = 40 };

typedef struct scan {
  const char *text;
  size_t length, at;
  int depth;
  const char *what;
  size_t *key; /* offsets of the keys of all open objects, behind their quotes */
  size_t key_count, key_size;
  torsor_error *error;
} scan;

static torsor_status scan_value(scan *s);

void json_scan_position(const char *text, size_t offset, int *line, int *column) {
  size_t lines = 1, start = 0, characters = 1;
  for (size_t i = 0; i < offset; ++i)
    if (text[i] == '\n') {
      ++lines;
      start = i + 1;
    }
  for (size_t i = start; i < offset; ++i) characters += (text[i] & 0xc0) != 0x80;
  *line = lines < INT_MAX ? (int)lines : INT_MAX;
  *column = characters < INT_MAX ? (int)characters : INT_MAX;
}

size_t json_scan_bom(const char *text, size_t length) {
  return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

TORSOR_PRINTF(4, 5)
static torsor_status scan_fail(const scan *s, size_t offset, const char *hint, const char *format,
                               ...) {
  torsor_error *error = s->error;
  if (!error) return TORSOR_SCENE;
  char message[sizeof error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  torsor_fail(error, TORSOR_SCENE, "%s", message);
  if (hint) torsor_hint(error, "%s", hint);
  json_scan_position(s->text, offset, &error->line, &error->column);
  return TORSOR_SCENE;
}

static bool at_end(const scan *s) {
  return s->at >= s->length;
}

static char peek(const scan *s) {
  return at_end(s) ? '\0' : s->text[s->at];
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$';
}

static void skip_space(scan *s) {
  while (!at_end(s) && strchr(" \t\n\r", s->text[s->at]) && s->text[s->at]) ++s->at;
}

/* Cuts `bytes` to at most WORD_BYTES, not inside a character. */
static int shown_bytes(const char *text, size_t bytes) {
  if (bytes <= WORD_BYTES) return (int)bytes;
  int count = WORD_BYTES;
  while (count > 0 && (text[count] & 0xc0) == 0x80) --count;
  return count;
}

/* Describes the token at `at` for messages: a string, a word or number, a character, or a byte. */
static const char *found(const scan *s, char out[WORD_BYTES + 16]) {
  const char *at = s->text + s->at, *end = at;
  const size_t left = s->length - s->at;
  if (*at == '"')
    while (++end < at + left && *end != '"' && *end != '\\' && *end >= 0x20) continue;
  const bool closed = end > at && end < at + left && *end == '"';
  if (!closed) end = at + (*at == '-');
  while (!closed && end < at + left && (is_word(*end) || *end == '.')) ++end;
  const int bytes = utf8_length(at, left);
  if (closed)
    snprintf(out, WORD_BYTES + 16, "%.*s\"", shown_bytes(at, (size_t)(end - at)), at);
  else if (end > at + (*at == '-'))
    snprintf(out, WORD_BYTES + 16, "%.*s", shown_bytes(at, (size_t)(end - at)), at);
  else if (bytes == 0 || (unsigned char)*at < 0x20 || *at == 0x7f)
    snprintf(out, WORD_BYTES + 16, "byte 0x%02x", (unsigned char)*at);
  else
    snprintf(out, WORD_BYTES + 16, "'%.*s'", bytes, at);
  return out;
}

/* Failures that can stand anywhere between tokens; TORSOR_OK when it is none of them. */
static torsor_status scan_odd_token(const scan *s) {
  const char c = peek(s);
  const char next = s->at + 1 < s->length ? s->text[s->at + 1] : '\0';
  if (c == '\0')
    return scan_fail(s, s->at, "a scene is text in UTF-8",
                     "the %s is not text: it holds a zero byte", s->what);
  if ((c == '/' && (next == '/' || next == '*')) || c == '#')
    return scan_fail(s, s->at, "put it into a key \"comment\" or one that begins with \"_\"",
                     "JSON has no comments");
  if (c == '\'')
    return scan_fail(s, s->at, "write \"...\"",
                     "strings stand in double quotes, not in single ones");
  if (!utf8_length(s->text + s->at, s->length - s->at))
    return scan_fail(s, s->at, "save the file as UTF-8", "invalid UTF-8: byte 0x%02x",
                     (unsigned char)c);
  return TORSOR_OK;
}

/* ---- strings ------------------------------------------------------------------------------ */

static torsor_status scan_unicode(scan *s) {
  const char *digits = s->text + s->at + 2;
  const size_t left = s->length - s->at > 2 ? s->length - s->at - 2 : 0;
  const long code = json_string_hex4(digits, left);
  if (code < 0)
    return scan_fail(s, s->at, "for example \\u00e9", "\\u needs four hexadecimal digits");
  if (code == 0) return scan_fail(s, s->at, NULL, "the zero character \\u0000 is not allowed");
  s->at += 6;
  if (code < 0xd800 || code > 0xdfff) return TORSOR_OK;
  long low = -1;
  if (code < 0xdc00 && left >= 10 && digits[4] == '\\' && digits[5] == 'u')
    low = json_string_hex4(digits + 6, left - 6);
  if (low < 0xdc00 || low > 0xdfff)
    return scan_fail(s, s->at - 6, "characters beyond \\uffff are two escapes, \\ud83d\\ude00",
                     "\\u%.4s is half of a surrogate pair", digits);
  s->at += 6;
  return TORSOR_OK;
}

static torsor_status scan_escape(scan *s) {
  const char c = s->at + 1 < s->length ? s->text[s->at + 1] : '\0';
  if (c == 'u') return scan_unicode(s);
  if (!c || !strchr("\"\\/bfnrt", c)) {
    char shown[WORD_BYTES + 16] = "";
    const scan behind = {.text = s->text, .length = s->length, .at = s->at + 1};
    if (behind.at < s->length) found(&behind, shown);
    return scan_fail(s, s->at,
                     "a backslash itself is \\\\; \\\" \\/ \\b \\f \\n \\r \\t \\uXXXX exist",
                     "unknown escape: a backslash before %s", shown[0] ? shown : "the end");
  }
  s->at += 2;
  return TORSOR_OK;
}

/* A string; `at` stands on its opening quote. */
static torsor_status scan_string(scan *s) {
  const size_t start = s->at++;
  while (peek(s) != '"') {
    const unsigned char c = (unsigned char)peek(s);
    if (at_end(s) || c == '\n' || c == '\r')
      return scan_fail(s, start, "close it with \"; a line break inside is written \\n",
                       "the string that begins here is not closed %s",
                       at_end(s) ? "at all" : "on its line");
    if (c == '\\') {
      const torsor_status status = scan_escape(s);
      if (status) return status;
      continue;
    }
    if (c < 0x20)
      return scan_fail(s, s->at, c == '\t' ? "write \\t" : "write it as \\uXXXX",
                       "raw control character 0x%02x in a string", c);
    const int bytes = utf8_length(s->text + s->at, s->length - s->at);
    if (!bytes) return scan_odd_token(s);
    s->at += (size_t)bytes;
  }
  ++s->at;
  return TORSOR_OK;
}

/* ---- numbers and words -------------------------------------------------------------------- */

static size_t skip_digits(scan *s) {
  const size_t start = s->at;
  while (is_digit(peek(s))) ++s->at;
  return s->at - start;
}

static torsor_status scan_number_form(scan *s) {
  const size_t start = s->at;
  if (peek(s) == '-') ++s->at;
  const size_t whole = s->at;
  const size_t digits = skip_digits(s);
  if (!digits)
    return scan_fail(s, start, "digits follow a minus; an expression stands in quotes: \"-m\"",
                     "a minus sign without a number");
  if (digits > 1 && s->text[whole] == '0')
    return scan_fail(s, start, "leave the leading zeros out", "a number has a leading zero: %.*s",
                     shown_bytes(s->text + whole, digits), s->text + whole);
  if (digits == 1 && s->text[whole] == '0' && (peek(s) == 'x' || peek(s) == 'X'))
    return scan_fail(s, start, "write it in decimal", "JSON has no hexadecimal numbers");
  if (peek(s) == '.') {
    ++s->at;
    if (!skip_digits(s))
      return scan_fail(s, start, "write 5.0 or 5", "no digit follows the decimal point");
  }
  if (peek(s) == 'e' || peek(s) == 'E') {
    ++s->at;
    if (peek(s) == '+' || peek(s) == '-') ++s->at;
    if (!skip_digits(s)) return scan_fail(s, start, "write 1e-3", "no digit follows the exponent");
  }
  return TORSOR_OK;
}

static torsor_status scan_number(scan *s) {
  const size_t start = s->at;
  const torsor_status status = scan_number_form(s);
  if (status) return status;
  const size_t bytes = s->at - start;
  if (bytes > NUMBER_BYTES)
    return scan_fail(s, start, "17 digits say all that a number can hold",
                     "a number has more than %d characters", NUMBER_BYTES);
  char copy[NUMBER_BYTES + 1] = "";
  memcpy(copy, s->text + start, bytes);
  if (isinf(strtod(copy, NULL)))
    return scan_fail(s, start, "the largest number is about 1.797e308",
                     "the number %s is too large", copy);
  if (is_word(peek(s)) || peek(s) == '.') {
    s->at = start;
    while (is_word(peek(s)) || peek(s) == '.' || peek(s) == '-' || peek(s) == '+') ++s->at;
    const size_t all = s->at - start;
    return scan_fail(s, start, "an expression stands in quotes: \"2*m\"", "not a number: %.*s",
                     shown_bytes(s->text + start, all), s->text + start);
  }
  return TORSOR_OK;
}

/* One of true, false, null; anything else gets its own message. */
static torsor_status scan_word(scan *s) {
  static const char *const words[] = {"true", "false", "null"};
  static const char *const nearly[] = {"True", "TRUE", "False", "FALSE", "None", "NULL", "Null"};
  static const char *const meant[] = {"true", "true", "false", "false", "null", "null", "null"};
  static const char *const numbers[] = {"NaN",      "nan", "NAN", "Infinity",
                                        "infinity", "inf", "Inf", "INF"};
  const char *word = s->text + s->at;
  const char *name = word + (*word == '-' || *word == '+');
  const char *end = name;
  while (end < s->text + s->length && is_word(*end)) ++end;
  const size_t bytes = (size_t)(end - name);
  const int shown = shown_bytes(name, bytes);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (strlen(numbers[i]) == bytes && memcmp(numbers[i], name, bytes) == 0)
      return scan_fail(s, s->at, "every number of a scene is finite",
                       "%.*s is not a number in JSON", (int)(end - word), word);
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strlen(words[i]) == bytes && memcmp(words[i], word, bytes) == 0) {
      s->at += bytes;
      return TORSOR_OK;
    }
  for (size_t i = 0; i < sizeof nearly / sizeof *nearly; ++i)
    if (strlen(nearly[i]) == bytes && memcmp(nearly[i], word, bytes) == 0) {
      scan_fail(s, s->at, NULL, "unknown word %.*s", shown, word);
      torsor_hint(s->error, "write %s", meant[i]);
      return TORSOR_SCENE;
    }
  scan_fail(s, s->at, NULL, "text without quotes: %.*s", shown, word);
  torsor_hint(s->error, "strings and expressions stand in double quotes: \"%.*s\"", shown, word);
  return TORSOR_SCENE;
}

/* ---- arrays and objects -------------------------------------------------------------------- */

typedef struct span {
  const char *key;
  size_t offset;
} span;

static int compare_spans(const void *a, const void *b) {
  const span *left = a, *right = b;
  const int order = json_string_compare(left->key, right->key);
  if (order) return order;
  return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/* Fails at the first key that repeats an earlier one of the object whose keys begin at `first`. */
static torsor_status scan_duplicates(const scan *s, size_t first) {
  const size_t count = s->key_count - first;
  if (count < 2) return TORSOR_OK;
  span *spans = calloc(count, sizeof *spans);
  if (!spans) return torsor_fail(s->error, TORSOR_MEMORY, "out of memory");
  for (size_t i = 0; i < count; ++i) {
    spans[i].offset = s->key[first + i];
    spans[i].key = s->text + spans[i].offset;
  }
  qsort(spans, count, sizeof *spans, compare_spans);
  size_t earlier = 0, repeated = s->length;
  for (size_t i = 1; i < count; ++i)
    if (spans[i].offset < repeated && json_string_compare(spans[i - 1].key, spans[i].key) == 0) {
      earlier = spans[i - 1].offset;
      repeated = spans[i].offset;
    }
  free(spans);
  if (repeated == s->length) return TORSOR_OK;
  const char *key = s->text + repeated;
  int line, column;
  scan_fail(s, repeated - 1, NULL, "the key \"%.*s\" appears twice in one object",
            shown_bytes(key, strcspn(key, "\"\\")), key);
  json_scan_position(s->text, earlier - 1, &line, &column);
  torsor_hint(s->error, "the other one is on line %d, column %d", line, column);
  return TORSOR_SCENE;
}

static torsor_status push_key(scan *s, size_t offset) {
  if (s->key_count == s->key_size) {
    const size_t size = 2 * s->key_size + 64;
    size_t *grown = realloc(s->key, size * sizeof *grown);
    if (!grown) return torsor_fail(s->error, TORSOR_MEMORY, "out of memory");
    s->key = grown;
    s->key_size = size;
  }
  s->key[s->key_count++] = offset;
  return TORSOR_OK;
}

/* The text ended inside the array or object that begins at `start`. */
static torsor_status fail_open(const scan *s, size_t start) {
  const bool object = s->text[start] == '{';
  int line, column;
  json_scan_position(s->text, start, &line, &column);
  scan_fail(s, s->length, NULL, "the %s ends inside the %s that begins on line %d, column %d",
            s->what, object ? "object" : "array", line, column);
  torsor_hint(s->error, "close it with %c", object ? '}' : ']');
  return TORSOR_SCENE;
}

/* `"key" :` of the object that begins at `start`. */
static torsor_status scan_key(scan *s, size_t start) {
  char shown[WORD_BYTES + 16];
  if (at_end(s)) return fail_open(s, start);
  torsor_status status = scan_odd_token(s);
  if (status) return status;
  if (peek(s) != '"') {
    scan_fail(s, s->at, NULL, "a key in double quotes is missing before %s", found(s, shown));
    if (is_word(peek(s))) torsor_hint(s->error, "write \"%s\"", shown);
    return TORSOR_SCENE;
  }
  const size_t key = s->at + 1;
  status = scan_string(s);
  if (!status) status = push_key(s, key);
  if (status) return status;
  const size_t end = s->at - 1;
  skip_space(s);
  if (at_end(s)) return fail_open(s, start);
  if (peek(s) != ':')
    return scan_fail(s, s->at, "a key and its value are parted by a colon: \"mass\": 1",
                     "a colon is missing behind the key \"%.*s\"",
                     shown_bytes(s->text + key, end - key), s->text + key);
  ++s->at;
  skip_space(s);
  return at_end(s) ? fail_open(s, start) : TORSOR_OK;
}

/* Reads what follows an item: sets `*more` when a comma and another item follow, otherwise consumes
 * the closing bracket. */
static torsor_status scan_separator(scan *s, size_t start, bool *more) {
  const char close = s->text[start] == '{' ? '}' : ']';
  const size_t behind = s->at;
  skip_space(s);
  if (at_end(s)) return fail_open(s, start);
  const char c = peek(s);
  *more = c == ',';
  if (c != ',' && c != close) {
    const torsor_status status = scan_odd_token(s);
    if (status) return status;
    char shown[WORD_BYTES + 16];
    int line, column;
    if (strchr("]}:", c))
      return scan_fail(s, s->at, close == '}' ? "close it with }" : "close it with ]",
                       "%s does not fit into this %s", found(s, shown),
                       close == '}' ? "object" : "array");
    json_scan_position(s->text, behind, &line, &column);
    scan_fail(s, s->at, NULL, "a comma is missing before %s", found(s, shown));
    torsor_hint(s->error, "it belongs behind the value that ends on line %d, column %d", line,
                column - 1);
    return TORSOR_SCENE;
  }
  const size_t comma = s->at++;
  if (!*more) return TORSOR_OK;
  skip_space(s);
  if (peek(s) == close && !at_end(s))
    return scan_fail(s, comma, "remove it", "a comma follows the last value");
  return at_end(s) ? fail_open(s, start) : TORSOR_OK;
}

/* An array or an object; `at` stands on its opening bracket. */
static torsor_status scan_container(scan *s) {
  const size_t start = s->at++, first_key = s->key_count;
  const bool object = s->text[start] == '{';
  if (s->depth == JSON_DEPTH)
    return scan_fail(s, start, NULL, "arrays and objects are nested deeper than %d", JSON_DEPTH);
  ++s->depth;
  skip_space(s);
  bool more = true;
  if (peek(s) == (object ? '}' : ']')) {
    ++s->at;
    more = false;
  } else if (at_end(s)) {
    return fail_open(s, start);
  }
  while (more) {
    torsor_status status = object ? scan_key(s, start) : TORSOR_OK;
    if (!status) status = scan_value(s);
    if (!status) status = scan_separator(s, start, &more);
    if (status) return status;
  }
  --s->depth;
  const torsor_status status = scan_duplicates(s, first_key);
  s->key_count = first_key;
  return status;
}

/* A value; `at` stands on its first character. */
static torsor_status scan_value(scan *s) {
  const char c = peek(s);
  const char next = s->at + 1 < s->length ? s->text[s->at + 1] : '\0';
  if (c == '{' || c == '[') return scan_container(s);
  if (c == '"') return scan_string(s);
  if (is_word(c) && !is_digit(c)) return scan_word(s);
  if ((c == '-' || c == '+') && is_word(next) && !is_digit(next)) return scan_word(s);
  if (is_digit(c) || c == '-') return scan_number(s);
  if (c == '+' && (is_digit(next) || next == '.'))
    return scan_fail(s, s->at, "leave the plus out", "a number begins with a plus sign");
  if (c == '.' && is_digit(next))
    return scan_fail(s, s->at, "write 0.5", "no digit stands before the decimal point");
  const torsor_status status = scan_odd_token(s);
  if (status) return status;
  char shown[WORD_BYTES + 16];
  return scan_fail(s, s->at, "a value is a number, \"text\", true, false, null, [...] or {...}",
                   "a value is missing before %s", found(s, shown));
}

/* ---- the whole ------------------------------------------------------------------------------ */

static torsor_status scan_encoding(const scan *s) {
  const unsigned char *b = (const unsigned char *)s->text;
  if (s->length >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
    return scan_fail(s, 0, "save the file as UTF-8", "the %s is UTF-16, not UTF-8", s->what);
  const size_t seen = s->length < 4096 ? s->length : 4096;
  const char *zero = seen ? memchr(s->text, '\0', seen) : NULL;
  if (!zero) return TORSOR_OK;
  if (zero - s->text < 4)
    return scan_fail(s, 0, "save the file as UTF-8", "the %s is UTF-16 or UTF-32, not UTF-8",
                     s->what);
  return scan_fail(s, (size_t)(zero - s->text), "a scene is JSON text in UTF-8",
                   "the %s is not text: it holds a zero byte", s->what);
}

torsor_status json_scan_check(const char *text, size_t length, const char *what,
                              torsor_error *error) {
  const size_t bom = json_scan_bom(text, length);
  scan s = {.text = text + bom, .length = length - bom, .what = what, .error = error};
  torsor_status status = scan_encoding(&s);
  if (status) return status;
  skip_space(&s);
  if (at_end(&s))
    return scan_fail(&s, 0, "a scene begins with { \"torsor\": 1, ...", "the %s is empty", what);
  status = scan_value(&s);
  free(s.key);
  if (status) return status;
  skip_space(&s);
  if (at_end(&s)) return TORSOR_OK;
  status = scan_odd_token(&s);
  if (status) return status;
  char shown[WORD_BYTES + 16];
  return scan_fail(&s, s.at, "remove what follows the last bracket, or check the brackets",
                   "the %s goes on behind its end with %s", what, found(&s, shown));
}
