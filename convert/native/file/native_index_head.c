/* native_index_head.c: where the index of a file is, and whether it was made from that file. */
#include "convert/native/file/native_index_head.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"

char *native_path_beside(const struct native_file *f, const char *end)
{
	size_t n = strlen(f->path), suffix = strlen(TAU_TRACE_SUFFIX);

	if (n <= suffix || strcmp(f->path + n - suffix, TAU_TRACE_SUFFIX))
		return NULL;
	return mem_printf("%.*s%s", (int)(n - suffix), f->path, end);
}

char *native_index_path(const struct native_file *f)
{
	return native_path_beside(f, INDEX_SUFFIX);
}

char *native_levels_path(const struct native_file *f)
{
	return native_path_beside(f, LEVELS_SUFFIX);
}

char *native_cells_path(const struct native_file *f)
{
	return native_path_beside(f, CELLS_SUFFIX);
}

FILE *native_beside_new(const struct native_file *f, char *path)
{
	int fd = mkostemp(path, O_CLOEXEC);
	struct stat st;
	FILE *out;

	if (fd < 0)
		return NULL;
	if (!stat(f->path, &st) && fchmod(fd, st.st_mode & 0666) == 0) {
		out = fdopen(fd, "wb");
		if (out)
			return out;
	}
	close(fd);
	unlink(path);
	return NULL;
}

int native_index_is_of(const struct index_header *h, const struct native_file *f)
{
	return h->trace_size == f->size && h->trace_mtime == f->mtime &&
	       h->process_id == f->head.process_id && h->thread == f->head.thread &&
	       h->trace_crc == f->head.crc;
}
