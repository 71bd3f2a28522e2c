/* abi_openmpi.c: Open MPI: where its handles are, what its files and entry points are called. */
#include "wrap.h"

#include <string.h>
#include <strings.h>

#include "own/own.h"

void *abi_handles[HANDLES];
static const char *const handle_names[HANDLES] = {
	[HANDLE_COMM_WORLD] = "ompi_mpi_comm_world",
	[HANDLE_COMM_NULL] = "ompi_mpi_comm_null",
	[HANDLE_WIN_NULL] = "ompi_mpi_win_null",
	[HANDLE_REQUEST_NULL] = "ompi_request_null",
	[HANDLE_MESSAGE_NULL] = "ompi_message_null",
	[HANDLE_MESSAGE_NO_PROC] = "ompi_message_no_proc",
	[HANDLE_DATATYPE_NULL] = "ompi_mpi_datatype_null",
	[HANDLE_BYTE] = "ompi_mpi_byte",
	[HANDLE_INFO_NULL] = "ompi_mpi_info_null",
	[HANDLE_GROUP_NULL] = "ompi_mpi_group_null",
};

bool abi_is(void)
{
	return wrap_find_data(handle_names[HANDLE_COMM_WORLD]) != NULL;
}

/* ---- types ---- */

struct own_type own_types[OWN_TYPES];

static const char *const own_type_names[] = {
	"ompi_mpi_byte",     "ompi_mpi_packed",	    "ompi_mpi_char",
	"ompi_mpi_int",	     "ompi_mpi_unsigned",   "ompi_mpi_unsigned_char",
	"ompi_mpi_long",     "ompi_mpi_float",	    "ompi_mpi_unsigned_long",
	"ompi_mpi_double",   "ompi_mpi_int32_t",    "ompi_mpi_long_long_int",
	"ompi_mpi_int64_t",  "ompi_mpi_uint64_t",   "ompi_mpi_uint32_t",
	"ompi_mpi_c_bool",   "ompi_mpi_integer",    "ompi_mpi_c_double_complex",
	"ompi_mpi_real",     "ompi_mpi_dblprec",    "ompi_mpi_logical",
	"ompi_mpi_dblcplex", "ompi_mpi_character",  "ompi_mpi_real8",
	"ompi_mpi_integer4", "ompi_mpi_integer8",
};

/* If two types share a slot, the size of the second is requested from MPI every time. */
static void own_type_add(const void *type)
{
	if (type && !own_type_at(type)->type)
		own_type_at(type)->type = (uintptr_t)type;
}

void abi_find(void)
{
	int first = !abi_handles[HANDLE_BYTE];

	for (int i = 0; i < HANDLES; i++)
		if (!abi_handles[i])
			abi_handles[i] = wrap_find_data(handle_names[i]);
	for (size_t k = 0; first && abi_handles[HANDLE_BYTE] &&
			   k < sizeof(own_type_names) / sizeof(own_type_names[0]); k++)
		own_type_add(wrap_find_data(own_type_names[k]));
}

bool abi_ready(void)
{
	return abi_handles[HANDLE_COMM_WORLD] && abi_handles[HANDLE_BYTE];
}

MPI_Datatype abi_type(enum abi_type type)
{
	static const char *const names[ABI_TYPES] = {
		[ABI_INT] = "ompi_mpi_int",
		[ABI_UNSIGNED] = "ompi_mpi_unsigned",
		[ABI_LONG] = "ompi_mpi_long",
		[ABI_UNSIGNED_LONG] = "ompi_mpi_unsigned_long",
		[ABI_UNSIGNED_LONG_LONG] = "ompi_mpi_unsigned_long_long",
		[ABI_COUNT] = "ompi_mpi_count",
		[ABI_INT32] = "ompi_mpi_int32_t",
		[ABI_UINT32] = "ompi_mpi_uint32_t",
		[ABI_INT64] = "ompi_mpi_int64_t",
		[ABI_UINT64] = "ompi_mpi_uint64_t",
		[ABI_DOUBLE] = "ompi_mpi_double",
		[ABI_BOOL] = "ompi_mpi_c_bool",
		[ABI_CHAR] = "ompi_mpi_char",
	};
	static void *handles[ABI_TYPES];

	if (!handles[type])
		handles[type] = wrap_find_data(names[type]);
	return (MPI_Datatype)handles[type];
}

/* ---- requests ---- */

uintptr_t abi_request_empty = 1;

uintptr_t abi_request_empty_find(void)
{
	uintptr_t handle = (uintptr_t)own_first("ompi_request_empty");

	__atomic_store_n(&abi_request_empty, handle, __ATOMIC_RELAXED);
	return handle;
}

/* ---- files and entry points ---- */

bool abi_is_file(const char *name)
{
	static const char *const begins[] = {
		"libmpi.",  "libmpi_mpifh", "libmpi_usempi", "libmpi_cxx", "libmpi_java",
		"libmpi_f", "libopen-",	    "liboshmem.",    "libmca_",	   "mca_"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* "ompi_send_f", "mpi_send__", "PMPI_SEND", "MPI_Send_f08" and their like are entry points of PMPI_Send. */
bool abi_is_entry(const Dl_info *caller, const char *real)
{
	static const char *const ends[] = {"", "_", "__", "_f", "_f08", "_f08_"};
	const char *symbol = caller->dli_sname;
	size_t length;
	unsigned i;

	if (!symbol)
		return false;
	if (*symbol == 'o' || *symbol == 'p' || *symbol == 'P')
		symbol++;
	real++; /* the P of PMPI */
	length = strlen(real);
	if (strncasecmp(symbol, real, length))
		return false;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(symbol + length, ends[i]))
			return true;
	return false;
}
