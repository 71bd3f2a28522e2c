/*
 * kept.c: a file that is read again and again while it is written is, each time, what a reader finds that has not read it before:
 * chunks that are stored, torn, closed, cut and replaced, live chunks that grow, stay and lag, and folded calls, in random order.
 */
#include <sys/stat.h>

#include "convert/native/live/native_file.h"
#include "convert/native/live/native_fold.h"
#include "convert/native/live/native_kept.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-kept.XXXXXX";
static char trace[400], live[400], folded[400];
static uint64_t now = 1000;
static unsigned seed = 20261127;

static unsigned random_below(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static int columns_equal(const struct native_columns *a, const struct native_columns *b)
{
	for (int c = 0; c < TAU_COLUMNS; c++)
		if (a->length[c] != b->length[c] ||
		    (a->length[c] && memcmp(a->data[c], b->data[c], a->length[c])))
			return 0;
	return a->head.records == b->head.records && a->head.last_tick == b->head.last_tick;
}

static int chunks_equal(const struct native_file *a, const struct native_file *b)
{
	if (a->chunk_n != b->chunk_n)
		return 0;
	for (size_t k = 0; k < a->chunk_n; k++) {
		const struct native_chunk *x = &a->chunk[k], *y = &b->chunk[k];

		if (x->offset != y->offset || x->first_tick != y->first_tick || x->last_tick != y->last_tick ||
		    x->stored != y->stored || x->records != y->records || x->defs_stored != y->defs_stored ||
		    x->live != y->live)
			return 0;
	}
	return 1;
}

static int texts_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* NULL, or what differs. */
static const char *difference(const struct native_file *a, const struct native_file *b)
{
	if (memcmp(&a->head, &b->head, sizeof(a->head)))
		return "the header";
	if (!chunks_equal(a, b))
		return "the chunks";
	if (memcmp(&a->live, &b->live, sizeof(a->live)) || !columns_equal(&a->live_columns, &b->live_columns))
		return "the live chunk";
	if (a->records != b->records || a->lost != b->lost)
		return "the numbers of records";
	if (!texts_equal(a->damage, b->damage) || !texts_equal(a->unfolded, b->unfolded))
		return "the damage";
	if (a->closed != b->closed || a->left != b->left || a->stopped != b->stopped || a->indexed != b->indexed ||
	    a->index_offset != b->index_offset)
		return "how it ends";
	if (a->ordered != b->ordered || a->size != b->size || a->bytes_total != b->bytes_total || a->sync_n != b->sync_n)
		return "order or sizes";
	return NULL;
}

/* A few calls, sometimes with a new region. */
static void calls(struct writer *w)
{
	for (unsigned n = random_below(5); n; n--) {
		uint32_t region = random_below(3);

		if (!random_below(9))
			writer_region(w, region, region ? "solve" : "work", "");
		writer_enter(w, now += 1 + random_below(50), region);
		writer_leave(w, now += 1 + random_below(50));
	}
}

static void chunk(struct writer *w)
{
	writer_chunk(w, now += 5);
	fflush(w->file);
}

/* The first part of a chunk that is being stored. It is cut off before the next step. */
static void torn(struct writer *w)
{
	unsigned char part[30] = {1, 2, 3};

	fflush(w->file);
	if (pwrite(fileno(w->file), part, 1 + random_below(29), ftell(w->file)) < 0)
		exit(1);
}

static void untorn(struct writer *w)
{
	struct stat st;

	if (!fstat(fileno(w->file), &st) && st.st_size > ftell(w->file) && ftruncate(fileno(w->file), ftell(w->file)))
		exit(1);
}

static void fold(struct writer *w)
{
	struct {
		struct tau_fold_header head;
		struct tau_fold_node node[2];
	} fold = {.head = {.magic = TAU_FOLD_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(fold.head),
			   .process_id = 7},
		  .node = {[1] = {.calls = 1 + random_below(9), .ticks = 9}}};
	FILE *f = fopen(folded, "wb");

	(void)w;
	if (!f || fwrite(&fold, sizeof(fold), 1, f) != 1 || fclose(f))
		exit(1);
}

static void begin(struct writer *w)
{
	unlink(trace);
	unlink(live);
	unlink(folded);
	writer_open(w, trace, 7, 0, now, now);
	writer_region(w, 0, "work", "");
	writer_region(w, 1, "solve", "");
	writer_region(w, 2, "write", "");
	fflush(w->file);
}

/* Closed, it may be read several times; then another one is in its place. */
static void step(struct writer *w, int *closed)
{
	unsigned what = random_below(40);

	if (*closed) {
		if (random_below(3))
			return;
		*closed = 0;
		begin(w);
		return;
	}
	untorn(w);
	calls(w);
	if (what < 6)
		chunk(w);
	if (what == 6)
		torn(w);
	if (what == 7)
		fold(w);
	if (what == 8)
		unlink(folded);
	if (what == 9) {
		writer_close(w);
		unlink(live);
		*closed = 1;
	} else if (what == 10) {
		writer_release(w);
		begin(w);
	} else if (what < 30) {
		writer_live(w);
	}
}

/* What a reader reads of a stream of n chunks and its live chunk when it has read it before and `more` were stored since. */
static uint64_t bytes_again(struct native_kept *kept, int n, int more)
{
	struct native_file *f;
	struct writer w = {0};
	struct error e = {0};
	uint64_t bytes = 0;

	begin(&w);
	while (n--)
		chunk(&w);
	writer_live(&w);
	if (!native_file_open(trace, &f, &e)) {
		native_kept_put(kept, f);
		while (more--)
			chunk(&w);
		writer_live(&w);
		if (!native_file_open_again(trace, native_kept_remove(kept, trace), &f, &e)) {
			bytes = f->bytes_read;
			native_kept_put(kept, f);
		}
	}
	writer_release(&w);
	return bytes;
}

int main(void)
{
	struct native_kept *kept = native_kept_new();
	struct writer w = {0};
	const char *wrong = NULL;
	int closed = 0, at = 0, again = 0, grown = 0, folds = 0, closings = 0;
	uint64_t few;
	char command[100];

	if (!mkdtemp(dir))
		return 1;
	snprintf(trace, sizeof(trace), "%s/a.1.0.0.tau", dir);
	snprintf(live, sizeof(live), "%s/a.1.0.0.live", dir);
	snprintf(folded, sizeof(folded), "%s/a.1.0.0.fold", dir);
	ok(!native_kept_any(kept) && native_kept_symbols(kept), "nothing is kept to begin with");
	begin(&w);
	for (; at < 4000 && !wrong; at++) {
		struct native_file *was = native_kept_remove(kept, trace), *f = NULL, *fresh = NULL;
		size_t before = was ? was->chunk_n : 0;
		struct error e = {0};

		step(&w, &closed);
		if (was ? native_file_open_again(trace, was, &f, &e) : native_file_open(trace, &f, &e))
			wrong = e.text;
		else if (native_file_open(trace, &fresh, &e))
			wrong = e.text;
		else
			wrong = difference(f, fresh);
		again += was != NULL;
		grown += was && f && f->chunk_n > before && before > 3;
		folds += f && native_fold_is(f);
		closings += closed;
		native_file_close(fresh);
		if (f)
			native_kept_put(kept, f);
	}
	ok(!wrong, "a file that is read again is as one that is read for the first time (%d times; step %d: %s)", again, at,
	   wrong ? wrong : "no difference");
	ok(again > 3000 && grown > 100 && folds > 300 && closings > 50,
	   "these were %d times with something kept, %d with more chunks, %d with folded calls, %d closed", again, grown, folds,
	   closings);
	ok(native_kept_any(kept), "the last one is kept");
	if (!closed)
		writer_release(&w);
	few = bytes_again(kept, 10, 3);
	ok(few > 0 && bytes_again(kept, 1000, 3) == few, "it costs what is new: %llu bytes for 3 chunks, after 10 and after 1,000",
	   (unsigned long long)few);
	native_kept_free(kept);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
