/* metrics.c: asks the recorder which metrics can be had, before the program is started. */
#include "metrics.h"
#include "launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void refuse_function(void *to, const char *name, const char *why);
typedef void check_function(const char *list, char *out, size_t size, refuse_function *refuse,
			    void *to);

/* A line for each name that is refused: name, tab, reason. */
static void refuse(void *to, const char *name, const char *why)
{
	fprintf(to, "%s\t%s\n", name, why);
}

/* The child: refusals, then the list of what is left. PAPI keeps files open and threads known, so
 * nothing of it stays. */
static void ask(const char *library, const char *list, int fd)
{
	void *h = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	check_function *check = NULL;
	FILE *to = fdopen(fd, "w");
	char left[32 * 130];

	if (!h || !to)
		_exit(1);
	*(void **)&check = dlsym(h, "tau_metrics_check");
	if (!check)
		_exit(1);
	check(list, left, sizeof(left), refuse, to);
	fprintf(to, "%s\n", left);
	_exit(fclose(to) != 0);
}

static int take_answer(FILE *from, int strict, char **out, struct error *e)
{
	char *line = NULL;
	size_t size = 0;
	int code = 0;

	while (getline(&line, &size, from) > 0) {
		char *why = strchr(line, '\t');

		line[strcspn(line, "\n")] = 0;
		if (!why) {
			free(*out);
			*out = mem_string(line);
			continue;
		}
		*why++ = 0;
		if (strict && !code)
			code = error_set(e, ERROR_INPUT, "metric %s: %s; not run (--strict)", line,
					 why);
		else if (!strict && job_speaks())
			fprintf(stderr, "tau-record: metric %s: %s; recorded without it\n", line,
				why);
	}
	free(line);
	return code;
}

int metrics_check(const char *library, const char *list, int strict, char **out, struct error *e)
{
	int fd[2], status = -1, code;
	pid_t child;
	FILE *from;

	*out = NULL;
	if (pipe(fd) < 0)
		return error_set(e, ERROR_SYSTEM, "--metrics: %s", strerror(errno));
	child = fork();
	if (child == 0) {
		close(fd[0]);
		ask(library, list, fd[1]);
	}
	close(fd[1]);
	from = fdopen(fd[0], "r");
	code = take_answer(from, strict, out, e);
	fclose(from);
	if (child > 0)
		waitpid(child, &status, 0);
	if (!code && (status != 0 || !*out))
		code = error_set(e, ERROR_SYSTEM, "--metrics: %s does not answer", library);
	return code;
}
