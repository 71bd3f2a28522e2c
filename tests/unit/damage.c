/*
 * damage.c: damaged trace files. Every truncation and every flipped bit of a small trace is read: the
 * result is an error or the profile of the intact chunks, and it is never silent.
 */
#include <sys/stat.h>

#include "convert/load.h"
#include "convert/native/native.h"
#include "convert/native/live/native_file.h"
#include "convert/native/file/native_numbers.h"
#include "profile_text.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-damage.XXXXXX";
static char trace[100], live[100], fold[100];

struct file {
	unsigned char *p;
	size_t n;
};

static struct file file_read(const char *path)
{
	struct file f = { 0 };
	FILE *in = fopen(path, "rb");
	struct stat st;

	if (!in || fstat(fileno(in), &st))
		exit(1);
	f.n = (size_t)st.st_size;
	f.p = malloc(f.n + 1);
	if (fread(f.p, 1, f.n, in) != f.n)
		exit(1);
	fclose(in);
	return f;
}

static void file_write(const char *path, const unsigned char *p, size_t n)
{
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(p, 1, n, out) != n || fclose(out))
		exit(1);
}

/* A sample in the first module, called from the second and from nowhere. */
static void put_sample(struct writer *w, uint64_t tick)
{
	struct buffer f = { 0 };

	put_varint(&f, 10000000);
	put_varint(&f, 0);
	put_varint(&f, 0);
	put_varint(&f, 3);
	put_zigzag(&f, 0x400123);
	put_zigzag(&f, 0x100000);
	put_zigzag(&f, -0x200000);
	writer_extended(w, tick, TAU_REC_SAMPLE, &f);
}

static void put_module(struct writer *w, uint64_t begin, const char *path)
{
	struct buffer f = { 0 };
	uint64_t place[3] = { begin, begin + 0x1000, begin };

	put_bytes(&f, place, sizeof(place));
	put_string(&f, path);
	put_string(&f, "id");
	writer_define(w, TAU_DEF_MODULE, &f);
}

/* Five chunks with regions, events, memory and samples; definitions in the first and the third. */
static void write_trace(int kill)
{
	struct writer w;
	uint64_t t = 100;

	writer_open(&w, trace, 42, 0, 100, 100);
	writer_region(&w, 0, "main", "A");
	writer_region(&w, 1, "work", "A|B");
	writer_event(&w, 0, "value", 0);
	writer_memtype(&w, 1, 0, TAU_MEM_CLASS, "thing", "");
	writer_block(&w, 3, 1, 64);
	put_module(&w, 0x400000, "a.out");
	put_module(&w, 0x500000, "b.so");
	writer_enter(&w, t, 0);
	for (int chunk = 0; chunk < 5; chunk++) {
		if (chunk == 2)
			writer_region(&w, 2, "late", "");
		for (int i = 0; i < 12; i++) {
			writer_enter(&w, t += 3, chunk < 2 ? 1 : 2);
			writer_value(&w, t += 2, 0, i * 1.5);
			if (i % 3 == 0)
				writer_memory(&w, t, TAU_REC_ALLOC, 1, 0, (uint64_t)(10 + i));
			if (i % 3 == 1)
				writer_block_op(&w, t, 3, (unsigned)i / 3 % TAU_BLOCK_OPS, 1, 64);
			if (i == 7)
				put_sample(&w, t);
			writer_leave(&w, t += i == 5 ? 100000 : 1);
		}
		if (chunk < 4)
			writer_chunk(&w, t);
	}
	if (kill) {
		writer_kill(&w);
	} else {
		writer_leave(&w, t + 1);
		writer_close(&w);
	}
}

/* Loads the trace; *notes: how many sentences there were. NULL: an error, whose code and text are checked. */
static char *load(size_t *notes, int *good)
{
	struct load_report report = { 0 };
	struct load_options o = { .callpath_depth = 2, .report = &report };
	struct error e = { 0 };
	struct profile **p;
	char *text = NULL;
	size_t n;
	int code = load_path_profiles(trace, &o, &p, &n, &e);

	*good = 1;
	*notes = report.note_n;
	if (code) {
		*good = (code == ERROR_INPUT || code == ERROR_SYSTEM) && strlen(e.text) > 10 &&
			!strncmp(e.text, trace, strlen(trace));
	} else {
		text = profile_text(p[0]);
		profile_free(p[0]);
		free(p);
	}
	load_report_release(&report);
	return text;
}

/* Offsets where chunks end, and the profiles of the first 0, 1, 2 ... chunks. */
static size_t chunk_end[16];
static char *prefix[16];
static size_t prefix_n;

static void find_prefixes(const struct file *f)
{
	size_t at = sizeof(struct tau_file_header), notes;
	int good;

	for (;;) {
		struct tau_chunk_header h;

		chunk_end[prefix_n] = at;
		file_write(trace, f->p, at);
		prefix[prefix_n++] = load(&notes, &good);
		memcpy(&h, f->p + at, sizeof(h));
		if (h.kind != TAU_CHUNK_EVENTS)
			break;
		at += sizeof(h) + h.stored[0] + h.stored[1] + h.stored[2] + h.stored[3];
	}
}

/* Which prefix is it? -1: none. */
static int prefix_of(const char *text)
{
	for (size_t i = 0; i < prefix_n; i++)
		if (!strcmp(prefix[i], text))
			return (int)i;
	return -1;
}

static void test_truncation(const struct file *f)
{
	size_t bad = 0, silent = 0, first_bad = 0;

	for (size_t n = 0; n < f->n; n++) {
		size_t notes, want = 0;
		char *text;
		int good;

		file_write(trace, f->p, n);
		text = load(&notes, &good);
		while (want + 1 < prefix_n && chunk_end[want + 1] <= n)
			want++;
		if (!good || (n >= sizeof(struct tau_file_header) &&
			      (!text || strcmp(text, prefix[want])))) {
			first_bad = bad++ ? first_bad : n;
			printf("# cut at %zu: prefix %zu wanted, %d got\n", n, want,
			       text ? prefix_of(text) : -2);
		}
		/* A header alone is the file of a process that was killed before its first chunk: no record is lost. */
		silent += text && !notes && n != sizeof(struct tau_file_header);
		free(text);
	}
	ok(!bad, "cut at any of %zu bytes: an error or exactly the whole chunks", f->n);
	ok(!silent, "and never silently");
}

static void test_flips(const struct file *f)
{
	unsigned char *copy = malloc(f->n);
	size_t wrong = 0, silent = 0, bad = 0;

	memcpy(copy, f->p, f->n);
	for (size_t i = 0; i < f->n; i++) {
		size_t notes, chunk = 0;
		char *text;
		int good;

		copy[i] ^= (unsigned char)(1 << i % 8);
		file_write(trace, copy, f->n);
		copy[i] = f->p[i];
		text = load(&notes, &good);
		while (chunk + 1 < prefix_n && chunk_end[chunk + 1] <= i)
			chunk++;
		bad += !good;
		silent += text && !notes;
		if (text && prefix_of(text) != (int)chunk) {
			wrong++;
			printf("# byte %zu, in chunk %zu: prefix %d\n", i, chunk, prefix_of(text));
		}
		free(text);
	}
	ok(!wrong, "a flipped bit in any of %zu bytes: exactly the chunks before it", f->n);
	ok(!silent, "and never silently");
	ok(!bad, "errors have a code, and a sentence that names the file");
	free(copy);
}

/* The live file has no checksum: whatever is in it, nothing crashes, and the sealed chunks stay exact. */
static void test_live(const struct file *sealed, const struct file *l)
{
	unsigned char *copy = malloc(l->n);
	size_t bad = 0, used = 0;

	memcpy(copy, l->p, l->n);
	file_write(trace, sealed->p, sealed->n);
	for (size_t i = 0; i < l->n; i++) {
		if (i >= sizeof(struct tau_live_header) && i < 4096 && i % 64)
			continue;
		for (int bit = 0; bit < 8; bit += 3) {
			size_t notes;
			char *text;
			int good;

			copy[i] ^= (unsigned char)(1 << bit);
			file_write(live, copy, l->n);
			copy[i] = l->p[i];
			text = load(&notes, &good);
			bad += !good || !text;
			used += text != NULL;
			free(text);
		}
	}
	for (size_t n = 0; n < l->n; n += n < 300 || n > 4000 ? 1 : 64) {
		size_t notes;
		char *text;
		int good;

		file_write(live, l->p, n);
		text = load(&notes, &good);
		bad += !good || !text;
		free(text);
	}
	ok(!bad && used, "any damage of the live file leaves a readable trace (%zu tried)", used);
	unlink(live);
	free(copy);
}

/* Folded calls of a killed process: five of work in main. */
static void write_fold(void)
{
	struct {
		struct tau_fold_header head;
		struct tau_fold_node node[3];
	} f = { .head = { .magic = TAU_FOLD_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(f.head), .process_id = 42 },
		.node = { [1] = { .parent = 0, .region = 0 }, [2] = { .parent = 1, .region = 1, .calls = 5, .ticks = 50 } } };

	file_write(fold, (unsigned char *)&f, sizeof(f));
}

/* It has no checksum either. What is in the other files stays exact, but for the calls that it adds. */
static void test_fold(const struct file *l)
{
	struct file f;
	size_t notes, bad = 0;
	char *text;
	int good;

	file_write(live, l->p, l->n);
	write_fold();
	text = load(&notes, &good);
	ok(text && strstr(text, "0 0 work: 0x1.dp+4 ") && strstr(text, "0 0 late: 0x1.2p+5 "), "folded calls are told");
	free(text);
	f = file_read(fold);
	for (size_t i = 0; i < 2 * f.n; i++) {
		unsigned char was = f.p[i / 2];

		f.p[i / 2] ^= i % 2 ? 0xff : (unsigned char)(1 << i / 2 % 8);
		file_write(fold, f.p, f.n);
		f.p[i / 2] = was;
		text = load(&notes, &good);
		bad += !good || !text || !strstr(text, "0 0 late: 0x1.2p+5 ");
		free(text);
	}
	for (size_t n = 0; n < f.n; n++) {
		file_write(fold, f.p, n);
		text = load(&notes, &good);
		bad += !good || !text || !strstr(text, "0 0 late: 0x1.2p+5 ") || !strstr(text, "0 0 work: 0x1.8p+4 ");
		free(text);
	}
	ok(!bad, "and damaged in any of %zu bytes, or cut there, they leave all else as it was (%zu not)", f.n, bad);
	free(f.p);
	unlink(fold);
	unlink(live);
}

/* A path that leads nowhere, of a million regions, each with calls: it is found once, not again for each of them. */
static void test_fold_nowhere(const struct file *l)
{
	const size_t n = 1000000;
	struct tau_fold_header head = { .magic = TAU_FOLD_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(head), .process_id = 42 };
	struct tau_fold_node *node = calloc(n, sizeof(*node));
	struct native_file *file = NULL;
	struct buffer all = { 0 };
	struct error e;

	node[1].parent = 5;
	for (uint32_t i = 2; i < n; i++)
		node[i] = (struct tau_fold_node){ .parent = i - 1, .calls = 1 };
	put_bytes(&all, &head, sizeof(head));
	put_bytes(&all, node, n * sizeof(*node));
	file_write(live, l->p, l->n);
	file_write(fold, all.p, all.n);
	alarm(200);
	ok(!native_file_open(trace, &file, &e) && file->unfolded && strstr(file->unfolded, "leads nowhere"),
	   "calls on a path that leads nowhere are not included, and that is reported");
	alarm(0);
	native_file_close(file);
	free(all.p);
	free(node);
	unlink(fold);
	unlink(live);
}

/* A live chunk has no checksum: the number of its metrics can be anything. */
static void test_live_metrics(const struct file *l)
{
	struct tau_live_header head;
	struct native_file *file = NULL;
	struct error e;

	memcpy(&head, l->p, sizeof(head));
	head.metrics = TAU_METRICS + 1;
	memcpy(l->p, &head, sizeof(head));
	file_write(live, l->p, l->n);
	ok(!native_file_open(trace, &file, &e) && file->damage && strstr(file->damage, "more metrics"),
	   "a live chunk with %u metrics is refused", head.metrics);
	native_file_close(file);
	unlink(live);
}

/* Finding the earlier value of each name must not take a look at all others. */
static void test_metadata(void)
{
	struct input *in = input_new(trace);
	const size_t n = 400000;
	struct writer w;
	struct trace *t = NULL;
	struct error e;
	char name[20];

	writer_open(&w, trace, 42, 0, 100, 100);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		writer_meta(&w, name, "first");
	}
	writer_meta(&w, "7", "second");
	writer_close(&w);
	alarm(200);
	ok(!native_open_bare(in, &t, &e) && t->process[0].meta_n == n && !strcmp(t->process[0].meta[7].value, "second") &&
		   !strcmp(t->process[0].meta[8].value, "first"),
	   "%zu names of metadata are read, the last value of each holds", n);
	alarm(0);
	trace_free(t);
	input_free(in);
}

static int text_has(const char *text, const char *line)
{
	return text && strstr(text, line);
}

/* A list of tokens that cannot be is refused. The checksums are past when it is looked at. */
static void test_list(void)
{
	unsigned char times[8 + NATIVE_PAD] = { 5, 7, 6, 9 }, ids[4 + 6 + NATIVE_PAD] = { 1, 0, 1, 0, 0, 64, 0, 0, 1, 2 };
	struct native_columns c = { .data = { [TAU_TIMES] = times, [TAU_IDS] = ids }, .length = { [TAU_TIMES] = 8, [TAU_IDS] = 10 },
				    .head = { .records = 4, .layout = TAU_LAYOUT_NUMBERS } };

	/* Both ENTERs are of group 0, and so are LEAVEs after them, except for bit 1 of token 1. */
	ok(!native_numbers_parse(&c) && c.listed == 2 && native_token(&c, 2) == 64 && !native_token(&c, 3) &&
		   !memcmp(times, "\5\11\7\6", 4),
	   "the list gives tokens and the order of times");
	ids[0] = 2;
	ok(native_numbers_parse(&c) == -1, "a number that is not in the list is refused");
	ids[0] = 1;
	ids[9] = 4;
	ok(native_numbers_parse(&c) == -1, "a third group is refused");
	ids[9] = 2;
	ids[4] = 1;
	ok(native_numbers_parse(&c) == -1, "a list that does not begin with LEAVE is refused");
	free(c.times);
}

int main(void)
{
	struct file whole, sealed, l;
	char command[100], *text;
	size_t notes;
	int good;

	if (!mkdtemp(dir))
		return 1;
	snprintf(trace, sizeof(trace), "%s/x.tau", dir);
	snprintf(live, sizeof(live), "%s/x.live", dir);
	snprintf(fold, sizeof(fold), "%s/x" TAU_FOLD_SUFFIX, dir);
	write_trace(0);
	whole = file_read(trace);
	text = load(&notes, &good);
	test_list();
	ok(text_has(text, "0 0 work: 0x1.8p+4 "), "the undamaged trace has 24 calls of work");
	ok(notes == 0, "and nothing to say");
	find_prefixes(&whole);
	ok(prefix_n == 6 && !strcmp(prefix[5], text), "its chunks are found");
	free(text);
	test_truncation(&whole);
	test_flips(&whole);
	write_trace(1);
	sealed = file_read(trace);
	l = file_read(live);
	text = load(&notes, &good);
	ok(text_has(text, "0 0 late: 0x1.2p+5 ") && notes == 1,
	   "a killed program's trace is whole but for one open region");
	free(text);

	/* A chunk that was only half stored is the one that the live file still holds. */
	file_write(trace, whole.p, chunk_end[5] - 10);
	text = load(&notes, &good);
	ok(text_has(text, "0 0 late: 0x1.2p+5 ") && notes == 1,
	   "a half-stored chunk is taken from the live file");
	free(text);
	test_live(&sealed, &l);
	test_fold(&l);
	test_fold_nowhere(&l);
	test_live_metrics(&l);
	test_metadata();
	for (size_t i = 0; i < prefix_n; i++)
		free(prefix[i]);
	free(whole.p);
	free(sealed.p);
	free(l.p);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
