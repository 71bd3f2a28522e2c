/*
 * needed.c: finds the libraries of a program as the loader of the GNU C library does (ld.so(8), and
 * its elf/dl-load.c):
 *
 *   a name with a slash    is the path of the file
 *   RPATH                  of the library that needs it, of the one that needed that, and so on,
 * and of the program; not of one that has a RUNPATH LD_LIBRARY_PATH RUNPATH                of the
 * library that needs it the cache              of ldconfig, and last the loader's folders, both by
 * name in the loader's file: not with -z nodefaultlib
 *
 * In each folder glibc-hwcaps/LEVEL comes first, for the levels that the processor has. A file of
 * another processor or class is passed over. Not done: the folders tls and haswell of versions
 * before 2.37.
 */
#include "convert/code/needed.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/code/elf_dynamic.h"
#include "convert/code/loader_cache.h"

enum { CACHE_PATHS = 8, OBJECTS_MOST = 4096, FILE_MOST = 64 << 20 };
#define NOBODY SIZE_MAX

/* A file that is loaded: the program is the first. */
struct needed_object {
	char *path, *soname, *rpath, *runpath;
	size_t parent; /* who needed it first */
	int nodefault;
	dev_t device;
	ino_t inode;
};

struct file_bytes {
	char *p;
	size_t n;
};

struct search {
	struct needed_object *object;
	size_t object_n, object_cap;
	struct needed *out;
	uint16_t machine;
	struct file_bytes loader, cache;
	const char **folder; /* of the loader, in its file */
	size_t folder_n, folder_cap;
	const char *levels[LOADER_LEVELS + 1]; /* of glibc-hwcaps, best first */
};

static struct file_bytes file_read(const char *path)
{
	struct file_bytes b = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return b;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size < FILE_MOST) {
		b.p = mem_alloc((size_t)st.st_size + 1);
		b.n = pread(fd, b.p, (size_t)st.st_size, 0) == st.st_size ? (size_t)st.st_size : 0;
	}
	close(fd);
	return b;
}

/* ---- the processor's levels ---- */

#if defined(__x86_64__)
static void levels_find(const char *level[LOADER_LEVELS + 1])
{
	int v2 = __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
		 __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
		 __builtin_cpu_supports("popcnt");
	int v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		 __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
	int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
		 __builtin_cpu_supports("avx512vl");

	if (v4)
		*level++ = "x86-64-v4";
	if (v3)
		*level++ = "x86-64-v3";
	if (v2)
		*level++ = "x86-64-v2";
	*level = NULL;
}
#else
/* Other processors have none, or none that distributions use. */
static void levels_find(const char *level[LOADER_LEVELS + 1])
{
	*level = NULL;
}
#endif

/* ---- what the loader's file contains: the paths of its folders and of its cache ---- */

/* The next string of the loader, from *at on, that begins with a slash and is a whole path; NULL:
 * there is none. */
static const char *loader_path(const struct search *s, size_t *at)
{
	while (*at + 2 < s->loader.n) {
		const char *from = memchr(s->loader.p + *at, '/', s->loader.n - *at);
		size_t n;

		if (!from)
			return NULL;
		n = strlen(from); /* a zero is after the file's last byte */
		*at = (size_t)(from - s->loader.p) + n + 1;
		if (from > s->loader.p && !from[-1] && n > 1 && n < PATH_MAX)
			return from;
	}
	return NULL;
}

static int ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static void loader_read(struct search *s, const char *interpreter)
{
	const char *path;
	size_t at = 0;

	s->loader = file_read(interpreter);
	while ((path = loader_path(s, &at)))
		if (ends_with(path, "/"))
			*array_add(s, folder) = path;
		else if (!s->cache.p && ends_with(path, "/ld.so.cache"))
			s->cache = file_read(path);
}

/* ---- one file ---- */

/* Of $LIB: what the loader's folders of libraries have after /usr, of several that of more parts.
 */
static const char *library_folder(const struct search *s)
{
	const char *best = "/lib/";

	for (size_t i = 0; i < s->folder_n; i++)
		if (!strncmp(s->folder[i], "/lib", 4) && strlen(s->folder[i]) > strlen(best))
			best = s->folder[i];
	return best + 1;
}

/* Reads $NAME or ${NAME} at *at, past which *at is set. */
static int variable_is(const char **at, const char *name)
{
	const char *from = *at + 1, *end;
	int brace = *from == '{';
	size_t n = strlen(name);

	from += brace;
	if (strncmp(from, name, n) != 0)
		return 0;
	end = from + n;
	if (brace ? *end != '}'
		  : *end == '_' || (*end >= '0' && *end <= '9') ||
			    ((*end | 32) >= 'a' && (*end | 32) <= 'z'))
		return 0;
	*at = end + brace;
	return 1;
}

/* The text with its variables replaced; NULL: one is unknown. The caller frees it. */
static char *expand(const struct search *s, const struct needed_object *of, const char *text,
		    size_t n)
{
	const char *slash = of->path ? strrchr(of->path, '/') : NULL, *end = text + n;
	const char *platform = (const char *)getauxval(AT_PLATFORM);
	char out[PATH_MAX];
	size_t used = 0;

	while (text < end) {
		int wrote;

		if (*text != '$')
			wrote = snprintf(out + used, sizeof(out) - used, "%c", *text++);
		else if (variable_is(&text, "ORIGIN"))
			wrote = snprintf(out + used, sizeof(out) - used, "%.*s",
					 slash ? (int)(slash - of->path) : 1,
					 slash ? of->path : ".");
		else if (variable_is(&text, "LIB"))
			wrote = snprintf(out + used, sizeof(out) - used, "%.*s",
					 (int)strlen(library_folder(s)) - 1, library_folder(s));
		else if (variable_is(&text, "PLATFORM") && platform)
			wrote = snprintf(out + used, sizeof(out) - used, "%s", platform);
		else
			return NULL;
		used += (size_t)wrote;
		if (used >= sizeof(out))
			return NULL;
	}
	return mem_printf("%.*s", (int)used, out);
}

static struct needed_object *object_add(struct search *s, char *path, size_t parent,
					const struct elf_dynamic *d)
{
	struct needed_object *o = array_add(s, object);

	o->path = path;
	o->parent = parent;
	o->soname = elf_dynamic_name(d, DT_SONAME);
	o->runpath = elf_dynamic_name(d, DT_RUNPATH);
	o->rpath = o->runpath ? NULL : elf_dynamic_name(d, DT_RPATH);
	o->nodefault = (elf_dynamic_value(d, DT_FLAGS_1) & DF_1_NODEFLIB) != 0;
	o->device = d->device;
	o->inode = d->inode;
	return o;
}

static void listed_add(struct search *s, const char *name, const char *path)
{
	struct needed_library *l = array_add(s->out, library);

	l->name = mem_string(name);
	l->path = path ? mem_string(path) : NULL;
}

/* 1: the file at `path` (which is freed or kept) is a library that can be used. */
static int file_accept(struct search *s, const char *name, char *path, size_t parent)
{
	struct elf_dynamic d;

	if (!path || elf_dynamic_open(path, &d) < 0) {
		free(path);
		return 0;
	}
	if (d.header.e_machine != s->machine || d.header.e_type != ET_DYN) {
		elf_dynamic_close(&d);
		free(path);
		return 0;
	}
	for (size_t i = 1; i < s->object_n; i++)
		if (s->object[i].device == d.device && s->object[i].inode == d.inode) {
			elf_dynamic_close(&d);
			free(path);
			return 1; /* another name of a library that is there */
		}
	listed_add(s, name, path);
	object_add(s, path, parent, &d);
	elf_dynamic_close(&d);
	return 1;
}

/* ---- where a library is searched for ---- */

static int folder_search(struct search *s, const char *name, const char *folder, size_t parent)
{
	const char *slash = ends_with(folder, "/") ? "" : "/";
	char *levels = mem_join(folder, slash, "glibc-hwcaps", NULL);
	int there = *s->levels && access(levels, F_OK) == 0, found = 0;

	for (const char **l = s->levels; there && *l && !found; l++)
		found = file_accept(s, name, mem_join(levels, "/", *l, "/", name, NULL), parent);
	free(levels);
	return found || file_accept(s, name, mem_join(folder, slash, name, NULL), parent);
}

/* A list of folders, with the variables of an object. Its folders are separated by colons or, in
 * the environment, semicolons. */
static int list_search(struct search *s, const char *name, const char *list, const char *ends,
		       size_t of, size_t parent)
{
	for (const char *at = list; at && *at; at += strspn(at, ends) > 0) {
		size_t n = strcspn(at, ends);
		char *folder = n ? expand(s, &s->object[of], at, n) : mem_string(".");
		int found = folder && folder_search(s, name, *folder ? folder : ".", parent);

		free(folder);
		if (found)
			return 1;
		at += n;
	}
	return 0;
}

static int rpath_search(struct search *s, const char *name, size_t parent)
{
	int main_seen = 0;

	if (s->object[parent].runpath)
		return 0;
	for (size_t i = parent; i != NOBODY; i = s->object[i].parent) {
		main_seen |= i == 0;
		if (list_search(s, name, s->object[i].rpath, ":", i, parent))
			return 1;
	}
	return !main_seen && list_search(s, name, s->object[0].rpath, ":", 0, parent);
}

static int cache_search(struct search *s, const char *name, size_t parent)
{
	const char *path[CACHE_PATHS];
	size_t n = loader_cache_find(s->cache.p, s->cache.n, name, s->levels, path, CACHE_PATHS);

	for (size_t i = 0; i < n; i++)
		if (file_accept(s, name, mem_string(path[i]), parent))
			return 1;
	return 0;
}

static int defaults_search(struct search *s, const char *name, size_t parent)
{
	for (size_t i = 0; i < s->folder_n; i++)
		if (folder_search(s, name, s->folder[i], parent))
			return 1;
	return 0;
}

/* ---- all libraries ---- */

static int is_loaded(const struct search *s, const char *name)
{
	for (size_t i = 0; i < s->out->library_n; i++)
		if (!strcmp(s->out->library[i].name, name))
			return 1;
	for (size_t i = 0; i < s->object_n; i++)
		if (s->object[i].soname && !strcmp(s->object[i].soname, name))
			return 1;
	return 0;
}

/* optional: the loader goes on without it. */
static void library_find(struct search *s, const char *name, size_t parent, int optional)
{
	const char *list = getenv("LD_LIBRARY_PATH");
	int found;

	if (is_loaded(s, name) || s->object_n == OBJECTS_MOST)
		return;
	if (strchr(name, '/'))
		found = file_accept(s, name, expand(s, &s->object[parent], name, strlen(name)),
				    parent);
	else
		found = rpath_search(s, name, parent) ||
			list_search(s, name, list, ":;", 0, parent) ||
			list_search(s, name, s->object[parent].runpath, ":", parent, parent) ||
			(!s->object[parent].nodefault &&
			 (cache_search(s, name, parent) || defaults_search(s, name, parent)));
	if (!found && !optional)
		listed_add(s, name, NULL);
}

/* What an object needs; `as` is the tag of its entries. */
static void entries_find(struct search *s, size_t of, const struct elf_dynamic *d)
{
	for (size_t i = 0; i < d->entry_n; i++) {
		int64_t tag = d->entry[i].d_tag;
		char *name;

		if (tag != DT_NEEDED && tag != DT_AUXILIARY && tag != DT_FILTER)
			continue;
		name = elf_dynamic_text(d, d->entry[i].d_un.d_val);
		if (name && *name)
			library_find(s, name, of, tag == DT_AUXILIARY);
		free(name);
	}
}

static void preloads_find(struct search *s)
{
	struct file_bytes b = file_read("/etc/ld.so.preload");
	char *save, *word = b.n ? strtok_r(b.p, ": \t\n", &save) : NULL;

	for (; word && *word != '#'; word = strtok_r(NULL, ": \t\n", &save))
		library_find(s, word, 0, 1);
	free(b.p);
}

/* The program and its loader, which is there before all that is searched for. */
static int begin(struct search *s, const char *program, const char *interpreter)
{
	struct elf_dynamic d;
	char real[PATH_MAX];
	int gnu;

	if (elf_dynamic_open(program, &d) < 0)
		return -1;
	s->machine = d.header.e_machine;
	object_add(s, mem_string(realpath(program, real) ? real : program), NOBODY, &d);
	elf_dynamic_close(&d);
	if (elf_dynamic_open(interpreter, &d) < 0)
		return -1;
	gnu = d.header.e_machine == s->machine && elf_dynamic_defines(&d, "_rtld_global");
	if (gnu) {
		object_add(s, mem_string(interpreter), 0, &d);
		loader_read(s, interpreter);
	}
	elf_dynamic_close(&d);
	return gnu;
}

static void libc_find(struct needed *n)
{
	for (size_t i = 0; i < n->library_n; i++)
		if (!strncmp(n->library[i].name, "libc.so.", 8) && n->library[i].path)
			n->libc = mem_string(n->library[i].path);
}

static void search_release(struct search *s)
{
	for (size_t i = 0; i < s->object_n; i++) {
		free(s->object[i].path);
		free(s->object[i].soname);
		free(s->object[i].rpath);
		free(s->object[i].runpath);
	}
	free(s->object);
	free(s->folder);
	free(s->loader.p);
	free(s->cache.p);
}

int needed_read(const char *program, const char *interpreter, struct needed *out)
{
	struct search s = {.out = out};
	struct elf_dynamic d;
	int gnu;

	memset(out, 0, sizeof(*out));
	gnu = begin(&s, program, interpreter);
	if (gnu > 0) {
		levels_find(s.levels);
		preloads_find(&s);
		for (size_t i = 0; i < s.object_n; i++) {
			if (elf_dynamic_open(s.object[i].path, &d) < 0)
				continue;
			entries_find(&s, i, &d);
			elf_dynamic_close(&d);
		}
		listed_add(&s, interpreter, interpreter);
		libc_find(out);
		out->gnu = 1;
	}
	search_release(&s);
	return gnu < 0 ? -1 : 0;
}

void needed_release(struct needed *n)
{
	for (size_t i = 0; i < n->library_n; i++) {
		free(n->library[i].name);
		free(n->library[i].path);
	}
	free(n->library);
	free(n->libc);
	memset(n, 0, sizeof(*n));
}

int needed_fits(const struct needed *n, const char *library)
{
	struct names have = {0}, want = {0};
	struct elf_dynamic d;
	int fits = n->libc != NULL;

	if (!fits)
		return 0;
	if (elf_dynamic_open(n->libc, &d) == 0) {
		elf_dynamic_versions(&d, &have);
		elf_dynamic_close(&d);
	}
	if (elf_dynamic_open(library, &d) == 0) {
		elf_dynamic_versions_needed(&d, "libc.so.6", &want);
		elf_dynamic_close(&d);
	}
	for (size_t i = 0; i < want.name_n; i++)
		fits &= names_find(&have, want.name[i], want.length[i]) >= 0;
	names_release(&have);
	names_release(&want);
	return fits;
}
