/* parallel.c: begins and ends the sharing of work between the processes of an MPI job. */
#include "cmd/shared/parallel.h"

#include "cmd/shared/installed.h"

int parallel_begin(int alone, struct ranks **out, struct error *e)
{
	char library[PATH_MAX];

	*out = NULL;
	if (alone || ranks_launched() == 1)
		return 0;
	return ranks_begin(installed_find("libtaumpi.so", library) ? library : NULL, out, e);
}

int parallel_writes(const struct ranks *r)
{
	return !r || !ranks_rank(r);
}

int parallel_finish(struct ranks *r, int code, struct error *e)
{
	int writes = parallel_writes(r);

	if (r)
		code = ranks_end(r, code, e);
	return writes ? code : 0;
}

int parallel_end(const struct program *p, struct ranks *r, int code, struct error *e)
{
	int writes = parallel_writes(r);

	code = parallel_finish(r, code, e);
	if (!writes)
		return 0;
	return code ? program_fail(p, e) : program_end(p, 0);
}
