/*
 * unwind.c: who called the code that a signal interrupted, from inside the handler.
 *
 * Each step takes the rules of the call frame information (.eh_frame, DWARF 5 section 6.4) for the code address where
 * there are any, and the frame pointer where there are none and it is sound. Everything here may run in a signal handler:
 * no lock, no allocation, no file. Modules are found with the loader's _dl_find_object, which takes no lock; call frame
 * information is read inside the module that it belongs to; stacks are read through the kernel, which refuses what is
 * not there. (libunwind would take the loader's lock, and keeps a pipe whose descriptors the program may have
 * closed and reused.)
 */
#include "core.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { REGISTERS = 17, RBP = 6, RSP = 7, RIP = 16 };

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
enum { REGISTERS = 33, RBP = 29, RSP = 31, RIP = 32 };

static void context_get(const ucontext_t *u, uint64_t reg[REGISTERS])
{
	for (int i = 0; i < 31; i++)
		reg[i] = u->uc_mcontext.regs[i];
	reg[RSP] = u->uc_mcontext.sp;
	reg[RIP] = u->uc_mcontext.pc;
}
#endif

/* Reads of the stack: a copy of one page at a time, from its first byte that is wanted or a little before. */
struct memory {
	uint64_t at;
	size_t n;
	uint8_t bytes[2048];
};
#define BEFORE 256		/* the next read may be of a lower address in the same frame */

static bool memory_load(struct memory *m, uint64_t address, size_t n)
{
	struct iovec to = { m->bytes, n }, from = { (void *)address, n };

	m->at = address;
	m->n = 0;
	if (syscall(SYS_process_vm_readv, (long)process.pid, &to, 1L, &from, 1L, 0L) != (long)n)
		return false;
	m->n = n;
	return true;
}

static bool memory_get(struct memory *m, uint64_t address, uint64_t *out)
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

/* ---- call frame information ---- */

/* Bytes of a module. After a read beyond the end everything is 0 and `bad` is set. */
struct reader {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t read_bytes(struct reader *r, size_t n)
{
	uint64_t v = 0;

	if (r->bad || (size_t)(r->end - r->p) < n) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->p, n);
	r->p += n;
	return v;
}

static uint64_t read_uleb(struct reader *r)
{
	uint64_t v = 0, b = 0x80;

	for (unsigned shift = 0; b & 0x80; shift += 7) {
		b = read_bytes(r, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
	}
	return v;
}

static int64_t read_sleb(struct reader *r)
{
	uint64_t v = 0, b = 0x80;
	unsigned shift = 0;

	while (b & 0x80) {
		b = read_bytes(r, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	}
	if (shift < 64 && b & 0x40)
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

/* A value in one of the encodings DW_EH_PE_*: low 4 bits the form, next 3 what it is relative to. */
static uint64_t read_encoded(struct reader *r, uint8_t encoding, uint64_t data)
{
	uint64_t at = (uint64_t)r->p, v;

	switch (encoding & 15) {
	case 0: case 4: case 12: v = read_bytes(r, 8); break;
	case 1: v = read_uleb(r); break;
	case 2: v = read_bytes(r, 2); break;
	case 3: v = read_bytes(r, 4); break;
	case 9: v = (uint64_t)read_sleb(r); break;
	case 10: v = (uint64_t)(int16_t)read_bytes(r, 2); break;
	case 11: v = (uint64_t)(int32_t)read_bytes(r, 4); break;
	default: r->bad = true; return 0;
	}
	switch (encoding & 0x70) {
	case 0: return v;
	case 0x10: return at + v;
	case 0x30: return data + v;
	default: r->bad = true; return 0;
	}
}

enum rule {
	RULE_SAME,
	RULE_UNDEFINED,
	RULE_OFFSET,
	RULE_VALUE,
	RULE_REGISTER,
	RULE_EXPRESSION,
	RULE_VALUE_EXPRESSION
};

struct rules {
	uint8_t kind[REGISTERS];	/* enum rule */
	int64_t value[REGISTERS];	/* offset from the CFA, or register */
	struct reader expression[REGISTERS];
	uint64_t cfa_register;		/* REGISTERS: by expression */
	int64_t cfa_offset;
	struct reader cfa_expression;
};

/* Instructions (DWARF 5 section 7.24); the three with an operand in their low 6 bits are told apart by the others. */
enum cfa_instruction {
	CFA_NOP = 0x00, CFA_SET_LOC = 0x01, CFA_ADVANCE_1 = 0x02, CFA_ADVANCE_4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05, CFA_RESTORE_EXTENDED = 0x06, CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08, CFA_REGISTER = 0x09, CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b, CFA_DEF_CFA = 0x0c, CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e, CFA_DEF_CFA_EXPRESSION = 0x0f, CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11, CFA_DEF_CFA_SF = 0x12, CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15, CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2e,
};
/* Operators of expressions (section 7.7.1) that call frame information uses. */
enum dw_operator {
	DW_DEREF = 0x06, DW_CONST1U = 0x08, DW_CONST1S = 0x09, DW_CONST2U = 0x0a,
	DW_CONST4U = 0x0c, DW_CONST4S = 0x0d, DW_CONST8U = 0x0e, DW_CONST8S = 0x0f,
	DW_CONSTU = 0x10, DW_CONSTS = 0x11, DW_DUP = 0x12, DW_DROP = 0x13, DW_AND = 0x1a,
	DW_MINUS = 0x1c, DW_MUL = 0x1e, DW_OR = 0x21, DW_PLUS = 0x22, DW_PLUS_UCONST = 0x23,
	DW_SHL = 0x24, DW_SHR = 0x25, DW_XOR = 0x27, DW_EQ = 0x29, DW_GE = 0x2a, DW_GT = 0x2b,
	DW_LE = 0x2c, DW_LT = 0x2d, DW_NE = 0x2e, DW_LIT0 = 0x30, DW_LIT31 = 0x4f,
	DW_BREG0 = 0x70, DW_BREG31 = 0x8f, DW_OP_NOP = 0x96,
};

/* What a CIE says, and the state of running its program and that of an FDE. */
struct program {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;
	bool augmented, signal;
	uint64_t return_register;
	struct reader initial;
	struct rules rules, first, kept[4];
	int kept_n;
};

static struct reader read_block(struct reader *r)
{
	uint64_t n = read_uleb(r);
	struct reader b = { r->p, r->p + n, r->bad };

	if (r->bad || (uint64_t)(r->end - r->p) < n)
		r->bad = b.bad = true;
	else
		r->p += n;
	return b;
}

static void rule_set(struct program *p, uint64_t reg, enum rule kind, int64_t value)
{
	if (reg < REGISTERS) {
		p->rules.kind[reg] = kind;
		p->rules.value[reg] = value;
	}
}

static void rule_restore(struct program *p, uint64_t reg)
{
	if (reg < REGISTERS) {
		p->rules.kind[reg] = p->first.kind[reg];
		p->rules.value[reg] = p->first.value[reg];
		p->rules.expression[reg] = p->first.expression[reg];
	}
}

static void rule_expression(struct program *p, struct reader *r, enum rule kind)
{
	uint64_t reg = read_uleb(r);
	struct reader b = read_block(r);

	rule_set(p, reg, kind, 0);
	if (reg < REGISTERS)
		p->rules.expression[reg] = b;
}

/* The instructions DW_CFA_* that are no advance of the location. */
static void rule_run(struct program *p, struct reader *r, uint8_t op)
{
	uint64_t reg;

	if (op >> 6 == 2) {
		rule_set(p, op & 63, RULE_OFFSET, (int64_t)read_uleb(r) * p->data_align);
		return;
	}
	if (op >> 6 == 3) {
		rule_restore(p, op & 63);
		return;
	}
	switch (op) {
	case CFA_NOP: break;
	case CFA_OFFSET_EXTENDED:
		reg = read_uleb(r);
		rule_set(p, reg, RULE_OFFSET, (int64_t)read_uleb(r) * p->data_align);
		break;
	case CFA_RESTORE_EXTENDED: rule_restore(p, read_uleb(r)); break;
	case CFA_UNDEFINED: rule_set(p, read_uleb(r), RULE_UNDEFINED, 0); break;
	case CFA_SAME_VALUE: rule_set(p, read_uleb(r), RULE_SAME, 0); break;
	case CFA_REGISTER:
		reg = read_uleb(r);
		rule_set(p, reg, RULE_REGISTER, (int64_t)read_uleb(r));
		break;
	case CFA_REMEMBER_STATE:
		if (p->kept_n == (int)(sizeof(p->kept) / sizeof(*p->kept)))
			r->bad = true;
		else
			p->kept[p->kept_n++] = p->rules;
		break;
	case CFA_RESTORE_STATE:
		if (!p->kept_n)
			r->bad = true;
		else
			p->rules = p->kept[--p->kept_n];
		break;
	case CFA_DEF_CFA:
		p->rules.cfa_register = read_uleb(r);
		p->rules.cfa_offset = (int64_t)read_uleb(r);
		break;
	case CFA_DEF_CFA_REGISTER: p->rules.cfa_register = read_uleb(r); break;
	case CFA_DEF_CFA_OFFSET: p->rules.cfa_offset = (int64_t)read_uleb(r); break;
	case CFA_DEF_CFA_EXPRESSION:
		p->rules.cfa_register = REGISTERS;
		p->rules.cfa_expression = read_block(r);
		break;
	case CFA_EXPRESSION: rule_expression(p, r, RULE_EXPRESSION); break;
	case CFA_OFFSET_EXTENDED_SF:
		reg = read_uleb(r);
		rule_set(p, reg, RULE_OFFSET, read_sleb(r) * p->data_align);
		break;
	case CFA_DEF_CFA_SF:
		p->rules.cfa_register = read_uleb(r);
		p->rules.cfa_offset = read_sleb(r) * p->data_align;
		break;
	case CFA_DEF_CFA_OFFSET_SF: p->rules.cfa_offset = read_sleb(r) * p->data_align; break;
	case CFA_VAL_OFFSET:
		reg = read_uleb(r);
		rule_set(p, reg, RULE_VALUE, (int64_t)read_uleb(r) * p->data_align);
		break;
	case CFA_VAL_OFFSET_SF:
		reg = read_uleb(r);
		rule_set(p, reg, RULE_VALUE, read_sleb(r) * p->data_align);
		break;
	case CFA_VAL_EXPRESSION: rule_expression(p, r, RULE_VALUE_EXPRESSION); break;
	case CFA_GNU_ARGS_SIZE: read_uleb(r); break;
	default: r->bad = true; break;
	}
}

/* Runs a program from location `at` up to, and not beyond, pc. */
static bool program_run(struct program *p, struct reader r, uint64_t at, uint64_t pc)
{
	while (!r.bad && r.p < r.end) {
		uint8_t op = (uint8_t)read_bytes(&r, 1);

		if (op >> 6 == 1)
			at += (op & 63) * p->code_align;
		else if (op == CFA_SET_LOC)
			at = read_encoded(&r, p->encoding, 0);
		else if (op >= CFA_ADVANCE_1 && op <= CFA_ADVANCE_4)
			at += read_bytes(&r, (size_t)1 << (op - 2)) * p->code_align;
		else
			rule_run(p, &r, op);
		if (at > pc)
			break;
	}
	return !r.bad;
}

/* A CIE (version 1 or 3) with augmentation "" or "z...". */
static bool cie_read(struct program *p, const uint8_t *at, const uint8_t *end)
{
	struct reader r = { at, end, false };
	uint64_t length = read_bytes(&r, 4), augmentation_n;
	const char *augmentation;
	uint8_t version;

	if (r.bad || length > (uint64_t)(end - r.p) || read_bytes(&r, 4) != 0)
		return false;
	r.end = at + 4 + length;
	version = (uint8_t)read_bytes(&r, 1);
	augmentation = (const char *)r.p;
	while (read_bytes(&r, 1))
		;
	if (r.bad || (version != 1 && version != 3) || (*augmentation && *augmentation != 'z'))
		return false;
	p->code_align = read_uleb(&r);
	p->data_align = read_sleb(&r);
	p->return_register = version == 1 ? read_bytes(&r, 1) : read_uleb(&r);
	p->augmented = *augmentation;
	augmentation_n = p->augmented ? read_uleb(&r) : 0;
	p->initial = r;
	p->initial.p += augmentation_n <= (uint64_t)(r.end - r.p) ? augmentation_n : 0;
	for (const char *c = augmentation + p->augmented; p->augmented && *c; c++) {
		if (*c == 'R')
			p->encoding = (uint8_t)read_bytes(&r, 1);
		else if (*c == 'L')
			read_bytes(&r, 1);
		else if (*c == 'P')
			read_encoded(&r, (uint8_t)read_bytes(&r, 1) & 0x7f, 0);
		else if (*c == 'S')
			p->signal = true;
		else
			return false;
	}
	return !r.bad && p->return_register < REGISTERS;
}

/* The FDE that the table of .eh_frame_hdr has for pc, NULL: none. Table: pairs of 32 bits relative to the header. */
static const uint8_t *fde_find(const uint8_t *header, const uint8_t *end, uint64_t pc)
{
	struct reader r = { header, end, false };
	uint32_t head = (uint32_t)read_bytes(&r, 4), low = 0, high;
	int64_t want = (int64_t)(pc - (uint64_t)header);
	int32_t pair[2];

	if ((head & 0xff) != 1 || head >> 24 != 0x3b)
		return NULL;
	read_encoded(&r, (uint8_t)(head >> 8), (uint64_t)header);
	high = (uint32_t)read_encoded(&r, (uint8_t)(head >> 16), (uint64_t)header);
	if (r.bad || high > (uint64_t)(end - r.p) / 8)
		return NULL;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		memcpy(pair, r.p + 8 * (size_t)middle, 8);
		if (pair[0] <= want)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	memcpy(pair, r.p + 8 * (size_t)(low - 1), 8);
	return header + pair[1];
}

/* The rules that hold at pc, by the information at `header` of a module that spans [begin, end). */
static bool rules_find(struct program *p, const uint8_t *begin, const uint8_t *end,
		       const uint8_t *header, uint64_t pc)
{
	const uint8_t *fde = fde_find(header, end, pc), *cie;
	struct reader r = { fde, end, false };
	uint64_t length, back, low, range, n;

	memset(p, 0, offsetof(struct program, first));
	if (!fde || fde < begin || fde >= end)
		return false;
	length = read_bytes(&r, 4);
	if (r.bad || length >= 0xfffffff0u || length > (uint64_t)(end - r.p))
		return false;
	r.end = r.p + length;
	cie = r.p;
	back = read_bytes(&r, 4);
	if (!back || back > (uint64_t)(cie - begin) || !cie_read(p, cie - back, end))
		return false;
	low = read_encoded(&r, p->encoding, 0);
	range = read_encoded(&r, p->encoding & 15, 0);
	if (r.bad || pc < low || pc - low >= range)
		return false;
	n = p->augmented ? read_uleb(&r) : 0;
	if (r.bad || n > (uint64_t)(r.end - r.p))
		return false;
	r.p += n;
	p->kept_n = 0;
	if (!program_run(p, p->initial, 0, UINT64_MAX))
		return false;
	p->first = p->rules;
	return program_run(p, r, low, pc);
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
static bool evaluate_none(uint8_t op, struct reader *r, const uint64_t reg[REGISTERS],
			  uint64_t *out)
{
	if (op >= DW_LIT0 && op <= DW_LIT31) {
		*out = op - DW_LIT0;
		return true;
	}
	if (op >= DW_BREG0 && op <= DW_BREG31 && op - DW_BREG0 < REGISTERS) {
		*out = reg[op - DW_BREG0] + (uint64_t)read_sleb(r);
		return true;
	}
	switch (op) {
	case DW_CONST1U: *out = read_bytes(r, 1); return true;
	case DW_CONST1S: *out = (uint64_t)(int8_t)read_bytes(r, 1); return true;
	case DW_CONST2U: *out = read_bytes(r, 2); return true;
	case DW_CONST4U: *out = read_bytes(r, 4); return true;
	case DW_CONST4S: *out = (uint64_t)(int32_t)read_bytes(r, 4); return true;
	case DW_CONST8U:
	case DW_CONST8S: *out = read_bytes(r, 8); return true;
	case DW_CONSTU: *out = read_uleb(r); return true;
	case DW_CONSTS: *out = (uint64_t)read_sleb(r); return true;
	default: return false;
	}
}

/* A DWARF expression, of the operators that call frame information uses. start: the stack holds `first`. */
static bool evaluate(struct reader r, const uint64_t reg[REGISTERS], struct memory *m, bool start,
		     uint64_t first, uint64_t *out)
{
	uint64_t stack[16] = { first }, v;
	int n = start;

	while (!r.bad && r.p < r.end) {
		uint8_t op = (uint8_t)read_bytes(&r, 1);

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
			stack[n - 1] += read_uleb(&r);
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
static bool rules_apply(const struct program *p, uint64_t reg[REGISTERS], struct memory *m)
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
	to[RIP] = to[p->return_register];
	/* The stack shrinks from frame to frame, except where a handler had a stack of its own. */
	if (to[RSP] <= reg[RSP] && !p->signal && to[RIP] == reg[RIP])
		return false;
	memcpy(reg, to, sizeof(to));
	return true;
}

/* ---- steps ---- */

static int (*find_object)(void *address, struct dl_find_object *out);

bool unwind_start(void)
{
	*(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
	return find_object != NULL;
}

bool unwind_object(uint64_t address, struct dl_find_object *out)
{
	return find_object && find_object((void *)address, out) == 0;
}

/* The frame pointer is sound when it lies above the stack pointer and points at another one above, and at code. */
static bool frame_step(uint64_t reg[REGISTERS], struct memory *m)
{
	struct dl_find_object o;
	uint64_t fp = reg[RBP], next, back;

	if (fp < reg[RSP] || fp & 7 || !memory_get(m, fp, &next) || !memory_get(m, fp + 8, &back))
		return false;
	if ((next && next <= fp) || !unwind_object(back - 1, &o))
		return false;
	reg[RBP] = next;
	reg[RSP] = fp + 16;
	reg[RIP] = back;
	return true;
}

size_t unwind(const void *context, uint64_t *pc, size_t most)
{
	uint64_t reg[REGISTERS];
	struct memory m;
	struct program p;
	size_t n = 0;
	bool exact = true;	/* the address is of an instruction to be executed next, not of one behind a call */

	m.n = 0;
	context_get(context, reg);
	while (n < most && reg[RIP]) {
		struct dl_find_object o;
		uint64_t at = reg[RIP] - !exact;

		/* A reader takes all but the innermost address for the place behind a call. */
		pc[n] = reg[RIP] + (exact && n);
		n++;
		if (n == most)
			break;
		p.signal = false;
		if (unwind_object(at, &o) && o.dlfo_eh_frame &&
		    rules_find(&p, o.dlfo_map_start, o.dlfo_map_end, o.dlfo_eh_frame, at)) {
			if (!rules_apply(&p, reg, &m))
				break;
		} else if (!frame_step(reg, &m)) {
			break;
		}
		exact = p.signal;
	}
	return n;
}
