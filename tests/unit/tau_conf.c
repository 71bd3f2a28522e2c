/* tau_conf.c: the configuration file of TAU: lines, comments, blanks, and which file it is. */
#include "cmd/shared/tau_conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "tap.h"

static char dir[] = "/tmp/tau-conf.XXXXXX";

static void file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		exit(1);
}

static void test_lines(void)
{
	static const struct {
		const char *name, *value;
	} want[] = {{"TAU_TRACE", "1"},	       {"TAU_METRICS", "TIME:PAPI_TOT_CYC"}, {"TAU_LITE", ""},
		    {"TAU_SELECT_FILE", "a=b"}, {"TAU_VERBOSE", NULL},		     {"TAU_THROTTLE", NULL},
		    {"PROFILEDIR", "no end"}};
	struct tau_conf c;

	file_write("tau.conf", "# TAU_VERBOSE=1\n"
			       "TAU_TRACE=1\n"
			       "\t TAU_METRICS = TIME:PAPI_TOT_CYC   # two\n"
			       "TAU_THROTTLE\n"
			       "TAU_LITE=\n"
			       "TAU_SELECT_FILE=a=b\n"
			       "TAU_TRACE=0\n"
			       "\n"
			       "=\n"
			       "PROFILEDIR=no end");
	tau_conf_read(&c, NULL);
	ok(c.path && !strcmp(c.path, "tau.conf"), "the file of the working directory");
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const char *v = tau_conf_get(&c, want[i].name);

		ok(want[i].value ? v && !strcmp(v, want[i].value) : !v, "%s is '%s'", want[i].name, v ? v : "not set");
	}
	tau_conf_release(&c);
}

static void test_place(void)
{
	struct tau_conf c;

	file_write("other.conf", "TAU_PROFILE=1\n");
	tau_conf_read(&c, "other.conf");
	ok(tau_conf_get(&c, "TAU_PROFILE") && !tau_conf_get(&c, "TAU_TRACE"), "TAU_CONF names another file");
	tau_conf_release(&c);
	tau_conf_read(&c, "missing.conf");
	ok(!c.path && !c.v_n, "which need not exist");
	tau_conf_release(&c);
	tau_conf_read(&c, ".");
	ok(!c.path && !c.v_n, "a directory is no file");
	tau_conf_release(&c);
}

int main(void)
{
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	test_lines();
	test_place();
	if (chdir("/"))
		return 1;
	folder_remove(dir);
	return tap_end();
}
