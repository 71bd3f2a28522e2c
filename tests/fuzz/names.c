/*
 * names.c: fuzzes the reader of the names that are stored with a run. The first byte has flags (1: the others are the file, 2: the body is
 * deflated), the others are the body, after a head whose checksums fit; each row is looked up, and the table is written and read again.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "convert/code/symbols.h"
#include "convert/native/file/names_file.h"
#include "convert/native/file/native_chunks.h"
#include "place.h"
#include "record/format.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

/* Each address that is stored gives what is stored, by whatever way it is asked. */
static void look(struct stored_names *s)
{
	struct symbols *symbols = symbols_new();

	stored_names_compare(s);
	symbols_use_stored(symbols, s);
	for (size_t i = 0; i < s->module_n; i++) {
		const struct stored_module *m = &s->module[i];

		for (size_t k = 0; k < m->row_n && *m->path; k++) {
			uint64_t at = s->row[m->first + k].address;

			symbols_get(symbols, m->path, m->build_id, m->build_id_n, 0, at);
			symbols_place(symbols, m->path, m->build_id, m->build_id_n, at);
			free(symbols_callers(symbols, m->path, m->build_id, m->build_id_n, at));
		}
	}
	free(stored_names_sentence(s));
	symbols_free(symbols);
}

static void again(const struct stored_names *s)
{
	struct buffer b = names_file_bytes(s);
	struct stored_names *got = names_file_parse(b.v, b.v_n);

	if (!got || got->row_n != s->row_n || got->module_n != s->module_n || got->text.name_n != s->text.name_n)
		abort();
	stored_names_free(got);
	free(b.v);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct tau_names_header h = {.magic = TAU_NAMES_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(h)};
	struct stored_names *s;
	unsigned char *file;

	if (!n)
		return 0;
	place_open();
	file = mem_alloc(sizeof(h) + n);
	h.stored = n - 1;
	h.raw = p[0] & 2 ? 4 * h.stored + 100 : h.stored;
	h.body_crc = native_crc(p + 1, n - 1);
	h.crc = native_crc(&h, offsetof(struct tau_names_header, crc));
	memcpy(file, &h, sizeof(h));
	memcpy(file + (p[0] & 1 ? 0 : sizeof(h)), p + 1, n - 1);
	s = names_file_parse(file, p[0] & 1 ? n - 1 : sizeof(h) + n - 1);
	free(file);
	if (s) {
		look(s);
		again(s);
		stored_names_free(s);
	}
	place_close();
	return 0;
}
