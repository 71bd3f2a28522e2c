/* native_kept.c: keeps what is known of the files of a run that is read again and again. */
#include "convert/native/native_kept.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/code/symbols.h"
#include "convert/native/native_chunks.h"
#include "convert/native/native_file.h"

struct native_kept {
	struct names path;
	struct native_file **file; /* by path; NULL: not known, or in use */
	size_t file_n, file_cap;
	struct symbols_kept *symbols;
};

struct native_kept *native_kept_new(void)
{
	struct native_kept *k = mem_alloc(sizeof(*k));

	k->symbols = symbols_kept_new();
	return k;
}

void native_kept_free(struct native_kept *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->file_n; i++)
		native_file_close(k->file[i]);
	symbols_kept_free(k->symbols);
	names_release(&k->path);
	free(k->file);
	free(k);
}

struct native_file *native_kept_take(struct native_kept *k, const char *path)
{
	int64_t at = names_find(&k->path, path, strlen(path));
	struct native_file *f = at >= 0 ? k->file[at] : NULL;

	if (f)
		k->file[at] = NULL;
	return f;
}

/* Is all that is known of the file in its list of chunks and in its live chunk, which follows them? */
static int is_sound(const struct native_file *f)
{
	const struct native_chunk *last = f->chunk_n ? &f->chunk[f->chunk_n - 1] : NULL;

	if (f->damage || f->unfolded || f->pages || f->replaced)
		return 0;
	return !last || !last->live || (f->live.seq == f->chunk_n - 1 && !last->offset);
}

void native_kept_put(struct native_kept *k, struct native_file *f)
{
	size_t at;

	if (!k || !is_sound(f)) {
		native_file_close(f);
		return;
	}
	native_file_rest(f);
	at = names_add(&k->path, f->path, strlen(f->path));
	if (at == k->file_n)
		array_add(k, file);
	native_file_close(k->file[at]);
	k->file[at] = f;
}

int native_kept_any(const struct native_kept *k)
{
	return k->file_n > 0;
}

struct symbols_kept *native_kept_symbols(struct native_kept *k)
{
	return k->symbols;
}
