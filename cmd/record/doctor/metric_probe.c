/* metric_probe.c: finds out from the recorder which metrics are available, before the program is started. */
#include "cmd/record/doctor/metric_probe.h"
#include "cmd/record/launch/launch.h"
#include "cmd/record/wrappers/wrappers.h"

#include "analyze/base/nearest.h"
#include "cmd/shared/message.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void refuse_function(void *to, const char *name, const char *cause, const char *why);
typedef void check_function(const char *list, char *out, size_t size, refuse_function *refuse,
			    void *to);
typedef void names_function(void (*each)(void *to, const char *name), void *to);

/* A metric that this machine has. */
static void name_line(void *to, const char *name)
{
	fprintf(to, "\t%s\n", name);
}

/* A line for each name that is refused: name, cause and reason, with tabs. */
static void refuse(void *to, const char *name, const char *cause, const char *why)
{
	fprintf(to, "%s\t%s\t%s\n", name, cause, why);
}

/* The child: refusals, then the list of what is left. PAPI keeps files open and threads known, so
 * nothing of it stays. */
static void metric_request(const char *library, const char *list, int fd)
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

struct metric_known {
	char **name;
	size_t name_n, name_cap;
};

static int is_known(const struct metric_known *k, const char *word)
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
static int check_names(char *left, const char *list, const struct metric_known *known,
		       struct error *e)
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

static void answer_read(FILE *from, struct metric_answer *a, struct metric_known *known)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, from) > 0) {
		char *rest = line, *name, *cause;

		line[strcspn(line, "\n")] = 0;
		name = strsep(&rest, "\t");
		cause = strsep(&rest, "\t");
		if (rest) {
			*array_add(a, refused) = (struct metric_refused){
				mem_string(name), mem_string(cause), mem_string(rest)};
		} else if (cause) {
			*array_add(known, name) = mem_string(cause);
		} else {
			free(a->left);
			a->left = mem_string(name);
		}
	}
	free(line);
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

/* Asks the recorder's library, in a process of its own. */
static int answer_get(const char *library, const char *list, struct metric_answer *out,
		      struct metric_known *known, struct error *e)
{
	int fd[2], status = -1;
	pid_t child;
	FILE *from;

	*out = (struct metric_answer){0};
	if (pipe(fd) < 0)
		return error_set(e, ERROR_SYSTEM, "--metrics: %s", strerror(errno));
	child = fork();
	if (child == 0) {
		close(fd[0]);
		metric_request(library, list, fd[1]);
	}
	close(fd[1]);
	from = fdopen(fd[0], "r");
	answer_read(from, out, known);
	fclose(from);
	if (child > 0)
		waitpid(child, &status, 0);
	if (status != 0 || !out->left)
		return error_set(e, ERROR_SYSTEM, "--metrics: %s gives no result", library);
	return 0;
}

static void known_release(struct metric_known *k)
{
	for (size_t i = 0; i < k->name_n; i++)
		free(k->name[i]);
	free(k->name);
}

int metrics_request(const char *library, const char *list, struct metric_answer *out,
		    struct error *e)
{
	struct metric_known known = {0};
	int code = answer_get(library, list, out, &known, e);

	known_release(&known);
	return code;
}

void metric_answer_release(struct metric_answer *a)
{
	for (size_t i = 0; i < a->refused_n; i++) {
		free(a->refused[i].name);
		free(a->refused[i].cause);
		free(a->refused[i].why);
	}
	free(a->refused);
	free(a->left);
	*a = (struct metric_answer){0};
}

static int metrics_check(const char *library, const char *list, int strict, char **out,
			 struct error *e)
{
	char *names = plain(list);
	struct metric_answer a;
	struct metric_known known = {0};
	int code = answer_get(library, names, &a, &known, e);

	if (!code && strict && a.refused_n)
		code = error_set(e, ERROR_INPUT, "metric %s: %s; not run (--strict)",
				 a.refused[0].name, a.refused[0].why);
	for (size_t i = 0; !code && i < a.refused_n && job_speaks(); i++)
		message_print("tau-record", "metric %s: %s; recorded without it", a.refused[i].name,
			      a.refused[i].why);
	if (!code)
		code = check_names(a.left, list, &known, e);
	*out = a.left;
	a.left = NULL;
	metric_answer_release(&a);
	known_release(&known);
	free(names);
	return code;
}

int metrics_reduce(const char **list, int strict, struct error *e)
{
	char library[PATH_MAX], *left;

	if (!*list || !**list || !library_find("", library))
		return 0;
	if (metrics_check(library, *list, strict, &left, e))
		return e->code;
	*list = left;
	setenv("TAU_RECORD_METRICS", left, 1);
	return 0;
}
