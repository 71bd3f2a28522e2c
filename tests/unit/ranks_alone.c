/* ranks_alone.c: the number of processes that a launcher started, and ranks that meet through a library, which the test builds. */
#include "convert/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "convert/mpi/transport.h"
#include "files.h"
#include "tap.h"

static char folder[] = "/tmp/ranks-alone-XXXXXX";

/* MPI of two processes as rank 0 of them sees it, if the other one has the code of the environment's OTHER. */
static const char source[] =
	"#include <stdlib.h>\n#include <string.h>\n#include \"convert/mpi/transport.h\"\n"
	"static int begin(unsigned *rank, unsigned *size) { *rank = 0; *size = atoi(getenv(\"SIZE\")); return !*size ? -1 : 0; }\n"
	"static void end(void) {}\n"
	"static unsigned agree(int *code) { int other = atoi(getenv(\"OTHER\")); if (*code < 0) return 0;\n"
	"	if (other < 0) { *code = other; return 1; } return *code ? 0 : (*code = 0, 2); }\n"
	"static void bcast(unsigned root, void *p, size_t n) { if (root) memset(p, 'x', n), ((char *)p)[n - 1] = 0; }\n"
	"static void send(unsigned to, const void *p, size_t n) { (void)to; (void)p; (void)n; }\n"
	"static void receive(unsigned from, void *p, size_t n) { (void)from; memset(p, 0, n); }\n"
	"const struct transport tau_mpi_transport = {VERSION, begin, end, agree, bcast, send, receive};\n";

static void test_launched(void)
{
	static const struct {
		const char *size;
		unsigned n;
	} cases[] = {{NULL, 1}, {"4", 4}, {"1", 1}, {"0", 1}, {"-2", 1}, {"x", 1}, {"4x", 1}, {"99999999999", 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].size)
			setenv("OMPI_COMM_WORLD_SIZE", cases[i].size, 1);
		else
			unsetenv("OMPI_COMM_WORLD_SIZE");
		ok(ranks_launched() == cases[i].n, "a launcher's '%s': %u", cases[i].size ? cases[i].size : "", cases[i].n);
	}
}

static int build(const char *name, int version)
{
	char command[600];

	file_put(file_below(folder, "a.c"), source, sizeof(source) - 1);
	snprintf(command, sizeof(command), "cc -I. -shared -fPIC -DVERSION=%d %s/a.c -o %s/%s 2>/dev/null", version, folder, folder, name);
	return !system(command);
}

static void test_begin(const char *library, const char *size, const char *error)
{
	struct ranks *r = NULL;
	struct error e = {0};

	setenv("SIZE", size, 1);
	ok(ranks_begin(library, &r, &e) == ERROR_SYSTEM && strstr(e.text, error) && !r, "%s", e.text);
}

static void test_agree(void)
{
	static const struct {
		int own;
		const char *other;
		int code;
	} cases[] = {{0, "0", 0}, {ERROR_INPUT, "0", ERROR_INPUT}, {ERROR_INPUT, "-4", ERROR_INPUT}, {0, "-4", -4}};
	struct ranks *r = NULL;
	struct error e = {0};

	setenv("SIZE", "2", 1);
	ok(!ranks_begin(file_below(folder, "good.so"), &r, &e), "ranks meet");
	ok(ranks_rank(r) == 0 && ranks_size(r) == 2 && ranks_meetings(r) == 0, "this is rank 0 of 2");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error own = {0};

		setenv("OTHER", cases[i].other, 1);
		if (cases[i].own)
			error_set(&own, cases[i].own, "own");
		ok(ranks_agree(r, cases[i].own, &own) == cases[i].code, "own code %d, the other's %s: %d", cases[i].own, cases[i].other, cases[i].code);
		if (cases[i].own)
			ok(!strcmp(own.text, "own"), "with the text of the lowest rank");
	}
	ok(ranks_meetings(r) == sizeof(cases) / sizeof(*cases), "they agreed each time");
	setenv("OTHER", "0", 1);
	ok(!ranks_settle(r, 0, &e) && !ranks_agree(r, 0, &e), "a piece of work ends, and ranks can agree again");
	/* Below -1000: the other one is in ranks_settle(). */
	setenv("OTHER", "-1003", 1);
	ok(ranks_agree(r, 0, &e) == ERROR_INPUT && !strncmp(e.text, "rank 1: ", 8), "an error of the other's work ends that of this rank: %.12s", e.text);
	error_set(&e, ERROR_SYSTEM, "own");
	ok(ranks_agree(r, ERROR_SYSTEM, &e) == ERROR_INPUT, "also if it tries again");
	setenv("OTHER", "0", 1);
	ok(ranks_settle(r, ERROR_INPUT, &e) == ERROR_INPUT, "which is its error");
	ok(!ranks_agree(r, 0, &e), "then the next piece of work begins");
	ok(!ranks_end(r, 0, &e), "the end");
}

int main(void)
{
	test_launched();
	setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
	test_begin(NULL, "2", "not found");
	test_begin("/nonexistent/libtaumpi.so", "2", "nonexistent");
	if (mkdtemp(folder) && build("old.so", TRANSPORT_VERSION + 1) && build("good.so", TRANSPORT_VERSION)) {
		test_begin(file_below(folder, "old.so"), "2", "another version");
		test_begin(file_below(folder, "good.so"), "0", "cannot start");
		test_begin(file_below(folder, "good.so"), "3", "MPI has 3");
		test_agree();
	} else {
		skip("ranks", "no compiler");
	}
	folder_remove(folder);
	return tap_end();
}
