/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_NUMBER_H
#define TORSOR_BASE_NUMBER_H

/** Room that number_write needs: "-1.7976931348623157e+308" and a terminating zero. */
enum { NUMBER_ROOM = 25 };

/** Write a number as %.17g with a decimal point, whatever the locale; returns the end, where a zero
 *  stands. */
char *number_write(char *at, double value);

/** Read a number such as 1, .5 or 1.5e-3 with a decimal point, whatever the locale; returns its
 *  end, or NULL where there is none, or one too large for a double. */
const char *number_read(double *value, const char *at);

#endif
