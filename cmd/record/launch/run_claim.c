/*
 * run_claim.c: makes the directory of a run or joins it, for all processes of a job, and records how each ended.
 *
 * A run contains command lines and environments, so only its owner may read it, unless it is shared. A directory that another
 * user owns or may write to is refused: its later contents would be that user's choice.
 */
#include "cmd/record/launch/run_claim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/shared/message.h"
#include "convert/native/file/run_files.h"

/* The directory contains a file that is not hidden. */
static int holds_something(int directory)
{
	int fd = dup(directory), found = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!d)
		return 0;
	rewinddir(d);
	while ((entry = readdir(d)))
		found |= entry->d_name[0] != '.';
	closedir(d);
	return found;
}

/* The job file appears whole: it is written under a hidden name and linked. 1 made, 0 it is there,
 * -1 errno. */
static int job_file_make(int directory, const char *text, mode_t mode)
{
	char hidden[40];
	size_t n = strlen(text);
	int fd, made;

	snprintf(hidden, sizeof(hidden), ".job.%ld", (long)getpid());
	fd = run_file_new(directory, hidden, mode);
	if (fd < 0)
		return -1;
	if (run_file_write(fd, text, n, 0) < 0 || close(fd) < 0) {
		int error = errno;

		unlinkat(directory, hidden, 0);
		errno = error;
		return -1;
	}
	made = linkat(directory, hidden, directory, RUN_JOB_FILE, 0) == 0 ? 1
	       : errno == EEXIST				      ? 0
								      : -1;
	fd = errno;
	unlinkat(directory, hidden, 0);
	errno = fd;
	return made;
}

/* Does the job file contain this? */
static int job_file_is(int directory, const char *text)
{
	char have[400];
	int fd = run_file_open(directory, RUN_JOB_FILE, O_RDONLY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, have, sizeof(have) - 1);

	if (fd >= 0)
		close(fd);
	have[n > 0 ? n : 0] = 0;
	return !strcmp(have, text);
}

/* Makes the directories above this one, as mkdir -p does. */
static void parents_make(const char *directory)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", directory);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0777);
		*slash = '/';
	}
}

/* Is this directory, open as fd, the caller's alone? */
static int is_own(const char *directory, int fd, struct error *e)
{
	struct stat st, link;

	if (fstat(fd, &st) < 0 || lstat(directory, &link) < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", directory, strerror(errno));
	if (st.st_uid != geteuid() || link.st_uid != geteuid())
		return error_set(e, ERROR_INPUT,
				 "%s: belongs to another user (uid %u); choose another -o, or use "
				 "--shared to record there",
				 directory,
				 (unsigned)(st.st_uid != geteuid() ? st.st_uid : link.st_uid));
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(e, ERROR_INPUT,
				 "%s: other users may write there (mode %04o); choose another -o, "
				 "or use --shared to record there",
				 directory, (unsigned)(st.st_mode & 07777));
	return 0;
}

/* The directory is open as fd. */
static int claim(const char *directory, int fd, const struct job *j, int shared, struct error *e)
{
	const mode_t mode = shared ? 0666 : 0600;
	char want[400];
	int made;

	if (!shared && is_own(directory, fd, e) < 0)
		return e->code;
	snprintf(want, sizeof(want), "tau-run 1\njob %s\nsize %ld\n", j->key, j->size);
	if (faccessat(fd, RUN_JOB_FILE, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && holds_something(fd) &&
	    faccessat(fd, RUN_JOB_FILE, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return error_set(e, ERROR_INPUT, "%s: the directory is not empty and not a run; "
						 "choose another -o",
				 directory);
	made = job_file_make(fd, want, mode);
	if (made > 0)
		run_processes_make(fd, (uint64_t)j->size, mode);
	if (made < 0)
		return error_set(e, ERROR_SYSTEM, "%s: cannot write: %s", directory,
				 strerror(errno));
	if (!made && !job_file_is(fd, want))
		return error_set(e, ERROR_INPUT,
				 "%s: contains the run of another job; choose another -o or remove "
				 "it",
				 directory);
	return 0;
}

int run_claim(const char *directory, const struct job *j, int shared, struct error *e)
{
	int fd, code;

	parents_make(directory);
	if (mkdir(directory, shared ? 0777 : 0700) < 0 && errno != EEXIST)
		return error_set(e, ERROR_SYSTEM, "%s: cannot create the directory of the run: %s",
				 directory, strerror(errno));
	fd = run_directory(directory);
	if (fd < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", directory, strerror(errno));
	code = claim(directory, fd, j, shared, e);
	close(fd);
	return code;
}

void run_abandon(const char *directory, const struct job *j)
{
	DIR *d = j->size == 1 ? opendir(directory) : NULL;
	struct dirent *entry;
	int others = 0;

	if (!d)
		return;
	while ((entry = readdir(d)))
		others |= entry->d_name[0] != '.' && strcmp(entry->d_name, RUN_JOB_FILE) != 0 &&
			  strcmp(entry->d_name, TAU_PROCESSES_FILE) != 0;
	rewinddir(d);
	while (!others && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	closedir(d);
	if (!others)
		rmdir(directory);
}

/* ---- the row of this process ---- */

static uint64_t real_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * How long others may keep the table locked: each process of the job does so twice for some 100 us,
 * on a parallel file system for some ms. In a shared run anybody may do so for ever.
 */
static unsigned lock_limit_ms(const struct job *j)
{
	enum { LEAST = 5000, EACH = 10, MOST = 60000 };
	long ms = LEAST + EACH * (j->size < MOST ? j->size : MOST);

	return (unsigned)(ms < MOST ? ms : MOST);
}

/* The table, locked. -1: there is none, because the disk was full or the run is older; or as run_processes_lock(). */
static int table_open(const char *directory, const struct job *j, struct run_processes *table)
{
	int at = run_directory(directory), code = -1;

	if (at >= 0) {
		code = run_processes_lock(at, lock_limit_ms(j), table);
		close(at);
	}
	if (code == RUN_PROCESSES_LOCKED)
		message_print("tau-record",
			      "%s/" TAU_PROCESSES_FILE ": another process keeps it locked; "
			      "how this program ends is not recorded",
			      directory);
	return code;
}

/* The same. The process that claimed the directory for the job may still be making the table: one second is enough. */
static int table_await(const char *directory, const struct job *j, struct run_processes *table)
{
	int tries = j->size > 1 ? 100 : 1, code;

	while ((code = table_open(directory, j, table)) == -1) {
		if (!--tries)
			return -1;
		usleep(10000);
	}
	return code;
}

void run_enter(const char *directory, const struct job *j, pid_t pid, struct run_place *place)
{
	struct run_processes table;

	place->has_row = 0;
	place->unlocked = -1;
	if (table_await(directory, j, &table) < 0)
		return;
	place->row = (struct tau_process_row){.state = TAU_PROCESS_STARTED,
					      .pid = (uint32_t)pid,
					      .rank = j->rank,
					      .begin_real_ns = real_ns()};
	run_process_here(&place->row);
	place->at = table.row_n;
	place->has_row = !run_process_write(&table, place->at, &place->row);
	if (place->has_row && table.head.closed)
		run_processes_closed(&table, 0, NULL);
	if (place->has_row)
		place->unlocked = run_processes_unlocked(&table);
	run_processes_close(&table);
}

/* The clock may be set meanwhile. */
static int ms_until(uint64_t due, uint64_t now)
{
	const uint64_t most = 60000, ms = due > now ? (due - now) / 1000000 + 1 : 1;

	return (int)(ms < most ? ms : most);
}

int run_seen_write(struct run_place *place)
{
	struct tau_process_row *row = &place->row;
	uint64_t now = real_ns();

	if (place->unlocked < 0 || now < run_seen_due(row))
		return place->unlocked < 0 ? -1 : ms_until(run_seen_due(row), now);
	row->end_real_ns = now;
	if (run_process_seen_write(place->unlocked, place->at, now) < 0) {
		close(place->unlocked);
		place->unlocked = -1;
		return -1;
	}
	return ms_until(run_seen_due(row), now);
}

/* All processes of the job have been started, and none is left. Those that MPI started are not waited for. */
static int is_last(const struct run_processes *table)
{
	uint64_t n = 0;

	for (size_t i = 0; i < table->row_n; i++) {
		if (run_process_spawned(&table->row[i]))
			continue;
		if (run_process_life(&table->row[i]) != RUN_PROCESS_ENDED)
			return 0;
		n++;
	}
	return n >= table->head.size;
}

/* Do other processes of the job still run on this host? */
static int is_last_here(const struct run_processes *table, const struct tau_process_row *own)
{
	for (size_t i = 0; i < table->row_n; i++)
		if (!strcmp(table->row[i].host, own->host) &&
		    !run_process_spawned(&table->row[i]) &&
		    run_process_life(&table->row[i]) == RUN_PROCESS_RUNS)
			return 0;
	return 1;
}

/* Where processes cannot be counted, each reports: twice is better than never. */
enum run_left run_leave(const char *directory, const struct job *j, int status,
			struct run_place *place)
{
	enum run_left left = RUN_LEFT_OTHERS;

	if (place->unlocked >= 0)
		close(place->unlocked);
	place->unlocked = -1;
	if (!place->has_row || table_open(directory, j, &place->table) < 0) {
		place->has_row = 0;
		return RUN_LEFT_JOB;
	}
	place->row.state = WIFSIGNALED(status) ? TAU_PROCESS_KILLED : TAU_PROCESS_EXITED;
	place->row.value =
		(uint32_t)(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	place->row.end_real_ns = real_ns();
	run_process_write(&place->table, place->at, &place->row);
	place->table.row[place->at] = place->row;
	if (place->table.head.size == 1 || is_last(&place->table))
		left = RUN_LEFT_JOB;
	else if (is_last_here(&place->table, &place->row))
		left = RUN_LEFT_HOST;
	else
		run_processes_close(&place->table);
	return left;
}

uint64_t run_names_budget_ns(const struct run_place *place, const struct job *j)
{
	enum { LEAST_NS = 50000000, SHARE = 100 };
	const uint64_t most_ns = 2000000000;
	uint64_t cpu = place->has_row ? run_processes_cpu(&place->table) : 0;
	uint64_t wall = place->row.end_real_ns - place->row.begin_real_ns, share;

	if (!place->has_row && j->size > 1)	/* each process of the job would do it */
		return 0;
	share = (cpu && cpu < wall ? cpu : wall) / SHARE;
	return share < LEAST_NS ? LEAST_NS : share > most_ns ? most_ns : share;
}

void run_close(struct run_place *place, int reported, const struct overhead *o)
{
	if (!place->has_row)
		return;
	if (reported)
		run_processes_closed(&place->table, 1,
				     &(struct run_overhead){.added_ns = (uint64_t)o->added,
							    .alone_ns = (uint64_t)o->alone,
							    .least_ns = (uint64_t)o->least,
							    .most_ns = (uint64_t)o->most,
							    .how = o->how});
	run_processes_close(&place->table);
}
