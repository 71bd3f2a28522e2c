/* native_rename.c: gives events their last names, in all streams of a process. */
#include <stdlib.h>

#include "convert/native/native_address.h"
#include "convert/native/native_rename.h"

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
