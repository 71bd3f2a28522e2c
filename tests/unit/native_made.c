/* native_made.c: names of code that a process made come from its list while a run is stored, and afterwards from what is stored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/native/define/native_made.h"
#include "tap.h"

static struct native_file file;
static struct native_stream stream = {.file = &file};
static struct native_clock here;
static char *list;

static void list_write(void)
{
	FILE *f = fopen(list, "w");

	fputs("1000 100 first\n2000 100 second /src/a.js:7:1\n", f);
	fclose(f);
}

/* The name of the code at an address, with its file; "" if its module is unknown. */
static int is_named(struct native_run *run, uint64_t address, const char *name, const char *in)
{
	char *module = native_made_module(run, &stream, address);
	struct trace_code c = {0};
	int same;

	if (!module)
		return !*name;
	c = native_made_code(run, module, (const unsigned char *)&file.head.process_id, address);
	same = native_made_is(module) && c.name && !strcmp(c.name, name) &&
	       !strcmp(c.file ? c.file : "", in);
	free((void *)(uintptr_t)c.name);
	free(module);
	return same;
}

int main(void)
{
	struct native_run none = {.clock = &here}, look = {.clock = &here}, far = {.clock = &here},
			  stored = {.clock = &here}, again = {.clock = &here};
	struct stored_names *names = stored_names_new(), *kept = stored_names_new();
	struct utsname u;

	uname(&u);
	here = (struct native_clock){.host = u.nodename, .wall = 1};
	file.head.pid = (uint32_t)getpid();
	file.head.process_id = UINT64_C(0x1234567890abcdef);
	list = mem_printf("/tmp/perf-%ld.map", (long)getpid());
	list_write();
	ok(is_named(&none, 0x1000, "", ""), "a reader does not look at the list");
	native_made_search(&look);
	ok(is_named(&look, 0x10ff, "first", ""), "the list names an address");
	ok(is_named(&look, 0x2010, "second", "/src/a.js"), "with its file");
	ok(is_named(&look, 0x3000, "", ""), "and another one not");
	native_made_store(&look, names);
	ok(names->module_n == 1 && names->row_n == 2, "what was looked up is stored");
	here.host = (char *)(uintptr_t)"elsewhere.example";
	native_made_search(&far);
	ok(is_named(&far, 0x1000, "", ""), "the list of another host's process is not here");
	unlink(list);
	stored.names = names;
	ok(is_named(&stored, 0x10ff, "first", "") &&
		   is_named(&stored, 0x2010, "second", "/src/a.js"),
	   "a reader has what is stored");
	ok(is_named(&stored, 0x10fe, "", ""), "and nothing else");
	file.head.process_id++;
	ok(is_named(&stored, 0x10ff, "", ""), "another process has not");
	file.head.process_id--;
	again.names = names;
	native_made_search(&again);
	ok(is_named(&again, 0x2010, "second", "/src/a.js"), "stored again after the list is gone");
	native_made_store(&again, kept);
	ok(kept->row_n == 1 && !strcmp(stored_text(kept, kept->row[0].name), "second") &&
		   kept->row[0].line == 7,
	   "it is kept");
	ok(!native_made_is("/tmp/perf-1.map") && !native_made_is("[vdso]"), "other modules");
	native_made_release(&look);
	native_made_release(&far);
	native_made_release(&stored);
	native_made_release(&again);
	stored_names_free(names);
	stored_names_free(kept);
	free(list);
	return tap_end();
}
