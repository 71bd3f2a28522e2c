/* reading.c: what the options of programs that read traces mean. */
#include "reading.h"

#include <sched.h>

#include "../analyze/work.h"

/* Those that this process may use. */
static unsigned processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n > 0 ? (unsigned)n : 1;
}

int reading_take(const struct reading *r, struct load_options *o, struct error *e)
{
	if (r->threads < 0 || r->threads > WORK_THREADS_MAX)
		return error_set(e, ERROR_USAGE, "--threads: %ld is no number from 0 to %d",
				 r->threads, WORK_THREADS_MAX);
	o->threads = r->threads ? (unsigned)r->threads : processors();
	return 0;
}
