/* share_file.c: writes and reads the file by which one process gives others what it has found in a census. */
#include "share_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "area.h"
#include "own/own.h"
#include "tau.h"

#define WAIT_MS	    1000
#define MAGIC	    0x3173756e73636174ULL
#define CLASS_MOST  4096u
#define OWNER_MOST  65536u
#define TEXT_MOST   (1u << 20)
#define BYTES_MOST  (64u << 20)

/* ---- written ---- */

static size_t write_bytes(size_t group_most)
{
	return sizeof(struct share_write) + CLASS_MOST * sizeof(struct share_class) +
	       OWNER_MOST * sizeof(struct share_owner) + group_most * sizeof(struct share_group) +
	       TEXT_MOST;
}

struct share_write *share_write_new(size_t group_most)
{
	struct share_write *w = area_map(write_bytes(group_most));

	if (!w)
		return NULL;
	w->class = (struct share_class *)(w + 1);
	w->owner = (struct share_owner *)(w->class + CLASS_MOST);
	w->group = (struct share_group *)(w->owner + OWNER_MOST);
	w->text = (char *)(w->group + group_most);
	w->group_most = group_most;
	return w;
}

void share_write_free(struct share_write *w)
{
	if (w)
		area_unmap(w, write_bytes(w->group_most));
}

uint32_t share_text(struct share_write *w, const char *text)
{
	uint32_t at = w->head.text_n;
	size_t n = strlen(text) + 1;

	if (n > TEXT_MOST - at) {
		w->head.text_n = TEXT_MOST;
		return 0;
	}
	memcpy(w->text + at, text, n);
	w->head.text_n += (uint32_t)n;
	return at;
}

uint32_t share_class(struct share_write *w, const struct share_class *c)
{
	if (w->head.class_n == CLASS_MOST)
		return 0;
	w->class[w->head.class_n] = *c;
	return w->head.class_n++;
}

uint32_t share_owner(struct share_write *w, const struct share_owner *o)
{
	if (w->head.owner_n == OWNER_MOST)
		return 0;
	w->owner[w->head.owner_n] = *o;
	return w->head.owner_n++;
}

uint32_t share_group(struct share_write *w, const struct share_group *g)
{
	w->group[w->head.group_n] = *g;
	return w->head.group_n++;
}

int share_create(const char *name)
{
	int fd = tau_share(name, O_WRONLY | O_CREAT);

	if (fd >= 0)
		system_call(SYS_close, fd);
	return fd >= 0;
}

static int part_write(int fd, const void *from, size_t n)
{
	const char *p = from;
	long put;

	for (; n; p += put, n -= (size_t)put) {
		put = system_call(SYS_write, fd, p, n);
		if (put <= 0)
			return 0;
	}
	return 1;
}

/* The others take it when it has all of its bytes. */
void share_write(struct share_write *w, const char *name)
{
	struct share_head *h = &w->head;
	const struct {
		const void *from;
		size_t n;
	} part[] = {
		{h, sizeof(*h)},
		{w->class, h->class_n * sizeof(*w->class)},
		{w->owner, h->owner_n * sizeof(*w->owner)},
		{w->group, h->group_n * sizeof(*w->group)},
		{w->text, h->text_n},
	};
	size_t i;
	int fd;

	if (h->class_n == CLASS_MOST || h->owner_n == OWNER_MOST || h->text_n == TEXT_MOST)
		return;
	h->magic = MAGIC;
	h->pid = (uint64_t)getpid();
	h->bytes = 0;
	for (i = 0; i < sizeof(part) / sizeof(*part); i++)
		h->bytes += part[i].n;
	fd = tau_share(name, O_WRONLY);
	for (i = 0; fd >= 0 && i < sizeof(part) / sizeof(*part); i++)
		if (!part_write(fd, part[i].from, part[i].n))
			break;
	if (fd >= 0)
		system_call(SYS_close, fd);
}

void share_remove(const char *name)
{
	tau_share_remove(name);
}

/* ---- read ---- */

static int parts_find(struct share_read *r, const char *p, size_t n)
{
	const struct share_head *h = (const struct share_head *)p;
	size_t bytes;

	if (h->magic != MAGIC || h->bytes != n || h->class_n > CLASS_MOST ||
	    h->owner_n > OWNER_MOST || h->group_n > n || h->text_n > n)
		return 0;
	bytes = sizeof(*h) + h->class_n * sizeof(*r->class) + h->owner_n * sizeof(*r->owner) +
		h->group_n * sizeof(*r->group) + h->text_n;
	if (bytes != n || !h->text_n || p[n - 1])
		return 0;
	r->head = h;
	r->class = (const struct share_class *)(h + 1);
	r->owner = (const struct share_owner *)(r->class + h->class_n);
	r->group = (const struct share_group *)(r->owner + h->owner_n);
	r->text = (const char *)(r->group + h->group_n);
	return 1;
}

/* n bytes of the file, in memory that is given back with share_read_end(); NULL. */
static char *bytes_read(int fd, size_t n)
{
	char *p = area_map(n);
	size_t done = 0;
	long got;

	while (p && done < n) {
		got = system_call(SYS_read, fd, p + done, n - done);
		tau_own_read(got);
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	if (p && done < n) {
		area_unmap(p, n);
		p = NULL;
	}
	return p;
}

int share_read(struct share_read *r, const char *name)
{
	struct share_head h;
	int fd = tau_share_size && !tau_share_size(name) ? -1 : tau_share(name, O_RDONLY), good = 0;
	struct stat st;
	char *p;

	if (fd < 0)
		return 0;
	if (system_call(SYS_fstat, fd, &st) == 0 && st.st_size >= (off_t)sizeof(h) &&
	    st.st_size <= BYTES_MOST &&
	    system_call(SYS_pread64, fd, &h, sizeof(h), 0) == (long)sizeof(h)) {
		tau_own_read(sizeof(h));
		p = h.bytes == (uint64_t)st.st_size ? bytes_read(fd, h.bytes) : NULL;
		good = p && parts_find(r, p, h.bytes);
		if (p && !good)
			area_unmap(p, h.bytes);
	}
	system_call(SYS_close, fd);
	return good;
}

static void pause_ms(unsigned ms)
{
	struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
	int word = 0, e = errno;

	system_call(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
	errno = e;
}

int share_await(struct share_read *in, const char *name)
{
	unsigned waited = 0, ms = 1;

	while (!share_read(in, name)) {
		if (waited >= WAIT_MS)
			return 0;
		pause_ms(ms);
		waited += ms;
		ms = ms < 8 ? 2 * ms : ms;
	}
	return 1;
}

void share_read_end(struct share_read *r)
{
	area_unmap((void *)(uintptr_t)r->head, r->head->bytes);
}

const char *share_name(const struct share_read *r, uint32_t place)
{
	return place < r->head->text_n ? r->text + place : "";
}
