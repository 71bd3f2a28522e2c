/*
 * failure.h: what happens when the recorder cannot go on: one line on stderr, and the program continues.
 */
#ifndef FAILURE_H
#define FAILURE_H

/* Switches the recorder off for good in this process. error: an errno value; path may be NULL. */
void process_fail(int error, const char *what, const char *path);
/* At the start: what stderr is. */
void errors_begin(void);
/* Prints one line on stderr, in one write, without stdio; if stderr is not that of the start, it is kept in the run. Keeps errno. */
void message_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
