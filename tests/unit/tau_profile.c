/* tau_profile.c: TAU profile directories are read, blemishes included, and survive read, write, read unchanged. */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/inputs.h"
#include "convert/tau/tau_profile.h"
#include "files.h"
#include "profiles.h"
#include "tap.h"
#include "record/metadata.h"

static char scratch[] = "/tmp/tau-test.XXXXXX";

static const char *below(const char *name)
{
	return file_below(scratch, name);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(below(name), "w");

	fputs(text, f);
	fclose(f);
}

static void check_real_set(const char *data, const char *set, size_t threads)
{
	struct profile *p = NULL, *q = NULL;
	struct error e = { 0 };
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/tau/profiles/%s", data, set);
	if (access(dir, R_OK) < 0) {
		skip(set, "the recorded data are not here");
		return;
	}
	ok(path_tau_profile_is(dir) && path_tau_profile_read(dir, &p, &e) == 0 && p->thread_n == threads, "%s is read: %s", set, e.text);
	ok(tau_profile_write(below(set), p, &e) == 0 && path_tau_profile_read(below(set), &q, &e) == 0, "%s is written: %s", set,
	   e.text);
	ok(q && profiles_same(p, q), "%s is the same afterwards", set);
	profile_free(p);
	profile_free(q);
}

static void check_contents(const char *data)
{
	struct profile *p = NULL;
	struct error e = { 0 };
	char dir[4096], name[200];
	const struct profile_sample *s;
	int64_t c;

	snprintf(dir, sizeof(dir), "%s/tau/profiles/workflow-8", data);
	if (path_tau_profile_read(dir, &p, &e) < 0) {
		skip("contents of workflow-8", "the recorded data are not here");
		return;
	}
	c = names_find(&p->counter_names, "Message size for broadcast", 26);
	s = c < 0 ? NULL : profile_sample_get(&p->thread[0], (uint32_t)c, PROFILE_FLAT);
	ok(s && s->n == 64 && s->max == 4096 && s->min == 4 && s->mean == 72.875 && s->sumsq == 16808256, "an event's numbers");
	c = names_find(&p->counter_names, "[GROUP=MAX_MARKER] Message size for broadcast", 45);
	s = p->thread[0].sample;
	while (c >= 0 && (s->counter != c || s->path == PROFILE_FLAT || p->path[s->path].parent == PROFILE_FLAT))
		s++;
	profile_path_name(p, s->path, name, sizeof(name));
	ok(s->n == 1 && !strcmp(name, "ADIOS open => MPI_Bcast()"), "an event's context is a call path: '%s'", name);
	ok(profile_pes(p) == 8 && !strcmp(profile_meta(p, UINT32_MAX, "TAU_TRACE"), "off") &&
		   profile_meta(p, 3, "pid") && !profile_meta(p, UINT32_MAX, "pid"),
	   "what all threads share is metadata of the trial, the rest of the thread");
	profile_free(p);
}

static void check_random(void)
{
	uint64_t seed = 20240611;
	int same = 1, i;

	for (i = 0; i < 200 && same; i++) {
		struct profile *p = profiles_make(&seed, 1 + (uint64_t)i), *q = NULL;
		struct error e = { 0 };

		same = tau_profile_write(below("random"), p, &e) == 0 && path_tau_profile_read(below("random"), &q, &e) == 0 &&
		       profiles_same(p, q);
		if (!same)
			printf("# %s\n", e.text);
		profile_free(p);
		profile_free(q);
	}
	ok(same, "random profiles survive write and read (seed 20240611, %d of 200)", i);
}

#define HEAD "1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"
#define MAIN "\"main\" 1 0 5 5 0 GROUP=\"TAU_USER\" \n"

/* Files as they are met, each with what must come out as text, or with the error. */
static void check_one(const char *what, const char *text, const char *expected)
{
	struct profile *p = NULL;
	struct error e = { 0 };
	char *got;
	int code;

	mkdir(below("one"), 0777);
	put("one/profile.0.0.0", text);
	code = path_tau_profile_read(below("one"), &p, &e);
	got = code < 0 ? mem_string(e.text) : profiles_text(p);
	if (!ok(strstr(got, expected) != NULL, "%s", what))
		printf("# got: %s\n# expected: %s\n", got, expected);
	free(got);
	profile_free(p);
}

static void check_blemishes(void)
{
	check_one("old files name no metric", "1 templated_functions\n# Name\n" MAIN "0 aggregates\n", "metric TIME\n");
	check_one("the metadata name it",
		  "1 templated_functions\n# Name # <metadata><attribute><name>Metric Name</name><value>P_WALL</value></attribute>"
		  "</metadata>\n" MAIN "0 aggregates\n",
		  "metric P_WALL\n");
	check_one("the header line may be missing", "1 templated_functions_MULTI_TIME\n" MAIN "0 aggregates\n",
		  "row 'main' TIME incl 5");
	check_one("line ends of another system",
		  "1 templated_functions_MULTI_TIME\r\n# Name\r\n\"main\" 1 0 5 5 0 GROUP=\"A\" \r\n0 aggregates\r\n",
		  "row 'main' groups 'A'");
	check_one("blank lines and blanks", "\n" HEAD "\n  \"main  \"   1\t0  5 5 0   GROUP=\" A | B \"  \n\n0 aggregates\n",
		  "row 'main' groups 'A|B' file :0 calls 1");
	check_one("quotes in a name", HEAD "\"f(\"a\" 1 2)\" 1 0 5 5 0 GROUP=\"A\" \n0 aggregates\n", "row 'f(\"a\" 1 2)' groups");
	check_one("exponents and what is not finite", HEAD "\"main\" 1E+3 0 nan INF 0 GROUP=\"A\" \n0 aggregates\n",
		  "TIME incl inf excl nan");
	check_one("no group", HEAD "\"a => b\" 1 0 5 5 0\n0 aggregates\n", "row 'a => b' groups ''");
	check_one("a name with an arrow that is no call path", HEAD "\"a => b\" 1 0 5 5 0 GROUP=\"A\" \n0 aggregates\n",
		  "row 'a => b' groups 'A'");
	check_one("the group TAU_CALLPATH may stand anywhere",
		  HEAD "\"a  => [SAMPLE] b\" 1 0 5 5 0 GROUP=\"TAU_SAMPLE|TAU_CALLPATH\" \n0 aggregates\n",
		  "row 'a => [SAMPLE] b' groups 'TAU_SAMPLE'");
	check_one("throttled timers", HEAD "\"f [THROTTLED]\" 100001 0 5 5 0 GROUP=\"TAU_DISABLE\" \n0 aggregates\n",
		  "row 'f [THROTTLED]' groups 'TAU_DISABLE'");
	check_one("source locations", HEAD "\"f [{a b.c} {12,3}-{14,1}]  \" 1 0 5 5 0 GROUP=\"A\" \n0 aggregates\n", "file a b.c:12");
	check_one("names that differ in blanks are added",
		  "2 templated_functions_MULTI_TIME\n" MAIN "\"main  \" 2 0 7 7 0 GROUP=\"TAU_USER\" \n0 aggregates\n",
		  "TIME incl 12 excl 12\n0.0.0 row 'main' groups 'TAU_USER' file :0 calls 3 subrs 0");
	check_one("aggregates are skipped, and said so", HEAD MAIN "1 aggregates\n\"x\" 1 2 3\n",
		  "meta 'TAU Aggregates Skipped' '1'");
	check_one("a counter's own ' : '", HEAD MAIN "0 aggregates\n1 userevents\n# x\n\"cache : L1\" 1 2 2 2 4\n",
		  "event 'cache : L1' kind 0 in ''");
	check_one("a context of known timers", HEAD MAIN "0 aggregates\n1 userevents\n# x\n\"E : main\" 1 2 2 2 4\n",
		  "event 'E' kind 0 in 'main'");
	check_one("the same event twice",
		  HEAD MAIN "0 aggregates\n3 userevents\n\"E\" 1 2 2 2 4\n\"E : x\" 1 2 2 2 4\n\"E : x\" 1 2 2 2 4\n",
		  "event 'E : x' kind 0 in ''");
}

/* Files that a program or an editor has changed: what can be read, and a note about what is ignored. */
#define THREE(line) "3 templated_functions_MULTI_TIME\n# Name\n" MAIN line "\n\"c\" 1 0 5 5 0 GROUP=\"A\"\n"
static void check_strange(void)
{
	static const char utf16[] = "\xff\xfe" "1\0 \0t\0e\0m\0p\0l\0a\0t\0e\0d\0_\0f\0u\0n\0c\0t\0i\0o\0n\0s\0\n\0"
				    "\"\0\xe9\0=\xd8\x00\xde\"\0 \0" "1\0 \0" "0\0 \0" "5\0 \0" "5\0 \0" "0\0\n\0"
				    "0\0 \0a\0g\0g\0r\0e\0g\0a\0t\0e\0s\0\n";
	static const char nul[] = HEAD MAIN "0 aggregates\n\0\0\0", early[] = HEAD "\0" MAIN "0 aggregates\n";
	const struct {
		const char *what, *bytes;
		size_t n;
		const char *expected;
	} cases[] = {
		{"text after the timers", HEAD MAIN "0 aggregates\nbye\n", 0,
		 "'Text Ignored' 'profile.0.0.0 from line 5 on, after its last timer'"},
		{"text after the events", HEAD MAIN "0 aggregates\n1 userevents\n\"E\" 1 2 2 2 4\n\"F\" 1 2 2 2 4\n", 0,
		 "'Text Ignored' 'profile.0.0.0 from line 7 on, after its last user event'"},
		{"and the timers are read", HEAD MAIN "0 aggregates\nbye\n", 0, "row 'main' groups 'TAU_USER' file :0 calls 1"},
		{"NULs at the end", nul, sizeof(nul) - 1, "'Text Ignored' 'profile.0.0.0 from line 5 on"},
		{"a NUL before the end", early, sizeof(early) - 1, "byte 77: a NUL in a text file"},
		{"a byte order mark", "\xef\xbb\xbf" HEAD MAIN "0 aggregates\n", 0, "row 'main' groups 'TAU_USER'"},
		{"UTF-16, with a byte too many", utf16, sizeof(utf16) - 1, "row '\xc3\xa9\xf0\x9f\x98\x80' TIME incl 5"},
		{"a damaged timer among others", THREE("\"b\" 1 x 5 5 0") "0 aggregates\n", 0,
		 "'Text Ignored' 'profile.0.0.0: 1 line among its timers, the first is line 4'"},
		{"... and those after it are read", THREE("\"b\" 1 x 5 5 0") "0 aggregates\n", 0, "row 'c' groups 'A'"},
		{"a damaged begin of a timer", THREE("b\" 1 0 5 5 0") "0 aggregates\n", 0, "row 'c' groups 'A'"},
		{"a line of the program among timers", THREE("hello\n\"b\" 1 0 5 5 0") "0 aggregates\n", 0, "row 'b' groups ''"},
		{"two of three timers damaged", "3 templated_functions_MULTI_TIME\n# Name\n" MAIN "\"b\" 1\n\"c\" 1\n0 aggregates\n", 0,
		 "line 4: timer 'b' needs five numbers"},
		{"counters of an old TAU", "1 templated_functions_hw_counters\n# Name\n" MAIN "0 aggregates\n", 0,
		 "metric hw_counters\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = cases[i].n ? cases[i].n : strlen(cases[i].bytes);
		struct profile *p = NULL;
		struct error e = { 0 };
		FILE *f = fopen(below("one/profile.0.0.0"), "w");
		char *got;

		fwrite(cases[i].bytes, 1, n, f);
		fclose(f);
		got = path_tau_profile_read(below("one"), &p, &e) ? mem_string(e.text) : profiles_text(p);
		if (!ok(strstr(got, cases[i].expected) != NULL, "%s", cases[i].what))
			printf("# got: %s\n# expected: %s\n", got, cases[i].expected);
		free(got);
		profile_free(p);
	}
}

#define META(s) "1 templated_functions_MULTI_TIME\n# Name # <metadata>" s "</metadata>\n" MAIN "0 aggregates\n"

static void check_metadata(void)
{
	check_one("CDATA", META("<attribute><name>a</name><value><![CDATA[x < & y]]></value></attribute>"), "meta 'a' 'x < & y'");
	check_one("entities", META("<attribute><name>a</name><value>&lt;&amp;&#xa;&#65;&#x20AC;&no;</value></attribute>"),
		  "meta 'a' '<&\nA\u20ac&no;'");
	check_one("what was not escaped", META("<attribute><name>a</name><value>x <b> & y</value></attribute>"),
		  "meta 'a' 'x <b> & y'");
	check_one("line ends", META("<attribute><name>a</name>\n<value>x\ny</value></attribute>"), "meta 'a' 'x\ny'");
	check_one("the context of a timer",
		  META("<attribute><name>a</name><timer_context>f()</timer_context><call_number>2</call_number><timestamp>7"
		       "</timestamp><value>v</value></attribute>"),
		  "meta 'a (in f(), call 2, at 7 us)' 'v'");
	check_one("arrays and objects",
		  META("<attribute><name>a</name><value><array_element>1</array_element><array_element>2</array_element></value>"
		       "</attribute><attribute><name>o</name><value><attribute><name>k</name><value>v</value></attribute></value>"
		       "</attribute>"),
		  "meta 'a' '[1, 2]'\nmeta 'o' '{k: v}'");
}

static void check_errors(void)
{
	check_one("an empty file", "", "profile.0.0.0: line 0: expected '<n> templated_functions_MULTI_<METRIC>', found an empty");
	check_one("another file", "#!/bin/sh\n", "line 1: expected '<n> templated");
	check_one("a count too large", "99999999999 templated_functions_MULTI_TIME\n", "line 1: expected '<n> templated");
	check_one("too few timers", "2 templated_functions_MULTI_TIME\n" MAIN, "line 2: the file ends after 1 of 2 timers");
	check_one("too many timers", HEAD MAIN MAIN "0 aggregates\n", "line 4: expected '<n> aggregates'");
	check_one("no aggregates", HEAD MAIN, "line 3: expected '<n> aggregates' after the timers, found the end");
	check_one("a number is missing", HEAD "\"main\" 1 0 5 5 GROUP=\"A\" \n", "line 3: timer 'main' needs five numbers");
	check_one("letters in a number", HEAD "\"main\" 1 0 5x 5 0 GROUP=\"A\" \n", "line 3: timer 'main' needs five numbers");
	check_one("no name", HEAD "main 1 0 5 5 0 GROUP=\"A\" \n", "line 3: expected a timer's name in quotes");
	check_one("an open group", HEAD "\"main\" 1 0 5 5 0 GROUP=\"A\n", "line 3: GROUP=\" has no closing quote");
	check_one("an empty element", HEAD "\"a =>  => b\" 1 0 5 5 0 GROUP=\"TAU_CALLPATH\" \n", "line 3: call path 'a =>  => b' has");
	check_one("too few events", HEAD MAIN "0 aggregates\n2 userevents\n# e\n\"E\" 1 2 2 2 4\n",
		  "line 7: the file ends after 1 of 2 user events");
	check_one("an event cut short", HEAD MAIN "0 aggregates\n1 userevents\n\"E\" 1 2 2 2 41",
		  "line 6: user event 'E' is cut short");
	check_one("open metadata", "1 templated_functions_MULTI_TIME\n# <metadata><attribute><name>a</name>\n", "line 3: an <attribute>");
	check_one("an open value", META("<attribute><name>a</name><value>v"), "has no end");
	check_one("open CDATA", META("<attribute><name>a</name><value><![CDATA[v"), "line 2: a CDATA section has no end");
}

/* Cut at every byte: the same profile, or an error, never another number. */
static void check_truncation(void)
{
	static const char text[] = "2 templated_functions_MULTI_TIME\n# N # <metadata><attribute><name>a</name><value>b</value>"
				   "</attribute></metadata>\n" MAIN "\"main => f\" 1 0 15 15 0 GROUP=\"TAU_CALLPATH|X\" \n"
				   "0 aggregates\n1 userevents\n# e\n\"E\" 10 20 20 20 4000\n";
	const char *events = strstr(text, "1 userevents");
	int good = 1;

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		struct profile *p = NULL;
		struct error e = { 0 };
		char cut[sizeof(text)];
		int code, prefix = n >= (size_t)(events - text) - 1 && n <= (size_t)(events - text);

		memcpy(cut, text, n);
		cut[n] = 0;
		put("one/profile.0.0.0", cut);
		code = path_tau_profile_read(below("one"), &p, &e);
		if ((code == 0) != prefix || (code < 0 && !strstr(e.text, "profile.0.0.0: line "))) {
			printf("# cut at %zu: %d %s\n", n, code, e.text);
			good = 0;
		}
		profile_free(p);
	}
	ok(good, "a file cut at any byte is an error, except exactly before its events");
}

/* Any byte may be wrong: a profile or a sentence, and no access outside. */
static void check_flips(void)
{
	static const char text[] = "2 templated_functions_MULTI_TIME\n# N # <metadata><attribute><name>a</name><value>&lt;"
				   "<![CDATA[b]]></value></attribute></metadata>\n" MAIN
				   "\"main => f\" 1 0 15 15 0 GROUP=\"TAU_CALLPATH|X\" \n"
				   "0 aggregates\n2 userevents\n# e\n\"E\" 10 20 20 20 4000\n\"E : main\" 1 2 3 4 5\n";
	static const char put_in[] = "\n\"<>& =:0|\x80\xff[{";
	int good = 1;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		for (size_t k = 0; k < sizeof(put_in); k++) {
			struct profile *p = NULL;
			struct error e = { 0 };
			FILE *f = fopen(below("one/profile.0.0.0"), "w");

			fwrite(text, 1, i, f);
			putc(put_in[k], f);
			fwrite(text + i + 1, 1, sizeof(text) - 2 - i, f);
			fclose(f);
			if (path_tau_profile_read(below("one"), &p, &e) < 0)
				good &= strstr(e.text, "profile.0.0.0: ") != NULL;
			profile_free(p);
		}
	ok(good, "a wrong byte anywhere is a sentence about the file, or another profile");
}

static int entries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Refuses to let files grow: nothing of the new directory stays, and an old one stays as it is. */
static void check_full(void)
{
	uint64_t seed = 3;
	struct profile *p = profiles_make(&seed, 3), *q = NULL;
	struct rlimit all, limit;
	struct error e = { 0 };
	int before, code, again;

	tau_profile_write(below("kept"), p, &e);
	before = entries(scratch);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &all);
	limit = all;
	limit.rlim_cur = 1000;
	setrlimit(RLIMIT_FSIZE, &limit);
	code = tau_profile_write(below("full"), p, &e);
	again = tau_profile_write(below("kept"), p, &e);
	setrlimit(RLIMIT_FSIZE, &all);
	ok(code == ERROR_SYSTEM && again == ERROR_SYSTEM && entries(scratch) == before, "what cannot be written leaves nothing: %s",
	   e.text);
	ok(path_tau_profile_read(below("kept"), &q, &e) == 0 && profiles_same(p, q), "and an older profile stays");
	profile_free(p);
	profile_free(q);
}

/* Two metrics; which of the files are there decides. */
static void check_metrics(void)
{
	struct profile *p = NULL, *q = NULL;
	struct error e = { 0 };

	mkdir(below("multi"), 0777);
	mkdir(below("multi/MULTI__A"), 0777);
	mkdir(below("multi/MULTI__B"), 0777);
	put("multi/MULTI__A/profile.0.0.0", "1 templated_functions_MULTI_A\n" MAIN "0 aggregates\n1 userevents\n\"E\" 1 2 2 2 4\n");
	put("multi/MULTI__B/profile.0.0.0",
	    "1 templated_functions_MULTI_B\n\"main\" 1 0 6 9 0 GROUP=\"A\" \n0 aggregates\n1 userevents\n\"E\" 1 2 2 2 4\n");
	ok(path_tau_profile_read(below("multi"), &p, &e) == 0 && p->metric_n == 2 && p->thread[0].values[1] == 9 &&
		   p->thread[0].values[3] == 6 && p->thread[0].sample_n == 1 && p->thread[0].sample[0].n == 1,
	   "metrics are columns, events are not doubled: %s", e.text);
	ok(tau_profile_write(below("multi2"), p, &e) == 0 && path_tau_profile_read(below("multi2"), &q, &e) == 0 &&
		   profiles_same(p, q),
	   "several metrics survive");
	profile_free(p);
	profile_free(q);
	put("multi/profile.0.0.0", HEAD MAIN "0 aggregates\n");
	ok(path_tau_profile_read(below("multi"), &p, &e) < 0 && strstr(e.text, "holds both"), "%s", e.text);
}

/* "calls,incl of A,incl of B" of a timer on a thread; "" where it has no row. */
static const char *of_both(const struct profile *p, uint32_t thread, const char *timer)
{
	static char text[3][80];
	static int turn;
	char *to = text[turn = (turn + 1) % 3];

	*to = 0;
	for (size_t i = 0; thread < p->thread_n && i < p->thread[thread].row_n; i++) {
		struct profile_thread *t = &p->thread[thread];

		if (!strcmp(p->timer[p->path[t->row[i].path].timer].name, timer))
			snprintf(to, sizeof(text[0]), "%g,%g,%g", t->row[i].calls, profile_incl(t, &t->row[i])[0],
				 profile_incl(t, &t->row[i])[1]);
	}
	return to;
}

/* Metrics of which one knows a timer, or a thread, that the other does not, either way round. */
static void check_missing(void)
{
	struct profile *p = NULL;
	struct error e = { 0 };
	const char *said;

	mkdir(below("part"), 0777);
	mkdir(below("part/MULTI__A"), 0777);
	mkdir(below("part/MULTI__B"), 0777);
	mkdir(below("part/MULTI__C"), 0777);
	put("part/MULTI__A/profile.0.0.0", "3 templated_functions_MULTI_A\n\"x\" 5 0 1 2 0 GROUP=\"A\" \n" MAIN
	    "\"y\" 7 0 3 4 0 GROUP=\"A\" \n0 aggregates\n");
	put("part/MULTI__B/profile.0.0.0", "2 templated_functions_MULTI_B\n\"main\" 1 0 6 9 0 GROUP=\"A\" \n"
	    "\"z\" 8 0 5 6 0 GROUP=\"A\" \n0 aggregates\n");
	put("part/MULTI__A/profile.1.0.0", "1 templated_functions_MULTI_A\n" MAIN "0 aggregates\n");
	put("part/MULTI__B/profile.2.0.0", "1 templated_functions_MULTI_B\n# N # <metadata><attribute><name>Host</name><value>h</value>"
	    "</attribute></metadata>\n\"main\" 3 0 6 7 0 GROUP=\"A\" \n0 aggregates\n1 userevents\n\"E\" 1 2 2 2 4\n");
	if (!ok(path_tau_profile_read(below("part"), &p, &e) == 0, "metrics that do not know the same timers and threads: %s", e.text))
		return;
	ok(p->metric_n == 2 && p->thread_n == 3 && !strcmp(of_both(p, 0, "main"), "1,5,9") && !strcmp(of_both(p, 0, "x"), "5,2,0") &&
		   !strcmp(of_both(p, 0, "y"), "7,4,0") && !strcmp(of_both(p, 0, "z"), "8,0,6"),
	   "all timers are there, with their calls");
	ok(!strcmp(of_both(p, 1, "main"), "1,5,0") && !strcmp(of_both(p, 2, "main"), "3,0,7") && p->thread[2].sample_n == 1 &&
		   profile_meta(p, 2, "Host"),
	   "all threads are there, with their counters and metadata");
	said = profile_meta(p, UINT32_MAX, TAU_META_VALUES_MISSING);
	ok(said && !strcmp(said, "MULTI__C (no files), A (2), B (3)"), "what a metric lacks is counted: %s", said ? said : "");
	profile_free(p);
}

/* One damaged file of many is skipped and named; the others are read as if it were not there. */
static void check_damaged(void)
{
	static const char cut[] = HEAD "\"other\" 1 0 5 5 0 GROUP=\"A\" \n", good[] = HEAD MAIN "0 aggregates\n";
	struct profile *p = NULL, *q = NULL;
	struct error e = { 0 };
	const char *said;

	mkdir(below("many"), 0777);
	put("many/profile.0.0.0", "");
	put("many/profile.1.0.0", good);
	put("many/profile.2.0.0", cut);
	put("many/profile.3.0.0", good);
	ok(path_tau_profile_read(below("many"), &p, &e) == 0 && p->thread_n == 2 && p->thread[0].node == 1 && p->thread[1].node == 3,
	   "an empty file and one that is cut do not lose the others: %s", e.text);
	said = p ? profile_meta(p, UINT32_MAX, TAU_META_FILES_LEFT_OUT) : NULL;
	ok(said && strstr(said, "profile.0.0.0: line 0: ") && strstr(said, "; profile.2.0.0: line "), "they are named: %s",
	   said ? said : "");
	ok(p && p->thread[0].row_n == 1 && p->thread[1].row_n == 1, "and nothing of them is there");
	profile_free(p);
	put("many/profile.1.0.0", "");
	put("many/profile.3.0.0", "");
	ok(path_tau_profile_read(below("many"), &q, &e) == ERROR_INPUT && strstr(e.text, "profile.0.0.0: line 0: "),
	   "without any that is whole: %s", e.text);
	profile_free(q);

	mkdir(below("two"), 0777);
	mkdir(below("two/MULTI__A"), 0777);
	mkdir(below("two/MULTI__B"), 0777);
	put("two/MULTI__A/profile.0.0.0", "1 templated_functions_MULTI_A\n" MAIN "0 aggregates\n");
	put("two/MULTI__B/profile.0.0.0", "2 templated_functions_MULTI_B\n" MAIN "\"x\" 1 0 5 5 0 GROUP=\"A\" \n");
	put("two/MULTI__A/profile.1.0.0", "");
	put("two/MULTI__B/profile.1.0.0", "1 templated_functions_MULTI_B\n" MAIN "0 aggregates\n1 userevents\n\"E\" 1 2 2 2 4\n");
	p = NULL;
	ok(path_tau_profile_read(below("two"), &p, &e) == 0 && p->thread_n == 2 && !strcmp(of_both(p, 0, "main"), "1,5,0") &&
		   !strcmp(of_both(p, 1, "main"), "1,0,5") && p->thread[1].sample_n == 1,
	   "of several metrics what is whole remains: %s", e.text);
	ok(p && p->thread[0].row_n == 1 && !strcmp(profile_meta(p, UINT32_MAX, TAU_META_VALUES_MISSING), "A (1), B (1)"), "what is missing is counted");
	profile_free(p);
}

static void check_replacing(void)
{
	uint64_t seed = 1;
	struct profile *p = profiles_make(&seed, 1);
	struct error e = { 0 };

	ok(tau_profile_write(below("out"), p, &e) == 0 && tau_profile_write(below("out/"), p, &e) == 0,
	   "an older profile is replaced: %s", e.text);
	put("out/notes.txt", "mine\n");
	ok(tau_profile_write(below("out"), p, &e) == ERROR_SYSTEM && strstr(e.text, "contains 'notes.txt', which is not a TAU profile"),
	   "what is not ours is not: %s", e.text);
	ok(access(below("out/notes.txt"), R_OK) == 0, "and stays");
	ok(tau_profile_write(below("out/notes.txt"), p, &e) == ERROR_SYSTEM, "a file is not replaced: %s", e.text);
	ok(tau_profile_write(below("no/where"), p, &e) == ERROR_SYSTEM && access(below("no"), F_OK) < 0, "%s", e.text);
	ok(tau_profile_write(".", p, &e) == ERROR_USAGE && tau_profile_write("..", p, &e) == ERROR_USAGE, "%s", e.text);
	ok(!path_tau_profile_is(below("no")) && !path_tau_profile_is(scratch) && path_tau_profile_is(below("out")), "directories of profiles are recognized");
	profile_free(p);
}

int main(void)
{
	const char *data = getenv("TAU_TEST_DATA") ? getenv("TAU_TEST_DATA") : "../shared/data";
	char command[100];

	if (!mkdtemp(scratch))
		return 1;
	check_real_set(data, "cpi-callpath-4", 4);
	check_real_set(data, "matmult-1", 1);
	check_real_set(data, "matmult-2", 2);
	check_real_set(data, "matmult-4", 4);
	check_real_set(data, "workflow-8", 8);
	check_contents(data);
	check_random();
	check_blemishes();
	check_strange();
	check_metadata();
	check_errors();
	check_truncation();
	check_flips();
	check_full();
	check_metrics();
	check_missing();
	check_damaged();
	check_replacing();
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return tap_end() | (system(command) != 0);
}
