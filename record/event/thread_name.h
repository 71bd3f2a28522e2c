/*
 * thread_name.h: names that threads get after their first event.
 */
#ifndef THREAD_NAME_H
#define THREAD_NAME_H

#include <stdint.h>

/* Defines the calling thread, which is busy, with its name. tid: the kernel's number. */
void thread_name_define(uint32_t tid);
/* The same if it has another name by now. */
void thread_name_follow(void);
/* The calling thread may have another name. */
void thread_renamed(void);

#endif
