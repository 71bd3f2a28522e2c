/*
 * unwind.c: who called the code that a signal interrupted, from inside the handler.
 *
 * Each step takes the rules of the call frame information (cfi.c) for the code address where there are any, and the
 * frame pointer where there are none and it is sound. Everything here may run in a signal handler:
 * no lock, no allocation, no file. Modules are found with the loader's _dl_find_object, which takes no lock; call frame
 * information is read inside the module that it belongs to; stacks are read through the kernel, which refuses what is
 * not there. (libunwind would take the loader's lock, and keeps a pipe whose descriptors the program may have
 * closed and reused.)
 */
#include "record/sample/unwind.h"
#include "record/api.h"
#include "record/base/object.h"
#include "record/base/process.h"
#include "record/own/own.h"
#include "record/sample/cfi.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#if defined(__x86_64__)
/* DWARF's numbers of the registers (System V ABI, x86-64, figure 3.36). */
static void context_get(const ucontext_t *u, uint64_t reg[REGISTERS])
{
	static const int number[REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					      REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					      REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

	for (int i = 0; i < REGISTERS; i++)
		reg[i] = (uint64_t)u->uc_mcontext.gregs[number[i]];
}
#elif defined(__aarch64__)
static void context_get(const ucontext_t *u, uint64_t reg[REGISTERS])
{
	for (int i = 0; i < 31; i++)
		reg[i] = u->uc_mcontext.regs[i];
	reg[RSP] = u->uc_mcontext.sp;
	reg[RIP] = u->uc_mcontext.pc;
}
#elif defined(__riscv)
static void context_get(const ucontext_t *u, uint64_t reg[REGISTERS])
{
	for (int i = 1; i < 32; i++)
		reg[i] = u->uc_mcontext.__gregs[i];
	reg[0] = 0;
	reg[RIP] = u->uc_mcontext.__gregs[REG_PC];
}
#elif defined(__powerpc64__)
static void context_get(const ucontext_t *u, uint64_t reg[REGISTERS])
{
	memset(reg, 0, REGISTERS * sizeof(*reg));
	for (int i = 0; i < 32; i++)
		reg[i] = u->uc_mcontext.gp_regs[i];
	reg[LINK] = u->uc_mcontext.gp_regs[36];
	reg[RIP] = u->uc_mcontext.gp_regs[32];
}
#endif

#if defined(__aarch64__)
/* The address of code in a register or on the stack, without the signature that code may add (-mbranch-protection). */
static uint64_t code_of(uint64_t address)
{
	register uint64_t x30 __asm__("x30") = address;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri; nothing on processors that have no signatures */
	return x30;
}
#else
#define code_of(address) (address)
#endif

/* Where the frame that the frame pointer names has those of its caller: above it, or on RISC-V below. */
#if defined(__riscv)
enum { FRAME_NEXT = -16, FRAME_BACK = -8, FRAME_END = 0 };
#else
enum { FRAME_NEXT = 0, FRAME_BACK = 8, FRAME_END = 16 };
#endif

/* Reads of the stack: a copy of one page at a time, from its first byte that is wanted or a little before. */
struct unwind_memory {
	uint64_t at;
	size_t n;
	uint8_t bytes[2048];
};
#define BEFORE 256		/* the next read may be of a lower address in the same frame */

static bool memory_load(struct unwind_memory *m, uint64_t address, size_t n)
{
	m->at = address;
	m->n = memory_copy(m->bytes, address, n) ? n : 0;
	return m->n > 0;
}

static bool memory_get(struct unwind_memory *m, uint64_t address, uint64_t *out)
{
	uint64_t page = address & ~(uint64_t)4095, begin = address, end = page + 4096;

	if (address < m->at || address - m->at + 8 > m->n) {
		begin = begin - page > BEFORE ? begin - BEFORE : page;
		end = end - begin > sizeof(m->bytes) ? begin + sizeof(m->bytes) : end;
		if (address + 8 > end) {	/* across two pages */
			begin = address;
			end = address + 8;
		}
		if (!memory_load(m, begin, end - begin))
			return false;
	}
	memcpy(out, m->bytes + (address - m->at), 8);
	return true;
}

/* The operators with two operands, b below a. */
static bool evaluate_two(uint8_t op, uint64_t b, uint64_t a, uint64_t *out)
{
	switch (op) {
	case DW_AND: *out = b & a; return true;
	case DW_MINUS: *out = b - a; return true;
	case DW_MUL: *out = b * a; return true;
	case DW_OR: *out = b | a; return true;
	case DW_PLUS: *out = b + a; return true;
	case DW_SHL: *out = a < 64 ? b << a : 0; return true;
	case DW_SHR: *out = a < 64 ? b >> a : 0; return true;
	case DW_XOR: *out = b ^ a; return true;
	case DW_EQ: *out = b == a; return true;
	case DW_GE: *out = (int64_t)b >= (int64_t)a; return true;
	case DW_GT: *out = (int64_t)b > (int64_t)a; return true;
	case DW_LE: *out = (int64_t)b <= (int64_t)a; return true;
	case DW_LT: *out = (int64_t)b < (int64_t)a; return true;
	case DW_NE: *out = b != a; return true;
	default: return false;
	}
}

/* The operators that put a value on the stack. */
static bool evaluate_none(uint8_t op, struct cfi_reader *r, const uint64_t reg[REGISTERS],
			  uint64_t *out)
{
	if (op >= DW_LIT0 && op <= DW_LIT31) {
		*out = op - DW_LIT0;
		return true;
	}
	if (op >= DW_BREG0 && op <= DW_BREG31 && op - DW_BREG0 < REGISTERS) {
		*out = reg[op - DW_BREG0] + (uint64_t)cfi_sleb(r);
		return true;
	}
	switch (op) {
	case DW_CONST1U: *out = cfi_bytes(r, 1); return true;
	case DW_CONST1S: *out = (uint64_t)(int8_t)cfi_bytes(r, 1); return true;
	case DW_CONST2U: *out = cfi_bytes(r, 2); return true;
	case DW_CONST4U: *out = cfi_bytes(r, 4); return true;
	case DW_CONST4S: *out = (uint64_t)(int32_t)cfi_bytes(r, 4); return true;
	case DW_CONST8U:
	case DW_CONST8S: *out = cfi_bytes(r, 8); return true;
	case DW_CONSTU: *out = cfi_uleb(r); return true;
	case DW_CONSTS: *out = (uint64_t)cfi_sleb(r); return true;
	default: return false;
	}
}

/* A DWARF expression, of the operators that call frame information uses. start: the stack holds `first`. */
static bool evaluate(struct cfi_reader r, const uint64_t reg[REGISTERS], struct unwind_memory *m,
		     bool start, uint64_t first, uint64_t *out)
{
	uint64_t stack[16] = { first }, v;
	int n = start;

	while (!r.bad && r.p < r.end) {
		uint8_t op = (uint8_t)cfi_bytes(&r, 1);

		if (op == DW_OP_NOP)
			continue;
		if (evaluate_none(op, &r, reg, &v) ||
		    (op == DW_DUP && n && (v = stack[n - 1], true))) {
			if (n == (int)(sizeof(stack) / sizeof(*stack)))
				return false;
			stack[n++] = v;
		} else if (n > 1 && evaluate_two(op, stack[n - 2], stack[n - 1], &v)) {
			stack[--n - 1] = v;
		} else if (n && op == DW_DEREF) {
			if (!memory_get(m, stack[n - 1], &stack[n - 1]))
				return false;
		} else if (n && op == DW_PLUS_UCONST) {
			stack[n - 1] += cfi_uleb(&r);
		} else if (n && op == DW_DROP) {
			n--;
		} else {
			return false;
		}
	}
	*out = n ? stack[n - 1] : 0;
	return !r.bad && n;
}

/* The registers of the caller. */
static bool rules_apply(const struct unwind_program *p, uint64_t reg[REGISTERS],
			struct unwind_memory *m)
{
	const struct rules *r = &p->rules;
	uint64_t cfa, to[REGISTERS];

	if (r->cfa_register < REGISTERS)
		cfa = reg[r->cfa_register] + (uint64_t)r->cfa_offset;
	else if (!evaluate(r->cfa_expression, reg, m, false, 0, &cfa))
		return false;
	for (int i = 0; i < REGISTERS; i++) {
		uint64_t at = cfa + (uint64_t)r->value[i];
		bool good = true;

		to[i] = reg[i];
		switch (r->kind[i]) {
		case RULE_OFFSET: good = memory_get(m, at, &to[i]); break;
		case RULE_VALUE: to[i] = at; break;
		case RULE_REGISTER: to[i] = r->value[i] < REGISTERS ? reg[r->value[i]] : 0; break;
		case RULE_EXPRESSION:
			good = evaluate(r->expression[i], reg, m, true, cfa, &at) &&
			       memory_get(m, at, &to[i]);
			break;
		case RULE_VALUE_EXPRESSION:
			good = evaluate(r->expression[i], reg, m, true, cfa, &to[i]);
			break;
		default: break;
		}
		if (!good)
			return false;
	}
	if (r->kind[RSP] == RULE_SAME)
		to[RSP] = cfa;
	if (r->kind[p->return_register] == RULE_UNDEFINED)
		return false;
	to[RIP] = code_of(to[p->return_register]);
	/* The stack shrinks from frame to frame, except where a handler had a stack of its own. */
	if (to[RSP] <= reg[RSP] && !p->signal && to[RIP] == reg[RIP])
		return false;
	memcpy(reg, to, sizeof(to));
	return true;
}

/* ---- steps ---- */

/* The frame pointer is valid if it is above the stack pointer and points at another one above, and at code. */
static bool frame_step(uint64_t reg[REGISTERS], struct unwind_memory *m)
{
	struct dl_find_object o;
	uint64_t fp = reg[RBP], next, back;

	if (fp < reg[RSP] || fp & 7 || !memory_get(m, fp + FRAME_NEXT, &next) ||
	    !memory_get(m, fp + FRAME_BACK, &back))
		return false;
	back = code_of(back);
	if ((next && next <= fp) || !object_at(back - 1, &o))
		return false;
	reg[RBP] = next;
	reg[RSP] = fp + FRAME_END;
	reg[RIP] = back;
	return true;
}

size_t unwind(const void *context, uint64_t *pc, uint64_t *sp, size_t most)
{
	uint64_t reg[REGISTERS];
	struct unwind_memory m;
	struct unwind_program p;
	size_t n = 0;
	bool exact = true;	/* the address is of the next instruction, not a return address */

	m.n = 0;
	context_get(context, reg);
	while (n < most && reg[RIP]) {
		struct dl_find_object o;
		uint64_t at = reg[RIP] - !exact;

		/* A reader takes all but the innermost address as return addresses. */
		sp[n] = reg[RSP];
		pc[n] = reg[RIP] + (exact && n);
		n++;
		if (n == most)
			break;
		p.signal = false;
		if (object_at(at, &o) && o.dlfo_eh_frame &&
		    cfi_find(&p, o.dlfo_map_start, o.dlfo_map_end, o.dlfo_eh_frame, at)) {
			if (!rules_apply(&p, reg, &m))
				break;
		} else if (!frame_step(reg, &m)) {
			break;
		}
		exact = p.signal;
	}
	return n;
}

/* ---- what a wrapper needs that walks stacks itself ---- */

/* Is the CFA "the word at the frame pointer plus n", as in functions that align their stack? */
static bool by_frame_word(struct cfi_reader r, bool deref, int32_t *offset)
{
	if (cfi_bytes(&r, 1) != DW_BREG0 + RBP)
		return false;
	*offset = (int32_t)cfi_sleb(&r);
	if (deref && cfi_bytes(&r, 1) != DW_DEREF)
		return false;
	return !r.bad && r.p == r.end;
}

static bool frame_simplify(const struct unwind_program *p, struct tau_frame *f)
{
	const struct rules *r = &p->rules;
	uint64_t back = p->return_register;

	if (p->signal || r->kind[RSP] != RULE_SAME)
		return false;
	if (r->kind[back] == RULE_UNDEFINED) {
		f->how = TAU_FRAME_LAST;
		return true;
	}
	f->back = (int32_t)r->value[back];
	f->cfa = (int32_t)r->cfa_offset;
	f->frame_pointer = (int32_t)r->value[RBP];
	if (r->kind[back] != RULE_OFFSET || f->back != r->value[back])
		return false;
	if (r->cfa_register == REGISTERS) {
		f->how = TAU_FRAME_ALIGNED;
		return r->kind[RBP] == RULE_EXPRESSION &&
		       by_frame_word(r->cfa_expression, true, &f->cfa) &&
		       by_frame_word(r->expression[RBP], false, &f->frame_pointer);
	}
	if (f->cfa != r->cfa_offset || f->frame_pointer != r->value[RBP] ||
	    (r->cfa_register != RSP && r->cfa_register != RBP))
		return false;
	if (r->kind[RBP] == RULE_OFFSET)
		f->how = r->cfa_register == RSP ? TAU_FRAME_STACK_SAVED : TAU_FRAME_POINTER_SAVED;
	else
		f->how = r->cfa_register == RSP ? TAU_FRAME_STACK : TAU_FRAME_POINTER;
	return r->kind[RBP] == RULE_OFFSET || r->kind[RBP] == RULE_SAME ||
	       r->kind[RBP] == RULE_UNDEFINED;
}

int tau_frame_up(uintptr_t *pc, uintptr_t *sp, uintptr_t *fp)
{
	struct tau_frame f;
	bool fixed;
	uintptr_t end;

	tau_frame(*pc, &f);
	fixed = f.how == TAU_FRAME_STACK || f.how == TAU_FRAME_STACK_SAVED;
	if (!fixed && f.how != TAU_FRAME_POINTER && f.how != TAU_FRAME_POINTER_SAVED)
		return 0;
	end = (fixed ? *sp : *fp) + (uintptr_t)(intptr_t)f.cfa;
	/* The stack grows down, so a caller's frame is above. */
	if (end <= *sp || end - *sp > 1 << 20 || end % 8)
		return 0;
	memcpy(pc, (const void *)(end + (uintptr_t)(intptr_t)f.back), sizeof(*pc));
	if (f.how == TAU_FRAME_STACK_SAVED || f.how == TAU_FRAME_POINTER_SAVED)
		memcpy(fp, (const void *)(end + (uintptr_t)(intptr_t)f.frame_pointer), sizeof(*fp));
	*sp = end;
	return fixed ? 2 : 1;
}

void tau_frame(uintptr_t pc, struct tau_frame *out)
{
	struct dl_find_object o;
	struct unwind_program p;

	*out = (struct tau_frame){.how = TAU_FRAME_UNKNOWN};
	if ((!objects_there() && !objects_start()) || !object_at(pc - 1, &o))
		return;
	if (!o.dlfo_eh_frame)
		*out = (struct tau_frame){TAU_FRAME_POINTER_SAVED, 16, -16, -8};
	else if (!cfi_find(&p, o.dlfo_map_start, o.dlfo_map_end, o.dlfo_eh_frame, pc - 1))
		/* Where a function begins there no call returns: the stack was made by hand, as for a coroutine. */
		*out = cfi_find(&p, o.dlfo_map_start, o.dlfo_map_end, o.dlfo_eh_frame, pc)
			       ? (struct tau_frame){.how = TAU_FRAME_LAST}
			       : (struct tau_frame){TAU_FRAME_POINTER_SAVED, 16, -16, -8};
	else if (!frame_simplify(&p, out))
		out->how = TAU_FRAME_UNKNOWN;
}
