/* dump_check.c: verifies traces, and prints what is wrong with them. */
#include "cmd/dump/dump_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyze/base/note.h"
#include "analyze/clocks/clocks.h"
#include "analyze/trace/trace.h"
#include "cmd/shared/message.h"
#include "convert/formats.h"
#include "convert/io/paths.h"
#include "convert/native/native.h"
#include "convert/native/live/native_ends.h"
#include "convert/native/live/native_kept.h"
#include "convert/native/live/native_file.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/events/native_walk.h"
#include "cmd/shared/option.h"

static void sentence_print(void *to, const char *sentence)
{
	(void)to;
	puts(sentence);
}

/* Prints where the clocks of a run do not fit together. For a trace that cannot be read, the error is printed already. */
static void check_clocks(struct input *in)
{
	struct error e = { 0 };
	struct causality c;
	struct trace *t;

	if (trace_open_input(in, NULL, &t, &e))
		return;
	if (!causality_check(t, &c, &e))
		for (int collective = 0; collective < 2; collective++) {
			char *wrong = causality_text(&c, collective);

			if (wrong)
				text_printf(stdout, "%s: clocks: %s\n", in->path, wrong);
			free(wrong);
		}
	trace_free(t);
}

/* Who did not end by themselves. That is no damage. */
static void ends_print(struct input *in)
{
	struct error e = {0};
	struct trace *t;
	char *line;

	if (native_open_bare(in, &t, &e))
		return;
	native_ends_each(t, sentence_print, NULL);
	line = native_closing(t);
	if (line)
		puts(line);
	free(line);
	trace_free(t);
}

int dump_check(struct input *in, struct error *e)
{
	struct paths l = {0};
	size_t problems = 0;
	int code = native_paths(in, &l, e);

	if (code == ERROR_INPUT)
		puts(e->text);
	for (size_t i = 0; i < l.path_n; i++) {
		struct native_file *f;
		uint64_t records = 0;
		size_t found;
		int opened = native_file_open(l.path[i], &f, e);

		if (opened) {
			if (opened > 0)
				text_printf(stdout, "%s: ok: no records yet, not closed\n",
					    l.path[i]);
			else
				puts(e->text);
			code = opened < 0 ? e->code : code;
			continue;
		}
		found = native_check(f, sentence_print, NULL);
		problems += found;
		for (size_t k = 0; k < f->chunk_n; k++)
			records += native_file_chunk(f, k)->records;
		if (!found)
			text_printf(stdout, "%s: ok: %zu chunk%s, %llu records%s%s\n", f->path,
				    f->chunk_n, plural(f->chunk_n),
			       (unsigned long long)records, f->closed ? "" : ", not closed",
			       f->lost ? ", some events were lost during recording" : "");
		native_kept_put(native_files(in), f);
	}
	ends_print(in);
	if (l.path_n > 1)
		check_clocks(in);
	paths_release(&l);
	return code ? code : problems ? ERROR_INPUT : 0;
}

static void ignore(void *to, const struct event_batch *b)
{
	(void)to;
	(void)b;
}

/* Prints what is wrong, or one line that nothing is. */
static int read_through(struct trace *t, struct error *e)
{
	int bad = 0;

	for (uint32_t s = 0; s < t->stream_n; s++) {
		int code = trace_stream_read(t, s, INT64_MIN, ignore, NULL, e);

		if (code < 0)
			return code;
		bad |= t->stream[s].damaged;
	}
	trace_settle(t);
	for (size_t i = 0; i < t->note_n; i++) {
		char *sentence = note_sentence(&t->note[i]);

		puts(sentence);
		free(sentence);
	}
	if (!bad)
		text_printf(stdout, "%s: ok: %zu threads, %llu events\n", t->path, t->stream_n,
		       (unsigned long long)t->events);
	return bad ? ERROR_INPUT : 0;
}

int dump_check_events(struct input *in, struct error *e)
{
	struct trace *t;
	int code = trace_open_input(in, NULL, &t, e);

	if (!code) {
		code = read_through(t, e);
		trace_free(t);
	}
	if (code && e->code)
		puts(e->text);
	if (!code)
		check_clocks(in);
	return code;
}
