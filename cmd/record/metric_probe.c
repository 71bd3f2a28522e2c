/* metric_probe.c: finds out from the recorder which metrics are available, before the program is started. */
#include "cmd/record/metric_probe.h"
#include "cmd/record/launch.h"

#include "analyze/base/nearest.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void refuse_function(void *to, const char *name, const char *why);
typedef void check_function(const char *list, char *out, size_t size, refuse_function *refuse,
			    void *to);
typedef void names_function(void (*each)(void *to, const char *name), void *to);

/* A metric that this machine has. */
static void name_line(void *to, const char *name)
{
	fprintf(to, "\t%s\n", name);
}

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
	names_function *names = NULL;
	FILE *to = fdopen(fd, "w");
	char left[32 * 130];

	if (!h || !to)
		_exit(1);
	*(void **)&check = dlsym(h, "tau_metrics_check");
	if (!check)
		_exit(1);
	*(void **)&names = dlsym(h, "tau_metrics_names");
	if (names)
		names(name_line, to);
	check(list, left, sizeof(left), refuse, to);
	fprintf(to, "%s\n", left);
	_exit(fclose(to) != 0);
}

struct known {
	char **name;
	size_t name_n, name_cap;
};

static int is_known(const struct known *k, const char *word)
{
	for (size_t i = 0; i < k->name_n; i++)
		if (!strcmp(k->name[i], word))
			return 1;
	return 0;
}

/*
 * A name that this machine does not have is one that the program registers, unless it is nearly the
 * name of a metric. A + before it: it is the program's in any case.
 */
static int check_names(char *left, const char *list, const struct known *known, struct error *e)
{
	char *copy = mem_string(left), *rest = copy, *word;
	int code = 0;

	while (!code && (word = strsep(&rest, ","))) {
		char *own = mem_printf("+%s", word);
		const char *near = strpbrk(word, ":") || !strncmp(word, "PAPI_", 5) ||
						   is_known(known, word) || strstr(list, own)
					   ? NULL
					   : nearest_name(word, (const char *const *)known->name,
							  known->name_n);

		free(own);
		if (near)
			code = error_set(
				e, ERROR_USAGE,
				"--metrics: unknown metric '%s'; did you mean '%s'? (+%s: the "
				"program registers it)",
				word, near, word);
	}
	free(copy);
	return code;
}

static int take_answer(FILE *from, int strict, char **out, struct known *known, struct error *e)
{
	char *line = NULL;
	size_t size = 0;
	int code = 0;

	while (getline(&line, &size, from) > 0) {
		char *why = strchr(line, '\t');

		line[strcspn(line, "\n")] = 0;
		if (why == line) {
			*array_add(known, name) = mem_string(line + 1);
			continue;
		}
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

/* The list without the + of the program's own metrics. */
static char *plain(const char *list)
{
	char *s = mem_string(list), *to = s;

	for (const char *from = s; *from; from++)
		if (*from != '+' || (from > s && !strchr(",: ", from[-1])))
			*to++ = *from;
	*to = 0;
	return s;
}

int metrics_check(const char *library, const char *list, int strict, char **out, struct error *e)
{
	int fd[2], status = -1, code;
	char *names = plain(list);
	struct known known = {0};
	pid_t child;
	FILE *from;

	*out = NULL;
	if (pipe(fd) < 0)
		return error_set(e, ERROR_SYSTEM, "--metrics: %s", strerror(errno));
	child = fork();
	if (child == 0) {
		close(fd[0]);
		ask(library, names, fd[1]);
	}
	close(fd[1]);
	from = fdopen(fd[0], "r");
	code = take_answer(from, strict, out, &known, e);
	fclose(from);
	if (child > 0)
		waitpid(child, &status, 0);
	if (!code && (status != 0 || !*out))
		code = error_set(e, ERROR_SYSTEM, "--metrics: %s gives no result", library);
	if (!code)
		code = check_names(*out, list, &known, e);
	for (size_t i = 0; i < known.name_n; i++)
		free(known.name[i]);
	free(known.name);
	free(names);
	return code;
}
