/* window_first.c: who asks for one of the first instances of a region has the trace read up to its end, though the next one is open by
 * then; with what chunks add up to known or not. */
#include <sys/stat.h>

#include "convert/load.h"
#include "files.h"
#include "tap.h"
#include "trace_writer.h"

#define CALLS 2000
#define RECORDS 6 /* of a call of "f", and of a chunk */

static char dir[] = "/tmp/tau-first.XXXXXX";

/* Calls of "f" one right after the other, each with two of "g" in it; every chunk ends inside of one. */
static void write_run(void)
{
	struct writer w;
	uint64_t now = 0;

	writer_open(&w, file_below(dir, "x.tau"), 7, 0, 0, 0);
	w.limit = RECORDS;
	writer_region(&w, 0, "main", "A");
	writer_region(&w, 1, "f", "A");
	writer_region(&w, 2, "g", "A");
	writer_enter(&w, now, 0);
	for (int i = 0; i < CALLS; i++) {
		writer_enter(&w, now, 1);
		for (int k = 0; k < 2; k++) {
			writer_enter(&w, now += 100, 2);
			writer_leave(&w, now += 100);
		}
		writer_leave(&w, now += 100);
	}
	writer_leave(&w, now);
	writer_close(&w);
}

/* Finds the span of f#n, which is known, and checks it; returns the number of events that were read for it. */
static uint64_t events(int n, enum index_policy index)
{
	char text[20];
	const char *window = text;
	struct load_report r = {0};
	struct load_options o = {.window = &window, .window_n = 1, .index = index, .report = &r};
	struct error e = {0};
	struct profile **p;
	uint64_t read;
	size_t got;

	snprintf(text, sizeof(text), "f#%d", n);
	if (load_path_profiles(dir, &o, &p, &got, &e)) {
		printf("# %s\n", e.text);
		exit(1);
	}
	ok(got == 1 && p[0]->begin_us == 0.5 * (n - 1) && p[0]->end_us == 0.5 * n, "f#%d lies from %g to %g us", n, p[0]->begin_us,
	   p[0]->end_us);
	profile_free(p[0]);
	free(p);
	read = r.events;
	load_report_release(&r);
	return read;
}

int main(void)
{
	uint64_t n;

	if (!mkdtemp(dir))
		return 1;
	write_run();
	for (int i = 1; i < 4; i++) {
		n = events(i, INDEX_NEVER);
		ok(n < 100, "for which %llu of %d events are read", (unsigned long long)n, CALLS * RECORDS);
	}
	n = events(CALLS / 2, INDEX_NEVER);
	ok(n < CALLS * RECORDS / 2 + 100, "for one in the middle %llu", (unsigned long long)n);
	folder_remove(dir);
	return tap_end();
}
