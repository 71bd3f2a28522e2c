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
#include "own/own.h"

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
#define PREFIXES 7
#define NOP_MOST (PREFIXES + 8)
#define PATCH_MOST (CALL - 1 + NOP_MOST)	/* a call in place of nops, the last of which may be longer than its rest */
#define ROOM 20	/* bytes that are looked at at most for one nop, or replaced */
_Static_assert(ROOM >= PATCH_MOST && ROOM >= 2 + NOP_MOST, "what is looked at is replaced");

/* The length of the nop at a place: NOP, or NOP with an address that nothing reads; 0: it is none. */
static size_t nop_length(const uint8_t *at)
{
	size_t n = 0;
	uint8_t form, mode, base;

	while (n < PREFIXES && (at[n] == 0x66 || at[n] == 0x2e))
		n++;
	if (at[n] == 0x90)
		return n + 1;
	if (at[n] != 0x0f || at[n + 1] != 0x1f || at[n + 2] & 0x38)
		return 0;
	form = at[n + 2];
	mode = form >> 6;
	base = form & 7;
	n += 3;
	if (mode != 3 && base == 4)
		base = at[n++] & 7;	/* with an index */
	return mode == 1 ? n + 1 : mode == 2 ? n + 4 : mode == 0 && base == 5 ? n + 4 : n;
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
struct patch_place {
	uintptr_t function, at;
};

static int is_endbr(const struct module *m, uintptr_t at)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};

	return module_code(m, at, sizeof(endbr)) &&
	       !memcmp((const void *)at, endbr, sizeof(endbr));
}

/* The place is that of the function itself, or the one after its ENDBR64. */
static int call_place(const struct module *m, uintptr_t at, struct patch_place *p)
{
	*p = (struct patch_place){at, at};
	if (tau_function_patched(at))
		return 1;
	p->function = at - 4;
	return is_endbr(m, at - 4) && tau_function_patched(at - 4);
}

/*
 * The address in the section is that of the first nop: of the function itself, after its ENDBR64, or before the function,
 * if some nops are before it.
 */
static int patchable_place(const struct module *m, uintptr_t first, struct patch_place *p)
{
	const uint8_t *bytes = (const uint8_t *)first;

	if (call_place(m, first, p))
		return 1;
	for (size_t n = 0; n < 64 && module_code(m, first + n, ROOM); n++) {
		size_t one = nop_length(bytes + n);

		if (!one)
			return 0;
		n += one - 1;
		if (!tau_function_patched(first + n + 1))
			continue;
		p->function = p->at = first + n + 1;
		p->at += is_endbr(m, p->at) ? 4 : 0;
		return 1;
	}
	return 0;
}

/* Entry number i of a section; 0: it is not selected. */
static int place_get(const struct module *m, const struct section *s, size_t i,
		     struct patch_place *p)
{
	int64_t relative;
	uintptr_t at;

	if (s->kind == SITE_XRAY) {
		const uint8_t *row = s->begin + 32 * i;

		if (row[16] != 0 || row[18] != 2)	/* no entry, another version */
			return 0;
		memcpy(&relative, row, 8);
		at = (uintptr_t)row + (uintptr_t)relative;
		memcpy(&relative, row + 8, 8);
		*p = (struct patch_place){(uintptr_t)row + 8 + (uintptr_t)relative, at};
		return at - p->function < 16 && tau_function_patched(p->function);
	}
	memcpy(&at, s->begin + 8 * i, 8);
	return s->kind == SITE_PATCHABLE ? patchable_place(m, at, p) : call_place(m, at, p);
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

/* A page near the code with all pads; NULL: *reason counts why there is none. */
static uint8_t *pads_make(const struct module *m, size_t **reason)
{
	uintptr_t begin = UINTPTR_MAX, end = 0, first;
	void (*entry)(void) = patch_entry;
	uint8_t *page = NULL;
	long got;

	for (size_t i = 0; i < m->codes; i++) {
		begin = m->code[i].begin < begin ? m->code[i].begin : begin;
		end = m->code[i].end > end ? m->code[i].end : end;
	}
	first = (begin & ~(PAD_PAGE - 1)) - PAD_PAGE;
	*reason = &counts.far;
	for (uintptr_t step = 0; step < REACH && step < first && !page; step += 16 * PAD_PAGE) {
		got = kernel(SYS_mmap, (long)(first - step), PAD_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (got == (long)(first - step))
			page = (uint8_t *)got;
		else if (got > 0)
			kernel(SYS_munmap, got, PAD_PAGE, 0, 0, 0, 0);
	}
	if (!page)
		return NULL;
	memcpy(page, &entry, sizeof(entry));
	for (unsigned d = 0; d < PADS; d++)
		pad_write(page + 16 + 8 * d, d, page);
	if (end - (uintptr_t)page <= 0x7ff00000) {
		*reason = &counts.refused;
		if (!kernel(SYS_mprotect, (long)page, PAD_PAGE, PROT_READ | PROT_EXEC, 0, 0, 0))
			return page;
	}
	kernel(SYS_munmap, (long)page, PAD_PAGE, 0, 0, 0, 0);
	return NULL;
}

/* ---- patching ---- */

/* What may be replaced: nops, whole ones, or the jump over a nop that XRay has; 0: neither. */
static size_t room(const struct section *s, const uint8_t *at)
{
	static const uint8_t jump[] = {0xeb, 0x09};

	if (s->kind != SITE_XRAY)
		return nops(at, CALL);
	return !memcmp(at, jump, sizeof(jump)) && nop_length(at + 2) == 9 ? 11 : 0;
}

/* Bytes that are replaced, and what replaces them: a call, and nops of one byte in place of the rest. */
static size_t patch_bytes(const struct section *s, const struct patch_place *p, const uint8_t *pads,
			  uint8_t out[PATCH_MOST])
{
	const uint8_t *at = (const uint8_t *)p->at, *pad;
	size_t n = p->at + CALL - p->function, size = room(s, at);
	int32_t relative;

	if (size < CALL) {
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
	memset(out + CALL, 0x90, size - CALL);
	return size;
}

struct patch {
	uintptr_t at;
	uint8_t n, bytes[PATCH_MOST];
};

/*
 * Nothing of the module may be executed, and no function of others called, which may be in the module. A kernel that refuses to
 * execute what was written must do so before anything is: the first call asks for all three.
 */
static size_t patches_write(const struct code *code, const struct patch *patch, size_t n)
{
	uintptr_t begin = code->begin & ~(PAD_PAGE - 1),
		  end = (code->end + PAD_PAGE - 1) & ~(PAD_PAGE - 1);
	size_t written = 0;

	if (kernel(SYS_mprotect, (long)begin, (long)(end - begin),
		   PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (patch[i].at < code->begin || patch[i].at >= code->end)
			continue;
		for (size_t k = 0; k < patch[i].n; k++)
			((volatile uint8_t *)patch[i].at)[k] = patch[i].bytes[k];
		written++;
	}
	kernel(SYS_mprotect, (long)begin, (long)(end - begin), code->protection, 0, 0, 0);
	return written;
}

static void module_patch(const struct module *m)
{
	struct patch *patch;
	uint8_t *pads;
	size_t n = 0, most = 0, written = 0, bytes, *reason;
	struct patch_place p;

	for (size_t s = 0; s < m->sections; s++)
		most += places(&m->section[s]);
	bytes = (most + 1) * sizeof(*patch);
	patch = tau_map(bytes);
	if (!patch)
		return;
	pads = pads_make(m, &reason);
	for (size_t s = 0; s < m->sections; s++)
		for (size_t i = 0; i < places(&m->section[s]); i++) {
			if (!place_get(m, &m->section[s], i, &p) || !module_code(m, p.at, ROOM))
				continue;
			if (!pads) {
				++*reason;
				continue;
			}
			patch[n].n = (uint8_t)patch_bytes(&m->section[s], &p, pads, patch[n].bytes);
			patch[n].at = p.at;
			n += patch[n].n > 0;
		}
	for (size_t i = 0; n && i < m->codes; i++)
		written += patches_write(&m->code[i], patch, n);
	counts.patched += written;
	counts.refused += n - written;
	tau_unmap(patch, bytes);
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

static void reason_print(const char *what, size_t n, const char *why)
{
	char line[256];

	snprintf(line, sizeof(line), "%zu %s: %s", n, what, why);
	tau_print(line);
}

static void refusals_print(void)
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
			reason_print(all[i].n == 1 ? "function is not patched"
						   : "functions are not patched",
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
	*(void **)&patch_fentry_next = own_next("__fentry__");
	if (!why)
		dl_iterate_phdr(module_visit, NULL);
	tau_show();
	refusals_print();
	if (why)
		reason_print("functions are patched", 0, why);
	snprintf(number, sizeof(number), "%zu", counts.patched);
	tau_meta(TAU_META_PATCHED_FUNCTIONS, number);
}
