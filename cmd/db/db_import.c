/* db_import.c: tau-db import: runs and profiles become trials. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/profile/derived_threads.h"
#include "cmd/db/db_command.h"
#include "cmd/shared/notes.h"
#include "cmd/shared/parallel.h"
#include "cmd/shared/trace_options.h"
#include "convert/load.h"
#include "convert/profile_format.h"
#include "convert/tau/ppk_stream.h"
#include "db/db.h"
#include "record/metadata.h"

static const char *name, *callpath, *application, *experiment;
static struct option_list metadata;
static struct reading reading = READING_DEFAULT;
static int summary, alone;

static const struct option import_options[] = {
	OPTION_DB,
	{'n', "name", OPTION_TEXT, "NAME", "set the trial's name (default: the run's)", &name},
	READING_WINDOWS(&reading),
	READING_ONLY(&reading),
	READING_THREADS(&reading),
	{'c', "callpath", OPTION_MAYBE, "DEPTH", "store call paths too, at most DEPTH timers long",
	 &callpath},
	{'m', "metadata", OPTION_LIST, "NAME=VALUE",
	 "add this to the trial's metadata; may be repeated", &metadata},
	{'a', "application", OPTION_TEXT, "NAME",
	 "add the metadata Application, and a view of all its trials",
	 &application},
	{'x', "experiment", OPTION_TEXT, "NAME",
	 "add the metadata Experiment, and a view of all its trials", &experiment},
	{'s', "summary", OPTION_FLAG, NULL,
	 "store only total, means, extremes and standard deviations over all threads", &summary},
	{0, "alone", OPTION_FLAG, NULL, "do not share work with the other processes of a parallel "
					"job",
	 &alone},
	{0},
};

/* -1: all, 0: none, otherwise the number of timers in a path. */
static int callpath_depth(int *depth, struct error *e)
{
	char *end;
	long n;

	*depth = !callpath ? 0 : -1;
	if (!callpath || !*callpath)
		return 0;
	errno = 0;
	n = strtol(callpath, &end, 10);
	if (errno || *end || n < 2 || n > INT32_MAX)
		return error_set(e, ERROR_USAGE,
				 "--callpath: '%s' is not a number of timers, 2 or more", callpath);
	*depth = (int)n;
	return 0;
}

/* What the command line adds to a trial, in each of its windows. */
static int add_metadata(struct profile *p, struct error *e)
{
	for (size_t i = 0; i < metadata.v_n; i++) {
		const char *equals = strchr(metadata.v[i], '=');
		char *key;

		if (!equals || equals == metadata.v[i])
			return error_set(e, ERROR_USAGE, "--metadata: '%s' is not NAME=VALUE",
					 metadata.v[i]);
		key = mem_printf("%.*s", (int)(equals - metadata.v[i]), metadata.v[i]);
		profile_set_meta(p, UINT32_MAX, key, equals + 1);
		free(key);
	}
	if (application)
		profile_set_meta(p, UINT32_MAX, "Application", application);
	if (experiment)
		profile_set_meta(p, UINT32_MAX, "Experiment", experiment);
	if (name) {
		free(p->name);
		p->name = mem_string(name);
	}
	return 0;
}

/*
 * The windows asked for; when none is, everything, and what was live before finalize where the run
 * has that moment.
 */
static int import_load(const char *run, const struct load_options *load, struct profile ***p,
		       size_t *n, struct error *e)
{
	static const char *usual[] = {":", LOAD_BEFORE_FINALIZE};
	struct load_options both = *load;
	struct load_report said = {0};
	struct error none = {0};
	int code = -1;

	both.window = usual;
	both.window_n = sizeof(usual) / sizeof(usual[0]);
	both.report = &said;
	if (!load->window_n && !reading.every && !reading_sliced(&reading))
		code = load_profiles(run, &both, p, n, &none);
	for (size_t i = 0; code == 0 && i < said.note_n; i++)
		*array_add(load->report, note) = note_copy(&said.note[i]);
	load_report_release(&said);
	return code ? load_profiles(run, load, p, n, e) : 0;
}

static void import_say(int64_t trial, const struct profile *p, const char *run, size_t pes,
		       size_t threads, size_t n)
{
	printf("trial %jd: %s, PEs %zu, threads %zu, windows %zu%s\n", (intmax_t)trial,
	       p->name ? p->name : run, pes, threads, n, p->summary.pes ? ", summary" : "");
	fflush(stdout);
}

/* What threads know stays known of the trial, as far as it does not know it itself; lost events are added up. */
static void keep_metadata(struct profile *p)
{
	static const char lost[] = TAU_META_LOST_EVENTS;
	double sum = 0;
	int found = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].meta_n; i++) {
			const struct profile_attribute *a = &p->thread[t].meta[i];

			if (!strcmp(a->name, lost)) {
				sum += strtod(a->value, NULL);
				found = 1;
			} else if (!profile_meta(p, UINT32_MAX, a->name)) {
				profile_set_meta(p, UINT32_MAX, a->name, a->value);
			}
		}
	if (found) {
		char *text = mem_printf("%.0f", sum);

		profile_set_meta(p, UINT32_MAX, lost, text);
		free(text);
	}
}

static void count_thread(struct profile_summary *s, const struct profile_thread *t)
{
	s->threads++;
	s->pes = (size_t)t->node >= s->pes ? (size_t)t->node + 1 : s->pes;
	s->contexts = t->context >= s->contexts ? t->context + 1 : s->contexts;
	s->per_context = t->thread >= s->per_context ? t->thread + 1 : s->per_context;
}

static void put_derived(struct profile *p, const struct profile_thread derived[STATS_DERIVED])
{
	for (int d = 0; d < STATS_DERIVED; d++) {
		uint32_t id = profile_add_thread(p, -1 - d, -1 - d, -1 - d);

		p->thread[id] = derived[d];
	}
}

/* The threads that any of the windows has, as if they were one profile. */
static struct profile *threads_of_all(struct profile *const *p, size_t n)
{
	struct profile *all = profile_new();

	for (size_t w = 0; w < n; w++)
		for (size_t t = 0; t < p[w]->thread_n; t++)
			if (p[w]->thread[t].node >= 0)
				profile_add_thread(all, p[w]->thread[t].node,
						   p[w]->thread[t].context, p[w]->thread[t].thread);
	return all;
}

/* Leaves the derived threads alone. All windows of a run have the threads that any of them has. */
static void summarize_windows(struct profile *const *p, size_t n, const struct profile *all)
{
	struct profile_summary s = {0};
	struct profile_thread derived[STATS_DERIVED];
	struct waiting *waiting =
		waiting_find((const struct profile *const *)p, n, TIMER_MEASURED);

	for (size_t t = 0; t < all->thread_n; t++)
		count_thread(&s, &all->thread[t]);
	for (size_t w = 0; w < n; w++) {
		derived_derive(p[w], waiting, derived);
		keep_metadata(p[w]);
		profile_drop_threads(p[w]);
		put_derived(p[w], derived);
		profile_sort(p[w]);
		p[w]->summary = s;
	}
	waiting_free(waiting);
}

/* A database that is not there yet is made when there is something to keep in it. */
static int store(struct db **db, struct profile **p, size_t n, int64_t *trial, struct error *e)
{
	int code = *db ? 0 : db_open(db_file(), DB_CREATE, db, e);

	return code < 0 ? code : db_store(*db, (const struct profile *const *)p, n, trial, e);
}

static int import_run(struct db **db, const char *run, const struct load_options *load,
		      struct error *e)
{
	struct profile **p, *all;
	int64_t trial;
	size_t n;
	int code = import_load(run, load, &p, &n, e);

	if (code < 0)
		return code;
	if (!parallel_writes(load->ranks)) {
		free(p);
		return 0;
	}
	for (size_t i = 0; code == 0 && i < n; i++)
		code = add_metadata(p[i], e);
	all = threads_of_all(p, n);
	if (code == 0 && summary)
		summarize_windows(p, n, all);
	if (code == 0)
		code = store(db, p, n, &trial, e);
	if (code == 0)
		import_say(trial, p[0], run, profile_pes(all), all->thread_n, n);
	profile_free(all);
	for (size_t i = 0; i < n; i++)
		profile_free(p[i]);
	free(p);
	return code;
}

/* The derived threads of all the rest, which is forgotten as it comes. */
static int summarize(struct ppk_stream *s, struct error *e)
{
	struct profile *p = ppk_stream_profile(s);
	struct derived_stream *stats = derived_stream_new(p);
	const struct profile_thread *t;
	struct profile_thread derived[STATS_DERIVED];
	int code;

	while ((code = ppk_stream_next(s, &t, e)) == 1) {
		derived_stream_add(stats, t);
		count_thread(&p->summary, t);
	}
	if (code == 0 && !p->summary.threads)
		code = error_set(e, ERROR_INPUT, "no threads in it");
	if (code == 0) {
		derived_stream_derive(stats, derived);
		put_derived(p, derived);
	}
	derived_stream_free(stats);
	return code;
}

/* Packed profiles: thread by thread, so that a job of any size goes through in the memory that its
 * store needs. */
static int import_packed(struct db **db, const char *run, struct error *e)
{
	struct ppk_stream *s = NULL;
	struct profile *p = NULL;
	int64_t trial;
	int code;

	if (reading.text.v_n || reading.every || reading_sliced(&reading))
		return error_set(e, ERROR_USAGE,
				 "--window: %s is a packed profile, which has no time",
				 run);
	code = ppk_stream_open(run, summary ? PPK_NO_THREAD_META : 0, &s, e);
	if (code == 0)
		code = summary ? summarize(s, e) : ppk_stream_rest(s, e);
	if (code == 0) {
		p = ppk_stream_profile(s);
		if (!p->name)
			p->name = strcmp(run, "-") ? profile_name_of(run)
						   : mem_string("standard input");
		profile_sort(p);
		code = add_metadata(p, e);
	}
	if (code == 0)
		code = store(db, &p, 1, &trial, e);
	if (code == 0)
		import_say(trial, p, run, profile_pes(p),
			   summary ? p->summary.threads : p->thread_n, 1);
	ppk_stream_close(s);
	return code;
}

/* What comes through a pipe can be read once only: it is taken for a packed profile without a look at it. */
static int is_packed(const char *run)
{
	struct stat s;

	if (!strcmp(run, "-") || (!stat(run, &s) && S_ISFIFO(s.st_mode)))
		return 1;
	return ppk_stream_is(run);
}

/* Several processes of an MPI job share the reading; rank 0 writes. */
static int import_all(int n, char **run, struct ranks *ranks, struct error *e)
{
	struct load_report report = {0};
	struct load_options load = {.report = &report, .ranks = ranks};
	struct db *db = NULL;
	int code = callpath_depth(&load.callpath_depth, e);

	if (n < 1)
		return error_set(e, ERROR_USAGE, "name a run, or a directory of TAU profiles");
	if (code == 0)
		code = reading_take(&reading, &load, e);
	if (code == 0 && parallel_writes(ranks) && !access(db_file(), F_OK))
		code = db_open(db_file(), DB_CREATE, &db, e);
	if (code < 0)
		return code;
	for (int i = 0; code == 0 && i < n; i++) {
		int packed = is_packed(run[i]);

		if (!packed && access(run[i], F_OK))
			code = error_set(e, ERROR_SYSTEM, "%s: %s", run[i], strerror(errno));
		else
			code = !packed                  ? import_run(&db, run[i], &load, e)
			       : parallel_writes(ranks) ? import_packed(&db, run[i], e)
							: 0;
	}
	notes_print("tau-db", report.note, report.note_n);
	load_report_release(&report);
	reading_release(&reading);
	db_close(db);
	return code;
}

static int run_import(int n, char **run, struct error *e)
{
	struct ranks *ranks;
	int code = parallel_begin(alone, &ranks, e);

	if (code == 0)
		code = import_all(n, run, ranks, e);
	return parallel_finish(ranks, code, e);
}

const struct db_command command_import = {
	.run = run_import,
	.guarded = 1,
	.program.name = "tau-db import",
	.program.usage = "[options] RUN...",
	.program.about = "Stores runs, or directories of TAU profiles, as one trial each. "
			 "A trial is stored completely or not at all.",
	.program.options = import_options,
};
