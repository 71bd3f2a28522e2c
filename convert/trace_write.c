/* trace_write.c: what the writers of all formats of traces share. */
#include "convert/trace_write.h"

#include "analyze/trace/event_fields.h"
#include "analyze/trace/filter.h"

static void add_loss(char **all, uint64_t n, const char *what)
{
	char *longer;

	if (!n)
		return;
	longer = mem_printf("%s%s%llu %s", *all ? *all : "", *all ? ", " : "",
			    (unsigned long long)n, what);
	free(*all);
	*all = longer;
}

char *write_losses(const struct write_options *o)
{
	static const char *const what[LOSSES] = {
		[LOSS_OPEN] = "regions open at the begin, shown as entered there",
		[LOSS_METRIC] = "values of metrics",
		[LOSS_PATH] = "paths of calls to allocations",
		[LOSS_BYTES] = "names that are not UTF-8, shown as Latin-1",
		[LOSS_TEXT] = "texts longer than 16 MB, which are cut",
		[LOSS_THREAD] = "threads without events",
		[LOSS_NAN] = "values that are not numbers",
		[LOSS_OFFSET] = "offsets in files",
		[LOSS_NAMES] = "names of files in calls that move no bytes",
		[LOSS_INNER] = "allocations around others, whose bytes are counted twice",
		[LOSS_LIVE] = "amounts of memory that was live at the begin",
	};
	char *all = NULL;

	for (int i = 0; i < EVENT_KINDS; i++)
		add_loss(&all, o->lost[i], event_row[i].lost);
	for (int i = 0; i < LOSSES; i++)
		add_loss(&all, o->loss[i], what[i]);
	return all;
}

int write_span(const struct trace *t, const struct write_options *o, uint32_t stream,
	       struct window_span *out)
{
	if (!filter_stream(o->only, t, stream))
		return 0;
	*out = o->span ? o->span[t->stream[stream].process]
		       : (struct window_span){INT64_MIN, INT64_MAX};
	if (o->begin)
		out->begin = o->begin[stream];
	return out->end > out->begin;
}

int write_idle(const struct write_options *o)
{
	return !o->span && !filter_regions(o->only);
}

void write_paths_lost(const struct trace *t, struct write_options *o)
{
	for (size_t i = 0; i < t->memtype_n; i++)
		o->loss[LOSS_PATH] += t->memtype[i].call != TRACE_NONE;
}

int write_nothing(const struct trace *t, const struct write_options *o, struct error *e)
{
	if (o->streams)
		return 0;
	return error_set(e, ERROR_INPUT, "%s: %s", t->path,
			 o->span ? "nothing happens in the window" : "there are no events in it");
}
