/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/equilibrate.h"

#include <math.h>

/* Number of passes.  Each divides rows and columns by the square root of their largest entries,
 * which brings these near 1 (Ruiz, report RAL-TR-2001-034). */
enum { SCALINGS = 6 };

/* Makes one pass; row_most and column_most are work of [n] each. */
static void scale_once(double *row, double *column, const pattern *p, const double *Ax,
                       double *row_most, double *column_most) {
  for (int i = 0; i < p->n; ++i) row_most[i] = column_most[i] = 0;
  for (int j = 0; j < p->n; ++j)
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k) {
      const int i = p->Ai[k];
      const double size = fabs(Ax[k]) * row[i] * column[j];
      row_most[i] = fmax(row_most[i], size);
      column_most[j] = fmax(column_most[j], size);
    }
  for (int i = 0; i < p->n; ++i) {
    if (row_most[i] > 0) row[i] /= sqrt(row_most[i]);
    if (column_most[i] > 0) column[i] /= sqrt(column_most[i]);
  }
}

void equilibrate(double *row, double *column, double *work, const pattern *p, const double *Ax) {
  for (int i = 0; i < p->n; ++i) row[i] = column[i] = 1;
  for (int pass = 0; pass < SCALINGS; ++pass) scale_once(row, column, p, Ax, work, work + p->n);
}

void equilibrate_values(double *out, const pattern *p, const double *Ax, const double *row,
                        const double *column) {
  for (int j = 0; j < p->n; ++j)
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k) out[k] = Ax[k] * row[p->Ai[k]] * column[j];
}
