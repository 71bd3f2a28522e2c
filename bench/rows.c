/* rows.c: opens A x B x C regions in each other, so that a profile of depth 3 has a row for each path: rows A B C. */
#include <stdio.h>
#include <stdlib.h>

#include "tau.h"

int main(int argc, char **argv)
{
	int n[3];
	char name[3][512][16];

	for (int level = 0; level < 3; level++) {
		n[level] = level + 1 < argc ? atoi(argv[level + 1]) : 0;
		if (n[level] < 1 || n[level] > 512)
			return 2;
		for (int i = 0; i < n[level]; i++)
			snprintf(name[level][i], sizeof(name[level][i]), "%s_%d",
				 level == 0 ? "outer" : level == 1 ? "middle" : "inner", i);
	}
	for (int a = 0; a < n[0]; a++) {
		TAU_START(name[0][a]);
		for (int b = 0; b < n[1]; b++) {
			TAU_START(name[1][b]);
			for (int c = 0; c < n[2]; c++) {
				TAU_START(name[2][c]);
				TAU_STOP(name[2][c]);
			}
			TAU_STOP(name[1][b]);
		}
		TAU_STOP(name[0][a]);
	}
	return 0;
}
