/* tau_profile_write.c: struct profile -> TAU profile directories (format: tau_profile.h). */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/profile_squares.h"
#include "convert/tau/tau_dir.h"
#include "convert/tau/tau_metadata.h"
#include "convert/tau/tau_names.h"
#include "convert/tau/tau_profile.h"
#include "record/metadata.h"

/* " 12.5": 16 digits as TAU has it, 17 where 16 would change the number; whole numbers are the same either way. */
static void put_number(FILE *f, double v)
{
	char text[40];

	if (fabs(v) < 1e15 && v == (double)(int64_t)v) {
		fprintf(f, " %lld", (long long)v);
		return;
	}
	snprintf(text, sizeof(text), "%.16G", v);
	if (isfinite(v) && strtod(text, NULL) != v)
		snprintf(text, sizeof(text), "%.17G", v);
	fprintf(f, " %s", text);
}

/* Names are one line. */
static void put_name(FILE *f, const char *s)
{
	for (; *s; s++)
		putc(*s == '\n' || *s == '\r' ? ' ' : *s, f);
}

static void put_path(FILE *f, const struct profile *p, uint32_t path)
{
	char small[512], *name = small;
	size_t n = profile_path_name(p, path, small, sizeof(small));

	if (n >= sizeof(small)) {
		name = mem_alloc(n + 1);
		profile_path_name(p, path, name, n + 1);
	}
	put_name(f, name);
	if (name != small)
		free(name);
}

/* As Java reads it. */
static void put_square(FILE *f, double v)
{
	if (isnan(v))
		fputs(" NaN", f);
	else
		put_number(f, v);
}

static void put_row(FILE *f, const struct profile *p, const struct profile_thread *t,
		    const struct profile_row *r, size_t metric, int squares)
{
	const struct profile_path *path = &p->path[r->path];
	const char *groups = p->timer[path->timer].groups;
	int callpath = path->parent != PROFILE_FLAT;

	putc('"', f);
	put_path(f, p, r->path);
	putc('"', f);
	put_number(f, r->calls);
	put_number(f, r->subrs);
	put_number(f, t->values[r->first + p->metric_n + metric]);
	put_number(f, t->values[r->first + metric]);
	if (squares)
		put_square(f, profile_squared(p, t, r, metric));
	fprintf(f, " 0 GROUP=\"%s%s", callpath ? "TAU_CALLPATH" : "",
		callpath && *groups ? "|" : "");
	put_name(f, groups);
	fputs("\" \n", f);
}

static void put_sample(FILE *f, const struct profile *p, const struct profile_sample *s)
{
	const double v[] = { s->n, s->max, s->min, s->mean, s->sumsq };

	putc('"', f);
	put_name(f, p->counter[s->counter].name);
	if (s->path != PROFILE_FLAT) {
		fputs(" : ", f);
		put_path(f, p, s->path);
	}
	putc('"', f);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		put_number(f, v[i]);
	putc('\n', f);
}

/*
 * The order in which events are written: an event before the same event in a context, and a counter
 * whose own name looks like "E : CONTEXT" after the real contexts. By this order a reader
 * distinguishes them.
 */
static int event_turn(const struct profile *p, const struct profile_sample *s)
{
	return s->path != PROFILE_FLAT ? 1 : strstr(p->counter[s->counter].name, " : ") ? 2 : 0;
}

static void put_events(FILE *f, const struct profile *p, const struct profile_thread *t)
{
	if (!t->sample_n)
		return;
	fprintf(f, "%zu userevents\n# eventname numevents max min mean sumsqr\n", t->sample_n);
	for (int turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < t->sample_n; i++)
			if (event_turn(p, &t->sample[i]) == turn)
				put_sample(f, p, &t->sample[i]);
}

static int is_ours(const char *name)
{
	static const char *const ours[] = {"Metric Name", TAU_META_WINDOW, TAU_META_WINDOW_BEGIN_US,
					   TAU_META_WINDOW_END_US};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(name, ours[i]))
			return 1;
	return 0;
}

static void put_window(FILE *f, const struct profile *p)
{
	char number[2][40];

	if (p->window)
		tau_metadata_write(f, TAU_META_WINDOW, p->window);
	if (p->end_us < p->begin_us)
		return;
	snprintf(number[0], sizeof(number[0]), "%.17G", p->begin_us);
	snprintf(number[1], sizeof(number[1]), "%.17G", p->end_us);
	tau_metadata_write(f, TAU_META_WINDOW_BEGIN_US, number[0]);
	tau_metadata_write(f, TAU_META_WINDOW_END_US, number[1]);
}

/* As in TAU, "Metric Name" is the first. */
static void put_metadata(FILE *f, const struct profile *p, uint32_t thread, size_t metric)
{
	const struct profile_thread *t = &p->thread[thread], *first = profile_first_thread(p);
	struct tau_metadata_of_file all = {0};

	fputs("<metadata>", f);
	tau_metadata_write(f, "Metric Name", p->metric[metric].name);
	put_window(f, p);
	tau_metadata_of_file((struct tau_metadata_list){p->meta, p->meta_n},
			     (struct tau_metadata_list){first->meta, first->meta_n},
			     (struct tau_metadata_list){t->meta, t->meta_n}, &all);
	for (size_t i = 0; i < all.v_n; i++)
		if (!is_ours(all.v[i]->name))
			tau_metadata_write(f, all.v[i]->name, all.v[i]->value);
	free(all.v);
	fputs("</metadata>", f);
}

/* A new file of one thread, for one metric. */
static int write_thread(const char *file, const struct profile *p, uint32_t thread, size_t metric,
			int squares, struct error *e)
{
	const struct profile_thread *t = &p->thread[thread];
	FILE *f = fopen(file, "wxe");
	int bad = !f, failed = errno;

	if (f) {
		fprintf(f, "%zu templated_functions_MULTI_", t->row_n);
		put_name(f, p->metric[metric].name);
		fprintf(f, "\n# Name Calls Subrs Excl Incl %sProfileCalls # ",
			squares ? "SumExclSqr " : "");
		put_metadata(f, p, thread, metric);
		putc('\n', f);
		for (size_t i = 0; i < t->row_n; i++)
			put_row(f, p, t, &t->row[i], metric, squares);
		fputs("0 aggregates\n", f);
		put_events(f, p, t);
		errno = 0;
		bad = fflush(f) != 0 || ferror(f);
		failed = errno;
		if (fclose(f) != 0 && !bad) {
			bad = 1;
			failed = errno;
		}
	}
	if (bad)
		error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(failed ? failed : EIO));
	return bad ? ERROR_SYSTEM : 0;
}

/* FOLDER/PREFIX.N.C.T of a thread */
static char *thread_file(const char *folder, const char *prefix, const struct profile_thread *t)
{
	return mem_printf("%s/%s.%d.%d.%d", folder, prefix, t->node, t->context, t->thread);
}

/* Is it a thread that was there, and not derived from others? */
static int is_real(const struct profile_thread *t)
{
	return t->node >= 0 && t->context >= 0 && t->thread >= 0;
}

/* The folder of one metric: dir itself when it is the only one. */
static char *metric_folder(const char *dir, const struct profile *p, size_t metric)
{
	char *name = p->metric_n == 1 ? mem_string(dir)
				      : mem_printf("%s/MULTI__%s", dir, p->metric[metric].name);

	for (char *c = name + strlen(dir) + 1; p->metric_n > 1 && *c; c++)
		if (*c == '/' || *c == '\n')
			*c = '_';
	return name;
}

static int write_all(const char *dir, const struct profile *p, struct error *e)
{
	int code = 0, squares = profile_squares_known(p) > 0;

	if (!p->metric_n && p->thread_n)
		return error_set(e, ERROR_INPUT,
				 "%s: a TAU profile file needs a metric, and this profile has "
				 "none: choose another format",
				 dir);
	for (size_t m = 0; code == 0 && m < p->metric_n; m++) {
		char *folder = metric_folder(dir, p, m);

		if (p->metric_n > 1 && mkdir(folder, 0777) < 0)
			code = error_set(e, ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
		for (size_t i = 0; code == 0 && i < p->thread_n; i++) {
			char *file = thread_file(folder, "profile", &p->thread[i]);

			if (is_real(&p->thread[i]))
				code = write_thread(file, p, (uint32_t)i, m, squares, e);
			free(file);
		}
		free(folder);
	}
	return code;
}

/* May dir be taken? 1: it is there and may be replaced, 0: it is not there. */
static int check_target(const char *dir, struct error *e)
{
	struct stat s;
	char *other;
	int code;

	if (lstat(dir, &s) < 0)
		return errno == ENOENT ? 0
				       : error_set(e, ERROR_SYSTEM, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(s.st_mode))
		return error_set(e, ERROR_SYSTEM, "%s: exists and is not a directory", dir);
	code = tau_dir_pure(dir, &other, e);
	if (code == 0)
		code = error_set(e, ERROR_SYSTEM,
				 "%s: contains '%s', which is not a TAU profile, and is not "
				 "replaced",
				 dir, other);
	free(other);
	return code;
}

/* Puts the finished directory in its place. An older profile is exchanged for it in one step where the system can. */
static int move_into_place(const char *made, const char *dir, int exists, struct error *e)
{
	char *old;

	if (!exists && rename(made, dir) == 0)
		return 0;
	if (exists && renameat2(AT_FDCWD, made, AT_FDCWD, dir, RENAME_EXCHANGE) == 0) {
		tau_dir_remove(made);
		return 0;
	}
	if (!exists || (errno != EINVAL && errno != ENOSYS))
		return error_set(e, ERROR_SYSTEM, "%s: %s", dir, strerror(errno));
	old = mem_printf("%s.old", made);
	if (rename(dir, old) < 0 || rename(made, dir) < 0) {
		error_set(e, ERROR_SYSTEM, "%s: %s", dir, strerror(errno));
		free(old);
		return ERROR_SYSTEM;
	}
	tau_dir_remove(old);
	free(old);
	return 0;
}

/* A new empty directory beside dir, so that rename() can move it. The caller frees the name. NULL: failed. */
static char *make_sibling(const char *dir, struct error *e)
{
	char *made = mem_printf("%s.new.XXXXXX", dir);
	mode_t mask = umask(0);

	umask(mask);
	if (mkdtemp(made) && chmod(made, 0777 & ~mask) == 0)
		return made;
	error_set(e, ERROR_SYSTEM, "%s: cannot make a directory beside it: %s", dir,
		  strerror(errno));
	free(made);
	return NULL;
}

int tau_profile_write(const char *dir, const struct profile *p, struct error *e)
{
	char *target = mem_string(dir), *made;
	struct tau_names names;
	size_t n = strlen(target);
	int exists, code;

	if (!strcmp(dir, "-")) {
		free(target);
		return error_set(e, ERROR_USAGE, "-: this format is a directory, not one file");
	}
	while (n > 1 && target[n - 1] == '/')
		target[--n] = 0;
	if (!*target || !strcmp(target, "/") ||
	    (n && target[n - 1] == '.' && (n == 1 || strchr("./", target[n - 2])))) {
		free(target);
		return error_set(e, ERROR_USAGE, "'%s': name the directory to create",
				 dir);
	}
	exists = check_target(target, e);
	made = exists < 0 ? NULL : make_sibling(target, e);
	code = exists < 0 ? exists : ERROR_SYSTEM;
	if (made) {
		code = write_all(made, tau_names_apply(&names, p), e);
		tau_names_release(&names);
	}
	if (code == 0)
		code = move_into_place(made, target, exists, e);
	if (code < 0 && made)
		tau_dir_remove(made);
	free(made);
	free(target);
	return code;
}

/* A file that takes the place of an older one in one step. */
static int replace_thread(const char *file, const struct profile *p, uint32_t thread, size_t metric,
			  struct error *e)
{
	char *made = mem_printf("%s.%ld.new", file, (long)getpid());
	int code;

	unlink(made);
	code = write_thread(made, p, thread, metric, profile_squares_known(p) > 0, e);
	if (!code && rename(made, file))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	if (code)
		unlink(made);
	free(made);
	return code;
}

int tau_profile_dump(const char *dir, const char *prefix, const struct profile *profile,
		     uint32_t thread, struct error *e)
{
	struct tau_names names;
	const struct profile *p = tau_names_apply(&names, profile);
	int code = 0;

	for (size_t m = 0; !code && m < p->metric_n; m++) {
		char *folder = metric_folder(dir, p, m);
		char *file = thread_file(folder, prefix, &p->thread[thread]);

		if (p->metric_n > 1 && mkdir(folder, 0777) < 0 && errno != EEXIST)
			code = error_set(e, ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
		if (!code)
			code = replace_thread(file, p, thread, m, e);
		free(file);
		free(folder);
	}
	tau_names_release(&names);
	return code;
}
