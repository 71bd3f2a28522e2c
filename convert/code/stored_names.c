/* stored_names.c: the table of names that are stored with a run, and which of its binaries have changed since. */
#include "convert/code/stored_names.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/base/base.h"
#include "convert/code/binary.h"

struct stored_names *stored_names_new(void)
{
	return mem_alloc(sizeof(struct stored_names));
}

void stored_names_free(struct stored_names *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->module_n; i++) {
		free(s->module[i].path);
		free(s->module[i].build_id);
		for (int k = 0; k < STORED_KINDS; k++)
			map_release(&s->module[i].at[k]);
	}
	free(s->module);
	free(s->row);
	names_release(&s->text);
	free(s);
}

void stored_names_module(struct stored_names *s, const char *path, const unsigned char *build_id,
			 size_t build_id_n, struct stored_state state)
{
	struct stored_module *m = array_add(s, module);

	m->path = mem_string(path);
	m->build_id = mem_alloc(build_id_n + 1);
	if (build_id_n)
		memcpy(m->build_id, build_id, build_id_n);
	m->build_id_n = build_id_n;
	m->state = state;
	m->first = s->row_n;
}

void stored_names_row(struct stored_names *s, struct stored_row row)
{
	struct stored_module *m = s->module_n ? &s->module[s->module_n - 1] : NULL;
	struct map *at = m ? &m->at[row.kind] : NULL;

	if (!m || (row.name != STORED_NONE && row.name >= s->text.name_n) ||
	    (row.file != STORED_NONE && row.file >= s->text.name_n))
		return;
	if (row.kind == STORED_INTO) {
		const struct stored_row *last = m->row_n ? &s->row[s->row_n - 1] : NULL;

		if (!last || (last->kind != STORED_CODE && last->kind != STORED_INTO))
			return;
		row.address = last->address;
	} else if (map_get(at, row.address) != MAP_NONE) {
		return;
	} else {
		map_set(at, row.address, (uint32_t)s->row_n);
	}
	*array_add(s, row) = row;
	m->row_n++;
}

uint32_t stored_names_text(struct stored_names *s, const char *text)
{
	return text ? names_add(&s->text, text, strlen(text)) : STORED_NONE;
}

const char *stored_text(const struct stored_names *s, uint32_t text)
{
	return text == STORED_NONE ? NULL : s->text.name[text];
}

static int has_build_id(const char *path, const unsigned char *want, size_t want_n)
{
	struct elf_file f = {0};
	const void *id;
	int same;

	elf_version(EV_CURRENT);
	if (elf_file_open(&f, path))
		return 0;
	same = dwelf_elf_gnu_build_id(f.elf, &id) == (ssize_t)want_n && !memcmp(id, want, want_n);
	elf_file_close(&f);
	return same;
}

static int is_as_it_was(const struct stored_module *m)
{
	struct stat st;

	/* Code that a program made is in no file. */
	if (!strchr(m->path, '/'))
		return 1;
	if (stat(m->path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if ((uint64_t)st.st_size == m->state.size &&
	    st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec == m->state.mtime_ns)
		return 1;
	return m->build_id_n && has_build_id(m->path, m->build_id, m->build_id_n);
}

size_t stored_names_compare(struct stored_names *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->module_n; i++) {
		s->module[i].changed = !is_as_it_was(&s->module[i]);
		n += (size_t)s->module[i].changed;
	}
	return n;
}

const struct stored_module *stored_names_find(const struct stored_names *s, const char *path,
					      const unsigned char *build_id, size_t build_id_n)
{
	for (size_t i = 0; i < s->module_n; i++) {
		const struct stored_module *m = &s->module[i];

		if (!strcmp(m->path, path) && m->build_id_n == build_id_n &&
		    (!build_id_n || !memcmp(m->build_id, build_id, build_id_n)))
			return m;
	}
	return NULL;
}

const struct stored_row *stored_row_find(const struct stored_names *s,
					 const struct stored_module *m, enum stored_kind kind,
					 uint64_t address, size_t *n)
{
	uint32_t at = map_get(&m->at[kind], address);

	if (at == MAP_NONE)
		return NULL;
	*n = 1;
	while (kind == STORED_CODE && at + *n < m->first + m->row_n &&
	       s->row[at + *n].kind == STORED_INTO)
		++*n;
	return &s->row[at];
}

char *stored_names_sentence(const struct stored_names *s)
{
	const struct stored_module *first = NULL;
	struct stat st;
	size_t n = 0;

	for (size_t i = 0; i < s->module_n; i++) {
		if (!s->module[i].changed)
			continue;
		first = first ? first : &s->module[i];
		n++;
	}
	if (!n)
		return NULL;
	if (n == 1)
		return mem_printf("%s: %s; its functions have the names that were stored with the "
				  "run",
				  first->path,
				  stat(first->path, &st) ? "is gone"
							 : "has changed since the recording");
	return mem_printf("%s and %zu more file%s are gone or have changed since the "
			  "recording; their functions have the names that were stored with the run",
			  first->path, n - 1, plural(n - 1));
}
