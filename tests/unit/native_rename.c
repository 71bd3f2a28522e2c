/* native_rename.c: which metadata of a process are names of its threads. */
#include <string.h>

#include "convert/native/define/native_rename.h"
#include "tap.h"

static int is_name(struct native_run *run, const char *meta)
{
	return native_thread_name(run, 3, meta, bytes_of("io", 2));
}

int main(void)
{
	struct native_run run = {0};

	ok(is_name(&run, "Thread Name: 5") && run.thread_name_n == 1, "the name of a thread");
	ok(run.thread_name_n == 1 && run.thread_name[0].process == 3 && run.thread_name[0].thread == 5 &&
		   !strcmp(run.thread_name[0].name, "io"),
	   "is kept with process and number");
	ok(!is_name(&run, "Thread Name") && !is_name(&run, "Thread Name: ") && !is_name(&run, "Thread Name: 5x") &&
		   !is_name(&run, "Thread Name: -5") && !is_name(&run, "Hostname") && run.thread_name_n == 1,
	   "other metadata are none");
	native_threads_rename(&run);
	ok(!run.thread_name && !run.thread_name_n, "a name without its thread is released");
	native_events_rename(&run);
	ok(!run.rename && !run.rename_n, "without renamed events there is nothing to do");
	return tap_end();
}
