/*
 * moments.c: marks, times in which recording was off, lost events and ends by a signal are found: of the whole run, and in each window those
 * that touch it, cut to it.
 */
#include <string.h>

#include "analyze/stream/moments.h"
#include "files.h"
#include "ranks.h"
#include "tap.h"

#define BEGIN 1000000
#define RANKS 3

static char dir[] = "/tmp/tau-moments.XXXXXX";
static const char *const region[] = {"main", "f", "MEASUREMENT OFF"};
enum { MAIN, F, OFF };

static void put_mark(struct writer *w, uint64_t at, unsigned kind, int64_t number)
{
	struct buffer f = {0};

	put_varint(&f, kind);
	put_varint(&f, 1);
	put_zigzag(&f, number);
	writer_extended(w, at, TAU_REC_MARK, &f);
}

/* Recording goes on with main open. */
static void put_on(struct writer *w, uint64_t at)
{
	struct buffer f = {0};

	put_varint(&f, 1);
	put_varint(&f, MAIN);
	writer_extended(w, at, TAU_REC_ON, &f);
	w->depth = 1;
}

static void calls(struct writer *w, uint64_t from, int n)
{
	for (int i = 0; i < n; i++) {
		writer_enter(w, from + (uint64_t)i * 20, F);
		writer_leave(w, from + (uint64_t)i * 20 + 10);
	}
}

/* All at times that differ by rank: 1000 r. Rank 0 loses 7 events in its second chunk, and rank 2 remains off. */
static void write_rank(const char *run, int rank)
{
	struct buffer none = {0};
	const uint64_t at = BEGIN + (uint64_t)rank * 1000;
	struct writer w;

	rank_file_open(&w, run, rank, RANKS, BEGIN, region, 3, 3);
	w.limit = 0;
	writer_event(&w, 1, "here", TAU_EVENT_NAME);
	writer_enter(&w, BEGIN, MAIN);
	calls(&w, at + 100, 5);
	put_mark(&w, at + 1000, TAU_MARK_COMMAND, 4);
	writer_chunk(&w, at + 1100);
	calls(&w, at + 1200, 5);
	w.lost += rank ? 0 : 7;
	put_mark(&w, at + 2000, TAU_MARK_SNAPSHOT, -5);
	writer_chunk(&w, at + 2100);
	writer_enter(&w, at + 3000, OFF);
	writer_extended(&w, at + 3000, TAU_REC_OFF, &none);
	writer_chunk(&w, at + 3500);
	if (rank < 2) {
		put_on(&w, at + 4000);
		calls(&w, at + 4100, 5);
		writer_leave(&w, at + 9000);
	}
	writer_close(&w);
}

static int find(const struct stream_moments *m, struct stream_moment want)
{
	for (size_t i = 0; i < m->v_n; i++) {
		const struct stream_moment *v = &m->v[i];

		if (v->kind == want.kind && v->stream == want.stream && v->number == want.number && v->begin == want.begin &&
		    v->end == want.end)
			return 1;
	}
	return 0;
}

/* Those of the whole run that touch a window, cut to it, are those that the window has. Returns the number of windows that differ. */
static size_t windows_differ(struct trace *t, const struct stream_moments *all)
{
	struct window_span span[RANKS];
	size_t differ = 0;
	struct error e = {0};

	for (int64_t begin = 0; begin < 12000; begin += 170)
		for (int64_t length = 1; length < 5000; length = length * 3 + 7) {
			struct stream_moments m;
			size_t n = 0;

			for (int p = 0; p < RANKS; p++)
				span[p] = (struct window_span){begin, begin + length};
			differ += moments_read(&m, t, span, NULL, 2, &e) != 0;
			for (size_t i = 0; i < all->v_n; i++) {
				struct stream_moment v = all->v[i];

				if (v.begin == v.end ? v.begin < begin || v.begin >= begin + length
						     : v.end <= begin || v.begin >= begin + length)
					continue;
				v.begin = v.begin > begin ? v.begin : begin;
				v.end = v.end < begin + length ? v.end : begin + length;
				differ += !find(&m, v);
				n++;
			}
			differ += n != m.v_n;
			moments_release(&m);
		}
	return differ;
}

int main(void)
{
	const char only[RANKS] = {0, 1, 0};
	struct error e = {0};
	struct stream_moments m;
	struct trace *t;

	if (!mkdtemp(dir))
		return 1;
	t = run_open(dir, RANKS, write_rank);
	ok(t != NULL, "the run opens");
	ok(!moments_read(&m, t, NULL, NULL, 2, &e), "it is read");
	ok(m.v_n == 10, "three for each rank, and lost events: %zu", m.v_n);
	for (uint32_t r = 0; r < RANKS; r++) {
		const int64_t at = r * 1000;

		ok(find(&m, (struct stream_moment){MOMENT_MARK, r, 0, 4, at + 1000, at + 1000}), "rank %u: its mark", r);
		ok(find(&m, (struct stream_moment){MOMENT_SNAPSHOT, r, 0, -5, at + 2000, at + 2000}), "its snapshot");
		ok(find(&m, (struct stream_moment){MOMENT_OFF, r, 0, 0, at + 3000, r < 2 ? at + 4000 : t->process[r].end}), "when it is off");
	}
	ok(find(&m, (struct stream_moment){MOMENT_LOST, 0, 0, 7, 1100, 2100}), "seven events are lost in the second chunk");
	ok(m.v[0].stream == 0 && !strcmp(t->event[m.v[0].name].name, "here"), "the first one has its name");
	ok(!windows_differ(t, &m), "windows have those that touch them, cut");
	moments_release(&m);
	ok(!moments_read(&m, t, NULL, only, 1, &e) && m.v_n == 3 && m.v[0].stream == 1, "a rank alone has its three");
	moments_release(&m);
	t->process[1].ended = TRACE_END_KILLED;
	t->process[1].end_value = 9;
	ok(!moments_read(&m, t, NULL, NULL, 1, &e) && find(&m, (struct stream_moment){MOMENT_SIGNAL, 1, 0, 9, t->process[1].end, t->process[1].end}),
	   "a signal is at the end of its process");
	moments_release(&m);
	trace_free(t);
	folder_remove(dir);
	return tap_end();
}
