/*
 * papi.c: metrics of PAPI. A copy of the library is loaded when a PAPI event is selected,
 * and its interface is declared here, so that neither its headers nor the library itself are needed
 * otherwise.
 */
#include "record/metric/papi.h"
#include "record/base/thread.h"
#include "record/metric/counters.h"
#include "record/metric/papi_copy.h"
#include "record/metric/papi_files.h"
#include "record/metric/perf.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_SET	 (-1)
#define CONFLICT (-8) /* with other events that are counted */
#define NOT_PERMITTED (-15)

static const char *const libraries[] = {"libpapi.so.7.0", "libpapi.so.7.1", "libpapi.so.7.2",
					"libpapi.so.6.0", "libpapi.so.5.7", "libpapi.so"};
#define LIBRARIES (sizeof(libraries) / sizeof(*libraries))

static struct {
	bool tried, ready, taken, found;
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
	char name[COUNTERS][METRIC_NAME + 16];
	uint32_t codes;
} papi;

static const struct {
	const char *name;
	void *to;
} functions[] = {
	{"PAPI_library_init", &papi.library_init},
	{"PAPI_thread_init", &papi.thread_init},
	{"PAPI_event_name_to_code", &papi.event_name_to_code},
	{"PAPI_create_eventset", &papi.create_eventset},
	{"PAPI_add_event", &papi.add_event},
	{"PAPI_start", &papi.start},
	{"PAPI_read", &papi.read},
	{"PAPI_stop", &papi.stop},
	{"PAPI_cleanup_eventset", &papi.cleanup_eventset},
	{"PAPI_destroy_eventset", &papi.destroy_eventset},
	{"PAPI_unregister_thread", &papi.unregister_thread},
	{"PAPI_get_event_component", &papi.get_event_component},
	{"PAPI_strerror", &papi.strerror},
};

static unsigned long thread_self(void)
{
	return (unsigned long)pthread_self();
}

/* The library accepts only the version of its own header, which is not known here: all versions
 * are tried. */
static int library_version(void)
{
	for (int major = 9; major >= 5; major--)
		for (int minor = 0; minor < 10; minor++)
			if (papi.library_init(major << 24 | minor << 16) ==
			    (major << 24 | minor << 16))
				return major << 24 | minor << 16;
	return 0;
}

/* The program's own counters and ours would stop each other. */
static bool library_loaded(void)
{
	for (size_t i = 0; i < LIBRARIES; i++) {
		void *h = own_library(libraries[i], 0);

		if (h) {
			own_close(h);
			return true;
		}
	}
	return false;
}

static bool library_load(void)
{
	const char *given = getenv("TAU_RECORD_PAPI");
	void *h = NULL;

	for (size_t i = 0; !given && !papi.found && i < LIBRARIES; i++)
		papi.found = papi_copy(libraries[i], &h);
	if (given)
		papi.found = papi_copy(given, &h);
	for (size_t i = 0; h && i < sizeof(functions) / sizeof(*functions); i++) {
		void *f = own_of(h, functions[i].name);

		if (!f)
			return false;
		*(void **)functions[i].to = f;
	}
	if (h)
		papi_files_keep(h);
	return h != NULL;
}

static bool papi_ready(void)
{
	if (papi.tried)
		return papi.ready;
	papi.tried = true;
	papi.taken = library_loaded();
	if (!papi.taken && library_load())
		papi.version = library_version();
	papi.ready = papi.version && papi.thread_init(thread_self) == 0;
	return papi.ready;
}

/* Makes an event set and starts it; 0, or PAPI's error. */
static int set_make(int *set, const int *code, uint32_t n)
{
	int error = papi.create_eventset(set);

	for (uint32_t i = 0; i < n && !error; i++)
		error = papi.add_event(*set, code[i]);
	return error ? error : papi.start(*set);
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

/* Can the event be counted, together with those of its component that were found before? */
static int event_try(int code)
{
	int together[COUNTERS + 1], set = NO_SET, error;
	uint32_t n = 0;

	for (uint32_t i = 0; i < papi.codes; i++)
		if (papi.get_event_component(papi.code[i]) == papi.get_event_component(code))
			together[n++] = papi.code[i];
	together[n++] = code;
	error = set_make(&set, together, n);
	set_end(&set);
	return error;
}

/*
 * The event's name for PAPI. By default it counts user mode only, which is 0 for events that
 * happen in the kernel only.
 */
static void native_name(const char *name, char *out, size_t size, bool *software)
{
	int code = perf_find(name);

	*software = code >= 0;
	snprintf(out, size, "%s%s", name, *software && perf_in_kernel(code) ? ":u=1:k=1" : "");
}

static struct metric_refusal papi_missing(void)
{
	if (papi.taken)
		return (struct metric_refusal){TAU_REFUSED_OTHER,
					       "the program has loaded PAPI for itself"};
	if (papi.found)
		return (struct metric_refusal){
			TAU_REFUSED_OTHER,
			"the recorder cannot load its own copy of the PAPI library"};
	return (struct metric_refusal){TAU_REFUSED_NO_PAPI,
				       "there is no PAPI library (libpapi.so) here"};
}

int papi_find(const char *name, struct metric_refusal *r)
{
	const char *plain = strncmp(name, "PAPI_NATIVE_", 12) ? name : name + 12;
	char native[METRIC_NAME + 16];
	int code, error;
	bool software;

	if (!papi_ready()) {
		*r = papi_missing();
		return -1;
	}
	native_name(plain, native, sizeof(native), &software);
	if (papi.event_name_to_code(native, &code)) {
		*r = (struct metric_refusal){TAU_REFUSED_OTHER,
					     "PAPI has no such event on this machine"};
		return -1;
	}
	if (papi.codes == COUNTERS) {
		*r = (struct metric_refusal){TAU_REFUSED_OTHER, "too many metrics"};
		return -1;
	}
	error = event_try(code);
	if (error) {
		bool processor = !software && (!strncmp(plain, "PAPI_", 5) ||
					       !strncmp(plain, "perf::", 6));

		if (!processor || error == CONFLICT || perf_hardware(r)) {
			r->cause = error == NOT_PERMITTED ? TAU_REFUSED_PERMISSION
							  : TAU_REFUSED_OTHER;
			snprintf(r->why, sizeof(r->why), "PAPI cannot count it on this machine: %s",
				 papi.strerror(error));
		}
		return -1;
	}
	papi.code[papi.codes] = code;
	snprintf(papi.name[papi.codes], sizeof(papi.name[0]), "%s", native);
	return (int)papi.codes++;
}

/* The events of `event[at]`'s component that come from there on; their places go to `place`. */
static uint32_t gather(const int *event, uint32_t n, uint32_t at, int *code, uint32_t *place)
{
	int component = papi.get_event_component(papi.code[event[at]]);
	uint32_t found = 0;

	for (; at < n; at++) {
		if (papi.get_event_component(papi.code[event[at]]) != component)
			continue;
		code[found] = papi.code[event[at]];
		place[found++] = at;
	}
	return found;
}

bool papi_start(struct papi_sets *s, const int *event, uint32_t n)
{
	bool taken[COUNTERS] = {false};
	uint32_t *place = s->place;
	int code[COUNTERS];

	s->n = 0;
	for (uint32_t i = 0; papi.ready && i < n; i++) {
		uint32_t found = taken[i] ? 0 : gather(event, n, i, code, place);

		if (!found)
			continue;
		for (uint32_t k = 0; k < found; k++)
			taken[place[k]] = true;
		s->set[s->n] = NO_SET;
		s->size[s->n] = found;
		place += found;
		if (set_make(&s->set[s->n++], code, found) != 0) {
			papi_stop(s);
			return false;
		}
	}
	return papi.ready;
}

bool papi_read(struct papi_sets *s, int64_t *value)
{
	const uint32_t *place = s->place;
	long long got[COUNTERS];

	for (uint32_t i = 0; i < s->n; i++) {
		if (papi.read(s->set[i], got) != 0)
			return false;
		for (uint32_t k = 0; k < s->size[i]; k++)
			value[*place++] = got[k];
	}
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

/* The child's counters are its own: the library begins anew there, and numbers its events anew. */
void papi_after_fork(void)
{
	papi_files_forget();
	if (!papi.ready)
		return;
	papi.ready = papi.library_init(papi.version) == papi.version &&
		     papi.thread_init(thread_self) == 0;
	for (uint32_t i = 0; papi.ready && i < papi.codes; i++)
		papi.ready = papi.event_name_to_code(papi.name[i], &papi.code[i]) == 0;
}
