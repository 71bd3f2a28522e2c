/*
 * otf2_back.c: what a run holds is in the archive made of it, and in the run made of that; or the summary of what is lost speaks
 * of it. What is written is read by otf2-print, too, where it is installed.
 */
#include "tap.h"

#ifdef HAVE_OTF2
#include "convert/formats.h"
#include "convert/trace_write.h"
#include "files.h"
#include "ranks.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-back.XXXXXX";
static int made; /* archives and runs so far */

/* t as an archive or as a run, read again, and freed; NULL: that failed, and the test's output has the reason. */
static struct trace *through(struct trace *t, const char *format, char **lost)
{
	struct write_options o = {0};
	struct error e = {0};
	struct trace *back = NULL;
	char name[20];

	snprintf(name, sizeof(name), "%s%d", format, ++made);
	if (write_format_of(format)->write(t, file_below(dir, name), &o, &e) ||
	    trace_open(file_below(dir, name), &back, &e))
		printf("# %s\n", e.text);
	for (size_t i = 0; back && i < back->note_n; i++)
		ok(0, "%s of it has nothing to note: %s", format, back->note[i].text);
	*lost = write_losses(&o);
	trace_free(t);
	return back;
}

/* What otf2-print prints about the archive that was written last, besides its events; "" if it is not installed. */
static const char *library_message(void)
{
	static char said[300];
	char command[200];
	FILE *f;

	snprintf(command, sizeof(command), "! command -v otf2-print >/dev/null || otf2-print %s/otf2%d/traces.otf2 2>&1 >/dev/null",
		 dir, made);
	f = popen(command, "r");
	said[f ? fread(said, 1, sizeof(said) - 1, f) : 0] = 0;
	if (f && pclose(f) && !*said)
		strcpy(said, "it fails");
	return said;
}

/* ---- long texts ---- */

static void write_one(const char *run, int rank)
{
	struct writer w;

	writer_open(&w, file_below(run, "x.tau"), 7, 0, 0, 10);
	writer_rank(&w, (uint32_t)rank, 1);
	for (uint32_t i = 0; i < 2; i++)
		writer_region(&w, i, i ? "b" : "a", "A");
	for (uint32_t i = 0; i < 2; i++)
		writer_enter(&w, 20 + i, i);
	for (uint32_t i = 0; i < 2; i++)
		writer_leave(&w, 30 + i);
	writer_close(&w);
}

static void test_text(size_t n, int is_cut)
{
	struct trace *t = run_open(dir, 1, write_one);
	char *s = mem_alloc(n + 1), *lost;
	size_t got = 0;

	memset(s, 'x', n);
	free(t->region[0].name);
	t->region[0].name = mem_string(s);
	t = through(t, "otf2", &lost);
	if (!ok(t != NULL, "a name of %zu bytes: the archive opens", n))
		return;
	for (size_t i = 0; i < t->region_n; i++)
		if (*t->region[i].name == 'x')
			got = strlen(t->region[i].name);
	if (is_cut)
		ok(got && got < n && lost && strstr(lost, "1 texts longer than 16 MB"), "it is cut after %zu, and that is said: %s", got, lost);
	else
		ok(got == n && !lost, "it comes back whole (%zu), and nothing is lost: %s", got, lost ? lost : "");
	ok(!*library_message(), "otf2-print reads it: %s", library_message());
	trace_free(t);
	free(lost);
	free(s);
}

/* ---- many ranks ---- */

static void put_message(struct writer *w, uint64_t tick, uint32_t comm, int64_t peer, int is_send)
{
	struct buffer f = {0};

	put_zigzag(&f, peer);
	put_zigzag(&f, 5);
	put_varint(&f, comm);
	put_varint(&f, 100);
	writer_extended(w, tick, is_send ? TAU_REC_SEND : TAU_REC_RECV, &f);
}

static void write_far(const char *run, int rank)
{
	struct writer w;

	writer_open(&w, file_below(run, "x.tau"), 7, 0, 0, 10);
	writer_rank(&w, (uint32_t)rank, 1);
	put_message(&w, 20, 0, 1700000, 1);
	writer_close(&w);
}

/* A list of all ranks is in one chunk, and chunks have a largest size. */
static void test_ranks(void)
{
	char *lost;
	struct trace *t = through(run_open(dir, 1, write_far), "otf2", &lost);

	if (ok(t && !lost, "a message to rank 1700000: the archive opens"))
		trace_free(t);
	ok(!*library_message(), "otf2-print reads it: %s", library_message());
}

/* ---- two groups that talk to each other ---- */

static void put_groups(struct writer *w, uint32_t id, const uint32_t *rank, uint32_t n, uint32_t first)
{
	struct buffer f = {0};

	put_varint(&f, id);
	put_string(&f, first ? "bridge" : "half");
	put_varint(&f, n);
	for (uint32_t i = 0; i < n; i++)
		put_varint(&f, rank[i]);
	if (first)
		put_varint(&f, first);
	writer_define(w, TAU_DEF_COMM, &f);
}

/* Ranks 4, 2, 0 and 1, 3: each sends to 3 or to 0, which is of the other group; 3 is root of a broadcast. */
static void write_bridge(const char *run, int rank)
{
	static const uint32_t even[] = {4, 2, 0, 1, 3}, odd[] = {1, 3, 4, 2, 0};
	struct buffer f = {0};
	struct writer w;
	char name[20];

	snprintf(name, sizeof(name), "%d.tau", rank);
	writer_open(&w, file_below(run, name), 100 + (uint64_t)rank, 0, 0, 10);
	writer_rank(&w, (uint32_t)rank, 5);
	put_groups(&w, 7, rank % 2 ? odd : even, 5, rank % 2 ? 2 : 3);
	put_groups(&w, 8, rank % 2 ? odd : even, rank % 2 ? 2 : 3, 0);
	put_message(&w, 20 + (uint64_t)rank, 7, rank % 2 ? 0 : 3, 1);
	/* A rank that is not in the communicator. */
	put_message(&w, 30 + (uint64_t)rank, 8, rank % 2 ? 0 : 1, 0);
	if (rank % 2 == 0 || rank == 3) {
		put_varint(&f, TAU_COLL_BROADCAST);
		put_varint(&f, 7);
		put_zigzag(&f, 3);
		put_varint(&f, 8);
		put_varint(&f, 8);
		writer_extended(&w, 40, TAU_REC_COLL, &f);
	}
	writer_close(&w);
}

/* Does the trace hold for each rank what write_bridge() wrote? */
static int bridges(struct trace *t)
{
	int wrong = t->process_n != 5, seen = 0, groups = 0;

	for (uint32_t s = 0; s < t->stream_n; s++) {
		int64_t here = t->process[t->stream[s].process].node;
		struct error e = {0};
		struct trace_cursor *c;
		struct event_batch *b;

		if (t->ops->open(t, s, INT64_MIN, &c, &e))
			return 0;
		while (t->ops->next(c, &b, &e) > 0)
			for (size_t i = 0; i < b->n; i++) {
				const struct event_args *a = &b->args[b->event[i].ref];
				uint32_t kind = b->event[i].kind, comm;
				const struct trace_comm *m;
				int64_t peer;

				if (kind == EVENT_RECV)
					wrong += a->message.peer != (here % 2 ? 0 : 1);
				if (kind != EVENT_SEND && kind != EVENT_COLL)
					continue;
				comm = kind == EVENT_SEND ? a->message.comm : a->coll.comm;
				peer = kind == EVENT_SEND ? a->message.peer : a->coll.root;
				m = &t->comm[comm];
				seen++;
				wrong += peer != (kind == EVENT_SEND && here % 2 ? 0 : 3) ||
					 strcmp(m->name, "bridge") || !m->inter ||
					 trace_comm_second(t->comm, comm) || m->rank[0] != 4 ||
					 m->n != 3 || t->comm[m->inter - 1].n != 2 ||
					 t->comm[m->inter - 1].rank[0] != 1;
			}
		t->ops->close(c);
	}
	for (size_t i = 0; i < t->comm_n; i++)
		groups += !strcmp(t->comm[i].name, "bridge");
	/* It is one communicator, of two groups. */
	return !wrong && seen == 9 && groups == 2;
}

static void test_bridge(void)
{
	struct trace *t = run_open(dir, 5, write_bridge);
	char *lost;

	ok(bridges(t), "a run says who talks to whom between two groups");
	for (int i = 0; i < 4; i++) {
		const char *format = i % 2 ? "tau" : "otf2";

		t = through(t, format, &lost);
		if (!ok(t && !lost && bridges(t), "and so does %s that is made of it: %s", i % 2 ? "a run" : "an archive", lost ? lost : ""))
			return;
		if (i == 0)
			ok(!*library_message(), "otf2-print reads it: %s", library_message());
	}
	trace_free(t);
}

int main(void)
{
	char command[100];

	if (!mkdtemp(dir))
		return 1;
	test_text(1000, 0);
	test_text((1 << 18) + 1, 0);
	test_text((1 << 22) - 40, 0);
	test_text((1 << 24) - 64, 0);
	test_text((1 << 24) - 63, 1);
	test_text(1 << 25, 1);
	test_ranks();
	test_bridge();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
#else
int main(void)
{
	skip("runs as archives, and back", "no OTF2 library");
	return tap_end();
}
#endif
