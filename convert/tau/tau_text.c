/* tau_text.c: the lines of a TAU profile file and what they are made of. */
#include "convert/tau/tau_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/io/blob.h"

int tau_text_bad(struct tau_text *t, char *what)
{
	error_set(t->e, ERROR_INPUT, "%s: line %zu: %s", t->file, t->line, what);
	free(what);
	return ERROR_INPUT;
}

static int bad_system(struct tau_text *t)
{
	return error_set(t->e, ERROR_SYSTEM, "%s: %s", t->file, strerror(errno));
}

/* The text ends at a NUL, which may be all that a file system kept of its last block. */
static void begin(struct tau_text *t, size_t size)
{
	struct blob b = {(unsigned char *)t->text, size};

	t->text[size] = 0;
	blob_text(&b);
	t->text = (char *)b.p;
	t->at = t->text;
	t->end = t->text + strlen(t->text);
	t->nul = t->end < t->text + b.n;
}

int tau_text_nul(struct tau_text *t)
{
	if (t->nul)
		error_set(t->e, ERROR_INPUT, "%s: byte %zu: a NUL in a text file", t->file,
			  (size_t)(t->end - t->text));
	return ERROR_INPUT;
}

/* Reads all of an open file; its size is only a hint, since it may still be growing. */
static int read_bytes(struct tau_text *t, int fd)
{
	struct stat s;
	size_t size = 0, room;

	if (fstat(fd, &s) < 0)
		return bad_system(t);
	if (!S_ISREG(s.st_mode))
		return error_set(t->e, ERROR_INPUT, "%s: not a regular file", t->file);
	room = (size_t)s.st_size + 4096;
	t->text = mem_alloc(room);
	for (;;) {
		ssize_t n = read(fd, t->text + size, room - size - 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bad_system(t);
		if (n == 0)
			break;
		size += (size_t)n;
		if (room - size < 2) {
			room *= 2;
			t->text = mem_resize(t->text, room, 1);
		}
	}
	begin(t, size);
	return 0;
}

int tau_text_open(struct tau_text *t, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code;

	t->file = file;
	t->line = 0;
	free(t->text);
	t->text = NULL;
	if (fd < 0)
		return bad_system(t);
	code = read_bytes(t, fd);
	close(fd);
	return code;
}

void tau_text_copy(struct tau_text *t, const char *file, const unsigned char *p, size_t n)
{
	t->file = file;
	t->line = 0;
	free(t->text);
	t->text = mem_alloc(n + 1);
	memcpy(t->text, p, n);
	begin(t, n);
}

char *tau_text_trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && strchr(" \t\r", end[-1]))
		end--;
	*end = 0;
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* The next line without its end and blanks, or NULL at the end of the file. *whole: it had a line end. */
static char *next_line(struct tau_text *t, int *whole)
{
	char *line = t->at, *end;

	if (t->at == t->end)
		return NULL;
	end = strchr(line, '\n');
	if (whole)
		*whole = end != NULL;
	if (!end)
		end = t->end;
	t->at = end < t->end ? end + 1 : end;
	*end = 0;
	t->line++;
	return tau_text_trim(line);
}

char *tau_text_line(struct tau_text *t, int *whole)
{
	char *line;

	do
		line = next_line(t, whole);
	while (line && !*line);
	return line;
}

#define EXACT_DIGITS 15 /* limit of digits, and of powers of ten, that are exact */

/*
 * The number at *s, as strtod() reads it. Most are short: then digits and the power of ten by which
 * they are divided are exact, and the quotient is rounded once.
 */
static double number_read(char *s, char **end)
{
	static const double power[EXACT_DIGITS + 1] = {
		1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	};
	uint64_t digits = 0;
	int n = 0, after = 0;
	char *at = s;

	while (*at == ' ' || *at == '\t')
		at++;
	for (; *at >= '0' && *at <= '9' && n <= EXACT_DIGITS; at++, n++)
		digits = digits * 10 + (uint64_t)(*at - '0');
	if (n && *at == '.')
		for (at++; *at >= '0' && *at <= '9' && n <= EXACT_DIGITS; at++, n++, after++)
			digits = digits * 10 + (uint64_t)(*at - '0');
	if (!n || n > EXACT_DIGITS || (*at && *at != ' ' && *at != '\t'))
		return strtod(s, end);
	*end = at;
	return (double)digits / power[after];
}

int tau_text_values(char **s, double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *end;

		v[i] = number_read(*s, &end);
		if (end == *s || (*end && *end != ' ' && *end != '\t'))
			return 0;
		*s = end;
	}
	return 1;
}

int64_t tau_text_count(char *line, char **rest)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(line, &end, 10);
	if (*line < '0' || *line > '9' || errno || n > INT32_MAX || *end != ' ')
		return -1;
	*rest = tau_text_trim(end);
	return (int64_t)n;
}

char *tau_text_name(char *line, char **rest)
{
	char *quote = strrchr(line, '"');

	if (*line != '"' || quote == line)
		return NULL;
	*quote = 0;
	*rest = quote + 1;
	return tau_text_trim(line + 1);
}

char *tau_text_groups(char *line)
{
	char *g = NULL, *end;

	for (char *s = strstr(line, " GROUP=\""); s; s = strstr(s + 1, " GROUP=\""))
		g = s;
	if (!g)
		return line + strlen(line);
	end = g + strlen(g) - 1;
	if (*end != '"' || end < g + 8)
		return NULL;
	*end = 0;
	*g = 0;
	return tau_text_trim(g + 8);
}

int tau_text_callpath(char *groups)
{
	char *to = groups, *save;
	int found = 0;

	for (char *g = strtok_r(groups, "|", &save); g; g = strtok_r(NULL, "|", &save)) {
		g = tau_text_trim(g);
		if (!strcmp(g, "TAU_CALLPATH")) {
			found = 1;
		} else if (*g) {
			if (to != groups)
				*to++ = '|';
			memmove(to, g, strlen(g) + 1);
			to += strlen(to);
		}
	}
	*to = 0;
	return found;
}

void tau_text_skip(struct tau_text *t)
{
	next_line(t, NULL);
}
