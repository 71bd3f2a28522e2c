/*
 * kokkos.c: the wrapper of Kokkos, which calls its tool: the functions kokkosp_... of the library that the variable
 * KOKKOS_TOOLS_LIBS names, before version 4 KOKKOS_PROFILE_LIBRARY (the Kokkos Tools interface). So nothing is put before a
 * function here; tau-record sets the variables. RAJA calls four of the same functions, of the library that KOKKOS_PLUGINS names:
 * its kernels have no names.
 *
 * Kernels, deep copies, fences and the program's own regions are regions of group KOKKOS; what views allocate is counted by
 * their name as class allocations are. Sections may overlap each other, so that they are values, not regions: the
 * microseconds from start to stop.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "now.h"
#include "tau.h"

#define EXPORT __attribute__((visibility("default")))
#define GROUP  "KOKKOS"
#define NAME   1000 /* longest name, with what we put before it */
#define DEEP   256  /* regions of the program inside each other, of one thread; deeper ones are not recorded */
#define MANY   1024 /* sections */
#define RAJA   20171029u /* the version of the interface that RAJA uses */

/* As Kokkos passes it: by value. */
struct space {
	char name[64];
};

static const char *text(const char *name)
{
	return name ? name : "";
}

/* The space's name need not end. */
static const char *space_name(const struct space *s, char out[65])
{
	memcpy(out, s->name, 64);
	out[64] = 0;
	return out;
}

/* ---- kernels: Kokkos gives back at the end the number that it got at the beginning ---- */

static int raja; /* it calls this tool */

static uint64_t kernel_begin(const char *what, const char *name, uint32_t device)
{
	char full[NAME];
	uint32_t region;

	if (!tau_active())
		return 0;
	if (raja && !*text(name) && !device)
		snprintf(full, sizeof(full), "RAJA kernel");
	else
		snprintf(full, sizeof(full), "Kokkos::%s %s%s[device=%u]", what, text(name),
			 *text(name) ? " " : "", device);
	region = tau_region(full, GROUP, NULL, 0);
	tau_enter(region);
	return region;
}

#define KERNEL(kind)                                                                               \
	EXPORT void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *kernel);     \
	EXPORT void kokkosp_begin_##kind(const char *name, uint32_t device, uint64_t *kernel)      \
	{                                                                                          \
		*kernel = kernel_begin(#kind, name, device);                                       \
	}                                                                                          \
	EXPORT void kokkosp_end_##kind(uint64_t kernel);                                           \
	EXPORT void kokkosp_end_##kind(uint64_t kernel)                                            \
	{                                                                                          \
		tau_leave((uint32_t)kernel);                                                       \
	}
KERNEL(parallel_for)
KERNEL(parallel_scan)
KERNEL(parallel_reduce)
KERNEL(fence)

/* ---- regions of the program: the innermost is popped ---- */

static __thread uint32_t regions[DEEP];
static __thread unsigned depth;

EXPORT void kokkosp_push_profile_region(const char *name);
EXPORT void kokkosp_pop_profile_region(void);

void kokkosp_push_profile_region(const char *name)
{
	if (depth < DEEP) {
		regions[depth] = tau_active() ? tau_region(text(name), GROUP, NULL, 0) : 0;
		tau_enter(regions[depth]);
	}
	depth++;
}

void kokkosp_pop_profile_region(void)
{
	if (depth && --depth < DEEP)
		tau_leave(regions[depth]);
}

/* ---- sections ---- */

static struct kokkos_section {
	uint32_t event;
	uint64_t begin; /* ns; 0: it is not running */
} sections[MANY];
static uint32_t section_n;

EXPORT void kokkosp_create_profile_section(const char *name, uint32_t *id);
EXPORT void kokkosp_destroy_profile_section(uint32_t id);
EXPORT void kokkosp_start_profile_section(uint32_t id);
EXPORT void kokkosp_stop_profile_section(uint32_t id);

void kokkosp_create_profile_section(const char *name, uint32_t *id)
{
	char full[NAME];

	*id = __atomic_fetch_add(&section_n, 1, __ATOMIC_RELAXED);
	if (*id >= MANY)
		return;
	snprintf(full, sizeof(full), "Kokkos section %s (us)", text(name));
	sections[*id].event = tau_event(full, 2);
}

void kokkosp_destroy_profile_section(uint32_t id)
{
	(void)id;
}

void kokkosp_start_profile_section(uint32_t id)
{
	if (id < MANY)
		sections[id].begin = now_ns();
}

void kokkosp_stop_profile_section(uint32_t id)
{
	if (id >= MANY || !sections[id].begin)
		return;
	tau_trigger(sections[id].event, (double)(now_ns() - sections[id].begin) / 1000);
	sections[id].begin = 0;
}

/* ---- views ---- */

EXPORT void kokkosp_allocate_data(struct space space, const char *name, const void *at,
				  uint64_t bytes);
EXPORT void kokkosp_deallocate_data(struct space space, const char *name, const void *at,
				    uint64_t bytes);

static void view_name(char full[NAME], const struct space *space, const char *name)
{
	char where[65];

	snprintf(full, NAME, "Kokkos::View %s (%s)", text(name), space_name(space, where));
}

void kokkosp_allocate_data(struct space space, const char *name, const void *at, uint64_t bytes)
{
	char full[NAME];

	(void)at;
	view_name(full, &space, name);
	Tau_track_class_allocation(full, bytes);
}

void kokkosp_deallocate_data(struct space space, const char *name, const void *at, uint64_t bytes)
{
	char full[NAME];

	(void)at;
	view_name(full, &space, name);
	Tau_track_class_deallocation(full, bytes);
}

/* ---- copies: one at a time in a thread ---- */

static __thread uint32_t copying;

EXPORT void kokkosp_begin_deep_copy(struct space to, const char *to_name, const void *to_at,
				    struct space from, const char *from_name, const void *from_at,
				    uint64_t bytes);
EXPORT void kokkosp_end_deep_copy(void);

void kokkosp_begin_deep_copy(struct space to, const char *to_name, const void *to_at,
			     struct space from, const char *from_name, const void *from_at,
			     uint64_t bytes)
{
	char full[NAME], a[65], b[65];

	(void)to_at;
	(void)from_at;
	if (!tau_active())
		return;
	snprintf(full, sizeof(full), "Kokkos::deep_copy %.400s (%s) to %.400s (%s)",
		 text(from_name), space_name(&from, a), text(to_name), space_name(&to, b));
	copying = tau_region(full, GROUP, NULL, 0);
	tau_enter(copying);
	tau_trigger(tau_event("Kokkos deep copy bytes", 2), (double)bytes);
}

void kokkosp_end_deep_copy(void)
{
	tau_leave(copying);
	copying = 0;
}

/* ---- the rest ---- */

EXPORT void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device);
EXPORT void kokkosp_finalize_library(void);
EXPORT void kokkosp_profile_event(const char *name);
EXPORT void kokkosp_declare_metadata(const char *name, const char *value);

void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device)
{
	char number[24];

	(void)sequence;
	(void)devices;
	(void)device;
	raja |= version == RAJA;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)version);
	tau_meta(version == RAJA ? "RAJA Tools Interface" : "Kokkos Tools Interface", number);
}

void kokkosp_finalize_library(void)
{
}

void kokkosp_profile_event(const char *name)
{
	tau_trigger(tau_event(text(name), 2), 1);
}

void kokkosp_declare_metadata(const char *name, const char *value)
{
	tau_meta(text(name), text(value));
}
