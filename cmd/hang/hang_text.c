/* hang_text.c: the sentence about a run that hangs. */
#include "cmd/hang/hang_text.h"

#include <inttypes.h>

#include "analyze/base/mem_stream.h"
#include "analyze/hang/ends.h"
#include "cmd/hang/hang_rows.h"

#define NAMED_MOST 12	/* threads named in a sentence */

static void print_thread(FILE *f, const struct thread_ends *x, size_t i)
{
	const struct trace *t = x->trace;
	const struct ends_thread *thread = &x->thread[i];
	const struct trace_process *p = &t->process[thread->process];

	int alone = t->process_n == 1 && p->rank < 0;
	uint32_t number = t->stream[thread->stream].thread;

	if (!alone)
		fprintf(f, "%s %" PRId32, p->rank >= 0 ? "rank" : "process", p->node);
	if (alone || number)
		fprintf(f, "%sthread %" PRIu32, alone ? "" : " ", number);
}

/* "rank 0, rank 1 and rank 2" */
char *hang_threads_text(const struct thread_ends *x, const size_t *v, size_t n)
{
	size_t size, shown = n > NAMED_MOST ? NAMED_MOST : n;
	char *text = NULL;
	FILE *f = mem_stream(&text, &size);

	for (size_t i = 0; i < shown; i++) {
		if (i)
			fputs(i + 1 == n ? " and " : ", ", f);
		print_thread(f, x, v[i]);
	}
	if (n > shown)
		fprintf(f, " and %zu more", n - shown);
	fclose(f);
	return text;
}

static char *circle_text(const struct hang *h)
{
	char *who = hang_threads_text(h->ends, h->circle, h->circle_n), *text;

	if (h->circle_n == 1)
		text = mem_printf("Deadlock: %s waits for itself", who);
	else if (h->circle_n == 2)
		text = mem_printf("Deadlock: %s wait for each other", who);
	else
		text = mem_printf(
			"Deadlock: %s each wait for the next, and the last for the first", who);
	free(who);
	return text;
}

static char *root_text(const struct hang *h, const struct hang_style *s)
{
	char *who = hang_threads_text(h->ends, &h->root, 1), time[QUANTITY_TEXT], *text;
	char *call = hang_style_name(s, hang_call_name(h->ends, h->root));
	size_t behind = h->thread[h->root].behind;
	const char *does = hang_row_stopped(h, h->root)				     ? "is stopped"
			   : ends_waits_outside(&h->ends->thread[h->root]) ? "waits for a file"
									    : "computes";

	hang_style_time(
		s, (double)(ends_until(h->ends, h->root) - h->thread[h->root].since), time);
	text = mem_printf("%zu thread%s, directly or not, for %s, which %s in %s and has "
			  "recorded nothing for %s",
			  behind, behind == 1 ? " waits" : "s wait", who,
			  does, call, time);
	free(who);
	free(call);
	return text;
}

char *hang_sentence(const struct hang *h, const struct hang_style *s)
{
	size_t blocked = h->in_state[HANG_BLOCKED];

	if (h->circle)
		return circle_text(h);
	if (blocked)
		return mem_printf("%zu thread%s for what can never come", blocked,
				  blocked == 1 ? " waits" : "s wait");
	if (h->root < h->ends->thread_n)
		return root_text(h, s);
	if (h->in_state[HANG_WAITS] == 1)
		return mem_string("1 thread waits, and may still go on");
	if (h->in_state[HANG_WAITS])
		return mem_printf("%zu threads wait, and each may still go on",
				  h->in_state[HANG_WAITS]);
	if (h->in_state[HANG_RUNS])
		return mem_string("No thread is known to wait for another");
	return mem_string("All processes have ended; no thread waits");
}
