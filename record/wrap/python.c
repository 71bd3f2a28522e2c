/*
 * python.c: the wrapper of Python: functions of programs that CPython 3.9 or newer interprets, with
 * file and line.
 *
 * The interpreter is not linked: its functions are found by name when the process starts; in other
 * programs nothing is done. Its profiling hook of the C interface (PyEval_SetProfile) belongs to
 * one thread: that of the main thread is set by the first file that is opened after Python's start,
 * as a pending call; that of other threads by the thread that creates them, which has the
 * interpreter's lock then. sys.monitoring would call Python's objects, which costs more.
 *
 * Each thread keeps a stack of the frames that it has entered: a frame that was open before has no
 * enter, generators leave and enter at each yield, and greenlets leave in any order. The region of
 * a function is kept with its code object, which may be freed. A program that sets a hook of its
 * own keeps it.
 *
 * What a task of asyncio runs, from one await that suspends it to the next, is a call of a region
 * of the task.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tau.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- the interpreter ---- */

typedef struct object object; /* PyObject, PyFrameObject, PyThreadState ... */
typedef int (*profile_hook)(object *self, object *frame, int what, object *argument);
enum { FRAME_CALL = 0, FRAME_RETURN = 3 };

static int (*is_initialized)(void);
static int (*pending_add)(int (*function)(void *), void *argument);
static int (*profile_set)(object *thread, profile_hook hook, object *self);
static object *(*interpreter_get)(void);
static object *(*thread_first)(object *interpreter);
static object *(*thread_next)(object *thread);
static uint64_t (*thread_id)(object *thread);
static int (*lock_check)(void);
static object *(*thread_current)(void);
static object *(*frame_code)(object *frame);
static long (*extra_request)(void (*release)(void *));
static int (*extra_get)(object *code, long index, void **extra);
static int (*extra_set)(object *code, long index, void *extra);
static object *(*attribute_get)(object *of, const char *name);
static const char *(*text_get)(object *text);
static long (*number_get)(object *number);
static object *(*call)(object *function);
static object *(*modules_get)(void);
static object *(*item_get)(object *dict, const char *key);
static void (*error_clear)(void);
static void (*error_take)(object **type, object **value, object **trace);
static void (*error_put)(object *type, object *value, object *trace);
static void (*release)(object *o);

/* Where a function has another name in newer versions, that is second. */
static const struct {
	void *to;
	const char *name, *newer;
} functions[] = {
	{&pending_add, "Py_AddPendingCall", NULL},
	{&profile_set, "_PyEval_SetProfile", NULL},
	{&interpreter_get, "PyInterpreterState_Get", NULL},
	{&thread_first, "PyInterpreterState_ThreadHead", NULL},
	{&thread_next, "PyThreadState_Next", NULL},
	{&thread_id, "PyThreadState_GetID", NULL},
	{&lock_check, "PyGILState_Check", NULL},
	{&thread_current, "_PyThreadState_UncheckedGet", "PyThreadState_GetUnchecked"},
	{&frame_code, "PyFrame_GetCode", NULL},
	{&extra_request, "_PyEval_RequestCodeExtraIndex", "PyUnstable_Eval_RequestCodeExtraIndex"},
	{&extra_get, "_PyCode_GetExtra", "PyUnstable_Code_GetExtra"},
	{&extra_set, "_PyCode_SetExtra", "PyUnstable_Code_SetExtra"},
	{&attribute_get, "PyObject_GetAttrString", NULL},
	{&text_get, "PyUnicode_AsUTF8", NULL},
	{&number_get, "PyLong_AsLong", NULL},
	{&call, "PyObject_CallNoArgs", NULL},
	{&modules_get, "PyImport_GetModuleDict", NULL},
	{&item_get, "PyDict_GetItemString", NULL},
	{&error_clear, "PyErr_Clear", NULL},
	{&error_take, "PyErr_Fetch", NULL},
	{&error_put, "PyErr_Restore", NULL},
	{&release, "Py_DecRef", NULL},
	{&is_initialized, "Py_IsInitialized", NULL},
};

static int interpreter_find(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *f = dlsym(RTLD_DEFAULT, functions[i].name);

		if (!f && functions[i].newer)
			f = dlsym(RTLD_DEFAULT, functions[i].newer);
		if (!f)
			return 0;
		memcpy(functions[i].to, &f, sizeof(f));
	}
	return 1;
}

/* ---- the region of a function ---- */

static long extra = -1; /* where code objects keep it */

/* A text of a code object, copied; 0: it has none. */
static int text_of(object *code, const char *name, char *out, size_t room)
{
	object *o = attribute_get(code, name);
	const char *text = o ? text_get(o) : NULL;

	if (text)
		snprintf(out, room, "%s", text);
	else
		error_clear();
	if (o)
		release(o);
	return text != NULL;
}

/* A number of a code object that is not negative; 0: it has none. */
static uint32_t number_of(object *code, const char *name)
{
	object *o = attribute_get(code, name);
	long number = o ? number_get(o) : -1;

	if (number < 0)
		error_clear();
	if (o)
		release(o);
	return number > 0 ? (uint32_t)number : 0;
}

/* Versions before 3.11 have no qualified name. */
static int name_of(object *code, char *out, size_t room)
{
	return text_of(code, "co_qualname", out, room) || text_of(code, "co_name", out, room);
}

/* What is kept with a code object. */
#define REGION(kept) ((uint32_t)(kept))
#define COROUTINE    ((uint64_t)1 << 32)
#define CO_COROUTINE 0x80       /* of co_flags */
#define HIDDEN       UINT32_MAX /* of the module tau, which opens and closes regions of the program */
#define PROFILER     (UINT32_MAX - 1) /* the program begins to profile itself */

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

static uint32_t region_define(object *code)
{
	char name[512], file[4096];

	if (!name_of(code, name, sizeof(name)))
		return 0;
	if (!text_of(code, "co_filename", file, sizeof(file)))
		*file = 0;
	if (!strcmp(file, "<tau>"))
		return HIDDEN;
	if (is_profiler(name, file))
		return PROFILER;
	return tau_region(name, "PYTHON", *file ? file : NULL,
			  *file ? number_of(code, "co_firstlineno") : 0);
}

/* The region of a frame's function, and whether that is a coroutine. */
static uint64_t region_of(object *frame)
{
	object *code = frame_code(frame);
	void *known = NULL;
	uint64_t kept;

	if (!code)
		return 0;
	if (extra >= 0 && extra_get(code, extra, &known))
		error_clear();
	kept = (uintptr_t)known;
	if (!kept) {
		kept = region_define(code);
		if (kept && number_of(code, "co_flags") & CO_COROUTINE)
			kept |= COROUTINE;
		if (kept && extra >= 0 && extra_set(code, extra, (void *)(uintptr_t)kept))
			error_clear();
	}
	release(code);
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
	object *function = of ? attribute_get(of, name) : NULL,
	       *result = function ? call(function) : NULL;

	if (function)
		release(function);
	return result;
}

/* The name of the task that the thread runs: a text that is released later; NULL: it runs none. */
static object *task_name(void)
{
	object *asyncio = item_get(modules_get(), "asyncio.tasks");
	object *task = result_of(asyncio, "current_task"), *name;

	name = result_of(task, "get_name");
	if (task)
		release(task);
	return name;
}

/* The region of the task that is about to go on with this coroutine; 0: it is none. */
static uint32_t task_region(object *frame)
{
	object *type, *value, *trace, *code = frame_code(frame), *name;
	char title[600] = "asyncio task ", file[4096], *end = title + strlen(title);
	uint32_t region = 0;
	const char *text;

	error_take(&type, &value, &trace);
	name = code ? task_name() : NULL;
	text = name ? text_get(name) : NULL;
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
	error_clear();
	error_put(type, value, trace);
	if (name)
		release(name);
	if (code)
		release(code);
	return region;
}

/* ---- the frames of a thread ---- */

struct entered {
	const object *frame;
	uint32_t region;
	uint32_t task; /* it is of the task that runs the frame; the frame's own follows */
};

#define FIRST 4096 /* entries, before it grows */
static __thread struct {
	struct entered *at;
	size_t n, cap;
	unsigned tasks; /* open */
} frames;
static pthread_key_t frames_key;

static void frames_free(void *at)
{
	(void)at;
	munmap(frames.at, frames.cap * sizeof(*frames.at));
	memset(&frames, 0, sizeof(frames));
}

static int frames_grow(void)
{
	size_t cap = frames.cap ? frames.cap * 2 : FIRST, bytes = cap * sizeof(*frames.at);
	struct entered *at = mmap(tau_map_at(bytes), bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return 0;
	if (frames.n)
		memcpy(at, frames.at, frames.n * sizeof(*at));
	if (frames.at)
		munmap(frames.at, frames.cap * sizeof(*at));
	frames.at = at;
	frames.cap = cap;
	pthread_setspecific(frames_key, at);
	return 1;
}

static void hand_over(void);

static void push(const object *frame, uint32_t region, uint32_t task)
{
	if (frames.n == frames.cap && !frames_grow())
		return;
	frames.at[frames.n++] = (struct entered){frame, region, task};
	frames.tasks += task;
	tau_begin(region);
}

static void pop(void)
{
	const struct entered *last = &frames.at[--frames.n];

	frames.tasks -= last->task;
	tau_leave(last->region);
}

static void frame_enter(object *frame)
{
	uint64_t kept = tau_active() ? region_of(frame) : 0;
	uint32_t region = REGION(kept), task;

	if (region == PROFILER)
		hand_over();
	if (region >= PROFILER)
		return;
	if (kept & COROUTINE && !frames.tasks) {
		task = task_region(frame);
		if (task)
			push(frame, task, 1);
	}
	push(frame, region, 0);
}

/* Those above it have lost their leave. */
static void frame_leave(const object *frame)
{
	size_t i = frames.n;

	while (i && frames.at[i - 1].frame != frame)
		i--;
	if (i > 1 && frames.at[i - 2].frame == frame)
		i--;
	while (i && frames.n >= i)
		pop();
}

static int profile(object *self, object *frame, int what, object *argument)
{
	(void)self;
	(void)argument;
	if (what == FRAME_CALL)
		frame_enter(frame);
	else if (what == FRAME_RETURN)
		frame_leave(frame);
	return 0;
}

/* ---- threads of the interpreter ---- */

static int interpreted; /* the process is one of Python */
static int asked;       /* the main thread is to set its hook */
static int running;     /* it has */
static uint64_t newest; /* number of the newest thread that has had the hook; read and written with
			   the interpreter's lock */

static void thread_hook(object *thread)
{
	uint64_t id = thread_id(thread);

	if (id > newest)
		newest = id;
	if (profile_set(thread, profile, NULL))
		error_clear();
}

static int start(void *argument)
{
	(void)argument;
	if (running || !tau_permitted())
		return 0;
	extra = extra_request(NULL);
	for (object *t = thread_first(interpreter_get()); t; t = thread_next(t))
		thread_hook(t);
	__atomic_store_n(&running, 1, __ATOMIC_RELEASE);
	return 0;
}

/* No thread has the hook any more. */
static void hand_over(void)
{
	__atomic_store_n(&running, 0, __ATOMIC_RELEASE);
	for (object *t = thread_first(interpreter_get()); t; t = thread_next(t))
		if (profile_set(t, NULL, NULL))
			error_clear();
	while (frames.n)
		pop();
}

/* A thread that is about to begin is the first of the list. */
static void thread_new(void)
{
	object *thread;

	if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE) || !thread_current() || !lock_check())
		return;
	thread = thread_first(interpreter_get());
	if (thread && thread_id(thread) > newest)
		thread_hook(thread);
}

/* A file is opened: has Python started? */
static void opened(void)
{
	if (!interpreted || __atomic_load_n(&asked, __ATOMIC_RELAXED) || !is_initialized())
		return;
	if (!__atomic_exchange_n(&asked, 1, __ATOMIC_ACQ_REL) && pending_add(start, NULL))
		__atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
}

/* ---- the functions that are wrapped ---- */

static FILE *(*real_fopen)(const char *, const char *);
static FILE *(*real_fopen64)(const char *, const char *);
static int (*real_open)(const char *, int, ...);
static int (*real_open64)(const char *, int, ...);
static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Other libraries may open files before our constructor has run. */
static void real_find(void *to, const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	memcpy(to, &f, sizeof(f));
}

static __attribute__((constructor)) void begin(void)
{
	real_find(&real_fopen, "fopen");
	real_find(&real_fopen64, "fopen64");
	real_find(&real_open, "open");
	real_find(&real_open64, "open64");
	real_find(&real_create, "pthread_create");
	interpreted = interpreter_find() && !pthread_key_create(&frames_key, frames_free);
}

#define OPEN(name)                                                                                 \
	EXPORT int name(const char *path, int flags, ...)                                          \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
		va_list more;                                                                      \
\
		if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {                         \
			va_start(more, flags);                                                     \
			mode = va_arg(more, mode_t);                                               \
			va_end(more);                                                              \
		}                                                                                  \
		if (!real_##name)                                                                  \
			real_find(&real_##name, #name);                                            \
		opened();                                                                          \
		return real_##name(path, flags, mode);                                             \
	}
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                                                \
	EXPORT FILE *name(const char *path, const char *mode)                                      \
	{                                                                                          \
		if (!real_##name)                                                                  \
			real_find(&real_##name, #name);                                            \
		opened();                                                                          \
		return real_##name(path, mode);                                                    \
	}
FOPEN(fopen)
FOPEN(fopen64)

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*routine)(void *), void *argument)
{
	if (!real_create)
		real_find(&real_create, "pthread_create");
	thread_new();
	return real_create(thread, attributes, routine, argument);
}
