/* db_import.c: tau-db import: runs and profiles become trials. */
#include <math.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/note.h"
#include "analyze/base/base.h"
#include "analyze/profile/derived_threads.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/db/db_command.h"
#include "cmd/db/db_description.h"
#include "cmd/db/db_jobs.h"
#include "cmd/db/db_runs.h"
#include "cmd/db/db_series.h"
#include "cmd/shared/notes.h"
#include "cmd/shared/parallel.h"
#include "cmd/shared/progress.h"
#include "cmd/table/table_text.h"
#include "convert/io/blob.h"
#include "cmd/shared/trace_options.h"
#include "convert/io/input.h"
#include "convert/io/paths.h"
#include "convert/load.h"
#include "convert/profile_format.h"
#include "convert/tau/ppk_stream.h"
#include "db/db.h"
#include "record/metadata.h"

static const char *name, *callpath, *application, *experiment;
static struct option_list metadata, tags;
static struct trace_options trace_options = TRACE_OPTIONS_DEFAULT;
static int summary, alone, again, no_squares, sizes;
static struct progress progress;
static int store_failed; /* the database, not the run: other runs would fail alike */

static const struct option import_options[] = {
	OPTION_DB,
	OPTION_HEADING("The trial"),
	{'n', "name", OPTION_TEXT, "NAME", "set the trial's name (default: the run's)", &name},
	{'a', "application", OPTION_TEXT, "NAME",
	 "add the metadata Application, and a view of all its trials",
	 &application},
	{'x', "experiment", OPTION_TEXT, "NAME",
	 "add the metadata Experiment, and a view of all its trials", &experiment},
	{'g', "tag", OPTION_LIST, "TAG", "add this tag; may be repeated", &tags},
	{'m', "metadata", OPTION_LIST, "NAME=VALUE|FILE",
	 "add this, or all of a JSON file, to the trial's metadata; may be repeated", &metadata},
	{0, "again", OPTION_FLAG, NULL,
	 "store a trial even if the database contains the same one", &again},
	OPTION_HEADING("Which part of a run"),
	TRACE_OPTIONS_WINDOWS(&trace_options),
	TRACE_OPTIONS_ONLY(&trace_options),
	OPTION_HEADING("What is stored"),
	{'c', "callpath", OPTION_MAYBE, "DEPTH", "store call paths too, at most DEPTH timers long",
	 &callpath},
	{'s', "summary", OPTION_FLAG, NULL,
	 "store only total, means, extremes and standard deviations over all threads", &summary},
	{0, "sizes", OPTION_FLAG, NULL,
	 "also count messages by peer and size, which reads all events", &sizes},
	{0, "no-squares", OPTION_FLAG, NULL,
	 "do not sum squares of exclusive times, which reads all events; import faster",
	 &no_squares},
	OPTION_HEADING("How it is read"),
	TRACE_OPTIONS_THREADS(&trace_options),
	{0, "alone", OPTION_FLAG, NULL, "do not share work with the other processes of a parallel "
					"job",
	 &alone},
	{0},
};

/* code: of a function of the database. */
static int stored(int code)
{
	store_failed |= code < 0;
	return code;
}

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
static struct description description;

static void add_metadata(struct profile *p)
{
	description_add(&description, p);
	if (application)
		profile_set_meta(p, UINT32_MAX, "Application", application);
	if (experiment)
		profile_set_meta(p, UINT32_MAX, "Experiment", experiment);
	if (name) {
		free(p->name);
		p->name = mem_string(name);
	}
}

static void import_print(int64_t trial, int known, const struct profile *p, const char *run,
		       size_t pes, const struct profile *threads, size_t n)
{
	char *shown = text_clean(p->name ? p->name : run);
	size_t queues = waiting_queues(threads);

	progress_end(&progress);
	if (known) {
		printf("%s: already stored as trial %jd\n", run, (intmax_t)trial);
	} else {
		char *devices = queues ? mem_printf(", queues of devices %zu", queues)
				       : mem_string("");

		printf("trial %jd: %s, PEs %zu, threads %zu%s, windows %zu%s\n", (intmax_t)trial,
		       shown, pes, p->summary.pes ? p->summary.threads : waiting_threads(threads),
		       devices, n, p->summary.pes ? ", summary" : "");
		free(devices);
	}
	fflush(stdout);
	free(shown);
}

/* What threads know stays known of the trial, as far as it does not know it itself; lost events are added up. */
static void keep_metadata(struct profile *p)
{
	static const char lost[] = TAU_META_LOST_EVENTS;
	double sum = 0;
	int found = 0;

	for (uint32_t t = 0; t < p->thread_n; t++) {
		double n = profile_meta_number(p, t, lost);

		for (size_t i = 0; i < p->thread[t].meta_n; i++) {
			const struct profile_attribute *a = &p->thread[t].meta[i];

			if (strcmp(a->name, lost) != 0 && !profile_meta(p, UINT32_MAX, a->name))
				profile_set_meta(p, UINT32_MAX, a->name, a->value);
		}
		sum += isnan(n) ? 0 : n;
		found |= !isnan(n);
	}
	if (found) {
		char *text = mem_printf("%.0f", sum);

		profile_set_meta(p, UINT32_MAX, lost, text);
		free(text);
	}
}

static void count_thread(struct profile_summary *s, const struct profile_thread *t)
{
	s->threads += !waiting_is_queue(t) && !waiting_has_values(t);
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

/* The same thread in another profile, and what kind of thread it is. */
static void add_thread(struct profile *p, const struct profile_thread *t)
{
	uint32_t id = profile_add_thread(p, t->node, t->context, t->thread);

	for (size_t i = 0; i < t->meta_n; i++)
		if (waiting_decides(t->meta[i].name))
			profile_set_meta(p, id, t->meta[i].name, t->meta[i].value);
}

/*
 * A run on its way into the database: its windows come twice, so that few of them stay in memory. First they are defined, then
 * stored. All windows of a run have the threads that any of them has.
 */
struct import {
	struct db **db;
	struct db_store *store; /* NULL: no window has come */
	struct profile *all;	/* only its threads */
	struct waiting *waiting;
	struct profile_summary summary;
	char *name;		/* of the trial */
	int begun, known;
	size_t windows;
};

static int window_define(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct import *im = to;

	(void)at;
	(void)e;
	add_metadata(p);
	if (!im->store) {
		im->store = db_store_new(summary);
		db_store_origin(im->store, runs_origin());
		im->all = profile_new();
		im->waiting = waiting_new();
		im->name = p->name ? mem_string(p->name) : NULL;
	}
	im->windows = n;
	waiting_note(im->waiting, p);
	for (size_t t = 0; t < p->thread_n; t++)
		if (p->thread[t].node >= 0)
			add_thread(im->all, &p->thread[t]);
	if (summary)
		keep_metadata(p);
	db_store_define(im->store, p);
	return 0;
}

/* All is defined. A database that is not there yet is made when there is something to keep in it. */
static int import_begin(struct import *im, struct error *e)
{
	int code;

	jobs_turn();
	code = *im->db ? 0 : stored(db_open_file(DB_CREATE, im->db, e));
	waiting_judge(im->waiting, TIMER_MEASURED);
	for (size_t t = 0; t < im->all->thread_n; t++)
		count_thread(&im->summary, &im->all->thread[t]);
	im->summary.pes = profile_pes(im->all);
	im->begun = 1;
	if (!again)
		db_store_once(im->store);
	if (code == 0)
		code = stored(db_store_begin(im->store, *im->db, summary ? &im->summary : NULL, e));
	im->known = db_store_known(im->store);
	return code;
}

/* Leaves the derived threads alone. */
static void summarize_window(const struct import *im, struct profile *p)
{
	struct profile_thread derived[STATS_DERIVED];

	derived_derive(p, im->waiting, NULL, derived);
	keep_metadata(p);
	profile_drop_threads(p);
	put_derived(p, derived);
	profile_sort(p);
	p->summary = im->summary;
}

/* Means over all threads count those that have nothing in this window, too. */
static void add_threads(struct profile *p, const struct profile *all)
{
	size_t before = p->thread_n;

	for (size_t t = 0; t < all->thread_n; t++)
		add_thread(p, &all->thread[t]);
	if (p->thread_n > before)
		profile_sort(p);
}

static int window_store(void *to, struct profile *p, size_t at, size_t n, struct error *e)
{
	struct import *im = to;
	int code = at ? 0 : import_begin(im, e);

	(void)n;
	add_metadata(p);
	add_threads(p, im->all);
	if (code == 0 && summary)
		summarize_window(im, p);
	if (code == 0)
		code = stored(db_store_window(im->store, p, e));
	profile_free(p);
	return code;
}

/* code: how the rest went. The number of the trial is in *trial. */
static int import_end(struct import *im, int code, int64_t *trial, struct error *e)
{
	if (im->store)
		code = code < 0 ? db_store_end(im->store, code, trial, e)
				: stored(db_store_end(im->store, code, trial, e));
	profile_free(im->all);
	waiting_free(im->waiting);
	im->store = NULL;
	im->all = NULL;
	im->waiting = NULL;
	return code;
}

static int import_windows(struct import *im, struct input *in, const struct load_options *load,
			  struct error *e)
{
	const struct replay_sink define = {window_define, im}, keep = {window_store, im};

	return load_twice(in, load, &define, &keep, e);
}

/*
 * The requested windows; without one, everything, and what was live before finalize where the run
 * has that moment.
 */
static int import_usual(struct import *im, struct input *in, const struct load_options *load,
			struct error *e)
{
	static const char *usual[] = {":", LOAD_BEFORE_FINALIZE};
	struct load_options both = *load;
	struct load_report said = {0};
	struct error why = {0};
	int64_t none;
	int code = -1;

	both.window = usual;
	both.window_n = sizeof(usual) / sizeof(usual[0]);
	both.report = &said;
	if (!load->window_n && !trace_options.every && !trace_options_sliced(&trace_options))
		code = import_windows(im, in, &both, &why);
	for (size_t i = 0; code == 0 && i < said.note_n; i++)
		*array_add(load->report, note) = note_copy(&said.note[i]);
	load_report_release(&said);
	if (code == 0)
		return 0;
	if (im->begun) {
		*e = why;
		return code;
	}
	import_end(im, code, &none, &why);
	free(im->name);
	*im = (struct import){.db = im->db};
	return import_windows(im, in, load, e);
}

static int import_run(struct db **db, const char *run, const struct load_options *load,
		      struct error *e)
{
	struct import im = {.db = db};
	struct profile p = {0};
	size_t pes;
	int64_t trial;
	struct input *in = inputs_get(db_inputs(), run);
	struct profile *all;
	int code;

	code = import_usual(&im, in, load, e);
	all = im.all; /* which its end would free */
	pes = all ? profile_pes(all) : 0;
	im.all = NULL;
	p.name = im.name;
	p.summary = summary ? im.summary : p.summary;
	code = import_end(&im, code, &trial, e);
	if (code == 0 && parallel_writes(load->ranks))
		import_print(trial, im.known, &p, run, pes, all, im.windows);
	inputs_release(db_inputs()); /* several runs are not kept at once */
	profile_free(all);
	free(im.name);
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

static int import_profile(struct db *db, const struct profile *p, int64_t *trial, int *known,
			  struct error *e)
{
	struct db_store *s = db_store_new(0);
	int code;

	db_store_origin(s, runs_origin());
	if (!again)
		db_store_once(s);
	db_store_define(s, p);
	code = db_store_begin(s, db, NULL, e);
	*known = db_store_known(s);
	if (code == 0)
		code = db_store_window(s, p, e);
	return db_store_end(s, code, trial, e);
}

/* Packed profiles: thread by thread, so that a job of any size goes through in the memory that its
 * store needs. */
static int import_packed(struct db **db, const char *run, struct error *e)
{
	struct ppk_stream *s = NULL;
	struct profile *p = NULL;
	int64_t trial;
	int known = 0;
	int code;

	if (trace_options.text.v_n || trace_options.every || trace_options_sliced(&trace_options))
		return error_set(e, ERROR_USAGE,
				 "--window: %s is a packed profile, which has no time",
				 run);
	code = ppk_stream_open(run, summary ? PPK_FEW_THREAD_META : 0, &s, e);
	if (code == 0)
		code = summary ? summarize(s, e) : ppk_stream_rest(s, e);
	if (code == 0) {
		p = ppk_stream_profile(s);
		if (!p->name)
			p->name = strcmp(run, "-") ? path_name(run)
						   : mem_string("standard input");
		profile_sort(p);
		add_metadata(p);
	}
	if (code == 0)
		jobs_turn();
	if (code == 0 && !*db)
		code = stored(db_open_file(DB_CREATE, db, e));
	if (code == 0)
		code = stored(import_profile(*db, p, &trial, &known, e));
	if (code == 0)
		import_print(trial, known, p, run, profile_pes(p), p, 1);
	ppk_stream_close(s);
	return code;
}

/* What comes through a pipe can be read once only: it is taken for a packed profile without a look at it. */
static int is_packed(const char *run)
{
	struct blob begin;
	struct stat s;
	int is;

	if (!strcmp(run, "-") || (!stat(run, &s) && S_ISFIFO(s.st_mode)))
		return 1;
	if (blob_peek(inputs_get(db_inputs(), run), &begin))
		return 0;
	is = ppk_is(begin.p, begin.n);
	blob_release(&begin);
	return is;
}

/* What the imports of several runs share. */
struct imports {
	struct option_list run;
	struct load_options load;
	struct db *db;
	size_t at_once;
};

static int import_one(struct imports *all, const char *run, struct error *e)
{
	runs_begin(run);
	if (is_packed(run))
		return parallel_writes(all->load.ranks) ? import_packed(&all->db, run, e) : 0;
	if (access(run, F_OK))
		return error_set(e, ERROR_SYSTEM, "%s: %s", run,
				 runs_is_pattern(run) ? "nothing has such a name"
						      : strerror(errno));
	return import_run(&all->db, run, &all->load, e);
}

/* With the line of progress if runs are read one by one: it has the number of the run and how many there are. */
static int import_shown(void *to, size_t i, struct job_failure *f)
{
	struct imports *all = to;
	const char *run = all->run.v[i];
	char *what = all->run.v_n > 1 ? mem_printf("%s (%zu of %zu)", run, i + 1, all->run.v_n)
				      : mem_string(run);
	int code;

	if (all->at_once < 2) {
		progress_begin(&progress, what);
		all->load.progress = progress_replay;
		all->load.progress_to = &progress;
	}
	code = import_one(all, run, &f->e);
	progress_end(&progress);
	f->last = store_failed;
	free(what);
	/* If each run has a process of its own, this is its turn. */
	jobs_turn();
	notes_print("tau-db", all->load.report->note, all->load.report->note_n);
	load_report_release(all->load.report);
	return code;
}

static size_t jobs_of(const struct imports *all)
{
	long n = trace_options.threads ? trace_options.threads : sysconf(_SC_NPROCESSORS_ONLN);

	return all->load.ranks || all->run.v_n < 2 || n < 2 ? 1 : (size_t)n;
}

static int import_runs(struct imports *all, struct error *e)
{
	const struct run_series series = {.run = (const char *const *)all->run.v,
				      .n = all->run.v_n,
				      .at_once = jobs_of(all),
				      .ranks = all->load.ranks,
				      .to = all,
				      .one = import_shown};
	int code = 0;

	if (parallel_writes(all->load.ranks) && !access(db_file(), F_OK))
		code = db_open_file(DB_CREATE, &all->db, e);
	if (code == 0 && all->run.v_n > 1 && !all->load.ranks) {
		/* Each run has a process of its own, and a connection is of one process. */
		db_close(all->db);
		all->db = NULL;
	}
	all->at_once = series.at_once;
	if (series.at_once > 1)
		all->load.threads = 1;
	return code == 0 ? series_import(&series, e) : code;
}

/* Several processes of an MPI job share the reading; rank 0 writes. */
static int import_all(int n, char **run, struct ranks *ranks, struct error *e)
{
	struct load_report report = {0};
	struct imports all = {.load = {.report = &report,
					.ranks = ranks,
					.squares = !no_squares,
					.sizes = sizes}};
	struct runs_found found = {0};
	int code = callpath_depth(&all.load.callpath_depth, e);

	if (n < 1)
		code = error_set(e, ERROR_USAGE, "name a run, or a directory of TAU profiles");
	if (code == 0)
		code = trace_options_parse(&trace_options, &all.load, e);
	if (code == 0)
		runs_expand(&all.run, n, run, &found);
	if (code == 0)
		code = description_read(&description, &metadata, &tags, e);
	if (code == 0) {
		code = import_runs(&all, e);
	}
	load_report_release(&report);
	trace_options_release(&trace_options);
	db_close(all.db);
	runs_release(&found);
	free(all.run.v);
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
