/* mpi_abi.c: recognises the MPI of a program: the file that defines PMPI_Init, and what else is
 * defined. */
#include "cmd/record/launch/mpi_abi.h"

#include <string.h>

#include "convert/code/elf_dynamic.h"

#define INIT "PMPI_Init"

/*
 * In order. A library of the standard ABI is named so by convention (its own symbols are those of
 * the implementation below it); Open MPI and the family of MPICH (Intel, MVAPICH, Cray) define
 * these, in that library or in one that it needs.
 */
static const struct {
	enum mpi_abi abi;
	const char *name, *soname, *symbol;
} rows[] = {
	{MPI_ABI_STANDARD, "the standard ABI of MPI 5", "libmpi_abi.so", NULL},
	{MPI_ABI_OPEN_MPI, "Open MPI", NULL, "ompi_mpi_comm_world"},
	{MPI_ABI_MPICH, "the MPICH ABI", NULL, "MPIR_Err_create_code"},
	{MPI_ABI_UNKNOWN, "an unknown kind", NULL, NULL},
};

static int defines(const char *path, const char *symbol)
{
	struct elf_dynamic d;
	int is;

	if (!path || elf_dynamic_open(path, &d) < 0)
		return 0;
	is = elf_dynamic_defines(&d, symbol);
	elf_dynamic_close(&d);
	return is;
}

static int soname_begins(const char *path, const char *begin)
{
	struct elf_dynamic d;
	char *soname;
	int is;

	if (elf_dynamic_open(path, &d) < 0)
		return 0;
	soname = elf_dynamic_name(&d, DT_SONAME);
	is = soname && !strncmp(soname, begin, strlen(begin));
	free(soname);
	elf_dynamic_close(&d);
	return is;
}

/* The first file that defines it: that of `first`, the program, or a library. */
static const char *defining(const char *first, const char *path, const struct needed *n,
			    const char *symbol)
{
	if (defines(first, symbol))
		return first;
	for (size_t i = 0; i < n->library_n; i++)
		if (defines(n->library[i].path, symbol))
			return n->library[i].path;
	return defines(path, symbol) ? path : NULL;
}

void mpi_library_find(const char *path, const struct needed *n, struct mpi_library *out)
{
	const char *library = defining(NULL, path, n, INIT);
	size_t i = 0;

	memset(out, 0, sizeof(*out));
	if (!library)
		return;
	while (rows[i].symbol || rows[i].soname) {
		if (rows[i].soname ? soname_begins(library, rows[i].soname)
				   : defining(library, path, n, rows[i].symbol) != NULL)
			break;
		i++;
	}
	out->abi = rows[i].abi;
	out->name = rows[i].name;
	out->path = library;
}
