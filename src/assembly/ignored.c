/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <string.h>

void assembly_ignore_rows(assembly *a, const unsigned char *rows) {
  a->ignores = false;
  for (int i = 0; i < a->model->nl; ++i) {
    a->ignored[i] = rows && rows[i];
    a->ignores = a->ignores || a->ignored[i];
  }
}

const unsigned char *assembly_ignored_rows(const assembly *a) {
  return a->ignores ? a->ignored : NULL;
}

static void clear(double *out, int count) {
  if (out) memset(out, 0, (size_t)count * sizeof *out);
}

void assembly_clear_ignored(const assembly *a, const model_element *e, torsor_element_out *out) {
  const int n = 6 * e->nodes;
  for (int row = 0; row < e->rows; ++row) {
    if (!a->ignored[e->first_row + row]) continue;
    clear(out->phi ? out->phi + row : NULL, 1);
    clear(out->phi_v ? out->phi_v + row : NULL, 1);
    clear(out->phi_a ? out->phi_a + row : NULL, 1);
    clear(out->B ? out->B + row * n : NULL, n);
    clear(out->Z ? out->Z + row * n : NULL, n);
  }
}
