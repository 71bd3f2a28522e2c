/*
 * commands.h: commands from outside the process, which tau-record --control gives.
 *
 * The processes of a run map a page of commands (format.h). A thread loads the number of commands once per LOOK_RECORDS of its
 * records, and with a record that follows a pause, but then at most once per millisecond; while recording is off, with each call.
 */
#ifndef COMMANDS_H
#define COMMANDS_H


#include <stdbool.h>
#include <stdint.h>

void commands_start(void);
void commands_after_fork(void);
/* Executes the commands that have come. The calling thread is busy, and between two records. */
void commands_look(void);
/* The same before the first record after a pause of the thread, which looks now; true: there were some. */
bool commands_look_late(uint64_t now);

#endif
