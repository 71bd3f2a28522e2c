/* tiny.c [MILLIONS]: calls a function that does next to nothing: what a hook costs when it is all there is. */
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline, noclone)) void tiny(int i)
{
	sink = i;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	long n = (argc > 1 ? atol(argv[1]) : 10) * 1000000;

	for (long i = 0; i < n; i++)
		tiny((int)i);
	return 0;
}
