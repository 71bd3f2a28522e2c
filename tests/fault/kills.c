/*
 * kills.c: starts a program under tau-record, kills it at a random moment, and compares its trace with what it had put into shared
 * memory, a thousand times and more. Started by kills.sh:
 *
 *   kills FOLDER ROUNDS SEED [MPI-ROUNDS]      FOLDER holds tau-record and apps/; works in the current directory
 *
 * Two rounds are on their way at any time. What round r does follows from SEED and r alone.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "convert/native/live/native_file.h"
#include "convert/native/events/native_walk.h"
#include "record/format.h"
#include "fixtures/apps/killed.h"
#include "shown.h"
#include "tap.h"

enum { WORKERS = 2, DEADLINE_S = 300, RANKS = 4 };

#define TICKS (1u << DEED_TICK)
#define VALUES (1u << DEED_VALUE)

static const struct mode modes[] = {
	{ "one thread", "tick", "0", { NULL }, TICKS, 0, 0, 0 },
	{ "threads", "tick", "3", { "--wrap", "pthread" }, TICKS, 0, 0, 0 },
	{ "values", "value", "2", { NULL }, VALUES, 0, 0, 0 },
	{ "jumps", "deep", "1", { NULL }, TICKS, 0, 0, 0 },
	{ "threads that come and go", "thread", "0", { "--wrap", "pthread" }, TICKS | VALUES, 0, 0, 0 },
	{ "children that come and go", "fork", "0", { "--wrap", "process" }, TICKS | VALUES, 1, 0, 0 },
	{ "programs that become others", "exec", "0", { NULL }, TICKS | VALUES, 1, 0, 0 },
	{ "sampling", "all", "2", { "--sample=1ms", "--unwind", "--wrap", "none" }, TICKS | VALUES, 0, 0, 0 },
	{ "memory", "all", "1", { "--wrap", "memory" }, TICKS | VALUES | 1u << DEED_ALLOC, 0, 0, 0 },
	{ "files", "all", "1", { "--wrap", "io" }, TICKS | VALUES | 1u << DEED_WRITE, 0, 0, 0 },
	{ "metrics", "all", "1", { "--metrics", "CPU_TIME:PAGE_FAULTS" }, TICKS | VALUES, 0, 0, 0 },
	{ "all at once", "all", "3", { "--sample=1ms", "--wrap", "pthread,io,process,memory" },
	  TICKS | VALUES | 1u << DEED_ALLOC | 1u << DEED_WRITE, 0, 0, 0 },
	{ "live files elsewhere", "all", "1", { "--live-dir", "." }, TICKS | VALUES, 0, 0, 0 },
	{ "short calls folded", "all", "1", { "--fold", "5" }, TICKS | VALUES, 0, 0, 1 },
	{ "all calls folded", "tick", "3", { "--fold", "10ms", "--wrap", "pthread" }, TICKS, 0, 0, 1 },
	{ "folded, live files elsewhere", "all", "1", { "--fold", "10ms", "--live-dir", "." }, TICKS | VALUES, 0, 0, 1 },
	{ "the last seconds only", "all", "1", { "--flight", "60K" }, VALUES, 0, 1, 0 },
};
enum { MODES = sizeof(modes) / sizeof(*modes) };

/* Shared by the workers. */
struct totals {
	unsigned rounds, opened, early, exact, wrong;
	uint64_t events;
};

static const char *folder;
static uint64_t seed;
static struct totals *totals;
static char here[PATH_MAX];

static void add(unsigned *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* ---- chance ---- */

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t *state, uint64_t n)
{
	return draw(state) % n;
}

static void sleep_us(uint64_t us)
{
	struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000) * 1000 };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/* ---- a round's folder and processes ---- */

static void empty_folder(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char name[PATH_MAX + 300];

	while (d && (e = readdir(d))) {
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			unlink(name);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

static struct killed *truth_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof(struct killed)) == 0)
		p = mmap(NULL, sizeof(struct killed), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* Starts a command as the leader of a process group, with its output in `log`. */
static pid_t start(const char **words, const char *log)
{
	pid_t pid = fork();
	int fd;

	/* Both do it, so that it is done for either. */
	setpgid(pid, pid);
	if (pid)
		return pid;
	fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	fd = open("/dev/null", O_RDONLY);
	dup2(fd, 0);
	execvp(words[0], (char **)words);
	_exit(127);
}

/* Waits for all that was started; the wait status of `leader`, -1: it hung and was killed. */
static int finish(pid_t leader)
{
	int status, result = 0;
	time_t end = time(NULL) + DEADLINE_S;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) >= 0) {
		if (pid == leader && !result)
			result = status;
		if (pid)
			continue;
		if (time(NULL) > end) {
			kill(-leader, SIGKILL);
			result = -1;
			end += DEADLINE_S;
		}
		sleep_us(300);
	}
	return result;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

/* Has the recorder got as far as a header? */
static bool has_trace(const char *run)
{
	DIR *d = opendir(run);
	struct dirent *e;
	struct stat st;
	bool has = false;

	while (d && (e = readdir(d)))
		has |= strstr(e->d_name, TAU_TRACE_SUFFIX) && !fstatat(dirfd(d), e->d_name, &st, 0) && st.st_size > 0;
	if (d)
		closedir(d);
	return has;
}

/* ---- one round ---- */

/* Waits until the program is at work, or for a few milliseconds from its start. */
static void wait_for(const struct killed *k, uint64_t *state, pid_t leader)
{
	if (below(state, 8) == 0) {
		sleep_us(below(state, 25000));
		return;
	}
	while (!k->begun[DEED_TICK][0] && !k->begun[DEED_VALUE][0] && !has_ended(leader))
		sleep_us(200);
	sleep_us(below(state, below(state, 10) ? 20000 : 150000));
}

/* Kills the program, and in half of the rounds tau-record soon after, which may be sealing the run. True: both. */
static bool strike(const struct mode *m, const struct killed *k, pid_t leader, uint64_t *state)
{
	if (m->family || !k->pid[0]) {
		kill(-leader, SIGKILL);
		return true;
	}
	kill((pid_t)k->pid[0], SIGKILL);
	if (below(state, 2))
		return false;
	sleep_us(below(state, 1 + below(state, 6000)));
	kill(-leader, SIGKILL);
	return true;
}

static void words_make(const struct mode *m, const char *run, const char *file, const char **words)
{
	static char record[PATH_MAX], program[PATH_MAX];
	int n = 0;

	snprintf(record, sizeof(record), "%s/tau-record", folder);
	snprintf(program, sizeof(program), "%s/apps/killed", folder);
	words[n++] = record;
	words[n++] = "-o";
	words[n++] = run;
	for (int i = 0; i < 6 && m->options[i]; i++)
		words[n++] = m->options[i];
	words[n++] = program;
	words[n++] = file;
	words[n++] = m->threads;
	words[n++] = m->work;
	words[n] = NULL;
}

/* ---- live files ---- */

/* Live files that are open for writing, so that no program seals their streams. */
struct held {
	int *v;
	size_t v_n, v_cap;
};

/* Is this a live file in the run itself, with a chunk? */
static bool is_live(int run, const char *name)
{
	char magic[8] = "";
	int fd = strstr(name, TAU_LIVE_SUFFIX) ? openat(run, name, O_RDONLY | O_NOFOLLOW) : -1;
	bool is = fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) && *magic;

	if (fd >= 0)
		close(fd);
	return is;
}

static struct held live_hold(const char *run)
{
	struct held h = { 0 };
	DIR *d = opendir(run);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_live(dirfd(d), e->d_name))
			*array_add(&h, v) = openat(dirfd(d), e->d_name, O_RDWR);
	if (d)
		closedir(d);
	return h;
}

static void live_release(struct held *h)
{
	for (size_t i = 0; i < h->v_n; i++)
		close(h->v[i]);
	free(h->v);
}

static void problem(void *why, const char *sentence)
{
	snprintf(why, 1000, " after sealing: %.900s", sentence);
}

/* No stream with a chunk is open, and all files are sound. */
static void sealed_check(const char *run, char why[1000])
{
	DIR *d = opendir(run);
	struct dirent *entry;
	char path[PATH_MAX + 300];

	while (d && (entry = readdir(d))) {
		struct native_file *f;
		struct error e;

		if (is_live(dirfd(d), entry->d_name))
			snprintf(why, 1000, " %s was not sealed", entry->d_name);
		if (!strstr(entry->d_name, TAU_TRACE_SUFFIX))
			continue;
		snprintf(path, sizeof(path), "%s/%s", run, entry->d_name);
		if (native_file_open(path, &f, &e))
			continue;
		native_check(f, problem, why);
		native_file_close(f);
	}
	if (d)
		closedir(d);
}

static void complain(unsigned round, const char *mode, const char *why, const char *run)
{
	const char *keep = getenv("TAU_TEST_KEEP");
	char path[PATH_MAX];

	add(&totals->wrong);
	printf("# round %u, %s: %s\n", round, mode, why);
	fflush(stdout);
	snprintf(path, sizeof(path), "%s/round-%u", keep ? keep : "", round);
	if (keep && rename(run, path) < 0)
		printf("# it cannot be moved to %s\n", path);
}

/* Compares what the run shows. True: it opens. */
static bool judge_once(const struct mode *m, const struct killed *k, const char *run, char why[1000])
{
	struct shown s = { 0 };
	struct error e = { 0 };

	if (show_run(run, 0, &s, &totals->events, &e)) {
		compare(m, k, &s, why);
		return true;
	}
	if (has_trace(run) || k->begun[DEED_TICK][0])
		snprintf(why, 1000, " %.900s", e.text);
	return false;
}

/* The run is read twice: as it was left, and after readers have sealed it. */
static void judge(unsigned round, const struct mode *m, const struct killed *k, const char *run, int status, bool both)
{
	struct held held = live_hold(run);
	char why[1000] = "";

	if (status < 0)
		snprintf(why, sizeof(why), " it hung");
	else if (!both && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		snprintf(why, sizeof(why), " tau-record ended with wait status %d", status);
	else if (!both && held.v_n)
		snprintf(why, sizeof(why), " tau-record left %zu live files", held.v_n);
	if (judge_once(m, k, run, why))
		add(&totals->opened);
	else
		add(&totals->early);
	live_release(&held);
	if (!*why && judge_once(m, k, run, why))
		sealed_check(run, why);
	add(&totals->rounds);
	if (*why)
		complain(round, m->name, why, run);
	else
		add(&totals->exact);
}

static void round_of(unsigned round, int worker)
{
	uint64_t state = seed + round * 0x632be59bd9b4e019u;
	const struct mode *m = &modes[round % MODES];
	char run[PATH_MAX + 40], file[PATH_MAX + 40], log[PATH_MAX + 40];
	const char *words[16];
	struct killed *k;
	pid_t leader;
	bool both;

	snprintf(run, sizeof(run), "%s/run-%d", here, worker);
	snprintf(file, sizeof(file), "%s/counts-%d", here, worker);
	snprintf(log, sizeof(log), "%s/log-%d", here, worker);
	empty_folder(run);
	k = truth_map(file);
	words_make(m, run, file, words);
	leader = start(words, log);
	wait_for(k, &state, leader);
	both = strike(m, k, leader, &state);
	judge(round, m, k, run, finish(leader), both);
	munmap(k, sizeof(*k));
}

/* ---- ranks of a parallel program ---- */

static void rank_judge(unsigned round, const struct killed *k, const char *run)
{
	static const struct mode m = { .name = "MPI", .shows = TICKS | VALUES | 1u << DEED_SEND };

	for (int rank = 0; rank < RANKS; rank++) {
		struct shown s = { 0 };
		struct error e = { 0 };
		char why[1000] = "";

		add(&totals->rounds);
		if (k[rank].pid[0] && show_run(run, (uint32_t)k[rank].pid[0], &s, &totals->events, &e)) {
			add(&totals->opened);
			compare(&m, &k[rank], &s, why);
		} else {
			snprintf(why, sizeof(why), " rank %d: %.900s", rank, k[rank].pid[0] ? e.text : "never began");
		}
		if (*why)
			complain(round, m.name, why, run);
		else
			add(&totals->exact);
	}
}

static struct killed *ranks_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, RANKS * sizeof(struct killed)) == 0)
		p = mmap(NULL, RANKS * sizeof(struct killed), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* All ranks are at work, or the launcher has ended. */
static bool ranks_at_work(const struct killed *k, pid_t leader)
{
	for (int rank = 0; rank < RANKS; rank++)
		while (!k[rank].begun[DEED_SEND][0]) {
			if (has_ended(leader))
				return false;
			sleep_us(1000);
		}
	return true;
}

/* One rank is killed, and the others in any order soon after, where the launcher has not done it yet. */
static void mpi_round(unsigned round)
{
	uint64_t state = seed ^ 0xa0761d6478bd642full * (round + 1);
	char run[PATH_MAX + 40], file[PATH_MAX + 40], log[PATH_MAX + 40], record[PATH_MAX], program[PATH_MAX];
	const char *words[] = { "mpirun", "-np", "4", record, "-o", run, program, file, NULL };
	struct killed *k;
	pid_t leader;

	snprintf(run, sizeof(run), "%s/run-mpi", here);
	snprintf(file, sizeof(file), "%s/counts-mpi", here);
	snprintf(log, sizeof(log), "%s/log-mpi", here);
	snprintf(record, sizeof(record), "%s/tau-record", folder);
	snprintf(program, sizeof(program), "%s/apps/killedrank", folder);
	empty_folder(run);
	k = ranks_map(file);
	leader = start(words, log);
	if (ranks_at_work(k, leader))
		sleep_us(below(&state, 60000));
	for (int n = 0, rank = (int)below(&state, RANKS); n < RANKS; n++, rank = (rank + 1) % RANKS) {
		if (k[rank].pid[0])
			kill((pid_t)k[rank].pid[0], SIGKILL);
		sleep_us(below(&state, 3000));
	}
	if (finish(leader) < 0)
		complain(round, "MPI", " it hung", run);
	rank_judge(round, k, run);
	munmap(k, RANKS * sizeof(*k));
}

/* ---- all of them ---- */

static void workers_run(unsigned rounds)
{
	for (int w = 0; w < WORKERS; w++)
		if (fork() == 0) {
			prctl(PR_SET_CHILD_SUBREAPER, 1);
			for (unsigned r = (unsigned)w; r < rounds && totals->wrong < 10; r += WORKERS)
				round_of(r, w);
			exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static void report(const char *what, unsigned rounds)
{
	ok(totals->opened + totals->early == rounds, "%s: every trace opens, %u; %u had not begun", what, totals->opened,
	   totals->early);
	ok(totals->exact == rounds && !totals->wrong, "%s: %u of %u hold every event before the last record, %llu events", what,
	   totals->exact, rounds, (unsigned long long)totals->events);
	memset(totals, 0, sizeof(*totals));
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 0, mpi = argc > 4 ? (unsigned)atoi(argv[4]) : 0;

	if (argc < 4 || !getcwd(here, sizeof(here)))
		return 2;
	folder = argv[1];
	seed = strtoull(argv[3], NULL, 10);
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	printf("# seed %llu, %u kills\n", (unsigned long long)seed, rounds);
	fflush(stdout);
	workers_run(rounds);
	report("programs", rounds);
	if (mpi) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		for (unsigned r = 0; r < mpi && totals->wrong < 10; r++)
			mpi_round(r);
		report("ranks", mpi * RANKS);
	}
	return tap_end();
}
