/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include "base/text.h"

/* ---- Matrix Market files (Boisvert, Pozo, Remington 1996) ------------------------------------ */

static const struct {
  const char *file, *meaning;
} matrices[TORSOR_MATRICES] = {
    [TORSOR_MATRIX_M] = {"M.mtx", "of e'' in M e'' + C e' + K e + G lambda = 0"},
    [TORSOR_MATRIX_C] = {"C.mtx", "of e' in M e'' + C e' + K e + G lambda = 0"},
    [TORSOR_MATRIX_K] = {"K.mtx", "of e in M e'' + C e' + K e + G lambda = 0"},
    [TORSOR_MATRIX_B] = {"B.mtx", "B e = 0 in holonomic rows, B e' + Z e = 0 in nonholonomic ones"},
    [TORSOR_MATRIX_Z] = {"Z.mtx", "of e in B e' + Z e = 0 of the nonholonomic rows"},
    [TORSOR_MATRIX_G] = {"G.mtx", "of lambda in M e'' + C e' + K e + G lambda = 0"}};

const char *torsor_matrix_file(int i) {
  return i >= 0 && i < TORSOR_MATRICES ? matrices[i].file : NULL;
}

torsor_status torsor_matrix_text(char **out, const torsor_modes *modes, int i,
                                 torsor_error *error) {
  const torsor_linear_matrix *m = &modes->matrix[i];
  *out = NULL;
  if (m->rows == 0) return TORSOR_OK;
  text t = {0};
  text_append(&t, "%%MatrixMarket matrix coordinate real general\n");
  text_printf(&t, "%% %s\n", matrices[i].meaning);
  text_append(&t, "% SI units; e: variations of the bodies in their axes, see unknowns.csv\n");
  text_printf(&t, "%d %d %d\n", m->rows, m->columns, m->count);
  for (int k = 0; k < m->count; ++k)
    text_printf(&t, "%d %d %.17g\n", m->row[k] + 1, m->column[k] + 1, m->value[k]);
  return text_finish(out, &t, error);
}

torsor_status torsor_unknowns_csv_text(char **out, const torsor_modes *modes, torsor_error *error) {
  static const char *const component[] = {"translation.x", "translation.y", "translation.z",
                                          "rotation.x",    "rotation.y",    "rotation.z"};
  text t = {0};
  text_append(&t, "unknown,index,element,component,dependent\n");
  for (int i = 0; i < modes->velocities; ++i)
    text_printf(&t, "e,%d,%s,%s,0\n", i + 1, modes->column[i].element,
                component[modes->column[i].place]);
  for (int i = 0; i < modes->rows; ++i)
    text_printf(&t, "%s,%d,%s,%d,%d\n", modes->row[i].nonholonomic ? "nonholonomic" : "holonomic",
                i + 1, modes->row[i].element, modes->row[i].place, modes->row[i].dependent);
  return text_finish(out, &t, error);
}
