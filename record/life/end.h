/*
 * end.h: end of the recorder in a process.
 */
#ifndef END_H
#define END_H

/* Stores what was recorded; this process and its children record nothing more. why: for the message. */
void record_no_more(const char *why);

#endif
