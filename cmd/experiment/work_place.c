/* work_place.c: makes and locks the directory of an experiment. */
#include "cmd/experiment/work_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/experiment/experiment.h"
#include "cmd/experiment/run_one.h"
#include "cmd/shared/shell_word.h"
#include "convert/io/listing.h"
#include "convert/io/paths.h"

#define NAME "experiment.ini"
#define LOCK "lock"

enum { FOUND_OWN = 1, FOUND_OTHER };

static int same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* The trials of one experiment are of one command. */
static int same_experiment(const struct experiment *x, const struct experiment *old,
			   struct error *e)
{
	char *command = shell_words_text(&x->command), *before = shell_words_text(&old->command);
	const char *other = !same(command, before)             ? "command"
			    : !same(x->record, old->record)    ? "--record"
			    : !same(x->input, old->input)      ? "--input"
			    : !x->variant_n != !old->variant_n ? "--variant"
							       : NULL;

	for (size_t i = 0; i < x->variant_n; i++)
		for (size_t k = 0; k < old->variant_n; k++)
			if (same(x->variant[i].name, old->variant[k].name) &&
			    !same(x->variant[i].value, old->variant[k].value))
				other = "--variant";
	if (other)
		error_set(e, ERROR_USAGE,
			  "%s contains an experiment with another %s: %s; choose another --output, "
			  "or remove that directory",
			  x->output, other, before);
	free(command);
	free(before);
	return other ? e->code : 0;
}

static int starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* Is there no run in the directory, complete or submitted? Logs of runs that failed do not count. */
static int has_no_run(const struct experiment *x)
{
	struct listing l = {0};
	int none = !listing_read(x->output, &l);

	for (size_t i = 0; i < l.entry_n && none; i++) {
		const char *name = l.entry[i].name;

		none = !strcmp(name, LOCK) || starts(name, NAME) || path_ends_in(name, RUN_LOG) ||
		       path_ends_in(name, RUN_KEPT) ||
		       (starts(name, RUN_PART) && !path_ends_in(name, RUN_PART_JOB));
	}
	listing_release(&l);
	return none;
}

/* FOUND_OWN: the file is there, and of this experiment. FOUND_OTHER: it is of another one that has
 * no run, which this one replaces: a command that failed was corrected. */
static int own_file_read(struct experiment *x, struct error *e)
{
	char *path = mem_join(x->output, "/" NAME, NULL);
	struct experiment old = {0};
	int code = 0;

	if (!access(path, F_OK)) {
		code = experiment_read(&old, path, e);
		if (code == 0 && same_experiment(x, &old, e)) {
			code = has_no_run(x) ? FOUND_OTHER : e->code;
		} else if (code == 0 && !*old.id) {
			code = error_set(e, ERROR_USAGE, "%s: it has no id", path);
		} else if (code == 0) {
			strcpy(x->id, old.id);
			code = FOUND_OWN;
		}
		if (code > 0)
			*e = (struct error){0};
		experiment_release(&old);
	}
	free(path);
	return code;
}

int work_place_find(struct experiment *x, struct error *e)
{
	int code = own_file_read(x, e);

	return code < 0 ? code : 0;
}

/* A new directory may contain only what a killed tau-experiment left. */
static int empty_check(const struct experiment *x, struct error *e)
{
	struct listing l = {0};
	int code = 0;

	listing_read(x->output, &l);
	for (size_t i = 0; i < l.entry_n && code == 0; i++)
		if (strcmp(l.entry[i].name, LOCK) != 0 && !starts(l.entry[i].name, NAME))
			code = error_set(
				e, ERROR_USAGE,
				"%s contains other files, such as %s; choose another --output",
				x->output, l.entry[i].name);
	listing_release(&l);
	return code;
}

static int lock_open(const struct experiment *x, int *lock, struct error *e)
{
	char *path = mem_join(x->output, "/" LOCK, NULL);
	int code = 0;

	*lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (*lock < 0)
		code = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	else if (flock(*lock, LOCK_EX | LOCK_NB))
		code = error_set(e, ERROR_SYSTEM,
				 "%s: another tau-experiment works in this directory", x->output);
	if (code && *lock >= 0)
		close(*lock);
	free(path);
	return code;
}

static int id_make(struct experiment *x, struct error *e)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return error_set(e, ERROR_SYSTEM, "no random number: %s", strerror(errno));
	snprintf(x->id, sizeof(x->id), "%016jx", (uintmax_t)number);
	return 0;
}

int work_place_open(struct experiment *x, int *lock, struct error *e)
{
	char *path;
	int code;

	if (mkdir(x->output, 0777) && errno != EEXIST)
		return error_set(e, ERROR_SYSTEM, "%s: %s", x->output, strerror(errno));
	code = own_file_read(x, e);
	if (code == 0)
		code = empty_check(x, e);
	if (code >= 0)
		code = lock_open(x, lock, e);
	if (code < 0)
		return code;
	/* Another one may have made it meanwhile. */
	code = own_file_read(x, e);
	if (code == 0 || code == FOUND_OTHER)
		code = id_make(x, e);
	path = mem_join(x->output, "/" NAME, NULL);
	if (code >= 0)
		code = experiment_write(x, path, 1, e);
	free(path);
	if (code < 0)
		close(*lock);
	return code;
}
