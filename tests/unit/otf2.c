/*
 * otf2.c: archives made byte by byte: both byte orders, versions that lack fields, what each record becomes, and every
 * truncation and every flipped byte of a small one. Those are read in child processes: the OTF2 library may crash.
 */
#include "tap.h"

#ifdef HAVE_OTF2
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inputs.h"
#include "convert/formats.h"
#include "tests/fuzz/events.h"

/* Bytes and records of the format, see convert/otf2/whole.c. */
enum {
	END_FILE = 2, CHUNK_HEAD = 3, TIME = 5, ATTRIBUTES = 6,
	ENTER = 12, LEAVE = 13, SEND = 14, COLL_END = 23, METRIC = 31, IO_BEGIN = 75, IO_COMPLETE = 78,
	DEF_CLOCK = 5, DEF_STRING = 10, DEF_NODE = 12, DEF_PROCESS = 13, DEF_LOCATION = 14, DEF_REGION = 15, DEF_GROUP = 18,
	DEF_MEMBER = 19, DEF_CLASS = 20, DEF_COMM = 22, DEF_FILE = 38, DEF_HANDLE = 40, LOCAL_MAP = 5, LOCAL_OFFSET = 6,
	OF_REGION = 3,
};
/* For one archive: a process that uses more is stopped, and that is wrong. */
#define CPU_SECONDS 120
#define CHUNK (UINT64_C(1) << 18) /* bytes, the least that the library reads */

/* ---- a writer that writes what its caller requests, right or wrong ---- */

struct bytes_out {
	unsigned char v[CHUNK + 4096];
	size_t n;
	int big;
	size_t end[64], end_n;	/* of events */
};

static void number(struct bytes_out *o, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		o->v[o->n++] = (unsigned char)(v >> 8 * (o->big ? n - 1 - i : i));
}

static void compressed(struct bytes_out *o, uint64_t v)
{
	unsigned n = 0;

	while (n < 8 && v >> 8 * n)
		n++;
	number(o, n, 1);
	number(o, v, n);
}

static void text(struct bytes_out *o, const char *s)
{
	memcpy(o->v + o->n, s, strlen(s) + 1);
	o->n += strlen(s) + 1;
}

/* A record: letters b (byte), u (compressed), t (8 bytes), U (undefined, no argument), z (text). */
static void record(struct bytes_out *o, unsigned kind, const char *letters, ...)
{
	size_t at;
	va_list args;

	number(o, kind, 1);
	at = o->n;
	number(o, 0, 1);
	va_start(args, letters);
	for (; *letters; letters++) {
		if (*letters == 'z')
			text(o, va_arg(args, const char *));
		else if (*letters == 'U')
			number(o, 255, 1);
		else if (*letters == 'b')
			number(o, va_arg(args, uint64_t), 1);
		else if (*letters == 't')
			number(o, va_arg(args, uint64_t), 8);
		else
			compressed(o, va_arg(args, uint64_t));
	}
	va_end(args);
	o->v[at] = (unsigned char)(o->n - at - 1);
	if (kind >= ENTER && o->end_n < 64)
		o->end[o->end_n++] = o->n;
}
#define N(x) ((uint64_t)(x))

static void begin(struct bytes_out *o, int big)
{
	o->n = o->end_n = 0;
	o->big = big;
	number(o, CHUNK_HEAD, 1);
	number(o, big ? '#' : 'B', 1);
	number(o, 1, 8);
	number(o, 0, 8);
}

static void finish(struct bytes_out *o)
{
	number(o, END_FILE, 1);
	number(o, 1, 1);
}

static void at(struct bytes_out *o, uint64_t time)
{
	number(o, TIME, 1);
	number(o, time, 8);
}

static void region(struct bytes_out *o, unsigned kind, uint64_t ref)
{
	number(o, kind, 1);
	compressed(o, ref);
	if (o->end_n < 64)
		o->end[o->end_n++] = o->n;
}

static void string(struct bytes_out *o, uint64_t ref, const char *s)
{
	record(o, DEF_STRING, "uz", ref, s);
}

static void make_anchor(struct bytes_out *o, int big, const char *creator)
{
	static const unsigned char version[] = { 3, 2, 3, 0, 2 };

	o->n = 0;
	o->big = big;
	number(o, CHUNK_HEAD, 1);
	number(o, big ? '#' : 'B', 1);
	text(o, "OTF2");
	for (size_t i = 0; i < sizeof(version); i++)
		number(o, version[i], 1);
	number(o, CHUNK, 8);
	number(o, CHUNK, 8);
	number(o, 1, 1);
	number(o, 1, 1);
	number(o, 1, 8);
	number(o, 0, 8);
	text(o, "");
	text(o, creator);
	text(o, "");
	number(o, 0, 4);
	number(o, 0, 8);
	number(o, 0, 8);
	finish(o);
}

/* Definitions of one location with regions 7 "main" and 9 "f", communicator 3, metric classes, a file. */
static void make_definitions(struct bytes_out *o, int big, int old)
{
	begin(o, big);
	record(o, DEF_CLOCK, "uuu", N(1000000), N(1000), N(100));
	string(o, 1, "main");
	string(o, 2, "f");
	string(o, 3, "host");
	string(o, 4, "node");
	string(o, 5, "MPI Rank 0");
	string(o, 6, "cycles");
	string(o, 7, "level");
	string(o, 8, "s");
	string(o, 9, "data.bin");
	record(o, DEF_NODE, "uuuU", N(0), N(3), N(4));
	record(o, DEF_PROCESS, "uubu", N(0), N(5), N(1), N(0));
	record(o, DEF_LOCATION, "uubuu", N(0), N(5), N(1), N(14), N(0));
	if (old) {
		record(o, DEF_REGION, "uuubUuu", N(7), N(1), N(1), N(1), N(0), N(0));
		record(o, DEF_REGION, "uuubUuu", N(9), N(2), N(2), N(5), N(0), N(0));
		record(o, DEF_GROUP, "uubuu", N(0), N(1), N(6), N(1), N(0));
		record(o, DEF_GROUP, "uubuu", N(1), N(1), N(4), N(1), N(0));
	} else {
		record(o, DEF_REGION, "uuubUuuubbu", N(7), N(1), N(1), N(0), N(0), N(0), N(1), N(1), N(1), N(0));
		record(o, DEF_REGION, "uuubUuuubbu", N(9), N(2), N(2), N(0), N(0), N(0), N(2), N(1), N(3), N(0));
		record(o, DEF_GROUP, "uubuubbu", N(0), N(1), N(6), N(1), N(0), N(4), N(4), N(0));
		record(o, DEF_GROUP, "uubuubbu", N(1), N(1), N(4), N(1), N(0), N(5), N(4), N(0));
	}
	record(o, DEF_COMM, "uuuU", N(3), N(1), N(1));
	/* cycles: counted with each enter and leave, in thousands; level: milliseconds, whenever it likes */
	record(o, DEF_MEMBER, "uuubbbbuu", N(0), N(6), N(6), N(1), N(0), N(4), N(1), N(3), N(1));
	record(o, DEF_MEMBER, "uuubbbbuu", N(1), N(7), N(7), N(1), N(0x11), N(10), N(1), N(-3), N(8));
	record(o, DEF_CLASS, "ububb", N(0), N(1), N(0), N(0), N(0));
	record(o, DEF_CLASS, "ububb", N(1), N(1), N(1), N(2), N(0));
	record(o, DEF_FILE, "uuu", N(0), N(9), N(0));
	record(o, DEF_HANDLE, "uuubuUU", N(5), N(1), N(0), N(0), N(0));
	finish(o);
}

static const uint64_t five = 0x4014000000000000;

/* From 1000 to 1100 ticks of 1 us: main { f { } values message transfer }. */
static void make_events(struct bytes_out *o, int big)
{
	begin(o, big);
	at(o, 1000);
	record(o, METRIC, "ubbu", N(0), N(1), N(4), N(10));
	region(o, ENTER, 7);
	at(o, 1010);
	record(o, METRIC, "ubbu", N(0), N(1), N(4), N(20));
	region(o, ENTER, 9);
	at(o, 1030);
	record(o, METRIC, "ubbu", N(0), N(1), N(4), N(70));
	region(o, LEAVE, 9);
	record(o, METRIC, "ubbu", N(1), N(1), N(10), five);
	at(o, 1040);
	record(o, ATTRIBUTES, "uubb", N(1), N(0), N(1), N(77));
	record(o, SEND, "uuuu", N(0), N(3), N(17), N(123));
	record(o, COLL_END, "buUuu", N(11), N(3), N(8), N(8));
	at(o, 1050);
	record(o, IO_BEGIN, "ubuuu", N(5), N(1), N(0), N(64), N(1));
	at(o, 1060);
	record(o, IO_COMPLETE, "uuu", N(5), N(60), N(1));
	record(o, 200, "uuu", N(1), N(2), N(3)); /* a kind of later versions */
	at(o, 1100);
	record(o, METRIC, "ubbu", N(0), N(1), N(4), N(100));
	region(o, LEAVE, 7);
	finish(o);
}

struct part {
	const char *name;
	const unsigned char *p;
	size_t n;
};
struct files {
	struct bytes_out anchor, def, evt, local;
	struct part part[4];
	size_t part_n;
};

static void parts(struct files *a, int local)
{
	a->part[0] = (struct part){ "a.otf2", a->anchor.v, a->anchor.n };
	a->part[1] = (struct part){ "a.def", a->def.v, a->def.n };
	a->part[2] = (struct part){ "a/0.evt", a->evt.v, a->evt.n };
	a->part[3] = (struct part){ "a/0.def", a->local.v, a->local.n };
	a->part_n = local ? 4 : 3;
}

/* Writes the files into this folder, which is the test's own; opens what they are. */
static int open_files(const struct files *a, struct trace **t, struct error *e)
{
	mkdir("a", 0700);
	unlink("a/0.def");
	for (size_t i = 0; i < a->part_n; i++) {
		FILE *f = fopen(a->part[i].name, "wb");

		if (a->part[i].n)
			fwrite(a->part[i].p, 1, a->part[i].n, f);
		fclose(f);
	}
	return path_otf2_open("a.otf2", t, e);
}

static void make(struct files *a, int big, int old)
{
	make_anchor(&a->anchor, big, "test");
	make_definitions(&a->def, big, old);
	make_events(&a->evt, big);
	begin(&a->local, big);
	finish(&a->local);
	parts(a, 1);
}

/* The contents of a trace, as text. */
static char *told(struct trace *t)
{
	struct trace_cursor *c;
	struct event_batch *b;
	struct error e;
	char *s;
	size_t n;
	FILE *f = open_memstream(&s, &n);

	t->ops->open(t, 0, INT64_MIN, &c, &e);
	while (t->ops->next(c, &b, &e) > 0)
		for (size_t i = 0; i < b->n; i++) {
			const struct event *ev = &b->event[i];
			const struct event_args *a = ev->kind >= EVENT_VALUE ? &b->args[ev->ref] : NULL;

			fprintf(f, "%lld %u", (long long)ev->time, ev->kind);
			if (ev->kind == EVENT_ENTER)
				fprintf(f, " %s", t->region[ev->ref].name);
			if (b->metric && event_has_metrics(ev->kind))
				fprintf(f, " cycles %lld", (long long)b->metric[i * t->metric_n]);
			if (ev->kind == EVENT_VALUE)
				fprintf(f, " %s %g", t->event[a->value.event].name, a->value.value);
			if (ev->kind == EVENT_SEND)
				fprintf(f, " to %lld tag %lld bytes %llu",
					(long long)a->message.peer, (long long)a->message.tag,
					(unsigned long long)a->message.bytes);
			if (ev->kind == EVENT_COLL)
				fprintf(f, " op %u %llu", a->coll.op,
					(unsigned long long)a->coll.sent);
			if (ev->kind == EVENT_IO)
				fprintf(f, " %s %u %llu in %lld", t->event[a->io.file].name,
					a->io.op, (unsigned long long)a->io.bytes,
					(long long)a->io.ns);
			fputs("\n", f);
		}
	t->ops->close(c);
	fclose(f);
	return s;
}

static const char expected[] = "0 1 main cycles 10000\n10000 1 f cycles 20000\n30000 0 cycles 70000\n30000 3 level 0.005\n"
			       "40000 4 to 0 tag 17 bytes 123\n40000 6 op 3 8\n60000 9 data.bin 1 60 in 10000\n"
			       "100000 0 cycles 100000\n100000 14 cycles 100000\n";

static char *read_archive(const struct files *a, struct trace **t, struct error *e)
{
	memset(e, 0, sizeof(*e));
	*t = NULL;
	return open_files(a, t, e) ? NULL : told(*t);
}

static void test_orders(void)
{
	static const char *const name[] = { "little endian", "big endian", "version 1.0, little endian", "version 1.0, big endian" };

	for (int i = 0; i < 4; i++) {
		struct files a;
		struct trace *t;
		struct error e;
		char *s;

		make(&a, i & 1, i >> 1);
		s = read_archive(&a, &t, &e);
		if (!ok(s && !strcmp(s, expected), "%s: every record is what it was", name[i]))
			printf("# %s\n%s", e.text, s ? s : "");
		ok(t && t->note_n == 0 && t->process[0].rank == 0 && t->metric_n == 1 && t->end == 100001,
		   "%s: a rank, a metric, an end, nothing to note", name[i]);
		for (size_t k = 0; t && k < t->note_n; k++)
			printf("# %s\n", t->note[k].text);
		free(s);
		/* Read again, it counts once. */
		if (t)
			free(told(t));
		s = t ? trace_over_text(t) : NULL;
		ok(s && !strcmp(s, "unknown kinds (1)"), "%s: a record of which nothing is made is counted", name[i]);
		free(s);
		if (t)
			trace_free(t);
	}
}

/* A time that falls becomes the time before it, and one note reports it. */
static void test_falling(void)
{
	struct files a;
	struct trace *t;
	struct error e;
	int told_n = 0;
	char *s;

	make(&a, 0, 0);
	begin(&a.evt, 0);
	at(&a.evt, 1000);
	region(&a.evt, ENTER, 7);
	at(&a.evt, 1050);
	region(&a.evt, ENTER, 9);
	at(&a.evt, 1040);
	region(&a.evt, LEAVE, 9);
	at(&a.evt, 1060);
	region(&a.evt, LEAVE, 7);
	finish(&a.evt);
	parts(&a, 1);
	s = read_archive(&a, &t, &e);
	ok(s && strstr(s, "50000 1 f") && strstr(s, "\n50000 0"), "a time that falls is the time before");
	free(s);
	free(told(t));
	trace_settle(t);
	for (size_t k = 0; k < t->note_n; k++)
		told_n += strstr(t->note[k].text, "times that decrease are replaced by the previous time: 1") != NULL;
	ok(told_n == 1, "and it is said once");
	trace_free(t);
}

/* A location whose ids are its own, and whose clock goes off. */
static void test_local(void)
{
	struct files a;
	struct trace *t;
	struct error e;
	char *s;

	make(&a, 0, 0);
	begin(&a.local, 0);
	record(&a.local, LOCAL_MAP, "bubuuuu", N(OF_REGION), N(2), N(1), N(7), N(9), N(9), N(7));
	record(&a.local, LOCAL_OFFSET, "tut", N(1000), N(0), N(0));
	record(&a.local, LOCAL_OFFSET, "tut", N(1050), N(50), N(0));
	finish(&a.local);
	parts(&a, 1);
	s = read_archive(&a, &t, &e);
	ok(s && strstr(s, "0 1 f ") && strstr(s, "20000 1 main ") && strstr(s, "\n200000 0 "),
	   "a table makes ids global, offsets are interpolated and go on");
	if (s && !strstr(s, "\n200000 0 "))
		printf("# %s", s);
	free(s);
	if (t)
		trace_free(t);
	parts(&a, 0);
	s = read_archive(&a, &t, &e);
	ok(s && t->note_n == 1 && strstr(t->note[0].text, "local definitions"), "without local definitions it is read, and said");
	free(s);
	if (t)
		trace_free(t);
}

/* What does not fit into a chunk goes into the next one. */
static void test_chunks(void)
{
	struct files a;
	struct trace *t;
	struct error e;
	char *s;
	size_t first;

	make(&a, 0, 0);
	begin(&a.evt, 0);
	at(&a.evt, 1000);
	for (int i = 0; i < 30; i++)
		region(&a.evt, i & 1 ? LEAVE : ENTER, 7);
	first = a.evt.n;
	a.evt.n = CHUNK;
	memset(a.evt.v + first, 0, CHUNK - first);
	number(&a.evt, CHUNK_HEAD, 1);
	number(&a.evt, 'B', 1);
	number(&a.evt, 31, 8);
	number(&a.evt, 32, 8);
	at(&a.evt, 1001);
	region(&a.evt, ENTER, 9);
	region(&a.evt, LEAVE, 9);
	finish(&a.evt);
	parts(&a, 1);
	s = read_archive(&a, &t, &e);
	ok(s && t->events == 32 && strstr(s, "1000 1 f"), "events go on in the next chunk");
	free(s);
	if (t)
		trace_free(t);
	a.part[2].n = CHUNK;
	s = read_archive(&a, &t, &e);
	ok(s && t->events == 30, "a file that ends behind a chunk keeps that chunk");
	free(s);
	if (t)
		trace_free(t);
}

/* ---- damage ---- */

/* What reading an archive in a child process gave. */
struct outcome {
	long events;	/* -1: an error with a sentence; -2: the library crashed */
	size_t notes;
	int bad;	/* the sentence is none, or an event cannot be */
};

static void read_in_child(const struct files *a, struct outcome *o)
{
	struct error e = { 0 };
	struct trace *t;

	setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_SECONDS, CPU_SECONDS });
	o->events = -1;
	if (open_files(a, &t, &e)) {
		o->bad = strncmp(e.text, "a.", 2) != 0 || strlen(e.text) < 15;
		return;
	}
	for (uint32_t s = 0; s < t->stream_n; s++)
		fuzz_stream(t, s, INT64_MIN);
	trace_settle(t);
	o->events = (long)t->events;
	o->notes = t->note_n;
	trace_free(t);
}

/* fuzz_stream() ends with abort() where something of ours is wrong, as the library does where something is wrong with it: 99. */
static void wrong_is_ours(int number)
{
	(void)number;
	_exit(99);
}

static struct outcome try(const struct files *a)
{
	struct outcome *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), o;
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		signal(SIGABRT, wrong_is_ours);
		read_in_child(a, shared);
		_exit(0);
	}
	waitpid(child, &status, 0);
	o = *shared;
	munmap(shared, sizeof(*shared));
	if (WIFSIGNALED(status)) {
		o.events = -2;
		o.bad = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
	} else {
		o.bad |= WEXITSTATUS(status) != 0;
	}
	return o;
}

/* How many records of events end within the first n bytes. */
static long whole_records(const struct bytes_out *o, size_t n)
{
	long count = 0;

	while ((size_t)count < o->end_n && o->end[count] <= n)
		count++;
	return count;
}

static void test_damage(void)
{
	static const char *const name[] = { "the anchor", "the global definitions", "the events", "the local definitions" };
	struct files a;

	make(&a, 0, 0);
	begin(&a.local, 0);
	record(&a.local, LOCAL_MAP, "bubuuuu", N(OF_REGION), N(2), N(1), N(7), N(9), N(9), N(7));
	record(&a.local, LOCAL_OFFSET, "tut", N(1000), N(0), N(0));
	finish(&a.local);
	parts(&a, 1);
	for (int i = 0; i < 4; i++) {
		unsigned char *copy = malloc(a.part[i].n);
		struct part whole = a.part[i];
		size_t bad = 0, silent = 0, wrong = 0, crashes = 0;

		for (size_t n = 0; n + 1 < whole.n; n++) {
			struct outcome o;

			a.part[i].n = n;
			o = try(&a);
			bad += o.bad || o.events == -2;
			if (i == 2)
				wrong += o.events != whole_records(&a.evt, n);
			/* After its texts an anchor holds nothing that is needed. */
			silent += o.events >= 0 && !o.notes && i != 0;
		}
		a.part[i] = whole;
		ok(!bad && !wrong, "%s cut at any of %zu bytes: a sentence, or exactly what is intact", name[i], whole.n);
		ok(!silent, "%s: and never silently (%zu)", name[i], silent);
		bad = 0;
		for (size_t k = 0; k < whole.n; k++)
			for (int bit = 0; bit < 8; bit += 6) {
				struct outcome o;

				memcpy(copy, whole.p, whole.n);
				copy[k] ^= (unsigned char)(1 << bit);
				a.part[i].p = copy;
				o = try(&a);
				bad += o.bad != 0;
				crashes += o.events == -2;
			}
		ok(!bad, "%s with a bit flipped: a sentence, events that can be, or a crash of the library (%zu)", name[i],
		   crashes);
		a.part[i] = whole;
		free(copy);
	}
}

int main(void)
{
	char folder[] = "/tmp/tau-otf2-XXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	test_orders();
	test_falling();
	test_local();
	test_chunks();
	test_damage();
	for (const char *const *name = (const char *const[]){ "a.otf2", "a.def", "a/0.evt", "a/0.def", "a", NULL }; *name; name++)
		remove(*name);
	rmdir(folder);
	return tap_end();
}
#else
int main(void)
{
	skip("archives made byte by byte", "no OTF2 library");
	return tap_end();
}
#endif
