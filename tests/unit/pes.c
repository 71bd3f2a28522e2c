/* pes.c: which processes of a trace are PEs. */
#include "analyze/trace/trace.h"
#include "record/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static const struct trace_ops ops;
static struct trace *t;

static void process(uint32_t pid, int32_t rank, int32_t size, int64_t start, int64_t end)
{
	struct trace_process *p = array_add(t, process);

	p->id = t->process_n;
	p->pid = pid;
	p->host = mem_string("a");
	p->rank = rank;
	p->size = size;
	p->start = start;
	p->end = end;
	array_add(t, stream)->process = (uint32_t)t->process_n - 1;
	t->stream[t->stream_n - 1].name = mem_string("");
}

static void executable(size_t process, const char *path)
{
	struct trace_attribute *a = array_add(&t->process[process], meta);

	a->name = TAU_META_EXECUTABLE;
	a->value = (char *)path;
}

static void pes(size_t expected, const char *what)
{
	trace_number(t);
	ok(trace_pes(t) == expected, "%s: %zu PEs, expected %zu", what, trace_pes(t), expected);
	for (size_t i = 0; i < t->process_n; i++) {
		free(t->process[i].host);
		free(t->process[i].meta);
		free(t->process[i].stream);
	}
	for (size_t i = 0; i < t->stream_n; i++)
		free(t->stream[i].name);
	free(t->process);
	free(t->stream);
	t->process = NULL;
	t->stream = NULL;
	t->process_n = t->process_cap = t->stream_n = t->stream_cap = 0;
}

int main(void)
{
	t = trace_new("t", &ops);
	process(7, -1, -1, 0, 10);
	process(8, -1, -1, 1, 10);
	pes(2, "processes without ranks");
	process(7, -1, -1, 0, 10);
	process(8, 0, 2, 1, 10);
	process(9, 1, 2, 1, 10);
	pes(2, "a shell that starts all ranks");
	process(7, -1, -1, 0, 10);
	process(8, 0, 1, 1, 10);
	process(9, -1, -1, 2, 9);
	process(10, -1, -1, 2, 9);
	pes(3, "one rank, its shell and two children that work for it");
	process(8, 0, 1, 1, 10);
	process(9, -1, -1, 2, 9);
	process(10, -1, -1, 2, 9);
	executable(1, "/usr/bin/orted");
	executable(2, "/opt/orted/bin/app");
	pes(2, "one rank, the daemon that MPI_Init started, and a child");
	process(7, -1, -1, 0, 10);
	process(9, 1, 2, 1, 10);
	pes(2, "a rank is missing: the other process may be it");
	process(7, -1, -1, 0, 10);
	process(7, -1, -1, 11, 20);
	process(7, -1, -1, 21, 30);
	pes(1, "a process that became two other programs");
	process(7, 0, 2, 0, 10);
	process(7, 1, 2, 1, 12);
	pes(2, "ranks in containers with equal pids");
	process(7, -1, -1, 0, 10);
	process(7, -1, -1, 1, 12);
	pes(2, "processes in such containers at the same time");
	process(7, -1, -1, 0, 10);
	process(7, -1, -1, 1, 12);
	process(7, -1, -1, 13, 22);
	process(7, -1, -1, 14, 22);
	pes(2, "which become other programs");
	process(7, 0, 2, 0, 10);
	process(7, 1, 2, 20, 30);
	pes(2, "ranks whose pids are equal one after the other");
	free(t->path);
	free(t);
	return tap_end();
}
