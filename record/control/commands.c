/*
 * commands.c: commands from outside: maps the page that holds them, and executes them.
 */
#include "record/control/commands.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/group.h"
#include "record/define/select.h"
#include "record/encode/begin.h"
#include "record/encode/chunk.h"
#include "record/encode/define_write.h"
#include "record/enter/reselect.h"
#include "record/event/mark.h"
#include "record/format.h"
#include "record/requests.h"
#include "record/metadata.h"
#include "record/metric/metric.h"
#include "record/sample/sample.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- execution ---- */

static void numbered_name(char *name, const char *kind, uint32_t number)
{
	char digit[12];
	size_t n = 0, at = strlen(kind);

	memcpy(name, kind, at);
	do
		digit[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		name[at++] = digit[--n];
	name[at] = 0;
}

/* Metadata: the command, and when this process executed it, in ns after it began. */
static void command_meta(const char *command, uint32_t number)
{
	uint64_t past = ticks(process.shift) - process.start_tick;
	char name[64];

	if (!self.live || !process.ticks_hz)
		return;
	numbered_name(name, TAU_META_COMMAND, number);
	define_meta(name, command);
	numbered_name(name, TAU_META_COMMAND_TIME_NS, number);
	meta_number(name, (uint64_t)((unsigned __int128)past * 1000000000u / process.ticks_hz));
}

/* Commands that act once are not for processes that begin after them. */
static void obey_once(const struct tau_command *c, uint32_t number)
{
	if (number <= control.commands_before)
		return;
	command_meta(c->text, number);
	if (!strcmp(c->text, "flush") || !strncmp(c->text, "dump ", 5))
		__atomic_add_fetch(&control.flushes, 1, __ATOMIC_RELEASE);
	else if (!strncmp(c->text, "mark ", 5))
		mark(c->text + 5, number);
}

/* The sender has looked up the functions and written a table into the run. */
static void obey_selection(uint64_t table)
{
	if (!select_change(table))
		return;
	group_refresh();
	control_reselect();
}

static void obey_sample(uint64_t ns)
{
	if (ns >= SAMPLE_LEAST_NS && ns <= SAMPLE_MOST_NS)
		sample_period(ns);
}

/* The wrapper of memory may begin later: tau_memory_teller(). */
static void obey_memory(bool on)
{
	const struct tau_memory_teller *teller = __atomic_load_n(&process.teller, __ATOMIC_ACQUIRE);

	process.memory_off = !on;
	process.memory_was_off |= !on;
	if (teller)
		teller->track(on, TAU_MEMORY_COMMAND);
}

static void obey(const struct tau_command *c)
{
	if (!strcmp(c->text, "on"))
		control_on(OFF_WATCH);
	else if (!strcmp(c->text, "off"))
		control_off(OFF_WATCH);
	else if (!strncmp(c->text, "group ", 6))
		Tau_enable_group_name(c->text + 6);
	else if (!strncmp(c->text, "no-group ", 9))
		Tau_disable_group_name(c->text + 9);
	else if (!strncmp(c->text, "exclude ", 8) || !strncmp(c->text, "include ", 8))
		obey_selection(c->value);
	else if (!strncmp(c->text, "sample ", 7))
		obey_sample(c->value);
	else if (!strcmp(c->text, "no-sample"))
		sample_period(0);
	else if (!strcmp(c->text, "metrics") || !strcmp(c->text, "no-metrics"))
		metric_pause(*c->text == 'n');
	else if (!strcmp(c->text, "memory") || !strcmp(c->text, "no-memory"))
		obey_memory(*c->text == 'm');
}

/* Is the command for this process? */
static bool is_ours(const struct tau_command *c)
{
	size_t row;

	if (!c->to_some)
		return true;
	if (!control.watch_row)
		return false;
	row = (size_t)(control.watch_row - control.watch->process);
	return c->to[row / 8] >> row % 8 & 1;
}

#define WAITS 1000
static int busy;

/*
 * One thread of the process executes commands. The others wait for it for a limited time, so that the selection changes for all of
 * them. true: there may have been some.
 */
static bool obey_new(void)
{
	struct tau_command c;
	uint32_t n = control_count();

	for (int i = 0; __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE); i++) {
		if (i == WAITS)
			return false;
		sched_yield();
	}
	while (control.commands < n) {
		c = control.watch->command[control.commands];
		c.text[sizeof(c.text) - 1] = 0;
		if (is_ours(&c)) {
			obey(&c);
			obey_once(&c, control.commands + 1);
		}
		control.commands++;
		if (control.watch_row)
			__atomic_store_n(&control.watch_row->executed, control.commands,
					 __ATOMIC_RELEASE);
	}
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return true;
}

/* ---- looking for commands ---- */

/* Does nothing for the stream of a device, and while the cost of calls is measured in a scratch chunk. */
static bool look(void)
{
	bool any = false;

	if (!control.watch || self.stream->device || self.live != self.stream->live)
		return false;
	if (control_changed())
		any = obey_new();
	if (self.flushes != __atomic_load_n(&control.flushes, __ATOMIC_RELAXED)) {
		self.flushes = control.flushes;
		chunk_seal();
	}
	reselect();
	return any;
}

void commands_look(void)
{
	look();
}

void tau_commands_run(void)
{
	int ready;

	if (!control_changed())
		return;
	ready = keep_begin();
	if (ready < 0)
		return;
	look();
	keep_end(ready);
}

bool commands_look_late(uint64_t now)
{
	self.looked = now;
	return look();
}

/* ---- the page ---- */

/* A process that has executed another program has a row already. */
static void row_claim(void)
{
	struct tau_commands *w = control.watch;
	uint32_t n = __atomic_load_n(&w->process_n, __ATOMIC_ACQUIRE);

	control.watch_row = NULL;
	for (uint32_t i = 0; i < n && i < TAU_COMMANDS_PROCESSES && !control.watch_row; i++)
		if (w->process[i].pid == process.pid)
			control.watch_row = &w->process[i];
	if (!control.watch_row) {
		n = __atomic_fetch_add(&w->process_n, 1, __ATOMIC_ACQ_REL);
		control.watch_row = n < TAU_COMMANDS_PROCESSES ? &w->process[n] : NULL;
	}
	if (!control.watch_row)
		return;
	__atomic_store_n(&control.watch_row->executed, control.commands, __ATOMIC_RELEASE);
	__atomic_store_n(&control.watch_row->pid, process.pid, __ATOMIC_RELEASE);
}

void commands_start(void)
{
	const char *path = getenv("TAU_RECORD_WATCH");
	struct tau_commands *p = MAP_FAILED;
	uint64_t size = 0;
	int fd;

	if (!path)
		return;
	fd = file_own(path, O_RDWR, &size);
	/* The run is gone, which is reported with its first file. */
	if (fd < 0)
		return;
	/* Accessing a page after the end of a truncated file raises SIGBUS. */
	if (size >= sizeof(*p))
		p = map_at(sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	file_close(fd);
	if (p != MAP_FAILED && memcmp(p->magic, TAU_COMMANDS_MAGIC, sizeof(p->magic)) != 0) {
		munmap(p, sizeof(*p));
		p = MAP_FAILED;
	}
	if (p == MAP_FAILED)
		message_print("%s: cannot be read; --control has no effect", path);
	else
		control.watch = p;
	if (!control.watch)
		return;
	control.commands_before = control_count();
	row_claim();
}

void commands_after_fork(void)
{
	busy = 0;
	if (control.watch)
		row_claim();
}
