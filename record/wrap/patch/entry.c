/*
 * entry.c: what runs where a patched function begins and when it returns.
 *
 * At the entry the function's return address is replaced by patch_return. The address that was there is kept at
 * MIRROR, the address of the slot on the stack with bit 45 changed. So it belongs to the place on the stack, not to a
 * thread: after longjmp(), and on the stacks of coroutines and signal handlers, each function finds its own. Unwinders
 * find it, too: the call frame information of patch_return describes this as a DWARF expression. The frame is marked as
 * one of a signal, because otherwise it and its caller have the same canonical frame address, by which the C++ runtime
 * identifies the frame of a handler. The address that such a frame returns to is looked up as it is, not one byte before,
 * so one is subtracted.
 *
 * Everything here uses general registers only, and restores all of them: the compiler may know of a local function which
 * registers it leaves alone.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "tau.h"
#include "entry.h"
#include "kernel.h"
#include "own/own.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define MIRROR(slot) ((uintptr_t *)((uintptr_t)(slot) ^ 1ul << 45))

void patch_return(void) HIDDEN;
void patch_entered(uintptr_t function, uintptr_t *slot) HIDDEN;
uintptr_t patch_left(uintptr_t *slot) HIDDEN;
int patch_fentered(uintptr_t after, uintptr_t *slot) HIDDEN;

#define PUSH(r) "	pushq %" r "\n	.cfi_adjust_cfa_offset 8\n"
#define POP(r) "	popq %" r "\n	.cfi_adjust_cfa_offset -8\n"
#define SAVE                                                                                       \
	PUSH("rax") PUSH("rcx") PUSH("rdx") PUSH("rsi") PUSH("rdi")                                \
	PUSH("r8") PUSH("r9") PUSH("r10") PUSH("r11")
#define RESTORE                                                                                    \
	POP("r11") POP("r10") POP("r9") POP("r8")                                                  \
	POP("rdi") POP("rsi") POP("rdx") POP("rcx") POP("rax")
#define FUNCTION(name, scope)							\
	"	.globl " name "\n" scope					\
	"	.type " name ", @function\n"					\
	"	.p2align 4\n" name ":\n"

__asm__(".text\n"
	FUNCTION("patch_entry", "	.hidden patch_entry\n")
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n"
	SAVE
	"	movq 80(%rsp), %rdi\n"
	"	subq 72(%rsp), %rdi\n"
	"	leaq 88(%rsp), %rsi\n"
	"	call patch_entered\n"
	RESTORE
	"	leaq 8(%rsp), %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size patch_entry, . - patch_entry\n"

	FUNCTION("__fentry__", "")
	"	.cfi_startproc\n"
	"	pushq $0\n"
	"	.cfi_adjust_cfa_offset 8\n"
	SAVE
	"	movq 80(%rsp), %rdi\n"
	"	leaq 88(%rsp), %rsi\n"
	"	call patch_fentered\n"
	"	testl %eax, %eax\n"
	RESTORE
	"	leaq 8(%rsp), %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	jmp *patch_fentry_next(%rip)\n"
	"	.cfi_endproc\n"
	"	.size __fentry__, . - __fentry__\n"

	/* The byte before patch_return is looked up as that of the call. */
	"	.p2align 4\n"
	"	.cfi_startproc\n"
	"	.cfi_signal_frame\n"
	"	.cfi_def_cfa %rsp, 0\n"
	/* the return address: *((CFA - 8) ^ 1 << 45) - 1 */
	"	.cfi_escape 0x16, 0x10, 0x0a, 0x38, 0x1c, 0x31, 0x08, 0x2d, 0x24, 0x27, 0x06, "
	"0x31, 0x1c\n"
	"	nop\n"
	"	.globl patch_return\n"
	"	.hidden patch_return\n"
	"	.type patch_return, @function\n"
	"patch_return:\n"
	"	leaq -8(%rsp), %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	SAVE
	"	leaq 72(%rsp), %rdi\n"
	"	call patch_left\n"
	"	movq %rax, 72(%rsp)\n"
	RESTORE
	"	leaq 8(%rsp), %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	/* Below the stack pointer, where no signal handler writes; the processor's stack of returns stays right. */
	"	jmp *-8(%rsp)\n"
	"	.cfi_endproc\n"
	"	.size patch_return, . - patch_return\n");

/* ---- mirrors ---- */

#define CHUNK_SHIFT 20
#define CHUNK (1ul << CHUNK_SHIFT)
#define CHUNKS 16384
#define PROBES 64	/* places that are looked at in one table */
#define WAITS (1 << 24)	/* looks, with pauses, while another thread maps: it may have to wait for a processor */

/* Chunks of addresses by their numbers, << 2 | state; 0: free. */
enum { CHUNK_MAPPING = 1, CHUNK_THERE, CHUNK_BAD };
static uint64_t chunks[CHUNKS];
/* The chunk that the thread used last. */
static __thread uintptr_t near __attribute__((tls_model("initial-exec"))) = 1;
/* The thread maps a chunk. A signal handler that interrupts it must not wait for that. */
static __thread bool maps __attribute__((tls_model("initial-exec")));

static uint64_t chunk_map(uintptr_t slot)
{
	uintptr_t at = (uintptr_t)MIRROR(slot) & ~(CHUNK - 1);
	long got = kernel(SYS_mmap, (long)at, CHUNK, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == (long)at)
		return CHUNK_THERE;
	if (got > 0)
		kernel(SYS_munmap, got, CHUNK, 0, 0, 0, 0);
	return CHUNK_BAD;
}

/* Is there a mirror of this slot? */
static __attribute__((noinline)) bool mirror_find(uintptr_t slot)
{
	uint64_t number = slot >> CHUNK_SHIFT, state;

	for (size_t i = 0; i < PROBES; i++) {
		uint64_t *c = &chunks[((number * 0x9e3779b97f4a7c15u >> 40) + i) & (CHUNKS - 1)];
		uint64_t free = 0;
		uint64_t is = __atomic_load_n(c, __ATOMIC_ACQUIRE);

		if (!is && __atomic_compare_exchange_n(c, &free, number << 2 | CHUNK_MAPPING, false,
						       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			maps = true;
			state = chunk_map(slot);
			maps = false;
			__atomic_store_n(c, number << 2 | state, __ATOMIC_RELEASE);
			is = number << 2 | state;
		} else if (!is) {
			is = free;
		}
		if (is >> 2 != number)
			continue;
		for (int wait = 0; (is & 3) == CHUNK_MAPPING && !maps && wait < WAITS; wait++) {
			cpu_pause();
			is = __atomic_load_n(c, __ATOMIC_ACQUIRE);
		}
		if ((is & 3) != CHUNK_THERE)
			return false;
		near = slot & ~(CHUNK - 1);
		return true;
	}
	return false;
}

/* ---- entering and leaving ---- */

void patch_entered(uintptr_t function, uintptr_t *slot)
{
	if (!tau_function_enter(function, (uintptr_t)slot))
		return;
	/* Called in tail position of a patched function: both return at once. */
	if (*slot == (uintptr_t)patch_return)
		return;
	if ((uintptr_t)slot - near >= CHUNK && !mirror_find((uintptr_t)slot)) {
		tau_function_leave((uintptr_t)slot);
		return;
	}
	*MIRROR(slot) = *slot;
	*slot = (uintptr_t)patch_return;
}

uintptr_t patch_left(uintptr_t *slot)
{
	tau_function_leave((uintptr_t)slot);
	return *MIRROR(slot);
}

/* ---- calls of __fentry__() ---- */

void (*patch_fentry_next)(void);

/* Where a call returns << 8 | bytes from the function's address to there; NOT_SELECTED: no function. 0: free. */
#define SITES 65536
#define NOT_SELECTED 255
static uint64_t site[SITES];

static const uint8_t endbr[4] = {0xf3, 0x0f, 0x1e, 0xfa};

static bool bytes_are(const uint8_t *at, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] != bytes[i])
			return false;
	return true;
}

/* The function that begins with the call, or with ENDBR64 and the call: selected? 0: no. */
static uintptr_t selected(uintptr_t call)
{
	if (tau_function_patched(call))
		return call;
	if (bytes_are((const uint8_t *)call - 4, endbr, 4) && tau_function_patched(call - 4))
		return call - 4;
	return 0;
}

/* A call has 5 bytes, or 6 where it goes through a table or the linker has made it shorter. */
static __attribute__((noinline)) uint64_t site_find(uintptr_t after)
{
	static const uint8_t table[2] = {0xff, 0x15}, shorter[2] = {0x67, 0xe8};
	const uint8_t *six = (const uint8_t *)after - 6;
	bool long_call = bytes_are(six, table, 2) || bytes_are(six, shorter, 2);
	uintptr_t function = selected(after - (long_call ? 6 : 5));

	return after << 8 | (function ? after - function : NOT_SELECTED);
}

/* What is found before the recorder has begun may be otherwise then, so it is not kept. */
static inline uint64_t site_of(uintptr_t after)
{
	uint64_t *at = NULL, is;

	for (size_t i = 0; i < PROBES; i++) {
		at = &site[((after ^ after >> 16) + i) & (SITES - 1)];
		is = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (is >> 8 == after)
			return is;
		if (!is)
			break;
	}
	is = site_find(after);
	if (tau_active())
		__atomic_store_n(at, is, __ATOMIC_RELAXED);
	return is;
}

int patch_fentered(uintptr_t after, uintptr_t *slot)
{
	uint64_t is = site_of(after);

	if ((is & 255) == NOT_SELECTED)
		return !patch_fentry_next;
	patch_entered(after - (is & 255), slot);
	return 1;
}
