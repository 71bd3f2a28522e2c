/*
 * run_copy.c: copies a run while it is recorded.
 *
 * A thread stores its live chunk in its .tau file, and then begins the next one in its .live file.
 * So the .live file is copied first: if the chunk was stored meanwhile, the .tau file has it, and
 * readers take the copied chunk for the stale one that it is. A live chunk in the file of the threads
 * becomes a .live file of the copy.
 */
#include "cmd/record/control/run_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/shared/output.h"
#include "convert/io/paths.h"
#include "convert/io/whole_file.h"
#include "convert/native/live/native_lives.h"
#include "convert/native/file/run_files.h"
#include "convert/native/live/run_processes.h"

#define TRACE ".tau"
#define TRIES 100

/* At most `left` bytes. */
static int bytes_copy(int from, int to, uint64_t left)
{
	static const size_t most = 1 << 16;
	char *block = mem_alloc(most);
	ssize_t n;

	do {
		n = read(from, block, left < most ? (size_t)left : most);
		left -= n > 0 ? (uint64_t)n : 0;
	} while ((n > 0 && !output_write(to, block, (size_t)n)) || (n < 0 && errno == EINTR));
	free(block);
	return n ? -1 : 0;
}

/* Live files may be elsewhere, with a link to each. 0, also if the file has gone: its thread has
 * ended, and the .tau file is whole. */
static int file_copy(int run, int copy, const char *name)
{
	struct stat st;
	int from = openat(run, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), to, code;

	if (from < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
		close(from);
		errno = EPERM;
		return -1;
	}
	to = run_file_new(copy, name, st.st_mode & 0666);
	code = to < 0 ? -1 : bytes_copy(from, to, UINT64_MAX);
	if (to >= 0 && close(to) < 0)
		code = -1;
	close(from);
	return code;
}

/* The live chunk in the file of the threads. 0, also if there is none. */
static int place_copy(int run, int copy, const char *trace, const char *name)
{
	char *lives = native_lives_name(trace);
	int from = lives ? openat(run, lives, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1, to, code = 0;
	struct native_place place;
	struct stat st;

	free(lives);
	if (from >= 0 && !fstat(from, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !native_lives_find(from, native_lives_stream(trace), &place)) {
		to = run_file_new(copy, name, st.st_mode & 0666);
		code = to < 0 || lseek(from, (off_t)place.at, SEEK_SET) < 0
			       ? -1
			       : bytes_copy(from, to, place.size);
		if (to >= 0 && close(to) < 0)
			code = -1;
	}
	if (from >= 0)
		close(from);
	return code;
}

/* Is it in the copy? */
static int is_copied(int copy, const char *name)
{
	struct stat st;

	return !fstatat(copy, name, &st, AT_SYMLINK_NOFOLLOW);
}

/*
 * The live chunk and the .fold of a trace file, if they are there. The chunk may move from the file of the
 * threads to one of its own in between.
 */
static int live_copy(int run, int copy, const char *trace)
{
	int stem = (int)(strlen(trace) - strlen(TRACE)), code = 0;
	char *live = mem_printf("%.*s.live", stem, trace);
	char *fold = mem_printf("%.*s.fold", stem, trace);

	unlinkat(copy, live, 0);
	for (int i = 0; i < 2 && !code && !is_copied(copy, live); i++) {
		code = file_copy(run, copy, live);
		if (!code && !is_copied(copy, live))
			code = place_copy(run, copy, trace, live);
	}
	unlinkat(copy, fold, 0);
	if (!code)
		code = file_copy(run, copy, fold);
	free(live);
	free(fold);
	return code;
}

/* --flight replaces trace files, and numbers chunks anew: then the live file that was copied does
 * not belong to the new one. */
static int stream_copy(int run, int copy, const char *name)
{
	struct stat before, after;

	for (int i = 0; i < TRIES; i++) {
		if (fstatat(run, name, &before, AT_SYMLINK_NOFOLLOW) < 0)
			return errno == ENOENT ? 0 : -1;
		if (live_copy(run, copy, name) || file_copy(run, copy, name))
			return -1;
		if (!fstatat(run, name, &after, AT_SYMLINK_NOFOLLOW) &&
		    after.st_ino == before.st_ino)
			return 0;
	}
	errno = EAGAIN;
	return -1;
}

/* The table of processes is not part of the copy: it would show them as running for ever. */
static int files_copy(DIR *run, int copy)
{
	struct dirent *d;
	int code = 0;

	while (!code && (d = readdir(run))) {
		const char *name = d->d_name;

		if (path_ends_in(name, TRACE))
			code = stream_copy(dirfd(run), copy, name);
		else if (*name != '.' && strcmp(name, TAU_PROCESSES_FILE) != 0 &&
			 !path_ends_in(name, ".new") && !path_ends_in(name, ".live") &&
			 !path_ends_in(name, ".fold"))
			code = file_copy(dirfd(run), copy, name);
	}
	return code;
}

char *run_copy_make(const char *to, struct error *e)
{
	char *made = whole_folder(to, e);

	if (made && chmod(made, 0700)) {
		error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
		whole_folder_close(made, to, 1, e);
		made = NULL;
	}
	return made;
}

int run_copy_close(char *made, const char *to, int bad, struct error *e)
{
	return made ? whole_folder_close(made, to, bad, e) : 0;
}

int run_copy(const char *run, const char *made, struct error *e)
{
	DIR *d = opendir(run);
	int copy = d ? run_directory(made) : -1, code = 0;

	if (!d)
		return error_set(e, ERROR_SYSTEM, "%s: %s", run, strerror(errno));
	if (copy < 0 || files_copy(d, copy))
		code = error_set(e, ERROR_SYSTEM, "%s: cannot copy it: %s", run, strerror(errno));
	if (copy >= 0)
		close(copy);
	closedir(d);
	return code;
}
