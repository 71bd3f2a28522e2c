/* elf_dynamic.c: reads the dynamic section of an ELF file, its names, symbols and versions. */
#include "convert/code/elf_dynamic.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SYMBOLS_MOST = 1 << 24,
	SEGMENTS_MOST = 1024,
	ENTRIES_MOST = 65536,
	TEXT_MOST = 65536,
	VERSIONS_MOST = 65536
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_ORDER ELFDATA2LSB
#else
#define OWN_ORDER ELFDATA2MSB
#endif

/* All of it or nothing. */
static int read_at(const struct elf_dynamic *d, void *out, size_t n, uint64_t at)
{
	return at < INT64_MAX && pread(d->fd, out, n, (off_t)at) == (ssize_t)n;
}

/* n bytes of the file; NULL: they are not there. */
static void *part(const struct elf_dynamic *d, uint64_t at, uint64_t n, size_t most)
{
	void *p;

	if (!n || n > most)
		return NULL;
	p = mem_alloc(n);
	if (read_at(d, p, n, at))
		return p;
	free(p);
	return NULL;
}

static const Elf64_Phdr *segment_find(const struct elf_dynamic *d, uint32_t type)
{
	for (size_t i = 0; i < d->segment_n; i++)
		if (d->segment[i].p_type == type)
			return &d->segment[i];
	return NULL;
}

static void entries_read(struct elf_dynamic *d)
{
	const Elf64_Phdr *p = segment_find(d, PT_DYNAMIC);
	size_t n = p ? p->p_filesz / sizeof(*d->entry) : 0;

	d->entry = p ? part(d, p->p_offset, n * sizeof(*d->entry), ENTRIES_MOST * sizeof(*d->entry))
		     : NULL;
	while (d->entry && d->entry_n < n && d->entry[d->entry_n].d_tag != DT_NULL)
		d->entry_n++;
}

int elf_dynamic_open(const char *path, struct elf_dynamic *d)
{
	struct stat st;

	memset(d, 0, sizeof(*d));
	d->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (d->fd < 0)
		return -1;
	if (fstat(d->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    read_at(d, &d->header, sizeof(d->header), 0) &&
	    !memcmp(d->header.e_ident, ELFMAG, SELFMAG) &&
	    d->header.e_ident[EI_CLASS] == ELFCLASS64 && d->header.e_ident[EI_DATA] == OWN_ORDER &&
	    d->header.e_phentsize == sizeof(Elf64_Phdr))
		d->segment = part(d, d->header.e_phoff, d->header.e_phnum * sizeof(Elf64_Phdr),
				  SEGMENTS_MOST * sizeof(Elf64_Phdr));
	if (!d->segment) {
		close(d->fd);
		return -1;
	}
	d->segment_n = d->header.e_phnum;
	d->size = (uint64_t)st.st_size;
	d->device = st.st_dev;
	d->inode = st.st_ino;
	entries_read(d);
	return 0;
}

void elf_dynamic_close(struct elf_dynamic *d)
{
	close(d->fd);
	free(d->segment);
	free(d->entry);
}

/* The place in the file of an address; UINT64_MAX: none. No table has the address 0. */
static uint64_t offset_of(const struct elf_dynamic *d, uint64_t address)
{
	if (!address)
		return UINT64_MAX;
	for (size_t i = 0; i < d->segment_n; i++) {
		const Elf64_Phdr *p = &d->segment[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz)
			return p->p_offset + (address - p->p_vaddr);
	}
	return UINT64_MAX;
}

char *elf_dynamic_interpreter(const struct elf_dynamic *d)
{
	const Elf64_Phdr *p = segment_find(d, PT_INTERP);
	char *text = p ? part(d, p->p_offset, p->p_filesz, TEXT_MOST) : NULL;

	if (text && !memchr(text, 0, p->p_filesz)) {
		free(text);
		text = NULL;
	}
	return text;
}

uint64_t elf_dynamic_value(const struct elf_dynamic *d, int64_t tag)
{
	for (size_t i = 0; i < d->entry_n; i++)
		if (d->entry[i].d_tag == tag)
			return d->entry[i].d_un.d_val;
	return 0;
}

char *elf_dynamic_text(const struct elf_dynamic *d, uint64_t offset)
{
	uint64_t at = offset_of(d, elf_dynamic_value(d, DT_STRTAB));
	uint64_t size = elf_dynamic_value(d, DT_STRSZ);
	size_t n = 0, step = 256;
	char *text = NULL;

	if (at == UINT64_MAX || offset >= size)
		return NULL;
	size -= offset;
	while (n < TEXT_MOST) {
		ssize_t got;

		text = mem_resize(text, n + step, 1);
		got = pread(d->fd, text + n, step < size - n ? step : size - n,
			    (off_t)(at + offset + n));
		if (got <= 0)
			break;
		if (memchr(text + n, 0, (size_t)got))
			return text;
		n += (size_t)got;
		step = n;
	}
	free(text);
	return NULL;
}

char *elf_dynamic_name(const struct elf_dynamic *d, int64_t tag)
{
	uint64_t offset = elf_dynamic_value(d, tag);

	return offset ? elf_dynamic_text(d, offset) : NULL;
}

static void name_add(const struct elf_dynamic *d, uint64_t offset, struct names *out)
{
	char *text = elf_dynamic_text(d, offset);

	if (text)
		names_add(out, text, strlen(text));
	free(text);
}

/* ---- symbols ---- */

static int symbol_is(const struct elf_dynamic *d, uint64_t table, uint64_t index, const char *name)
{
	Elf64_Sym s;
	char *text;
	int is;

	if (!read_at(d, &s, sizeof(s), table + index * sizeof(s)) || s.st_shndx == SHN_UNDEF)
		return 0;
	text = elf_dynamic_text(d, s.st_name);
	is = text && !strcmp(text, name);
	free(text);
	return is;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		h = h * 33 + *c;
	return h;
}

/* The table that all linkers of today write: a filter, buckets, and chains that end with an odd
 * number. */
static int gnu_defines(const struct elf_dynamic *d, uint64_t at, uint64_t symbols, const char *name)
{
	struct {
		uint32_t buckets, first, words, shift;
	} head;
	uint32_t h = gnu_hash(name), index, chain;
	uint64_t word, buckets, chains;

	if (!read_at(d, &head, sizeof(head), at) || !head.buckets || !head.words)
		return 0;
	if (!read_at(d, &word, sizeof(word), at + sizeof(head) + (h / 64 % head.words) * 8) ||
	    !(word >> h % 64 & word >> (h >> (head.shift & 31)) % 64 & 1))
		return 0;
	buckets = at + sizeof(head) + (uint64_t)head.words * 8;
	chains = buckets + (uint64_t)head.buckets * 4;
	if (!read_at(d, &index, sizeof(index), buckets + h % head.buckets * 4ull) ||
	    index < head.first)
		return 0;
	for (chain = 0; !(chain & 1) && index < SYMBOLS_MOST; index++) {
		if (!read_at(d, &chain, sizeof(chain), chains + (index - head.first) * 4ull))
			return 0;
		if ((chain | 1) == (h | 1) && symbol_is(d, symbols, index, name))
			return 1;
	}
	return 0;
}

/* The old table: its chains have one number for each symbol. */
static int old_defines(const struct elf_dynamic *d, uint64_t at, uint64_t symbols, const char *name)
{
	uint32_t head[2];

	if (!read_at(d, head, sizeof(head), at))
		return 0;
	for (uint32_t i = 1; i < head[1] && i < SYMBOLS_MOST; i++)
		if (symbol_is(d, symbols, i, name))
			return 1;
	return 0;
}

int elf_dynamic_defines(const struct elf_dynamic *d, const char *symbol)
{
	uint64_t symbols = offset_of(d, elf_dynamic_value(d, DT_SYMTAB));
	uint64_t gnu = offset_of(d, elf_dynamic_value(d, DT_GNU_HASH));
	uint64_t old = offset_of(d, elf_dynamic_value(d, DT_HASH));

	if (symbols == UINT64_MAX)
		return 0;
	if (gnu != UINT64_MAX)
		return gnu_defines(d, gnu, symbols, symbol);
	return old != UINT64_MAX && old_defines(d, old, symbols, symbol);
}

/* The symbols from *first to before *end; those before *first are not defined. 0: unknown. */
static int gnu_symbols(const struct elf_dynamic *d, uint64_t at, uint32_t *first, uint32_t *end)
{
	uint32_t head[4], chain = 0, *index;
	uint64_t buckets, chains;

	if (!read_at(d, head, sizeof(head), at) || head[0] > SYMBOLS_MOST)
		return 0;
	*first = head[1];
	*end = 0;
	buckets = at + sizeof(head) + (uint64_t)head[2] * 8;
	chains = buckets + (uint64_t)head[0] * 4;
	index = part(d, buckets, head[0] * 4ull, d->size);
	for (uint32_t i = 0; index && i < head[0]; i++)
		*end = index[i] > *end ? index[i] : *end;
	free(index);
	if (*end < *first) { /* it has none */
		*end = *first;
		return 1;
	}
	while (*end < SYMBOLS_MOST && !(chain & 1) &&
	       read_at(d, &chain, 4, chains + (*end - *first) * 4ull))
		++*end;
	return 1;
}

static int is_function(const Elf64_Sym *s)
{
	return s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC;
}

static int is_needed(const Elf64_Sym *s)
{
	return s->st_shndx == SHN_UNDEF && ELF64_ST_BIND(s->st_info) == STB_GLOBAL;
}

/* The names of some of n symbols. Each table is read at once: a library of MPI has thousands of symbols. */
static void symbols_add(const struct elf_dynamic *d, uint64_t symbols, uint64_t n,
			int (*counts)(const Elf64_Sym *s), struct names *out)
{
	uint64_t names = offset_of(d, elf_dynamic_value(d, DT_STRTAB));
	uint64_t size = elf_dynamic_value(d, DT_STRSZ);
	Elf64_Sym *symbol = part(d, symbols, n * sizeof(*symbol), d->size);
	char *text = names == UINT64_MAX ? NULL : part(d, names, size, d->size);

	for (uint64_t i = 0; symbol && text && i < n; i++) {
		const Elf64_Sym *s = &symbol[i];
		const char *end;

		if (!counts(s) || s->st_name >= size)
			continue;
		end = memchr(text + s->st_name, 0, size - s->st_name);
		if (end)
			names_add(out, text + s->st_name, (size_t)(end - text) - s->st_name);
	}
	free(symbol);
	free(text);
}

/* Finds the table of symbols, and which of them are defined: from *first to before *end. 0: unknown. */
static int symbols_find(const struct elf_dynamic *d, uint64_t *symbols, uint32_t *first,
			uint32_t *end)
{
	uint64_t gnu = offset_of(d, elf_dynamic_value(d, DT_GNU_HASH));
	uint64_t old = offset_of(d, elf_dynamic_value(d, DT_HASH));
	uint32_t head[2];

	*symbols = offset_of(d, elf_dynamic_value(d, DT_SYMTAB));
	*first = 1;
	*end = 0;
	if (gnu == UINT64_MAX && old != UINT64_MAX && read_at(d, head, sizeof(head), old))
		*end = head[1] < SYMBOLS_MOST ? head[1] : SYMBOLS_MOST;
	return *symbols != UINT64_MAX && (gnu == UINT64_MAX || gnu_symbols(d, gnu, first, end));
}

void elf_dynamic_functions(const struct elf_dynamic *d, struct names *out)
{
	uint64_t symbols;
	uint32_t first, end;

	if (symbols_find(d, &symbols, &first, &end) && end > first)
		symbols_add(d, symbols + first * sizeof(Elf64_Sym), end - first, is_function, out);
}

void elf_dynamic_needs(const struct elf_dynamic *d, struct names *out)
{
	const uint64_t names = offset_of(d, elf_dynamic_value(d, DT_STRTAB));
	uint64_t symbols;
	uint32_t first, end, most;

	if (!symbols_find(d, &symbols, &first, &end))
		return;
	most = end > first ? end : first;
	/* A table of no symbols does not show how many others there are; linkers put the names after them. */
	if (end == first && names != UINT64_MAX && names > symbols &&
	    (names - symbols) / sizeof(Elf64_Sym) < SYMBOLS_MOST)
		most = (uint32_t)((names - symbols) / sizeof(Elf64_Sym));
	if (most > 1)
		symbols_add(d, symbols + sizeof(Elf64_Sym), most - 1, is_needed, out);
}

/* ---- versions ---- */

void elf_dynamic_versions(const struct elf_dynamic *d, struct names *defined)
{
	uint64_t at = offset_of(d, elf_dynamic_value(d, DT_VERDEF));
	uint64_t n = elf_dynamic_value(d, DT_VERDEFNUM);
	Elf64_Verdef v;
	Elf64_Verdaux name;

	for (uint64_t i = 0; i < n && i < VERSIONS_MOST && read_at(d, &v, sizeof(v), at); i++) {
		if (read_at(d, &name, sizeof(name), at + v.vd_aux))
			name_add(d, name.vda_name, defined);
		if (!v.vd_next)
			return;
		at += v.vd_next;
	}
}

static void versions_of(const struct elf_dynamic *d, uint64_t at, unsigned n, struct names *out)
{
	Elf64_Vernaux v;

	for (unsigned i = 0; i < n && read_at(d, &v, sizeof(v), at); i++) {
		name_add(d, v.vna_name, out);
		if (!v.vna_next)
			return;
		at += v.vna_next;
	}
}

void elf_dynamic_versions_needed(const struct elf_dynamic *d, const char *soname,
				 struct names *needed)
{
	uint64_t at = offset_of(d, elf_dynamic_value(d, DT_VERNEED));
	uint64_t n = elf_dynamic_value(d, DT_VERNEEDNUM);
	Elf64_Verneed v;

	for (uint64_t i = 0; i < n && i < VERSIONS_MOST && read_at(d, &v, sizeof(v), at); i++) {
		char *file = elf_dynamic_text(d, v.vn_file);

		if (file && !strcmp(file, soname))
			versions_of(d, at + v.vn_aux, v.vn_cnt, needed);
		free(file);
		if (!v.vn_next)
			return;
		at += v.vn_next;
	}
}
