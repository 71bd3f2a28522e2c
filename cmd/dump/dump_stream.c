/* dump_stream.c: prints one stream of our own format: its file, chunks, definitions, snapshots and records. */
#include "cmd/dump/dump_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/text.h"
#include "cmd/shared/message.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_load.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/native_run.h"
#include "convert/native/events/native_walk.h"

struct dump {
	const struct trace *trace;
	const struct native_stream *stream;
	const struct native_clock *clock;
	struct native_columns columns;
	struct native_blocks blocks;
	unsigned show;
	struct window_span span;	/* what is printed begins and ends there */
	int64_t now;		/* ns of the record before */
};

static void print_text(struct bytes b)
{
	size_t n = bytes_left(&b);
	char *text = mem_alloc(n + 1); /* a NUL follows, for text_plain() */

	memcpy(text, b.p, n);
	putchar('"');
	for (size_t i = 0, length; i < n; i += length ? length : 1) {
		length = text_plain(text + i);
		if (text[i] == '"' || text[i] == '\\')
			putchar('\\');
		if (length)
			fwrite(text + i, 1, length, stdout);
		else
			printf("\\x%02x", (unsigned char)text[i]);
	}
	putchar('"');
	free(text);
}

/* ---- fields ---- */

static void print_region(const struct dump *d, uint64_t id)
{
	uint32_t region = native_id(&d->stream->region, id);

	name_print(stdout, region == TRACE_NONE ? "?" : d->trace->region[region].name);
	printf(" [%llu]", (unsigned long long)id);
}

static void print_id(const struct dump *d, char type, uint64_t id)
{
	const char *name = "?";
	uint32_t at;

	if (type == 'e') {
		at = native_id(&d->stream->event, id);
		name = at == TRACE_NONE ? name : d->trace->event[at].name;
	} else if (type == 'c') {
		at = native_id(&d->stream->comm, id);
		name = !id ? "world" : at == TRACE_NONE ? name : d->trace->comm[at].name;
	} else {
		at = native_id(&d->stream->memtype, id);
		name = at == TRACE_NONE ? type == 'o' && !id ? "none" : name
					: d->trace->memtype[at].name;
	}
	name_print(stdout, name);
	printf(" [%llu]", (unsigned long long)id);
}

/* Code addresses, innermost first. */
static void print_addresses(struct bytes *b)
{
	uint64_t n = bytes_varint(b), at = 0;

	for (; n && !b->bad; n--) {
		at += (uint64_t)bytes_zigzag(b);
		printf("0x%llx%s", (unsigned long long)at, n > 1 ? " < " : "");
	}
}

static void print_field(const struct dump *d, char type, struct bytes *b)
{
	struct bytes s;
	uint64_t n;

	switch (type) {
	case 'z':
		printf("%lld", (long long)bytes_zigzag(b));
		break;
	case 'f':
		printf("%.17g", bytes_f64(b));
		break;
	case '?':
	case 'a':
		printf("0x%llx", (unsigned long long)bytes_u64(b));
		break;
	case 't':
	case 's':
		print_text(bytes_string(b));
		break;
	case 'x':
		for (s = bytes_string(b); s.p < s.end; s.p++)
			printf("%02x", *s.p);
		break;
	case 'r':
		print_region(d, bytes_varint(b));
		break;
	case 'A':
		print_addresses(b);
		break;
	case 'V':
	case 'R':
		for (n = bytes_varint(b); n && !b->bad; n--) {
			uint64_t v = bytes_varint(b);

			if (type == 'R')
				print_region(d, v);
			else
				printf("%llu", (unsigned long long)v);
			fputs(n > 1 ? ", " : "", stdout);
		}
		break;
	case 'd':
		printf("%lld", (long long)native_duration(d->clock, bytes_varint(b)));
		break;
	case 'w':
	case 'v':
		printf("%llu", (unsigned long long)bytes_varint(b));
		break;
	default:
		print_id(d, type, bytes_varint(b));
		break;
	}
}

static void print_fields(const struct dump *d, const struct native_kind *kind, struct bytes b,
			 uint32_t request)
{
	const char *fields = kind->fields, *name;
	int length;
	char type;

	while ((type = native_field(&fields, &name, &length)) && !b.bad) {
		if ((type == '?' || type == 't' || type == 'w' || type == 'q') && !bytes_left(&b))
			continue;
		printf(" %.*s=", length, name);
		if (type == 'q')
			printf("%u", request);
		else
			print_field(d, type, &b);
	}
	puts(b.bad ? " (cut short)" : "");
}

/* ---- parts of a chunk ---- */

static void print_definitions(const struct dump *d)
{
	struct native_list l = native_definitions(&d->columns);
	struct native_element x;

	while (native_list_next(&l, &x) > 0) {
		if (x.kind >= NATIVE_DEFINE_KINDS || !native_define_kind[x.kind].name) {
			printf("  define kind %u (unknown), %zu bytes\n", x.kind,
			       bytes_left(&x.fields));
			continue;
		}
		printf("  define %s", native_define_kind[x.kind].name);
		print_fields(d, &native_define_kind[x.kind], x.fields, 0);
	}
}

static void print_stack(const struct dump *d, struct bytes b)
{
	uint64_t n = bytes_varint(&b);

	printf("  snapshot: %llu regions are open\n", (unsigned long long)n);
	for (; n && !b.bad; n--) {
		uint64_t region = bytes_varint(&b), since = bytes_varint(&b);
		uint64_t first = d->columns.head.first_tick;

		if (b.bad)
			break;
		fputs("    ", stdout);
		print_region(d, region);
		printf(" since %.9f\n",
		       (double)native_time(d->clock, since < first ? first - since : 0) / 1e9);
	}
}

static void print_memory(const struct dump *d, struct bytes b)
{
	uint64_t n = bytes_varint(&b);

	printf("  snapshot: memory of %llu types\n", (unsigned long long)n);
	for (; n && !b.bad; n--) {
		uint64_t type = bytes_varint(&b);
		int64_t bytes = bytes_zigzag(&b), blocks = bytes_zigzag(&b);

		if (b.bad)
			break;
		fputs("    ", stdout);
		print_id(d, 'm', type);
		printf(" %lld bytes in %lld blocks\n", (long long)bytes, (long long)blocks);
	}
}

static const char *metric_name(const struct dump *d, uint64_t id)
{
	uint32_t at = native_id(&d->stream->metric, id);

	return at == TRACE_NONE ? "?" : d->trace->metric[at].name;
}

static void print_metrics(const struct dump *d, struct bytes b)
{
	puts("  snapshot: metrics");
	for (uint32_t i = 0; i < d->columns.head.metrics; i++) {
		fputs("    ", stdout);
		name_print(stdout, metric_name(d, i));
		printf(" [%u] %lld\n", i, (long long)bytes_zigzag(&b));
	}
	while (d->columns.head.metrics && bytes_left(&b)) {
		fputs("    since an enter", stdout);
		for (uint32_t i = 0; i < d->columns.head.metrics && !b.bad; i++)
			printf(" %+lld", (long long)bytes_zigzag(&b));
		putchar('\n');
	}
}

static void print_cost(struct bytes b)
{
	unsigned long long inside = bytes_varint(&b);

	printf("  snapshot: a call costs %llu ps between its times, %llu ps outside\n", inside,
	       (unsigned long long)bytes_varint(&b));
}

static void print_snapshot(const struct dump *d, struct native_list sections)
{
	struct native_element x;

	while (native_list_next(&sections, &x) > 0) {
		if (x.kind == TAU_SNAP_STACK)
			print_stack(d, x.fields);
		else if (x.kind == TAU_SNAP_MEMORY)
			print_memory(d, x.fields);
		else if (x.kind == TAU_SNAP_METRICS)
			print_metrics(d, x.fields);
		else if (x.kind == TAU_SNAP_SEAL)
			printf("  snapshot: storing the previous chunk took %llu ticks\n",
			       (unsigned long long)bytes_varint(&x.fields));
		else if (x.kind == TAU_SNAP_COST)
			print_cost(x.fields);
		else if (x.kind == TAU_SNAP_THREAD)
			printf("  snapshot: thread %llu\n",
			       (unsigned long long)bytes_varint(&x.fields));
		else
			printf("  snapshot: section %u (unknown)\n", x.kind);
	}
}

/* Values that a record carries, on a line of their own. */
static void print_values(const struct dump *d, const struct native_element *r)
{
	if (!r->metric_n)
		return;
	fputs("    ", stdout);
	for (uint32_t i = 0; i < r->metric_n; i++) {
		putchar(' ');
		name_print(stdout, metric_name(d, i));
		printf("=%lld", (long long)r->metric[i]);
	}
	putchar('\n');
}

static void print_record(struct dump *d, size_t number, const struct native_element *r)
{
	int64_t ns = native_time(d->clock, r->tick);

	if (ns < d->span.begin || ns >= d->span.end)
		return;
	printf("  #%zu %.9f +%lld ns ", number, (double)ns / 1e9, (long long)(ns - d->now));
	d->now = ns;
	if (r->kind == TAU_TOKEN_REGION) {
		fputs("ENTER ", stdout);
		print_region(d, r->region);
		putchar('\n');
	} else if (r->kind == TAU_TOKEN_LEAVE) {
		puts("LEAVE");
	} else if (native_record_kind[r->kind].name) {
		fputs(native_record_kind[r->kind].name, stdout);
		print_fields(d, &native_record_kind[r->kind], r->fields, r->request);
	} else {
		printf("kind %u (unknown), %zu bytes\n", r->kind, bytes_left(&r->fields));
	}
	print_values(d, r);
}

static void print_chunk_header(const struct dump *d, struct native_file *f, size_t k)
{
	static const char *const column[TAU_COLUMNS] = {"definitions", "times", "ids", "arguments"};
	const struct tau_chunk_header *h = &d->columns.head;

	if (native_file_chunk(f, k)->live)
		printf("chunk %u (live):", h->seq);
	else
		printf("chunk %u at offset %llu, %llu bytes:", h->seq,
		       (unsigned long long)native_file_chunk(f, k)->offset,
		       (unsigned long long)native_file_chunk(f, k)->stored);
	printf(" %u records, %.9f to %.9f, %llu lost;", h->records,
	       (double)native_time(d->clock, h->first_tick) / 1e9,
	       (double)native_time(d->clock, h->last_tick) / 1e9, (unsigned long long)h->lost);
	for (int c = 0; c < TAU_COLUMNS; c++)
		printf(" %s %u/%u", column[c], h->stored[c], h->raw[c]);
	putchar('\n');
}

static int dump_chunk(struct dump *d, struct native_file *f, size_t k, struct error *e)
{
	struct native_list snapshot;
	struct native_element r;
	struct native_walk w;
	int code = native_file_load(f, k, (1 << TAU_COLUMNS) - 1, &d->columns, e);

	if (code)
		return code;
	if (d->show & SHOW_CHUNKS)
		print_chunk_header(d, f, k);
	if (d->show & SHOW_DEFINITIONS)
		print_definitions(d);
	native_blocks_add(&d->blocks, &d->columns);
	if (native_walk_begin(&w, &d->columns, &d->blocks, &snapshot))
		return error_set(e, ERROR_INPUT, "%s: chunk %zu: the snapshot is cut short",
				 f->path, k);
	if (d->show & SHOW_SNAPSHOTS)
		print_snapshot(d, snapshot);
	if (!(d->show & SHOW_RECORDS))
		return 0;
	d->now = native_time(d->clock, d->columns.head.first_tick);
	while ((code = native_walk_next(&w, &r)) > 0)
		print_record(d, w.at - 1, &r);
	if (code)
		return error_set(e, ERROR_INPUT, "%s: chunk %zu: record %zu is damaged", f->path, k,
				 w.at - 1);
	return 0;
}

/* ---- files ---- */

static void print_file(const struct dump *d, struct native_file *f)
{
	const struct tau_file_header *h = &f->head;

	text_printf(stdout, "file %s: version %u.%u, process %016llx, pid %u, thread %u\n",
		    f->path, h->major,
	       h->minor, (unsigned long long)h->process_id, h->pid, h->thread);
	printf("clock %s, %llu Hz, shift %u, start at tick %llu = %.9f s; one tick is %.9g ns\n",
	       h->clock == TAU_CLOCK_TSC ? "TSC" : "MONOTONIC", (unsigned long long)h->ticks_hz,
	       h->shift, (unsigned long long)h->start_tick,
	       (double)native_time(d->clock, h->start_tick) / 1e9,
	       (double)d->clock->mult / 18446744073709551616.0 *
		       (double)(1ull << (64 - d->clock->shift) % 64));
	printf("%zu chunk%s, %llu bytes, %s%s\n", f->chunk_n, plural(f->chunk_n),
	       (unsigned long long)f->size,
	       !f->closed ? "not closed"
	       : f->left  ? "closed after the process had ended"
			  : "closed",
	       f->indexed ? ", with index" : "");
	if (f->live_path)
		text_printf(stdout, "live file %s: chunk %u, %s\n", f->live_path, f->live.seq,
			       f->chunk_n && native_file_chunk(f, f->chunk_n - 1)->live ? "used"
									        : "not used");
}

static void print_index(struct native_file *f)
{
	if (!f->indexed)
		return;
	printf("index at offset %llu: %zu entries\n", (unsigned long long)f->index_offset,
	       f->chunk_n);
	for (size_t k = 0; k < f->chunk_n; k++) {
		const struct native_chunk *c = native_file_chunk(f, k);

		if (!c->live)
			printf("  chunk %zu at offset %llu: %u records, ticks %llu to %llu, "
			       "definitions %u bytes\n",
			       k, (unsigned long long)c->offset, c->records,
			       (unsigned long long)c->first_tick, (unsigned long long)c->last_tick,
			       c->defs_stored);
	}
}

/* Does a chunk reach into the window? */
static int chunk_meant(const struct dump *d, const struct native_file *f, size_t k)
{
	return native_time(d->clock, f->chunk[k].last_tick) >= d->span.begin &&
	       native_time(d->clock, f->chunk[k].first_tick) < d->span.end;
}

int dump_stream(const struct program *program, struct trace *t, const struct trace_stream *s,
		unsigned show, struct window_span span)
{
	struct native_stream *n = s->reader;
	const struct native_run *run = t->reader;
	struct dump d = {.trace = t,
			 .stream = n,
			 .clock = &run->clock[n->clock],
			 .show = show,
			 .span = span};
	struct error e;
	int code = 0;

	if (show & SHOW_FILES)
		print_file(&d, n->file);
	for (size_t k = 0; k < n->file->chunk_n && !code; k++)
		code = chunk_meant(&d, n->file, k) ? dump_chunk(&d, n->file, k, &e) : 0;
	if (code)
		program_fail(program, &e);
	if (show & SHOW_INDEX)
		print_index(n->file);
	native_file_rest(n->file);
	native_columns_release(&d.columns);
	free(d.blocks.v);
	return code;
}
