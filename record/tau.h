/*
 * tau.h: the public interface of the recorder, and the only header that a wrapper includes.
 *
 * Part 1 keeps the names that users of TAU know (Tau_start, TAU_EVENT ...), with the signatures of
 * TAU 2.35's C API. Programs need not be linked with anything: every function is a weak reference,
 * called only when the recorder is in the process (one test of a pointer otherwise).
 * Part 2 (tau_...) is what wrappers use. It works in any thread, at any time, allocates nothing from the
 * program's heap, and never fails visibly: an id of 0 means "not recorded" and is accepted everywhere.
 *
 * Names are copied; callers keep ownership of all arguments. Sizes are bytes. Values are doubles.
 */
#ifndef TAU_H
#define TAU_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef TAU_IMPLEMENTATION
#define TAU_WEAK __attribute__((visibility("default")))
#else
#define TAU_WEAK __attribute__((weak))
#endif

/*
 * Functions of TAU's C API that a program calls by name. Without the recorder TAU_CALL does nothing, and the answer of TAU_ASK is `none`.
 * Each is an inline function without a copy in the program, so that a program may declare it itself, too. Its reference to the
 * recorder has another name: TAU_REAL(function), NULL without the recorder. For the compiler both are different symbols: clang confuses
 * functions of one symbol.
 */
#define TAU_FUNCTION extern __inline__ __attribute__((gnu_inline, always_inline, no_instrument_function))
#ifdef TAU_IMPLEMENTATION
#define TAU_CALL(function, parameters, arguments) TAU_WEAK void function parameters;
#define TAU_ASK(type, function, parameters, arguments, none) TAU_WEAK type function parameters;
#else
#define TAU_REAL(function) tau_real_##function
#define TAU_CALL(function, parameters, arguments) \
	TAU_WEAK void tau_real_##function parameters __asm__(#function); \
	void function parameters __asm__("tau_inline_" #function); \
	TAU_FUNCTION void function parameters \
	{ \
		if (tau_real_##function) \
			tau_real_##function arguments; \
	}
#define TAU_ASK(type, function, parameters, arguments, none) \
	TAU_WEAK type tau_real_##function parameters __asm__(#function); \
	type function parameters __asm__("tau_inline_" #function); \
	TAU_FUNCTION type function parameters \
	{ \
		return tau_real_##function ? tau_real_##function arguments : none; \
	}
#endif

/* ---- Part 1: TAU's C API ------------------------------------------------------------------- */

/* Groups as bits; any string names a group too (TAU_ENABLE_GROUP_NAME). A region is recorded while any of its groups is enabled. */
typedef unsigned long TauGroup_t;
#define TAU_DEFAULT 0xffffffffUL
#define TAU_GROUP_DISABLED 0x00000000UL
#define TAU_MESSAGE 0x00000001UL
#define TAU_PETE 0x00000002UL
#define TAU_VIZ 0x00000004UL
#define TAU_ASSIGN 0x00000008UL
#define TAU_IO 0x00000010UL
#define TAU_FIELD 0x00000020UL
#define TAU_LAYOUT 0x00000040UL
#define TAU_SPARSE 0x00000080UL
#define TAU_DOMAINMAP 0x00000100UL
#define TAU_UTILITY 0x00000200UL
#define TAU_REGION 0x00000400UL
#define TAU_PARTICLE 0x00000800UL
#define TAU_MESHES 0x00001000UL
#define TAU_SUBFIELD 0x00002000UL
#define TAU_COMMUNICATION 0x00004000UL
#define TAU_FFT 0x00100000UL
#define TAU_USER4 0x08000000UL
#define TAU_USER3 0x10000000UL
#define TAU_USER2 0x20000000UL
#define TAU_USER1 0x40000000UL
#define TAU_USER 0x80000000UL

TAU_CALL(Tau_start, (const char *name), (name))	/* TAU_START: open region `name`, group TAU_USER */
TAU_CALL(Tau_stop, (const char *name), (name))
TAU_CALL(Tau_profile_c_timer,
	 (void **timer, const char *name, const char *type, TauGroup_t group, const char *group_name),
	 (timer, name, type, group, group_name))
TAU_CALL(Tau_start_timer, (void *timer, int phase, int tid), (timer, phase, tid))	/* phase and tid are ignored */
TAU_CALL(Tau_stop_timer, (void *timer, int tid), (timer, tid))
TAU_ASK(int, Tau_get_thread, (void), (), 0)		/* number of the calling thread's stream */
TAU_ASK(int, Tau_get_node, (void), (), -1)		/* rank, -1 while unknown */
TAU_CALL(Tau_set_node, (int node), (node))
TAU_ASK(void *, Tau_get_userevent, (const char *name), (name), NULL)
TAU_CALL(Tau_set_event_name, (void *event, const char *name), (event, name))	/* earlier values have the new name, too */
TAU_CALL(Tau_userevent, (void *event, double value), (event, value))
TAU_CALL(Tau_trigger_userevent, (const char *name, double value), (name, value))
TAU_CALL(Tau_get_context_userevent, (void **event, const char *name), (event, name))
TAU_CALL(Tau_context_userevent, (void *event, double value), (event, value))
TAU_CALL(Tau_trigger_context_event, (const char *name, double value), (name, value))
TAU_CALL(Tau_metadata, (const char *name, const char *value), (name, value))
TAU_CALL(Tau_enable_group, (TauGroup_t group), (group))
TAU_CALL(Tau_disable_group, (TauGroup_t group), (group))
TAU_ASK(TauGroup_t, Tau_enable_group_name, (const char *group), (group), 0)
TAU_ASK(TauGroup_t, Tau_disable_group_name, (const char *group), (group), 0)
TAU_ASK(TauGroup_t, Tau_enable_all_groups, (void), (), 0)
TAU_ASK(TauGroup_t, Tau_disable_all_groups, (void), (), 0)
TAU_CALL(Tau_enable_instrumentation, (void), ())
TAU_CALL(Tau_disable_instrumentation, (void), ())

/*
 * Class allocations, as published in "Tracking Memory Usage in OpenSHMEM Runtimes" (2018). track counts one
 * object; start and stop bracket the construction of one, so that what is allocated inside belongs
 * to it. include_in_parent adds the size to every open ancestor; sums over classes count it once. record 0 closes a region that
 * only named the owner. A stop that does not match the innermost start is counted, and closes
 * down to its match when there is one.
 */
TAU_CALL(Tau_track_class_allocation, (const char *name, size_t size), (name, size))
TAU_CALL(Tau_track_class_deallocation, (const char *name, size_t size), (name, size))
TAU_CALL(Tau_start_class_allocation, (const char *name, size_t size, int include_in_parent),
	 (name, size, include_in_parent))
TAU_CALL(Tau_stop_class_allocation, (const char *name, int record), (name, record))

/*
 * Memory. _here: a sample now, of the event "Heap Memory Used (KB)" or "Memory Headroom Left (MB)", with the call path. The others:
 * from then on at an interval (10 s, TAU_INTERRUPT_INTERVAL or Tau_set_interrupt_interval()), by a thread of the recorder;
 * disable and enable stop and continue that. tau-memory(7) describes what is counted.
 */
TAU_CALL(Tau_track_memory, (void), ())
TAU_CALL(Tau_track_memory_here, (void), ())
TAU_CALL(Tau_track_memory_headroom, (void), ())
TAU_CALL(Tau_track_memory_headroom_here, (void), ())
TAU_CALL(Tau_enable_tracking_memory, (void), ())
TAU_CALL(Tau_disable_tracking_memory, (void), ())
TAU_CALL(Tau_enable_tracking_memory_headroom, (void), ())
TAU_CALL(Tau_disable_tracking_memory_headroom, (void), ())
TAU_CALL(Tau_set_interrupt_interval, (int seconds), (seconds))

#ifndef TAU_IMPLEMENTATION
/* The same for the other functions, by a macro with the name of each. */
#define TAU_IF(function, args) ((function) ? (function) args : (void)0)
#define TAU_IF0(function, args) ((function) ? (function) args : 0)
#endif

#define TAU_START(name) Tau_start(name)
#define TAU_STOP(name) Tau_stop(name)
#define TAU_PROFILE_TIMER(var, name, type, group) \
	static void *var = 0; \
	Tau_profile_c_timer(&var, name, type, group, #group)
#define TAU_PROFILE_START(var) Tau_start_timer(var, 0, 0)
#define TAU_PROFILE_STOP(var) Tau_stop_timer(var, 0)
#define TAU_REGISTER_EVENT(event, name) static void *event = 0; if (event == 0) event = Tau_get_userevent(name)
#define TAU_EVENT(event, value) Tau_userevent(event, value)
#define TAU_REGISTER_CONTEXT_EVENT(event, name) static void *event = 0; Tau_get_context_userevent(&event, name)
#define TAU_CONTEXT_EVENT(event, value) Tau_context_userevent(event, value)
#define TAU_TRIGGER_EVENT(name, value) Tau_trigger_userevent(name, value)
#define TAU_TRIGGER_CONTEXT_EVENT(name, value) Tau_trigger_context_event(name, value)
#define TAU_METADATA(name, value) Tau_metadata(name, value)
#define TAU_ENABLE_GROUP(group) Tau_enable_group(group)
#define TAU_DISABLE_GROUP(group) Tau_disable_group(group)
#define TAU_ENABLE_GROUP_NAME(group) ((void)Tau_enable_group_name(group))
#define TAU_DISABLE_GROUP_NAME(group) ((void)Tau_disable_group_name(group))
#define TAU_ENABLE_ALL_GROUPS() ((void)Tau_enable_all_groups())
#define TAU_DISABLE_ALL_GROUPS() ((void)Tau_disable_all_groups())
#define TAU_ENABLE_INSTRUMENTATION() Tau_enable_instrumentation()
#define TAU_DISABLE_INSTRUMENTATION() Tau_disable_instrumentation()
#define TAU_TRACK_MEMORY() Tau_track_memory()
#define TAU_TRACK_MEMORY_HERE() Tau_track_memory_here()
#define TAU_TRACK_MEMORY_HEADROOM() Tau_track_memory_headroom()
#define TAU_TRACK_MEMORY_HEADROOM_HERE() Tau_track_memory_headroom_here()
#define TAU_ENABLE_TRACKING_MEMORY() Tau_enable_tracking_memory()
#define TAU_DISABLE_TRACKING_MEMORY() Tau_disable_tracking_memory()
#define TAU_ENABLE_TRACKING_MEMORY_HEADROOM() Tau_enable_tracking_memory_headroom()
#define TAU_DISABLE_TRACKING_MEMORY_HEADROOM() Tau_disable_tracking_memory_headroom()
#define TAU_SET_INTERRUPT_INTERVAL(seconds) Tau_set_interrupt_interval(seconds)
#define TAU_PROFILE_SET_NODE(node) Tau_set_node(node)
#define TAU_PROFILE_GET_NODE() Tau_get_node()

/*
 * A metric of the program's own: a number that grows (or a level), read by the recorder whenever a thread enters or leaves a
 * region, on that thread; regions inside the function are not recorded. Returns 1 when the recording asks for a metric of
 * that name (tau-record --metrics), 0 otherwise: then the function is not called. TAU_SET_USER_CLOCK sets the metric
 * USER_CLOCK of the calling thread, in microseconds.
 */
TAU_WEAK int tau_metric_register(const char *name, uint64_t (*read)(void));
TAU_CALL(Tau_set_user_clock, (double value), (value))
#ifndef TAU_IMPLEMENTATION
#define tau_metric_register(name, read) TAU_IF0(tau_metric_register, (name, read))
#endif
#define TAU_SET_USER_CLOCK(value) Tau_set_user_clock(value)

/*
 * The program's own numbers while it runs. The recorder keeps them in the process, from the start on, if the program or a library that
 * is loaded with it refers to one of these functions, or with tau-record --sums; otherwise they cost nothing, and all answers are 0.
 *
 * thread: a number as from Tau_get_thread(), TAU_SUMS_SELF or TAU_SUMS_ALL (the sum of all threads, of ended ones too). Calls that are
 * open count up to now. A thread that begins after another has ended may continue its number and its sums. A forked child begins with
 * 0. Nothing is counted while recording is off, nor what is excluded. *out is the caller's. Returns 1, or 0 and an *out of 0 if no sums
 * are kept, there is no such thread, or (in a signal handler) the thread is just being counted. No call allocates or reads the trace.
 */
struct tau_sums {
	uint64_t calls;		/* how often it was entered */
	uint64_t child_calls;	/* calls of other regions directly from it */
	uint64_t inclusive_ns;	/* if it calls itself: of the outermost call */
	uint64_t exclusive_ns;	/* without the regions that it called */
	uint64_t open;		/* calls that have not ended */
};
struct tau_event_sums {
	uint64_t n;		/* values; 0: the others are 0, too */
	double min, max, sum, sum_of_squares;
};
#define TAU_SUMS_SELF (-1)
#define TAU_SUMS_ALL (-2)
TAU_WEAK int tau_sums_region(uint32_t region, int thread, struct tau_sums *out);	/* of tau_region(), or a timer */
TAU_WEAK int tau_sums_function(const void *function, int thread, struct tau_sums *out);	/* with compiler hooks */
TAU_WEAK int tau_sums_event(uint32_t event, int thread, struct tau_event_sums *out);
/*
 * All regions with sums have the numbers 1 to tau_sums_regions(), all events 1 to tau_sums_events(). A name is copied to out, at most
 * size - 1 bytes and a 0 byte; returns its length, 0 for the number of an event without values: a mark or a lock of the recorder.
 * A function without a name among the object's dynamic symbols has its address as name.
 */
TAU_WEAK uint32_t tau_sums_regions(void);
TAU_WEAK int tau_sums_of(uint32_t number, int thread, struct tau_sums *out);
TAU_WEAK size_t tau_sums_name(uint32_t number, char *out, size_t size);
TAU_WEAK uint32_t tau_sums_events(void);
TAU_WEAK size_t tau_sums_event_name(uint32_t event, char *out, size_t size);
/* Regions that are open in the calling thread, and the name of one: 1 is the outermost. Without sums, too. */
TAU_WEAK size_t tau_open_regions(void);
TAU_WEAK size_t tau_open_name(size_t depth, char *out, size_t size);
#ifndef TAU_IMPLEMENTATION
#define TAU_SUMS_ASK(function, out, args) \
	((function) ? (function) args : (memset(out, 0, sizeof(*(out))), 0))
#define tau_sums_region(r, t, o) TAU_SUMS_ASK(tau_sums_region, o, (r, t, o))
#define tau_sums_function(f, t, o) TAU_SUMS_ASK(tau_sums_function, o, (f, t, o))
#define tau_sums_event(e, t, o) TAU_SUMS_ASK(tau_sums_event, o, (e, t, o))
#define tau_sums_of(n, t, o) TAU_SUMS_ASK(tau_sums_of, o, (n, t, o))
#define tau_sums_regions() TAU_IF0(tau_sums_regions, ())
#define tau_sums_name(n, o, s) TAU_IF0(tau_sums_name, (n, o, s))
#define tau_sums_events() TAU_IF0(tau_sums_events, ())
#define tau_sums_event_name(e, o, s) TAU_IF0(tau_sums_event_name, (e, o, s))
#define tau_open_regions() TAU_IF0(tau_open_regions, ())
#define tau_open_name(d, o, s) TAU_IF0(tau_open_name, (d, o, s))
#endif

/* ---- Part 2: for wrappers ------------------------------------------------------------------ */

/* Is this process being recorded? 0 before the recorder has started and after it has switched itself off. */
TAU_WEAK int tau_active(void);

/*
 * The recorder may itself call what a wrapper wraps (it maps memory, opens files). A wrapper passes
 * straight through to the real function while tau_inside() is true. tau_hide/tau_show bracket work of a
 * wrapper's own that must not be recorded (they nest).
 */
TAU_WEAK int tau_inside(void);
TAU_WEAK void tau_hide(void);
TAU_WEAK void tau_show(void);
/* What a wrapper has read for itself with system calls: READ_BYTES is of the program. What a call returned will do. */
TAU_WEAK void tau_own_read(long bytes);

/* Regions. The same name and groups give the same id. groups: "MPI" or "MPI|TAU_USER". file may be NULL, line 0. */
TAU_WEAK uint32_t tau_region(const char *name, const char *groups, const char *file, uint32_t line);
/*
 * A region at a place in the code, such as a construct of OpenMP: the reader adds the function, file and line of the address `place`, which
 * is inside the call (one below the address to which the call returns). NULL: no place.
 */
TAU_WEAK uint32_t tau_region_at(const char *name, const char *groups, const void *place);
/*
 * For wrappers that can stop the calls of a region at their source: does the selection, or a disabled group, exclude it now?
 * changed() is called after another selection, in any thread and at any place; the last one that was given.
 */
TAU_WEAK int tau_region_excluded(uint32_t region);
TAU_WEAK void tau_on_selection(void (*changed)(void));
TAU_WEAK void tau_enter(uint32_t region);
/*
 * For the wrapper that distinguishes calls by their place (--call-sites). tau_call_site(): the region that is the calls, from the place
 * to which they return, of a region, or, with region 0, of a function; `region` itself if that is not recorded.
 * tau_call_site_open(): the innermost open region of that kind, to leave it. tau_call_site_inlined(): was a function that is
 * entered with this stack pointer inlined into the innermost one? tau_frame_up(): one step from a return address, and the stack
 * and frame pointer of what it is in, to those of its caller. 0: unknown; 1: where the new address is on the stack depends on
 * the frame pointer; 2: only on the stack pointer.
 */
TAU_WEAK uint32_t tau_call_site(uint32_t region, uintptr_t function, uintptr_t site);
TAU_WEAK uint32_t tau_call_site_open(uint32_t region, uintptr_t function);
TAU_WEAK int tau_call_site_inlined(uintptr_t sp);
TAU_WEAK int tau_frame_up(uintptr_t *pc, uintptr_t *sp, uintptr_t *fp);
/* The same if the function that calls it returns before the region ends. */
TAU_WEAK void tau_begin(uint32_t region);
TAU_WEAK void tau_leave(uint32_t region);
/* if (tau_active() && !tau_inside()) tau_enter(region), at once: was it so? */
TAU_WEAK int tau_call(uint32_t region);

/* Events: samples of a value. flags: 0, 1 = monotonic, 2 = keep the call path as context. */
TAU_WEAK uint32_t tau_event(const char *name, unsigned flags);
TAU_WEAK void tau_trigger(uint32_t event, double value);

/*
 * A lock that a thread waits for, as an event: trigger it inside the region of the wait, with tau_stream_of() of the thread that
 * has the lock, or -2 where no thread can have it. lock: its address, or TAU_LOCK_UNNAMED. place: inside the call that waits. lock
 * and place NULL: all other locks of the kind.
 */
TAU_WEAK uint32_t tau_lock(const char *kind, const void *lock, const void *place);
/* The number of the stream that a thread of this process, by its number in the system (0: the caller), records into; -1: it has none. */
TAU_WEAK int tau_stream_of(int tid);

/*
 * Calls work() every `ns` in a thread of the recorder's own, which the process gets by that and which blocks all signals: soon for the
 * first time, and once more when the process ends. A second call for the same function changes its interval. 0: nothing is recorded, or there is no room.
 */
TAU_WEAK int tau_every(uint64_t ns, void (*work)(void));

/* tau-record records the counters of the process, and those of its host, every `ns` from now on. */
TAU_WEAK void tau_measure_system(uint64_t ns);

/* Metadata of this process. The last value of a name holds. */
TAU_WEAK void tau_meta(const char *name, const char *value);

/* source: 1 MPI, 2 OpenSHMEM, 3 the user (enum tau_rank_source in format.h). The first of 1 and 2 wins over 3. */
TAU_WEAK void tau_rank(uint32_t rank, uint32_t size, unsigned source);

/* Communicator or team: n world ranks in its order. Id 0 is the world and needs no definition. */
TAU_WEAK uint32_t tau_comm(const char *name, const uint32_t *world_ranks, uint32_t n);
/* The same of two groups that talk to each other: the first of these ranks, and the others. The process is in the first. */
TAU_WEAK uint32_t tau_comm_between(const char *name, const uint32_t *world_ranks, uint32_t n, uint32_t first);
/*
 * The same (first 0: of one group), with a number that distinguishes it from others with the same ranks: the same in all its
 * members, 0: unknown.
 */
TAU_WEAK uint32_t tau_comm_known(const char *name, const uint32_t *world_ranks, uint32_t n, uint32_t first, uint64_t number);
/* Messages. Peers are world ranks; coll, rma and sync are enum tau_coll, enum tau_rma and enum tau_sync of format.h. */
TAU_WEAK void tau_send(int peer, int tag, uint32_t comm, uint64_t bytes);
TAU_WEAK void tau_recv(int peer, int tag, uint32_t comm, uint64_t bytes);
TAU_WEAK void tau_coll(unsigned coll, uint32_t comm, int root, uint64_t bytes_sent, uint64_t bytes_received);
TAU_WEAK void tau_rma(unsigned rma, int target, uint64_t bytes);
/* comm: of the members of a window. peer: -1: all of them. */
TAU_WEAK void tau_sync(unsigned sync, uint32_t comm, int peer);
/*
 * Messages that several calls handle, as MPI_Isend and MPI_Wait: the first call gets the number of a request, and the call that
 * completes it passes that number on. 0: nothing is recorded. tau_isend() sends, tau_ireceive() posts a receive, which tau_irecv()
 * completes; tau_sent() completes a send.
 */
TAU_WEAK uint32_t tau_isend(int peer, int tag, uint32_t comm, uint64_t bytes);
TAU_WEAK uint32_t tau_ireceive(void);
TAU_WEAK void tau_irecv(int peer, int tag, uint32_t comm, uint64_t bytes, uint32_t request);
TAU_WEAK void tau_sent(uint32_t request);
/* The innermost call is a poll that succeeded. */
TAU_WEAK void tau_poll_found(void);
/*
 * Two in one step, by one look at the clock, for less than both: tau_call() and, if that was so, tau_send(), tau_isend() or tau_rma();
 * tau_recv() and tau_leave().
 */
TAU_WEAK int tau_call_send(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes);
TAU_WEAK int tau_call_isend(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes, uint32_t *request);
TAU_WEAK int tau_call_rma(uint32_t region, unsigned rma, int target, uint64_t bytes);
TAU_WEAK void tau_recv_leave(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes);
/*
 * What the innermost call, which was entered by tau_call() and is about to wait, waits for: for those who look at the process
 * meanwhile, or after it was killed. No record is written. kind, op: enum tau_wait and enum tau_coll of format.h, whose record
 * WAITS has the other arguments. tau_waits_for_all(): for n waits, and `rest` others that are not known; any: for one of them.
 */
struct tau_awaited {
	uint16_t kind, op;
	uint32_t comm;
	int peer, tag;
};
TAU_WEAK void tau_waits_for(unsigned kind, unsigned op, uint32_t comm, int peer, int tag);
TAU_WEAK void tau_waits_for_all(int any, const struct tau_awaited *of, unsigned n, unsigned rest);
TAU_WEAK void tau_waits_for_file(uint32_t file); /* an event named by its path; lock: the rest is as in the record WAITS_FILE */
TAU_WEAK void tau_waits_for_lock(uint32_t file, unsigned kind, int holder, uint64_t first, uint64_t bytes);

/*
 * Bytes moved between the process and a file, or a call about its name, of no bytes: io is enum tau_io, file an event whose name is
 * the file's path. Called after it, with `region` still open: the time since its enter gives the bandwidth.
 */
TAU_WEAK void tau_io(uint32_t region, unsigned io, uint32_t file, uint64_t bytes);
/*
 * The same, with the offset in the file where the move began; -1: not known. If offset is -1 and fd is not, it is the position of
 * the descriptor fd, less bytes.
 */
TAU_WEAK void tau_io_at(uint32_t region, unsigned io, uint32_t file, uint64_t bytes, int64_t offset, int fd);

/*
 * Memory. A memtype is a name, the memtype that owns its objects (0 = none), flags (enum tau_memtype_flag of
 * format.h), the size of one object (0 = not fixed) and the library whose code allocated it (may be NULL).
 * Every byte allocated is freed under the memtype that it carries at that time; retype moves one live block.
 */
TAU_WEAK uint32_t tau_memtype(const char *name, uint32_t owner, unsigned flags, size_t object_size,
			      const char *library);
/* The same, for a place in the code: the return address of the call; 0 = none. */
TAU_WEAK uint32_t tau_memtype_at(const char *name, uint32_t owner, unsigned flags,
				 size_t object_size, const char *library, uintptr_t site);
/* The loaded object that contains an address, as a number that no other object ever has, even at the same address; 0: unknown. */
TAU_WEAK uint32_t tau_place(uintptr_t address);
/*
 * The same, by a stack of calls, and with the tau_place() of the site (0: unknown). A stack is the return address of its innermost call and the stack that made that call, 0 =
 * none; an address of 0 means that the callers are not known. Returns its number, 0 = no numbers are left.
 */
TAU_WEAK uint32_t tau_stack(uint32_t caller, uintptr_t address);
TAU_WEAK uint32_t tau_memtype_in(const char *name, uint32_t owner, unsigned flags, size_t object_size,
				 const char *library, uintptr_t site, uint32_t stack, uint32_t place);
TAU_WEAK void tau_mem_alloc(uint32_t memtype, size_t bytes);
TAU_WEAK void tau_mem_free(uint32_t memtype, size_t bytes);
TAU_WEAK void tau_mem_retype(uint32_t from, uint32_t to, size_t bytes);
/* The same for n blocks of one size, at one time. */
TAU_WEAK void tau_mem_retypes(uint32_t from, uint32_t to, size_t bytes, size_t n);

/* Bytes of the heap that are live in the process: read() is called in any thread, inside the recorder too. */
TAU_WEAK void tau_heap_meter(uint64_t (*read)(void));
/*
 * Where the same number is in memory, for who reads it from outside: the sum of *shared and of what is at `part` in each of *parts
 * structures of this size.
 */
struct tau_heap_parts {
	const int64_t *shared, *part;
	const unsigned *parts;
	size_t size;
};
TAU_WEAK void tau_heap_parts(const struct tau_heap_parts *parts);

/*
 * The same for blocks that come often: tau_block() gives a number to blocks of a memtype and size (0: no numbers are left).
 * The other two record an event by that number. 0: nothing was recorded because the recorder is at work in this thread
 * (tau_inside()).
 */
TAU_WEAK uint32_t tau_block(uint32_t memtype, size_t bytes);
TAU_WEAK int tau_block_alloc(uint32_t block);
TAU_WEAK int tau_block_free(uint32_t block);

/*
 * The functions that the wrapper of memory gives to --budget and --control, which call them inside the recorder, in any thread.
 * No teller: the heap is counted, which requires each block. run: adds n
 * blocks to its tables, removes them, and records them as number `block`, on its short path, without an allocator (0: as blocks
 * that it ignores); returns the ns that this took, 0: it is not possible now. slow: CPU time in ns that this thread has spent in
 * addition where the short path was not possible; *blocks: for how many blocks. track: new blocks are ignored while on was 0 last
 * for either reason. passed: how many blocks of this thread (or of all threads) were ignored; *bytes: their bytes.
 */
enum tau_memory_reason { TAU_MEMORY_BUDGET = 1, TAU_MEMORY_COMMAND = 2 };
struct tau_memory_teller {
	uint64_t (*run)(uint32_t block, unsigned n);
	uint64_t (*slow)(uint64_t *blocks);
	void (*track)(int on, enum tau_memory_reason why);
	uint64_t (*passed)(int all, uint64_t *bytes);
};
TAU_WEAK void tau_memory_teller(const struct tau_memory_teller *teller);
/* Executes commands from outside that have come. For a wrapper that records nothing until a command comes; not inside its locks. */
TAU_WEAK void tau_commands_run(void);

/*
 * Defined by the wrapper of memory. A wrapper that records the pieces of a library's allocator calls it with the first piece;
 * the mapping that contains the piece no longer counts as one block.
 */
TAU_WEAK void tau_mapped_piece(const void *piece);

/*
 * How the frame of a call that returns to pc is left, for a wrapper that walks stacks. The frame's end (CFA) is a register
 * or a word plus `cfa`; the return address is at the end plus `back`; the frame pointer of the caller, where it was saved,
 * at the end plus `frame_pointer`. Takes no lock, but the first call of a process asks the dynamic linker.
 */
enum tau_frame_how {
	TAU_FRAME_UNKNOWN,	 /* not as simple as that, or no code */
	TAU_FRAME_LAST,		 /* the outermost frame */
	TAU_FRAME_STACK,	 /* by the stack pointer; the frame pointer is the caller's */
	TAU_FRAME_STACK_SAVED,	 /* the same, and it was saved */
	TAU_FRAME_POINTER,	 /* by the frame pointer, which is the caller's, too */
	TAU_FRAME_POINTER_SAVED, /* the same, and it was saved */
	TAU_FRAME_ALIGNED,	 /* the end is in the word at the frame pointer + cfa, and the caller's frame pointer at
				    the frame pointer + frame_pointer */
};
struct tau_frame {
	uint32_t how;
	int32_t cfa, frame_pointer, back;
};
TAU_WEAK void tau_frame(uintptr_t pc, struct tau_frame *out);

/*
 * May the recorder do anything at all in this process? 0: it is not recorded, or a seccomp filter could end it at the next
 * system call. A wrapper that makes system calls before the program calls it asks first, and then does nothing but pass calls on.
 */
TAU_WEAK int tau_permitted(void);

/*
 * Zeroed pages for a wrapper, far from the addresses that the kernel gives to the program, which may expect one that it has unmapped
 * to stay free; NULL: there are none. mlockall() of the program does not lock them, so a table may be much larger than what is used
 * of it. errno stays.
 */
TAU_WEAK void *tau_map(size_t bytes);
/* Gives such memory back, from the begin of a page on. */
TAU_WEAK void tau_unmap(void *at, size_t bytes);

/*
 * May the caller be a child that shares our memory but has not our thread-local storage (clone() with CLONE_SETTLS)? tau_call()
 * and tau_active() are 0 then; a wrapper that uses thread-local storage of its own besides, or errno, asks.
 */
TAU_WEAK int tau_stranger(void);

/*
 * The loaded object that an address is in, as dl_iterate_phdr() would describe it, but found without a lock, so that any hook
 * may ask. 1: found. 0: the address is in none. -1: the C library cannot find objects without its loader's lock.
 */
struct tau_object {
	const char *name;	/* path; "" for the program */
	uintptr_t base;		/* what is added to the addresses in the object's file */
	const void *headers;	/* its program headers */
	uint32_t header_n;
};
TAU_WEAK int tau_object(uintptr_t address, struct tau_object *out);

/*
 * A queue of a device (a stream of CUDA), whose records come later than they happen, from any thread: a thread of the trace without a
 * thread of the process. NULL: none. Regions do not overlap and come in the order of their times, which are ns of CLOCK_MONOTONIC.
 * caller: regions that are entered and left with it, so that they are its call path: tau_callers() when it was started, borrowed.
 * Returns how many were written.
 */
struct tau_device;
struct tau_device_record {
	uint64_t begin, end;
	const uint64_t *caller;
	uint32_t caller_n, region, value_n;
	struct {
		uint32_t event;
		double value;
	} value[4];		/* events at its end */
};
TAU_WEAK struct tau_device *tau_device(const char *name);
TAU_WEAK size_t tau_device_put(struct tau_device *device, const struct tau_device_record *record, size_t n);
#define TAU_DEVICE_CALLERS 32	/* of a record, at most */
/* The open regions of the calling thread, the innermost n of them, outermost first. Returns how many. */
TAU_WEAK size_t tau_callers(uint64_t *callers, size_t n);

/*
 * For the wrapper that patches functions: is the function with this address selected (--patch)? It is entered, and all functions
 * are left, whose return address is at `slot` on the stack. 1: it was recorded, and a leave must follow. No register changes but those
 * that a caller saves, and of vectors none.
 */
TAU_WEAK int tau_function_patched(uintptr_t function);
TAU_WEAK int tau_function_enter(uintptr_t function, uintptr_t slot);
TAU_WEAK void tau_function_leave(uintptr_t slot);
TAU_WEAK int tau_own_threads(void);	/* threads of the recorder in this process, which call no function of the program */

/* The calling thread gets its stream now, if it has none; otherwise it gets one with its first record. */
TAU_WEAK void tau_attach(void);
/* Name of the calling thread's stream (for example, a thread number of a programming model). */
TAU_WEAK void tau_thread_name(const char *name);

/*
 * The runtime is about to be finalized (entry of MPI_Finalize, shmem_finalize): runs the functions given to
 * tau_on_finalize, once each, then writes out what the calling thread has.
 */
TAU_WEAK void tau_finalizing(void);

/*
 * For the wrapper that keeps the signal of --sample apart from the program's: its number (0: no samples are taken), is a
 * siginfo_t our timer's, and what sigaction() on it means for the program.
 */
struct sigaction;
TAU_WEAK void tau_sample_thread(void);	/* the calling thread begins */
TAU_WEAK int tau_sample_signal(void);
TAU_WEAK int tau_sample_ours(const void *siginfo);
TAU_WEAK void tau_sample_missed(const void *siginfo);	/* the program's wait got it */
/* The calling thread believes that it blocks the signal, with all others: 1, 0, or -1 only to ask. Returns what it was. */
TAU_WEAK int tau_sample_hold(int hold);
TAU_WEAK void tau_sample_action(const struct sigaction *action, struct sigaction *old);

/*
 * For a wrapper that finds frames of an interpreter. frames() runs in the handler of --sample, on the recorder's stack: it gets the code
 * addresses of a sample, innermost first, all but the first return addresses, and the stack pointer of each. It may put up to `most`
 * others in their place, and returns their number. tau_code() defines code of the interpreter and returns its address, 0 = no
 * room; that of a caller is larger by 1. tau_copy() copies memory of the process; 0: it cannot be read.
 */
TAU_WEAK void tau_sample_frames(size_t (*frames)(uint64_t *pc, const uint64_t *sp, size_t n, size_t most));
TAU_WEAK uint64_t tau_code(const char *module, const char *name, const char *file, uint32_t line);
TAU_WEAK int tau_copy(void *to, uintptr_t from, size_t n);

/* No signal is handled between these two: around several definitions, so that the system calls are made once for all. */
TAU_WEAK void tau_defining(uint64_t *mask);
TAU_WEAK void tau_defined(const uint64_t *mask);

/* A file of the run that processes on this host open by name, as open(2) does; O_CREAT: a new one. No reader looks at it. -1: errno. */
TAU_WEAK int tau_share(const char *name, int flags);
TAU_WEAK void tau_share_remove(const char *name); /* by the process that made it */
/* Its bytes; -1: they are unknown. */
TAU_WEAK int64_t tau_share_size(const char *name);

/* Prints one line on stderr, "tau: SENTENCE", in one process of the job: why something is not recorded. */
TAU_WEAK void tau_print(const char *sentence);

/*
 * The process is about to end or to become another program without its exit handlers (_exit, execve): completes the files of
 * the calling thread and of threads that have ended. Records that are made later are appended. 0: the caller has no
 * files to complete, as in a child of vfork.
 */
TAU_WEAK int tau_ending(void);
TAU_WEAK void tau_on_finalize(void (*function)(void));

#ifdef __cplusplus
}
#endif
#endif
