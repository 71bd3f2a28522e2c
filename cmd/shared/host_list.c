/* host_list.c: lists of hosts as users and launchers write them. */
#include "cmd/shared/host_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "convert/io/bytes.h"
#include "convert/io/text_file.h"

static void place_add(struct host_list *l, const char *name, size_t name_n, size_t host_n,
		      const char *path, int own)
{
	struct host_place *p = array_add(l, place);

	p->name = mem_printf("%.*s", (int)name_n, name);
	p->host = mem_printf("%.*s", (int)host_n, name);
	p->path = mem_string(path);
	p->own = own;
}

int host_target(const char *text)
{
	const char *colon = strchr(text, ':'), *slash = strchr(text, '/');

	return colon && colon > text && (!slash || colon < slash);
}

void host_list_target(struct host_list *l, const char *text)
{
	const char *path = strchr(text, ':') + 1;

	place_add(l, text, strlen(text), (size_t)(path - 1 - text), *path ? path : ".", 0);
}

void host_list_names(struct host_list *l, const char *names, const char *path)
{
	while (*names) {
		size_t n = strcspn(names, ",");

		if (n)
			place_add(l, names, n, n, path, 1);
		names += n + (names[n] == ',');
	}
}

int host_list_file(struct host_list *l, const char *file, const char *path, struct error *e)
{
	FILE *f = fopen(file, "r");
	struct names seen = {0};
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	f = text_stream(f);
	while (getline(&line, &size, f) >= 0) {
		size_t blanks = strspn(line, " \t"), n = strcspn(line + blanks, " \t\r\n#:");

		/* A host that has several lines, one for each slot, is one host. */
		if (!n || names_find(&seen, line + blanks, n) >= 0)
			continue;
		names_add(&seen, line + blanks, n);
		place_add(l, line + blanks, n, n, path, 1);
	}
	names_release(&seen);
	free(line);
	if (ferror(f))
		error_set(e, ERROR_SYSTEM, "%s: %s", file, strerror(errno));
	fclose(f);
	return e->code;
}

int host_list_check(const struct host_list *l, struct error *e)
{
	struct names seen = {0};
	int code = 0;

	if (!l->place_n)
		code = error_set(e, ERROR_USAGE, "the list of hosts is empty");
	for (size_t i = 0; i < l->place_n && !code; i++) {
		const char *name = l->place[i].name;

		if (!*l->place[i].host || *name == '-')
			code = error_set(e, ERROR_USAGE, "'%s' is not the name of a host", name);
		else if (names_add(&seen, name, strlen(name)) < i)
			code = error_set(e, ERROR_USAGE, "%s is given twice", name);
	}
	names_release(&seen);
	return code;
}

void host_list_release(struct host_list *l)
{
	for (size_t i = 0; i < l->place_n; i++) {
		free(l->place[i].name);
		free(l->place[i].host);
		free(l->place[i].path);
	}
	free(l->place);
	*l = (struct host_list){0};
}

static void place_put(struct buffer *b, const struct host_place *p)
{
	put_string(b, p->name);
	put_string(b, p->host);
	put_string(b, p->path);
	put_byte(b, p->own != 0);
}

void host_start_put(struct buffer *b, const struct host_start *s)
{
	place_put(b, &s->self);
	put_varint(b, s->led.place_n);
	for (size_t i = 0; i < s->led.place_n; i++)
		place_put(b, &s->led.place[i]);
	put_string(b, s->way.rsh);
	put_string(b, s->way.program);
	put_varint(b, s->way.fan_out);
	put_varint(b, (uint64_t)s->way.timeout_ns);
	put_byte(b, s->way.retry != 0);
}

static void place_get(struct bytes *b, struct host_place *p)
{
	p->name = bytes_text(bytes_string(b));
	p->host = bytes_text(bytes_string(b));
	p->path = bytes_text(bytes_string(b));
	p->own = (int)bytes_upto(b, 1);
}

int host_start_get(const void *from, size_t n, struct host_start *s)
{
	struct bytes b = bytes_of(from, n);

	*s = (struct host_start){0};
	place_get(&b, &s->self);
	for (uint64_t led = bytes_upto(&b, bytes_left(&b) / 4); led && !b.bad; led--)
		place_get(&b, array_add(&s->led, place));
	s->way.rsh = bytes_text(bytes_string(&b));
	s->way.program = bytes_text(bytes_string(&b));
	s->way.fan_out = (size_t)bytes_upto(&b, 1000000);
	s->way.timeout_ns = (int64_t)bytes_upto(&b, INT64_MAX / 4);
	s->way.retry = (int)bytes_upto(&b, 1);
	return b.bad || bytes_left(&b) || !s->way.fan_out ? -1 : 0;
}

void host_start_release(struct host_start *s)
{
	free(s->self.name);
	free(s->self.host);
	free(s->self.path);
	host_list_release(&s->led);
	free((char *)s->way.rsh);
	free((char *)s->way.program);
	*s = (struct host_start){0};
}
