/* clock.c: compares the clocks of the job's hosts with that of rank 0's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "clock.h"
#include "abi.h"
#include "pool.h"
#include "wrap.h"
#include "metadata.h"

enum { ROUNDS = 16, TAG = 7 };


/* For tests: a host that is none, and a clock that is wrong. */
static const char *pretended_host(void)
{
	return getenv("TAU_CLOCK_HOST");
}

static int64_t now_ns(void)
{
	static int64_t skew = -1;
	struct timespec t;

	if (skew < 0) {
		const char *s = getenv("TAU_CLOCK_SKEW");

		skew = s ? strtol(s, NULL, 10) : 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec + skew;
}

/* The same number on the same host (FNV-1a). */
static uint64_t host_number(void)
{
	uint64_t h = 0xcbf29ce484222325;
	const char *name = pretended_host();
	struct utsname u;

	if (!name)
		name = uname(&u) ? "" : u.nodename;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h;
}

/* Does the launcher report that all ranks are on one host? Of Open MPI, or of MPICH, Intel MPI and MVAPICH. */
static int is_one_host(void)
{
	static const char *const pairs[][2] = {
		{"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"},
		{"MPI_LOCALNRANKS", "PMI_SIZE"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const char *here = getenv(pairs[i][0]), *all = getenv(pairs[i][1]);

		if (here && all)
			return !strcmp(here, all);
	}
	return 0;
}

/* On one host there is nothing to compare. */
static int is_wanted(void)
{
	const char *s = getenv("TAU_SYNCHRONIZE_CLOCKS");

	return s && !strcmp(s, "1") && abi_ready() && (pretended_host() || !is_one_host());
}

static void clock_reply(int rank, MPI_Comm comm)
{
	for (int i = 0; i < ROUNDS; i++) {
		int64_t t;

		real_MPI_Recv(&t, sizeof(t), MPI_BYTE, rank, TAG, comm, MPI_STATUS_IGNORE);
		t = now_ns();
		real_MPI_Send(&t, sizeof(t), MPI_BYTE, rank, TAG, comm);
	}
}

struct clock_names {
	const char *compared, *offset, *doubt;
};

/* What was found, where this rank had to ask. */
struct clock_answer {
	int64_t at, offset, doubt;
	int known;
};

static void clock_request(MPI_Comm comm, struct clock_answer *out)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t before = now_ns(), there = before, after;

		real_MPI_Send(&there, sizeof(there), MPI_BYTE, 0, TAG, comm);
		real_MPI_Recv(&there, sizeof(there), MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
		after = now_ns();
		if (after - before >= best)
			continue;
		best = after - before;
		out->at = before + best / 2;
		out->offset = there - out->at;
		out->doubt = best / 2;
		out->known = 1;
	}
}

static void number_write(const char *name, int64_t number)
{
	char value[24];

	snprintf(value, sizeof(value), "%lld", (long long)number);
	tau_meta(name, value);
}

static void offset_write(const struct clock_names *n, const struct clock_answer *a)
{
	if (pretended_host())
		tau_meta(TAU_META_HOSTNAME, pretended_host());
	if (!a->known)
		return;
	number_write(n->compared, a->at);
	number_write(n->offset, a->offset);
	number_write(n->doubt, a->doubt);
}

/* Is this the first rank of its host, and the host another than rank 0's? */
static int is_first(const uint64_t *host, int rank)
{
	for (int i = 0; i < rank; i++)
		if (host[i] == host[rank])
			return 0;
	return rank > 0;
}

static void compare(MPI_Comm comm, int rank, int size, uint64_t *host, struct clock_answer *out)
{
	uint64_t own = host_number();

	if (real_MPI_Allgather(&own, sizeof(own), MPI_BYTE, host, sizeof(own), MPI_BYTE, comm))
		return;
	if (rank) {
		if (is_first(host, rank))
			clock_request(comm, out);
		return;
	}
	for (int i = 1; i < size; i++)
		if (is_first(host, i))
			clock_reply(i, comm);
}

static void exchange(const struct clock_names *names)
{
	int saved = errno, rank, size;
	MPI_Comm comm = MPI_COMM_NULL;
	struct clock_answer found = {.known = 0};
	uint64_t *host;

	if (!is_wanted())
		return;
	tau_hide();
	if (!real_MPI_Comm_dup(MPI_COMM_WORLD, &comm) && !real_MPI_Comm_rank(comm, &rank) &&
	    !real_MPI_Comm_size(comm, &size)) {
		host = pool_get((size_t)size * sizeof(*host));
		if (host)
			compare(comm, rank, size, host, &found);
		pool_put(host, (size_t)size * sizeof(*host));
		real_MPI_Comm_free(&comm);
	}
	tau_show();
	offset_write(names, &found);
	errno = saved;
}

void clock_after_init(void)
{
	static const struct clock_names names = {TAU_META_CLOCK_COMPARED_START_NS,
						 TAU_META_CLOCK_OFFSET_START_NS,
						 TAU_META_CLOCK_DOUBT_START_NS};

	exchange(&names);
}

void clock_before_finalize(void)
{
	static const struct clock_names names = {TAU_META_CLOCK_COMPARED_END_NS,
						 TAU_META_CLOCK_OFFSET_END_NS,
						 TAU_META_CLOCK_DOUBT_END_NS};

	exchange(&names);
}
