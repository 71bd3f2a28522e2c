/*
 * window.c: the language of windows: what each text means in a trace whose every time is known, how the windows of a series are
 * named, and the error for a text without a meaning; and how loops are distinguished from lists of calls.
 */
#include <stdlib.h>
#include <time.h>

#include "analyze/window/loop.h"
#include "analyze/window/window.h"
#include "convert/formats.h"
#include "tap.h"
#include "trace_writer.h"

static char dir[] = "/tmp/tau-window.XXXXXX";
static struct trace *trace;

/* ---- the trace ---- */

enum { MAIN, STEP, WORK, OUTPUT, COLON, QUOTED, TEMPLATE, METHOD, TWIN, OTHER_TWIN, RECURSIVE, LONELY, OPERATOR, ITERATE, NAMES };
static const char *const name[NAMES] = {
	[MAIN] = "int main(int, char **)",
	[STEP] = "step",
	[WORK] = "a region (with blanks): 1ms..2ms",
	[OUTPUT] = "output",
	[COLON] = "a:b",
	[QUOTED] = "say \"hi\"",
	[TEMPLATE] = "void std::vector<int, std::allocator<int> >::push_back(int const&) [{v.cc} {7}]",
	[METHOD] = "Solver::run(double)",
	[TWIN] = "A::twin(int)",
	[OTHER_TWIN] = "B::twin(int)",
	[RECURSIVE] = "fib",
	[LONELY] = "lonely",
	[OPERATOR] = "Call::operator()(int)",
	[ITERATE] = "iterate",
};

#define US 1000

static void pair(struct writer *w, uint32_t region, uint64_t enter, uint64_t leave)
{
	writer_enter(w, enter, region);
	writer_leave(w, leave);
}

/*
 * Two ranks, times in us from the start of the run (1000 ticks of 1 ns are one): main from 10 to just below 1000; steps at 100 k to
 * 100 k + 60 (k from 1 to 5; rank 1 has four, each 10 shorter), in each a region from 10 to 30 of it; output at 170 and 370
 * to 180 and 380; fib, which calls itself, from 620 to 680; a:b and others after it.
 */
static void rank_write(uint32_t rank)
{
	uint64_t t0 = 1000 * US, steps = rank ? 4 : 5;
	char path[400];
	struct writer w;

	snprintf(path, sizeof(path), "%s/h.%u.0.tau", dir, rank);
	writer_open(&w, path, rank + 1, 0, t0, t0);
	for (uint32_t i = 0; i < NAMES; i++)
		writer_region(&w, i, name[i], "");
	writer_rank(&w, rank, 2);
	writer_enter(&w, t0 + 10 * US, MAIN);
	for (uint64_t k = 1; k <= steps; k++) {
		uint64_t at = t0 + 100 * k * US;

		writer_enter(&w, at, STEP);
		pair(&w, WORK, at + 10 * US, at + 30 * US);
		writer_leave(&w, at + (rank ? 50 : 60) * US);
		if (k == 1 || k == 3)
			pair(&w, OUTPUT, at + 70 * US, at + 80 * US);
	}
	writer_enter(&w, t0 + 620 * US, RECURSIVE);
	pair(&w, RECURSIVE, t0 + 630 * US, t0 + 640 * US);
	writer_leave(&w, t0 + 680 * US);
	pair(&w, COLON, t0 + 700 * US, t0 + 710 * US);
	pair(&w, QUOTED, t0 + 720 * US, t0 + 730 * US);
	pair(&w, TEMPLATE, t0 + 740 * US, t0 + 750 * US);
	pair(&w, METHOD, t0 + 760 * US, t0 + 770 * US);
	pair(&w, TWIN, t0 + 780 * US, t0 + 790 * US);
	pair(&w, OTHER_TWIN, t0 + 800 * US, t0 + 810 * US);
	pair(&w, OPERATOR, t0 + 820 * US, t0 + 830 * US);
	if (rank)
		pair(&w, LONELY, t0 + 840 * US, t0 + 850 * US);
	pair(&w, ITERATE, t0 + 860 * US, t0 + 870 * US);
	writer_leave(&w, t0 + 1000 * US - 1);
	writer_close(&w);
}

/* ---- what windows are ---- */

static char shown[65536];
static size_t shown_n;

__attribute__((format(printf, 1, 2))) static void show(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	shown_n += (size_t)vsnprintf(shown + shown_n, sizeof(shown) - shown_n, format, args);
	va_end(args);
	if (shown_n >= sizeof(shown))
		shown_n = sizeof(shown) - 1;
}

static void show_time(int64_t ns)
{
	if (ns == INT64_MAX)
		show("...");
	else if (ns % US)
		show("%lld.%03lld", (long long)(ns / US), (long long)(ns % US));
	else
		show("%lld", (long long)(ns / US));
}

static void show_spans(const struct window_spans *s)
{
	if (!s->v_n)
		show(" none");
	for (size_t i = 0; i < s->v_n; i++) {
		show(i ? "," : " ");
		show_time(s->v[i].begin);
		show("-");
		show_time(s->v[i].end);
	}
}

/* "NAME: SPANS | SPANS; NAME: ..." in us, by rank, or once where all have the same; or what is wrong. */
static const char *windows_of(const char *text, const struct window_options *from)
{
	struct window_options o = from ? *from : (struct window_options){0};
	struct error e = {0};
	struct windows w;

	shown_n = 0;
	*shown = 0;
	o.text = &text;
	o.n = 1;
	if (window_check(text, &e) || windows_resolve(trace, &o, &w, &e)) {
		show("%d %s", e.code, e.text);
		return shown;
	}
	for (size_t i = 0; i < w.v_n; i++) {
		show("%s%s:", i ? "; " : "", w.v[i].text);
		for (size_t p = 0; p < w.v[i].of_n; p++) {
			show(p ? " |" : "");
			show_spans(&w.v[i].of[p]);
		}
	}
	for (size_t i = 0; i < w.note_n; i++) {
		char *sentence = note_sentence(&w.note[i]);

		show(" (%s)", sentence);
		free(sentence);
	}
	windows_release(&w);
	return shown;
}

static void is(const char *text, const struct window_options *o, const char *want)
{
	const char *got = windows_of(text, o);

	if (!ok(!strcmp(got, want), "%s", text))
		printf("#   got:      %s\n#   expected: %s\n", got, want);
}

static const struct {
	const char *text, *want;
} cases[] = {
	/* time */
	{":", ":: 0-..."},
	{"100us:200us", "100us:200us: 100-200"},
	{"100us..200us", "100us..200us: 100-200"},
	{"0.1ms:0.0002s", "0.1ms:0.0002s: 100-200"},
	{"1500ns:", "1500ns:: 1.500-..."},
	{":50%", ":50%: 0-500"},
	{"10%:12.5%", "10%:12.5%: 100-125"},
	{"100us:+50us", "100us:+50us: 100-150"},
	{"100us:+10%", "100us:+10%: 100-200"},
	{"-100us:", "-100us:: 900-..."},
	{"-100us:-50us", "-100us:-50us: 900-950"},
	{"-10%:", "-10%:: 900-..."},
	{"5us:5us", "5us:5us: 5-5"},
	{"1h:2h", "1h:2h: 3600000000-7200000000 (window '1h:2h': it is after the end of the run, which is 0.999999ms long)"},
	{"2us:1us", "-3 window '2us:1us': its end (0.001ms) is before its begin (0.002ms)"},
	{"101%:", "-3 window '101%:': a percentage is at most 100%"},
	{"+5us:10us", "-3 window '+5us:10us': the trace has no region '+5us:10us'"},
	{"10:20", "-2 window '10:20': '10' needs a unit: ns, us, ms, s, m, h or %"},
	{"1us:20", "-2 window '1us:20': '20' needs a unit: ns, us, ms, s, m, h or %"},
	{"5us", "-2 window '5us': one end is missing: write BEGIN:END, '5us:' or ':5us'"},
	{"", "-2 a window must not be empty: ':' is the whole run"},
	/* by the clock on the wall: the run began 1 ms after 1970 did */
	{"@0.0011:@0.0012", "@0.0011:@0.0012: 100-200"},
	{"1970-01-01T00:00:00.0011Z..1970-01-01T02:00:00.0012+02:00",
	 "1970-01-01T00:00:00.0011Z..1970-01-01T02:00:00.0012+02:00: 100-200"},
	{"1970-01-01 00:00:00.0011:1970-01-01T00:00:00.0012",
	 "1970-01-01 00:00:00.0011:1970-01-01T00:00:00.0012: 100-200"},
	{"00:00:00.0011:00:00:00.0012", "00:00:00.0011:00:00:00.0012: 100-200"},
	{"@0:@0.0005", "@0:@0.0005: 0-0 (window '@0:@0.0005': it is before the beginning of the run)"},
	{"2024-05-01T12:00:00Z:",
	 "2024-05-01T12:00:00Z:: 1714564799999000-... (window '2024-05-01T12:00:00Z:': it is after the end of the run, which is "
	 "0.999999ms long)"},
	/* instances */
	{"step#2", "step#2: 200-260 | 200-250"},
	{"step#5", "step#5: 500-560 | none (window 'step#5': processes have 4 to 5 instances; the last windows are of fewer "
		   "processes)"},
	{"step#2@1", "step#2@1: 200-250"},
	{"step#2..3", "step#2..3: 200-260,300-360 | 200-250,300-350"},
	{"output", "output#1: 170-180 | 170-180; output#2: 370-380 | 370-380"},
	{"output#*", "output#*: 170-180,370-380 | 170-180,370-380"},
	{"output#*@0", "output#*@0: 170-180,370-380"},
	{"step#2:output#2", "step#2:output#2: 200-380 | 200-380"},
	{"step#2..output#2", "step#2..output#2: 200-380 | 200-380"},
	{"step#2+10us:step#2-10us", "step#2+10us:step#2-10us: 210-250 | 210-240"},
	{"step#2+50%:step#2", "step#2+50%:step#2: 230-260 | 225-250"},
	{"step#2@1+50%:output#2@0", "step#2@1+50%:output#2@0: 225-380"},
	{"step#2:+5us", "step#2:+5us: 200-205 | 200-205"},
	{":output#1", ":output#1: 0-180 | 0-180"},
	{"lonely", "lonely#1: none | 840-850 (window 'lonely': 1 of 2 processes have no instance and contribute nothing)"},
	{"fib", "fib#1: 620-680 | 620-680"},
	{"step#6", "-3 window 'step#6': no process has such an instance; there are 5"},
	{"step#0", "-2 window 'step#0': it names no instance: write #N or #N..M, counted from 1"},
	{"step#3..2", "-2 window 'step#3..2': it names no instance: write #N or #N..M, counted from 1"},
	{"step#1@7", "-3 window 'step#1@7': there is no rank 7"},
	{"step#1@4294967296", "-3 window 'step#1@4294967296': there is no rank 4294967296"},
	{"step#1:step#1+9223372036854775807ns", "step#1:step#1+9223372036854775807ns: 100-... | 100-..."},
	{"output#2:step#1", "-3 window 'output#2:step#1': its end (0.15ms) is before its begin (0.37ms)"},
	/* phases */
	{"step..output", "step..output#1: 100-180 | 100-180; step..output#2: 200-380 | 200-380; step..output#3: 400-999.999 | "
			 "400-999.999"},
	{"step..output#2", "step..output#2: 200-380 | 200-380"},
	{"output..output", "output..output#1: 170-380 | 170-380"},
	{"output..step#9", "-3 window 'output..step#9': there are 2 such phases"},
	/* names */
	{"main#1", "main#1: 10-999.999 | 10-999.999"},
	{"int main#1", "int main#1: 10-999.999 | 10-999.999"},
	{"int main(int, char **)#1", "int main(int, char **)#1: 10-999.999 | 10-999.999"},
	{"a:b", "a:b#1: 700-710 | 700-710"},
	{"a:b#1", "a:b#1: 700-710 | 700-710"},
	{"\"a:b\"#1", "\"a:b\"#1: 700-710 | 700-710"},
	{"a:b#1:a:b#1", "a:b#1:a:b#1: 700-710 | 700-710"},
	{"a:b..fib", "a:b..fib#1: 700-999.999 | 700-999.999"},
	{"fib..a:b", "fib..a:b#1: 620-710 | 620-710"},
	{"say \"hi\"#1", "say \"hi\"#1: 720-730 | 720-730"},
	{"\"say \\\"hi\\\"\"#1", "\"say \\\"hi\\\"\"#1: 720-730 | 720-730"},
	{"a region (with blanks): 1ms..2ms#1", "a region (with blanks): 1ms..2ms#1: 110-130 | 110-130"},
	{"a region (with blanks): 1ms..2ms#4..5", "a region (with blanks): 1ms..2ms#4..5: 410-430,510-530 | 410-430 (window "
		"'a region (with blanks): 1ms..2ms#4..5': processes have 4 to 5 instances; the last windows are of fewer processes)"},
	{"std::vector<int, std::allocator<int> >::push_back#1",
	 "std::vector<int, std::allocator<int> >::push_back#1: 740-750 | 740-750"},
	{"void std::vector<int, std::allocator<int> >::push_back#1",
	 "void std::vector<int, std::allocator<int> >::push_back#1: 740-750 | 740-750"},
	{"push_back", "push_back#1: 740-750 | 740-750"},
	{"Solver::run", "Solver::run#1: 760-770 | 760-770"},
	{"run#1", "run#1: 760-770 | 760-770"},
	{"Call::operator()#1", "Call::operator()#1: 820-830 | 820-830"},
	/* A region, and no loop. */
	{"iterate#1", "iterate#1: 860-870 | 860-870"},
	{"twin", "-3 window 'twin': 'twin' is 'A::twin(int)' or 'B::twin(int)': use the full name"},
	{"B::twin#1", "B::twin#1: 800-810 | 800-810"},
	{"stepp", "-3 window 'stepp': the trace has no region 'stepp'; did you mean 'step'?"},
	{"nosuch#1..2", "-3 window 'nosuch#1..2': the trace has no region 'nosuch'"},
	{"10..20", "-2 window '10..20': '10' needs a unit: ns, us, ms, s, m, h or %"},
	{"nothing like it", "-3 window 'nothing like it': the trace has no region 'nothing like it'"},
	{"outptu#1", "-3 window 'outptu#1': the trace has no region 'outptu'; did you mean 'output'?"},
	/* loops */
	{"iter=2", "iter=2: 200-300 | 200-300 (window 'iter=2': the loop in 'int main(int, char **)' whose iterations begin with "
		   "'step': 4 to 5 iterations)"},
	{"iter(step)=2..3", "iter(step)=2..3: 200-400 | 200-400 (window 'iter(step)=2..3': the loop in 'int main(int, char **)' "
			    "whose iterations begin with 'step': 4 to 5 iterations)"},
	{"iter(output)=1", "iter(output)=1: 170-370 | 170-370 (window 'iter(output)=1': the loop in 'int main(int, char **)' whose "
			   "iterations begin with 'output': 2 iterations)"},
	{"iter=9", "-3 window 'iter=9': no process has such an instance; there are 5"},
	{"iter(nosuch)=1", "-3 window 'iter(nosuch)=1': the trace has no region 'nosuch'"},
};

static void check_series(void)
{
	static const char *const ranks[] = {"0", "1", "0..1", "5"};
	struct window_options every = {.series = {.every_ns = 400 * US}},
			      slices = {.series = {.slices = 4}}, two = {.series = {.every_n = 2}},
			      only = {0};
	struct filter chosen = {0};
	struct error e = {0};

	is(":", &every, "0ms:0.4ms: 0-400; 0.4ms:0.8ms: 400-800; 0.8ms:1ms: 800-...");
	is("100us:900us", &every, "0.1ms:0.5ms: 100-500; 0.5ms:0.9ms: 500-900");
	is(":", &slices, "0ms:0.25ms: 0-250; 0.25ms:0.5ms: 250-500; 0.5ms:0.75ms: 500-750; 0.75ms:1ms: 750-...");
	is("step#1", &slices,
	   "step#1 slice 1 of 4: 100-115 | 100-112.500; step#1 slice 2 of 4: 115-130 | 112.500-125; step#1 slice 3 of 4: "
	   "130-145 | 125-137.500; step#1 slice 4 of 4: 145-160 | 137.500-150");
	every.series.every_ns = 25 * US;
	is("step#1", &every,
	   "step#1+0ms:step#1+0.025ms: 100-125 | 100-125; step#1+0.025ms:step#1+0.05ms: 125-150 | 125-150; "
	   "step#1+0.05ms:step#1: 150-160 | none");
	is("step#1..2", &slices, "-2 window 'step#1..2': it is several spans of time, and only one span can be cut into slices");
	is("output", &two, "output#1..2: 170-180,370-380 | 170-180,370-380");
	is("output#*", &two, "output#*: 170-180,370-380 | 170-180,370-380");
	is("iter=1..4", &two,
	   "iter=1..2: 100-300 | 100-300; iter=3..4: 300-500 | 300-450 (window 'iter=1..4': the loop in 'int main(int, char "
	   "**)' whose iterations begin with 'step': 4 to 5 iterations)");
	every.series.every_ns = 1;
	is(":", &every, "-3 window ':': that would be 1000000 windows, and at most 100000 are possible; select some (NAME#1..100), "
			"all as one window (NAME#*), or several at a time (--every)");
	ok(!filter_parse(ranks[0], "rank", &chosen.rank, &e), "a rank");
	only.only = &chosen;
	is("step", &only, "step#1: 100-160 | none; step#2: 200-260 | none; step#3: 300-360 | none; step#4: 400-460 | none; "
			  "step#5: 500-560 | none");
	is("lonely", &only, "-3 window 'lonely': the region is never entered on the selected ranks");
	filter_release(&chosen);
	ok(filter_parse("3..1", "rank", &chosen.rank, &e) == ERROR_USAGE, "%s", e.text);
	ok(filter_parse("1,,2", "rank", &chosen.rank, &e) == ERROR_USAGE, "%s", e.text);
	ok(filter_parse("x", "thread", &chosen.rank, &e) == ERROR_USAGE, "%s", e.text);
	filter_release(&chosen);
}

/* ---- loops ---- */

/*
 * Calls as letters, each 10 ns long and 10 ns after the one before (capitals take 1000). Yields the iterations as the letters
 * at their beginnings and how many calls are in each: "a4 a4 a5".
 */
static const char *loops(const char *letters, char head)
{
	size_t n = strlen(letters), at[256];
	struct loop_call *c = calloc(n, sizeof(*c));
	struct window_spans out = {0};
	uint32_t found;
	int64_t time = 0;

	for (size_t i = 0; i < n; i++) {
		c[i].region = (uint32_t)letters[i];
		c[i].begin = time;
		time += letters[i] < 'a' ? 1000 : 10;
		c[i].end = time;
		at[i] = 0;
	}
	shown_n = 0;
	*shown = 0;
	if (!loop_find(c, n, head ? (uint32_t)head : LOOP_ANY, &found, &out))
		show("none");
	for (size_t i = 0; i < out.v_n; i++) {
		size_t calls = 0;

		for (size_t k = 0; k < n; k++)
			calls += c[k].begin >= out.v[i].begin && c[k].begin < out.v[i].end;
		show("%s%c%zu", i ? " " : "", (char)found, calls);
	}
	(void)at;
	free(out.v);
	free(c);
	return shown;
}

static void loop_is(const char *letters, char head, const char *want, const char *what)
{
	const char *got = loops(letters, head);

	if (!ok(!strcmp(got, want), "%s", what))
		printf("#   got:      %s\n#   expected: %s\n", got, want);
}

static void check_loops(void)
{
	loop_is("iabcabcabcf", 0, "a3 a3 a3", "a loop between a beginning and an end");
	loop_is("iaaaaf", 0, "a1 a1 a1 a1", "of one region");
	loop_is("iabbcabbbbcabcabbcf", 0, "a4 a6 a3 a4", "of a solver that takes longer at times");
	loop_is("abababohabababohababab", 0, "a2 a2 a4 a2 a2 a4 a2 a2 a2", "with output every now and then");
	loop_is("bixabcabcabcabcxbf", 0, "a3 a3 a3 a3", "whose regions are called elsewhere, too");
	loop_is("AxxxxxxxxBAxxxxxxxxxxxxBAxxxxxB", 0, "A10 A14 A7", "around another, when what the outer one adds takes long");
	loop_is("iiiiiiiiiiSSSSSf", 0, "S1 S1 S1 S1 S1", "that takes the time, behind shorter calls that are more");
	loop_is("iiiiiSSSSSf", 0, "S1 S1 S1 S1 S1", "or as many");
	loop_is("iiiiiiiiaBaBaBaBeeeeeeeee", 0, "a2 a2 a2 a2", "between shorter ones");
	loop_is("iiiiiiiiaBaBoaBaBoaBaBo", 0, "a2 a3 a2 a3 a2 a2", "with output every now and then as well");
	loop_is("abcdef", 0, "none", "no loop");
	loop_is("abab", 0, "none", "twice is no loop");
	loop_is("ixayabyabcya", 'a', "a2 a3 a4 a1", "a named head begins an iteration at each call");
	loop_is("xxabc", 'b', "b2", "even one alone");
	loop_is("xxabc", 'q', "none", "one that is never called begins none");
}

int main(void)
{
	struct error e = {0};
	char command[100];

	setenv("TZ", "UTC", 1);
	tzset();
	if (!mkdtemp(dir))
		return 1;
	rank_write(0);
	rank_write(1);
	if (!ok(!trace_open(dir, &trace, &e), "the trace opens%s%s", *e.text ? ": " : "", e.text))
		return tap_end();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is(cases[i].text, NULL, cases[i].want);
	check_series();
	trace_free(trace);
	check_loops();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 1 : tap_end();
}
