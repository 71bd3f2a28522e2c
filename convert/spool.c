/*
 * spool.c: profiles in a temporary file: of each the lengths of its bytes (profile_bytes.h), as they
 * are and deflated, then these.
 */
#include "convert/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "convert/io/deflate.h"
#include "convert/io/inflate.h"
#include "convert/profile_bytes.h"

struct spool {
	char *directory;
	FILE *file;
	struct deflater *deflater;
	struct inflater *inflater;
	struct packed_bytes plain, packed;
	int taking;
};

/* packed == plain: not deflated. */
struct lengths {
	uint64_t plain, packed;
};

static int fails(const struct spool *s, struct error *e)
{
	struct rlimit limit;

	if (errno == EFBIG && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		return error_set(e, ERROR_SYSTEM,
				 "%s: a temporary file cannot be written; the limit of a file is "
				 "%ju bytes (ulimit -f)",
				 s->directory, (uintmax_t)limit.rlim_cur);
	return error_set(e, ERROR_SYSTEM,
			 "%s: no temporary file: %s. Set TMPDIR to a directory with more space",
			 s->directory, strerror(errno ? errno : EIO));
}

static const char *directory_of(void)
{
	const char *own = getenv("TMPDIR");

	if (own && *own)
		return own;
	return access("/var/tmp", W_OK | X_OK) ? "/tmp" : "/var/tmp";
}

int spool_open(struct spool **out, struct error *e)
{
	struct spool *s = mem_alloc(sizeof(*s));
	char *name;
	int fd;

	s->directory = mem_string(directory_of());
	name = mem_printf("%s/tau-profiles-XXXXXX", s->directory);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0) {
		unlink(name);
		s->file = fdopen(fd, "w+");
	}
	free(name);
	s->deflater = deflater_new();
	s->inflater = inflater_new();
	*out = s;
	if (s->file)
		return 0;
	fails(s, e);
	spool_close(s);
	*out = NULL;
	return e->code;
}

void spool_close(struct spool *s)
{
	if (!s)
		return;
	if (s->file)
		fclose(s->file);
	deflater_free(s->deflater);
	inflater_free(s->inflater);
	free(s->plain.v);
	free(s->packed.v);
	free(s->directory);
	free(s);
}

/* Room for n bytes; what was in it is lost. */
static void room(struct packed_bytes *b, size_t n)
{
	if (b->v_cap >= n)
		return;
	free(b->v);
	b->v_cap = n + n / 2;
	b->v = mem_alloc(b->v_cap);
}

int spool_put(struct spool *s, const struct profile *p, struct error *e)
{
	struct lengths n;

	s->plain.v_n = 0;
	profile_put(&s->plain, p);
	room(&s->packed, s->plain.v_n);
	n.plain = s->plain.v_n;
	n.packed = deflater_run(s->deflater, s->plain.v, s->plain.v_n, s->packed.v);
	errno = 0;
	if (!n.packed)
		n.packed = n.plain;
	if (fwrite(&n, sizeof(n), 1, s->file) == 1 &&
	    fwrite(n.packed < n.plain ? s->packed.v : s->plain.v, n.packed, 1, s->file) == 1)
		return 0;
	return fails(s, e);
}

/* The next bytes of the file, inflated, in `plain`; 0: it could not be read. */
static size_t next(struct spool *s)
{
	struct lengths n;

	if (fread(&n, sizeof(n), 1, s->file) != 1)
		return 0;
	room(&s->plain, n.plain);
	room(&s->packed, n.packed);
	if (n.packed == n.plain)
		return fread(s->plain.v, n.plain, 1, s->file) == 1 ? n.plain : 0;
	if (fread(s->packed.v, n.packed, 1, s->file) != 1 ||
	    inflater_run(s->inflater, s->packed.v, n.packed, s->plain.v, n.plain))
		return 0;
	return n.plain;
}

int spool_next(struct spool *s, struct profile **out, struct error *e)
{
	size_t n;

	errno = 0;
	if (!s->taking && (fflush(s->file) || fseek(s->file, 0, SEEK_SET)))
		return fails(s, e);
	s->taking = 1;
	n = next(s);
	*out = n ? profile_get(s->plain.v, n) : NULL;
	return *out ? 0 : fails(s, e);
}
