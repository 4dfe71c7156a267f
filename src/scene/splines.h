/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SPLINES_H
#define TORSOR_SCENE_SPLINES_H

/** Interpolation objects of GSL; NULL without memory, where GSL by itself would end the program. */

#include <gsl/gsl_errno.h>
#include <gsl/gsl_interp.h>
#include <gsl/gsl_interp2d.h>

static inline gsl_interp *spline_alloc(const gsl_interp_type *type, size_t count) {
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  gsl_interp *spline = gsl_interp_alloc(type, count);
  gsl_set_error_handler(before);
  return spline;
}

static inline gsl_interp2d *spline_alloc_surface(const gsl_interp2d_type *type, size_t x,
                                                 size_t y) {
  gsl_error_handler_t *before = gsl_set_error_handler_off();
  gsl_interp2d *surface = gsl_interp2d_alloc(type, x, y);
  gsl_set_error_handler(before);
  return surface;
}

#endif
