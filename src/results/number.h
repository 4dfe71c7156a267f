/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_NUMBER_H
#define TORSOR_RESULTS_NUMBER_H

/** Room that number_write needs: "-1.7976931348623157e+308" and a terminating zero. */
enum { NUMBER_ROOM = 25 };

/** Write the bytes that printf's %.17g gives in the "C" locale, without a terminating zero; returns
 *  the end.  Finite numbers of 1e-39 to 1e17 in magnitude take a twentieth of printf's time; what
 * is left goes to printf, in the locale of the thread. */
char *number_write(char *at, double value);

#endif
