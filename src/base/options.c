/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/options.h"

#include <string.h>

torsor_status options_refuse_unsized(const char *name, const char *begin, torsor_error *error) {
  torsor_fail(error, TORSOR_ARGUMENT, "the size of %s is not set", name);
  torsor_hint(error, "begin with %s", begin);
  return TORSOR_ARGUMENT;
}

torsor_status options_refuse_unknown(const char *name, size_t size, size_t own,
                                     torsor_error *error) {
  torsor_fail(error, TORSOR_ARGUMENT,
              "%s has %zu bytes, of which this library knows %zu, and others are set", name, size,
              own);
  torsor_hint(error, "the program was compiled for a later version of the library: install that, "
                     "or leave these members out");
  return TORSOR_ARGUMENT;
}

torsor_status options_read(void *out, size_t own, const void *given, const char *name,
                           const char *begin, torsor_error *error) {
  const unsigned char *byte = given;
  size_t size;
  memcpy(&size, given, sizeof size);
  if (size <= sizeof size) return options_refuse_unsized(name, begin, error);
  for (size_t i = own; i < size; ++i)
    if (byte[i]) return options_refuse_unknown(name, size, own, error);
  memcpy((unsigned char *)out + sizeof size, byte + sizeof size,
         (size < own ? size : own) - sizeof size);
  return TORSOR_OK;
}

void options_write(void *out, size_t size, const void *from, size_t own) {
  memset(out, 0, size);
  memcpy(out, from, size < own ? size : own);
  memcpy(out, &size, sizeof size);
}
