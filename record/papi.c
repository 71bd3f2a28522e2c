/*
 * papi.c: counts what PAPI counts. The library is loaded privately when a PAPI event is asked for, and its interface is
 * declared here, so that neither its headers nor the library itself are needed otherwise.
 */
#include "metric.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_SET (-1)

static struct {
	bool tried, ready;
	int (*library_init)(int version);
	int (*thread_init)(unsigned long (*self)(void));
	int (*event_name_to_code)(const char *name, int *code);
	int (*create_eventset)(int *set);
	int (*add_event)(int set, int code);
	int (*start)(int set);
	int (*read)(int set, long long *values);
	int (*stop)(int set, long long *values);
	int (*cleanup_eventset)(int set);
	int (*destroy_eventset)(int *set);
	int (*unregister_thread)(void);
	int (*get_event_component)(int code);
	char *(*strerror)(int error);
	int version;
	int code[COUNTERS];
	uint32_t codes;
} papi;

static const struct {
	const char *name;
	void *to;
} functions[] = {
	{ "PAPI_library_init", &papi.library_init },
	{ "PAPI_thread_init", &papi.thread_init },
	{ "PAPI_event_name_to_code", &papi.event_name_to_code },
	{ "PAPI_create_eventset", &papi.create_eventset },
	{ "PAPI_add_event", &papi.add_event },
	{ "PAPI_start", &papi.start },
	{ "PAPI_read", &papi.read },
	{ "PAPI_stop", &papi.stop },
	{ "PAPI_cleanup_eventset", &papi.cleanup_eventset },
	{ "PAPI_destroy_eventset", &papi.destroy_eventset },
	{ "PAPI_unregister_thread", &papi.unregister_thread },
	{ "PAPI_get_event_component", &papi.get_event_component },
	{ "PAPI_strerror", &papi.strerror },
};

static unsigned long thread_self(void)
{
	return (unsigned long)pthread_self();
}

/* The library answers to the version of its header only, which is not asked for here: so all are offered. */
static int library_version(void)
{
	for (int major = 9; major >= 5; major--)
		for (int minor = 0; minor < 10; minor++)
			if (papi.library_init(major << 24 | minor << 16) == (major << 24 | minor << 16))
				return major << 24 | minor << 16;
	return 0;
}

static bool library_load(void)
{
	static const char *const names[] = { "libpapi.so.7.0", "libpapi.so.7.1", "libpapi.so.7.2", "libpapi.so.6.0",
					     "libpapi.so.5.7", "libpapi.so" };
	const char *given = getenv("TAU_RECORD_PAPI");
	void *h = NULL;

	for (size_t i = 0; !given && !h && i < sizeof(names) / sizeof(*names); i++)
		h = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (given)
		h = dlopen(given, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; h && i < sizeof(functions) / sizeof(*functions); i++) {
		void *f = dlsym(h, functions[i].name);

		if (!f)
			return false;
		*(void **)functions[i].to = f;
	}
	return h != NULL;
}

static bool papi_ready(void)
{
	if (papi.tried)
		return papi.ready;
	papi.tried = true;
	if (library_load())
		papi.version = library_version();
	papi.ready = papi.version && papi.thread_init(thread_self) == 0;
	return papi.ready;
}

/* Makes an event set of one event or, with n > 1, of as many of the following as it takes. Returns their number. */
static uint32_t set_make(int *set, const int *event, uint32_t n, int *error)
{
	int component = papi.get_event_component(papi.code[event[0]]);
	uint32_t taken = 0;

	*set = NO_SET;
	*error = papi.create_eventset(set);
	while (!*error && taken < n && papi.get_event_component(papi.code[event[taken]]) == component) {
		*error = papi.add_event(*set, papi.code[event[taken]]);
		taken += *error == 0;
	}
	if (!*error)
		*error = papi.start(*set);
	return *error ? 0 : taken;
}

static void set_end(int *set)
{
	long long values[COUNTERS];

	if (*set == NO_SET)
		return;
	papi.stop(*set, values);
	papi.cleanup_eventset(*set);
	papi.destroy_eventset(set);
}

int papi_find(const char *name, char *why, size_t size)
{
	int code, set = NO_SET, error, event = (int)papi.codes;

	if (!papi_ready()) {
		snprintf(why, size, "there is no PAPI library (libpapi.so) here");
		return -1;
	}
	error = papi.event_name_to_code(strncmp(name, "PAPI_NATIVE_", 12) ? name : name + 12, &code);
	if (error) {
		snprintf(why, size, "PAPI has no such event on this machine");
		return -1;
	}
	if (papi.codes == COUNTERS) {
		snprintf(why, size, "these are too many");
		return -1;
	}
	papi.code[event] = code;
	if (!set_make(&set, &event, 1, &error))
		snprintf(why, size, "PAPI cannot count it on this machine: %s", papi.strerror(error));
	set_end(&set);
	if (error)
		return -1;
	papi.codes++;
	return event;
}

bool papi_start(struct papi_sets *s, const int *event, uint32_t n)
{
	uint32_t at = 0, taken;
	int error;

	for (s->n = 0; at < n; s->n++, at += taken) {
		taken = set_make(&s->set[s->n], event + at, n - at, &error);
		s->first[s->n] = at;
		if (!taken) {
			set_end(&s->set[s->n]);
			papi_stop(s);
			return false;
		}
	}
	return true;
}

bool papi_read(struct papi_sets *s, int64_t *value)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (papi.read(s->set[i], (long long *)value + s->first[i]) != 0)
			return false;
	return s->n > 0;
}

void papi_stop(struct papi_sets *s)
{
	if (!s->n)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		set_end(&s->set[i]);
	s->n = 0;
	papi.unregister_thread();
}

/* The child's counters are its own: the library begins anew there. */
void papi_after_fork(void)
{
	if (papi.ready)
		papi.ready = papi.library_init(papi.version) == papi.version && papi.thread_init(thread_self) == 0;
}
