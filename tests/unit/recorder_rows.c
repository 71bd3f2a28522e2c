/* recorder_rows.c: profiles without the recorder's own regions, computed by hand and from a trace, flat and by call path. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/recorder_rows.h"
#include "analyze/trace/region_work.h"
#include "convert/load.h"
#include "files.h"
#include "profiles.h"
#include "tap.h"
#include "trace_writer.h"

#define CENSUS TAU_REGION_CENSUS

static uint32_t path(struct profile *p, const char *name, const char *groups, uint32_t parent)
{
	return profile_add_path(p, profile_add_timer(p, name, groups, NULL, 0), parent);
}

/* NULL: it has none. */
static const struct profile_row *row(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->thread[0].row_n; i++) {
		char *text = profile_path_text(p, p->thread[0].row[i].path);
		int same = !strcmp(text, name);

		free(text);
		if (same)
			return &p->thread[0].row[i];
	}
	return NULL;
}

static void is(const struct profile *p, const char *name, double calls, double subrs, double incl, double excl)
{
	const struct profile_row *r = row(p, name);
	const double *v = r ? &p->thread[0].values[r->first] : NULL;

	ok(r && r->calls == calls && r->subrs == subrs && v[0] == incl && v[1] == excl, "%s: %g %g %.17g %.17g", name, r ? r->calls : NAN,
	   r ? r->subrs : NAN, r ? v[0] : NAN, r ? v[1] : NAN);
}

/* main calls fin, which calls itself, where the recorder counts memory and calls write; samples are in both. */
static void check_paths(void)
{
	struct profile *p = profile_new();
	uint32_t root, main, fin, inner, census, sample;

	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	root = path(p, REGION_ROOT, "TAU_UTILITY", PROFILE_FLAT);
	main = path(p, "main", "", root);
	fin = path(p, "fin", "", main);
	inner = path(p, "fin", "", fin);
	census = path(p, CENSUS, "TAU_UTILITY", inner);
	profiles_row(p, root, 1, 1, 100, 1);
	profiles_row(p, path(p, "main", "", PROFILE_FLAT), 1, 2, 99, 9);
	profiles_row(p, path(p, "fin", "", PROFILE_FLAT), 2, 2, 85, 40.3);
	profiles_row(p, path(p, "write", "", PROFILE_FLAT), 3, 0, 9, 9);
	profiles_row(p, path(p, CENSUS, "TAU_UTILITY", PROFILE_FLAT), 1, 2, 44.7, 40.7);
	profiles_row(p, main, 1, 2, 99, 9);
	profiles_row(p, fin, 1, 1, 85, 20.3);
	profiles_row(p, inner, 1, 1, 64.7, 20);
	profiles_row(p, path(p, "write", "", main), 1, 0, 5, 5);
	profiles_row(p, census, 1, 2, 44.7, 40.7);
	profiles_row(p, path(p, "write", "", census), 2, 0, 4, 4);
	sample = path(p, "[CONTEXT] fin", "", fin);
	profiles_row(p, sample, 5, 0, 50, 0);
	profiles_row(p, path(p, "[SAMPLE] .TAU recorder", "", sample), 2, 0, 20, 20);
	profiles_row(p, path(p, "[SAMPLE] f", "", sample), 3, 0, 30, 30);
	profiles_row(p, path(p, "[SAMPLE] .TAU recorder", "", PROFILE_FLAT), 2, 0, 20, 20);
	profile_sort(p);
	recorder_rows_remove(p);
	is(p, REGION_ROOT, 1, 1, 55.3, 1);
	is(p, "main", 1, 2, 54.3, 9);
	is(p, "fin", 2, 1, 40.3, 40.3);
	is(p, "write", 1, 0, 5, 5);
	is(p, REGION_ROOT " => main => fin", 1, 1, 40.3, 20.3);
	is(p, REGION_ROOT " => main => fin => fin", 1, 0, 20, 20);
	is(p, REGION_ROOT " => main => fin => [CONTEXT] fin", 5, 0, 30, 0);
	is(p, REGION_ROOT " => main => fin => [CONTEXT] fin => [SAMPLE] f", 3, 0, 30, 30);
	ok(!row(p, CENSUS) && !row(p, "[SAMPLE] .TAU recorder") && p->thread[0].row_n == 10, "what the recorder did has no row: %zu",
	   p->thread[0].row_n);
	ok(recorder_rows_removed(p) == 40.7, "its time is known: %g", recorder_rows_removed(p));
	profile_free(p);
}

/* Without call paths, only the outermost region is known to enclose it. Time with recording off is the program's. */
static void check_flat(void)
{
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	profiles_row(p, path(p, REGION_ROOT, "TAU_UTILITY", PROFILE_FLAT), 1, 1, 10, 1);
	profiles_row(p, path(p, "main", "", PROFILE_FLAT), 1, 2, 9, 4);
	profiles_row(p, path(p, TAU_REGION_OFF, "TAU_UTILITY", PROFILE_FLAT), 1, 0, 2, 2);
	profiles_row(p, path(p, CENSUS, "TAU_UTILITY", PROFILE_FLAT), 1, 0, 3, 3);
	profile_sort(p);
	recorder_rows_remove(p);
	is(p, REGION_ROOT, 1, 1, 7, 1);
	is(p, "main", 1, 2, 9, 4);
	is(p, TAU_REGION_OFF, 1, 0, 2, 2);
	ok(!row(p, CENSUS) && recorder_rows_removed(p) == 3, "a flat profile has no such row either");
	profile_free(p);
	p = profile_new();
	profile_add_metric(p, "TIME");
	profile_add_thread(p, 0, 0, 0);
	profiles_row(p, path(p, "main", "", PROFILE_FLAT), 1, 2, 9, 4);
	recorder_rows_remove(p);
	is(p, "main", 1, 2, 9, 4);
	ok(recorder_rows_removed(p) == 0 && !recorder_rows_is(&p->timer[0]), "without such regions nothing changes");
	profile_free(p);
}

/* main [0, 1000) calls fin [200, 900), there the census is [300, 500) and [600, 700); samples of main and fin */
static void write_run(const char *file)
{
	struct writer w;

	writer_open(&w, file, 100, 0, 0, 0);
	writer_region(&w, 0, "main", "");
	writer_region(&w, 1, "fin", "");
	writer_region(&w, 2, CENSUS, "TAU_UTILITY");
	writer_enter(&w, 0, 0);
	writer_enter(&w, 200000, 1);
	writer_enter(&w, 300000, 2);
	writer_chunk(&w, 400000);
	writer_leave(&w, 500000);
	writer_enter(&w, 600000, 2);
	writer_leave(&w, 700000);
	writer_leave(&w, 900000);
	writer_leave(&w, 1000000);
	writer_close(&w);
}

static void check_load(const char *run, int depth, enum index_policy index, const char *window)
{
	struct load_options o = {.callpath_depth = depth, .no_recorder = 1, .index = index, .window = &window, .window_n = window != NULL};
	struct profile **p = NULL;
	struct error e = {0};
	size_t n = 0;
	/* ":450us" ends in the census */
	double less = window ? 550 : 0, census = window ? 150 : 300;

	if (load_path_profiles(run, &o, &p, &n, &e) || n != 1) {
		ok(0, "the run is loaded: %s", e.text);
		return;
	}
	is(p[0], "main", 1, 1, 1000 - less - census, window ? 200 : 300);
	is(p[0], "fin", 1, 0, window ? 100 : 400, window ? 100 : 400);
	is(p[0], REGION_ROOT, 1, 1, 1000 - less - census, 0);
	ok(recorder_rows_removed(p[0]) == census && (row(p[0], REGION_ROOT " => main") != NULL) == (depth != 0),
	   "call paths are only where they are requested: %g", recorder_rows_removed(p[0]));
	profile_free(p[0]);
	free(p);
}

static void check_trace(void)
{
	char dir[] = "/tmp/tau-recorder-rows.XXXXXX", file[64];

	if (!mkdtemp(dir))
		abort();
	snprintf(file, sizeof(file), "%s/0.tau", dir);
	write_run(file);
	for (int depth = 0; depth >= -1; depth--) {
		check_load(dir, depth, INDEX_NEVER, NULL);
		check_load(dir, depth, INDEX_ALWAYS, NULL);
		check_load(dir, depth, INDEX_ALWAYS, NULL);
		check_load(dir, depth, INDEX_NEVER, ":450us");
	}
	folder_remove(dir);
}

int main(void)
{
	ok(region_is_recorder(CENSUS, "TAU_UTILITY") && !region_is_recorder(REGION_ROOT, "TAU_UTILITY") &&
		   !region_is_recorder(TAU_REGION_OFF, "TAU_UTILITY") && !region_is_recorder("main", NULL),
	   "which regions are the recorder's");
	check_paths();
	check_flat();
	check_trace();
	return tap_end();
}
