/* abi_mpich.c: MPICH and those that took its ABI over: what their files and entry points are called. */
#include "wrap.h"

#include <string.h>
#include <strings.h>

int *abi_unweighted;

bool abi_is(void)
{
	return wrap_find_data("MPIR_Err_create_code") != NULL;
}

void abi_find(void)
{
	int *const *p = abi_unweighted ? NULL : wrap_find_data("MPI_UNWEIGHTED");

	if (p)
		abi_unweighted = *p;
}

bool abi_ready(void)
{
	return true;
}

MPI_Datatype abi_type(enum abi_type type)
{
	static const MPI_Datatype types[ABI_TYPES] = {
		[ABI_INT] = MPI_INT,
		[ABI_UNSIGNED] = MPI_UNSIGNED,
		[ABI_LONG] = MPI_LONG,
		[ABI_UNSIGNED_LONG] = MPI_UNSIGNED_LONG,
		[ABI_UNSIGNED_LONG_LONG] = MPI_UNSIGNED_LONG_LONG,
		[ABI_COUNT] = MPI_COUNT,
		[ABI_INT32] = MPI_INT32_T,
		[ABI_UINT32] = MPI_UINT32_T,
		[ABI_INT64] = MPI_INT64_T,
		[ABI_UINT64] = MPI_UINT64_T,
		[ABI_DOUBLE] = MPI_DOUBLE,
		[ABI_BOOL] = MPI_C_BOOL,
		[ABI_CHAR] = MPI_CHAR,
	};

	return types[type];
}

static bool begins(const char *name, const char *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, all[i], strlen(all[i])))
			return true;
	return false;
}

/*
 * The library of the Fortran bindings is not among them: what it calls as MPI_Xxx() the program has
 * called. It calls PMPI_Xxx() for mpi_f08, in entry points, and for itself.
 */
bool abi_is_file(const char *name)
{
	static const char *const all[] = {"libmpi.",	 "libmpich.",  "libmpichcxx.",
					  "libmpicxx",	 "libmpi_mt",  "libmpi_cray",
					  "libmpi_gnu",	 "libmpi_amd", "libmpi_intel",
					  "libmpi_ilp64"};

	return begins(name, all, sizeof(all) / sizeof(*all));
}

static bool is_binding(const char *path)
{
	static const char *const all[] = {"libmpichfort.", "libmpifort", "libmpichf90."};
	const char *base = strrchr(path, '/');

	return begins(base ? base + 1 : path, all, sizeof(all) / sizeof(*all));
}

/* "mpi_wait_f08_" is one of PMPI_Wait. Those of processes that are started have no name: hidden functions make the arguments. */
bool abi_is_entry(const Dl_info *caller, const char *real)
{
	static const char *const ends[] = {"", "_", "__", "_f08_", "_f08ts_"};
	const char *symbol = caller->dli_sname;
	size_t length;

	if (caller->dli_fname && is_binding(caller->dli_fname) &&
	    (!strcmp(real, "PMPI_Comm_spawn") || !strcmp(real, "PMPI_Comm_spawn_multiple")))
		return true;
	if (!symbol)
		return false;
	real++; /* the P of PMPI */
	if (*symbol == 'p' || *symbol == 'P')
		symbol++;
	if (!strncmp(symbol, "mpir_", 5)) { /* of pmpir_wait_f08_ */
		symbol += 5;
		real += 4;
	}
	length = strlen(real);
	if (strncasecmp(symbol, real, length))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(symbol + length, ends[i]))
			return true;
	return false;
}
