/* compiler.c: the compilers that are named in programs. */
#include "convert/code/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

int main(void)
{
	char *own = compiler_of("/proc/self/exe"), *none = compiler_of(__FILE__), *absent = compiler_of("/absent");

	ok(own && (strstr(own, "GCC: ") || strstr(own, "clang version ")), "this program names its compiler: %s", own ? own : "none");
	ok(!none, "a file of text names none");
	ok(!absent, "a file that is not there names none");
	free(own);
	free(none);
	free(absent);
	return tap_end();
}
