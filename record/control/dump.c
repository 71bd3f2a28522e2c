/*
 * dump.c: the program requests a profile or a snapshot of itself while it runs. Nothing is computed
 * here: a mark names the moment in the trace, and a message through a pipe of the run
 * goes to a process of tau-record, which makes the files from the trace.
 *
 * The time is read before the mark is written: all earlier records have earlier times, and even the
 * trace of a program that dies now includes that time.
 */
#include "record/control/dump.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/event/mark.h"
#include "record/format.h"
#include "record/requests.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME_MOST 1024

/* A message being built. */
struct dump_message {
	struct tau_dump_request head;
	char text[TAU_DUMP_MOST - sizeof(struct tau_dump_request)];
};

/* Appends a text, unless it is too long. */
static void add(struct dump_message *m, const char *text)
{
	char *to = (char *)m + m->head.size;
	size_t n = strlen(text) + 1;

	if (n > sizeof(*m) - 4 - m->head.size)
		n = 1, text = "";
	memcpy(to, text, n);
	m->head.size += (uint32_t)n;
}

/*
 * Opens the pipe for reading, too: so a pipe without another reader raises no signal. Closes it at
 * once, because the program may need all descriptors.
 */
static bool send_message(const struct dump_message *m)
{
	int fd = file_open(control.requests, O_RDWR | O_NONBLOCK | O_NOFOLLOW), error;
	struct stat st;
	bool sent;

	if (fd < 0)
		return errno == ENOENT;	/* tau-record has ended */
	sent = fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && st.st_uid == geteuid() &&
	       file_write(fd, m, m->head.size);
	error = errno;
	file_close(fd);
	errno = error;
	return sent;
}

static bool recorded(void)
{
	return (GATE_RECORDS(tau_gate.value) || tau_gate.value == GATE_OFF) && !tau_stranger();
}

/* The names of regions that a program chooses. */
struct dump_counters {
	const char *const *name;
	int n;		/* 0: all regions */
};

/* Appends them as one text. Omits those that do not fit. */
static void add_chosen(struct dump_message *m, const struct dump_counters *c)
{
	char *p = (char *)m + m->head.size, *end = (char *)m + sizeof(*m) - 1;
	int left = 0;

	for (int i = 0; i < c->n; i++) {
		size_t n = c->name[i] ? strlen(c->name[i]) : 0;

		if (!n)
			continue;
		if (n + 1 > (size_t)(end - p)) {
			left++;
			continue;
		}
		memcpy(p, c->name[i], n);
		p += n;
		*p++ = '\n';
	}
	*p++ = 0;
	m->head.size = (uint32_t)(p - (char *)m);
	if (left)
		message_print("%d name%s of chosen regions, too long for a request, %s not in the "
			      "profile",
			      left, left == 1 ? "" : "s", left == 1 ? "is" : "are");
}

static void request(enum tau_dump_kind kind, const char *name, uint32_t thread,
		    const struct dump_counters *chosen)
{
	struct dump_message m = {.head = {.size = sizeof(m.head), .kind = kind, .thread = thread}};
	char directory[3000];

	if (control.requests[0]) {
		add(&m, process.prefix);
		if (system_call(SYS_getcwd, directory, sizeof(directory)) < 0)
			directory[0] = 0;
		add(&m, directory);
		add(&m, name);
		add_chosen(&m, chosen);
	}
	m.head.pid = process.pid;
	m.head.process_id = process.id;
	m.head.real_ns = clock_ns(CLOCK_REALTIME);
	m.head.tick = ticks(process.shift);
	if (kind != TAU_DUMP_BEGIN && !tau_inside())
		mark_record(TAU_MARK_SNAPSHOT, name, 1);
	if (!control.requests[0] || send_message(&m))
		return;
	if (errno == EAGAIN) {
		message_print(
			"profile or snapshot '%s' is not written: too many wait to be written",
			name);
		return;
	}
	message_print("profile or snapshot '%s' and later ones are not written: %s", name,
		      strerrordesc_np(errno));
	control.requests[0] = 0;
}

/* thread: as in the message, but -1 is the calling thread. */
static void dump_chosen(enum tau_dump_kind kind, const char *name, int64_t thread,
			const struct dump_counters *chosen)
{
	char text[NAME_MOST];
	int saved = errno;

	if (!tau_inside())
		tau_attach();
	if (recorded() && process.named && (thread >= 0 || self.stream)) {
		snprintf(text, sizeof(text), "%s", name);
		request(kind, text, thread < 0 ? self.stream->number : (uint32_t)thread, chosen);
	}
	errno = saved;
}

static void dump(enum tau_dump_kind kind, const char *name, int64_t thread)
{
	dump_chosen(kind, name, thread, &(struct dump_counters){0});
}

int Tau_dump(void)
{
	dump(TAU_DUMP_PROFILE, "dump", -1);
	return 0;
}

int Tau_dump_incr(void)
{
	dump(TAU_DUMP_DATED, "dump", -1);
	return 0;
}

int Tau_dump_prefix(const char *prefix)
{
	dump(TAU_DUMP_PROFILE, prefix, TAU_DUMP_ALL);
	return 0;
}

int Tau_dump_prefix_task(const char *prefix, int thread)
{
	if (thread >= 0)
		dump(TAU_DUMP_PROFILE, prefix, thread);
	return 0;
}

void Tau_dump_function_names(void)
{
	dump(TAU_DUMP_NAMES, "dump_functionnames_n,c,t", -1);
}

void Tau_dump_function_values(const char **list, int n)
{
	if (list && n > 0)
		dump_chosen(TAU_DUMP_PROFILE, "sel_dump", -1, &(struct dump_counters){list, n});
}

void Tau_dump_function_values_incr(const char **list, int n)
{
	if (list && n > 0)
		dump_chosen(TAU_DUMP_DATED, "sel_dump", -1, &(struct dump_counters){list, n});
}

void Tau_profile_snapshot(const char *name)
{
	dump(TAU_DUMP_SNAPSHOT, name, -1);
}

void Tau_profile_snapshot_1l(const char *name, int number)
{
	char text[NAME_MOST];

	snprintf(text, sizeof(text), "%.*s %d", (int)sizeof(text) - 16, name, number);
	dump(TAU_DUMP_SNAPSHOT, text, -1);
}

/* ---- snapshots that tau-record's options request ---- */

static void at_signal(int signal __attribute__((unused)))
{
	dump(TAU_DUMP_SNAPSHOT, "signal", TAU_DUMP_ALL);
}

void dump_start(void)
{
	const char *path = getenv("TAU_RECORD_REQUESTS");
	const char *signal = getenv("TAU_RECORD_SNAPSHOT_SIGNAL");
	struct sigaction a = {.sa_handler = at_signal, .sa_flags = SA_RESTART};
	int number = signal ? (int)strtoul(signal, NULL, 10) : 0;

	if (path && strlen(path) < sizeof(control.requests))
		strcpy(control.requests, path);
	/* The program may replace the handler; then the signal no longer requests a snapshot. */
	if (number > 0)
		sigaction(number, &a, NULL);
}

void dump_begin(void)
{
	int saved = errno;

	if (control.requests[0] && recorded() && process.named &&
	    getenv("TAU_RECORD_SNAPSHOT_EVERY"))
		request(TAU_DUMP_BEGIN, "", TAU_DUMP_ALL, &(struct dump_counters){0});
	errno = saved;
}
