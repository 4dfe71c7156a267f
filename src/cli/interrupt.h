/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_INTERRUPT_H
#define TORSOR_CLI_INTERRUPT_H

/** Handling of SIGINT and SIGTERM: they end the program at once with the exit code 128 + signal,
 *  unless results have to be completed first. */

/** At the beginning: they end the program at once, whatever it is doing.  One that the caller
 *  ignores stays so. */
void interrupt_ends(void);

/** The same for a verb with results, until interrupt_finishes is called: the first signal is then
 *  remembered, so that what was computed can be written, and the second one ends the program. */
void interrupt_will_finish(void);
void interrupt_finishes(void);

/** The signal that is remembered, 0 = none. */
int interrupt_seen(void);

#endif
