/* native_module.c: the files that a process had mapped, and addresses in them. */
#include "convert/native/define/native_module.h"

#include <string.h>

const struct native_module *native_module_at(const struct native_stream *s, uint64_t address)
{
	for (size_t i = s->module_n; i-- > 0;)
		if (address >= s->module[i].begin && address < s->module[i].end)
			return &s->module[i];
	return NULL;
}

const struct native_module *native_module_named(const struct native_stream *s, uint64_t address,
						const char *file)
{
	for (size_t i = s->module_n; i-- > 0 && *file;) {
		const struct native_module *m = &s->module[i];
		const char *name = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;

		if (address >= m->begin && address < m->end && !strcmp(name, file))
			return m;
	}
	return native_module_at(s, address);
}

static int hexadecimal(unsigned char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int native_module_read(struct bytes *b, struct native_module *out)
{
	struct bytes path, id;

	if (!bytes_left(b))
		return -1;
	path = bytes_string(b);
	id = bytes_string(b);
	*out = (struct native_module){.bias = bytes_varint(b), .end = UINT64_MAX};
	if (b->bad)
		return -1;
	out->path = bytes_text(path);
	out->build_id = mem_alloc(bytes_left(&id) / 2 + 1);
	for (const unsigned char *c = id.p; bytes_left(&id) > 1 && c + 1 < id.end; c += 2) {
		int high = hexadecimal(c[0]), low = hexadecimal(c[1]);

		if (high < 0 || low < 0)
			break;
		out->build_id[out->build_id_n++] = (unsigned char)(high << 4 | low);
	}
	return 0;
}

void native_module_release(struct native_module *m)
{
	free(m->path);
	free(m->build_id);
}

void native_modules_release(struct native_stream *s)
{
	for (size_t i = 0; i < s->module_n; i++)
		native_module_release(&s->module[i]);
	free(s->module);
}

struct native_where native_where(const struct native_stream *s, uint64_t address)
{
	return native_where_in(native_module_at(s, address), address);
}

struct native_where native_where_in(const struct native_module *m, uint64_t address)
{
	struct native_where w = {.at = address};

	if (!m)
		return w;
	w.at = address - m->bias;
	w.bias = m->bias;
	w.path = mem_string(m->path);
	w.build_id_n = m->build_id_n;
	w.build_id = mem_alloc(m->build_id_n + 1);
	if (m->build_id_n)
		memcpy(w.build_id, m->build_id, m->build_id_n);
	return w;
}

void native_where_release(struct native_where *p)
{
	free(p->path);
	free(p->build_id);
}

const char *native_where_module(const struct native_where *p)
{
	return p->path && strrchr(p->path, '/') ? strrchr(p->path, '/') + 1 : p->path;
}
