/* guard.c: reads OTF2 archives in a child process. */
#include "cmd/shared/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert/formats.h"
#include "convert/io/whole_file.h"
#include "convert/trace_write.h"

enum { KEPT = 100 }; /* of more operands than that the first bytes are read again when it is their turn */

/* "A" or "A, B, C" of those that are archives; NULL: none is. */
static char *archives(struct inputs *known, char *const *path, size_t n)
{
	char *all = NULL;

	for (size_t i = 0; i < n; i++) {
		char *longer;

		struct input *in = inputs_get(known, path[i]);
		int is = otf2_is(in);

		if (n > KEPT)
			input_changed(in);
		if (!is)
			continue;
		longer = mem_printf("%s%s%s", all ? all : "", all ? ", " : "", path[i]);
		free(all);
		all = longer;
	}
	return all;
}

int guard_crash(const char *paths, int number, struct error *e)
{
	if (number != SIGSEGV && number != SIGBUS && number != SIGABRT && number != SIGFPE &&
	    number != SIGILL)
		return 0;
	error_set(e, ERROR_INPUT,
		  "%s: the OTF2 library failed while reading it (%s): the archive is damaged",
		  paths, strsignal(number));
	return 1;
}

/* Ends as the child did. */
static void end_alike(const struct program *program, int status, const char *names)
{
	struct error e = {0};

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	if (guard_crash(names, WTERMSIG(status), &e))
		_exit(program_fail(program, &e));
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	_exit(128 + WTERMSIG(status));
}

/* The terminal's signals reach the child, too: it decides what they do. */
static int wait_for(pid_t child)
{
	int status = 0;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void guard_archives(const struct program *program, struct inputs *all, char *const *path, size_t n,
		    const char *to)
{
	char *names = archives(all, path, n);
	pid_t parent = getpid(), child;
	int status;

	if (!names)
		return;
	fflush(NULL);
	child = fork();
	if (child > 0) {
		status = wait_for(child);
		if (to && WIFSIGNALED(status))
			whole_sweep(to, child);
		end_alike(program, status, names);
	}
	free(names);
	/* Without a second process it is read unguarded. */
	if (child < 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(128 + SIGTERM);
}
