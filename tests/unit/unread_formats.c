/* unread_formats.c: files of other tools are recognized by their begin, by words in it or by their suffix; other files are not. */
#include "convert/unread_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static char dir[] = "/tmp/tau-unread.XXXXXX";

/* Writes a file. */
static void put(const char *name, const char *bytes, size_t n)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		printf("# %s cannot be written\n", path);
}

/* The answer for a name in the directory: what: words of the message; NULL: it is no such file. */
static void is(const char *name, const char *what)
{
	struct error e = {0};
	char path[128];
	int code;

	snprintf(path, sizeof(path), "%s%s%s", dir, *name ? "/" : "", name);
	code = unread_format(path, &e);
	ok(what ? code && code == e.code && strstr(e.text, what) : !code, "%s: %s", *name ? name : "the directory",
	   what ? what : "not recognized");
}

int main(void)
{
	static char long_one[4096];
	char command[64];

	if (!mkdtemp(dir))
		return 1;
	put("empty", "", 0);
	is("empty", NULL);
	is("missing", NULL);
	is("", NULL);
	put("one", "g", 1);
	is("one", NULL);
	put("text", "gmo\0n", 5);
	is("text", NULL);
	put("begin", "gmon\1", 5);
	is("begin", "gprof");
	put("within", "{ \"traceEvents\": []}", 20);
	is("within", "Chrome");
	put("inside", "x gmon", 6);
	is("inside", NULL);
	put("packed", "BZh9", 4);
	is("packed", "bunzip2");
	put("packed", "\xfd" "7zXZ\0", 6);
	is("packed", "unxz");
	put("packed", "\x28\xb5\x2f\xfd", 4);
	is("packed", "unzstd");
	put("packed", "PK\3\4", 4);
	is("packed", "unzip");
	memcpy(long_one + 257, "ustar", 5);
	put("packed", long_one, sizeof(long_one));
	is("packed", "tar -xf");
	memset(long_one, ' ', sizeof(long_one));
	memcpy(long_one + 4000, "\"traceEvents\"", 13);
	put("late", long_one, sizeof(long_one));
	is("late", NULL);
	put(".cali", "", 0);
	put("cali", "", 0);
	is("cali", NULL);
	put("b.nsys-rep", "", 0);
	is("b.nsys-rep", "Nsight Systems");
	is("", "Caliper");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ok(!system(command), "files removed");
	return tap_end();
}
