/* run_pipe.h: a pipe in the directory of a run, through which recorded processes send messages to a thread of tau-record. */
#ifndef RUN_PIPE_H
#define RUN_PIPE_H

#include <pthread.h>
#include <stddef.h>

struct run_pipe {
	char *path; /* NULL: there is no pipe */
	int fd;	    /* reading does not wait */
	pthread_t thread;
};

/*
 * Makes the pipe .NAME.HOST.PID, sets the environment variable to its path, and starts serve(of). 0, or -1 and errno: there is no
 * pipe, and the variable is unset.
 */
int run_pipe_begin(struct run_pipe *p, const char *run, const char *name, const char *variable,
		   void *(*serve)(void *of), void *of);
/* Removes the pipe, sends the last message, with which the thread ends, and waits for the thread. It may have ended before. */
void run_pipe_end(struct run_pipe *p, const void *last, size_t n);

#endif
