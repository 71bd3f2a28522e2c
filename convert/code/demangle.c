/* demangle.c: turns symbols into the names that programmers wrote. */
#include "convert/code/demangle.h"

#include <string.h>

#include "analyze/base/base.h"

char *__cxa_demangle(const char *mangled, char *buf, size_t *length, int *status);

/*
 * A procedure of a Fortran module: __MODULE_MOD_NAME of gfortran, MODULE_mp_NAME_ of Intel,
 * _QMMODULEPNAME of flang. NULL: another symbol.
 */
static char *demangle_fortran(const char *name)
{
	const char *mark;
	size_t n = strlen(name);

	if (n > 3 && !strncmp(name, "__", 2) && (mark = strstr(name + 3, "_MOD_")) && mark[5])
		return mem_printf("%.*s::%s", (int)(mark - name - 2), name + 2, mark + 5);
	if (!strncmp(name, "_QM", 3) && (mark = strchr(name + 3, 'P')) && mark > name + 3 &&
	    mark[1])
		return mem_printf("%.*s::%s", (int)(mark - name - 3), name + 3, mark + 1);
	if (n > 1 && name[n - 1] == '_' && (mark = strstr(name + 1, "_mp_")) && mark + 5 < name + n)
		return mem_printf("%.*s::%.*s", (int)(mark - name), name,
				  (int)(name + n - 1 - (mark + 4)), mark + 4);
	return NULL;
}

/* A C function called f must not become the type float, which "f" alone would be in a C++ name. */
char *demangle(const char *name)
{
	if (!name)
		return NULL;
	return strncmp(name, "_Z", 2) ? demangle_fortran(name)
				      : __cxa_demangle(name, NULL, NULL, NULL);
}

char *demangle_type(const char *name)
{
	char *readable = __cxa_demangle(name, NULL, NULL, NULL);

	return readable ? readable : mem_string(name);
}
