/*
 * monitor.c: calls by way of sys.monitoring (PEP 669), of all threads.
 *
 * The interpreter makes no object of the frame for it, as it does for profile hooks, and still runs
 * calls with its specialised instructions. The program may monitor and profile itself beside it. A
 * function that the selection excludes is disabled at its first call: from then on, its calls cost
 * nothing. If another selection comes, all events are enabled again.
 *
 * An event has no frame: a leave belongs to the innermost open call of its code.
 */
#include "monitor.h"

#include <string.h>

#include "frames.h"
#include "function.h"
#include "interpreter.h"
#include "tau.h"

static object *monitoring; /* sys.monitoring */
static object *disable;    /* what a callback returns to get no more of an event of a code */

/* ---- another selection ---- */

static int changed; /* what was disabled must be enabled */

/* Releases the result of a call; 0: it failed. */
static int done(object *result)
{
	if (result)
		py.release(result);
	else
		py.error_clear();
	return result != NULL;
}

static int enable_all(void *argument)
{
	(void)argument;
	if (__atomic_exchange_n(&changed, 0, __ATOMIC_ACQ_REL))
		done(py.call_method(monitoring, "restart_events", NULL));
	return 0;
}

/* In any thread, at any place: the next event enables all, or the main thread, if there is none. */
static void selection_changed(void)
{
	__atomic_store_n(&changed, 1, __ATOMIC_RELEASE);
	py.pending_add(enable_all, NULL);
}

/* ---- events ---- */

static inline void selection_look(void)
{
	if (__builtin_expect(__atomic_load_n(&changed, __ATOMIC_RELAXED), 0))
		enable_all(NULL);
}

/* What a callback returns is released: only None lasts forever in all versions. */
static object *returned(int excluded)
{
	if (!excluded)
		return py.none;
	py.retain(disable);
	return disable;
}

static int enter(object *code)
{
	uint64_t kept;

	selection_look();
	kept = tau_active() ? function_of(code) : 0;
	if (!(kept & EXCLUDED))
		frame_enter(code, code, kept);
	return (kept & EXCLUDED) != 0;
}

/*
 * A call of an excluded function was not entered. If it is not excluded any more, it must not be
 * disabled now: its next enter needs a leave.
 */
static int leave(object *code)
{
	selection_look();
	if (!frame_is_last(code) && function_of(code) & EXCLUDED)
		return 1;
	frame_leave(code);
	return 0;
}

static object *started(object *self, object *const *arguments, intptr_t n)
{
	(void)self;
	return returned(n > 0 && enter(arguments[0]));
}

static object *ended(object *self, object *const *arguments, intptr_t n)
{
	(void)self;
	return returned(n > 0 && leave(arguments[0]));
}

/* Events of exceptions cannot be disabled. */
static object *thrown(object *self, object *const *arguments, intptr_t n)
{
	(void)self;
	if (n > 0)
		enter(arguments[0]);
	return py.none;
}

static object *unwound(object *self, object *const *arguments, intptr_t n)
{
	(void)self;
	if (n > 0)
		leave(arguments[0]);
	return py.none;
}

static struct method methods[] = {
	{"started", started, METHOD_FASTCALL, NULL},
	{"ended", ended, METHOD_FASTCALL, NULL},
	{"thrown", thrown, METHOD_FASTCALL, NULL},
	{"unwound", unwound, METHOD_FASTCALL, NULL},
};
static const struct {
	const char *event;
	struct method *method;
} callbacks[] = {
	{"PY_START", &methods[0]}, {"PY_RESUME", &methods[0]}, {"PY_RETURN", &methods[1]},
	{"PY_YIELD", &methods[1]}, {"PY_THROW", &methods[2]},  {"PY_UNWIND", &methods[3]},
};
#define CALLBACKS (sizeof(callbacks) / sizeof(*callbacks))

/* ---- start ---- */

/* A number of a tool that is not in use, and neither has a purpose in PEP 669: it is ours. -1:
 * none. */
static int tool_claim(void)
{
	static const int numbers[] = {4, 3};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (done(py.call_method(monitoring, "use_tool_id", "is", numbers[i], "tau")))
			return numbers[i];
	return -1;
}

/* 0: the version has no such event. */
static uint32_t callback_set(int tool, const char *event, struct method *method)
{
	object *events = py.attribute_get(monitoring, "events");
	uint32_t number = events ? number_of(events, event) : 0;
	object *function = number ? py.method_new(method, NULL, NULL) : NULL;

	if (!events)
		py.error_clear();
	if (!function || !done(py.call_method(monitoring, "register_callback", "iiO", tool,
					      (int)number, function)))
		number = 0;
	if (function)
		py.release(function);
	if (events)
		py.release(events);
	return number;
}

/* 0: not all events. */
static int events_set(int tool)
{
	uint32_t all = 0, one;

	for (size_t i = 0; i < CALLBACKS; i++) {
		one = callback_set(tool, callbacks[i].event, callbacks[i].method);
		if (!one)
			return 0;
		all |= one;
	}
	return done(py.call_method(monitoring, "set_events", "ii", tool, (int)all));
}

int monitor_start(void)
{
	int tool;

	monitoring = py.system_get("monitoring");
	disable = monitoring ? py.attribute_get(monitoring, "DISABLE") : NULL;
	if (monitoring && !disable)
		py.error_clear();
	tool = disable ? tool_claim() : -1;
	if (tool < 0)
		return 0;
	if (!events_set(tool)) {
		done(py.call_method(monitoring, "free_tool_id", "i", tool));
		return 0;
	}
	py.retain(monitoring);
	tau_on_selection(selection_changed);
	return 1;
}
