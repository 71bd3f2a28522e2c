/* demangle.c: turns symbols into the names that programmers wrote. */
#include "convert/code/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/mem_stream.h"

struct readable {
	jmp_buf too_long;
	size_t n;
	char text[DEMANGLE_LONGEST + 1];
};

static void add_part(const char *part, size_t n, void *to)
{
	struct readable *r = to;

	if (n > DEMANGLE_LONGEST - r->n)
		longjmp(r->too_long, 1);
	memcpy(r->text + r->n, part, n);
	r->n += n;
}

/*
 * A C++ name may refer to its own parts, so that its readable form doubles with each: 200 bytes can
 * become gigabytes. The library has allocated on the stack only when it is left early.
 */
static char *demangle_cxx(const char *name)
{
	struct readable *r = mem_resize(NULL, 1, sizeof(*r));
	char *text = NULL;

	r->n = 0;
	if (!setjmp(r->too_long) &&
	    cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_TYPES, add_part, r)) {
		r->text[r->n] = 0;
		text = mem_string(r->text);
	}
	free(r);
	return text;
}

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
	return strncmp(name, "_Z", 2) ? demangle_fortran(name) : demangle_cxx(name);
}

char *demangle_type(const char *name)
{
	char *readable = demangle_cxx(name);

	return readable ? readable : mem_string(name);
}

char *demangle_words(const char *name)
{
	char *out = NULL;
	size_t size, found = 0;
	FILE *f;

	if (*name != '_' && !strstr(name, " _"))
		return NULL;
	f = mem_stream(&out, &size);
	for (const char *at = name; *at;) {
		size_t n = strcspn(at, " ");
		char *word = *at == '_' ? mem_printf("%.*s", (int)n, at) : NULL,
		     *readable = word ? demangle(word) : NULL;

		found += readable != NULL;
		if (readable)
			fputs(readable, f);
		else
			fwrite(at, 1, n, f);
		free(word);
		free(readable);
		at += n;
		if (*at)
			fputc(*at++, f);
	}
	fclose(f);
	if (!found) {
		free(out);
		out = NULL;
	}
	return out;
}
