/* files.c: adds up the reads, writes and other calls of a trace by file, by directory and by size. */
#include "analyze/messages/files.h"

#include <string.h>

#include "analyze/base/map.h"
#include "analyze/messages/selection.h"
#include "analyze/profile/message_counter.h"

static struct files_row *row_of(struct files *x, uint32_t name, uint32_t op)
{
	uint64_t key = (uint64_t)name << 8 | op;
	uint32_t at = map_get(&x->at, key);
	struct files_row *r;

	if (at != MAP_NONE)
		return &x->row[at];
	map_set(&x->at, key, (uint32_t)x->row_n);
	r = array_add(x, row);
	r->name = name;
	r->op = op;
	r->least = UINT64_MAX;
	return r;
}

static void on_io(void *to, uint32_t stream, uint32_t path, const struct event_args *a, int inside)
{
	struct files *x = to;
	const char *name = x->m->trace->event[a->io.file].name;
	struct files_row *r;
	int32_t size = message_size_class(a->io.bytes);

	if (!inside || a->io.op >= IO_OPS || !selection_has(x->m->selection, stream, path))
		return;
	r = row_of(x, names_add(&x->names, name, strlen(name)), a->io.op);
	r->calls++;
	if (a->io.ns > 0)
		r->ns += a->io.ns;
	if (!event_io_moves(a->io.op)) {
		r->least = 0;
		return;
	}
	r->bytes += a->io.bytes;
	r->small += a->io.bytes < FILES_SMALL;
	r->placed += a->io.at >= 0;
	r->unaligned += a->io.at >= 0 && a->io.at % FILES_BLOCK;
	r->least = a->io.bytes < r->least ? a->io.bytes : r->least;
	r->most = a->io.bytes > r->most ? a->io.bytes : r->most;
	if (a->io.ns > 0)
		r->timed += a->io.bytes;
	x->size[size].calls[a->io.op]++;
	x->size[size].bytes[a->io.op] += a->io.bytes;
}

struct messages_use files_use(struct files *x, const struct messages *m)
{
	*x = (struct files){.m = m};
	return (struct messages_use){.io = on_io, .to = x, .window_only = 1};
}

static int most_first(const void *va, const void *vb)
{
	const struct files_row *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (a->op > b->op) - (a->op < b->op);
}

void files_end(struct files *x)
{
	if (x->row_n)
		qsort(x->row, x->row_n, sizeof(*x->row), most_first);
}

void files_by_directory(const struct files *x, struct files *into)
{
	*into = (struct files){.m = x->m};
	memcpy(into->size, x->size, sizeof(x->size));
	for (size_t i = 0; i < x->row_n; i++) {
		const struct files_row *from = &x->row[i];
		const char *name = x->names.name[from->name], *end = strrchr(name, '/');
		size_t n = !end || from->op == IO_LIST ? strlen(name)
			   : end > name		       ? (size_t)(end - name)
						       : 1;
		struct files_row *to = row_of(into, names_add(&into->names, name, n), from->op);

		to->files++;
		to->calls += from->calls;
		to->bytes += from->bytes;
		to->small += from->small;
		to->placed += from->placed;
		to->unaligned += from->unaligned;
		to->least = from->least < to->least ? from->least : to->least;
		to->most = from->most > to->most ? from->most : to->most;
		to->timed += from->timed;
		to->ns += from->ns;
	}
	files_end(into);
}

void files_release(struct files *x)
{
	names_release(&x->names);
	map_release(&x->at);
	free(x->row);
	*x = (struct files){0};
}
