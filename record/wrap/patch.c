/*
 * patch.c: the wrapper of functions of programs that were built with room for a call at the entry of each function:
 * -fpatchable-function-entry, -pg -mfentry, or -fxray-instrument.
 *
 * When the process starts, before it has a second thread, the functions that --patch selects get a call of a pad in that
 * room: a few bytes near the code, from which control goes to patch_entry (patch/entry.c). Only bytes that are the
 * expected nops are replaced. A program with -pg -mfentry calls __fentry__() itself, which is ours.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tau.h"
#include "metadata.h"
#include "patch/entry.h"
#include "patch/kernel.h"
#include "patch/module.h"

/* How many functions were patched, and why others were not. */
static struct {
	size_t patched;
	size_t small;	/* fewer than 5 bytes */
	size_t changed;	/* other bytes than nops */
	size_t refused;	/* by the kernel */
	size_t far;	/* no memory within 2 GB */
} counts;

/* ---- places ---- */

#define CALL 5

/* The length of the nop at a place, as compilers write them; 0: it is none. */
static size_t nop_length(const uint8_t *at)
{
	static const struct {
		uint8_t n, bytes[4];
	} nops[] = {{1, {0x90}},
		    {2, {0x66, 0x90}},
		    {3, {0x0f, 0x1f, 0x00}},
		    {4, {0x0f, 0x1f, 0x40, 0x00}},
		    {5, {0x0f, 0x1f, 0x44, 0x00}},
		    {6, {0x66, 0x0f, 0x1f, 0x44}},
		    {7, {0x0f, 0x1f, 0x80, 0x00}},
		    {8, {0x0f, 0x1f, 0x84, 0x00}},
		    {9, {0x66, 0x0f, 0x1f, 0x84}}};

	for (size_t i = 0; i < sizeof(nops) / sizeof(*nops); i++)
		if (!memcmp(at, nops[i].bytes, nops[i].n < 4 ? nops[i].n : 4))
			return nops[i].n;
	return 0;
}

/* Bytes of nops from a place on, at most `most`; whole instructions. */
static size_t nops(const uint8_t *at, size_t most)
{
	size_t n = 0, one;

	while (n < most && (one = nop_length(at + n)))
		n += one;
	return n;
}

/* One place: the function, and the first byte that may be replaced. */
struct place {
	uintptr_t function, at;
};

/*
 * The address in the section is that of the first nop: of the function itself, behind its ENDBR64, or before the function,
 * if some nops are before it.
 */
static int patchable_place(uintptr_t first, struct place *p)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *bytes = (const uint8_t *)first;

	*p = (struct place){first, first};
	if (tau_function_patched(first))
		return 1;
	if (!memcmp(bytes - 4, endbr, 4) && tau_function_patched(first - 4)) {
		p->function = first - 4;
		return 1;
	}
	for (size_t n = 0; n < 64; n++) {
		size_t one = nop_length(bytes + n);

		if (!one)
			return 0;
		n += one - 1;
		if (!tau_function_patched(first + n + 1))
			continue;
		p->function = p->at = first + n + 1;
		p->at += !memcmp((const void *)p->at, endbr, 4) ? 4 : 0;
		return 1;
	}
	return 0;
}

/* Entry number i of a section; 0: it is not selected. */
static int place_get(const struct section *s, size_t i, struct place *p)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	int64_t relative;
	uintptr_t at;

	if (s->kind == SITE_XRAY) {
		const uint8_t *row = s->begin + 32 * i;

		if (row[16] != 0 || row[18] != 2)	/* no entry, another version */
			return 0;
		memcpy(&relative, row, 8);
		at = (uintptr_t)row + (uintptr_t)relative;
		memcpy(&relative, row + 8, 8);
		*p = (struct place){(uintptr_t)row + 8 + (uintptr_t)relative, at};
		return at - p->function < 16 && tau_function_patched(p->function);
	}
	memcpy(&at, s->begin + 8 * i, 8);
	if (s->kind == SITE_PATCHABLE)
		return patchable_place(at, p);
	*p = (struct place){at, at};
	if (tau_function_patched(at))
		return 1;
	p->function = at - 4;
	return !memcmp((const void *)(at - 4), endbr, 4) && tau_function_patched(at - 4);
}

static size_t places(const struct section *s)
{
	return s->size / (s->kind == SITE_XRAY ? 32 : 8);
}

/* ---- pads ---- */

#define REACH 0x70000000ul
#define PAD_PAGE 4096ul
#define PADS 128	/* one for each distance from the function's address to where the call returns */

/* pushq $DISTANCE; jmp *address */
static void pad_write(uint8_t *pad, unsigned distance, const uint8_t *address)
{
	int32_t relative = (int32_t)(address - (pad + 8));

	pad[0] = 0x6a;
	pad[1] = (uint8_t)distance;
	pad[2] = 0xff;
	pad[3] = 0x25;
	memcpy(pad + 4, &relative, 4);
}

/* A page near the code with all pads; NULL: there is no room. */
static uint8_t *pads_make(const struct module *m)
{
	uintptr_t first = (m->code & ~(PAD_PAGE - 1)) - PAD_PAGE;
	void (*entry)(void) = patch_entry;
	uint8_t *page = NULL;
	long got;

	for (uintptr_t step = 0; step < REACH && step < first && !page; step += 16 * PAD_PAGE) {
		got = kernel(SYS_mmap, (long)(first - step), PAD_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (got == (long)(first - step))
			page = (uint8_t *)got;
		else if (got > 0)
			kernel(SYS_munmap, got, PAD_PAGE, 0, 0, 0, 0);
	}
	if (!page || m->code_end - (uintptr_t)page > 0x7ff00000)
		return NULL;
	memcpy(page, &entry, sizeof(entry));
	for (unsigned d = 0; d < PADS; d++)
		pad_write(page + 16 + 8 * d, d, page);
	return kernel(SYS_mprotect, (long)page, PAD_PAGE, PROT_READ | PROT_EXEC, 0, 0, 0) < 0 ? NULL
											     : page;
}

/* ---- patching ---- */

/* Bytes that are replaced, and what replaces them: a call, and for a sled of XRay nops in place of what its jump skips. */
static size_t patch_bytes(const struct section *s, const struct place *p, const uint8_t *pads,
			  uint8_t out[11])
{
	static const uint8_t sled[] = {0xeb, 0x09, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0x02, 0, 0};
	static const uint8_t rest[] = {0x66, 0x0f, 0x1f, 0x44, 0, 0};
	const uint8_t *at = (const uint8_t *)p->at, *pad;
	size_t n = p->at + CALL - p->function;
	int32_t relative;

	if (s->kind == SITE_XRAY ? memcmp(at, sled, 2) != 0 || nop_length(at + 2) != 9
				 : nops(at, CALL) < CALL) {
		if (s->kind == SITE_MCOUNT && (at[0] == 0xe8 || at[0] == 0xff || at[0] == 0x67))
			return 0;	/* it calls __fentry__() */
		if (s->kind != SITE_XRAY && nop_length(at))
			counts.small++;
		else
			counts.changed++;
		return 0;
	}
	if (n >= PADS) {
		counts.changed++;
		return 0;
	}
	pad = pads + 16 + 8 * n;
	relative = (int32_t)(pad - (at + CALL));
	out[0] = 0xe8;
	memcpy(out + 1, &relative, 4);
	n = CALL;
	if (s->kind == SITE_XRAY) {
		memcpy(out + CALL, rest, sizeof(rest));
		n += sizeof(rest);
	}
	return n;
}

struct patch {
	uintptr_t at;
	uint8_t n, bytes[11];
};

/*
 * Nothing of the module may be executed, and no function of others called, which may be in the module. A kernel that refuses to
 * execute what was written must do so before anything is: the first call asks for all three.
 */
static int patches_write(const struct module *m, const struct patch *patch, size_t n)
{
	uintptr_t begin = m->code & ~(PAD_PAGE - 1),
		  end = (m->code_end + PAD_PAGE - 1) & ~(PAD_PAGE - 1);

	if (kernel(SYS_mprotect, (long)begin, (long)(end - begin),
		   PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < patch[i].n; k++)
			((volatile uint8_t *)patch[i].at)[k] = patch[i].bytes[k];
	kernel(SYS_mprotect, (long)begin, (long)(end - begin), PROT_READ | PROT_EXEC, 0, 0, 0);
	return 0;
}

static void module_patch(const struct module *m)
{
	struct patch *patch;
	uint8_t *pads = NULL;
	size_t n = 0, most = 0, bytes;
	struct place p;

	for (size_t s = 0; s < m->sections; s++)
		most += places(&m->section[s]);
	bytes = (most + 1) * sizeof(*patch);
	patch = mmap(tau_map_at(bytes), bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (patch == MAP_FAILED)
		return;
	for (size_t s = 0; s < m->sections; s++)
		for (size_t i = 0; i < places(&m->section[s]); i++) {
			if (!place_get(&m->section[s], i, &p) || p.at < m->code ||
			    p.at + 11 > m->code_end)
				continue;
			if (!pads && !(pads = pads_make(m))) {
				counts.far++;
				continue;
			}
			patch[n].n = (uint8_t)patch_bytes(&m->section[s], &p, pads, patch[n].bytes);
			patch[n].at = p.at;
			n += patch[n].n > 0;
		}
	if (n && patches_write(m, patch, n) < 0)
		counts.refused += n;
	else
		counts.patched += n;
	munmap(patch, bytes);
}

static int module_visit(struct dl_phdr_info *info, size_t size, void *to)
{
	struct module m;

	(void)size;
	(void)to;
	if (module_get(&m, info))
		module_patch(&m);
	return 0;
}

/* ---- the start ---- */

extern char __tsan_init __attribute__((weak)), __msan_init __attribute__((weak));

#define ARCH_SHSTK_STATUS 0x5005

/* Why no return address may be replaced, or no code changed; NULL: both may. */
static const char *obstacle(void)
{
	uint64_t features = 0;
	struct stat tasks;

	if (&__tsan_init || &__msan_init)
		return "the sanitizer of threads or of memory divides the addresses";
	if (kernel(SYS_arch_prctl, ARCH_SHSTK_STATUS, (long)&features, 0, 0, 0, 0) == 0 && features)
		return "the kernel guards return addresses (shadow stack)";
	if (kernel(SYS_stat, (long)"/proc/self/task", (long)&tasks, 0, 0, 0, 0) < 0 ||
	    tasks.st_nlink != 3u + (unsigned)tau_own_threads())
		return "the process has several threads already";
	return NULL;
}

static void say(const char *what, size_t n, const char *why)
{
	char line[256];
	int length = snprintf(line, sizeof(line), "tau: %zu %s: %s\n", n, what, why);

	kernel(SYS_write, 2, (long)line, length, 0, 0, 0);
}

static void refusals_say(void)
{
	const struct {
		size_t n;
		const char *why;
	} all[] = {{counts.refused, "the kernel refuses to change their code"},
		   {counts.far, "no memory is free within 2 GB of their code"},
		   {counts.changed, "their first bytes are not the expected ones"},
		   {counts.small, "they begin with fewer than 5 bytes of nops; build with "
				  "-fpatchable-function-entry=5"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].n)
			say(all[i].n == 1 ? "function is not patched" : "functions are not patched",
			    all[i].n, all[i].why);
}

__attribute__((constructor)) static void patch_begin(void)
{
	const char *why;
	char number[24];

	if (!getenv("TAU_RECORD_PATCH") || !tau_permitted() || !tau_active())
		return;
	why = obstacle();
	tau_hide();
	*(void **)&patch_fentry_next = dlsym(RTLD_NEXT, "__fentry__");
	if (!why)
		dl_iterate_phdr(module_visit, NULL);
	tau_show();
	refusals_say();
	if (why)
		say("functions are patched", 0, why);
	snprintf(number, sizeof(number), "%zu", counts.patched);
	tau_meta(TAU_META_PATCHED_FUNCTIONS, number);
}
