/* native_ends.c: what a run contains, in one line; a run without a table of processes has no ends to report. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/formats.h"
#include "convert/native/live/native_ends.h"
#include "files.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/native-ends-XXXXXX";

static void say(void *to, const char *sentence)
{
	(void)sentence;
	++*(int *)to;
}

static void run_write(const char *name, uint64_t process, int end)
{
	struct writer w = {0};

	writer_open(&w, file_below(dir, name), process, 0, 1000, 1000);
	writer_region(&w, 0, "work", "");
	writer_enter(&w, 1000, 0);
	writer_leave(&w, 1010);
	if (end)
		writer_close(&w);
	else
		writer_kill(&w);
}

int main(void)
{
	struct run_processes table;
	struct error e = {0};
	struct trace *t;
	char *totals;
	int said = 0;

	if (!mkdtemp(dir))
		return 1;
	run_write("h.1.0.0.tau", 7, 1);
	run_write("h.2.0.0.tau", 8, 0);
	if (!ok(!trace_open(dir, &t, &e), "a run is opened %s", e.text))
		return tap_end();
	totals = native_totals(t);
	ok(!strncmp(totals, "2 processes, 4 events, ", 23) && strstr(totals, " in 1 .live file, 0 lost"), "%s", totals);
	free(totals);
	native_ends_each(t, say, &said);
	ok(!said, "nothing is known of how its processes ended");
	ok(native_table_open(t, &table) == -1 && !table.row_n && table.fd == -1, "it has no table of processes");
	totals = native_closing(t);
	ok(!totals, "and no closing line");
	free(totals);
	trace_free(t);
	folder_remove(dir);
	return tap_end();
}
