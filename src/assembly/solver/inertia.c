/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/inertia.h"

#include <math.h>

/* A diagonal entry is taken as pivot where it is at least this fraction of the largest entry, else
 * two rows are eliminated together: (1 + sqrt(17))/8, which bounds the growth of the entries (Bunch
 * and Parlett, SIAM J. Numer. Anal. 8 (1971) 639-655). */
static const double DIAGONAL = 0.6403882032022076;

/* Number of passes.  Each divides rows and columns by the square root of their largest entries,
 * which brings these near 1 (Ruiz, report RAL-TR-2001-034). */
enum { SCALINGS = 4 };

/* Returns the largest entry of row i. */
static double largest_in_row(const double *A, int n, int i) {
  double most = 0;
  for (int j = 0; j < n; ++j) most = fmax(most, fabs(A[i + j * n]));
  return most;
}

static void make_symmetric(double *A, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) A[i + j * n] = A[j + i * n] = (A[i + j * n] + A[j + i * n]) / 2;
}

/* Scales rows and columns alike, so that the matrix stays symmetric; each row uses the scales found
 * before it. */
static void balance(double *A, int n) {
  for (int pass = 0; pass < SCALINGS; ++pass)
    for (int i = 0; i < n; ++i) {
      const double most = largest_in_row(A, n, i), factor = most > 0 ? 1 / sqrt(most) : 1;
      for (int j = 0; j < n; ++j) {
        A[i + j * n] *= factor;
        A[j + i * n] *= factor;
      }
    }
}

static void exchange(double *A, int n, int i, int j) {
  for (int k = 0; k < n && i != j; ++k) {
    const double kept = A[i + k * n];
    A[i + k * n] = A[j + k * n];
    A[j + k * n] = kept;
  }
  for (int k = 0; k < n && i != j; ++k) {
    const double kept = A[k + i * n];
    A[k + i * n] = A[k + j * n];
    A[k + j * n] = kept;
  }
}

/* Finds the indices of the largest entry on the diagonal from row k on, and of the largest entry at
 * all. */
static void find_largest(const double *A, int n, int k, int *diagonal, int *row, int *column) {
  *diagonal = *row = *column = k;
  for (int j = k; j < n; ++j) {
    if (fabs(A[j + j * n]) > fabs(A[*diagonal + *diagonal * n])) *diagonal = j;
    for (int i = j; i < n; ++i)
      if (fabs(A[i + j * n]) > fabs(A[*row + *column * n])) {
        *row = i;
        *column = j;
      }
  }
}

/* Subtracts from the later rows what the pivot in row k contributes (1 x 1 pivot). */
static void eliminate_one(double *A, int n, int k) {
  for (int j = k + 1; j < n; ++j) {
    const double part = A[j + k * n] / A[k + k * n];
    for (int i = k + 1; i < n; ++i) A[i + j * n] -= part * A[i + k * n];
  }
}

/* Subtracts from the later rows what the 2 x 2 pivot in rows k and k + 1 contributes, whose
 * determinant is negative. */
static void eliminate_two(double *A, int n, int k) {
  const double a = A[k + k * n], b = A[k + 1 + k * n], c = A[k + 1 + (k + 1) * n];
  const double det = a * c - b * b;
  for (int j = k + 2; j < n; ++j) {
    const double x = A[j + k * n], y = A[j + (k + 1) * n];
    const double first = (c * x - b * y) / det, second = (a * y - b * x) / det;
    for (int i = k + 2; i < n; ++i)
      A[i + j * n] -= first * A[i + k * n] + second * A[i + (k + 1) * n];
  }
}

int inertia_negative(double *A, int n) {
  int negative = 0;
  make_symmetric(A, n);
  balance(A, n);
  for (int k = 0; k < n;) {
    int diagonal, row, column;
    find_largest(A, n, k, &diagonal, &row, &column);
    const double most = fabs(A[row + column * n]);
    if (!(most > 0)) return negative;
    if (fabs(A[diagonal + diagonal * n]) >= DIAGONAL * most) {
      exchange(A, n, k, diagonal);
      negative += A[k + k * n] < 0;
      eliminate_one(A, n, k);
      ++k;
    } else {
      exchange(A, n, k, column);
      exchange(A, n, k + 1, row);
      ++negative;
      eliminate_two(A, n, k);
      k += 2;
    }
  }
  return negative;
}
