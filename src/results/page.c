/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/page.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The head of an array that begins here; the caller adds members and closes it. */
static void begin(page_data *data, const char *kind, size_t count) {
  text_append_bytes(&data->bytes, "\0\0\0\0\0\0\0", (8 - data->bytes.length % 8) % 8);
  text_printf(&data->heads, "%s{\"kind\": \"%s\", \"block\": 0, \"offset\": %zu, \"count\": %zu",
              data->count ? ",\n" : "", kind, data->bytes.length, count);
}

static int end(page_data *data) {
  text_append(&data->heads, "}");
  return data->count++;
}

static void add_bits(text *t, uint64_t bits, int size) {
  char bytes[8];
  for (int i = 0; i < size; ++i) bytes[i] = (char)(unsigned char)(bits >> (8 * i));
  text_append_bytes(t, bytes, (size_t)size);
}

int page_add_exact(page_data *data, const double *first, size_t stride, size_t count) {
  begin(data, "f64", count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &first[i * stride], sizeof bits);
    add_bits(&data->bytes, bits, 8);
  }
  return end(data);
}

/* Is the change of the numbers too large, or not finite, for single precision? */
static bool is_wild(const double *first, size_t stride, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!(fabs(first[i * stride]) < 1e37)) return true;
  return false;
}

int page_add_numbers(page_data *data, const double *first, size_t stride, size_t count) {
  if (is_wild(first, stride, count)) return page_add_exact(data, first, stride, count);
  begin(data, "f32", count);
  const double shift = count ? first[0] : 0;
  text_append(&data->heads, ", \"shift\": ");
  text_json_number(&data->heads, shift);
  for (size_t i = 0; i < count; ++i) {
    const float change = (float)(first[i * stride] - shift);
    uint32_t bits;
    memcpy(&bits, &change, sizeof bits);
    add_bits(&data->bytes, bits, 4);
  }
  return end(data);
}

int page_add_text(page_data *data, const char *bytes, size_t count) {
  begin(data, "text", count);
  text_append_bytes(&data->bytes, bytes, count);
  return end(data);
}

/* Encodes second differences in zigzag form, which are small for smooth series.  Modulo 2^16. */
static uint16_t second_difference(const unsigned short *codes, size_t k) {
  uint16_t d = codes[k];
  if (k > 0) d = (uint16_t)(d - codes[k - 1]);
  if (k > 1) d = (uint16_t)(d - (uint16_t)(codes[k - 1] - codes[k - 2]));
  return (uint16_t)((uint16_t)(d << 1) ^ (d & 0x8000 ? 0xffff : 0));
}

int page_add_codes(page_data *data, const unsigned short *codes, size_t series, size_t count,
                   int range, double low, double scale) {
  begin(data, "q16", count);
  text_printf(&data->heads, ", \"series\": %zu", series);
  if (range >= 0) {
    text_printf(&data->heads, ", \"range\": %d", range);
  } else {
    text_append(&data->heads, ", \"low\": ");
    text_json_number(&data->heads, low);
    text_append(&data->heads, ", \"scale\": ");
    text_json_number(&data->heads, scale);
  }
  for (int plane = 0; plane < 2; ++plane)
    for (size_t s = 0; s < series; ++s)
      for (size_t k = 0; k < count; ++k)
        add_bits(&data->bytes, (uint64_t)second_difference(codes + s * count, k) >> (8 * plane), 1);
  return end(data);
}

static void append_base64(text *out, const unsigned char *bytes, size_t count) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < count; i += 3) {
    const size_t left = count - i;
    const uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? bytes[i + 2] : 0u);
    const char four[4] = {digit[three >> 18], digit[three >> 12 & 63],
                          left > 1 ? digit[three >> 6 & 63] : '=',
                          left > 2 ? digit[three & 63] : '='};
    text_append_bytes(out, four, 4);
  }
}

void page_block(text *out, const page_data *data) {
  uLongf size = compressBound((uLong)data->bytes.length);
  unsigned char *packed = malloc(size);
  const bool good =
      packed && !data->bytes.failed &&
      compress2(packed, &size, (const Bytef *)(data->bytes.data ? data->bytes.data : ""),
                (uLong)data->bytes.length, 6) == Z_OK;
  if (good)
    append_base64(out, packed, size);
  else
    out->failed = true;
  free(packed);
}

void page_release(page_data *data) {
  text_release(&data->bytes);
  text_release(&data->heads);
  data->count = 0;
}
