/*
 * names_file.c: names that are stored with a run: the table, what has changed since, the bytes of the file and back, each of them damaged,
 * and what symbols.h makes of it.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/code/found.h"
#include "convert/code/stored_names.h"
#include "convert/code/symbols.h"
#include "convert/native/file/names_file.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/native.h"
#include "files.h"
#include "record/format.h"
#include "tap.h"

static const unsigned char build_id[] = {1, 2, 0, 4};

static uint32_t text(struct stored_names *s, const char *what)
{
	return stored_names_text(s, what);
}

static void row(struct stored_names *s, enum stored_kind kind, uint64_t address, const char *name, const char *file, uint32_t line)
{
	stored_names_row(s, (struct stored_row){address, kind, text(s, name), text(s, file), line});
}

/* Two modules; the second one has no build id. */
static struct stored_names *example(const char *path)
{
	struct stored_names *s = stored_names_new();

	row(s, STORED_FUNCTION, 1, "in no module", NULL, 0);
	stored_names_module(s, "/gone/program", build_id, sizeof(build_id), (struct stored_state){-5, 7});
	row(s, STORED_INTO, 0x10, "inlined into nothing", NULL, 0);
	row(s, STORED_FUNCTION, UINT64_MAX, "last [{a.c} {3,0}]", "a.c", 3);
	row(s, STORED_CODE, 0x10, "leaf", "a.h", UINT32_MAX);
	row(s, STORED_INTO, 0x99, "middle", "a.c", 8);
	row(s, STORED_INTO, 0x10, NULL, NULL, 0);
	row(s, STORED_CODE, 0x20, "alone", NULL, 0);
	row(s, STORED_CODE, 0x20, "the same again", NULL, 0);
	row(s, STORED_USERS, 0x20, "used by main", NULL, 0);
	stored_names_row(s, (struct stored_row){.kind = STORED_CODE, .address = 0x30, .name = 12345, .file = STORED_NONE});
	stored_names_module(s, path, NULL, 0, (struct stored_state){1, 2});
	row(s, STORED_CODE, 0x20, "other", "b.c", 1);
	return s;
}

static void check(const struct stored_names *s, const char *what)
{
	const struct stored_module *m = stored_names_find(s, "/gone/program", build_id, sizeof(build_id));
	const struct stored_row *r;
	size_t n = 0;

	if (!ok(s->module_n == 2 && m && !stored_names_find(s, "/gone/program", NULL, 0) &&
			!stored_names_find(s, "/gone/other", build_id, sizeof(build_id)),
		"%s: a module is known by path and build id", what))
		return;
	ok(m->row_n == 6 && m->state.mtime_ns == -5 && m->state.size == 7, "it has the rows that make sense: %zu", m->row_n);
	r = stored_row_find(s, m, STORED_CODE, 0x10, &n);
	ok(r && n == 3 && !strcmp(stored_text(s, r[0].name), "leaf") && r[0].line == UINT32_MAX &&
		   !strcmp(stored_text(s, r[1].name), "middle") && !stored_text(s, r[2].name) && !stored_text(s, r[2].file),
	   "inlined functions follow");
	r = stored_row_find(s, m, STORED_CODE, 0x20, &n);
	ok(r && n == 1 && !strcmp(stored_text(s, r->name), "alone"), "an address has one row of a kind, the first");
	r = stored_row_find(s, m, STORED_FUNCTION, UINT64_MAX, &n);
	ok(r && r->line == 3, "the largest address");
	r = stored_row_find(s, m, STORED_USERS, 0x20, &n);
	ok(r && !strcmp(stored_text(s, r->name), "used by main"), "users");
	ok(!stored_row_find(s, m, STORED_USERS, 0x10, &n) && !stored_row_find(s, m, STORED_CODE, 0x30, &n), "others have none");
}

static void test_damage(const struct buffer *b)
{
	struct stored_names *s;
	size_t taken = 0;

	for (size_t n = 0; n < b->v_n; n++)
		taken += (s = names_file_parse(b->v, n)) != NULL;
	ok(!taken, "cut short, it is damaged: %zu", taken);
	for (size_t i = 0; i < b->v_n; i++) {
		b->v[i] ^= 0x41;
		s = names_file_parse(b->v, b->v_n);
		taken += s != NULL;
		stored_names_free(s);
		b->v[i] ^= 0x41;
	}
	ok(!taken, "with any byte changed, too: %zu", taken);
	s = names_file_parse(b->v, b->v_n);
	ok(s != NULL, "unchanged it is not");
	stored_names_free(s);
}

/* A body that is not deflated, with a head that fits. */
static struct stored_names *parse_body(const void *body, size_t n, uint64_t raw)
{
	struct tau_names_header h = {.magic = TAU_NAMES_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(h), .raw = raw, .stored = n};
	unsigned char *all = mem_alloc(sizeof(h) + n);
	struct stored_names *s;

	h.body_crc = native_crc(body, n);
	h.crc = native_crc(&h, offsetof(struct tau_names_header, crc));
	memcpy(all, &h, sizeof(h));
	memcpy(all + sizeof(h), body, n);
	s = names_file_parse(all, sizeof(h) + n);
	free(all);
	return s;
}

static void test_bodies(void)
{
	static const struct {
		const char *what, *body;
		size_t n;
		uint64_t raw;
		int good;
	} cases[] = {
		{"nothing in it", "\0\0", 2, 2, 1},
		{"bytes after it", "\0\0\0", 3, 3, 0},
		{"more texts than bytes", "\xff\xff\xff\xff\xff\x0f", 6, 6, 0},
		{"more modules than bytes", "\0\xff\xff\xff\xff\x0f", 6, 6, 0},
		{"more rows than bytes", "\0\1\1a\0\0\0\xff\xff\xff\x0f", 10, 10, 0},
		{"a module without rows", "\0\1\1a\0\0\0\0", 8, 8, 1},
		{"a row", "\1\1f\1\1a\0\0\0\1\1\2\1\0\0", 15, 15, 1},
		{"a text that is not there", "\1\1f\1\1a\0\0\0\1\1\2\2\0\0", 15, 15, 0},
		{"a kind that is not there", "\1\1f\1\1a\0\0\0\1\4\2\1\0\0", 15, 15, 0},
		{"a text twice", "\2\1f\1f\0", 6, 6, 0},
		{"no stream of deflate", "\xff\xff\xff\xff", 4, 100, 0},
		{"a length that no stream has", "\xff\xff\xff\xff", 4, UINT64_MAX, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct stored_names *s = parse_body(cases[i].body, cases[i].n, cases[i].raw);

		ok((s != NULL) == cases[i].good, "%s: %s", cases[i].what, cases[i].good ? "is read" : "is damage");
		stored_names_free(s);
	}
}

static void put_text(const char *path, const char *what)
{
	file_put(path, what, strlen(what));
}

/* The file is as it was, or another one. */
static void test_changed(const char *folder)
{
	const char *path = file_below(folder, "library");
	struct stored_names *s = stored_names_new();
	struct stat st;
	char *sentence;

	put_text(path, "first");
	if (stat(path, &st))
		return;
	stored_names_module(s, path, NULL, 0, (struct stored_state){st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec, 5});
	ok(!stored_names_compare(s) && !stored_names_sentence(s), "a file of the same size and time is the same");
	put_text(path, "other");
	ok(stored_names_compare(s) == 1, "one of another time is not");
	sentence = stored_names_sentence(s);
	ok(sentence && strstr(sentence, "has changed since the recording") && strstr(sentence, path), "%s", sentence ? sentence : "no sentence");
	free(sentence);
	unlink(path);
	ok(stored_names_compare(s) == 1, "nor one that is gone");
	sentence = stored_names_sentence(s);
	ok(sentence && strstr(sentence, "library: is gone"), "%s", sentence ? sentence : "no sentence");
	free(sentence);
	stored_names_module(s, "/gone/program", build_id, sizeof(build_id), (struct stored_state){0, 0});
	ok(stored_names_compare(s) == 2, "two files");
	sentence = stored_names_sentence(s);
	ok(sentence && strstr(sentence, "and 1 more file are"), "%s", sentence ? sentence : "no sentence");
	free(sentence);
	stored_names_free(s);
}

/* What symbols.h looks up is what it finds later, without the files. */
static void test_symbols(struct stored_names *s)
{
	struct symbols *symbols = symbols_new();
	struct stored_names *again = stored_names_new();
	struct trace_place p;
	char *users;

	ok(stored_names_compare(s) == 2, "both files are gone");
	symbols_use_stored(symbols, s);
	p = symbols_place(symbols, "/gone/program", build_id, sizeof(build_id), 0x10);
	ok(p.n == 3 && !strcmp(p.code[0].name, "leaf") && !strcmp(p.code[0].file, "a.h") && !strcmp(p.code[2].module, "/gone/program"),
	   "code has the names that are stored");
	p = symbols_place(symbols, "/gone/program", build_id, sizeof(build_id), 0x11);
	ok(p.n == 1 && !p.code[0].name, "other code has none");
	ok(!strcmp(symbols_get(symbols, "/gone/program", build_id, sizeof(build_id), 5, 4).name, "last [{a.c} {3,0}]"), "a function");
	users = symbols_callers(symbols, "/gone/program", build_id, sizeof(build_id), 0x20);
	ok(users && !strcmp(users, "used by main"), "users");
	free(users);
	symbols_place(symbols, "/gone/program", build_id, sizeof(build_id), 0x20);
	ok(!symbols_note_n(symbols), "a stored module has no note of its own");
	symbols_store(symbols, again);
	ok(again->module_n == 1 && stored_names_find(again, "/gone/program", build_id, sizeof(build_id)), "and is stored again");
	symbols_free(symbols);
	stored_names_free(again);
}

/* A whole file takes the place of the one before; what is in its way is not followed. */
static void test_file(const char *folder, struct stored_names *s)
{
	char *damage, *one = mem_string(file_below(folder, "x.tau"));
	struct stored_names *got;
	unsigned char *bytes;
	size_t size, n;

	s->part = 1;
	size = names_file_write(folder, s);
	bytes = file_get(file_below(folder, TAU_NAMES_FILE), &n);
	got = names_file_read(folder, 1, &damage);
	ok(size && n == size && got && !damage, "it is written and read");
	ok(bytes && ((struct tau_names_header *)(void *)bytes)->flags == TAU_NAMES_PART, "with its flag");
	ok(got && got->part, "which is read");
	check(got, "read");
	stored_names_free(got);
	got = names_file_read(one, 0, &damage);
	ok(got && !damage, "of a single stream, too");
	stored_names_free(got);
	if (bytes)
		file_put(file_below(folder, TAU_NAMES_FILE), bytes, n - 1);
	got = names_file_read(folder, 1, &damage);
	ok(!got && damage && strstr(damage, "is damaged"), "%s", damage ? damage : "no sentence");
	free(damage);
	unlink(file_below(folder, TAU_NAMES_FILE));
	got = names_file_read(folder, 1, &damage);
	ok(!got && !damage, "no file is no damage");
	ok(!symlink("elsewhere", file_below(folder, TAU_NAMES_FILE)) && names_file_write(folder, s) &&
		   access(file_below(folder, "elsewhere"), F_OK),
	   "a link is replaced, not followed");
	ok(!names_file_write(file_below(folder, "none"), s), "a directory that is not there");
	free(bytes);
	free(one);
}

static void test_found(void)
{
	struct found f = {0};
	struct stored_names *s = stored_names_new();

	*array_add(&f, answer) = (struct answer){mem_string("b"), NULL, 0};
	*array_add(&f, answer) = (struct answer){mem_string("a"), mem_string("a.c"), 1};
	map_set(&f.answers, 0x20, 0);
	map_set(&f.answers, 0x10, 1);
	*array_add(&f, user) = NULL;
	map_set(&f.users, 0x30, 0);
	stored_names_module(s, "m", NULL, 0, (struct stored_state){0, 0});
	found_store(&f, s);
	ok(s->row_n == 2 && s->row[0].address == 0x10 && s->row[1].address == 0x20, "what was found is stored in order of address");
	found_release(&f);
	stored_names_free(s);
}

int main(void)
{
	char folder[] = "/tmp/names-file-XXXXXX";
	struct stored_names *s = example("/gone/other"), *got;
	struct trace *none;
	struct error e = {0};
	struct input *in;
	struct buffer b;

	if (!mkdtemp(folder))
		return 1;
	check(s, "a table");
	b = names_file_bytes(s);
	got = names_file_parse(b.v, b.v_n);
	if (ok(got != NULL, "its %zu bytes are read", b.v_n))
		check(got, "bytes");
	test_damage(&b);
	test_bodies();
	test_changed(folder);
	test_symbols(s);
	test_file(folder, s);
	test_found();
	in = input_new(folder);
	ok(native_open_named(in, UINT64_MAX, &none, &e) != 0, "a directory without a run has no names");
	input_free(in);
	stored_names_free(got);
	stored_names_free(s);
	free(b.v);
	folder_remove(folder);
	return tap_end();
}
