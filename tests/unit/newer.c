/* newer.c: what a later minor version may have added to a trace is skipped, with a note, and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/trace.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

#define START 1000000
#define LATER 250

static char dir[] = "/tmp/tau-newer.XXXXXX";
static int added; /* write what is new, too */
static uint16_t minor = TAU_VERSION_MINOR;

static void fields_put(struct writer *w, uint64_t tick, uint32_t kind, const uint64_t *v, size_t n)
{
	struct buffer f = {0};

	for (size_t i = 0; i < n; i++)
		put_varint(&f, v[i]);
	writer_extended(w, tick, kind, &f);
}
#define FIELDS(w, tick, kind, ...) \
	fields_put(w, tick, kind, (const uint64_t[]){__VA_ARGS__}, \
		   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void write_rank(const char *run, int rank)
{
	char path[128];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(&w, path, 100, 0, START, START);
	writer_region(&w, 0, "work", "TAU_USER");
	writer_event(&w, 0, "in.dat", 0);
	writer_enter(&w, START, 0);
	FIELDS(&w, START + 1, TAU_REC_IO, TAU_IO_READ, 0, 100, 10);
	if (added) {
		FIELDS(&w, START + 2, 63, 1, 2, 3);
		FIELDS(&w, START + 2, TAU_REC_IO, 200, 0, 100, 10);
		FIELDS(&w, START + 2, TAU_REC_SYNC, 200, 0, 0);
	}
	FIELDS(&w, START + 3, TAU_REC_IO, TAU_IO_WRITE, 0, 50, 10);
	FIELDS(&w, START + 4, TAU_REC_VALUE, 0, 14);
	writer_leave(&w, START + 1000);
	writer_close(&w);
	if (minor != TAU_VERSION_MINOR) {
		FILE *f = fopen(path, "r+b");

		w.head.minor = minor;
		w.head.crc = (uint32_t)crc32(0, (const void *)&w.head, 60);
		if (!f || fwrite(&w.head, sizeof(w.head), 1, f) != 1)
			exit(1);
		fclose(f);
	}
}

struct found {
	char kinds[400]; /* of all events, with their arguments */
	int damaged;
	size_t notes;
	double number; /* of the last note about a later version */
};

static struct found read_run(void)
{
	struct found r = {.number = 0};
	struct trace *t = run_open(dir, 1, write_rank);
	struct trace_cursor *c;
	struct event_batch *b;
	struct error e = {0};
	size_t n = 0;

	if (!t || t->ops->open(t, 0, INT64_MIN, &c, &e) < 0)
		exit(1);
	while (t->ops->next(c, &b, &e) > 0)
		for (size_t i = 0; i < b->n && n < sizeof(r.kinds) - 30; i++) {
			const struct event *v = &b->event[i];

			n += (size_t)snprintf(r.kinds + n, 30, "%u", v->kind);
			if (v->kind == EVENT_IO)
				n += (size_t)snprintf(r.kinds + n, 30, ":%u:%lld", b->args[v->ref].io.op,
						      (long long)b->args[v->ref].io.bytes);
			if (v->kind == EVENT_VALUE)
				n += (size_t)snprintf(r.kinds + n, 30, ":%g", b->args[v->ref].value.value);
			n += (size_t)snprintf(r.kinds + n, 30, " ");
		}
	t->ops->close(c);
	r.damaged = t->stream[0].damaged;
	for (size_t i = 0; i < t->note_n; i++)
		if (t->note[i].kind == NOTE_NEWER) {
			r.notes++;
			r.number = t->note[i].number;
		}
	trace_free(t);
	return r;
}

int main(void)
{
	struct found now, later;
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	now = read_run();
	ok(!now.damaged && !now.notes && strstr(now.kinds, ":7"), "a run of this version has no note: %s",
	   now.kinds);
	added = 1;
	minor = LATER;
	later = read_run();
	ok(!later.damaged, "records, operations and synchronisations that are unknown are no damage");
	ok(!strcmp(now.kinds, later.kinds), "and are skipped: %s", later.kinds);
	ok(later.notes == 1 && later.number == LATER, "a note has the later version");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		return 1;
	return tap_end();
}
