/* look_hang.c: who waits for whom in a run that is being recorded. */
#include "cmd/monitor/look_hang.h"

#include <ctype.h>
#include <math.h>

#include "analyze/hang/ends.h"
#include "analyze/hang/hang.h"
#include "analyze/base/quantity.h"
#include "cmd/hang/hang_table.h"
#include "cmd/hang/hang_text.h"
#include "convert/io/now.h"

#define BLOCKED_LEAST 1000000000 /* ns: a shorter wait is not called a hang */
#define STILL_LEAST   5000000000 /* ns: of all threads, before the view shows it */
#define IDLE_LEAST    2000000000 /* ns: of all threads, before a long run is read */
#define COST_SHARE    20	 /* reading takes at most one part in this number of the time */
#define RECORDS_MOST  2e7	 /* that are read without a request: less than a second */

/* ns since the last event of a thread of a process that runs; -1: no process runs. */
static int64_t still_ns(const struct trace *t)
{
	int64_t still = INT64_MAX;

	for (size_t i = 0; i < t->stream_n; i++) {
		const struct trace_stream *s = &t->stream[i];
		const struct trace_process *p = &t->process[s->process];

		if (p->running && !s->device && !s->values && p->end - s->last < still)
			still = p->end - s->last;
	}
	return still == INT64_MAX ? -1 : still > 0 ? still : 0;
}

static void found_free(struct look_hang *f)
{
	if (!f)
		return;
	free(f->sentence);
	table_free(f->people);
	table_free(f->programs);
	free(f);
}

static struct table *rows(const struct trace *t, const struct hang *h, int people)
{
	const struct hang_style style = {t, people, NULL};
	struct table *table = hang_table_new(&style, h);

	hang_table_rows(table, &style, h, SIZE_MAX);
	return table;
}

/*
 * s: how long all threads that are blocked have been so; of a run that has ended the longest of
 * them, because the end of some may be unknown.
 */
static double stuck_s(const struct hang *h, int ended)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < h->ends->thread_n; i++) {
		double s = (double)(ends_until(h->ends, i) - h->thread[i].since) / 1e9;

		if (h->thread[i].state != HANG_BLOCKED)
			continue;
		least = s < least ? s : least;
		most = s > most ? s : most;
	}
	return ended ? most : least;
}

static struct look_hang *found_make(const struct trace *t, const struct hang *h)
{
	const struct hang_style style = {t, 1, NULL};
	struct look_hang *f = mem_alloc(sizeof(*f));
	int64_t still = still_ns(t);

	f->stuck = h->in_state[HANG_BLOCKED] > 0;
	f->still = !f->stuck && h->root < h->ends->thread_n && still >= STILL_LEAST;
	f->stuck_s = f->stuck ? stuck_s(h, still < 0) : NAN;
	f->ended = still < 0;
	f->still_s = still < 0 ? NAN : (double)still / 1e9;
	f->at_s = (double)t->end / 1e9;
	f->blocked = h->in_state[HANG_BLOCKED];
	f->waiting = h->in_state[HANG_WAITS];
	f->computing = h->in_state[HANG_RUNS];
	f->gone = h->in_state[HANG_ENDED];
	f->sentence = hang_sentence(h, &style);
	f->people = rows(t, h, 1);
	f->programs = rows(t, h, 0);
	return f;
}

static int is_due(const struct hang_watch *w, const struct trace *t, double records,
		  size_t running, int requested, int64_t now)
{
	if (w->found && w->records == records && w->running == running && !running)
		return 0;
	if (w->found && now < w->next_ns)
		return 0;
	return requested || records <= RECORDS_MOST || still_ns(t) >= IDLE_LEAST;
}

void look_hang(struct hang_watch *w, struct trace *t, int requested)
{
	struct thread_ends ends = {0};
	struct hang h = {0};
	struct error ignored = {0};
	int64_t begin = now_ns();
	double records = 0;
	size_t running = 0;

	for (size_t i = 0; i < t->stream_n; i++)
		records += (double)t->stream[i].records;
	for (size_t i = 0; i < t->process_n; i++)
		running += t->process[i].running != 0;
	if (!is_due(w, t, records, running, requested, begin))
		return;
	if (!ends_read(&ends, t, &ignored)) {
		hang_find(&h, &ends, BLOCKED_LEAST);
		found_free(w->found);
		w->found = found_make(t, &h);
		w->records = records;
		w->running = running;
	}
	hang_release(&h);
	ends_release(&ends);
	w->next_ns = now_ns() + COST_SHARE * (now_ns() - begin);
}

void hang_watch_release(struct hang_watch *w)
{
	found_free(w->found);
	*w = (struct hang_watch){0};
}

char *look_hang_alarm(const struct look_hang *h)
{
	char time[QUANTITY_TEXT], *text, *sentence;

	if (!h || (!h->stuck && !h->still))
		return NULL;
	sentence = mem_string(h->sentence);
	*sentence = (char)tolower((unsigned char)*sentence);
	quantity_in_text(h->stuck ? h->stuck_s : h->still_s, 1, "s", time);
	text = mem_printf("%s %s: %s",
			  !h->stuck ? "no event for"
			  : h->ended ? "was stuck for"
				     : "stuck for",
			  time, sentence);
	free(sentence);
	return text;
}
