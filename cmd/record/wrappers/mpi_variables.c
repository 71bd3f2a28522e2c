/* mpi_variables.c: lists the variables of MPI's tool interface, and sets control variables for a program. */
#include "cmd/record/wrappers/mpi_variables.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/record/wrappers/wrappers.h"
#include "cmd/shared/choice.h"
#include "convert/io/text_file.h"
#include "record/metadata.h"
#include "cmd/shared/tau_variables.h"

#define LIBRARY	 "libmpi.so.40"
#define PREFIX	 "OMPI_MCA_" /* of the environment variable that sets a control variable of Open MPI */
#define PATIENCE 60	     /* s */

/* The process for the library ends with one of these. */
enum { DONE, NO_LIBRARY, NO_WRAPPER, NO_INTERFACE };

struct mpi_variable {
	int performance;
	char *name, *type, *how, *value, *about;
};

struct variables {
	struct mpi_variable *v;
	size_t v_n, v_cap;
};

/* ---- the other process ---- */

typedef void each_function(void *to, int performance, const char *name, const char *type,
			   const char *how, const char *value, const char *about);
typedef int variables_function(each_function *each, void *to);

static void field(FILE *f, const char *text, char end)
{
	for (; text && *text; text++)
		fputc(strchr("\t\n\r", *text) ? ' ' : *text, f);
	fputc(end, f);
}

static void line(void *to, int performance, const char *name, const char *type, const char *how,
		 const char *value, const char *about)
{
	fputc(performance ? 'p' : 'c', to);
	field(to, name, '\t');
	field(to, type, '\t');
	field(to, how, '\t');
	field(to, value, '\t');
	field(to, about, '\n');
}

static void list_request(const char *wrapper, int fd)
{
	variables_function *variables = NULL;
	FILE *to = fdopen(fd, "w");
	int null = open("/dev/null", O_RDWR);
	void *h;

	alarm(PATIENCE);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	/* First the wrapper, which finds MPI's functions in what is loaded after it. */
	h = dlopen(wrapper, RTLD_NOW | RTLD_LOCAL);
	if (!to || !dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL))
		_exit(NO_LIBRARY);
	if (h)
		*(void **)&variables = dlsym(h, "tau_mpi_variables");
	if (!variables)
		_exit(NO_WRAPPER);
	_exit(variables(line, to) && !fclose(to) ? DONE : NO_INTERFACE);
}

/* ---- what it writes ---- */

static char *next_field(char **at)
{
	char *word = strsep(at, "\t");

	return mem_string(word ? word : "");
}

static void read_variables(struct variables *x, FILE *from)
{
	char *text = NULL;
	size_t size = 0;

	while (getline(&text, &size, from) > 0) {
		char *at = text + 1;
		struct mpi_variable *v = array_add(x, v);

		text[strcspn(text, "\n")] = 0;
		v->performance = *text == 'p';
		v->name = next_field(&at);
		v->type = next_field(&at);
		v->how = next_field(&at);
		v->value = next_field(&at);
		v->about = next_field(&at);
	}
	free(text);
}

static void variables_release(struct variables *x)
{
	for (size_t i = 0; i < x->v_n; i++) {
		free(x->v[i].name);
		free(x->v[i].type);
		free(x->v[i].how);
		free(x->v[i].value);
		free(x->v[i].about);
	}
	free(x->v);
}

static int why_not(int status, struct error *e)
{
	const char *why = !WIFEXITED(status)		      ? "the MPI library crashed"
			  : WEXITSTATUS(status) == NO_LIBRARY ? LIBRARY " was not found"
			  : WEXITSTATUS(status) == NO_WRAPPER
				  ? "the MPI wrapper is not installed"
				  : "the MPI library has no tool interface";

	return error_set(e, ERROR_SYSTEM, "variables of MPI are unavailable: %s", why);
}

static int variables_get(struct variables *x, struct error *e)
{
	char wrapper[PATH_MAX];
	int fd[2], status = -1;
	pid_t child;
	FILE *from;

	*x = (struct variables){0};
	if (!library_find("mpi", wrapper))
		return why_not(NO_WRAPPER << 8, e);
	if (pipe(fd) < 0)
		return error_set(e, ERROR_SYSTEM, "variables of MPI: %s", strerror(errno));
	child = fork();
	if (child == 0) {
		close(fd[0]);
		list_request(wrapper, fd[1]);
	}
	close(fd[1]);
	from = fdopen(fd[0], "r");
	read_variables(x, from);
	fclose(from);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status ? why_not(status, e) : 0;
}

int mpi_variables_count(size_t *control, size_t *performance, struct error *e)
{
	struct variables x;
	int code = variables_get(&x, e);

	*control = *performance = 0;
	for (size_t i = 0; i < x.v_n; i++)
		*(x.v[i].performance ? performance : control) += 1;
	variables_release(&x);
	return code;
}

/* ---- the list ---- */

static int is_named(const struct mpi_variable *v, char **words, int n)
{
	for (int i = 0; i < n; i++)
		if (strstr(v->name, words[i]))
			return 1;
	return !n;
}

static void variable_print(const struct mpi_variable *v)
{
	if (v->performance)
		printf("%s  (performance, %s, %s)\n", v->name, v->how, v->type);
	else
		printf("%s = %s  (control, %s, %s)\n", v->name, v->value, v->how, v->type);
	if (*v->about)
		printf("    %s\n", v->about);
}

/* "; did you mean 'b'?" or ""; to be freed. controls: among control variables only. */
static char *near(const struct variables *x, const char *name, int controls)
{
	const char **known = mem_alloc((x->v_n + 1) * sizeof(*known));
	size_t n = 0;
	char *text;

	for (size_t i = 0; i < x->v_n; i++)
		if (!controls || !x->v[i].performance)
			known[n++] = x->v[i].name;
	text = choice_near(name, known, n);
	free(known);
	return text;
}

int mpi_variables_list(char **words, int n, struct error *e)
{
	struct variables x;
	int code = variables_get(&x, e), found = 0;

	for (size_t i = 0; !code && i < x.v_n; i++)
		if (is_named(&x.v[i], words, n)) {
			variable_print(&x.v[i]);
			found = 1;
		}
	if (!code && !found) {
		char *text = near(&x, n ? words[0] : "", 0);

		code = error_set(e, ERROR_INPUT, "--mpi-t-list: no variable has a name with '%s'%s",
				 n ? words[0] : "", text);
		free(text);
	}
	variables_release(&x);
	return code;
}

/* ---- setting ---- */

struct setting {
	char *variable, *value; /* of the environment */
};
static struct {
	struct setting *v;
	size_t v_n, v_cap;
} settings;

static const struct mpi_variable *variable_find(const struct variables *x, const char *name)
{
	for (size_t i = 0; i < x->v_n; i++)
		if (!strcmp(x->v[i].name, name))
			return &x->v[i];
	return NULL;
}

/* where: file and line, or a variable of the environment. */
static int set_one(const struct variables *x, const char *where, const char *name,
		   const char *value, struct error *e)
{
	const struct mpi_variable *v = variable_find(x, name);
	struct setting *s;
	char *text;

	if (v && (v->performance || !strcmp(v->how, TAU_MPI_T_CONSTANT)))
		return error_set(e, ERROR_INPUT, "%s: %s is %s and cannot be set", where, name,
				 v->performance ? "a performance variable" : "constant");
	if (!v) {
		text = near(x, name, 1);
		error_set(e, ERROR_INPUT, "%s: unknown control variable '%s'%s", where, name, text);
		free(text);
		return e->code;
	}
	s = array_add(&settings, v);
	s->variable = mem_printf(PREFIX "%s", name);
	s->value = mem_string(value);
	setenv(s->variable, value, 1);
	return 0;
}

static int set_line(const struct variables *x, const char *where, char *text, struct error *e)
{
	char *equals;

	text = text_trim(text);
	if (!*text || *text == '#')
		return 0;
	equals = strchr(text, '=');
	if (!equals || equals == text)
		return error_set(e, ERROR_INPUT, "%s: '%s' is not NAME=VALUE", where, text);
	*equals = 0;
	return set_one(x, where, text_trim(text), text_trim(equals + 1), e);
}

static int set_file(const struct variables *x, const char *file, struct error *e)
{
	FILE *f = text_fopen(file, e);
	char *text = NULL;
	size_t size = 0;
	int code = 0;

	if (!f)
		return e->code;
	for (unsigned n = 1; !code && getline(&text, &size, f) > 0; n++) {
		char *where = mem_printf("%s: line %u", file, n);

		code = set_line(x, where, text, e);
		free(where);
	}
	if (!code && ferror(f))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	free(text);
	fclose(f);
	return code;
}

/* TAU's lists of names and of values, separated by commas. */
static int set_lists(const struct variables *x, const char *names, const char *values,
		     struct error *e)
{
	char *name_list = mem_string(names), *value_list = mem_string(values ? values : "");
	char *name_at = name_list, *value_at = value_list, *name;
	int code = 0;

	while (!code && (name = strsep(&name_at, ","))) {
		char *value = strsep(&value_at, ",");

		if (!value || !value_at != !name_at)
			code = error_set(e, ERROR_INPUT,
					 "TAU_MPI_T_CVAR_VALUES: it needs one value for each name "
					 "in TAU_MPI_T_CVAR_METRICS");
		else
			code = set_one(x, "TAU_MPI_T_CVAR_METRICS", text_trim(name),
				       text_trim(value), e);
	}
	free(name_list);
	free(value_list);
	return code;
}

int mpi_variables_set(const char *file, struct error *e)
{
	const char *names = tau_variable("TAU_MPI_T_CVAR_METRICS");
	struct variables x;
	int code;

	if (names && !*names)
		names = NULL;
	if (!file && !names)
		return 0;
	code = variables_get(&x, e);
	if (!code && names)
		code = set_lists(&x, names, tau_variable("TAU_MPI_T_CVAR_VALUES"), e);
	if (!code && file)
		code = set_file(&x, file, e);
	variables_release(&x);
	return code;
}

void mpi_variables_show(void)
{
	for (size_t i = 0; i < settings.v_n; i++)
		printf("%s=%s\n", settings.v[i].variable, settings.v[i].value);
}
