/* tool.c: describes and reads the variables of MPI's tool interface, and lists them for tau-record. */
#include <stdio.h>
#include <string.h>

#include "tool.h"

#include "metadata.h"

/* ---- types ---- */

enum kind { KIND_TEXT, KIND_SIGNED, KIND_UNSIGNED, KIND_REAL, KIND_BOOL };

struct tool_type {
	const char *name;
	enum kind kind;
	size_t size;
};

static const struct tool_type types[ABI_TYPES] = {
	[ABI_INT] = {"int", KIND_SIGNED, sizeof(int)},
	[ABI_UNSIGNED] = {"unsigned", KIND_UNSIGNED, sizeof(unsigned)},
	[ABI_LONG] = {"long", KIND_SIGNED, sizeof(long)},
	[ABI_UNSIGNED_LONG] = {"unsigned long", KIND_UNSIGNED, sizeof(long)},
	[ABI_UNSIGNED_LONG_LONG] = {"unsigned long long", KIND_UNSIGNED, sizeof(long long)},
	[ABI_COUNT] = {"count", KIND_SIGNED, sizeof(MPI_Count)},
	[ABI_INT32] = {"int32", KIND_SIGNED, 4},
	[ABI_UINT32] = {"uint32", KIND_UNSIGNED, 4},
	[ABI_INT64] = {"int64", KIND_SIGNED, 8},
	[ABI_UINT64] = {"uint64", KIND_UNSIGNED, 8},
	[ABI_DOUBLE] = {"double", KIND_REAL, sizeof(double)},
	[ABI_BOOL] = {"bool", KIND_BOOL, 1},
	[ABI_CHAR] = {"text", KIND_TEXT, 1},
};

static const struct tool_type *type_of(MPI_Datatype type)
{
	for (int i = 0; i < ABI_TYPES; i++)
		if (type != MPI_DATATYPE_NULL && abi_type((enum abi_type)i) == type)
			return &types[i];
	return NULL;
}

size_t tool_size(const struct tool_type *t)
{
	return t->size;
}

static int64_t signed_at(const struct tool_type *t, const void *value)
{
	int32_t narrow;
	int64_t wide;

	if (t->size == 8)
		return memcpy(&wide, value, 8), wide;
	return memcpy(&narrow, value, 4), narrow;
}

static uint64_t unsigned_at(const struct tool_type *t, const void *value)
{
	uint32_t narrow;
	uint64_t wide;

	if (t->size == 8)
		return memcpy(&wide, value, 8), wide;
	return memcpy(&narrow, value, 4), narrow;
}

static double real_at(const void *value)
{
	double v;

	return memcpy(&v, value, sizeof(v)), v;
}

double tool_sum(const struct tool_type *t, const void *values, int n)
{
	const char *at = values;
	double sum = 0;

	for (int i = 0; i < n; i++, at += t->size)
		sum += t->kind == KIND_SIGNED	  ? (double)signed_at(t, at)
		       : t->kind == KIND_UNSIGNED ? (double)unsigned_at(t, at)
		       : t->kind == KIND_REAL	  ? real_at(at)
		       : t->kind == KIND_BOOL	  ? *at != 0
						  : 0;
	return sum;
}

/* ---- descriptions ---- */

int tool_control_number(void)
{
	int n;

	return real_MPI_T_cvar_get_num(&n) == MPI_SUCCESS ? n : 0;
}

int tool_performance_number(void)
{
	int n;

	return real_MPI_T_pvar_get_num(&n) == MPI_SUCCESS ? n : 0;
}

int tool_control(int index, struct tool_variable *out)
{
	int name = TOOL_NAME, about = TOOL_ABOUT, verbosity;
	MPI_Datatype type = MPI_DATATYPE_NULL;

	*out = (struct tool_variable){.index = index};
	if (real_MPI_T_cvar_get_info(index, out->name, &name, &verbosity, &type, &out->items,
				     out->about, &about, &out->bind, &out->how) != MPI_SUCCESS)
		return 0;
	out->type = type_of(type);
	return 1;
}

int tool_performance(int index, struct tool_variable *out)
{
	int name = TOOL_NAME, about = TOOL_ABOUT, verbosity, readonly, atomic;
	MPI_Datatype type = MPI_DATATYPE_NULL;

	*out = (struct tool_variable){.index = index};
	if (real_MPI_T_pvar_get_info(index, out->name, &name, &verbosity, &out->how, &type,
				     &out->items, out->about, &about, &out->bind, &readonly,
				     &out->continuous, &atomic) != MPI_SUCCESS)
		return 0;
	out->type = type_of(type);
	return 1;
}

/* ---- values ---- */

/* The name that the library has for a value. */
static int item_text(MPI_T_enum items, int value, char *out, size_t size)
{
	char name[TOOL_NAME];
	int n = 0, length = TOOL_NAME;

	if (items == MPI_T_ENUM_NULL ||
	    real_MPI_T_enum_get_info(items, &n, name, &length) != MPI_SUCCESS)
		return 0;
	for (int i = 0; i < n; i++) {
		int one;

		length = TOOL_NAME;
		if (real_MPI_T_enum_get_item(items, i, &one, name, &length) == MPI_SUCCESS &&
		    one == value) {
			snprintf(out, size, "%s", name);
			return 1;
		}
	}
	return 0;
}

static void value_text(const struct tool_variable *v, const char *value, char *out, size_t size)
{
	if (v->type->kind == KIND_TEXT)
		snprintf(out, size, "%s", value);
	else if (v->type->kind == KIND_BOOL)
		snprintf(out, size, "%s", *value ? "true" : "false");
	else if (v->type->kind == KIND_UNSIGNED)
		snprintf(out, size, "%llu", (unsigned long long)unsigned_at(v->type, value));
	else if (v->type->kind == KIND_REAL)
		snprintf(out, size, "%g", real_at(value));
	else if (!item_text(v->items, (int)signed_at(v->type, value), out, size))
		snprintf(out, size, "%lld", (long long)signed_at(v->type, value));
}

int tool_control_text(const struct tool_variable *v, char *out, size_t size)
{
	/* Open MPI copies a text in full, whatever length it has announced; an environment variable is no longer. */
	static char value[(1 << 17) + 8];
	MPI_T_cvar_handle handle;
	int n, good;

	if (!v->type || v->bind != MPI_T_BIND_NO_OBJECT ||
	    real_MPI_T_cvar_handle_alloc(v->index, NULL, &handle, &n) != MPI_SUCCESS)
		return 0;
	memset(value, 0, 8);
	good = n > 0 && (size_t)n <= (sizeof(value) - 8) / v->type->size &&
	       real_MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
	real_MPI_T_cvar_handle_free(&handle);
	value[sizeof(value) - 1] = 0;
	if (good)
		value_text(v, value, out, size);
	return good;
}

/* ---- the list ---- */

static const char *const scopes[] = {
	TAU_MPI_T_CONSTANT, "readonly", "local", "group", "group_eq", "all", "all_eq",
};
static const char *const classes[] = {
	"state",	"level",   "size",	"percentage", "highwatermark",
	"lowwatermark", "counter", "aggregate", "timer",      "generic",
};

/* One variable. performance: it is no control variable. how: its scope or class. value: NULL for performance variables. */
typedef void tool_each(void *to, int performance, const char *name, const char *type,
		       const char *how, const char *value, const char *about);

static const char *word(const char *const *words, size_t n, int at)
{
	return at >= 0 && (size_t)at < n ? words[at] : "unknown";
}

static void list_controls(tool_each *each, void *to)
{
	struct tool_variable v;
	char value[4096];

	for (int i = 0; i < tool_control_number(); i++) {
		if (!tool_control(i, &v))
			continue;
		value[0] = 0;
		tool_control_text(&v, value, sizeof(value));
		each(to, 0, v.name, v.type ? v.type->name : "unknown",
		     word(scopes, sizeof(scopes) / sizeof(*scopes), v.how), value, v.about);
	}
}

/*
 * For tau-record, in a process of its own that has loaded an MPI library: calls each() for all variables before MPI_Init.
 * 0: the library has no tool interface. Values of performance variables are not read: those of a device that is not open may crash.
 */
__attribute__((visibility("default"))) int tau_mpi_variables(tool_each *each, void *to);

int tau_mpi_variables(tool_each *each, void *to)
{
	struct tool_variable v;
	int provided;

	if (real_MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
		return 0;
	for (int i = 0; i < tool_performance_number(); i++)
		if (tool_performance(i, &v))
			each(to, 1, v.name, v.type ? v.type->name : "unknown",
			     word(classes, sizeof(classes) / sizeof(*classes), v.how), NULL,
			     v.about);
	list_controls(each, to);
	real_MPI_T_finalize();
	return 1;
}
