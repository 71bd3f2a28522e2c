/* ranks.c: the files through which the ranks of a job meet. */
#include "ranks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "blob.h"
#include "part.h"

#define POLL_NS   1000000  /* between two looks, at first */
#define POLL_MOST 10000000 /* later, and a tenth of that more for each rank */
#define PATIENCE  60       /* seconds without a beat */
#define LINGER    5        /* seconds in which others that are there may see that rank 0 has failed */
#define GRACE     3        /* seconds in which files may be those of another job */
#define HOST      64

/* What every file begins with. */
struct head {
	char magic[8];
	uint64_t job; /* number of the job: rank 0's */
	uint64_t beat;
	int64_t code; /* of a job: RUNNING, or how it ended, 0 or an error; of a part: 0 or an error
		       */
	uint64_t pid;
	char host[HOST];
};

#define MAGIC "tauranks"
enum { RUNNING = 1 };

struct ranks {
	unsigned rank, size;
	char *directory;
	struct head own;
	struct part_read mark; /* what was read of the trace then */
	pthread_t heart;
	pthread_mutex_t lock; /* of own */
	int stopped, beating;
	sigset_t signals, before; /* that the heart waits for; those blocked before */
	int told;                 /* the part, or why there is none, is in its file */
	char *met;                /* rank 0: was another seen, or given up? */
};

/* What is known of another rank's life. */
struct life {
	uint64_t beat;
	int64_t begin; /* of the wait for it, ns */
	int64_t seen;  /* when it last changed, ns */
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

/* ---- files ---- */

static char *file_path(const struct ranks *r, const char *what, unsigned rank)
{
	return mem_printf("%s/%s.%u", r->directory, what, rank);
}

/* Head and bytes, under a name of its own first. 0, or -1 with errno. */
static int file_write(const struct ranks *r, const char *what, const struct head *h, const void *v,
		      size_t n)
{
	char *path = file_path(r, what, r->rank), *fresh = mem_printf("%s.new", path);
	FILE *f = fopen(fresh, "we");
	int good = f && fwrite(h, sizeof(*h), 1, f) == 1 && (!n || fwrite(v, n, 1, f) == 1);

	if (f && fclose(f))
		good = 0;
	if (good && rename(fresh, path))
		good = 0;
	if (!good)
		unlink(fresh);
	free(fresh);
	free(path);
	return good ? 0 : -1;
}

static int head_read(const struct ranks *r, const char *what, unsigned rank, struct head *out)
{
	char *path = file_path(r, what, rank);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int good = fd >= 0 && read(fd, out, sizeof(*out)) == (ssize_t)sizeof(*out) &&
		   !memcmp(out->magic, MAGIC, sizeof(out->magic));

	if (fd >= 0)
		close(fd);
	free(path);
	return good;
}

static void file_remove(const struct ranks *r, const char *what, unsigned rank)
{
	char *path = file_path(r, what, rank), *fresh = mem_printf("%s.new", path);

	unlink(path);
	unlink(fresh);
	free(path);
	free(fresh);
}

/* ---- life ---- */

static void last_out(const struct ranks *r);

static void beat(struct ranks *r)
{
	pthread_mutex_lock(&r->lock);
	r->own.beat++;
	file_write(r, "beat", &r->own, NULL, 0);
	pthread_mutex_unlock(&r->lock);
}

/* Beats until it is stopped. Signals that end the program find their way here, so that no files are
 * left behind. */
static void *heart_main(void *arg)
{
	const struct timespec second = {1, 0};
	struct ranks *r = arg;
	int signal = -1;

	while (!__atomic_load_n(&r->stopped, __ATOMIC_ACQUIRE)) {
		beat(r);
		signal = sigtimedwait(&r->signals, NULL, &second);
		if (signal < 0 || signal == SIGUSR2)
			continue;
		last_out(r);
		pthread_sigmask(SIG_SETMASK, &r->before, NULL);
		raise(signal);
	}
	return NULL;
}

static void heart_start(struct ranks *r)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR2};

	sigemptyset(&r->signals);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaddset(&r->signals, ends[i]);
	pthread_sigmask(SIG_BLOCK, &r->signals, &r->before);
	beat(r);	/* nobody takes an answer for that of one who has gone */
	r->beating = !pthread_create(&r->heart, NULL, heart_main, r);
}

static void heart_stop(struct ranks *r)
{
	if (r->beating) {
		__atomic_store_n(&r->stopped, 1, __ATOMIC_RELEASE);
		pthread_kill(r->heart, SIGUSR2);
		pthread_join(r->heart, NULL);
	}
	r->beating = 0;
	pthread_sigmask(SIG_SETMASK, &r->before, NULL);
}

/*
 * Does it live, as far as can be told? Where it runs on this machine, at once; but not right at the
 * beginning, when its file may be that of a job which died here before.
 */
static int lives(const struct ranks *r, unsigned rank, struct life *l)
{
	struct head h;
	int beats = head_read(r, "beat", rank, &h);

	if (beats && h.beat != l->beat) {
		l->beat = h.beat;
		l->seen = now();
	}
	if (beats && now() - l->begin > GRACE * (int64_t)1000000000 &&
	    !strncmp(h.host, r->own.host, HOST) && kill((pid_t)h.pid, 0) && errno == ESRCH)
		return 0;
	return now() - l->seen < PATIENCE * (int64_t)1000000000;
}

static int gone(const struct ranks *r, unsigned rank, const struct life *l, struct error *e)
{
	if (l->beat)
		return error_set(e, ERROR_SYSTEM, "rank %u of %u ended before its part was done",
				 rank, r->size);
	return error_set(
		e, ERROR_SYSTEM,
		"rank %u of %u was not seen for %d seconds: %s must be a directory that all "
		"ranks share",
		rank, r->size, PATIENCE, r->directory);
}

/* The longer the more ranks there are, since all of them look. */
static void nap(const struct ranks *r, int64_t *ns)
{
	int64_t most = POLL_MOST + (int64_t)r->size * (POLL_MOST / 10);
	struct timespec t = {*ns / 1000000000, *ns % 1000000000};

	nanosleep(&t, NULL);
	*ns = *ns * 3 / 2 < most ? *ns * 3 / 2 : most;
}

/* ---- the job ---- */

static uint64_t hash(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return (h ^ '\n') * 0x100000001b3u;
}

static uint64_t fresh_number(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return hash((uint64_t)t.tv_nsec ^ (uint64_t)t.tv_sec << 30 ^ (uint64_t)getpid() << 48, "") |
	       1;
}

int ranks_begin(unsigned rank, unsigned size, const char *job, const char *beside, const char *what,
		struct ranks **out, struct error *e)
{
	struct ranks *r = mem_alloc(sizeof(*r));
	const char *slash = strrchr(beside, '/');
	char number[24];

	snprintf(number, sizeof(number), "%u", size);
	r->rank = rank;
	r->size = size;
	r->directory = mem_printf(
		"%.*s.tau-ranks.%016llx", slash ? (int)(slash - beside) + 1 : 0, beside,
		(unsigned long long)hash(hash(hash(0xcbf29ce484222325u, job), what), number));
	memcpy(r->own.magic, MAGIC, sizeof(r->own.magic));
	gethostname(r->own.host, HOST - 1);
	r->own.pid = (uint64_t)getpid();
	if (mkdir(r->directory, 0777) && errno != EEXIST) {
		error_set(e, ERROR_SYSTEM, "%s: %s", r->directory, strerror(errno));
		free(r->directory);
		free(r);
		return e->code;
	}
	r->met = mem_alloc(size);
	r->own.job = rank ? 0 : fresh_number();
	r->own.code = RUNNING;
	if (!rank)
		file_write(r, "job", &r->own, NULL, 0);
	pthread_mutex_init(&r->lock, NULL);
	heart_start(r);
	*out = r;
	return 0;
}

unsigned ranks_rank(const struct ranks *r)
{
	return r->rank;
}

unsigned ranks_size(const struct ranks *r)
{
	return r->size;
}

void ranks_mark(struct ranks *r, const struct trace *t)
{
	r->mark = (struct part_read){t->events, t->bytes_read, t->index_read};
}

/* ---- rank 0 ---- */

/* Waits for the answer of a rank to this job. */
static int part_wait(struct ranks *r, unsigned rank, int64_t begin, struct error *e)
{
	struct life l = {0, begin, begin};
	int64_t pause = POLL_NS;
	struct head h;

	while (!head_read(r, "part", rank, &h) || h.job != r->own.job) {
		if (!lives(r, rank, &l) &&
		    (!head_read(r, "part", rank, &h) || h.job != r->own.job)) {
			file_remove(r, "beat", rank);
			file_remove(r, "part", rank);
			return gone(r, rank, &l, e);
		}
		nap(r, &pause);
	}
	return 0;
}

static int part_take(struct ranks *r, unsigned rank, struct trace *t, struct replay_part *into,
		     struct error *e)
{
	char *path = file_path(r, "part", rank);
	struct replay_part part;
	struct head h;
	struct blob b = {0};
	int code = blob_read(path, &b, e);

	if (!code && b.n < sizeof(h))
		code = error_set(e, ERROR_SYSTEM, "%s: it is cut short", path);
	if (!code) {
		memcpy(&h, b.p, sizeof(h));
		if (h.code)
			code = error_set(e, (int)h.code, "rank %u: %.*s", rank,
					 (int)(b.n - sizeof(h)), (const char *)b.p + sizeof(h));
		else if (part_get(b.p + sizeof(h), b.n - sizeof(h), &part, t))
			code = error_set(e, ERROR_SYSTEM, "%s: it is damaged", path);
		else if (part.n != into->n)
			code = error_set(e, ERROR_INPUT,
					 "rank %u found %zu windows, and rank 0 found %zu: has the "
					 "trace changed?",
					 rank, part.n, into->n);
		else
			replay_join(into, &part);
	}
	if (b.p)
		blob_release(&b);
	free(path);
	return code;
}

static int parts_collect(struct ranks *r, struct trace *t, struct replay_part *into,
			 struct error *e)
{
	int64_t begin = now();
	int code = 0;

	for (unsigned rank = 1; rank < r->size && !code; rank++) {
		code = part_wait(r, rank, begin, e);
		r->met[rank] = 1;
		if (!code && t)
			code = part_take(r, rank, t, into, e);
	}
	return code;
}

/* ---- the others ---- */

/* Answers a job with a part, or with why there is none. */
static int answer(struct ranks *r, uint64_t job, int code, const void *v, size_t n, struct error *e)
{
	struct head h;

	pthread_mutex_lock(&r->lock);
	h = r->own;
	pthread_mutex_unlock(&r->lock);
	h.job = job;
	h.code = code;
	if (file_write(r, "part", &h, v, n))
		return error_set(e, ERROR_SYSTEM, "%s: %s", r->directory, strerror(errno));
	return 0;
}

/*
 * Answers until rank 0 has come to its end, again where another job begins: the first that was seen
 * may be one that died here long ago. Returns how rank 0 ended: 0 or an error, also where it just
 * went.
 */
static int answer_until_end(struct ranks *r, int code, const void *v, size_t n, struct error *e)
{
	struct life l = {0, now(), now()};
	int64_t pause = POLL_NS;
	uint64_t answered = 0, running = 0;
	struct head h;

	r->told = 1;
	for (;;) {
		int there = head_read(r, "job", 0, &h);

		if (there && h.code == RUNNING)
			running = h.job;
		if (there && h.job != answered) {
			if (answer(r, h.job, code, v, n, e))
				return e->code;
			answered = h.job;
		}
		if (there && h.code != RUNNING && (h.job == running || code))
			return (int)h.code;
		if (answered && access(r->directory, F_OK))
			return 0;
		if (!lives(r, 0, &l))
			return gone(r, 0, &l, e);
		nap(r, &pause);
	}
}

int ranks_share(struct ranks *r, struct trace *t, struct replay_part *part, struct error *e)
{
	struct part_bytes b = {0};
	int code;

	if (!r->rank)
		return parts_collect(r, t, part, e);
	if (t) {
		const struct part_read read = {t->events - r->mark.events,
					       t->bytes_read - r->mark.bytes,
					       t->index_read - r->mark.index_bytes};

		part_put(&b, part, t, &read);
		replay_part_release(part);
	}
	code = answer_until_end(r, 0, b.v, b.v_n, e);
	free(b.v);
	/* Rank 0 says why. */
	if (code && !e->code)
		e->code = code;
	return code;
}

/* ---- the end ---- */

/*
 * The answer of a rank stays while rank 0 is there, which may not have seen the rank otherwise, and
 * goes when both have gone: rank 0 looks at beats when its own is away, and so do the others.
 */
static void answers_remove(const struct ranks *r)
{
	struct head h;

	if (r->rank && !head_read(r, "beat", 0, &h))
		file_remove(r, "part", r->rank);
	for (unsigned rank = 1; !r->rank && rank < r->size; rank++)
		if (!head_read(r, "beat", rank, &h))
			file_remove(r, "part", rank);
}

/* Removes the files of this rank; who is the last removes the rest. */
static void last_out(const struct ranks *r)
{
	DIR *d;
	struct dirent *x;
	int others = 0;

	file_remove(r, "beat", r->rank);
	answers_remove(r);
	d = opendir(r->directory);
	while (d && (x = readdir(d)))
		others += *x->d_name != '.' && strcmp(x->d_name, "job.0") != 0;
	if (d)
		closedir(d);
	if (others)
		return;
	file_remove(r, "job", 0);
	rmdir(r->directory);
}

/*
 * Whoever ends with an error may be taken for the end of all by the launcher: others see it first.
 * One that has not come yet would find nobody and wait in vain.
 */
static void linger(const struct ranks *r)
{
	int64_t begin = now(), pause = POLL_NS, passed;
	unsigned left, missing;

	do {
		struct head h;

		left = missing = 0;
		for (unsigned rank = 1; rank < r->size; rank++) {
			int there = head_read(r, "beat", rank, &h);

			left += there;
			there |= head_read(r, "part", rank, &h) && h.job == r->own.job;
			r->met[rank] |= there;
			missing += !r->met[rank];
		}
		passed = (now() - begin) / 1000000000;
		if (left || missing)
			nap(r, &pause);
	} while ((left && passed < LINGER) || (missing && passed < PATIENCE));
}

int ranks_end(struct ranks *r, const struct error *e)
{
	struct error none = {0};
	int code = e->code;

	if (!r->rank) {
		pthread_mutex_lock(&r->lock);
		r->own.code = code;
		file_write(r, "job", &r->own, NULL, 0);
		pthread_mutex_unlock(&r->lock);
	} else if (code && !r->told) {
		answer_until_end(r, code, e->text, strlen(e->text), &none);
		code = none.code ? code : 0;
	} else if (code && !*e->text) {
		code = 0;
	}
	if (!r->rank && code)
		linger(r);
	heart_stop(r);
	last_out(r);
	pthread_mutex_destroy(&r->lock);
	free(r->directory);
	free(r->met);
	free(r);
	return code;
}
