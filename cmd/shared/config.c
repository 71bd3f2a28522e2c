/* config.c: reads configuration files, and sets the options that the command line does not have. */
#include "cmd/shared/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/nearest.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/message.h"
#include "cmd/shared/option_use.h"
#include "cmd/shared/option_value.h"
#include "convert/io/text_file.h"

#define PROJECT_FILE ".tau"

static const char *const programs[] = {"tau-record",  "tau-report",  "tau-trace2profile",
				       "tau-db",      "tau-convert", "tau-dump",
				       "tau-reduce",  "tau-monitor", "tau-view",
				       "tau-experiment"};
#define PROGRAMS (sizeof(programs) / sizeof(*programs))

/* A file while it is read. */
struct config {
	const struct program *program;
	char *given;
	const char *path;
	size_t line;
	int project; /* only options that choose what is recorded or shown, and no paths */
	int section; /* 0: before the first heading, 1: of this program, -1: of another one */
};

/* What files have set in this process, so that a later message about an option can be explained. */
static struct {
	struct config_setting {
		const char *option;
		char *where;
	} *setting;
	size_t setting_n, setting_cap;
} done;

static void done_add(const struct config *c, const struct option *o)
{
	struct config_setting *s = NULL;

	for (size_t i = 0; i < done.setting_n; i++)
		if (done.setting[i].option == o->name)
			s = &done.setting[i];
	if (!s)
		s = array_add(&done, setting);
	free(s->where);
	*s = (struct config_setting){o->name, mem_printf("%s, line %zu", c->path, c->line)};
}

void config_note(const char *program)
{
	char *text = NULL, *longer;

	for (size_t i = 0; i < done.setting_n; i++) {
		longer = mem_printf("%s%s--%s (%s)", text ? text : "", text ? ", " : "",
				    done.setting[i].option, done.setting[i].where);
		free(text);
		text = longer;
	}
	if (text)
		message_print(program,
			      "set by configuration files: %s; --no-config ignores them", text);
	free(text);
}

static int wrong(const struct config *c, struct error *e, const char *text)
{
	return error_set(e, ERROR_USAGE, "%s: line %zu: %s", c->path, c->line, text);
}

/* The same, and the text is freed. */
static int wrong_free(const struct config *c, struct error *e, char *text)
{
	int code = wrong(c, e, text);

	free(text);
	return code;
}

/* [PROGRAM] or [tau-db COMMAND]. */
static int heading(struct config *c, char *line, struct error *e)
{
	size_t n = strlen(line), found = 0;
	char *near;

	if (line[n - 1] != ']')
		return wrong(c, e, "a heading ends in ]");
	line[n - 1] = 0;
	line = text_trim(line + 1);
	c->section = strcmp(line, c->program->name) ? -1 : 1;
	n = strcspn(line, " ");
	while (found < PROGRAMS &&
	       (strlen(programs[found]) != n || strncmp(programs[found], line, n) != 0))
		found++;
	if (found < PROGRAMS && (!line[n] || !strcmp(programs[found], "tau-db")))
		return 0;
	near = choice_near(line, programs, PROGRAMS);
	wrong_free(c, e, mem_printf("there is no program [%s]%s", line, near));
	free(near);
	return e->code;
}

/* An option of a project's file: it is not the user who wrote it. */
static int project_check(const struct config *c, const struct option *o, const char *value,
			 struct error *e)
{
	if (!c->program->project || !option_is_word(c->program->project, o->name))
		return wrong_free(c, e,
				  mem_printf("%s is not for the file of a project; use the command "
					     "line or ~/.config/tau/config",
					     o->name));
	if (strchr(value, '/'))
		return wrong_free(c, e,
				  mem_printf("%s = %s: the file of a project contains no paths",
					     o->name, value));
	return 0;
}

/* A switch: yes or no. */
static int flag_set(const struct config *c, const struct option *o, const char *value,
		    struct error *e)
{
	static const char *const on[] = {"", "yes", "on", "true", "1"};
	static const char *const off[] = {"no", "off", "false", "0"};

	for (size_t i = 0; i < sizeof(on) / sizeof(*on); i++)
		if (!strcmp(value, on[i])) {
			*(int *)o->to = 1;
			return 0;
		}
	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++)
		if (!strcmp(value, off[i])) {
			*(int *)o->to = 0;
			return 0;
		}
	return wrong_free(c, e, mem_printf("%s = %s: it is yes or no", o->name, value));
}

/* Does the command line have an option that excludes this one? *other: an option of a file that does. */
static int yields(const struct config *c, const struct option *o, const char **other)
{
	const struct option *rows = c->program->options;

	for (const struct option_pair *p = c->program->pairs; p && p->one; p++) {
		const char *name = !strcmp(p->one, o->name)   ? p->other
				   : !strcmp(p->other, o->name) ? p->one
								: NULL;
		const struct option *x = name ? option_find(rows, name, strlen(name)) : NULL;

		if (x && c->given[x - rows] == GIVEN_ON_LINE)
			return 1;
		if (x && c->given[x - rows] == GIVEN_IN_FILE)
			*other = name;
	}
	return 0;
}

static int pair(const struct config *c, char *line, struct error *e)
{
	char *equals = strchr(line, '='), *value = equals ? text_trim(equals + 1) : "", *near;
	const char *other = NULL;
	const struct option *o;
	struct error why = {0};

	if (equals)
		*equals = 0;
	line = text_trim(line);
	if (!c->section)
		return wrong(c, e, "options follow a heading such as [tau-record]");
	if (c->section < 0)
		return 0;
	o = option_find(c->program->options, line, strlen(line));
	if (!o) {
		near = option_near(c->program->options, line, "");
		wrong_free(c, e,
			   mem_printf("%s has no option '%s'%s", c->program->name, line, near));
		free(near);
		return e->code;
	}
	if (c->project && project_check(c, o, value, e))
		return e->code;
	if (o->argument && o->type != OPTION_MAYBE && !equals)
		return wrong_free(c, e, mem_printf("%s needs = %s", o->name, o->argument));
	if (c->given[o - c->program->options] == GIVEN_ON_LINE || yields(c, o, &other))
		return 0;
	if (other)
		return wrong_free(c, e, mem_printf("%s and %s exclude each other", o->name, other));
	c->given[o - c->program->options] = GIVEN_IN_FILE;
	if (o->type == OPTION_FLAG) {
		done_add(c, o);
		return flag_set(c, o, value, e);
	}
	/* The option keeps the text until the program ends. */
	if (option_set(o, o->argument ? mem_string(value) : NULL, &why) < 0)
		return wrong(c, e, why.text);
	done_add(c, o);
	return 0;
}

static int lines(struct config *c, FILE *f, struct error *e)
{
	char *text = NULL;
	size_t cap = 0;
	int code = 0;

	while (code == 0 && getline(&text, &cap, f) > 0) {
		char *line = text_trim(text);

		c->line++;
		if (*line == '[')
			code = heading(c, line, e);
		else if (*line && *line != '#' && *line != ';')
			code = pair(c, line, e);
	}
	free(text);
	return code;
}

/*
 * named: that it cannot be read is an error. A project's file is read only if it is the user's own,
 * and others cannot write to it.
 */
static int file(struct config *c, int named, struct error *e)
{
	int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (c->project ? O_NOFOLLOW : 0);
	int fd = open(c->path, flags), code;
	struct stat s;
	FILE *f;

	if (fd < 0 || fstat(fd, &s) || !S_ISREG(s.st_mode)) {
		code = named ? error_set(e, ERROR_SYSTEM, "%s: %s", c->path,
					 fd < 0 ? strerror(errno) : "it is not a file")
			     : 0;
		if (fd >= 0)
			close(fd);
		return code;
	}
	if (c->project && (s.st_uid != geteuid() || (s.st_mode & (S_IWGRP | S_IWOTH)))) {
		message_print(c->program->name, "%s: not read, because %s", c->path,
			      s.st_uid == geteuid() ? "others may write to it"
						    : "it is another user's");
		close(fd);
		return 0;
	}
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return error_set(e, ERROR_SYSTEM, "%s: %s", c->path, strerror(errno));
	}
	f = text_stream(f);
	code = lines(c, f, e);
	fclose(f);
	return code;
}

/* ~/.config/tau/config; to be freed, NULL: the user has no home. */
static char *user_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		return mem_printf("%s/tau/config", config);
	return home && *home == '/' ? mem_printf("%s/.config/tau/config", home) : NULL;
}

/*
 * The file of the nearest directory, from the current one upwards. It ends before a directory that
 * is not the user's, or that others may write to. To be freed; NULL: there is none.
 */
static char *project_path(void)
{
	char here[PATH_MAX];
	struct stat s;

	if (!getcwd(here, sizeof(here)) || *here != '/')
		return NULL;
	while (*here) {
		char *path = mem_printf("%s/" PROJECT_FILE, here);

		if (stat(here, &s) || s.st_uid != geteuid() || (s.st_mode & S_IWOTH)) {
			free(path);
			return NULL;
		}
		if (!lstat(path, &s) && S_ISREG(s.st_mode))
			return path;
		free(path);
		*strrchr(here, '/') = 0;
	}
	return NULL;
}

static int one(const struct program *p, char *given, const char *path, int project, int named,
	       struct error *e)
{
	struct config c = {.program = p, .given = given, .path = path, .project = project};

	return path ? file(&c, named, e) : 0;
}

int config_apply(const struct program *p, char *given, const char *path, struct error *e)
{
	const char *variable = getenv("TAU_TOOLS_CONFIG");
	char *user, *project;
	int code;

	if (!path && variable) {
		if (!*variable)
			return 0;
		path = variable;
	}
	if (path)
		return one(p, given, path, 0, 1, e);
	user = user_path();
	code = one(p, given, user, 0, 0, e);
	free(user);
	project = code ? NULL : project_path();
	if (project)
		code = one(p, given, project, 1, 0, e);
	free(project);
	return code;
}
