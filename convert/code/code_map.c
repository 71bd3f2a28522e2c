/* code_map.c: reads the list of code that a program made at run time, and finds functions in it. */
#include "convert/code/code_map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"

#define SIZE_MOST (64 << 20)

struct code_map_line {
	struct function function;
	size_t nth;
};

struct code_map {
	char *text;
	struct code_map_line *v;	/* by address, then as in the file */
	size_t v_n, v_cap;
	uint64_t longest;		/* bytes of the longest function */
};

static int line_compare(const void *va, const void *vb)
{
	const struct code_map_line *a = va, *b = vb;

	if (a->function.low != b->function.low)
		return a->function.low < b->function.low ? -1 : 1;
	return (a->nth > b->nth) - (a->nth < b->nth);
}

/* ":12" at the end of a text: its number, and the text ends before it; 0: there is none. */
static uint32_t number_cut(char *text)
{
	char *colon = strrchr(text, ':'), *end;
	unsigned long n;

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return 0;
	n = strtoul(colon + 1, &end, 10);
	if (*end || n > UINT32_MAX)
		return 0;
	*colon = 0;
	return (uint32_t)n;
}

/* Where the file begins in a name that ends with ":LINE:COLUMN", as in "JS:*step /src/a.js:12:5" of V8; NULL: there is none. */
static char *file_find(char *name)
{
	char *path = strstr(name, " /"), *url = strstr(name, " file:///"), *end;

	path = path && url && path > url ? url : path ? path : url;
	end = path ? strrchr(path, ':') : NULL;
	return end && end[1] >= '0' && end[1] <= '9' ? path : NULL;
}

/* A name and its place; "py::step:/src/a.py" is Python's. */
static void place_split(struct function *f, char *name)
{
	static const char url[] = "file://", python[] = "py::";
	char *file;
	uint32_t line, column;

	f->name = name;
	if (!strncmp(name, python, strlen(python))) {
		file = strstr(name, ":/");
		if (file) {
			*file = 0;
			f->file = file + 1;
			f->name = name + strlen(python);
		}
		return;
	}
	file = file_find(name);
	if (!file || file == name)
		return;
	*file++ = 0;
	column = number_cut(file);
	line = number_cut(file);
	f->line = line ? line : column;
	f->file = *file == '/' ? file : file + strlen(url);
}

static void lines_read(struct code_map *m)
{
	for (char *at = m->text, *next; *at; at = next) {
		char *end = at + strcspn(at, "\n"), *name;
		struct code_map_line l = {.nth = m->v_n};
		uint64_t size;

		next = *end ? end + 1 : end;
		*end = 0;
		l.function.low = strtoull(at, &name, 16);
		if (name == at || *name != ' ')
			continue;
		size = strtoull(name, &name, 16);
		if (*name != ' ' || !name[1] || !size || size > UINT64_MAX - l.function.low)
			continue;
		l.function.high = l.function.low + size;
		place_split(&l.function, name + 1);
		m->longest = size > m->longest ? size : m->longest;
		*array_add(m, v) = l;
	}
	if (m->v_n)
		qsort(m->v, m->v_n, sizeof(*m->v), line_compare);
}

static int64_t changed_ns(const struct stat *st)
{
	return st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
}

/* All of a file, with a NUL at its end; NULL: it is not what may be read. */
static char *text_read(int fd, int64_t after_ns)
{
	struct stat st;
	size_t n = 0;
	ssize_t got = 1;
	char *text;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > SIZE_MOST || changed_ns(&st) < after_ns)
		return NULL;
	text = mem_alloc((size_t)st.st_size + 1);
	while (n < (size_t)st.st_size && got > 0) {
		got = read(fd, text + n, (size_t)st.st_size - n);
		n += got > 0 ? (size_t)got : 0;
	}
	return text;
}

struct code_map *code_map_read(const char *path, int64_t after_ns)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct code_map *m;
	char *text;

	if (fd < 0)
		return NULL;
	text = text_read(fd, after_ns);
	close(fd);
	if (!text)
		return NULL;
	m = mem_alloc(sizeof(*m));
	m->text = text;
	lines_read(m);
	return m;
}

const struct function *code_map_find(const struct code_map *m, uint64_t address)
{
	const struct code_map_line *found = NULL;
	size_t low = 0, high = m->v_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->v[middle].function.low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- && address - m->v[low].function.low < m->longest)
		if (address < m->v[low].function.high && (!found || m->v[low].nth > found->nth))
			found = &m->v[low];
	return found ? &found->function : NULL;
}

void code_map_free(struct code_map *m)
{
	if (!m)
		return;
	free(m->text);
	free(m->v);
	free(m);
}
