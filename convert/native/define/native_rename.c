/* native_rename.c: gives events their last names, in all streams of a process, and threads theirs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/native/define/native_address.h"
#include "convert/native/define/native_rename.h"
#include "record/metadata.h"

static int compare_renames(const void *a, const void *b)
{
	const struct native_rename *x = a, *y = b;
	uint32_t p = x->stream->process, q = y->stream->process;

	if (p != q)
		return p < q ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void native_events_rename(struct native_run *run)
{
	if (run->rename_n)
		qsort(run->rename, run->rename_n, sizeof(*run->rename), compare_renames);
	for (size_t i = 0; i < run->rename_n; i++) {
		const struct native_rename *r = &run->rename[i], *next = r + 1;

		if (i + 1 < run->rename_n && next->id == r->id &&
		    next->stream->process == r->stream->process)
			continue;
		for (size_t k = 0; k < run->stream_n; k++) {
			struct native_stream *s = run->stream[k];

			if (s->process == r->stream->process &&
			    native_id(&s->event, r->id) != TRACE_NONE)
				native_ids_set(&s->event, r->id, r->event);
		}
	}
	free(run->rename);
	run->rename = NULL;
	run->rename_n = run->rename_cap = 0;
}

int native_thread_name(struct native_run *run, uint32_t process, const char *meta,
		       struct bytes value)
{
	static const char begin[] = TAU_META_THREAD_NAME ": ";
	const char *number = meta + sizeof(begin) - 1;
	uint32_t thread;
	char *end;

	if (strncmp(meta, begin, sizeof(begin) - 1) || !isdigit((unsigned char)*number))
		return 0;
	thread = (uint32_t)strtoul(number, &end, 10);
	if (*end)
		return 0;
	*array_add(run, thread_name) =
		(struct native_thread_name){process, thread, bytes_text(value)};
	return 1;
}

void native_threads_rename(struct native_run *run)
{
	for (size_t i = 0; i < run->thread_name_n; i++) {
		struct native_thread_name *n = &run->thread_name[i];

		for (size_t k = 0; k < run->stream_n && n->name; k++) {
			struct native_stream *s = run->stream[k];

			if (s->process != n->process || s->file->head.thread != n->thread)
				continue;
			free(s->label);
			s->label = n->name;
			n->name = NULL;
		}
		free(n->name);
	}
	free(run->thread_name);
	run->thread_name = NULL;
	run->thread_name_n = run->thread_name_cap = 0;
}
