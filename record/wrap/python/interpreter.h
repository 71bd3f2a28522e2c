/*
 * interpreter.h: the functions of CPython that the wrapper calls, found by name.
 */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include <stddef.h>
#include <stdint.h>

typedef struct object object; /* PyObject, PyFrameObject, PyThreadState ... */
typedef int (*profile_hook)(object *self, object *frame, int what, object *argument);

/* PyMethodDef: a function in C that Python calls with an array of arguments. */
struct method {
	const char *name;
	object *(*function)(object *self, object *const *arguments, intptr_t n);
	int flags;
	const char *about;
};
#define METHOD_FASTCALL 0x80 /* METH_FASTCALL */

extern struct interpreter {
	int (*is_initialized)(void);
	int (*pending_add)(int (*function)(void *), void *argument);
	int (*profile_set)(object *thread, profile_hook hook, object *self);
	object *(*interpreter_get)(void);
	object *(*thread_first)(object *interpreter);
	object *(*thread_next)(object *thread);
	uint64_t (*thread_id)(object *thread);
	int (*lock_check)(void);
	object *(*thread_current)(void);
	object *(*frame_code)(object *frame);
	object *(*weak_new)(object *to, object *callback);
	void (*untrack)(object *o); /* from the collection of garbage */
	int (*collect_disable)(void); /* was it enabled? NULL before 3.10, as the next */
	int (*collect_enable)(void);
	object *(*attribute_get)(object *of, const char *name);
	const char *(*text_get)(object *text);
	long (*number_get)(object *number);
	object *(*call)(object *function);
	object *(*call_method)(object *of, const char *name, const char *format, ...);
	object *(*method_new)(struct method *method, object *self, object *module);
	object *(*system_get)(const char *name);
	object *(*modules_get)(void);
	object *(*item_get)(object *dict, const char *key);
	void (*error_clear)(void);
	void (*error_take)(object **type, object **value, object **trace);
	void (*error_put)(object *type, object *value, object *trace);
	void (*retain)(object *o);
	void (*release)(object *o);
	object *none;
} py;

/* 0: this is no program of Python, or a version that is too old. Call it once, before all else. */
int interpreter_find(void);

/* With the interpreter's lock: the attribute as a number, at most 2^31 - 1; 0: there is none, or it is negative. */
uint32_t number_of(object *of, const char *name);
/* The attribute, copied; 0: it is no text. */
int text_of(object *of, const char *name, char *out, size_t room);

#endif
