/* messages.h: what recorded processes could not print on stderr. */
#ifndef CMD_RECORD_MESSAGES_H
#define CMD_RECORD_MESSAGES_H

/* Sets TAU_RECORD_STDERR: which file is stderr, so that processes print nothing in another one (record/base/failure.c). */
void messages_begin(void);
/* Prints what they have kept in the run instead, and removes the file. */
void messages_print(const char *directory);

#endif
