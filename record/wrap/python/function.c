/*
 * function.c: the region of a function of Python, kept for its code object, and that of a task of
 * asyncio.
 */
#include "function.h"

#include <stdio.h>
#include <string.h>

#include "codes.h"
#include "tau.h"

/* Versions before 3.11 have no qualified name. */
static int name_of(object *code, char *out, size_t room)
{
	return text_of(code, "co_qualname", out, room) || text_of(code, "co_name", out, room);
}

/*
 * Is it the start of the profiler written in Python? Its hook would see the return from
 * sys.setprofile(), which there is only if another hook was set, and takes it for an error.
 */
static int is_profiler(const char *name, const char *file)
{
	const char *library = strstr(file, "/python3."), *rest;

	rest = library ? strchr(library + 1, '/') : NULL;
	return rest && !strcmp(rest, "/profile.py") &&
	       (!strcmp(name, "Profile.__init__") || !strcmp(name, "__init__"));
}

static uint64_t function_define(object *code)
{
	enum { CO_COROUTINE = 0x80 }; /* of co_flags */
	char name[512], file[4096];
	uint64_t kept;

	if (!name_of(code, name, sizeof(name)))
		return 0;
	if (!text_of(code, "co_filename", file, sizeof(file)))
		*file = 0;
	if (!strcmp(file, "<tau>"))
		return HIDDEN | EXCLUDED;
	kept = tau_region(name, "PYTHON", *file ? file : NULL,
			  *file ? number_of(code, "co_firstlineno") : 0);
	if (!kept)
		return 0;
	if (is_profiler(name, file))
		kept |= PROFILER;
	if (number_of(code, "co_flags") & CO_COROUTINE)
		kept |= COROUTINE;
	else if (tau_region_excluded(REGION(kept)))
		kept |= EXCLUDED;
	return kept;
}

uint64_t function_of(object *code)
{
	uint64_t known = code_get(code), kept = known;

	if (!kept)
		kept = function_define(code);
	else if (kept & EXCLUDED && !(kept & HIDDEN) && !tau_region_excluded(REGION(kept)))
		kept &= ~EXCLUDED;
	if (kept != known)
		code_set(code, kept);
	return kept;
}

/* ---- tasks of asyncio ---- */

#define NAMED                                                                                      \
	1024 /* names that the program gave; tasks with others have the name of their coroutine */

/* Was the name given by the program, not counted by asyncio, and are there not too many? With the
 * interpreter's lock. */
static int is_named(const char *name)
{
	static uint64_t names[NAMED];
	uint64_t hash = 0xcbf29ce484222325u;

	if (!strncmp(name, "Task-", 5) && name[5] && !name[5 + strspn(name + 5, "0123456789")])
		return 0;
	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	hash |= !hash;
	for (unsigned i = 0; i < NAMED; i++) {
		uint64_t *at = &names[(hash + i) % NAMED];

		if (!*at)
			*at = hash;
		if (*at == hash)
			return 1;
	}
	return 0;
}

/* The result of a function of an object; NULL: there is none. */
static object *result_of(object *of, const char *name)
{
	object *function = of ? py.attribute_get(of, name) : NULL,
	       *result = function ? py.call(function) : NULL;

	if (function)
		py.release(function);
	return result;
}

/* The name of the task that the thread runs: a text that is released later; NULL: it runs none. */
static object *task_name(void)
{
	object *asyncio = py.item_get(py.modules_get(), "asyncio.tasks");
	object *task = result_of(asyncio, "current_task"), *name;

	name = result_of(task, "get_name");
	if (task)
		py.release(task);
	return name;
}

uint32_t task_region(object *code)
{
	object *type, *value, *trace, *name;
	char title[600] = "asyncio task ", file[4096], *end = title + strlen(title);
	uint32_t region = 0;
	const char *text;

	py.error_take(&type, &value, &trace);
	name = task_name();
	text = name ? py.text_get(name) : NULL;
	if (text) {
		if (is_named(text))
			snprintf(end, 512, "%s", text);
		else if (!name_of(code, end, 512))
			snprintf(end, 512, "without a name");
		if (!text_of(code, "co_filename", file, sizeof(file)))
			*file = 0;
		region = tau_region(title, "PYTHON|ASYNCIO", *file ? file : NULL,
				    *file ? number_of(code, "co_firstlineno") : 0);
	}
	py.error_clear();
	py.error_put(type, value, trace);
	if (name)
		py.release(name);
	return region;
}
