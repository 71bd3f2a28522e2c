/* tool_sample.c: records variables of MPI's tool interface. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tool_sample.h"
#include "abi.h"
#include "wrap/now.h"
#include "pool.h"
#include "tool.h"
#include "metadata.h"

#define EXPORT __attribute__((visibility("default")))

enum { WATCHED = 128, VALUE = 1024, COUNT = 1 /* flag of tau_event() */ };

int tool_sampling;

static uint64_t interval, next;
static uint32_t busy, paused;
static int begun; /* MPI_T_init_thread was called */
static MPI_T_pvar_session session;

static struct watched {
	MPI_T_pvar_handle handle;
	const struct tool_type *type;
	int n;		/* values: one, or one per peer */
	void *values;
	uint32_t event;
} watched[WATCHED];
static int watched_n;

/* ---- control variables ---- */

/* Does the name contain one of these words, or is one of them "all"? */
static int is_listed(const char *name, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, ",");

		if ((n == 3 && !strncmp(words, "all", 3)) ||
		    (n && memmem(name, strlen(name), words, n)))
			return 1;
		words += n;
		words += *words == ',';
	}
	return 0;
}

/* Values are read before MPI_Init. After it, reading those of parts that MPI_Init has unloaded crashes Open MPI 4.1. */
struct tool_control {
	struct tool_control *next;
	char name[TOOL_NAME], value[VALUE];
};
static struct tool_control *controls;

static void controls_read(void)
{
	const char *words = getenv("TAU_RECORD_MPI_T_CONTROLS");
	struct tool_control **end = &controls;
	struct tool_variable v;

	for (int i = 0, n = tool_control_number(); i < n; i++) {
		struct tool_control *c;

		if (!tool_control(i, &v) || !is_listed(v.name, words ? words : "eager_limit"))
			continue;
		c = pool_get(sizeof(*c));
		if (!c)
			return;
		if (!tool_control_text(&v, c->value, sizeof(c->value))) {
			pool_put(c, sizeof(*c));
			continue;
		}
		strcpy(c->name, v.name);
		*end = c;
		end = &c->next;
	}
}

/* Those that MPI_Init has kept. */
static void controls_record(void)
{
	struct tool_variable v;
	char name[TOOL_NAME + 40];

	while (controls) {
		struct tool_control *c = controls;
		int index, kept;

		controls = c->next;
		tau_hide();
		kept = real_MPI_T_cvar_get_index(c->name, &index) == MPI_SUCCESS &&
		       tool_control(index, &v);
		tau_show();
		snprintf(name, sizeof(name), TAU_META_MPI_CONTROL_VARIABLE "%s", c->name);
		if (kept)
			tau_meta(name, c->value);
		pool_put(c, sizeof(*c));
	}
}

/* ---- performance variables ---- */

/* Its handle, started if it has to be. Objects other than the world are not watched. */
static int handle_allocate(struct watched *w, const struct tool_variable *v)
{
	MPI_Comm world = MPI_COMM_WORLD;
	void *object = v->bind == MPI_T_BIND_MPI_COMM ? &world : NULL;

	if (real_MPI_T_pvar_handle_alloc(session, v->index, object, &w->handle, &w->n) !=
	    MPI_SUCCESS)
		return 0;
	w->type = v->type;
	w->values = w->n > 0 ? pool_get((size_t)w->n * tool_size(v->type)) : NULL;
	if (w->values &&
	    (v->continuous || real_MPI_T_pvar_start(session, w->handle) == MPI_SUCCESS))
		return 1;
	real_MPI_T_pvar_handle_free(session, &w->handle);
	return 0;
}

/* A generic variable may do anything when it is read: one of Open MPI's writes a file. */
static int can_watch(const struct tool_variable *v)
{
	return v->type && v->how != MPI_T_PVAR_CLASS_GENERIC &&
	       (v->bind == MPI_T_BIND_NO_OBJECT || v->bind == MPI_T_BIND_MPI_COMM);
}

static int only_grows(const struct tool_variable *v)
{
	return v->how == MPI_T_PVAR_CLASS_COUNTER || v->how == MPI_T_PVAR_CLASS_AGGREGATE ||
	       v->how == MPI_T_PVAR_CLASS_TIMER;
}

static void watch_all(void)
{
	struct tool_variable v;
	char name[TOOL_NAME + 16];
	int good;

	for (int i = 0, n = tool_performance_number(); i < n && watched_n < WATCHED; i++) {
		struct watched *w = &watched[watched_n];

		tau_hide();
		good = tool_performance(i, &v) && can_watch(&v) && handle_allocate(w, &v);
		tau_show();
		if (!good)
			continue;
		snprintf(name, sizeof(name), TAU_EVENT_MPI_T "%s", v.name);
		w->event = tau_event(name, only_grows(&v) ? COUNT : 0);
		watched_n++;
	}
}

static void read_all(void)
{
	for (int i = 0; i < watched_n; i++) {
		struct watched *w = &watched[i];
		int good;

		tau_hide();
		good = real_MPI_T_pvar_read(session, w->handle, w->values) == MPI_SUCCESS;
		tau_show();
		if (good)
			tau_trigger(w->event, tool_sum(w->type, w->values, w->n));
	}
}

/* 0: another thread reads them, or the caller is inside of the recorder. */
static int read_alone(void)
{
	if (tau_inside() || __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return 0;
	read_all();
	__atomic_store_n(&next, now_ns() + interval, __ATOMIC_RELAXED);
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return 1;
}

void tool_look(void)
{
	if (now_ns() >= __atomic_load_n(&next, __ATOMIC_RELAXED) &&
	    !__atomic_load_n(&paused, __ATOMIC_RELAXED))
		read_alone();
}

/* ---- calls of TAU.h ---- */

EXPORT void Tau_track_mpi_t_here(void);
EXPORT void Tau_enable_tracking_mpi_t(void);
EXPORT void Tau_disable_tracking_mpi_t(void);

void Tau_track_mpi_t_here(void)
{
	if (tool_sampling)
		(void)read_alone();
}

void Tau_enable_tracking_mpi_t(void)
{
	__atomic_store_n(&paused, 0, __ATOMIC_RELAXED);
}

void Tau_disable_tracking_mpi_t(void)
{
	__atomic_store_n(&paused, 1, __ATOMIC_RELAXED);
}

/* ---- begin and end ---- */

void tool_before_init(void)
{
	const char *ns = getenv("TAU_RECORD_MPI_T_NS");
	int saved = errno, provided;

	if (!ns || !tau_active() || begun)
		return;
	interval = strtoull(ns, NULL, 10);
	tau_hide();
	begun = real_MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
	if (begun)
		controls_read();
	tau_show();
	errno = saved;
}

void tool_after_init(int good)
{
	int saved = errno;

	if (!begun || !good || !abi_ready())
		return;
	controls_record();
	tau_hide();
	good = real_MPI_T_pvar_session_create(&session) == MPI_SUCCESS;
	tau_show();
	if (good)
		watch_all();
	tool_sampling = watched_n > 0;
	errno = saved;
}

void tool_before_finalize(void)
{
	int saved = errno;

	if (!begun)
		return;
	if (tool_sampling)
		read_all();
	tool_sampling = 0;
	begun = 0;
	tau_hide();
	for (int i = 0; i < watched_n; i++)
		real_MPI_T_pvar_handle_free(session, &watched[i].handle);
	if (watched_n)
		real_MPI_T_pvar_session_free(&session);
	watched_n = 0;
	real_MPI_T_finalize();
	tau_show();
	errno = saved;
}
