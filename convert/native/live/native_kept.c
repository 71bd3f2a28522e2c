/* native_kept.c: keeps what is known of the files of a run that is read again and again. */
#include "convert/native/live/native_kept.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/code/symbols.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/live/native_file.h"
#include "convert/native/live/run_processes.h"

struct native_kept {
	struct names path;
	struct native_file **file; /* by path; NULL: not known, or in use */
	size_t file_n, file_cap;
	struct symbols_kept *symbols;
	int table; /* descriptor of the table of processes; -1: not opened yet */
};

struct native_kept *native_kept_new(void)
{
	struct native_kept *k = mem_alloc(sizeof(*k));

	k->symbols = symbols_kept_new();
	k->table = -1;
	return k;
}

void native_kept_free(struct native_kept *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->file_n; i++)
		native_file_close(k->file[i]);
	symbols_kept_free(k->symbols);
	if (k->table >= 0)
		close(k->table);
	names_release(&k->path);
	free(k->file);
	free(k);
}

struct native_file *native_kept_remove(struct native_kept *k, const char *path)
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

/* A run that was recorded anew has another table. */
static int table_is_of(int table, int directory)
{
	struct stat kept, now;

	return table >= 0 && !fstat(table, &kept) &&
	       !fstatat(directory, TAU_PROCESSES_FILE, &now, AT_SYMLINK_NOFOLLOW) &&
	       kept.st_ino == now.st_ino && kept.st_dev == now.st_dev;
}

int native_kept_table(struct native_kept *k, int directory, struct run_processes *out)
{
	if (table_is_of(k->table, directory))
		return run_processes_again(k->table, out);
	if (k->table >= 0)
		close(k->table);
	k->table = -1;
	if (run_processes_open(directory, 1, out) && run_processes_open(directory, 0, out))
		return -1;
	k->table = fcntl(out->fd, F_DUPFD_CLOEXEC, 0);
	return 0;
}

struct symbols_kept *native_kept_symbols(struct native_kept *k)
{
	return k->symbols;
}
