/* ranks.c: loads MPI and adds up the parts of the ranks along a tree. */
#include "convert/ranks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "convert/launchers.h"
#include "convert/mpi/transport.h"
#include "convert/profile_bytes.h"

struct ranks {
	const struct transport *mpi;
	unsigned rank, size;
	size_t meetings;
	int ended;             /* a rank has come to ranks_settle(): nothing is shared until all have */
	struct error why;      /* the error with which it came; code 0: none */
	struct part_read mark; /* what was read of the trace then */
};

/*
 * Codes that ranks exchange: 0 or an error from a load; from ranks_settle(), ENDED or an error below
 * ENDED_ERROR.
 */
enum { ENDED = 1, ENDED_ERROR = -1000 };

unsigned ranks_launched(void)
{
	return (unsigned)launched_size();
}

/* The library stays loaded: threads and handlers of MPI remain. */
static const struct transport *transport_load(const char *library, struct error *e)
{
	const struct transport *t;
	void *so = library ? dlopen(library, RTLD_NOW | RTLD_GLOBAL) : NULL;

	if (!so) {
		error_set(e, ERROR_SYSTEM,
			  "a launcher started %u processes, but reading in parallel needs "
			  "libtaumpi.so: %s. "
			  "Install libopenmpi-dev and build again, or use --alone",
			  ranks_launched(), library ? dlerror() : "it was not found");
		return NULL;
	}
	t = dlsym(so, TRANSPORT_SYMBOL);
	if (!t || t->version != TRANSPORT_VERSION) {
		error_set(e, ERROR_SYSTEM, "%s: it is of another version", library);
		return NULL;
	}
	return t;
}

int ranks_begin(const char *library, struct ranks **out, struct error *e)
{
	struct ranks *r;
	const struct transport *mpi = transport_load(library, e);

	if (!mpi)
		return e->code;
	/* Processes share cores more often than not, so those that wait give way. */
	setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	r = mem_alloc(sizeof(*r));
	r->mpi = mpi;
	if (mpi->begin(&r->rank, &r->size))
		error_set(e, ERROR_SYSTEM, "%s: MPI cannot start", library);
	else if (r->size != ranks_launched()) {
		error_set(e, ERROR_SYSTEM,
			  "the launcher started %u processes, but MPI has %u: use the mpirun of "
			  "the same MPI, or --alone",
			  ranks_launched(), r->size);
		mpi->end();
	} else {
		*out = r;
		return 0;
	}
	free(r);
	return e->code;
}

unsigned ranks_rank(const struct ranks *r)
{
	return r->rank;
}

unsigned ranks_size(const struct ranks *r)
{
	return r->size;
}

size_t ranks_meetings(const struct ranks *r)
{
	return r->meetings;
}

void ranks_mark(struct ranks *r, const struct trace *t)
{
	r->mark = (struct part_read){t->events, t->bytes_read, t->index_read};
}

static int meet(struct ranks *r, int word, struct error *e)
{
	char text[sizeof(e->text)];
	unsigned first = r->mpi->agree(&word);
	int code;

	r->meetings++;
	if (first == r->size)
		return 0;
	r->ended = word == ENDED || word <= ENDED_ERROR;
	if (word == ENDED)
		return 0;
	memcpy(text, e->text, sizeof(text));
	r->mpi->bcast(first, text, sizeof(text));
	text[sizeof(text) - 1] = 0;
	code = word <= ENDED_ERROR ? word - ENDED_ERROR : word;
	if (first)
		error_set(e, code, "rank %u: %s", first, text);
	else
		error_set(e, code, "%s", text);
	if (r->ended)
		r->why = *e;
	return code;
}

int ranks_agree(struct ranks *r, int code, struct error *e)
{
	int met;

	if (r->ended) {
		if (r->why.code)
			*e = r->why;
		else if (!code)
			error_set(e, ERROR_SYSTEM, "another rank has ended");
		return e->code;
	}
	met = meet(r, code, e);
	return !met && r->ended ? error_set(e, ERROR_SYSTEM, "another rank has ended") : met;
}

/* ---- the tree ---- */

static void part_send(const struct ranks *r, unsigned to, struct trace *t,
		      const struct replay_part *part)
{
	const struct part_read read = {t->events - r->mark.events, t->bytes_read - r->mark.bytes,
				       t->index_read - r->mark.index_bytes};
	struct packed_bytes b = {0};
	uint64_t n;

	part_put(&b, part, t, &read);
	n = b.v_n;
	r->mpi->send(to, &n, sizeof(n));
	r->mpi->send(to, b.v, b.v_n);
	free(b.v);
}

static int part_receive(const struct ranks *r, unsigned from, struct trace *t,
		     struct replay_part *into, struct error *e)
{
	struct replay_part part;
	unsigned char *bytes;
	uint64_t n;
	int code = 0;

	r->mpi->receive(from, &n, sizeof(n));
	bytes = mem_alloc(n + 1);
	r->mpi->receive(from, bytes, n);
	if (part_get(bytes, n, &part, t))
		code = error_set(e, ERROR_SYSTEM, "the part of rank %u is damaged", from);
	else if (part.n != into->n) {
		code = error_set(
			e, ERROR_INPUT,
			"rank %u found %zu windows, and rank %u found %zu: the trace may have "
			"changed; try again",
			from, part.n, r->rank, into->n);
		replay_part_release(&part);
	} else
		replay_join(into, &part);
	free(bytes);
	return code;
}

/*
 * In step s a rank whose bit s is set hands the sum of itself and the ranks below it in the tree to
 * the rank without that bit, which follows in order: so parts are joined in the order of their
 * ranks.
 */
int ranks_share(struct ranks *r, struct trace *t, struct replay_part *part, struct error *e)
{
	int code = 0;

	for (unsigned bit = 1; bit < r->size; bit <<= 1) {
		if (r->rank & bit) {
			part_send(r, r->rank & ~bit, t, part);
			replay_part_release(part);
			break;
		}
		if ((r->rank | bit) < r->size)
			code = part_receive(r, r->rank | bit, t, part, e) ? e->code : code;
	}
	return ranks_agree(r, code, e);
}

int ranks_settle(struct ranks *r, int code, struct error *e)
{
	const struct error own = *e;
	int word = code ? code + ENDED_ERROR : ENDED;

	/* An error of ranks that still share a load ends that load only: they come here next. */
	while (!r->ended) {
		*e = own;
		code = meet(r, word, e);
	}
	r->ended = 0;
	r->why.code = 0;
	return code;
}

int ranks_end(struct ranks *r, int code, struct error *e)
{
	code = ranks_settle(r, code, e);
	r->mpi->end();
	free(r);
	return code;
}
