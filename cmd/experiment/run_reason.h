/* run_reason.h: why a run failed, as far as one line of its output shows it. */
#ifndef RUN_REASON_H
#define RUN_REASON_H

/*
 * Of what the program itself printed the last line with a word of failure, such as "cannot" or "error"; without one, its last line;
 * without one, what the launcher printed: the first sentence of its last message; without one, the last line of tau-record. To be freed; NULL: the log has no words.
 */
char *run_reason(const char *log);

#endif
