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

void native_modules_release(struct native_stream *s)
{
	for (size_t i = 0; i < s->module_n; i++) {
		free(s->module[i].path);
		free(s->module[i].build_id);
	}
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
