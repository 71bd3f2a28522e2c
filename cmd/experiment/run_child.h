/* run_child.h: runs one command from its start to its end, with a line of progress, so that a signal ends it in order. */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include <signal.h>

#include "analyze/base/base.h"
#include "cmd/shared/progress.h"

/* The signals that end tau-experiment. They are held back from run_signals_begin() on. */
struct run_signals {
	sigset_t waited, before;
	int stopped;	/* the signal that has arrived; 0: none */
};
void run_signals_begin(struct run_signals *s);
/* Takes a signal that has arrived, or waits for one this long. 1: there was one, before or now. */
int run_signals_check(struct run_signals *s, int64_t wait_ns);

struct run_child {
	char *const *argv;	/* variables that are set, and the command; ends with NULL */
	const char *input;	/* NULL: no input */
	const char *output;	/* a file that stdout and stderr are added to; NULL: they are the caller's */
	const char *words;	/* what the line of progress begins with */
	struct progress *progress;	/* NULL: no line */
	int *status;	/* gets its wait status */
};
/*
 * ERROR_SYSTEM: it cannot be started. When a signal arrives, the command gets SIGTERM, and at the next one, or after 10 seconds, its
 * process group SIGKILL. If this process is killed, the command gets SIGTERM.
 */
int run_child(struct run_signals *s, const struct run_child *c, struct error *e);

/*
 * The same with the output in a temporary file: *line = the first or the last line that is not empty, to be freed; NULL: there is none.
 * c->output is not used.
 */
enum run_line { RUN_LINE_FIRST, RUN_LINE_LAST };
int run_capture(struct run_signals *s, const struct run_child *c, enum run_line which, char **line, struct error *e);
/* That line of a file. */
char *run_line_of(const char *path, enum run_line which);

/* "exit status 3", "signal 9 (Killed)"; to be freed. */
char *run_status_text(int status);

#endif
