/*
 * interpreter.c: finds the functions of CPython, which the wrapper does not link.
 */
#include "interpreter.h"
#include "own/own.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct interpreter py;

/* Where a function has another name in newer versions, that is second. */
static const struct {
	void *to;
	const char *name, *newer;
} functions[] = {
	{&py.pending_add, "Py_AddPendingCall", NULL},
	{&py.profile_set, "_PyEval_SetProfile", NULL},
	{&py.interpreter_get, "PyInterpreterState_Get", NULL},
	{&py.thread_first, "PyInterpreterState_ThreadHead", NULL},
	{&py.thread_next, "PyThreadState_Next", NULL},
	{&py.thread_id, "PyThreadState_GetID", NULL},
	{&py.lock_check, "PyGILState_Check", NULL},
	{&py.thread_current, "_PyThreadState_UncheckedGet", "PyThreadState_GetUnchecked"},
	{&py.frame_code, "PyFrame_GetCode", NULL},
	{&py.weak_new, "PyWeakref_NewRef", NULL},
	{&py.untrack, "PyObject_GC_UnTrack", NULL},
	{&py.attribute_get, "PyObject_GetAttrString", NULL},
	{&py.text_get, "PyUnicode_AsUTF8", NULL},
	{&py.number_get, "PyLong_AsLong", NULL},
	{&py.call, "PyObject_CallNoArgs", NULL},
	{&py.call_method, "PyObject_CallMethod", NULL},
	{&py.method_new, "PyCFunction_NewEx", NULL},
	{&py.system_get, "PySys_GetObject", NULL},
	{&py.modules_get, "PyImport_GetModuleDict", NULL},
	{&py.item_get, "PyDict_GetItemString", NULL},
	{&py.error_clear, "PyErr_Clear", NULL},
	{&py.error_take, "PyErr_Fetch", NULL},
	{&py.error_put, "PyErr_Restore", NULL},
	{&py.retain, "Py_IncRef", NULL},
	{&py.release, "Py_DecRef", NULL},
	{&py.none, "_Py_NoneStruct", NULL},
	{&py.is_initialized, "Py_IsInitialized", NULL},
};

static int function_find(void *to, const char *name)
{
	void *f = own_first(name);

	memcpy(to, &f, sizeof(f));
	return f != NULL;
}

int interpreter_find(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!function_find(functions[i].to, functions[i].name) &&
		    !(functions[i].newer && function_find(functions[i].to, functions[i].newer)))
			return 0;
	if (!function_find(&py.collect_enable, "PyGC_Enable") ||
	    !function_find(&py.collect_disable, "PyGC_Disable"))
		py.collect_disable = NULL;
	return 1;
}

int text_of(object *of, const char *name, char *out, size_t room)
{
	object *o = py.attribute_get(of, name);
	const char *text = o ? py.text_get(o) : NULL;

	if (text)
		snprintf(out, room, "%s", text);
	else
		py.error_clear();
	if (o)
		py.release(o);
	return text != NULL;
}

uint32_t number_of(object *of, const char *name)
{
	object *o = py.attribute_get(of, name);
	long number = o ? py.number_get(o) : -1;

	if (number < 0)
		py.error_clear();
	if (o)
		py.release(o);
	return number > 0 && number <= INT32_MAX ? (uint32_t)number : 0;
}
