/*
 * db_fault.c: a database after a kill, after a failing write, with two writers, cut short and with flipped bytes: it
 * holds whole trials, or an error reports what is wrong.
 */
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "db/db.h"
#include "profiles.h"
#include "tap.h"

static char scratch[] = "/tmp/tau-test.XXXXXX";
static char file[64];

enum { KILLS = 12 };

/* Large enough that storing it takes some dozen milliseconds and many writes. */
static struct profile *large(void)
{
	struct profile *p = profile_new();

	p->name = mem_string("large");
	profile_add_metric(p, "TIME");
	for (uint32_t i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "function %u", i);
		profile_add_path(p, profile_add_timer(p, name, "TAU_USER", NULL, 0), PROFILE_FLAT);
	}
	for (uint32_t t = 0; t < 100; t++) {
		profile_add_thread(p, (int32_t)t, 0, 0);
		for (uint32_t i = 0; i < 100; i++)
			profile_add_row(p, t, i)->calls = i + t;
	}
	profile_sort(p);
	return p;
}

static int store(const struct profile *p, struct error *e)
{
	struct db *db = NULL;
	int64_t trial;
	int code = db_open(file, DB_CREATE, &db, e);

	if (code == 0)
		code = db_store(db, &p, 1, &trial, e);
	db_close(db);
	return code;
}

/*
 * How many trials a reader finds, each of which must be whole; -1 when one is not, or when the database cannot be read. A
 * database of which nothing was committed is empty.
 */
static int whole_trials(const struct profile *p)
{
	struct error e = { 0 };
	struct db_trial *t;
	struct db *db;
	size_t n = 0;
	int good = 1;

	if (access(file, F_OK) < 0)
		return 0;
	/* For writing: what was left half-done is undone. */
	if (db_open(file, DB_WRITE, &db, &e) < 0) {
		good = strstr(e.text, "an empty file") != NULL;
	} else {
		good = db_list(db, 0, &t, &n, &e) == 0;
		for (size_t i = 0; good && i < n; i++) {
			struct profile *q = NULL;

			good = db_load(db, t[i].id, 0, &q, &e) == 0 && profiles_same(p, q);
			profile_free(q);
		}
		if (n)
			db_trials_free(t, n);
		db_close(db);
	}
	if (!good)
		printf("# %s\n", e.text);
	return good ? (int)n : -1;
}

static void nap(long microseconds)
{
	nanosleep(&(struct timespec){ microseconds / 1000000, microseconds % 1000000 * 1000 }, NULL);
}

/* Kills a program that stores, at times spread over what storing takes. */
static void check_kill(const struct profile *p)
{
	struct error e = { 0 };
	struct timespec a, b;
	int before, cut = 0, good = 1;
	long took;

	unlink(file);
	store(p, &e);
	clock_gettime(CLOCK_MONOTONIC, &a);
	store(p, &e);
	clock_gettime(CLOCK_MONOTONIC, &b);
	took = (b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000;
	before = whole_trials(p);
	ok(before == 2, "two trials to begin with (stored in %ld us)", took);
	for (int i = 0; i < KILLS && good; i++) {
		int now, status;
		pid_t child = fork();

		if (child == 0)
			_exit(store(p, &e) < 0);
		nap(took * i * 5 / (KILLS * 4));
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		now = whole_trials(p);
		good = now == before || now == before + 1;
		cut += now == before;
		unlink(file);
		good = good && store(p, &e) == 0;
		before = 1;
	}
	ok(good, "after a kill there is the whole trial or nothing of it");
	ok(cut > 0, "%d of %d were killed in the middle", cut, KILLS);
}

/* A program dies when half of its changes are in the file already: a reader undoes them. */
static void check_rollback(const struct profile *p)
{
	struct error e = { 0 };
	struct stat journal;
	char name[80];
	pid_t child;

	unlink(file);
	store(p, &e);
	child = fork();
	if (child == 0) {
		sqlite3 *h;

		sqlite3_open(file, &h);
		sqlite3_exec(h, "PRAGMA cache_size = 5; BEGIN; DELETE FROM timer_value; UPDATE timer_call_data SET calls = 7", NULL,
			     NULL, NULL);
		raise(SIGKILL);
	}
	waitpid(child, NULL, 0);
	snprintf(name, sizeof(name), "%s-journal", file);
	ok(stat(name, &journal) == 0 && journal.st_size > 0, "a program died with changes in the file");
	ok(whole_trials(p) == 1 && stat(name, &journal) < 0, "a reader undoes them");
}

/* Lets the file system refuse growth beyond more and more bytes, until storing works. */
static void check_full(const struct profile *p)
{
	struct rlimit all, limit;
	struct error e = { 0 };
	int refused = 0, good = 1, code = -1;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &all);
	for (rlim_t size = 0; code < 0 && good && size < 64 << 20; size += 150000) {
		limit = all;
		limit.rlim_cur = size;
		unlink(file);
		setrlimit(RLIMIT_FSIZE, &limit);
		code = store(p, &e);
		setrlimit(RLIMIT_FSIZE, &all);
		if (code < 0) {
			good = code == ERROR_SYSTEM && whole_trials(p) == 0;
			refused++;
			if (!good)
				printf("# limit %ju: %d %s\n", (uintmax_t)size, code, e.text);
		}
	}
	ok(good && code == 0 && refused > 3, "where writing fails (%d times) nothing is left behind", refused);
	limit = all;
	limit.rlim_cur = 1300000;
	setrlimit(RLIMIT_FSIZE, &limit);
	code = store(p, &e);
	setrlimit(RLIMIT_FSIZE, &all);
	ok(code == ERROR_SYSTEM && whole_trials(p) == 1, "and what was there stays: %s", e.text);
}

static void check_two_writers(const struct profile *p)
{
	pid_t child[4];
	int good = 1;

	unlink(file);
	for (int i = 0; i < 4; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			struct error e = { 0 };
			int code = store(p, &e);

			if (code < 0)
				printf("# %s\n", e.text);
			fflush(stdout);
			_exit(code < 0);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status = 1;

		waitpid(child[i], &status, 0);
		good &= status == 0;
	}
	ok(good && whole_trials(p) == 4, "four programs that store into a new database at once all succeed");
}

static void copy_prefix(const char *from, const char *to, size_t size, size_t flip)
{
	char *text = mem_alloc(size + 1);
	FILE *f = fopen(from, "rb");
	size_t n = fread(text, 1, size, f);

	fclose(f);
	if (flip < n)
		text[flip] ^= 0x55;
	f = fopen(to, "wb");
	fwrite(text, 1, n, f);
	fclose(f);
	free(text);
}

/* Opens and loads all; a trial that loads must be the right one unless bytes were flipped. */
static int survives(const char *name, const struct profile *expected)
{
	struct error e = { 0 };
	struct db_trial *t;
	struct db *db;
	size_t n;
	int good = 1;

	if (db_open(name, DB_READ, &db, &e) < 0)
		return strstr(e.text, name) != NULL;
	if (db_list(db, 0, &t, &n, &e) == 0) {
		for (size_t i = 0; i < n; i++) {
			struct profile *q = NULL;

			if (db_load(db, t[i].id, 0, &q, &e) == 0)
				good &= !expected || profiles_same(expected, q);
			else
				good &= strstr(e.text, name) != NULL;
			profile_free(q);
		}
		db_trials_free(t, n);
	}
	db_close(db);
	return good;
}

static void check_damage(void)
{
	uint64_t seed = 5;
	struct profile *p = profiles_make(&seed, 5);
	struct error e = { 0 };
	struct stat s;
	char harmed[80];
	int good = 1;

	unlink(file);
	snprintf(harmed, sizeof(harmed), "%s/harmed.db", scratch);
	store(p, &e);
	stat(file, &s);
	for (size_t size = 0; size < (size_t)s.st_size && good; size += size < 4096 ? 97 : 1024) {
		copy_prefix(file, harmed, size, SIZE_MAX);
		good = survives(harmed, p);
		if (!good)
			printf("# cut at %zu\n", size);
	}
	ok(good, "a database cut short is an error, never another number (%jd bytes)", (intmax_t)s.st_size);
	for (size_t i = 0; i < (size_t)s.st_size && good; i += i < 100 ? 1 : 211) {
		copy_prefix(file, harmed, (size_t)s.st_size, i);
		good = survives(harmed, NULL);
		if (!good)
			printf("# flipped at %zu\n", i);
	}
	ok(good, "flipped bytes do no harm");
	profile_free(p);
}

int main(void)
{
	struct profile *p = large();
	char command[100];

	if (!mkdtemp(scratch))
		return 1;
	snprintf(file, sizeof(file), "%s/f.db", scratch);
	check_kill(p);
	check_rollback(p);
	check_full(p);
	check_two_writers(p);
	check_damage();
	profile_free(p);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return tap_end() | (system(command) != 0);
}
