/* process_environ.h: the environment that a process of this host began with. */
#ifndef PROCESS_ENVIRON_H
#define PROCESS_ENVIRON_H

/* The value of a variable, which the caller frees; NULL: the process has none, is gone, or is another user's. */
char *process_variable(long pid, const char *name);

#endif
