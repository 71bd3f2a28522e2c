/* value_stream.c: values that a program outside writes into a run are read back, also before the stream is complete. */
#include <string.h>
#include <unistd.h>

#include "convert/load.h"
#include "convert/native/live/value_stream.h"
#include "files.h"
#include "record/format.h"
#include "tap.h"

static char run[] = "/tmp/tau-value-stream.XXXXXX";

/* How many values the counter has in all threads, and their greatest; -1: the run cannot be read, or has no such counter. */
static double values(const char *name, double *most)
{
	struct load_options o = {.callpath_depth = -1};
	struct profile **p;
	struct error e = {0};
	int64_t counter;
	double n = -1;
	size_t windows;

	*most = 0;
	if (load_path_profiles(run, &o, &p, &windows, &e) < 0) {
		printf("# %s\n", e.text);
		return -1;
	}
	counter = names_find(&p[0]->counter_names, name, strlen(name));
	for (size_t i = 0; counter >= 0 && i < p[0]->thread_n; i++) {
		const struct profile_sample *s = profile_sample_get(&p[0]->thread[i], (uint32_t)counter, PROFILE_FLAT);

		n = (n < 0 ? 0 : n) + (s ? s->n : 0);
		*most = s && s->max > *most ? s->max : *most;
	}
	for (size_t i = 0; i < windows; i++)
		profile_free(p[i]);
	free(p);
	return n;
}

int main(void)
{
	struct value_stream_of of = {.directory = run, .files = "host.7.0", .label = ".TAU values", .process_id = 9,
				     .ticks_hz = 1000000000, .start_tick = 1000, .pid = 7, .stream = 1,
				     .clock = TAU_CLOCK_MONOTONIC, .mode = 0600};
	struct value_stream *s;
	struct error e = {0};
	double n, most;

	if (!mkdtemp(run))
		return 1;
	s = value_stream_new(&of, 1000, &e);
	if (!ok(s != NULL, "a stream begins %s", e.text))
		return tap_end();
	for (int i = 1; i <= 100; i++)
		value_stream_put(s, 1000 + (uint64_t)i, VALUE_LEVEL, "queue", i);
	value_stream_put(s, 2000, VALUE_LEVEL, "load", 0.5);
	n = values("queue", &most);
	ok(n == 100 && most == 100, "its values can be read while it is written: %g, at most %g", n, most);
	for (int i = 0; i < 100000; i++)
		value_stream_put(s, 3000 + (uint64_t)i, VALUE_LEVEL, "queue", i % 1000);
	ok(value_stream_failed(s, &e) == 0 && value_stream_close(s, &e) == 0, "many chunks are written %s", e.text);
	n = values("queue", &most);
	ok(n == 100100 && most == 999, "all of them are there: %g, at most %g", n, most);
	n = values("load", &most);
	ok(n == 1 && most == 0.5, "a value that is not whole: %g", most);
	folder_remove(run);
	s = value_stream_new(&of, 1000, &e);
	ok(!s && strstr(e.text, run), "without the folder it cannot begin: %s", e.text);
	ok(value_stream_close(NULL, &e) == 0, "none can be closed");
	return tap_end();
}
