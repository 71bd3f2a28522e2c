/* index_damage.c: an index that is damaged anywhere, of another time, or that is no index changes no number, and is reported once. */
#include <sys/stat.h>
#include <utime.h>

#include "files.h"
#include "index_check.h"

/* Flips bytes of a file beside the trace, and cuts it short. */
static void check_damage_of(const char *path, size_t times)
{
	struct set whole = { .o = { .callpath_depth = -1 } };
	size_t n, wrong = 0, tried = 0;
	const char *name = strrchr(path, '/') + 1;
	unsigned char *p = file_get(path, &n);

	ok(p && n > 500, "%s was made (%zu bytes)", name, n);
	if (!p)
		return;
	for (size_t i = 0; i < n; i += 1 + roll(n / times + 1), tried++) {
		unsigned char was = p[i];

		p[i] ^= (unsigned char)(1 + roll(255));
		file_put(path, p, n);
		p[i] = was;
		wrong += !set_same(&whole, INDEX_AUTO);
	}
	ok(!wrong, "%zu times a byte of %s was wrong, and no number of the profile", tried, name);
	for (size_t i = wrong = tried = 0; i < n; i += 1 + roll(2 * n / times + 1), tried++) {
		file_put(path, p, i);
		wrong += !set_same(&whole, INDEX_AUTO);
	}
	ok(!wrong, "%zu times %s was cut short, and no number was wrong", tried, name);
	file_put(path, p, n);
	free(p);
}

static void check_damage(void)
{
	struct set whole = { .o = { .callpath_depth = -1 } };
	char *path = index_path(), *levels = mem_printf("%s/x.0.levels", run);

	program(ALL & ~(KILLED | DEEP | SEAMS), 1, 1200);
	different = 0;
	set_same(&whole, INDEX_ALWAYS);
	check_damage_of(path, 150);
	check_damage_of(levels, 100);
	free(path);
	free(levels);
}

static const char letter[] = "This is the text of a letter. It has more than 128 bytes, as an index has, and nothing else that "
	"would make it one, neither at its beginning nor at its end.";

/* Bytes in the middle of an index are found damaged when they are used: that is reported once, and the next index is whole. */
static void check_middle(const char *path, uint64_t used)
{
	unsigned char *bytes;
	uint64_t events;
	char *text;
	size_t n;

	free(notes(INDEX_ALWAYS, &events));
	bytes = file_get(path, &n);
	for (size_t i = 144; i < n; i++) /* after the header */
		bytes[i] ^= 0x55;
	file_put(path, bytes, n);
	free(bytes);
	text = notes(INDEX_ALWAYS, &events);
	ok(events > used && strstr(text, path), "one that is damaged behind its header is named: %s", text);
	free(text);
	text = notes(INDEX_ALWAYS, &events);
	ok(!strstr(text, ".index"), "once");
	free(text);
	free(notes(INDEX_AUTO, &events));
	ok(events == used, "and the one that replaces it is used");
}

static void check_life(void)
{
	char *path = index_path(), *text, *trace = mem_printf("%s/x.0.tau", run);
	uint64_t whole, used, events;
	struct stat before, after;

	program(MESSAGES | SAMPLES, 1, 4000);
	free(notes(INDEX_NEVER, &whole));
	ok(access(path, F_OK) != 0, "reading the trace itself makes no index");
	free(notes(INDEX_AUTO, &events));
	ok(access(path, F_OK) != 0 && events == whole, "a short trace gets no index unasked");
	free(notes(INDEX_ALWAYS, &events));
	ok(!access(path, F_OK), "it gets one when asked");
	stat(path, &before);
	free(notes(INDEX_ALWAYS, &used));
	stat(path, &after);
	ok(before.st_ino == after.st_ino && used < whole / 2, "which is then used, not made again (%llu of %llu events read)",
	   (unsigned long long)used, (unsigned long long)whole);
	free(notes(INDEX_NEVER, &events));
	ok(events == whole, "and not used when it is not wanted");
	utime(trace, &(struct utimbuf){ 1000, 1000 });
	text = notes(INDEX_AUTO, &events);
	ok(events == whole && !strstr(text, ".index"), "once the trace has changed it counts no more, without a word");
	free(text);
	free(notes(INDEX_ALWAYS, &events));
	free(notes(INDEX_AUTO, &events));
	ok(events == used, "until it is made anew");
	file_put(path, (const unsigned char *)letter, strlen(letter));
	text = notes(INDEX_AUTO, &events);
	ok(events == whole && strstr(text, path) && strstr(text, "was removed"),
	   "a damaged one is named, and the trace read: %s", text);
	free(text);
	text = notes(INDEX_AUTO, &events);
	ok(events == whole && !strstr(text, ".index") && access(path, F_OK), "and is reported once, because it is removed");
	free(text);
	check_middle(path, used);
	unlink(path);
	mkdir(path, 0777);
	text = notes(INDEX_ALWAYS, &events);
	ok(events >= whole, "where none can be written the trace is read (%s)", text);
	free(text);
	free(path);
	free(trace);
}
int main(void)
{
	if (!check_begin())
		return 1;
	check_damage();
	check_life();
	return check_end();
}
