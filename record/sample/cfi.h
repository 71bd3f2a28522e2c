/*
 * cfi.h: call frame information: how the registers of a caller follow from those of what it called, by code address.
 */
#ifndef CFI_H
#define CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF's numbers of the registers that are used here, and their number; RIP is the return address. */
#if defined(__x86_64__)
enum { REGISTERS = 17, RBP = 6, RSP = 7, RIP = 16 };
#elif defined(__aarch64__)
enum { REGISTERS = 33, RBP = 29, RSP = 31, RIP = 32 };
#elif defined(__riscv)
enum { REGISTERS = 33, RBP = 8, RSP = 2, RIP = 32 };
#elif defined(__powerpc64__)
enum { REGISTERS = 67, RBP = 31, RSP = 1, LINK = 65, RIP = 66 };
#endif

/* Bytes of a module. After a read beyond the end everything is 0 and `bad` is set. */
struct cfi_reader {
	const uint8_t *p, *end;
	bool bad;
};

uint64_t cfi_bytes(struct cfi_reader *r, size_t n);
uint64_t cfi_uleb(struct cfi_reader *r);
int64_t cfi_sleb(struct cfi_reader *r);

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
	struct cfi_reader expression[REGISTERS];
	uint64_t cfa_register;		/* REGISTERS: by expression */
	int64_t cfa_offset;
	struct cfi_reader cfa_expression;
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

/* The contents of a CIE, and the state of its program and that of an FDE. */
struct unwind_program {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;
	bool augmented, signal;
	uint64_t return_register;
	struct cfi_reader initial;
	struct rules rules, first, kept[4];
	int kept_n;
};

/* The rules that hold at pc, by the .eh_frame_hdr at `header` of a module that spans [begin, end). */
bool cfi_find(struct unwind_program *p, const uint8_t *begin, const uint8_t *end,
	      const uint8_t *header, uint64_t pc);

#endif
