/* commands_noted.c: which commands a window is affected by, and what the notes about them are. */
#include "convert/commands_noted.h"
#include "convert/load.h"

#include <stdlib.h>
#include <string.h>

#include "record/metadata.h"
#include "tap.h"

#define MS 1000000

static void command(struct trace *t, size_t process, int number, const char *text, const char *ns)
{
	struct trace_process *p = &t->process[process];
	struct trace_attribute *a = array_add(p, meta);

	a->name = mem_printf(TAU_META_COMMAND "%d", number);
	a->value = mem_string(text);
	a = array_add(p, meta);
	a->name = mem_printf(TAU_META_COMMAND_TIME_NS "%d", number);
	a->value = mem_string(ns);
}

/* Each process begins 1 ms after the one before; the last one begins when the others have executed all but the last command. */
static struct trace *trace_of(size_t processes)
{
	static const char *const text[] = {"no-group IO", "mark here", "exclude f#", "off", "on", "group IO", "newer 1"};
	struct trace *t = mem_alloc(sizeof(*t));

	t->path = mem_string("a.run");
	for (size_t i = 0; i < processes; i++) {
		struct trace_process *p = array_add(t, process);
		int late = i && i + 1 == processes;

		p->node = (int32_t)i;
		p->start = (late ? 65 : (int64_t)i) * MS;
		p->end = 100 * MS;
		for (int k = late ? 6 : 0; k < 7; k++) {
			char *ns = mem_printf("%d", late ? 5 * MS : (k + 1) * 10 * MS);

			if (k != 2 || i != 1)
				command(t, i, k + 1, text[k], ns);
			free(ns);
		}
	}
	return t;
}

static void trace_drop(struct trace *t)
{
	for (size_t i = 0; i < t->process_n; i++) {
		for (size_t k = 0; k < t->process[i].meta_n; k++) {
			free(t->process[i].meta[k].name);
			free(t->process[i].meta[k].value);
		}
		free(t->process[i].meta);
	}
	free(t->process);
	free(t->path);
	free(t);
}

/* begin < 0: everything. The numbers of the commands that affect the window. */
static void window_is(const struct trace *t, int64_t begin, int64_t end, const char *numbers)
{
	struct window_span span = {begin * MS, end * MS};
	struct window_spans spans = {.v = &span, .v_n = 1};
	struct window window = {.of = &spans, .of_n = 1};
	struct windows w = {.v = &window, .v_n = begin >= 0};
	struct load_report r = {0};
	char found[32] = "";

	commands_note(t, &w, NULL, &r);
	for (size_t i = 0; i < r.note_n; i++) {
		found[i] = (char)('0' + (int)r.note[i].number);
		ok(r.note[i].kind == NOTE_COMMAND, "it is a note about a command");
	}
	ok(!strcmp(found, numbers), "window %d to %d ms: commands %s", (int)begin, (int)end, found);
	load_report_release(&r);
}

static void test_windows(void)
{
	struct trace *t = trace_of(1);

	window_is(t, -1, 0, "1234567");
	window_is(t, 0, 10, "");
	window_is(t, 0, 11, "1");
	window_is(t, 12, 15, "1");
	window_is(t, 20, 21, "12");
	window_is(t, 35, 36, "13");
	window_is(t, 45, 46, "134");
	window_is(t, 50, 51, "135"); /* recording is on again from its beginning */
	window_is(t, 55, 60, "13");
	window_is(t, 61, 65, "3");
	window_is(t, 80, 90, "3");
	trace_drop(t);
}

static void texts_are(struct trace *t, const char *const *text, size_t n, size_t process, double seconds)
{
	struct windows w = {0};
	struct load_report r = {0};

	commands_note(t, &w, NULL, &r);
	ok(r.note_n == n, "%zu notes", r.note_n);
	for (size_t i = 0; i < n && i < r.note_n; i++)
		ok(!strcmp(r.note[i].text, text[i]), "%s", r.note[i].text);
	ok(r.note_n && r.note[0].process == process && r.note[0].seconds == seconds, "process %zu, %g s", r.note[0].process,
	   r.note[0].seconds);
	load_report_release(&r);
	trace_drop(t);
}

static void test_texts(void)
{
	static const char *const one[] = {
		"a.run: command 1: without group 'IO' from 10.000 ms on",
		"a.run: command 2: mark 'here' at 20.000 ms",
		"a.run: command 3: without regions 'f#' from 30.000 ms on",
		"a.run: command 4: recording off from 40.000 ms on",
		"a.run: command 5: recording on from 50.000 ms on",
		"a.run: command 6: with group 'IO' from 60.000 ms on",
		"a.run: command 7: command 'newer 1' at 70.000 ms",
	};
	static const char *const four[] = {
		"a.run: command 1: without group 'IO' from 10.000 ms on (the last process: 12.000 ms), in all that ran then: 3 of 4 processes",
		"a.run: command 2: mark 'here' at 20.000 ms (the last process: 22.000 ms), in all that ran then: 3 of 4 processes",
		"a.run: command 3: without regions 'f#' from 30.000 ms on (the last process: 32.000 ms), in 2 of 3 processes: nodes 0, 2",
		"a.run: command 4: recording off from 40.000 ms on (the last process: 42.000 ms), in all that ran then: 3 of 4 processes",
		"a.run: command 5: recording on from 50.000 ms on (the last process: 52.000 ms), in all that ran then: 3 of 4 processes",
		"a.run: command 6: with group 'IO' from 60.000 ms on (the last process: 62.000 ms), in all that ran then: 3 of 4 processes",
		"a.run: command 7: command 'newer 1' at 70.000 ms (the last process: 72.000 ms), in all 4 processes",
	};

	texts_are(trace_of(1), one, 7, 1, 0.01);
	texts_are(trace_of(4), four, 7, 0, 0.01);
}

/* Names and times that no recorder writes. */
static void test_damaged(void)
{
	static const char *const ns[] = {"", "-1", "x", "18446744073709551615", "9223372036854775807"};
	struct trace *t = trace_of(1);
	struct windows w = {0};
	struct load_report r = {0};

	for (int i = 0; i < 5; i++)
		command(t, 0, 10 + i, "on", ns[i]);
	command(t, 0, 0, "on", "1");
	commands_note(t, &w, NULL, &r);
	ok(r.note_n == 7, "times that are none have no note: %zu", r.note_n);
	load_report_release(&r);
	trace_drop(t);
}

int main(void)
{
	test_windows();
	test_texts();
	test_damaged();
	return tap_end();
}
