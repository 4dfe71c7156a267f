/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* f 2^x, f >= 2^63. */
typedef struct scaled {
  uint64_t f;
  int x;
} scaled;

/* Powers 10^(27 k), k = -FIRST ..., to half a unit of f.  10^27 is the last that is 5^27 2^27 with
 * 5^27 below 2^64. */
enum { EXACT = 27, FIRST = 11, POWERS = 24, DIGITS = 17 };

static const scaled power_table[POWERS] = {
    {UINT64_C(0xa76c582338ed2622), -1050}, {UINT64_C(0x873e4f75e2224e68), -960},
    {UINT64_C(0xda7f5bf590966849), -871},  {UINT64_C(0xb080392cc4349ded), -781},
    {UINT64_C(0x8e938662882af53e), -691},  {UINT64_C(0xe65829b3046b0afa), -602},
    {UINT64_C(0xba121a4650e4ddec), -512},  {UINT64_C(0x964e858c91ba2655), -422},
    {UINT64_C(0xf2d56790ab41c2a3), -333},  {UINT64_C(0xc428d05aa4751e4d), -243},
    {UINT64_C(0x9e74d1b791e07e48), -153},  {UINT64_C(0x8000000000000000), -63},
    {UINT64_C(0xcecb8f27f4200f3a), 26},    {UINT64_C(0xa70c3c40a64e6c52), 116},
    {UINT64_C(0x86f0ac99b4e8dafd), 206},   {UINT64_C(0xda01ee641a708dea), 295},
    {UINT64_C(0xb01ae745b101e9e4), 385},   {UINT64_C(0x8e41ade9fbebc27d), 475},
    {UINT64_C(0xe5d3ef282a242e82), 564},   {UINT64_C(0xb9a74a0637ce2ee1), 654},
    {UINT64_C(0x95f83d0a1fb69cd9), 744},   {UINT64_C(0xf24a01a73cf2dcd0), 833},
    {UINT64_C(0xc3b8358109e84f07), 923},   {UINT64_C(0x9e19db92b4e31ba9), 1013},
};

/* f 2^x with the leading 64 bits of a product. */
static scaled leading(wide product, int x) {
  const int up = product >> 127 ? 0 : 1;
  return (scaled){(uint64_t)(product >> (64 - up)), x + 64 - up};
}

/* 10^p, up to 1.5 units of f: what is cut off is less than one. */
static scaled power_of_ten(int p) {
  const int k = (p + EXACT * FIRST) / EXACT - FIRST, rest = p - EXACT * k;
  uint64_t five = 1;
  for (int i = 0; i < rest; ++i) five *= 5;
  const int shift = __builtin_clzll(five);
  const scaled of = power_table[k + FIRST];
  return leading((wide)of.f * (five << shift), of.x + rest - shift);
}

/* Errors of a number with 17 digits that comes of 1.5 units of 2^-63 are below 1e17 * 1.5 * 2^-63 =
 * 0.016. */
static const double UNSURE = 1.0 / 32;

static const uint64_t TOO_MANY = UINT64_C(100000000000000000);

/* The nearest whole number to m 2^x 10^p, m < 2^53, which has 17 or 18 digits; false where it may
 * be either of two. */
static bool round_to_digits(uint64_t *out, uint64_t m, int x, int p) {
  const scaled power = power_of_ten(p);
  const wide product = (wide)m * power.f;
  const int down = -(x + power.x);
  if (down < 1 || down > 127) return false;
  const uint64_t whole = (uint64_t)(product >> down);
  const double part = ldexp((double)(product - ((wide)whole << down)), -down);
  *out = whole + (part > 0.5);
  return fabs(part - 0.5) > UNSURE;
}

/* The 17 digits of `value` and the exponent of the first one; false where they are not sure. */
static bool find_digits(char digits[DIGITS], int *exponent, double value) {
  int x;
  memset(digits, '0', DIGITS);
  *exponent = 0;
  if (!isnormal(value)) return value == 0;
  const uint64_t m = (uint64_t)ldexp(frexp(value, &x), 53);
  uint64_t number;
  *exponent = (int)floor((x - 1) * 0.30102999566398120);
  if (!round_to_digits(&number, m, x - 53, DIGITS - 1 - *exponent)) return false;
  if (number >= TOO_MANY) {
    ++*exponent;
    if (!round_to_digits(&number, m, x - 53, DIGITS - 1 - *exponent)) return false;
  }
  for (int i = DIGITS - 1; i >= 0; --i) {
    digits[i] = (char)('0' + number % 10);
    number /= 10;
  }
  return true;
}

static char *put(char *at, const char *from, int count) {
  memcpy(at, from, (size_t)count);
  return at + count;
}

static char *put_zeros(char *at, int count) {
  memset(at, '0', (size_t)count);
  return at + count;
}

static char *put_exponent(char *at, int exponent) {
  const int size = exponent < 0 ? -exponent : exponent;
  *at++ = 'e';
  *at++ = exponent < 0 ? '-' : '+';
  if (size >= 100) *at++ = (char)('0' + size / 100);
  *at++ = (char)('0' + size / 10 % 10);
  *at++ = (char)('0' + size % 10);
  return at;
}

/* Lays out the digits as %g does. */
static char *lay_out(char *at, const char *digits, int exponent) {
  int count = DIGITS;
  while (count > 1 && digits[count - 1] == '0') --count;
  const bool fixed = exponent >= -4 && exponent < DIGITS;
  int before = fixed ? exponent + 1 : 1; /* the point */
  if (before <= 0) {
    *at++ = '0';
    *at++ = '.';
    at = put_zeros(at, -before);
    before = 0;
  } else if (before > count) {
    at = put_zeros(put(at, digits, count), before - count);
    before = count;
  } else {
    at = put(at, digits, before);
    if (before < count) *at++ = '.';
  }
  at = put(at, digits + before, count - before);
  if (!fixed) at = put_exponent(at, exponent);
  *at = 0;
  return at;
}

/* Exact as printf is, which takes what is rare: what is not normal, and what lies near the middle
 * of two numbers. */
static char *write_slowly(char *at, double value) {
  char *end = at + snprintf(at, NUMBER_ROOM, "%.17g", value);
  char *comma = memchr(at, ',', (size_t)(end - at));
  if (comma) *comma = '.';
  return end;
}

char *number_write(char *at, double value) {
  char digits[DIGITS];
  int exponent;
  if (!find_digits(digits, &exponent, fabs(value))) return write_slowly(at, value);
  char *begin = at;
  if (signbit(value)) *begin++ = '-';
  return lay_out(begin, digits, exponent);
}
