/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/number.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

/* The 17 digits of m 2^e are those of the integer N = m 5^k 2^(e + k), rounded to nearest even,
 * with k = 16 - x for a decimal exponent x.  5^k fits into 128 bits for k <= 55, and so m 5^k into
 * 181: all of this is exact. */
enum { DIGITS = 17, MOST_POWER = 55, MANTISSA_BITS = 52, EXPONENT_BIAS = 1075 };

static const uint64_t ten_16 = UINT64_C(10000000000000000), ten_17 = UINT64_C(100000000000000000);

/* 5^0 .. 5^27 */
static const uint64_t five[] = {1,
                                5,
                                25,
                                125,
                                625,
                                3125,
                                15625,
                                78125,
                                390625,
                                1953125,
                                9765625,
                                48828125,
                                244140625,
                                1220703125,
                                6103515625,
                                30517578125,
                                152587890625,
                                762939453125,
                                3814697265625,
                                19073486328125,
                                95367431640625,
                                476837158203125,
                                2384185791015625,
                                11920928955078125,
                                59604644775390625,
                                298023223876953125,
                                1490116119384765625,
                                7450580596923828125};

static uint128 power_of_five(int k) {
  uint128 power = 1;
  for (; k > 27; k -= 27) power *= five[27];
  return power * five[k];
}

/* floor(m 5^k 2^-s), rounded to nearest even when `round`; s <= 128, and the value below 2^64. */
static uint64_t scaled(uint64_t m, int k, int s, bool round) {
  const uint128 power = power_of_five(k);
  if (s <= 0) return (m * (uint64_t)power) << -s;
  const uint128 low = (uint128)m * (uint64_t)power;
  const uint128 high = (uint128)m * (uint64_t)(power >> 64) + (low >> 64);
  const uint64_t word[4] = {(uint64_t)low, (uint64_t)high, (uint64_t)(high >> 64), 0};
  const int i = s / 64, bit = s % 64;
  const uint64_t n = word[i] >> bit | (bit ? word[i + 1] << (64 - bit) : 0);
  const int half_word = (s - 1) / 64, half_bit = (s - 1) % 64;
  if (!round || !(word[half_word] >> half_bit & 1)) return n;
  uint64_t below = word[half_word] & ((UINT64_C(1) << half_bit) - 1);
  for (int j = 0; j < half_word; ++j) below |= word[j];
  return n + (below || (n & 1));
}

/* Digits (10^16 <= digits < 10^17) and decimal exponent of m 2^e with 2^52 <= m < 2^53; false when
 * it is out of range. */
static bool find_digits(uint64_t *digits, int *exponent, uint64_t m, int e) {
  int x = ((e + MANTISSA_BITS) * 78913) >> 18; /* floor of log10 2^(e + 52): right or 1 too small */
  for (int attempt = 0; attempt < 2; ++attempt, ++x) {
    const int k = DIGITS - 1 - x, s = -(e + k);
    if (k < 0 || k > MOST_POWER || s > 128) return false;
    if (scaled(m, k, s, false) >= ten_17) continue;
    *digits = scaled(m, k, s, true);
    *exponent = x;
    if (*digits == ten_17) {
      *digits = ten_16;
      *exponent = x + 1;
    }
    return true;
  }
  return false;
}

/* 16 digits of n < 10^16 in pairs. */
static void write_digits(char *out, uint64_t n) {
  static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                              "25262728293031323334353637383940414243444546474849"
                              "50515253545556575859606162636465666768697071727374"
                              "75767778798081828384858687888990919293949596979899";
  uint32_t part[2] = {(uint32_t)(n / 100000000), (uint32_t)(n % 100000000)};
  for (int j = 0; j < 2; ++j) {
    for (int i = 3; i >= 0; --i) {
      memcpy(out + 8 * j + 2 * i, pairs + 2 * (part[j] % 100), 2);
      part[j] /= 100;
    }
  }
}

static char *append(char *at, const char *bytes, int count) {
  memcpy(at, bytes, (size_t)count);
  return at + count;
}

/* As %g lays them out: positional for exponents -4 .. 16, without zeros at the end. */
static char *lay_out(char *at, const char *digit, int count, int x) {
  if (x >= -4 && x < 0) {
    at = append(at, "0.000", 1 - x);
    return append(at, digit, count);
  }
  const int whole = x >= 0 && x < DIGITS ? x + 1 : 1;
  for (int i = 0; i < whole; ++i) *at++ = i < count ? digit[i] : '0';
  if (count > whole) {
    *at++ = '.';
    at = append(at, digit + whole, count - whole);
  }
  if (whole == x + 1) return at;
  const int size = x < 0 ? -x : x;
  *at++ = 'e';
  *at++ = x < 0 ? '-' : '+';
  *at++ = (char)('0' + size / 10);
  *at++ = (char)('0' + size % 10);
  return at;
}

char *number_write(char *at, double value) {
  uint64_t bits, digits;
  memcpy(&bits, &value, sizeof bits);
  const int field = (int)(bits >> MANTISSA_BITS & 0x7ff);
  const uint64_t fraction = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
  int x;
  if (field == 0 && fraction == 0) {
    if (bits >> 63) *at++ = '-';
    *at++ = '0';
    return at;
  }
  if (field == 0 || field == 0x7ff ||
      !find_digits(&digits, &x, fraction | UINT64_C(1) << MANTISSA_BITS, field - EXPONENT_BIAS))
    return at + snprintf(at, NUMBER_ROOM, "%.17g", value);
  if (bits >> 63) *at++ = '-';
  char digit[DIGITS];
  digit[0] = (char)('0' + digits / ten_16);
  write_digits(digit + 1, digits % ten_16);
  int count = DIGITS;
  while (digit[count - 1] == '0') count -= 1;
  return lay_out(at, digit, count, x);
}
