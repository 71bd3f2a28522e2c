/* run_reason.h: why a run failed, as far as one line of its output shows it. */
#ifndef RUN_REASON_H
#define RUN_REASON_H

/*
 * The last line of a log that the program itself printed; without one, what the launcher printed: the first sentence of its last
 * message; without one, the last line of tau-record. To be freed; NULL: the log has no words.
 */
char *run_reason(const char *log);

#endif
