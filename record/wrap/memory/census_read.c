/* census_read.c: reads memory of the program that may be unreadable, for a census. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "area.h"
#include "census_read.h"
#include "hints.h"
#include "own/own.h"
#include "tau.h"

#define PAGE 4096
#define READABLE 2048

/* Pages that could be read in this census, each plus one in the place of its number; and whether the kernel answers at all. */
static uintptr_t readable[READABLE];
static int answers;

/*
 * /proc/self/pagemap during a census, -1: none. Reading a page that is not there makes it, or waits for
 * the server of a userfaultfd, which may have ended.
 */
static long pagemap = -1;

/* /proc/self/mem during a census, where filters of containers, or an emulator, refuse process_vm_readv(); else -1. */
static long memory = -1;

static int answers_now(void)
{
	char byte;

	return census_copy(&byte, (uintptr_t)&answers, 1) == 1;
}

void census_read_begin(void)
{
	int e = errno;

	memset(readable, 0, sizeof(readable));
	answers = answers_now();
	if (!answers) {
		memory = system_call(SYS_openat, (long)AT_FDCWD, "/proc/self/mem",
				     O_RDONLY | O_CLOEXEC);
		answers = answers_now();
	}
	pagemap = system_call(SYS_openat, (long)AT_FDCWD, "/proc/self/pagemap",
			      O_RDONLY | O_CLOEXEC);
	errno = e;
}

void census_read_end(void)
{
	if (pagemap >= 0)
		system_call(SYS_close, pagemap);
	if (memory >= 0)
		system_call(SYS_close, memory);
	pagemap = memory = -1;
}

enum { AT_ONCE = 64 };
#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)

/* The kernel's entries of up to AT_ONCE pages from this one on; returns how many there are. */
static size_t pages_read(uintptr_t page, size_t n, uint64_t entry[AT_ONCE])
{
	int e = errno;
	long got = pagemap < 0 ? -1
			       : system_call(SYS_pread64, pagemap, entry,
					     (n < AT_ONCE ? n : AT_ONCE) * sizeof(*entry),
					     (long)(page * sizeof(*entry)));

	errno = e;
	tau_own_read(got);
	return got < 0 ? 0 : (size_t)got / sizeof(*entry);
}

/*
 * How many pages from this one on, at most `most`, are there, in memory or swapped out (*there = 1), or
 * are not (*there = 0).
 */
static size_t pages_alike(uintptr_t page, size_t most, int *there)
{
	uint64_t entry[AT_ONCE];
	size_t n = pages_read(page, most, entry), same = 1;

	*there = 1;
	if (!n)
		return most;
	*there = (entry[0] & (PRESENT | SWAPPED)) != 0;
	while (same < n && ((entry[same] & (PRESENT | SWAPPED)) != 0) == *there)
		same++;
	return same;
}

/* Reads a byte of each of n pages; returns of how many, until one is unreadable. */
static size_t pages_try(const uintptr_t *page, size_t n)
{
	struct iovec local, remote[AT_ONCE];
	char byte[AT_ONCE];
	int e = errno;
	ssize_t got;
	size_t i;

	if (!answers)
		return n;
	for (i = 0; i < n; i++)
		remote[i] = (struct iovec){(void *)(page[i] * PAGE), 1};
	local = (struct iovec){byte, n};
	got = process_vm_readv(getpid(), &local, 1, remote, n, 0);
	errno = e;
	return got < 0 ? 0 : (size_t)got;
}

/* Tries the page, and in the same two system calls those after it that are in memory. */
static int page_find(uintptr_t page)
{
	uint64_t entry[AT_ONCE];
	uintptr_t try[AT_ONCE] = {page};
	size_t n = pages_read(page, AT_ONCE, entry), tries = 1, i;

	if (n && !(entry[0] & (PRESENT | SWAPPED)))
		return 0;
	for (i = 1; i < n; i++)
		if (entry[i] & PRESENT && readable[(page + i) % READABLE] != page + i + 1)
			try[tries++] = page + i;
	n = pages_try(try, tries);
	for (i = 0; i < n; i++)
		readable[try[i] % READABLE] = try[i] + 1;
	return n > 0;
}

static int is_readable(uintptr_t page)
{
	return likely(readable[page % READABLE] == page + 1) || page_find(page);
}

/*
 * Ranges of less than a page are read directly, if their pages can be read: they should be inside
 * live blocks or loaded data, but a program may have freed a block unseen. Protection never covers
 * less than a page. The kernel copies other ranges, so that memory which the program has protected
 * gives an error and no signal.
 */
size_t census_read(void *to, uintptr_t from, size_t bytes)
{
	if (bytes >= PAGE || !is_readable(from / PAGE) || !is_readable((from + bytes) / PAGE))
		return census_copy(to, from, bytes);
	memcpy(to, (const void *)from, bytes);
	return bytes;
}

/*
 * The program's own data, as census_read(): what it has never touched is zeros, or what its file has, in
 * which there are no addresses of blocks.
 */
size_t census_read_data(void *target, uintptr_t from, size_t bytes)
{
	char *to = target;
	size_t done = 0;

	if (bytes < PAGE && is_readable(from / PAGE) && is_readable((from + bytes) / PAGE)) {
		memcpy(to, (const void *)from, bytes);
		return bytes;
	}
	while (done < bytes) {
		uintptr_t at = from + done, page = at / PAGE;
		int there;
		size_t n = pages_alike(page, (from + bytes - 1) / PAGE - page + 1, &there);

		n = (page + n) * PAGE - at;
		n = n < bytes - done ? n : bytes - done;
		if (there) {
			size_t got = census_copy(to + done, at, n);

			if (got != n)
				return done + got;
		} else {
			memset(to + done, 0, n);
		}
		done += n;
	}
	return done;
}

size_t census_copy(void *to, uintptr_t from, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)from, bytes };
	int e = errno;
	ssize_t n;

	n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	if (n < 0 && memory >= 0)
		n = system_call(SYS_pread64, memory, to, bytes, (long)from);
	errno = e;
	return n < 0 ? 0 : (size_t)n;
}

struct read_window *window_new(void)
{
	return area_map(sizeof(struct read_window));
}

void window_free(struct read_window *w)
{
	area_unmap(w, sizeof(*w));
}

/*
 * The first look into something takes little of it, most end there. What is left of something large is read as such: it may lie on
 * the rest of a protected page.
 */
int window_move(struct read_window *w, uintptr_t address, uintptr_t limit)
{
	size_t most = limit == w->limit ? WINDOW : PAGE, rest = limit - address;
	size_t bytes = rest < most ? rest : most;

	w->begin = address;
	w->whole = census_read_data(w->word, address, bytes) & ~(size_t)7;
	w->limit = limit;
	return w->whole != 0;
}
