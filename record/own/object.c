/*
 * object.c: finds functions in the loaded objects by their hash tables, as the loader does.
 *
 * dlsym() will not do: a symbol that it does not find leaves a text for dlerror(), which the next
 * function of its kind frees by the program's free() - and that may be waiting for dlsym(). One
 * that it finds takes away the text that the program has not read yet. And a preloaded library may
 * have a dlsym() of its own.
 *
 * The C library is found in the loader's own list (_r_debug), without a function of anybody's; what
 * is in it is found once. Other objects are visited with its dl_iterate_phdr(), so that none is
 * unloaded meanwhile. Objects that the program opened for itself alone come last, where dlsym()
 * leaves them out: a caller of one of our functions there calls theirs. Where there may be several
 * of those, one for each caller, only those that were there at the start are asked.
 */
#include "record/own/own.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#define HIDDEN_VERSION 0x8000
#define NEEDED_DEPTH   8

struct own_object {
	ElfW(Addr) base;
	const ElfW(Dyn) * dynamic;
	const ElfW(Sym) * symbols;
	const char *text;
	const uint32_t *gnu, *sysv;
	const ElfW(Half) * versions;
	const char *soname;
};

/* Most processors' loaders have added the address of the object where it is a pointer; in an object
 * that cannot be written they cannot. */
static const void *pointer(ElfW(Addr) base, ElfW(Addr) value)
{
	return (const void *)(value < base ? value + base : value);
}

static bool object_read(struct own_object *o, ElfW(Addr) base, const ElfW(Dyn) * dynamic)
{
	size_t soname = 0;

	*o = (struct own_object){.base = base, .dynamic = dynamic};
	for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
		const void *p = pointer(base, d->d_un.d_ptr);

		if (d->d_tag == DT_SYMTAB)
			o->symbols = p;
		else if (d->d_tag == DT_STRTAB)
			o->text = p;
		else if (d->d_tag == DT_GNU_HASH)
			o->gnu = p;
		else if (d->d_tag == DT_HASH)
			o->sysv = p;
		else if (d->d_tag == DT_VERSYM)
			o->versions = p;
		else if (d->d_tag == DT_SONAME)
			soname = d->d_un.d_val;
	}
	o->soname = o->text && soname ? o->text + soname : "";
	return o->symbols && o->text && (o->gnu || o->sysv);
}

/* Is symbol i a definition of the name, in the version that new programs are linked with? */
static bool is_it(const struct own_object *o, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &o->symbols[i];
	unsigned type = ELF64_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF && s->st_value && ELF64_ST_BIND(s->st_info) != STB_LOCAL &&
	       (type <= STT_FUNC || type == STT_COMMON || type == STT_GNU_IFUNC) &&
	       !(o->versions && o->versions[i] & HIDDEN_VERSION) &&
	       !strcmp(o->text + s->st_name, name);
}

static const ElfW(Sym) * find_gnu(const struct own_object *o, const char *name)
{
	const uint32_t *t = o->gnu, buckets = t[0], first = t[1], words = t[2], shift = t[3];
	const ElfW(Addr) *bloom = (const void *)(t + 4);
	const uint32_t *bucket = (const void *)(bloom + words), *chain = bucket + buckets;
	const unsigned bits = 8 * sizeof(*bloom);
	uint32_t hash = 5381, i;
	ElfW(Addr) word;

	for (const unsigned char *c = (const void *)name; *c; c++)
		hash = hash * 33 + *c;
	word = bloom[hash / bits & (words - 1)];
	if (!buckets || !(word >> hash % bits & word >> (hash >> shift) % bits & 1))
		return NULL;
	i = bucket[hash % buckets];
	if (i < first)
		return NULL;
	do {
		if (((chain[i - first] ^ hash) >> 1) == 0 && is_it(o, i, name))
			return &o->symbols[i];
	} while (!(chain[i++ - first] & 1));
	return NULL;
}

static const ElfW(Sym) * find_sysv(const struct own_object *o, const char *name)
{
	const uint32_t *t = o->sysv, buckets = t[0], *bucket = t + 2, *chain = bucket + buckets;
	uint32_t hash = 0;

	for (const unsigned char *c = (const void *)name; *c; c++) {
		hash = (hash << 4) + *c;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	for (uint32_t i = buckets ? bucket[hash % buckets] : 0; i; i = chain[i])
		if (is_it(o, i, name))
			return &o->symbols[i];
	return NULL;
}

/* The function that the resolver of an indirect one chooses on this processor. */
#if defined(__aarch64__)
static void *resolved(void *resolver)
{
	const struct {
		unsigned long size, hwcap, hwcap2;
	} a = {sizeof(a), getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};

	return ((void *(*)(uint64_t, const void *))resolver)(a.hwcap | 1ul << 62, &a);
}
#else
static void *resolved(void *resolver)
{
	return ((void *(*)(void))resolver)();
}
#endif

static void *find_in(const struct own_object *o, const char *name)
{
	const ElfW(Sym) *s = o->gnu ? find_gnu(o, name) : find_sysv(o, name);
	void *p;

	if (!s)
		return NULL;
	p = (void *)(o->base + s->st_value);
	return ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC ? resolved(p) : p;
}

/* ---- the C library ---- */

/* Before glibc 2.34 it is several objects. */
static bool is_libc(const char *soname)
{
	static const char *const names[] = {"libc.so.", "libpthread.so.", "libdl.so.",
					    "ld-linux", "ld64.so.",       "ld.so."};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(soname, names[i], strlen(names[i])))
			return true;
	return false;
}

void *own_libc(const char *name)
{
	struct own_object o;
	void *p = NULL;

	for (const struct link_map *m = _r_debug.r_map; m && !p; m = m->l_next)
		if (object_read(&o, m->l_addr, m->l_ld) && is_libc(o.soname))
			p = find_in(&o, name);
	return p;
}

/* Its file at its place in memory: addresses in it are relative to its first segment. */
void *own_vdso(const char *name)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *e = (const void *)image;
	const ElfW(Phdr) *h = image ? (const void *)(image + e->e_phoff) : NULL;
	const ElfW(Dyn) *dynamic = NULL;
	ElfW(Addr) base = (ElfW(Addr))image;
	struct own_object o;

	for (int i = 0; image && i < e->e_phnum; i++)
		if (h[i].p_type == PT_LOAD && !h[i].p_offset)
			base = (ElfW(Addr))image - h[i].p_vaddr;
		else if (h[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(image + h[i].p_offset);
	return dynamic && object_read(&o, base, dynamic) ? find_in(&o, name) : NULL;
}

/* ---- all objects ---- */

struct object_search {
	const char *name;
	ElfW(Addr) after; /* an address in the object after which it begins; 0: at the first */
	const void *last; /* the dynamic section of the last object that is asked; NULL: all */
	bool began;
	void *found;
};

/* Of the last object at the start. */
static const void *start_last;

static __attribute__((constructor)) void start_look(void)
{
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		start_last = m->l_ld;
}

static bool contains(const struct dl_phdr_info *info, ElfW(Addr) address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && address - info->dlpi_addr - h->p_vaddr < h->p_memsz)
			return true;
	}
	return false;
}

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

static int look(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *argument)
{
	const void *dynamic = dynamic_of(info);
	struct object_search *s = argument;
	struct own_object o;

	if (!s->began)
		s->began = contains(info, s->after);
	/* The kernel's own object is in no search order. */
	else if (strncmp(info->dlpi_name, "linux-", 6) != 0 &&
		 object_read(&o, info->dlpi_addr, dynamic))
		s->found = find_in(&o, s->name);
	return s->found || (s->last && dynamic == s->last);
}

static void *search(const char *name, ElfW(Addr) after, const void *last)
{
	struct object_search s = {.name = name, .after = after, .last = last, .began = !after};

	dl_iterate_phdr(look, &s);
	return s.found;
}

void *own_next(const char *name)
{
	return search(name, (ElfW(Addr))own_next, NULL);
}

void *own_next_at_start(const char *name)
{
	return search(name, (ElfW(Addr))own_next, start_last);
}

void *own_first(const char *name)
{
	return search(name, 0, NULL);
}

/* ---- one object and what it needs ---- */

static const struct link_map *map_named(const char *name)
{
	struct own_object o;

	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
		const char *base = strrchr(m->l_name, '/');

		if (!strcmp(base ? base + 1 : m->l_name, name) ||
		    (object_read(&o, m->l_addr, m->l_ld) && !strcmp(o.soname, name)))
			return m;
	}
	return NULL;
}

static void *of(const struct link_map *m, const char *name, int depth)
{
	struct own_object o;
	void *p;

	if (!object_read(&o, m->l_addr, m->l_ld))
		return NULL;
	p = find_in(&o, name);
	for (const ElfW(Dyn) *d = o.dynamic; !p && depth && d->d_tag != DT_NULL; d++) {
		const struct link_map *needed =
			d->d_tag == DT_NEEDED ? map_named(o.text + d->d_un.d_val) : NULL;

		if (needed)
			p = of(needed, name, depth - 1);
	}
	return p;
}

void *own_of(void *object, const char *name)
{
	return of(object, name, NEEDED_DEPTH);
}

struct owner {
	ElfW(Addr) code;
	const char *name;
	const void *dynamic;
	void *found;
};

/* While the loader's lock is held, so that the list does not change. */
static int look_around(struct dl_phdr_info *info, size_t size __attribute__((unused)),
		       void *argument)
{
	struct owner *w = argument;

	if (!contains(info, w->code))
		return 0;
	w->dynamic = dynamic_of(info);
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if (m->l_ld == w->dynamic)
			w->found = of(m, w->name, NEEDED_DEPTH);
	return 1;
}

void *own_of_code(const void *code, const char *name)
{
	struct owner w = {.code = (ElfW(Addr))code, .name = name};

	dl_iterate_phdr(look_around, &w);
	return w.found;
}
