/* alone.c: CPU times of runs without the recorder, and recorded runs compared with them. */
#include "cmd/record/summary/alone.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/quantity.h"
#include "cmd/shared/message.h"
#include "convert/native/file/run_files.h"
#include "convert/native/live/run_processes.h"

int alone_read(const char *run, const struct job *j, uint64_t *ns, struct error *e)
{
	struct run_processes table;
	int at = run_directory(run), found;

	if (at < 0)
		return error_set(e, ERROR_INPUT, "--against: %s: %s", run, strerror(errno));
	found = !run_processes_open(at, 0, &table);
	close(at);
	if (!found)
		return error_set(e, ERROR_INPUT, "--against: %s is not a run of --alone", run);
	*ns = table.head.overhead == TAU_OVERHEAD_NONE ? table.head.alone_ns : 0;
	if (!*ns)
		error_set(e, ERROR_INPUT, "--against: %s is not a run of --alone that has ended",
			  run);
	else if (table.head.size != (uint64_t)j->size)
		error_set(e, ERROR_INPUT,
			  "--against: %s: its job had %llu processes, and this one has %ld", run,
			  (unsigned long long)table.head.size, j->size);
	run_processes_close(&table);
	return e->code;
}

void alone_close(const char *directory, struct run_place *place)
{
	uint64_t ns = place->has_row ? run_processes_cpu(&place->table) : 0;
	char text[QUANTITY_TEXT];

	if (ns)
		message_print("tau-record", "%s: not recorded; %zu process%s took %s of CPU time",
			      directory, place->table.row_n, place->table.row_n == 1 ? "" : "es",
			      quantity_time_text((double)ns, text));
	else
		message_print("tau-record",
			      "%s: not recorded; the CPU time of a process is not known, so "
			      "no run can be compared with this one",
			      directory);
	run_close(place, 1, &(struct overhead){.alone = (double)ns, .how = TAU_OVERHEAD_NONE});
}

int alone_compare(const struct run_place *place, uint64_t alone_ns, struct overhead *o)
{
	uint64_t ns = place->has_row ? run_processes_cpu(&place->table) : 0;

	if (!ns)
		return -1;
	/* Less is what the times of two runs differ by. */
	o->added = ns > alone_ns ? (double)(ns - alone_ns) : 0;
	o->alone = (double)alone_ns;
	o->how = TAU_OVERHEAD_MEASURED;
	return 0;
}
