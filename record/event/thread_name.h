/*
 * thread_name.h: names that threads get after their first event.
 */
#ifndef THREAD_NAME_H
#define THREAD_NAME_H

/* The calling thread may have another name. */
void thread_renamed(void);

#endif
