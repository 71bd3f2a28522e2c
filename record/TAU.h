/*
 * TAU.h: the interface of TAU for programs that were written for it: tau.h, and what such programs call besides.
 *
 * A program compiles unchanged and is linked with nothing: as in tau.h each function is a weak reference. Without the recorder
 * all of it does nothing. Fortran programs link libtauf.a, which contains the same calls under their Fortran names.
 *
 * What a trace makes unnecessary is accepted and does nothing: merging and deleting profiles, statistics of events, and
 * initialization. Questions about measured values are answered by tau_sums.h.
 */
#ifndef TAU_SOURCE_H
#define TAU_SOURCE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* TAU's own header includes them, and programs rely on that. */
#include <sys/types.h>
#include <unistd.h>

#include "tau.h"
#include "tau_metadata.h"

/* What TAU's own header is made with; programs test some of it. */
#define TAU_MAX_COUNTERS 25
#define TAU_MAX_THREADS 128
#define TAU_MAX_CALLPATH_DEPTH 200
#define TAU_NAME_LENGTH 1024

/* Groups of TAU besides those of tau.h. */
#define TAU_DISABLE TAU_GROUP_DISABLED
#define TAU_DESCRIPTOR_OVERHEAD 0x00008000UL
#define TAU_BLITZ 0x00010000UL
#define TAU_HPCXX 0x00020000UL
#define TAU_PYTHON 0x00040000UL
#define TAU_KOKKOS 0x00080000UL
#define TAU_ACLMPL 0x00200000UL
#define TAU_PAWS1 0x00400000UL
#define TAU_PAWS2 0x00800000UL
#define TAU_PAWS3 0x01000000UL
#define TAU_EXCLUDE 0x04000000UL
#define TAU_GROUP_0 0x80000000UL
#define TAU_GROUP_1 0x40000000UL
#define TAU_GROUP_2 0x20000000UL
#define TAU_GROUP_3 0x10000000UL
#define TAU_GROUP_4 0x08000000UL
#define TAU_GROUP_5 0x04000000UL
#define TAU_GROUP_6 0x02000000UL
#define TAU_GROUP_7 0x01000000UL
#define TAU_GROUP_8 0x00800000UL
#define TAU_GROUP_9 0x00400000UL
#define TAU_GROUP_10 0x00200000UL
#define TAU_GROUP_11 0x00100000UL
#define TAU_GROUP_12 0x00080000UL
#define TAU_GROUP_13 0x00040000UL
#define TAU_GROUP_14 0x00020000UL
#define TAU_GROUP_15 0x00010000UL
#define TAU_GROUP_16 0x00008000UL
#define TAU_GROUP_17 0x00004000UL
#define TAU_GROUP_18 0x00002000UL
#define TAU_GROUP_19 0x00001000UL
#define TAU_GROUP_20 0x00000800UL
#define TAU_GROUP_21 0x00000400UL
#define TAU_GROUP_22 0x00000200UL
#define TAU_GROUP_23 0x00000100UL
#define TAU_GROUP_24 0x00000080UL
#define TAU_GROUP_25 0x00000040UL
#define TAU_GROUP_26 0x00000020UL
#define TAU_GROUP_27 0x00000010UL
#define TAU_GROUP_28 0x00000008UL
#define TAU_GROUP_29 0x00000004UL
#define TAU_GROUP_30 0x00000002UL
#define TAU_GROUP_31 0x00000001UL

#ifdef __cplusplus
extern "C" {
#endif

enum TauFork_t { TAU_EXCLUDE_PARENT_DATA, TAU_INCLUDE_PARENT_DATA };

/* Timers and phases whose names get a number: name[0], name[1] ... per thread. It grows at the stop. phase: group TAU_PHASE, too. */
TAU_CALL(Tau_dynamic_start, (const char *name, int phase), (name, phase))
TAU_CALL(Tau_dynamic_stop, (const char *name, int phase), (name, phase))
TAU_CALL(Tau_profile_dynamic_auto,
	 (int number, void **timer, const char *name, const char *type, TauGroup_t group,
	  const char *group_name),
	 (number, timer, name, type, group, group_name))
TAU_CALL(Tau_static_phase_start, (const char *name), (name))
TAU_CALL(Tau_static_phase_stop, (const char *name), (name))
/* Stops the innermost timer. */
TAU_CALL(Tau_global_stop, (void), ())
/* The rest of the innermost timer's call is a call of "TIMER [ <name> = <value> ]", too, in group TAU_PARAM. */
TAU_CALL(Tau_profile_param1l, (long value, const char *name), (value, name))
/* Gives the timer another name or group from now on; NULL: the same as before. */
TAU_CALL(Tau_timer_change, (void **timer, const char *name, const char *group_name),
	 (timer, name, group_name))
/* Name, with its type, and groups; timer NULL: of the innermost timer. "" if there is none. */
TAU_CALL(Tau_timer_describe, (const void *timer, char *name, char *group_name, size_t size),
	 (timer, name, group_name, size))
/*
 * Files with the values up to now, open timers included. A process of tau-record's writes them from the trace soon after the
 * call, which only sends a message (tau-api(7)). dump: dump.N.C.T of the calling thread; incr: dump__DATE__.N.C.T; prefix:
 * PREFIX.N.C.T of all threads. snapshot: one more in the calling thread's snapshot.N.C.T. Returns 0. function_values: as dump
 * and incr, of n regions of these names only; their message has room for some 3000 characters. function_names: a file of names.
 */
TAU_ASK(int, Tau_dump, (void), (), 0)
TAU_ASK(int, Tau_dump_incr, (void), (), 0)
TAU_ASK(int, Tau_dump_prefix, (const char *prefix), (prefix), 0)
TAU_ASK(int, Tau_dump_prefix_task, (const char *prefix, int thread), (prefix, thread), 0)
TAU_CALL(Tau_dump_function_names, (void), ())
TAU_CALL(Tau_dump_function_values, (const char **list, int n), (list, n))
TAU_CALL(Tau_dump_function_values_incr, (const char **list, int n), (list, n))
TAU_CALL(Tau_profile_snapshot, (const char *name), (name))
TAU_CALL(Tau_profile_snapshot_1l, (const char *name, int number), (name, number))
/* Metadata "NAME [TIMER]": of the innermost timer or phase. */
TAU_CALL(Tau_context_metadata, (const char *name, const char *value), (name, value))
TAU_CALL(Tau_phase_metadata, (const char *name, const char *value), (name, value))
TAU_ASK(TauGroup_t, Tau_get_profile_group, (const char *group_name), (group_name), 0)
/* Samples as Tau_track_memory(): the resident set and its peak, the system's load, the energy that the processors used. */
TAU_CALL(Tau_track_memory_rss_and_hwm, (void), ())
TAU_CALL(Tau_track_memory_rss_and_hwm_here, (void), ())
TAU_CALL(Tau_track_load, (void), ())
TAU_CALL(Tau_track_load_here, (void), ())
TAU_CALL(Tau_enable_tracking_load, (void), ())
TAU_CALL(Tau_disable_tracking_load, (void), ())
TAU_CALL(Tau_track_power, (void), ())
TAU_CALL(Tau_track_power_here, (void), ())
TAU_CALL(Tau_enable_tracking_power, (void), ())
TAU_CALL(Tau_disable_tracking_power, (void), ())
/* Performance variables of MPI_T (tau-record --mpi-t): all now, or at the interval from now on, or no longer. */
TAU_CALL(Tau_track_mpi_t_here, (void), ())
TAU_CALL(Tau_enable_tracking_mpi_t, (void), ())
TAU_CALL(Tau_disable_tracking_mpi_t, (void), ())

#ifndef TAU_IMPLEMENTATION
/* What profiles and their files needed. */
TAU_FUNCTION void Tau_init(int argc, char **argv) { (void)argc, (void)argv; }
TAU_FUNCTION void Tau_init_ref(int *argc, char ***argv) { (void)argc, (void)argv; }
TAU_FUNCTION void Tau_exit(const char *message) { (void)message; }
TAU_FUNCTION void Tau_register_thread(void) { if (tau_attach) tau_attach(); }
TAU_FUNCTION void Tau_register_fork(int node, enum TauFork_t how) { (void)how; Tau_set_node(node); }
TAU_FUNCTION void Tau_lite_start_timer(void *timer, int phase) { Tau_start_timer(timer, phase, 0); }
TAU_FUNCTION void Tau_lite_stop_timer(void *timer) { Tau_stop_timer(timer, 0); }
TAU_FUNCTION void Tau_pure_start(const char *name) { Tau_start(name); }
TAU_FUNCTION void Tau_pure_stop(const char *name) { Tau_stop(name); }
TAU_FUNCTION int Tau_create_task(void) { return 0; }
#ifndef TAU_IMPLEMENTATION
/* Programs declare it themselves, so it is in them. Metadata of a task: "NAME [task N]", that of task 0 has the plain name. */
void Tau_metadata_task(char *name, const char *value, int task);
__attribute__((weak)) void Tau_metadata_task(char *name, const char *value, int task)
{
	char full[512];

	__builtin_snprintf(full, sizeof(full), task ? "%s [task %d]" : "%s", name, task);
	Tau_metadata(full, value);
}
#endif
TAU_INLINE void *Tau_get_function_info(const char *name, const char *type, TauGroup_t group,
					  const char *group_name)
{
	void *timer = NULL;

	Tau_profile_c_timer(&timer, name, type, group, group_name);
	return timer;
}

/* Valid until the next call in the thread. */
TAU_INLINE const char *Tau_timer_text(const void *timer, int which)
{
	static __thread char text[2][1024];

	text[0][0] = text[1][0] = 0;
	Tau_timer_describe(timer, text[0], text[1], sizeof(text[0]));
	return text[which];
}
#endif

#ifdef __cplusplus
}
#endif

#include "tau_sums.h"
#include "tau_sizes.h"

/* ---- timers ---- */

#define TAU_STATIC_TIMER_START TAU_START
#define TAU_STATIC_TIMER_STOP TAU_STOP
#define TAU_START_TASK(name, task) Tau_start(name)
#define TAU_STOP_TASK(name, task) Tau_stop(name)
#define TAU_PROFILE_TIMER_DYNAMIC(var, name, type, group) \
	void *var = NULL; \
	Tau_profile_c_timer(&var, name, type, group, #group)
#define TAU_PROFILE_DECLARE_TIMER(var) static void *var = NULL
#define TAU_PROFILE_CREATE_TIMER(var, name, type, group) \
	Tau_profile_c_timer(&var, name, type, group, #group)
#define TAU_PROFILE_STMT(statement) statement;
#define TAU_PROFILE_CREATE_DYNAMIC_AUTO(var, name, type, group) \
	void *var = NULL; \
	{ \
		static int tau_number = 0; \
		Tau_profile_dynamic_auto(++tau_number, &var, name, type, group, #group); \
	}
#define TAU_DYNAMIC_TIMER_START(name) Tau_dynamic_start(name, 0)
#define TAU_DYNAMIC_TIMER_STOP(name) Tau_dynamic_stop(name, 0)
#define TAU_PROFILE_TIMER_SET_NAME(timer, name) Tau_timer_change(&(timer), name, NULL)
#define TAU_PROFILE_TIMER_SET_TYPE(timer, type) ((void)0)
#define TAU_PROFILE_TIMER_SET_GROUP(timer, group) Tau_timer_change(&(timer), NULL, #group)
#define TAU_PROFILE_TIMER_SET_GROUP_NAME(timer, name) Tau_timer_change(&(timer), NULL, name)
#define TAU_PROFILE_SET_GROUP_NAME(name) Tau_timer_change(&tau_timer, NULL, name)
#define TAU_PROFILE_TIMER_GET_NAME(timer) Tau_timer_text(timer, 0)
#define TAU_PROFILE_TIMER_GET_TYPE(timer) ""
#define TAU_PROFILE_TIMER_GET_GROUP(timer) Tau_get_profile_group(Tau_timer_text(timer, 1))
#define TAU_PROFILE_TIMER_GET_GROUP_NAME(timer) Tau_timer_text(timer, 1)
#define TAU_PROFILE_PARAM1L(value, name) Tau_profile_param1l(value, name)

/* The same timer in several files. */
#define TAU_GLOBAL_TIMER(timer, name, type, group) \
	void *TauGlobal##timer(void) \
	{ \
		static void *t = NULL; \
		Tau_profile_c_timer(&t, name, type, group, #group); \
		return t; \
	}
#define TAU_GLOBAL_TIMER_EXTERNAL(timer) extern void *TauGlobal##timer(void);
#define TAU_GLOBAL_TIMER_START(timer) Tau_start_timer(TauGlobal##timer(), 0, 0)
#define TAU_GLOBAL_TIMER_STOP() Tau_global_stop()

#define TAU_PROFILER_CREATE(timer, name, type, group) \
	timer = Tau_get_function_info(name, type, group, #group)
#define TAU_PROFILER_START(timer) Tau_start_timer(timer, 0, 0)
#define TAU_PROFILER_STOP(timer) Tau_stop_timer(timer, 0)
#define TAU_CREATE_TASK(task) task = Tau_create_task()
#define TAU_PROFILER_START_TASK(timer, task) Tau_start_timer(timer, 0, task)
#define TAU_PROFILER_STOP_TASK(timer, task) Tau_stop_timer(timer, task)

/* ---- phases: timers whose groups contain TAU_PHASE ---- */

#define TAU_PHASE_CREATE_STATIC(var, name, type, group) \
	static void *var##finfo = NULL; \
	Tau_profile_c_timer(&var##finfo, name, type, group, #group "|TAU_PHASE")
#define TAU_PHASE_CREATE_DYNAMIC(var, name, type, group) \
	void *var##finfo = NULL; \
	Tau_profile_c_timer(&var##finfo, name, type, group, #group "|TAU_PHASE")
#define TAU_PHASE_CREATE_DYNAMIC_AUTO(var, name, type, group) \
	void *var##finfo = NULL; \
	{ \
		static int tau_number = 0; \
		Tau_profile_dynamic_auto(++tau_number, &var##finfo, name, type, group, \
					 #group "|TAU_PHASE"); \
	}
#define TAU_PHASE_START(var) Tau_start_timer(var##finfo, 1, 0)
#define TAU_PHASE_STOP(var) Tau_stop_timer(var##finfo, 0)
#define TAU_DYNAMIC_PHASE_START(name) Tau_dynamic_start(name, 1)
#define TAU_DYNAMIC_PHASE_STOP(name) Tau_dynamic_stop(name, 1)
#define TAU_STATIC_PHASE_START(name) Tau_static_phase_start(name)
#define TAU_STATIC_PHASE_STOP(name) Tau_static_phase_stop(name)
#define TAU_GLOBAL_PHASE(phase, name, type, group) \
	void *TauGlobalPhase##phase(void) \
	{ \
		static void *t = NULL; \
		Tau_profile_c_timer(&t, name, type, group, #group "|TAU_PHASE"); \
		return t; \
	}
#define TAU_GLOBAL_PHASE_EXTERNAL(phase) extern void *TauGlobalPhase##phase(void)
#define TAU_GLOBAL_PHASE_START(phase) Tau_start_timer(TauGlobalPhase##phase(), 1, 0)
#define TAU_GLOBAL_PHASE_STOP(phase) Tau_stop_timer(TauGlobalPhase##phase(), 0)

/* ---- process, threads, groups ---- */

#define TAU_INIT(argc, argv) Tau_init_ref(argc, argv)
#define TAU_PROFILE_INIT(argc, argv) Tau_init(argc, argv)
#define TAU_PROFILE_EXIT(message) Tau_exit(message)
#define TAU_PROFILE_SET_CONTEXT(context) ((void)(context))
#define TAU_PROFILE_GET_CONTEXT() 0
#define TAU_PROFILE_SET_THREAD(thread) ((void)(thread))
#define TAU_PROFILE_GET_THREAD() Tau_get_thread()
#define TAU_REGISTER_THREAD() Tau_register_thread()
#define TAU_REGISTER_FORK(node, how) Tau_register_fork(node, how)
#define TAU_GET_PROFILE_GROUP(name) Tau_get_profile_group(name)
#define TAU_SET_USER_CLOCK_THREAD(value, thread) Tau_set_user_clock(value)
#define TAU_TRACE_SENDMSG(tag, to, bytes) TAU_IF(tau_send, (to, tag, 0, (uint64_t)(bytes)))
#define TAU_TRACE_RECVMSG(tag, from, bytes) TAU_IF(tau_recv, (from, tag, 0, (uint64_t)(bytes)))

/* Records of TAU's own wrappers of MPI and OpenSHMEM; the recorder's wrappers record what these calls are about. */
#define TAU_TRACE_SENDMSG_REMOTE(tag, to, bytes, remote) \
	((void)(tag), (void)(to), (void)(bytes), (void)(remote))
#define TAU_TRACE_RECVMSG_REMOTE(tag, from, bytes, remote) \
	((void)(tag), (void)(from), (void)(bytes), (void)(remote))
#define TAU_TRACE_BARRIER_ALL_START(tag) ((void)(tag))
#define TAU_TRACE_BARRIER_ALL_END(tag) ((void)(tag))
#define TAU_TRACE_RMA_COLLECTIVE_BEGIN(tag, type, start, stride, size, in, out, root) \
	((void)(tag), (void)(size))
#define TAU_TRACE_RMA_COLLECTIVE_END(tag, type, start, stride, size, in, out, root) \
	((void)(tag), (void)(size))
/* Regions without a group of their own. */
#define TAU_EXCLUDE_DEFAULT_GROUP() ((void)Tau_disable_group_name("TAU_DEFAULT"))
#define TAU_INCLUDE_DEFAULT_GROUP() ((void)Tau_enable_group_name("TAU_DEFAULT"))
/* Regions by name are chosen from outside: tau-record --select and --control. */
#define TAU_EXCLUDE_FUNCTION(timer) ((void)(timer))
#define TAU_INCLUDE_FUNCTION(timer) ((void)(timer))
#define TAU_EXCLUDE_FUNCTION_BY_NAME(name) ((void)(name))
#define TAU_INCLUDE_FUNCTION_BY_NAME(name) ((void)(name))
#define TAU_ENABLE_FUNCTION_EXCLUSION() ((void)0)
#define TAU_DISABLE_FUNCTION_EXCLUSION() ((void)0)

/* ---- events, metadata, samples ---- */

#define TAU_EVENT_THREAD(event, value, thread) Tau_userevent(event, value)
#define TAU_CONTEXT_EVENT_THREAD(event, value, thread) Tau_context_userevent(event, value)
/* The event has the time of the call. */
#define TAU_CONTEXT_EVENT_THREAD_TS(event, value, thread, time) \
	((void)(time), Tau_context_userevent(event, value))
/* A function that returns the event, for several files. */
#define TAU_PROFILER_REGISTER_EVENT(function, name) \
	void *function(void) \
	{ \
		static void *event = NULL; \
		if (!event) \
			event = Tau_get_userevent(name); \
		return event; \
	}
#define TAU_TRIGGER_CONTEXT_EVENT_THREAD(name, value, thread) Tau_trigger_context_event(name, value)
#define TAU_EVENT_SET_NAME(event, name) Tau_set_event_name(event, name)
#define TAU_EVENT_DISABLE_MIN(event) ((void)(event))
#define TAU_EVENT_DISABLE_MAX(event) ((void)(event))
#define TAU_EVENT_DISABLE_MEAN(event) ((void)(event))
#define TAU_EVENT_DISABLE_STDDEV(event) ((void)(event))
#define TAU_DISABLE_CONTEXT_EVENT(event) ((void)(event))
#define TAU_ENABLE_CONTEXT_EVENT(event) ((void)(event))
#define TAU_REPORT_STATISTICS() ((void)0)
#define TAU_REPORT_THREAD_STATISTICS() ((void)0)
#define TAU_CONTEXT_METADATA(name, value) Tau_context_metadata(name, value)
/* As in TAU's header: of the variables `name` and `invalue`. */
#define TAU_STRUCTURED_CONTEXT_METADATA(object) \
	{ \
		Tau_metadata_value_t *object = invalue; \
		Tau_structured_put(TAU_REAL(Tau_context_metadata), name, object); \
	}
#define TAU_PHASE_METADATA(name, value) Tau_phase_metadata(name, value)
#define TAU_TRACK_MEMORY_FOOTPRINT() Tau_track_memory_rss_and_hwm()
#define TAU_TRACK_MEMORY_FOOTPRINT_HERE() Tau_track_memory_rss_and_hwm_here()
#define TAU_TRACK_LOAD() Tau_track_load()
#define TAU_TRACK_LOAD_HERE() Tau_track_load_here()
#define TAU_ENABLE_TRACKING_LOAD() Tau_enable_tracking_load()
#define TAU_DISABLE_TRACKING_LOAD() Tau_disable_tracking_load()
#define TAU_TRACK_POWER() Tau_track_power()
#define TAU_TRACK_POWER_HERE() Tau_track_power_here()
#define TAU_ENABLE_TRACKING_POWER() Tau_enable_tracking_power()
#define TAU_DISABLE_TRACKING_POWER() Tau_disable_tracking_power()
#define TAU_TRACK_MPI_T() Tau_enable_tracking_mpi_t()
#define TAU_TRACK_MPI_T_HERE() Tau_track_mpi_t_here()
#define TAU_ENABLE_TRACKING_MPI_T() Tau_enable_tracking_mpi_t()
#define TAU_DISABLE_TRACKING_MPI_T() Tau_disable_tracking_mpi_t()
/* The recorder lets a program's memory be. */
#define TAU_MEMDBG_PROTECT_ABOVE(value) ((void)(value))
#define TAU_MEMDBG_PROTECT_BELOW(value) ((void)(value))
#define TAU_MEMDBG_PROTECT_FREE(value) ((void)(value))
/* NAME, or "NAME NUMBER"; also a window later: tau-trace2profile --window snapshot:NAME. */
#define TAU_PROFILE_SNAPSHOT(name) Tau_profile_snapshot(name)
#define TAU_PROFILE_SNAPSHOT_1L(name, number) Tau_profile_snapshot_1l(name, number)

/* ---- profiles in the process ---- */

#define TAU_DB_DUMP() ((void)Tau_dump())
#define TAU_DB_MERGED_DUMP() ((void)Tau_dump())
#define TAU_DB_DUMP_INCR() ((void)Tau_dump_incr())
#define TAU_DB_DUMP_PREFIX(prefix) ((void)Tau_dump_prefix(prefix))
#define TAU_DB_DUMP_PREFIX_TASK(prefix, task) ((void)Tau_dump_prefix_task(prefix, task))
#define TAU_DB_PURGE() ((void)0)
#define TAU_ONLINE_DUMP() ((void)0)
/* Files of the calling thread: the names of all regions; values of the regions that the list names. */
#define TAU_DUMP_FUNC_NAMES() Tau_dump_function_names()
#define TAU_DUMP_FUNC_VALS(list, n) Tau_dump_function_values(list, n)
#define TAU_DUMP_FUNC_VALS_INCR(list, n) Tau_dump_function_values_incr(list, n)

/* ---- what TAU's header has besides ---- */

#define _TAU_API_H_	/* programs test it */
#define TAUDECL
/* Without effect in TAU, too. */
#define TAU_PROFILE_CALLSTACK()
#define PROFILED_BLOCK(name, type)
#define TAU_ENABLE_TRACKING_MUSE_EVENTS()
#define TAU_DISABLE_TRACKING_MUSE_EVENTS()
#define TAU_TRACK_MUSE_EVENTS()
/* Plug-ins of TAU are not loaded: nothing is called back. */
#define TAU_ENABLE_PLUGIN_FOR_SPECIFIC_EVENT(event, name, id) ((void)(event), (void)(name), (void)(id))
#define TAU_DISABLE_PLUGIN_FOR_SPECIFIC_EVENT(event, name, id) ((void)(event), (void)(name), (void)(id))
#define TAU_ENABLE_ALL_PLUGINS_FOR_SPECIFIC_EVENT(event, name) ((void)(event), (void)(name))
#define TAU_DISABLE_ALL_PLUGINS_FOR_SPECIFIC_EVENT(event, name) ((void)(event), (void)(name))
#define TAU_ENABLE_PLUGIN_FOR_TRIGGER_EVENT(event, hash, id) ((void)(event), (void)(hash), (void)(id))
#define TAU_DISABLE_PLUGIN_FOR_TRIGGER_EVENT(event, hash, id) ((void)(event), (void)(hash), (void)(id))
#define TAU_ENABLE_ALL_PLUGINS_FOR_TRIGGER_EVENT(event, hash) ((void)(event), (void)(hash))
#define TAU_DISABLE_ALL_PLUGINS_FOR_TRIGGER_EVENT(event, hash) ((void)(event), (void)(hash))
#define TAU_ADD_REGEX(text) ((void)(text))
#define TAU_CHECK_FOR_MATCHING_REGEX(text) (text)
#define TAU_CREATE_TRIGGER(name) ((void)(name), (size_t)0)
#define TAU_TRIGGER(id, data) ((void)(id), (void)(data))
#define TAU_UTIL_INIT_TAU_PLUGIN_CALLBACKS(callbacks) ((void)(callbacks))
#define TAU_UTIL_PLUGIN_REGISTER_CALLBACKS(callbacks, id) ((void)(callbacks), (void)(id))

#include "tau_calls.h"
#ifdef __cplusplus
#include "tau_cxx.h"
#else
/* Objects that end with their scope are there in C++ only. */
#define TAU_PROFILE(name, type, group)
#define TAU_DYNAMIC_PROFILE(name, type, group)
#define TYPE_STRING(variable, text)
#define TAU_TYPE_STRING(variable, text)
#define TAU_CT(object)
#endif

#endif
