/*
 * native_seal.c: closes the streams that processes left open when they ended: those of killed processes, and of threads that ran
 * until the end.
 *
 * The live chunk, as readers find it, in FILE.live or at the stream's place in the file of the threads, is appended to FILE.tau
 * with an index, in one write, as the recorder does at its end. Until that is complete, readers use the live file; afterwards,
 * FILE.tau is closed and they ignore it. So any step may be the last.
 */
#include "convert/native/live/native_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "convert/io/deflate.h"
#include "convert/io/listing.h"
#include "convert/io/paths.h"
#include "convert/native/live/native_alive.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/live/native_file.h"
#include "convert/native/live/native_lives.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/file/native_put.h"
#include "convert/native/file/run_files.h"
#include "convert/native/live/run_processes.h"

#define BOOT_TOLERANCE_S 10	/* by which clocks may have been set since */

/* One stream: the names of its files begin with `stem`. */
struct seal {
	const char *directory, *stem;
	const char *live;	/* the name of the file with its live chunk */
	uint64_t live_at;	/* where it begins there */
	int at;			/* the directory, */
	const struct listing *names;	/* what was in it */
	struct deflater *deflater;	/* NULL: not needed yet */
	struct native_alive alive;
};

static int file_open(const struct seal *s, const char *suffix, int flags)
{
	char *name = mem_printf("%s%s", s->stem, suffix);
	int fd = run_file_open(s->at, name, flags | O_NONBLOCK);

	free(name);
	return fd;
}

/* Few streams have such a file, and a search for one that is not there costs as much as a read. */
static void file_remove(const struct seal *s, const char *suffix)
{
	char *name = mem_printf("%s%s", s->stem, suffix);

	if (listing_find(s->names, name) < s->names->entry_n)
		unlinkat(s->at, name, 0);
	free(name);
}

/* ---- may it be sealed? ---- */

static int is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1;
}

static int64_t now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec;
}

/* Was the live chunk begun on this machine, since it was started? Another one may have the same name. */
static int is_this_boot(const struct seal *s, int fd)
{
	struct tau_live_header live;
	int64_t then, now = now_s(CLOCK_REALTIME) - now_s(CLOCK_MONOTONIC);

	if (native_read_at(fd, &live, sizeof(live), s->live_at))
		return 0;
	then = (int64_t)(live.sync_real_ns / 1000000000) -
	       (int64_t)(live.sync_mono_ns / 1000000000);
	return then - now <= BOOT_TOLERANCE_S && now - then <= BOOT_TOLERANCE_S;
}

/* Is this still the live file of the stream? Its writer replaces it by a larger one, and then unmaps it. */
static int is_current(const struct seal *s, int live)
{
	struct stat mine, now;

	return !fstat(live, &mine) && !fstatat(s->at, s->live, &now, AT_SYMLINK_NOFOLLOW) &&
	       mine.st_ino == now.st_ino && mine.st_dev == now.st_dev;
}

static int has_ended(struct seal *s, int tau, int live)
{
	struct tau_file_header h;

	return !native_read_at(tau, &h, sizeof(h), 0) &&
	       !native_alive(&s->alive, live, s->live_at, h.pid);
}

/* Nothing is missing, neither chunks nor folded calls, and no chunk but the last would have to be replaced. */
static int is_whole(struct native_file *f)
{
	const struct native_chunk *last =
		f->chunk_n ? native_file_chunk(f, f->chunk_n - 1) : NULL;

	if ((f->damage && !f->nothing_lost) || f->unfolded || f->pages || !f->live_path)
		return 0;
	return !last || !last->live || f->live.seq == f->chunk_n - 1;
}

/* ---- the bytes ---- */

/* Adds the live chunk and its entry. */
static void chunk_put(struct deflater *d, struct native_file *f, struct buffer *out,
		      struct buffer *entries, uint64_t offset)
{
	const struct native_columns *c = &f->live_columns;
	struct tau_chunk_header h = c->head;
	struct buffer column[TAU_COLUMNS];
	struct tau_index_entry entry = {.offset = offset,
					.first_tick = h.first_tick,
					.last_tick = h.last_tick,
					.records = h.records};

	h.codec = TAU_CODEC_DEFLATE;
	for (int i = 0; i < TAU_COLUMNS; i++)
		column[i] = (struct buffer){c->data[i], c->length[i], c->length[i]};
	native_put_chunk(out, d, &h, column);
	entry.defs_stored = h.stored[TAU_DEFS];
	put(entries, &entry, sizeof(entry));
}

/* The bytes that close the file, to be written from *from on, where its last whole chunk ends. */
static struct buffer closing_bytes(struct seal *s, struct native_file *f, uint64_t *from)
{
	struct buffer out = {0}, entries = {0};
	struct tau_trailer t = {.records = f->records,
				.lost = f->lost,
				.chunks = (uint32_t)f->chunk_n,
				.closer = TAU_CLOSER_OTHER};

	*from = f->head.header_size;
	for (size_t k = 0; k < f->chunk_n; k++) {
		const struct native_chunk *c = native_file_chunk(f, k);

		if (c->live) {
			s->deflater = s->deflater ? s->deflater : deflater_new();
			chunk_put(s->deflater, f, &out, &entries, *from);
			break;
		}
		put(&entries,
		    &(struct tau_index_entry){c->offset, c->first_tick, c->last_tick, c->records,
					      c->defs_stored},
		    sizeof(struct tau_index_entry));
		*from = c->offset + c->stored;
	}
	if (f->stopped) {
		t.closer = TAU_CLOSER_STOPPED;
		t.error = f->stop_error;
	}
	t.index_offset = *from + out.v_n;
	native_put_index(&out, &entries, t);
	free(entries.v);
	return out;
}

/* ---- the file ---- */

/* May the file become so large? If not, writing would end this program by a signal. */
static int size_fits(uint64_t size)
{
	struct rlimit l;

	return !getrlimit(RLIMIT_FSIZE, &l) && (l.rlim_cur == RLIM_INFINITY || size <= l.rlim_cur);
}

/*
 * Marks the folded calls as part of the chunk that is about to be stored: a reader that finds that chunk, but no index, does not
 * add them again.
 */
static int fold_mark(const struct seal *s, const struct native_file *f)
{
	uint64_t sealed = f->chunk_n;
	int fd, good;

	if (!f->folded)
		return 0;
	fd = file_open(s, TAU_FOLD_SUFFIX, O_RDWR);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	good = is_ours(fd) && pwrite(fd, &sealed, sizeof(sealed),
				     offsetof(struct tau_fold_header, sealed)) == sizeof(sealed);
	close(fd);
	return good ? 0 : -1;
}

/* Was the last chunk stored already, but without folded calls, which are part of it now? */
static int is_replaced(struct native_file *f)
{
	const struct native_chunk *last =
		f->chunk_n ? native_file_chunk(f, f->chunk_n - 1) : NULL;

	return last && last->live && last->offset;
}

/* NFS reports a full disk or quota only when a descriptor is closed. */
static int file_flush(int fd)
{
	int other = dup(fd);

	return other < 0 || close(other) ? -1 : 0;
}

/* What follows the last whole chunk is a part of the live one, or of an index. Without a trailer, the live file has all of it. */
static int file_append(const struct seal *s, int fd, const struct native_file *f,
		       const struct buffer *b, uint64_t from)
{
	int code;

	if (fold_mark(s, f) || (from != f->size && ftruncate(fd, (off_t)from)))
		return -1;
	code = run_file_write(fd, b->v, b->v_n, from) || file_flush(fd) ? -1 : 0;
	if (code && ftruncate(fd, (off_t)from))
		code = -1;
	return code;
}

static int file_copy(int from, int to, uint64_t n)
{
	unsigned char block[8192];

	for (uint64_t at = 0; at < n;) {
		size_t part = n - at < sizeof(block) ? (size_t)(n - at) : sizeof(block);

		if (native_read_at(from, block, part, at) ||
		    run_file_write(to, block, part, at))
			return -1;
		at += part;
	}
	return 0;
}

/* The last chunk is in no other file, so a whole new file takes the place of this one. */
static int file_replace(const struct seal *s, int tau, const struct buffer *b, uint64_t from)
{
	char *name = mem_printf("%s" TAU_TRACE_SUFFIX, s->stem);
	char *fresh = mem_printf("%s.new", name);
	int fd = run_file_new(s->at, fresh, run_file_mode(s->at)), code = -1;

	if (fd >= 0 && !file_copy(tau, fd, from) && !run_file_write(fd, b->v, b->v_n, from))
		code = 0;
	if (fd >= 0 && close(fd))
		code = -1;
	if (!code)
		code = renameat(s->at, fresh, s->at, name);
	if (code && fd >= 0)
		unlinkat(s->at, fresh, 0);
	free(fresh);
	free(name);
	return code;
}

static int file_close(struct seal *s, int fd, struct native_file *f)
{
	uint64_t from;
	struct buffer b = closing_bytes(s, f, &from);
	int code = -1;

	if (from <= f->size && size_fits(from + b.v_n))
		code = is_replaced(f) ? file_replace(s, fd, &b, from)
				      : file_append(s, fd, f, &b, from);
	free(b.v);
	return code;
}

/* ---- one stream ---- */

/* The descriptors are of this stream, which no other process is sealing. 1: it is closed now. */
static int stream_seal(struct seal *s, int tau, int live)
{
	/* The file of the threads remains, for others. */
	static const char *const suffixes[] = {TAU_TRACE_SUFFIX ".new", TAU_LIVE_SUFFIX ".new",
					       TAU_FOLD_SUFFIX, TAU_LIVE_SUFFIX};
	char *path = mem_printf("%s/%s" TAU_TRACE_SUFFIX, s->directory, s->stem);
	struct native_file *f = NULL;
	struct stat mine, read;
	struct error e;
	int closed = 0;

	/* A process that ends only while the file is read may have written more. */
	if (has_ended(s, tau, live) && !native_file_open(path, &f, &e) && !fstat(tau, &mine) &&
	    !fstat(f->fd, &read) && mine.st_ino == read.st_ino && mine.st_dev == read.st_dev &&
	    is_this_boot(s, live) && has_ended(s, tau, live) && is_current(s, live))
		closed = (f->closed && f->indexed) || (is_whole(f) && !file_close(s, tau, f));
	for (size_t i = 0; closed && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		file_remove(s, suffixes[i]);
	native_file_close(f);
	free(path);
	return closed;
}

/* One stream whose live file no process writes. 1: it is closed. */
static int stream_try(struct seal *s, int live)
{
	int tau = file_open(s, TAU_TRACE_SUFFIX, O_RDWR), closed = 0;

	if (tau >= 0 && is_ours(tau) && !flock(tau, LOCK_EX | LOCK_NB))
		closed = stream_seal(s, tau, live);
	if (tau >= 0)
		close(tau);
	return closed;
}

/* All streams of the file of the threads. Their stems begin with `process`. If all are closed, the file is of no use any more. */
static void threads_try(struct seal *s, int live, const char *process)
{
	struct tau_lives_header head = {0};
	uint32_t n = native_lives_places(live, &head), closed = 0;
	struct native_place place;

	for (uint32_t k = 1; k <= n; k++) {
		char *stem;

		if (native_lives_find(live, k, &place)) {
			closed++;	/* it has no chunk */
			continue;
		}
		s->stem = stem = mem_printf("%s%u", process, k);
		s->live_at = place.at;
		closed += (uint32_t)stream_try(s, live);
		free(stem);
	}
	if (closed == n && head.major == TAU_VERSION_MAJOR && is_current(s, live))
		unlinkat(s->at, s->live, 0);
}

/* A live file, which begins with the name of its process. 1: a process writes it. */
static int live_try(struct seal *s, const char *name, size_t process)
{
	int live = run_file_open(s->at, name, O_RDONLY | O_NONBLOCK);
	int ours = live >= 0 && is_ours(live), written = ours && native_alive_maps(live);
	size_t end = strlen(name) - strlen(TAU_LIVE_SUFFIX);
	char *stem = mem_printf("%.*s", (int)end, name);

	s->live = name;
	s->live_at = 0;
	s->stem = stem;
	if (ours && !written && strcmp(stem + process, TAU_LIVES_STREAM)) {
		stream_try(s, live);
	} else if (ours && !written) {
		stem[process] = 0;
		threads_try(s, live, stem);
	}
	if (live >= 0)
		close(live);
	free(stem);
	return written;
}

/* ---- the run ---- */

/*
 * The length of HOST.PID.N. in a name as the recorder names live files on this host: HOST.PID.N.THREAD.live; 0: it is another name.
 * HOST may be the first part of another one's.
 */
static size_t process_length(const char *name, const char *host)
{
	size_t n = strlen(host), dots = 0, length = 0;

	if (strncmp(name, host, n) || name[n] != '.')
		return 0;
	for (; name[n]; n++)
		if (name[n] == '.' && ++dots == 3)
			length = n + 1;
	return dots == 4 ? length : 0;
}

/* Other users could replace the files meanwhile. */
static int is_private(int directory)
{
	struct stat st;

	return !fstat(directory, &st) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Does the process of a name run? Others may have its files mapped after its end. */
static int is_running(const char *name, const char *host)
{
	return run_process_start((uint32_t)strtoul(name + strlen(host) + 1, NULL, 10)) != 0;
}

/* While a process runs that writes one of its streams, the others of that process are not tried. */
static void streams_try(struct seal *s, const struct listing *names, const char *host)
{
	struct names written = {0};

	for (size_t i = 0; i < names->entry_n; i++) {
		const char *name = names->entry[i].name;
		size_t process = process_length(name, host);

		if (!process || !path_ends_in(name, TAU_LIVE_SUFFIX) ||
		    names_find(&written, name, process) >= 0)
			continue;
		if (live_try(s, name, process) && is_running(name, host))
			names_add(&written, name, process);
	}
	names_release(&written);
}

static int any_live(const struct listing *names)
{
	for (size_t i = 0; i < names->entry_n; i++)
		if (path_ends_in(names->entry[i].name, TAU_LIVE_SUFFIX))
			return 1;
	return 0;
}

void native_seal(struct input *in)
{
	const struct listing *names = in->is_directory ? input_names(in) : NULL;
	struct seal s = {.directory = in->path, .names = names};
	struct utsname here;
	char *host;

	if (!names || !any_live(names))
		return;
	s.at = s.alive.at = open(in->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s.at < 0)
		return;
	if (is_private(s.at) && !uname(&here)) {
		host = run_file_host(here.nodename);
		streams_try(&s, names, host);
		free(host);
	}
	deflater_free(s.deflater);
	native_alive_release(&s.alive);
	close(s.at);
	input_changed(in);
}
