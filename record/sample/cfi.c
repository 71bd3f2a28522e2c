/*
 * cfi.c: reads the call frame information (.eh_frame, DWARF 5 section 6.4) of a module in memory: the rules by which the
 * caller's registers follow from the callee's at one address of code. No lock, no allocation, and no trust.
 */
#include "record/sample/cfi.h"

#include <string.h>

uint64_t cfi_bytes(struct cfi_reader *r, size_t n)
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

uint64_t cfi_uleb(struct cfi_reader *r)
{
	uint64_t v = 0, b = 0x80;

	for (unsigned shift = 0; b & 0x80; shift += 7) {
		b = cfi_bytes(r, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
	}
	return v;
}

int64_t cfi_sleb(struct cfi_reader *r)
{
	uint64_t v = 0, b = 0x80;
	unsigned shift = 0;

	while (b & 0x80) {
		b = cfi_bytes(r, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	}
	if (shift < 64 && b & 0x40)
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

/* A value in one of the encodings DW_EH_PE_*: low 4 bits the form, next 3 what it is relative to. */
static uint64_t read_encoded(struct cfi_reader *r, uint8_t encoding, uint64_t data)
{
	uint64_t at = (uint64_t)r->p, v;

	switch (encoding & 15) {
	case 0: case 4: case 12: v = cfi_bytes(r, 8); break;
	case 1: v = cfi_uleb(r); break;
	case 2: v = cfi_bytes(r, 2); break;
	case 3: v = cfi_bytes(r, 4); break;
	case 9: v = (uint64_t)cfi_sleb(r); break;
	case 10: v = (uint64_t)(int16_t)cfi_bytes(r, 2); break;
	case 11: v = (uint64_t)(int32_t)cfi_bytes(r, 4); break;
	default: r->bad = true; return 0;
	}
	switch (encoding & 0x70) {
	case 0: return v;
	case 0x10: return at + v;
	case 0x30: return data + v;
	default: r->bad = true; return 0;
	}
}

/* Instructions (DWARF 5 section 7.24); the three with an operand in their low 6 bits differ in the other bits. */
enum cfa_instruction {
	CFA_NOP = 0x00, CFA_SET_LOC = 0x01, CFA_ADVANCE_1 = 0x02, CFA_ADVANCE_4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05, CFA_RESTORE_EXTENDED = 0x06, CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08, CFA_REGISTER = 0x09, CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b, CFA_DEF_CFA = 0x0c, CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e, CFA_DEF_CFA_EXPRESSION = 0x0f, CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11, CFA_DEF_CFA_SF = 0x12, CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15, CFA_VAL_EXPRESSION = 0x16,
	CFA_AARCH64_NEGATE_RA_STATE = 0x2d, CFA_GNU_ARGS_SIZE = 0x2e,
};

static struct cfi_reader read_block(struct cfi_reader *r)
{
	uint64_t n = cfi_uleb(r);
	struct cfi_reader b = {r->p, r->p + n, r->bad};

	if (r->bad || (uint64_t)(r->end - r->p) < n)
		r->bad = b.bad = true;
	else
		r->p += n;
	return b;
}

static void rule_set(struct unwind_program *p, uint64_t reg, enum rule kind, int64_t value)
{
	if (reg < REGISTERS) {
		p->rules.kind[reg] = kind;
		p->rules.value[reg] = value;
	}
}

static void rule_restore(struct unwind_program *p, uint64_t reg)
{
	if (reg < REGISTERS) {
		p->rules.kind[reg] = p->first.kind[reg];
		p->rules.value[reg] = p->first.value[reg];
		p->rules.expression[reg] = p->first.expression[reg];
	}
}

static void rule_expression(struct unwind_program *p, struct cfi_reader *r, enum rule kind)
{
	uint64_t reg = cfi_uleb(r);
	struct cfi_reader b = read_block(r);

	rule_set(p, reg, kind, 0);
	if (reg < REGISTERS)
		p->rules.expression[reg] = b;
}

/* The instructions DW_CFA_* that are no advance of the location. */
static void rule_run(struct unwind_program *p, struct cfi_reader *r, uint8_t op)
{
	uint64_t reg;

	if (op >> 6 == 2) {
		rule_set(p, op & 63, RULE_OFFSET, (int64_t)cfi_uleb(r) * p->data_align);
		return;
	}
	if (op >> 6 == 3) {
		rule_restore(p, op & 63);
		return;
	}
	switch (op) {
	case CFA_NOP: break;
	case CFA_OFFSET_EXTENDED:
		reg = cfi_uleb(r);
		rule_set(p, reg, RULE_OFFSET, (int64_t)cfi_uleb(r) * p->data_align);
		break;
	case CFA_RESTORE_EXTENDED: rule_restore(p, cfi_uleb(r)); break;
	case CFA_UNDEFINED: rule_set(p, cfi_uleb(r), RULE_UNDEFINED, 0); break;
	case CFA_SAME_VALUE: rule_set(p, cfi_uleb(r), RULE_SAME, 0); break;
	case CFA_REGISTER:
		reg = cfi_uleb(r);
		rule_set(p, reg, RULE_REGISTER, (int64_t)cfi_uleb(r));
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
		p->rules.cfa_register = cfi_uleb(r);
		p->rules.cfa_offset = (int64_t)cfi_uleb(r);
		break;
	case CFA_DEF_CFA_REGISTER: p->rules.cfa_register = cfi_uleb(r); break;
	case CFA_DEF_CFA_OFFSET: p->rules.cfa_offset = (int64_t)cfi_uleb(r); break;
	case CFA_DEF_CFA_EXPRESSION:
		p->rules.cfa_register = REGISTERS;
		p->rules.cfa_expression = read_block(r);
		break;
	case CFA_EXPRESSION: rule_expression(p, r, RULE_EXPRESSION); break;
	case CFA_OFFSET_EXTENDED_SF:
		reg = cfi_uleb(r);
		rule_set(p, reg, RULE_OFFSET, cfi_sleb(r) * p->data_align);
		break;
	case CFA_DEF_CFA_SF:
		p->rules.cfa_register = cfi_uleb(r);
		p->rules.cfa_offset = cfi_sleb(r) * p->data_align;
		break;
	case CFA_DEF_CFA_OFFSET_SF: p->rules.cfa_offset = cfi_sleb(r) * p->data_align; break;
	case CFA_VAL_OFFSET:
		reg = cfi_uleb(r);
		rule_set(p, reg, RULE_VALUE, (int64_t)cfi_uleb(r) * p->data_align);
		break;
	case CFA_VAL_OFFSET_SF:
		reg = cfi_uleb(r);
		rule_set(p, reg, RULE_VALUE, cfi_sleb(r) * p->data_align);
		break;
	case CFA_VAL_EXPRESSION: rule_expression(p, r, RULE_VALUE_EXPRESSION); break;
	case CFA_AARCH64_NEGATE_RA_STATE: break; /* a signature, which code_of() takes off */
	case CFA_GNU_ARGS_SIZE: cfi_uleb(r); break;
	default: r->bad = true; break;
	}
}

/* Runs a program from location `at` up to, and not beyond, pc. */
static bool program_run(struct unwind_program *p, struct cfi_reader r, uint64_t at, uint64_t pc)
{
	while (!r.bad && r.p < r.end) {
		uint8_t op = (uint8_t)cfi_bytes(&r, 1);

		if (op >> 6 == 1)
			at += (op & 63) * p->code_align;
		else if (op == CFA_SET_LOC)
			at = read_encoded(&r, p->encoding, 0);
		else if (op >= CFA_ADVANCE_1 && op <= CFA_ADVANCE_4)
			at += cfi_bytes(&r, (size_t)1 << (op - 2)) * p->code_align;
		else
			rule_run(p, &r, op);
		if (at > pc)
			break;
	}
	return !r.bad;
}

/* A CIE (version 1 or 3) with augmentation "" or "z...". */
static bool cie_read(struct unwind_program *p, const uint8_t *at, const uint8_t *end)
{
	struct cfi_reader r = {at, end, false};
	uint64_t length = cfi_bytes(&r, 4), augmentation_n;
	const char *augmentation;
	uint8_t version;

	if (r.bad || length > (uint64_t)(end - r.p) || cfi_bytes(&r, 4) != 0)
		return false;
	r.end = at + 4 + length;
	version = (uint8_t)cfi_bytes(&r, 1);
	augmentation = (const char *)r.p;
	while (cfi_bytes(&r, 1))
		;
	if (r.bad || (version != 1 && version != 3) || (*augmentation && *augmentation != 'z'))
		return false;
	p->code_align = cfi_uleb(&r);
	p->data_align = cfi_sleb(&r);
	p->return_register = version == 1 ? cfi_bytes(&r, 1) : cfi_uleb(&r);
	p->augmented = *augmentation;
	augmentation_n = p->augmented ? cfi_uleb(&r) : 0;
	p->initial = r;
	p->initial.p += augmentation_n <= (uint64_t)(r.end - r.p) ? augmentation_n : 0;
	for (const char *c = augmentation + p->augmented; p->augmented && *c; c++) {
		if (*c == 'R')
			p->encoding = (uint8_t)cfi_bytes(&r, 1);
		else if (*c == 'L')
			cfi_bytes(&r, 1);
		else if (*c == 'P')
			read_encoded(&r, (uint8_t)cfi_bytes(&r, 1) & 0x7f, 0);
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
	struct cfi_reader r = {header, end, false};
	uint32_t head = (uint32_t)cfi_bytes(&r, 4), low = 0, high;
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
bool cfi_find(struct unwind_program *p, const uint8_t *begin, const uint8_t *end,
	      const uint8_t *header, uint64_t pc)
{
	const uint8_t *fde = fde_find(header, end, pc), *cie;
	struct cfi_reader r = {fde, end, false};
	uint64_t length, back, low, range, n;

	memset(p, 0, offsetof(struct unwind_program, first));
	if (!fde || fde < begin || fde >= end)
		return false;
	length = cfi_bytes(&r, 4);
	if (r.bad || length >= 0xfffffff0u || length > (uint64_t)(end - r.p))
		return false;
	r.end = r.p + length;
	cie = r.p;
	back = cfi_bytes(&r, 4);
	if (!back || back > (uint64_t)(cie - begin) || !cie_read(p, cie - back, end))
		return false;
	low = read_encoded(&r, p->encoding, 0);
	range = read_encoded(&r, p->encoding & 15, 0);
	if (r.bad || pc < low || pc - low >= range)
		return false;
	n = p->augmented ? cfi_uleb(&r) : 0;
	if (r.bad || n > (uint64_t)(r.end - r.p))
		return false;
	r.p += n;
	p->kept_n = 0;
	if (!program_run(p, p->initial, 0, UINT64_MAX))
		return false;
	p->first = p->rules;
	return program_run(p, r, low, pc);
}
