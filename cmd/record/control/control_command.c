/* control_command.c: sends commands to a run while it is recorded, and shows which process has executed them. */
#include "cmd/record/control/control_command.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/base/quantity.h"
#include "analyze/trace/filter.h"
#include "convert/io/now.h"
#include "convert/native/live/command_file.h"
#include "cmd/record/control/run_copy.h"
#include "cmd/record/options/sampling.h"
#include "cmd/record/options/selection.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/process_environ.h"

/* ---- the words ---- */

enum kind {
	ON, OFF, FLUSH, STATUS, NO_SAMPLE, METRICS, NO_METRICS, MEMORY, NO_MEMORY,
	GROUP, NO_GROUP, EXCLUDE, INCLUDE, MARK, SAMPLE, DUMP,
	KINDS,
};
static const char *const names[KINDS] = {
	[ON] = "on",		     [OFF] = "off",	    [FLUSH] = "flush",
	[STATUS] = "status",	     [METRICS] = "metrics", [NO_METRICS] = "no-metrics",
	[MEMORY] = "memory",	     [NO_MEMORY] = "no-memory",
	[NO_SAMPLE] = "no-sample",   [GROUP] = "group",	    [NO_GROUP] = "no-group",
	[EXCLUDE] = "exclude",	     [INCLUDE] = "include", [MARK] = "mark",
	[SAMPLE] = "sample",	     [DUMP] = "dump",
};
/* What can be changed only in a process that began with it: the option, and the variable that carries it. */
static const struct {
	const char *option, *variable, *word; /* word: part of its value */
} needs[KINDS] = {
	[SAMPLE] = {"sample", "TAU_RECORD_SAMPLE", NULL},
	[NO_SAMPLE] = {"sample", "TAU_RECORD_SAMPLE", NULL},
	[METRICS] = {"metrics", "TAU_RECORD_METRICS", NULL},
	[NO_METRICS] = {"metrics", "TAU_RECORD_METRICS", NULL},
	[MEMORY] = {"memory", "LD_PRELOAD", "libtau-memory.so"},
	[NO_MEMORY] = {"memory", "LD_PRELOAD", "libtau-memory.so"},
};

static int words_check(char **words, enum kind *kind, struct error *e)
{
	size_t found = 0;

	if (words[0] && choice_get("--control", words[0], names, KINDS, &found, e))
		return e->code;
	*kind = (enum kind)found;
	if (words[0] && (found < GROUP ? !words[1] : words[1] && *words[1] && !words[2]))
		return 0;
	return error_set(e, ERROR_USAGE,
			 "--control: the command is on, off, flush, status, group NAME, "
			 "no-group NAME, exclude PATTERN, include PATTERN, mark NAME, "
			 "sample PERIOD, no-sample, metrics, no-metrics, memory, no-memory or "
			 "dump DIRECTORY");
}

/* ---- whom it is for ---- */

struct selected_processes {
	struct filter_ranges ranks, pids;
};

static int is_selected(const void *to, const struct command_process *p)
{
	const struct selected_processes *w = to;

	return (!w->ranks.v_n || p->rank >= 0) && filter_ranges_have(&w->ranks, p->rank) &&
	       filter_ranges_have(&w->pids, p->pid);
}

static int selected_parse(const struct control_command *c, struct selected_processes *w,
			  struct error *e)
{
	if (c->ranks && filter_parse(c->ranks, "rank", &w->ranks, e))
		return e->code;
	return c->pids ? filter_parse(c->pids, "pid", &w->pids, e) : 0;
}

/* ---- what they have executed ---- */

static void process_print(const struct command_process *p)
{
	printf("process %u", p->pid);
	if (p->rank >= 0)
		printf(" (rank %lld)", (long long)p->rank);
}

/* 1: a process has commands before it. */
static int status_print(const char *directory, const struct selected_processes *w, struct error *e)
{
	struct command_state s;
	int waits = 0;

	if (command_file_state(directory, &s, e))
		return e->code;
	for (size_t i = 0; i < s.process_n; i++) {
		const struct command_process *p = &s.process[i];
		int due = p->executed < s.commands;

		if (!is_selected(w, p))
			continue;
		waits |= p->running && due;
		process_print(p);
		printf(": %u of %u commands executed%s\n", p->executed, s.commands,
		       !p->running ? "; it has ended"
		       : due	   ? "; it waits for its next event"
				   : "");
	}
	free(s.process);
	return waits;
}

/* How many processes that run and are selected have not executed command `number`; print: each of them. */
static int unexecuted(const struct command_state *s, const struct selected_processes *w,
		      uint32_t number, int print)
{
	int n = 0;

	for (size_t i = 0; i < s->process_n; i++) {
		const struct command_process *p = &s->process[i];

		if (!p->running || p->executed >= number || !is_selected(w, p))
			continue;
		n++;
		if (!print)
			continue;
		process_print(p);
		printf(": not executed; it has made no call since\n");
	}
	return n;
}

/* 1: some process has not executed the command in time. */
static int wait_for(const char *directory, const struct selected_processes *w, uint32_t number,
		    uint64_t ns, struct error *e)
{
	uint64_t end = (uint64_t)now_ns() + ns;
	const struct timespec pause = {.tv_nsec = 5000000};

	for (;;) {
		struct command_state s;
		int late, n;

		if (command_file_state(directory, &s, e))
			return e->code;
		late = (uint64_t)now_ns() >= end;
		n = unexecuted(&s, w, number, late);
		free(s.process);
		if (!n || late)
			return n > 0;
		nanosleep(&pause, NULL);
	}
}

/* ---- sending ---- */

#define DUMP_WAIT_NS 1000000000u /* until all threads have stored what they recorded; the rest is in live chunks */

/* Functions are known to the processes by address: what a pattern fits is looked up here. */
static int select_prepare(const char *directory, enum kind kind, const char *pattern,
			  struct command *command, struct error *e)
{
	struct command_state s;
	uint32_t *pid;
	size_t n = 0;
	int code;

	if (command_file_state(directory, &s, e))
		return e->code;
	pid = mem_alloc((s.process_n + 1) * sizeof(*pid));
	for (size_t i = 0; i < s.process_n; i++)
		if (s.process[i].running)
			pid[n++] = s.process[i].pid;
	code = selection_change(directory, kind == INCLUDE, pattern, pid, n, &command->value, e);
	free(pid);
	free(s.process);
	return code;
}

/* Has the process what the command changes? */
static int has_it(uint32_t pid, enum kind kind)
{
	char *value = process_variable(pid, needs[kind].variable);
	int has = value && (!needs[kind].word || strstr(value, needs[kind].word));

	free(value);
	return has;
}

/* A heap that is counted needs each block. The same as in the wrapper. */
static int heap_counted(uint32_t pid)
{
	static const char *const variables[] = {"TAU_RECORD_HEAP", "TAU_TRACK_HEAP"};
	int counted = 0;

	for (size_t i = 0; i < 2; i++) {
		char *v = process_variable(pid, variables[i]);

		counted |= v && *v && strcmp(v, "0") && strcmp(v, "off") && strcmp(v, "no");
		free(v);
	}
	return counted;
}

/* Has one of the processes what the command changes, and can it be changed in all of them? */
static int possible(const char *directory, enum kind kind, const struct selected_processes *w,
		    struct error *e)
{
	struct command_state s;
	int any = 0, all = 0, counted = 0;

	if (!needs[kind].variable)
		return 0;
	if (command_file_state(directory, &s, e))
		return e->code;
	for (size_t i = 0; i < s.process_n; i++) {
		if (!s.process[i].running || !is_selected(w, &s.process[i]))
			continue;
		any |= has_it(s.process[i].pid, kind);
		counted |= kind == NO_MEMORY && heap_counted(s.process[i].pid);
		all++;
	}
	free(s.process);
	if (counted)
		return error_set(e, ERROR_INPUT,
				 "%s: the heap use is recorded, which needs each block; "
				 "no-memory is not possible", directory);
	return any || !all ? 0
			   : error_set(e, ERROR_INPUT,
				       "%s: it was recorded without --%s, which cannot begin now",
				       directory, needs[kind].option);
}

/* What a command needs besides its text. */
static int prepare(const char *directory, enum kind kind, char **words,
		   const struct selected_processes *w, struct command *command, char **copy,
		   struct error *e)
{
	unsigned long long us;
	int code = possible(directory, kind, w, e);

	if (!code && (kind == EXCLUDE || kind == INCLUDE))
		code = select_prepare(directory, kind, words[1], command, e);
	if (!code && kind == DUMP && !(*copy = run_copy_make(words[1], e)))
		code = e->code;
	if (!code && kind == SAMPLE) {
		code = sampling_period(words[1], "--control sample", &us, e);
		command->value = code ? 0 : us * 1000;
	}
	return code;
}

/* 0: a process that is selected runs here; CONTROL_NONE: none does. */
static int selected_run(const char *directory, const struct selected_processes *w, struct error *e)
{
	struct command_state s;
	int any = 0;

	if (command_file_state(directory, &s, e))
		return e->code;
	for (size_t i = 0; i < s.process_n; i++)
		any |= s.process[i].running && is_selected(w, &s.process[i]);
	free(s.process);
	if (any)
		return 0;
	error_set(e, ERROR_INPUT, "%s: no process that runs on this host is selected", directory);
	return CONTROL_NONE;
}

int control_wait(const struct control_command *c, int64_t *ns, struct error *e)
{
	static const struct quantity_option wait = {"--wait", QUANTITY_TIME, "s", .example = "5s"};

	return c->wait ? quantity_option(&wait, c->wait, ns, e) : 0;
}

static int send(const struct control_command *c, enum kind kind, char **words,
		const struct selected_processes *w, struct error *e)
{
	char *text = mem_printf("%s%s%s", words[0], words[1] ? " " : "", words[1] ? words[1] : "");
	struct command command = {.text = text, .to = w};
	int64_t wait_ns = kind == DUMP ? DUMP_WAIT_NS : 0;
	char *copy = NULL;
	int code = control_wait(c, &wait_ns, e);

	if (c->ranks || c->pids)
		command.is_for = is_selected;
	if (!code && command.is_for)
		code = selected_run(c->run, w, e);
	if (!code)
		code = prepare(c->run, kind, words, w, &command, &copy, e);
	if (code == CONTROL_NONE) {
		free(text);
		return code;
	}
	if (!code)
		code = command_file_send(c->run, &command, e);
	free(text);
	if (code > 0)
		code = wait_ns ? wait_for(c->run, w, (uint32_t)code, (uint64_t)wait_ns, e) : 0;
	if (code >= 0 && copy && run_copy(c->run, copy, e))
		code = e->code;
	if (run_copy_close(copy, words[1], code < 0, e))
		code = e->code;
	return code;
}

int control_command_check(char **words, struct error *e)
{
	enum kind kind;

	return words_check(words, &kind, e);
}

int control_command(const struct control_command *c, char **words, struct error *e)
{
	struct selected_processes w = {0};
	enum kind kind = ON;
	int code = words_check(words, &kind, e);

	if (!code)
		code = selected_parse(c, &w, e);
	if (!code)
		code = kind == STATUS ? status_print(c->run, &w, e)
				      : send(c, kind, words, &w, e);
	free(w.ranks.v);
	free(w.pids.v);
	return code == COMMAND_FILE_NONE ? CONTROL_NONE : code;
}
