/* around.c: adds actions before and after the real functions that begin and end MPI. */
#include "around.h"
#include "clock.h"
#include "tool_sample.h"
#include "wrap.h"

#include <string.h>

static int (*real_init)(int *argc, char ***argv);
static int (*real_init_thread)(int *argc, char ***argv, int required, int *provided);
static int (*real_finalize)(void);

static int begun(int ret)
{
	if (ret == MPI_SUCCESS)
		clock_after_init();
	tool_after_init(ret == MPI_SUCCESS);
	return ret;
}

static int init(int *argc, char ***argv)
{
	tool_before_init();
	return begun(real_init(argc, argv));
}

static int init_thread(int *argc, char ***argv, int required, int *provided)
{
	tool_before_init();
	return begun(real_init_thread(argc, argv, required, provided));
}

static int finalize(void)
{
	tool_before_finalize();
	clock_before_finalize();
	return real_finalize();
}

void *around(const char *symbol, void *real)
{
	if (!real)
		return NULL;
	if (!strcmp(symbol, "PMPI_Init")) {
		real_init = (int (*)(int *, char ***))real;
		return (void *)init;
	}
	if (!strcmp(symbol, "PMPI_Init_thread")) {
		real_init_thread = (int (*)(int *, char ***, int, int *))real;
		return (void *)init_thread;
	}
	if (!strcmp(symbol, "PMPI_Finalize")) {
		real_finalize = (int (*)(void))real;
		return (void *)finalize;
	}
	return real;
}
