/* replay.c: feeds the files named to a fuzz target, for compilers without a fuzzer. */
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		long n;
		unsigned char *p;

		if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
			perror(argv[i]);
			return 4;
		}
		p = malloc((size_t)n + 1);
		if (!p || fread(p, 1, (size_t)n, f) != (size_t)n)
			return 4;
		LLVMFuzzerTestOneInput(p, (size_t)n);
		free(p);
		fclose(f);
	}
	printf("%d files\n", argc - 1);
	return 0;
}
