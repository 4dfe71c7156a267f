/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_NUMBER_H
#define TORSOR_BASE_NUMBER_H

/** Room that number_write needs: "-1.7976931348623157e+308" and a terminating zero. */
enum { NUMBER_ROOM = 25 };

/** Write a number as %.17g with a decimal point, whatever the locale; returns the end, where a zero
 *  stands. */
char *number_write(char *at, double value);

#endif
