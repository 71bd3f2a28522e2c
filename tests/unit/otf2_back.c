/*
 * otf2_back.c: what a run holds is in the archive made of it, and in the run made of that; or the summary of what is lost speaks
 * of it. What is written is read by otf2-print, too, where it is installed.
 */
#include "convert/trace_write.h"
#include "files.h"
#include "ranks.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-back.XXXXXX";
static int made; /* archives and runs so far */

/* t as an archive or as a run, read again, and freed; NULL: that failed, and the test's output says why. */
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
		ok(0, "%s of it has nothing to note: %s", format, back->note[i]);
	*lost = write_losses(&o);
	trace_free(t);
	return back;
}

/* What otf2-print says of the archive that was written last, besides its events; "" where it is not installed. */
static const char *library_says(void)
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
		ok(got && got < n && lost && strstr(lost, "1 texts that are cut"), "it is cut after %zu, and that is said: %s", got, lost);
	else
		ok(got == n && !lost, "it comes back whole (%zu), and nothing is lost: %s", got, lost ? lost : "");
	ok(!*library_says(), "otf2-print reads it: %s", library_says());
	trace_free(t);
	free(lost);
	free(s);
}

/* ---- many ranks ---- */

static void write_far(const char *run, int rank)
{
	struct buffer f = {0};
	struct writer w;

	writer_open(&w, file_below(run, "x.tau"), 7, 0, 0, 10);
	writer_rank(&w, (uint32_t)rank, 1);
	put_zigzag(&f, 1700000);
	put_zigzag(&f, 5);
	put_varint(&f, 0);
	put_varint(&f, 100);
	writer_extended(&w, 20, TAU_REC_SEND, &f);
	writer_close(&w);
}

/* A list of all ranks stands in one chunk, and chunks have a largest size. */
static void test_ranks(void)
{
	char *lost;
	struct trace *t = through(run_open(dir, 1, write_far), "otf2", &lost);

	if (ok(t && !lost, "a message to rank 1700000: the archive opens"))
		trace_free(t);
	ok(!*library_says(), "otf2-print reads it: %s", library_says());
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
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
