/*
 * tau_calls.h: functions of TAU that programs call by their names instead of by macros. TAU.h includes it.
 *
 * A program may also declare most of them itself after this header. A task or thread that is passed is ignored: a timer belongs to the
 * thread that starts it. tau-api(7) names the functions of TAU that are not here.
 */
#ifndef TAU_CALLS_H
#define TAU_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TAU_IMPLEMENTATION

/* ---- timers ---- */

TAU_INLINE void *Tau_pure_search_for_function(const char *name, int create)
{
	(void)create;
	return Tau_get_function_info(name, "", TAU_USER, "TAU_USER");
}
TAU_INLINE void *Tau_get_profiler(const char *name, const char *type, TauGroup_t group,
				  const char *group_name)
{
	return Tau_get_function_info(name, type, group, group_name);
}
TAU_FUNCTION void Tau_pure_start_task(const char *name, int task)
{
	(void)task;
	Tau_start(name);
}
TAU_FUNCTION void Tau_pure_stop_task(const char *name, int task)
{
	(void)task;
	Tau_stop(name);
}
TAU_INLINE void Tau_pure_start_task_group(const char *name, int task, const char *group_name)
{
	Tau_start_timer(Tau_get_function_info(name, "", TAU_USER, group_name), 0, task);
}
/* The innermost timer, if there is one. */
TAU_FUNCTION void Tau_stop_current_timer(void)
{
	Tau_global_stop();
}
TAU_FUNCTION void Tau_stop_current_timer_task(int task)
{
	(void)task;
	Tau_global_stop();
}
/* All open timers of the calling thread. */
TAU_FUNCTION void Tau_stop_all_timers(int task)
{
	size_t open = 0, before;

	(void)task;
	do {
		before = open;
		Tau_global_stop();
		open = tau_open_regions();
	} while (open && open != before);
}
TAU_INLINE const char *Tau_get_current_timer_name(int task)
{
	(void)task;
	return Tau_timer_text(NULL, 0);
}
TAU_FUNCTION int Tau_get_current_stack_depth(int task)
{
	(void)task;
	return (int)tau_open_regions();
}
TAU_INLINE const char *Tau_profile_get_name(void *timer)
{
	return Tau_timer_text(timer, 0);
}
TAU_FUNCTION const char *Tau_profile_get_type(void *timer)
{
	(void)timer;
	return "";
}
TAU_INLINE const char *Tau_profile_get_group_name(void *timer)
{
	return Tau_timer_text(timer, 1);
}
TAU_INLINE TauGroup_t Tau_profile_get_group(void *timer)
{
	return Tau_get_profile_group(Tau_timer_text(timer, 1));
}
/* The variable gets the timer of the new name or group. */
#define Tau_profile_set_name(timer, name) Tau_timer_change(&(timer), name, NULL)
#define Tau_profile_set_group_name(timer, name) Tau_timer_change(&(timer), NULL, name)

/* ---- events and messages ---- */

TAU_FUNCTION void Tau_userevent_thread(void *event, double value, int task)
{
	(void)task;
	Tau_userevent(event, value);
}
TAU_FUNCTION void Tau_context_userevent_thread(void *event, double value, int task)
{
	(void)task;
	Tau_context_userevent(event, value);
}
TAU_FUNCTION void Tau_context_userevent_thread_ts(void *event, double value, int task, double time)
{
	(void)task, (void)time;
	Tau_context_userevent(event, value);
}
TAU_FUNCTION void Tau_trigger_userevent_thread(const char *name, double value, int task)
{
	(void)task;
	Tau_trigger_userevent(name, value);
}
TAU_FUNCTION void Tau_trigger_context_event_thread(const char *name, double value, int task)
{
	(void)task;
	Tau_trigger_context_event(name, value);
}
TAU_FUNCTION void Tau_trace_sendmsg(int tag, int to, int bytes)
{
	TAU_IF(tau_send, (to, tag, 0, (uint64_t)bytes));
}
TAU_FUNCTION void Tau_trace_recvmsg(int tag, int from, int bytes)
{
	TAU_IF(tau_recv, (from, tag, 0, (uint64_t)bytes));
}
TAU_FUNCTION void Tau_set_user_clock_thread(double value, int task)
{
	(void)task;
	Tau_set_user_clock(value);
}

/* ---- the process ---- */

TAU_FUNCTION int Tau_get_local_tid(void)
{
	return Tau_get_thread();
}
TAU_FUNCTION void Tau_exclude_default_group(void)
{
	(void)Tau_disable_group_name("TAU_DEFAULT");
}
TAU_FUNCTION void Tau_include_default_group(void)
{
	(void)Tau_enable_group_name("TAU_DEFAULT");
}
TAU_INLINE void Tau_theFunctionList(const char ***list, int *n)
{
	Tau_the_function_list(list, n);
}
TAU_INLINE void Tau_get_counter_names(const char ***list, int *n)
{
	Tau_get_counter_info(list, n);
}
TAU_FUNCTION long Tau_convert_ptr_to_long(void *pointer)
{
	return (long)(intptr_t)pointer;
}
TAU_FUNCTION unsigned long Tau_convert_ptr_to_unsigned_long(void *pointer)
{
	return (unsigned long)(uintptr_t)pointer;
}

/* ---- without effect: as the macros of the same names (tau-api(7)) ---- */

#define TAU_NOTHING(name, arguments) \
	TAU_FUNCTION void name arguments { }
TAU_NOTHING(Tau_post_init, (void))
TAU_NOTHING(Tau_purge, (void))
TAU_NOTHING(Tau_callstack, (void))
TAU_NOTHING(Tau_destructor_trigger, (void))
TAU_NOTHING(Tau_flush_gpu_activity, (void))
TAU_NOTHING(Tau_collate_onlineDump, (void))
TAU_NOTHING(Tau_report_statistics, (void))
TAU_NOTHING(Tau_report_thread_statistics, (void))
TAU_NOTHING(Tau_create_top_level_timer_if_necessary, (void))
TAU_NOTHING(Tau_stop_top_level_timer_if_necessary, (void))
TAU_NOTHING(Tau_enable_function_exclusion, (void))
TAU_NOTHING(Tau_disable_function_exclusion, (void))
TAU_NOTHING(Tau_exclude_rank_list, (void))
TAU_NOTHING(Tau_include_rank_list, (void))
TAU_NOTHING(Tau_ignore_rank_list, (void))
TAU_NOTHING(Tau_tracing_off, (void))
TAU_NOTHING(Tau_tracing_on, (void))
TAU_NOTHING(Tau_enable_pthread_tracking, (void))
TAU_NOTHING(Tau_disable_pthread_tracking, (void))
TAU_NOTHING(Tau_traced_api_call_enter, (void))
TAU_NOTHING(Tau_traced_api_call_exit, (void))
TAU_NOTHING(Tau_global_setLightsOut, (void))
#undef TAU_NOTHING
#define TAU_IGNORES(name, type) \
	TAU_FUNCTION void name(type ignored) \
	{ \
		(void)ignored; \
	}
TAU_IGNORES(Tau_set_context, int)
TAU_IGNORES(Tau_set_thread, int)
TAU_IGNORES(Tau_create_top_level_timer_if_necessary_task, int)
TAU_IGNORES(Tau_exclude_function, void *)
TAU_IGNORES(Tau_include_function, void *)
TAU_IGNORES(Tau_exclude_function_by_name, const char *)
TAU_IGNORES(Tau_include_function_by_name, const char *)
TAU_IGNORES(Tau_set_rank_exclusion_list, const char *)
TAU_IGNORES(Tau_enable_context_event, void *)
TAU_IGNORES(Tau_disable_context_event, void *)
TAU_IGNORES(Tau_event_disable_min, void *)
TAU_IGNORES(Tau_event_disable_max, void *)
TAU_IGNORES(Tau_event_disable_mean, void *)
TAU_IGNORES(Tau_event_disable_stddev, void *)
TAU_IGNORES(Tau_trace_barrier_all_start, int)
TAU_IGNORES(Tau_trace_barrier_all_end, int)
TAU_IGNORES(Tau_add_regex, const char *)
#undef TAU_IGNORES
#define TAU_ZERO(name, arguments) \
	TAU_FUNCTION int name arguments \
	{ \
		return 0; \
	}
TAU_ZERO(Tau_mergeProfiles_MPI, (void))
TAU_ZERO(Tau_mergeProfiles_SHMEM, (void))
TAU_ZERO(Tau_global_get_insideTAU, (void))
TAU_ZERO(Tau_global_incr_insideTAU, (void))
TAU_ZERO(Tau_global_decr_insideTAU, (void))
TAU_ZERO(Tau_global_getLightsOut, (void))
TAU_ZERO(Tau_time_traced_api_call, (void))
TAU_ZERO(Tau_invoke_plugin_phase_entry, (void *timer __attribute__((unused))))
TAU_ZERO(Tau_invoke_plugin_phase_exit, (void *timer __attribute__((unused))))
#undef TAU_ZERO
TAU_FUNCTION void Tau_profile_set_group(void *timer, TauGroup_t group)
{
	(void)timer, (void)group;
}
TAU_FUNCTION void Tau_profile_set_type(void *timer, const char *type)
{
	(void)timer, (void)type;
}
TAU_FUNCTION void Tau_trace_sendmsg_remote(int tag, int to, int bytes, int remote)
{
	(void)tag, (void)to, (void)bytes, (void)remote;
}
TAU_FUNCTION void Tau_trace_recvmsg_remote(int tag, int from, int bytes, int remote)
{
	(void)tag, (void)from, (void)bytes, (void)remote;
}
TAU_FUNCTION void Tau_trace_rma_collective_begin(int tag, int type, int start, int stride, int size,
						int in, int out, int root)
{
	(void)tag, (void)type, (void)start, (void)stride, (void)size, (void)in, (void)out, (void)root;
}
TAU_FUNCTION void Tau_trace_rma_collective_end(int tag, int type, int start, int stride, int size,
					      int in, int out, int root)
{
	(void)tag, (void)type, (void)start, (void)stride, (void)size, (void)in, (void)out, (void)root;
}
TAU_FUNCTION size_t Tau_create_trigger(const char *name)
{
	(void)name;
	return 0;
}
TAU_FUNCTION void Tau_trigger(size_t id, void *data)
{
	(void)id, (void)data;
}
#define TAU_PLUGIN_SWITCH(name, by) \
	TAU_FUNCTION void Tau_enable_plugin_for_##name(int event, by which, unsigned id) \
	{ \
		(void)event, (void)which, (void)id; \
	} \
	TAU_FUNCTION void Tau_disable_plugin_for_##name(int event, by which, unsigned id) \
	{ \
		(void)event, (void)which, (void)id; \
	} \
	TAU_FUNCTION void Tau_enable_all_plugins_for_##name(int event, by which) \
	{ \
		(void)event, (void)which; \
	} \
	TAU_FUNCTION void Tau_disable_all_plugins_for_##name(int event, by which) \
	{ \
		(void)event, (void)which; \
	}
TAU_PLUGIN_SWITCH(specific_event, const char *)
TAU_PLUGIN_SWITCH(trigger_event, size_t)
#undef TAU_PLUGIN_SWITCH
#endif

#ifdef __cplusplus
}
#endif
#endif
