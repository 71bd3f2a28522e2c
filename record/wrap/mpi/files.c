/* files.c: files by their handles, and the hooks of reads and writes. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "../io/names.h"
#include "own/own.h"
#include "coll.h"
#include "pool.h"
#include "request.h"

enum { BUCKETS = 256 /* a power of two */, PATH_MOST = 4096 };

struct open_file {
	struct open_file *next;
	uintptr_t handle;
	struct file *file;
	int placed;  /* it has a position of its own, and a call that asks for it is allowed */
	unsigned io; /* of the call that has begun */
	int64_t at;
};
static struct open_file *buckets[BUCKETS];
static uint32_t lock;

static struct open_file **seek(uintptr_t handle)
{
	struct open_file **at = &buckets[(handle * 0x9e3779b97f4a7c15u) >> 56];

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

/* A copy of what is known of the file; file is NULL without. */
static struct open_file find(MPI_File fh)
{
	struct open_file out = {0}, *found;

	spin_lock(&lock);
	found = *seek((uintptr_t)fh);
	if (found)
		out = *found;
	spin_unlock(&lock);
	return out;
}

/*
 * The path as the wrapper of files finds it, so that both have one name for a file: the kernel
 * follows the links of a descriptor that can neither read nor write. What is before a colon names a
 * file system for ROMIO.
 */
static struct file *named(const char *name)
{
	const char *colon = strchr(name, ':');
	char link[40], path[PATH_MOST + 1];
	long fd = -1, n = 0;

	if (colon && colon - name > 1 && !memchr(name, '/', (size_t)(colon - name)))
		name = colon + 1;
	fd = system_call(SYS_openat, AT_FDCWD, name, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%ld", fd);
		n = system_call(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
		system_call(SYS_close, fd);
	}
	if (n <= 0) {
		n = (long)strnlen(name, sizeof(path) - 1);
		memcpy(path, name, (size_t)n);
	}
	path[n] = 0;
	return file_of(file_tidy(path));
}

void file_opened(int ret, const char *name, int mode, const MPI_File *fh)
{
	struct open_file *p, **at;
	struct file *file;
	int saved = errno;

	if (ret != MPI_SUCCESS || !tau_permitted())
		return;
	file = named(name);
	spin_lock(&lock);
	at = seek((uintptr_t)*fh);
	p = *at;
	if (!p)
		p = *at = pool_get(sizeof(*p));
	if (p) {
		p->handle = (uintptr_t)*fh;
		p->file = file;
		p->placed = !(mode & MPI_MODE_SEQUENTIAL);
	}
	spin_unlock(&lock);
	errno = saved;
}

void file_closing(const MPI_File *fh)
{
	struct open_file *gone, **at;

	if (!fh)
		return;
	spin_lock(&lock);
	at = seek((uintptr_t)*fh);
	gone = *at;
	if (gone)
		*at = gone->next;
	spin_unlock(&lock);
	pool_put(gone, sizeof(*gone));
}

/* The offset in the file, in bytes, where a call begins; -1: unknown. The handle is of an open
 * file, so MPI finds no error. */
static int64_t place(const struct open_file *p, MPI_File fh, MPI_Offset at)
{
	MPI_Offset bytes = -1;

	if (!p->file || !p->placed || at == FILE_SOMEWHERE)
		return -1;
	if (at == FILE_HERE && real_MPI_File_get_position(fh, &at) != MPI_SUCCESS)
		return -1;
	if (at < 0 || real_MPI_File_get_byte_offset(fh, at, &bytes) != MPI_SUCCESS)
		return -1;
	return bytes;
}

static void put(const struct wrap_function *f, unsigned io, struct file *file, uint64_t bytes,
		int64_t at)
{
	tau_io_at(f ? f->id : 0, io, file_event(file, FILE_NAME), bytes, at, -1);
}

static void own_status(struct file_call *h, MPI_Status **status)
{
	if (h->file && *status == MPI_STATUS_IGNORE)
		*status = &h->own;
	h->status = *status;
}

void file_before(struct file_call *h, const struct wrap_function *f, unsigned io, MPI_File fh,
		 MPI_Offset at, MPI_Status **status)
{
	struct open_file p = find(fh);

	h->function = f;
	h->file = p.file;
	h->io = io;
	h->at = place(&p, fh, at);
	own_status(h, status);
}

void file_after(struct file_call *h, int good)
{
	if (good && h->file)
		put(h->function, h->io, h->file, status_bytes(h->status), h->at);
}

/* ---- with a request ---- */

void file_start_before(struct file_start_call *h, const struct wrap_function *f, unsigned io,
		       MPI_File fh, MPI_Offset at, MPI_Count count, MPI_Datatype type,
		       const MPI_Request *request)
{
	struct open_file p = find(fh);

	(void)f;
	h->request = request;
	h->r = (struct request){.kind = REQUEST_FILE,
				.active = 1,
				.file = p.file,
				.io = io,
				.at = place(&p, fh, at)};
	if (p.file)
		h->r.bytes = type_bytes(count, type);
}

void file_start_after(struct file_start_call *h, int good)
{
	if (!good || !h->r.file)
		return;
	h->r.key = (uintptr_t)*h->request;
	if (request_is_shared(*h->request))
		file_completed(&h->r, h->r.bytes);
	else
		request_add(&h->r);
}

/* Its time is not that of the call that completes it. */
void file_completed(const struct request *r, uint64_t bytes)
{
	put(NULL, r->io, r->file, bytes, r->at);
}

/* ---- in two parts ---- */

void file_begin_before(struct file_begin_call *h, const struct wrap_function *f, unsigned io,
		       MPI_File fh, MPI_Offset at)
{
	struct open_file p = find(fh);

	(void)f;
	h->fh = fh;
	h->io = io;
	h->at = place(&p, fh, at);
}

void file_begin_after(struct file_begin_call *h, int good)
{
	struct open_file *p;

	if (!good)
		return;
	spin_lock(&lock);
	p = *seek((uintptr_t)h->fh);
	if (p) {
		p->io = h->io;
		p->at = h->at;
	}
	spin_unlock(&lock);
}

void file_end_before(struct file_end_call *h, MPI_File fh, MPI_Status **status)
{
	struct open_file p = find(fh);

	h->c.function = NULL;
	h->c.file = p.file;
	h->c.io = p.io;
	h->c.at = p.at;
	own_status(&h->c, status);
}

void file_end_after(struct file_end_call *h, int good)
{
	file_after(&h->c, good);
}
