/*
 * fortran.c: TAU's interface for Fortran, as a library (libtauf.a) that a program is linked with: each call goes to that of TAU.h,
 * which does nothing without the recorder.
 *
 * Arguments are references, and the lengths of strings come last. A name ends at its first character that cannot be printed;
 * blanks around it are dropped, and a '&' with the blanks that follow it, as of a continued line. "GROUP>NAME" names a group, too.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "record/TAU.h"

#define NAME 1024

static const char *c_string(char out[NAME], const char *text, size_t length)
{
	size_t n = 0;

	while (length && isspace((unsigned char)*text))
		text++, length--;
	for (size_t i = 0; i < length && n < NAME - 1 && isprint((unsigned char)text[i]); i++) {
		if (text[i] == '&') {
			while (i + 1 < length && isspace((unsigned char)text[i + 1]))
				i++;
			continue;
		}
		out[n++] = text[i];
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
	return out;
}

/* more: "" or "|TAU_PHASE" */
static void timer_create(void **timer, const char *text, size_t length, const char *more)
{
	char name[NAME], groups[NAME + 16];
	char *sign;

	c_string(name, text, length);
	sign = strchr(name, '>');
	if (sign && sign > name && !memchr(name, ' ', (size_t)(sign - name))) {
		snprintf(groups, sizeof(groups), "%.*s%s", (int)(sign - name), name, more);
		sign += strspn(sign + 1, " ") + 1;
	} else {
		snprintf(groups, sizeof(groups), "TAU_DEFAULT%s", more);
		sign = name;
	}
	Tau_profile_c_timer(timer, sign, "", TAU_DEFAULT, groups);
}

/* ---- timers ---- */

void tau_profile_timer_(void **timer, const char *name, size_t length);
void tau_profile_timer_dynamic_(void **timer, const char *name, size_t length);
void tau_profile_timer_group_(void **timer, const char *name, const int *group, size_t length);
void tau_profile_dynamic_iter_(const int *number, void **timer, const char *name, size_t length);
void tau_profile_start_(void **timer);
void tau_profile_stop_(void **timer);
void tau_start_(const char *name, size_t length);
void tau_stop_(const char *name, size_t length);
void tau_static_timer_start_(const char *name, size_t length);
void tau_static_timer_stop_(const char *name, size_t length);
void tau_pure_start_(const char *name, size_t length);
void tau_pure_stop_(const char *name, size_t length);
void tau_dynamic_timer_start_(const int *unused, const char *name, size_t length);
void tau_dynamic_timer_stop_(const int *unused, const char *name, size_t length);
void tau_profile_param_1l_(const char *name, const int *value, size_t length);

void tau_profile_timer_(void **timer, const char *name, size_t length)
{
	timer_create(timer, name, length, "");
}

void tau_profile_timer_dynamic_(void **timer, const char *name, size_t length)
{
	*timer = NULL;
	timer_create(timer, name, length, "");
}

void tau_profile_timer_group_(void **timer, const char *name, const int *group, size_t length)
{
	(void)group;
	timer_create(timer, name, length, "");
}

static void timer_numbered(const int *number, void **timer, const char *name, size_t length,
			   const char *group)
{
	char text[NAME];

	*timer = NULL;
	Tau_profile_dynamic_auto(*number, timer, c_string(text, name, length), "", TAU_USER, group);
}

void tau_profile_dynamic_iter_(const int *number, void **timer, const char *name, size_t length)
{
	timer_numbered(number, timer, name, length, "TAU_USER");
}

void tau_profile_start_(void **timer)
{
	Tau_start_timer(*timer, 0, 0);
}

void tau_profile_stop_(void **timer)
{
	Tau_stop_timer(*timer, 0);
}

void tau_start_(const char *name, size_t length)
{
	char text[NAME];

	Tau_start(c_string(text, name, length));
}

void tau_stop_(const char *name, size_t length)
{
	char text[NAME];

	Tau_stop(c_string(text, name, length));
}

void tau_static_timer_start_(const char *name, size_t length)
{
	tau_start_(name, length);
}

void tau_static_timer_stop_(const char *name, size_t length)
{
	tau_stop_(name, length);
}

void tau_pure_start_(const char *name, size_t length)
{
	tau_start_(name, length);
}

void tau_pure_stop_(const char *name, size_t length)
{
	tau_stop_(name, length);
}

void tau_dynamic_timer_start_(const int *unused, const char *name, size_t length)
{
	char text[NAME];

	(void)unused;
	Tau_dynamic_start(c_string(text, name, length), 0);
}

void tau_dynamic_timer_stop_(const int *unused, const char *name, size_t length)
{
	char text[NAME];

	(void)unused;
	Tau_dynamic_stop(c_string(text, name, length), 0);
}

void tau_profile_param_1l_(const char *name, const int *value, size_t length)
{
	char text[NAME];

	Tau_profile_param1l(*value, c_string(text, name, length));
}

/* ---- phases ---- */

void tau_phase_create_static_(void **phase, const char *name, size_t length);
void tau_phase_create_dynamic_(void **phase, const char *name, size_t length);
void tau_phase_dynamic_iter_(const int *number, void **phase, const char *name, size_t length);
void tau_phase_start_(void **phase);
void tau_phase_stop_(void **phase);
void tau_static_phase_start_(const char *name, size_t length);
void tau_static_phase_stop_(const char *name, size_t length);
void tau_dynamic_phase_start_(const int *unused, const char *name, size_t length);
void tau_dynamic_phase_stop_(const int *unused, const char *name, size_t length);

void tau_phase_create_static_(void **phase, const char *name, size_t length)
{
	timer_create(phase, name, length, "|TAU_PHASE");
}

void tau_phase_create_dynamic_(void **phase, const char *name, size_t length)
{
	*phase = NULL;
	timer_create(phase, name, length, "|TAU_PHASE");
}

void tau_phase_dynamic_iter_(const int *number, void **phase, const char *name, size_t length)
{
	timer_numbered(number, phase, name, length, "TAU_USER|TAU_PHASE");
}

void tau_phase_start_(void **phase)
{
	Tau_start_timer(*phase, 1, 0);
}

void tau_phase_stop_(void **phase)
{
	Tau_stop_timer(*phase, 0);
}

void tau_static_phase_start_(const char *name, size_t length)
{
	char text[NAME];

	Tau_static_phase_start(c_string(text, name, length));
}

void tau_static_phase_stop_(const char *name, size_t length)
{
	char text[NAME];

	Tau_static_phase_stop(c_string(text, name, length));
}

void tau_dynamic_phase_start_(const int *unused, const char *name, size_t length)
{
	char text[NAME];

	(void)unused;
	Tau_dynamic_start(c_string(text, name, length), 1);
}

void tau_dynamic_phase_stop_(const int *unused, const char *name, size_t length)
{
	char text[NAME];

	(void)unused;
	Tau_dynamic_stop(c_string(text, name, length), 1);
}

/* ---- events and metadata ---- */

void tau_register_event_(void **event, const char *name, size_t length);
void tau_event_(void **event, const double *value);
void tau_register_context_event_(void **event, const char *name, size_t length);
void tau_context_event_(void **event, const double *value);
void tau_metadata_(const char *name, const char *value, size_t name_length, size_t value_length);
void tau_trace_sendmsg_(const int *tag, const int *to, const int *bytes);
void tau_trace_recvmsg_(const int *tag, const int *from, const int *bytes);
void tau_profile_snapshot_(const char *name, size_t length);
void tau_profile_snapshot_1l_(const char *name, const int *number, size_t length);

void tau_register_event_(void **event, const char *name, size_t length)
{
	char text[NAME];

	*event = Tau_get_userevent(c_string(text, name, length));
}

void tau_event_(void **event, const double *value)
{
	Tau_userevent(*event, *value);
}

void tau_register_context_event_(void **event, const char *name, size_t length)
{
	char text[NAME];

	Tau_get_context_userevent(event, c_string(text, name, length));
}

void tau_context_event_(void **event, const double *value)
{
	Tau_context_userevent(*event, *value);
}

void tau_metadata_(const char *name, const char *value, size_t name_length, size_t value_length)
{
	char name_text[NAME], value_text[NAME];

	Tau_metadata(c_string(name_text, name, name_length),
		     c_string(value_text, value, value_length));
}

void tau_trace_sendmsg_(const int *tag, const int *to, const int *bytes)
{
	TAU_TRACE_SENDMSG(*tag, *to, *bytes);
}

void tau_trace_recvmsg_(const int *tag, const int *from, const int *bytes)
{
	TAU_TRACE_RECVMSG(*tag, *from, *bytes);
}

void tau_profile_snapshot_(const char *name, size_t length)
{
	char text[NAME];

	TAU_PROFILE_SNAPSHOT(c_string(text, name, length));
}

void tau_profile_snapshot_1l_(const char *name, const int *number, size_t length)
{
	char text[NAME];

	TAU_PROFILE_SNAPSHOT_1L(c_string(text, name, length), *number);
}

/* ---- the process, groups, samples ---- */

void tau_profile_set_node_(const int *node);
void tau_enable_group_name_(const char *name, size_t length);
void tau_disable_group_name_(const char *name, size_t length);
void tau_enable_group_(const int *group);
void tau_disable_group_(const int *group);
void tau_set_interrupt_interval_(const int *seconds);

void tau_profile_set_node_(const int *node)
{
	Tau_set_node(*node);
}

void tau_enable_group_name_(const char *name, size_t length)
{
	char text[NAME];

	(void)Tau_enable_group_name(c_string(text, name, length));
}

void tau_disable_group_name_(const char *name, size_t length)
{
	char text[NAME];

	(void)Tau_disable_group_name(c_string(text, name, length));
}

void tau_enable_group_(const int *group)
{
	Tau_enable_group((uint32_t)*group);
}

void tau_disable_group_(const int *group)
{
	Tau_disable_group((uint32_t)*group);
}

void tau_set_interrupt_interval_(const int *seconds)
{
	Tau_set_interrupt_interval(*seconds);
}

/* Calls without arguments. */
#define CALL(name, does) \
	void name(void); \
	void name(void) \
	{ \
		does; \
	}
CALL(tau_enable_instrumentation_, Tau_enable_instrumentation())
CALL(tau_disable_instrumentation_, Tau_disable_instrumentation())
CALL(tau_enable_all_groups_, (void)Tau_enable_all_groups())
CALL(tau_disable_all_groups_, (void)Tau_disable_all_groups())
CALL(tau_register_thread_, Tau_register_thread())
CALL(tau_track_memory_, Tau_track_memory())
CALL(tau_track_memory_here_, Tau_track_memory_here())
CALL(tau_enable_tracking_memory_, Tau_enable_tracking_memory())
CALL(tau_disable_tracking_memory_, Tau_disable_tracking_memory())
CALL(tau_track_memory_headroom_, Tau_track_memory_headroom())
CALL(tau_track_memory_headroom_here_, Tau_track_memory_headroom_here())
CALL(tau_enable_tracking_memory_headroom_, Tau_enable_tracking_memory_headroom())
CALL(tau_disable_tracking_memory_headroom_, Tau_disable_tracking_memory_headroom())
CALL(tau_track_memory_footprint_, Tau_track_memory_rss_and_hwm())
CALL(tau_track_memory_footprint_here_, Tau_track_memory_rss_and_hwm_here())
CALL(tau_track_load_, Tau_track_load())
CALL(tau_track_load_here_, Tau_track_load_here())
CALL(tau_enable_tracking_load_, Tau_enable_tracking_load())
CALL(tau_disable_tracking_load_, Tau_disable_tracking_load())
CALL(tau_track_power_, Tau_track_power())
CALL(tau_track_power_here_, Tau_track_power_here())
CALL(tau_enable_tracking_power_, Tau_enable_tracking_power())
CALL(tau_disable_tracking_power_, Tau_disable_tracking_power())
CALL(tau_track_mpi_t_, TAU_TRACK_MPI_T())
CALL(tau_enable_tracking_mpi_t_, TAU_ENABLE_TRACKING_MPI_T())
CALL(tau_disable_tracking_mpi_t_, TAU_DISABLE_TRACKING_MPI_T())
CALL(tau_db_dump_, TAU_DB_DUMP())
CALL(tau_db_dump_incr_, TAU_DB_DUMP_INCR())
/* A trace needs none of these. */
CALL(tau_profile_init_, (void)0)
CALL(tau_db_purge_, (void)0)
CALL(tau_online_dump_, (void)0)
CALL(tau_report_statistics_, (void)0)
CALL(tau_report_thread_statistics_, (void)0)
CALL(tau_track_muse_events_, (void)0)
CALL(tau_enable_tracking_muse_events_, (void)0)
CALL(tau_disable_tracking_muse_events_, (void)0)

void tau_profile_exit_(const char *message, size_t length);
void tau_db_dump_prefix_(const char *prefix, size_t length);
void tau_profile_set_context_(const int *context);

void tau_profile_exit_(const char *message, size_t length)
{
	(void)message;
	(void)length;
}

void tau_db_dump_prefix_(const char *prefix, size_t length)
{
	char text[NAME];

	TAU_DB_DUMP_PREFIX(c_string(text, prefix, length));
}

void tau_profile_set_context_(const int *context)
{
	(void)context;
}

/* The recorder lets a program's memory be. */
void tau_memdbg_protect_above_(const int *value);
void tau_memdbg_protect_below_(const int *value);
void tau_memdbg_protect_free_(const int *value);
/* The wrapper memory records what ALLOCATE and DEALLOCATE do, with their places. */
void tau_alloc_(void **array, const int *line, const int *size, const char *name, size_t length);
void tau_dealloc_(void **array, const int *line, const char *name, size_t length);

void tau_memdbg_protect_above_(const int *value)
{
	(void)value;
}

void tau_memdbg_protect_below_(const int *value)
{
	(void)value;
}

void tau_memdbg_protect_free_(const int *value)
{
	(void)value;
}

void tau_alloc_(void **array, const int *line, const int *size, const char *name, size_t length)
{
	(void)array, (void)line, (void)size, (void)name, (void)length;
}

void tau_dealloc_(void **array, const int *line, const char *name, size_t length)
{
	(void)array, (void)line, (void)name, (void)length;
}
