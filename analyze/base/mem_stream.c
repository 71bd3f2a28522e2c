/* mem_stream.c: text printed into memory that grows, or ends the program. */
#include "analyze/base/mem_stream.h"

#include <errno.h>
#include <string.h>

#include "analyze/base/base.h"

struct mem_stream {
	char **text;
	size_t *n;
	size_t at, cap; /* where the next byte belongs; bytes of *text, without the NUL */
};

static ssize_t put(void *cookie, const char *from, size_t n)
{
	struct mem_stream *m = cookie;

	if (n > m->cap - m->at) {
		m->cap = 2 * m->cap > m->at + n ? 2 * m->cap : m->at + n;
		*m->text = mem_resize(*m->text, m->cap + 1, 1);
	}
	memcpy(*m->text + m->at, from, n);
	m->at += n;
	*m->n = m->at;
	(*m->text)[m->at] = 0;
	return (ssize_t)n;
}

/* The place of the stream, which is the end of the text, or back to the begin, which empties the
 * text. */
static int seek(void *cookie, off64_t *at, int from)
{
	struct mem_stream *m = cookie;

	if (*at || from == SEEK_END) {
		errno = EINVAL;
		return -1;
	}
	if (from == SEEK_SET) {
		m->at = *m->n = 0;
		**m->text = 0;
	}
	*at = (off64_t)m->at;
	return 0;
}

static int finish(void *cookie)
{
	struct mem_stream *m = cookie;

	*m->text = mem_resize(*m->text, m->at + 1, 1);
	free(m);
	return 0;
}

FILE *mem_stream(char **text, size_t *n)
{
	static const cookie_io_functions_t calls = {.write = put, .seek = seek, .close = finish};
	struct mem_stream *m = mem_alloc(sizeof(*m));
	FILE *f = fopencookie(m, "w", calls);

	if (!f)
		mem_resize(NULL, SIZE_MAX, 2); /* the one way out when there is no memory */
	*m = (struct mem_stream){.text = text, .n = n};
	*text = mem_alloc(1);
	*n = 0;
	return f;
}
