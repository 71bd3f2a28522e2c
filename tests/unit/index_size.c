/* index_size.c: what an index of a long trace saves, when an index would be too large, and lists of chunks that it may not rely on. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "files.h"
#include "index_check.h"

/* What a short window in the middle reads. */
static uint64_t window_bytes(int64_t end, enum index_policy how, struct profile **out)
{
	struct load_report r = { 0 };
	char text[80];
	const char *window = text;
	struct load_options o = { .report = &r, .index = how, .window = &window, .window_n = 1, .callpath_depth = -1 };
	struct profile **p;
	struct error e;
	uint64_t bytes;
	size_t n;

	snprintf(text, sizeof(text), "%lldns:%lldns", (long long)end / 2, (long long)end / 2 + 200);
	if (load_path_profiles(run, &o, &p, &n, &e)) {
		printf("# %s\n", e.text);
		return 0;
	}
	bytes = r.bytes_read;
	if (out)
		*out = p[0];
	else
		profile_free(p[0]);
	free(p);
	load_report_release(&r);
	return bytes;
}

static uint64_t long_trace(size_t steps, uint64_t *before, int64_t *end)
{
	struct set whole = { .o = { .callpath_depth = -1 } };
	struct writer w;
	char path[400];

	program(0, 1, 0);
	snprintf(path, sizeof(path), "%s/x.0.tau", run);
	writer_open(&w, path, 7, 0, 0, 10);
	w.limit = 40;
	for (uint32_t r = 0; r < REGIONS; r++)
		writer_region(&w, r, r ? "other" : "main", "TAU_USER");
	writer_enter(&w, 10, 0);
	for (uint64_t i = 0; i < steps; i++) {
		writer_enter(&w, 20 + 20 * i, 1 + (uint32_t)roll(REGIONS - 1));
		writer_leave(&w, 30 + 20 * i);
	}
	writer_leave(&w, *end = 20 + 20 * (int64_t)steps);
	writer_close(&w);
	*before = window_bytes(*end, INDEX_NEVER, NULL);
	if (!set_same(&whole, INDEX_ALWAYS))
		return 0;
	return window_bytes(*end, INDEX_AUTO, NULL);
}

/* The list of chunks at the end of the trace is damaged, and the index refers to it: readers must not rely on it. */
static void check_list(int64_t end)
{
	char *trace = mem_printf("%s/x.0.tau", run);
	struct profile *good = NULL, *p;
	size_t n, from, tried, wrong = 0;
	unsigned char *bytes = file_get(trace, &n);
	struct stat st = {0};

	stat(trace, &st);
	window_bytes(end, INDEX_AUTO, &good);
	profile_set_meta(good, UINT32_MAX, "TAU Notes", "");
	memcpy(&from, bytes + n - 48, sizeof(uint64_t));
	from += sizeof(struct tau_chunk_header);
	for (tried = 0; tried < 40; tried++) {
		size_t i = tried & 1 ? from + (n - from) / 2 - 2000 + roll(4000) : from + roll(n - 48 - from);
		unsigned char was = bytes[i];

		bytes[i] ^= (unsigned char)(1 + roll(255));
		file_put(trace, bytes, n);
		utimensat(AT_FDCWD, trace, (struct timespec[]){ st.st_mtim, st.st_mtim }, 0);
		bytes[i] = was;
		p = NULL;
		window_bytes(end, INDEX_AUTO, &p);
		/* That list is named there. */
		if (p)
			profile_set_meta(p, UINT32_MAX, "TAU Notes", "");
		if (!p || !profiles_same(good, p))
			wrong++;
		if (p)
			profile_free(p);
	}
	ok(!wrong, "%zu times its list of chunks was damaged behind the index's back, and no number was wrong", tried);
	profile_free(good);
	free(bytes);
	free(trace);
}

/* Kilobytes that a process takes at most to replay the whole trace. */
static long replay_memory(void)
{
	struct rusage u;
	pid_t pid = fork();

	if (!pid) {
		struct load_options o = { .index = INDEX_NEVER, .callpath_depth = -1 };
		struct profile **p;
		struct error e;
		size_t n;

		_exit(load_path_profiles(run, &o, &p, &n, &e) != 0);
	}
	return wait4(pid, NULL, 0, &u) == pid ? u.ru_maxrss : -1;
}

/* A program that hardly ever calls the same way twice. */
static void check_crowd(void)
{
	struct load_report r = { 0 };
	struct load_options o = { .report = &r, .index = INDEX_ALWAYS };
	struct set s = { .text = { "100ns:90000ns" }, .window = { s.text[0] }, .o = { .window = s.window, .window_n = 1 } };
	char path[400], *index = index_path();
	struct stat st = {0}, was;
	struct profile **p;
	struct writer w;
	struct error e;
	uint64_t now = 10;
	size_t n;

	program(0, 0, 0);
	snprintf(path, sizeof(path), "%s/x.0.tau", run);
	writer_open(&w, path, 7, 0, 0, now);
	w.limit = 20000;
	for (uint32_t i = 0; i < REGIONS; i++)
		writer_region(&w, i, i ? "other" : "main", "TAU_USER");
	for (uint32_t i = 1; i < REGIONS; i++)
		writer_region(&w, i, (char[]){ (char)('a' + i), 0 }, "TAU_USER");
	for (size_t i = 0; i < 30000; i++) {
		while (w.depth < 14)
			writer_enter(&w, ++now, (uint32_t)roll(REGIONS));
		while (w.depth)
			writer_leave(&w, ++now);
	}
	writer_close(&w);
	n = 0;
	if (load_path_profiles(run, &o, &p, &n, &e))
		printf("# %s\n", e.text);
	ok(n == 1 && !stat(index, &st) && st.st_size < 1000 && r.note_n == 1 && strstr(r.note[0].text, "call paths"),
	   "a trace with too many call paths gets an empty index, and a note: %s", r.note_n ? r.note[0].text : "");
	if (n)
		profile_free(p[0]);
	free(p);
	was = st;
	load_report_release(&r);
	n = 0;
	if (load_path_profiles(run, &o, &p, &n, &e))
		printf("# %s\n", e.text);
	ok(n == 1 && !stat(index, &st) && st.st_ino == was.st_ino && !r.note_n, "which is not tried again");
	if (n)
		profile_free(p[0]);
	free(p);
	load_report_release(&r);
	ok(set_same(&s, INDEX_ALWAYS), "and changes no number");
	free(index);
}

/* Writes a run that hardly calls the same way twice, if `crowded`, or always the same way. Returns how many bytes it has. */
static size_t vary(int crowded)
{
	char path[400];
	struct writer w;
	struct stat st = {0};
	uint64_t now = 10;

	program(0, 0, 0);
	snprintf(path, sizeof(path), "%s/x.0.tau", run);
	writer_open(&w, path, 7, 0, 0, now);
	w.limit = 2000;
	for (uint32_t i = 0; i < REGIONS; i++)
		writer_region(&w, i, (char[]){ (char)('a' + i), 0 }, "TAU_USER");
	for (size_t i = 0; i < 20000; i++) {
		while (w.depth < 8)
			writer_enter(&w, now += 1 + roll(9), crowded ? (uint32_t)roll(REGIONS) : (uint32_t)w.depth);
		while (w.depth)
			writer_leave(&w, now += 1 + roll(9));
	}
	writer_close(&w);
	return stat(path, &st) ? 0 : (size_t)st.st_size;
}

/* An index that would be more than a fifth of its trace is left empty, and one that is less is not. */
static void check_share(void)
{
	struct set s = { .text = { "1000ns:900000ns" }, .window = { s.text[0] }, .o = { .window = s.window, .window_n = 1 } };
	char *index = index_path(), *text;
	size_t size = vary(1);
	struct stat st = {0};
	uint64_t events, all;

	free(notes(INDEX_NEVER, &all));
	text = notes(INDEX_ALWAYS, &events);
	ok(!stat(index, &st), "an index is made in any case");
	ok(size && st.st_size < 1000 && strstr(text, "larger than a fifth"),
	   "a trace of %zu bytes whose index would be larger than a fifth gets one of %zu, and a note: %s", size,
	   (size_t)st.st_size, text);
	free(text);
	text = notes(INDEX_ALWAYS, &events);
	ok(!*text && events == all, "which is not tried again: the trace is read, once (%llu of %llu events)",
	   (unsigned long long)events, (unsigned long long)all);
	free(text);
	different = !set_same(&s, INDEX_ALWAYS);
	check_windows(900000, 20, 0, 0);
	check_windows(900000, 20, 0, 1);
	ok(!different, "and its windows are the same as without");
	size = vary(0);
	text = notes(INDEX_ALWAYS, &events);
	ok(!stat(index, &st), "an index is made of it");
	ok(!*text && st.st_size > 1000 && (size_t)st.st_size < size / 5,
	   "one that always calls the same way has an index of %zu for %zu bytes %s", (size_t)st.st_size, size, text);
	free(text);
	free(index);
}

static void check_long(void)
{
	long before;

	uint64_t plain, read, plain10, read10;
	int64_t end;

	read = long_trace(16000, &plain, &end);
	before = replay_memory();
	read10 = long_trace(160000, &plain10, &end);
	ok(before > 0 && (SHARE > 1 || replay_memory() < before + 4000),
	   "replaying it takes no more memory than replaying the short one (%ld and %ld KB)", replay_memory(), before);
	ok(read && read10 && read10 < read + 5 * 4096 && read10 < plain10 / 5,
	   "a window of a trace ten times as long reads %llu bytes instead of %llu (of a list read whole: %llu and %llu)",
	   (unsigned long long)read10, (unsigned long long)read, (unsigned long long)plain10, (unsigned long long)plain);
	check_list(end);
}
int main(void)
{
	if (!check_begin())
		return 1;
	check_crowd();
	check_share();
	check_long();
	return check_end();
}
