/* region_name.c: names of regions that are shortened until they fit a column. */
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/table/region_name.h"

int main(void)
{
	static const struct {
		const char *name;
		size_t width;
		const char *expected;
	} c[] = {
		{ "solve", 5, "solve" },
		{ "main => solve(int, int) [grid.c:7]", 23, "main => solve(~)" },
		{ "solve(int, int) [grid.c:7]", 19, "solve(~) [grid.c:7]" },
		{ "solve(int, int) [grid.c:7]", 12, "solve(~)" },
		{ "Hydro::step(double) [clone ._omp_fn.1] [Hydro.cc:211]", 53,
		  "Hydro::step(double) [clone ._omp_fn.1] [Hydro.cc:211]" },
		{ "Hydro::step(double) [clone ._omp_fn.1] [Hydro.cc:211]", 35, "Hydro::step(~) [clone ._omp_fn.1]" },
		{ "Hydro::step(double) [clone ._omp_fn.1] [Hydro.cc:211]", 24, "Hydro::step(~)" },
		{ "step.part.0 [clone .isra.0]", 20, "step.part.0" },
		{ "UNRESOLVED /lib/x86_64-linux-gnu/libgomp.so.1", 45, "UNRESOLVED /lib/x86_64-linux-gnu/libgomp.so.1" },
		{ "UNRESOLVED /lib/x86_64-linux-gnu/libgomp.so.1", 24, "UNRESOLVED libgomp.so.1" },
		{ "UNRESOLVED /lib/x86_64-linux-gnu/libopen-pal.so.40", 24, "libopen-pal.so.40" },
		{ "main => UNRESOLVED /usr/bin/abinit", 30, "main => UNRESOLVED abinit" },
		{ "UNRESOLVED ADDR 0x7fffab", 12, "~DR 0x7fffab" },
		{ "UNRESOLVED /", 5, "~ED /" },
		{ "main [a.c:9] => mid [a.c:7] => leaf [a.c:6]", 43, "main [a.c:9] => mid [a.c:7] => leaf [a.c:6]" },
		{ "main [a.c:9] => mid [a.c:7] => leaf [a.c:6]", 42, "main => mid [a.c:7] => leaf [a.c:6]" },
		{ "main [a.c:9] => mid [a.c:7] => leaf [a.c:6]", 30, "main => mid => leaf [a.c:6]" },
		{ "main [a.c:9] => mid [a.c:7] => leaf [a.c:6]", 25, "main => mid => leaf" },
		{ "main [a.c:9] => mid [a.c:7] => leaf [a.c:6]", 14, "~> mid => leaf" },
		{ "omp parallel: gather_reads at 0x64e10 of amg", 30, "omp parallel: gather_reads" },
		{ "omp parallel: gather_reads at 0x64e10 of amg", 24, "omp parallel: ~her_reads" },
		{ "main => omp parallel: gather_reads at 0x64e10 of amg", 24, "omp parallel: ~her_reads" },
		{ "main => omp parallel: gather_reads at 0x64e10 of amg", 30, "~=> omp parallel: gather_reads" },
		{ "omp parallel sections: gather_reads at 0x64e10 of amg", 24, "omp paralle~gather_reads" },
		{ "omp barrier: solve(int, int) [grid.c:7]", 24, "omp barrier: solve(~)" },
		{ "omp barrier at 0x12", 12, "~ier at 0x12" },
		{ "bar at 0x1298 of prog", 12, "bar" },
		{ "std::vector<int, std::allocator<int> >::push_back(int const&)", 28, "std::vector<~>::push_back(~)" },
		{ "apply<a<b>, c>::operator<<(int) [x.h:7]", 24, "apply<~>::operator<<(~)" },
		{ "f<void (*)(a->b, c<d>)>::g", 8, "f<~>::g" },
		{ "f<(1>2), g->h>::go", 10, "f<~>::go" },
		{ "odd<name", 5, "~name" },
		{ "<lambda(int)>::go", 8, "~~)>::go" },
	};
	static const char *const codes[][2] = {
		{ "addr=<0x1cc40> [libgomp.so.1]", "libgomp.so.1+0x1cc40" },
		{ "main [{/a/b.c} {3,0}] => addr=<0x10> [app]", "main [b.c:3] => app+0x10" },
		{ "addr=<0x1234>", "addr=<0x1234>" },
		{ "addr=<unknown> [lib.so", "addr=<unknown> [lib.so" },
		{ "addr=<0x1> [] [x]", "addr=<0x1> [] [x]" },
	};

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		char s[200];

		snprintf(s, sizeof(s), "%s", c[i].name);
		region_name_fit(s, c[i].width);
		ok(!strcmp(s, c[i].expected), "'%s' in %zu columns: '%s', expected '%s'", c[i].name, c[i].width, s, c[i].expected);
	}
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		char *s = region_name_short(codes[i][0]);

		ok(!strcmp(s, codes[i][1]), "code without a name: %s, expected %s", s, codes[i][1]);
		free(s);
	}
	return tap_end();
}
