/*
 * python.c: call stacks of Python in samples: functions that CPython 3.11 to 3.13 interprets, each
 * with its file and the line that is executed, in place of the functions of the interpreter.
 *
 * The handler of --sample runs in the thread that it samples, at any instruction of the
 * interpreter, so it calls nothing of Python but PyGILState_GetThisThreadState(), which reads a key
 * of the thread. Everything else is copied through the kernel, which refuses invalid addresses, and
 * each object must have the expected type. It adds no cost to calls of Python functions.
 *
 * One C function of the interpreter runs a whole chain of calls from Python to Python. Each chain
 * has a mark, an object of that C function on the C stack: the C function with the mark in its
 * frame is replaced by the chain, other functions of the interpreter are excluded, and the frames
 * of libraries written in C remain.
 */
#include "python.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "tau.h"
#include "own/own.h"

#define DEPTH 128 /* most frames of a sample */

/* ---- where the interpreter keeps what, by version: offsets in bytes ---- */

static const struct layout {
	uint32_t version;    /* major << 8 | minor */
	int chains;          /* the thread state names the innermost chain, which names its frame */
	uint8_t current;     /* thread state: the innermost chain, or frame */
	uint8_t chain_frame; /* chain: its innermost frame */
	uint8_t chain_previous;                            /* chain: the one that called it */
	uint8_t code, previous, instruction, owner, entry; /* frame */
	uint8_t line;           /* code: the first line of the function */
	uint8_t instructions;   /* code: its instructions */
	uint8_t ascii, compact; /* text: where its bytes begin */
} layouts[] = {
	{0x30b, 1, 56, 8, 16, 32, 48, 56, 69, 68, 72, 184, 48, 72},
	{0x30c, 1, 56, 0, 8, 0, 8, 56, 70, 0, 68, 192, 40, 56},
	{0x30d, 0, 72, 0, 0, 0, 8, 56, 70, 0, 68, 200, 40, 56},
};
enum {
	TYPE = 8,        /* of any object */
	SIZE = 16,       /* of bytes, and of a text */
	BYTES = 32,      /* of an object of bytes */
	STATE = 32,      /* of a text */
	CODE_FILE = 112, /* of code: texts, and a table of lines */
	CODE_NAME = 128,
	CODE_LINES = 136,
	TEXT_HEAD = 72, /* of the longest head of a text */
	FRAME_BYTES = 72,
	CODE_BYTES = 144,
	OWNER_C = 3 /* of a frame: it only marks the begin of a chain */
};

static const struct layout *layout;
static void *(*thread_state)(void);
static uint64_t code_type, text_type, bytes_type;
static uint64_t first, last; /* the code of the interpreter */

static uint64_t word(const uint8_t *object, size_t offset)
{
	uint64_t value;

	memcpy(&value, object + offset, sizeof(value));
	return value;
}

static uint32_t half(const uint8_t *object, size_t offset)
{
	uint32_t value;

	memcpy(&value, object + offset, sizeof(value));
	return value;
}

/* Copies from an object as much as its page has, between `least` and `most` bytes: one call of the
 * kernel. 0: it cannot be read. */
static size_t copy_near(void *to, uint64_t from, size_t least, size_t most)
{
	size_t n = 4096 - (from & 4095);

	n = n < least ? least : n < most ? n : most;
	return tau_copy(to, from, n) ? n : 0;
}

/* ---- texts ---- */

static size_t utf8_put(char *to, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t head[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(head[n] | c);
	return n;
}

/* At most room - 1 bytes of UTF-8; 0: it is no text. */
static int text_copy(uint64_t text, char *to, size_t room)
{
	uint8_t bytes[TEXT_HEAD + 1024];
	size_t n, width, first_byte, out = 0;
	size_t got = copy_near(bytes, text, TEXT_HEAD, TEXT_HEAD + 200);
	uint32_t state;

	if (!got || word(bytes, TYPE) != text_type)
		return 0;
	state = half(bytes, STATE);
	width = state >> 2 & 7;
	n = word(bytes, SIZE);
	first_byte = state >> 6 & 1 ? layout->ascii : layout->compact;
	if (!(state >> 5 & 1) || (width != 1 && width != 2 && width != 4))
		return 0;
	n = n < 1024 / width ? n : 1024 / width;
	if (first_byte + n * width > got &&
	    !tau_copy(bytes + first_byte, text + first_byte, n * width))
		return 0;
	for (size_t i = 0; i < n && out + 4 < room; i++) {
		uint32_t c = 0;

		memcpy(&c, bytes + first_byte + i * width, width);
		out += utf8_put(to + out, c & 0x1fffff);
	}
	to[out] = 0;
	return 1;
}

/* ---- lines: the table of a code object, Objects/locations.md of CPython ---- */

/* The table, a part at a time. */
struct line_table {
	uint64_t at; /* of the bytes that follow those in `bytes` */
	size_t left; /* of them */
	size_t n, i; /* bytes that are here, and the next one */
	uint8_t bytes[256];
};

/* The next byte; -1: there is none. */
static int table_read(struct line_table *t)
{
	if (t->i == t->n) {
		t->n = t->left < sizeof(t->bytes) ? t->left : sizeof(t->bytes);
		t->i = 0;
		if (!t->n || !tau_copy(t->bytes, t->at, t->n)) {
			t->n = t->left = 0;
			return -1;
		}
		t->at += t->n;
		t->left -= t->n;
	}
	return t->bytes[t->i];
}

static uint32_t table_number(struct line_table *t)
{
	uint32_t value = 0;
	int byte = 0x40;

	for (int shift = 0; byte & 0x40 && shift < 30; shift += 6) {
		byte = table_read(t);
		if (byte < 0)
			return value;
		t->i++;
		value |= (uint32_t)(byte & 0x3f) << shift;
	}
	return value;
}

/* The line of an instruction, counted in units of 2 bytes from the first one. */
static uint32_t line_of(uint64_t lines, uint32_t line, int64_t instruction)
{
	enum { WITHOUT_COLUMNS = 13, LONG = 14 };
	uint8_t head[BYTES + 160];
	size_t got = copy_near(head, lines, BYTES, sizeof(head));
	struct line_table t = {.at = lines + got, .n = got - BYTES};
	int byte;

	if (!got || word(head, TYPE) != bytes_type)
		return line;
	t.left = word(head, SIZE);
	t.n = t.n < t.left ? t.n : t.left;
	t.left -= t.n;
	memcpy(t.bytes, head + BYTES, t.n);
	while ((byte = table_read(&t)) >= 0) {
		int kind = byte >> 3 & 15;
		uint32_t number;

		t.i++;
		if (kind == WITHOUT_COLUMNS || kind == LONG) {
			number = table_number(&t);
			line += number & 1 ? -(number >> 1) : number >> 1;
		} else if (kind >= 10 && kind <= 12) {
			line += (uint32_t)kind - 10;
		}
		instruction -= (byte & 7) + 1;
		if (instruction < 0)
			return line;
		while ((byte = table_read(&t)) >= 0 && !(byte & 0x80))
			t.i++;
	}
	return line;
}

/* ---- the frames of a thread ---- */

struct python_found {
	uint64_t code, instruction;
	uint64_t
		mark; /* of its chain, on the C stack; 0: unknown, the stack is deeper than DEPTH */
};

/* The frames of a thread, innermost first. */
static size_t frames_find(uint64_t state, struct python_found *out)
{
	uint64_t chain = 0, frame, pair[3] = {0};
	uint8_t bytes[FRAME_BYTES];
	size_t n = 0, marked = 0;

	if (!tau_copy(&frame, state + layout->current, sizeof(frame)))
		return 0;
	if (layout->chains) {
		chain = frame;
		if (!tau_copy(pair, chain, sizeof(pair)))
			return 0;
		frame = pair[layout->chain_frame / 8];
	}
	while (frame && n < DEPTH && tau_copy(bytes, frame, sizeof(bytes))) {
		int mark = layout->entry ? bytes[layout->entry] : bytes[layout->owner] == OWNER_C;

		if (layout->entry || !mark)
			out[n++] = (struct python_found){word(bytes, layout->code),
							 word(bytes, layout->instruction), 0};
		for (; mark && marked < n; marked++)
			out[marked].mark = layout->entry ? chain : frame;
		if (mark && layout->entry)
			chain = tau_copy(pair, chain, sizeof(pair))
					? pair[layout->chain_previous / 8]
					: 0;
		frame = word(bytes, layout->previous);
	}
	return n;
}

/* The address of a frame's line; 0: it is none. */
static uint64_t frame_address(const struct python_found *f)
{
	char name[512], file[2048];
	uint8_t code[CODE_BYTES];
	int64_t instruction = (int64_t)(f->instruction - f->code - layout->instructions) / 2;

	if (!tau_copy(code, f->code, sizeof(code)) || word(code, TYPE) != code_type ||
	    !text_copy(word(code, CODE_NAME), name, sizeof(name)) ||
	    !text_copy(word(code, CODE_FILE), file, sizeof(file)))
		return 0;
	return tau_code("Python", name, file,
			line_of(word(code, CODE_LINES), half(code, layout->line), instruction));
}

/* ---- a sample ---- */

struct code_stack {
	uint64_t pc[DEPTH];
	size_t n, most;
};

static void put_frame(struct code_stack *s, const struct python_found *f)
{
	uint64_t address = s->n < s->most ? frame_address(f) : 0;

	if (address) {
		s->pc[s->n] = address + (s->n > 0);
		s->n++;
	}
}

/* is_call: the address follows a call. */
static void put_native(struct code_stack *s, uint64_t pc, int is_call)
{
	if (s->n == s->most)
		return;
	s->pc[s->n] = is_call && !s->n ? pc - 1 : pc;
	s->n++;
}

static size_t frames(uint64_t *pc, const uint64_t *sp, size_t n, size_t most)
{
	uint64_t state = (uint64_t)(uintptr_t)thread_state();
	struct code_stack s = {.most = most < DEPTH ? most : DEPTH};
	struct python_found found[DEPTH];
	size_t all = state ? frames_find(state, found) : 0, next = 0;

	if (!all)
		return n;
	for (size_t k = 0; k < n; k++) {
		uint64_t end = k + 1 < n ? sp[k + 1] : UINT64_MAX;

		if (pc[k] < first || pc[k] >= last) {
			put_native(&s, pc[k], k > 0);
			continue;
		}
		while (next < all && found[next].mark < end)
			put_frame(&s, &found[next++]);
	}
	while (next < all)
		put_frame(&s, &found[next++]);
	if (!s.n)
		return n;
	memcpy(pc, s.pc, s.n * sizeof(*pc));
	return s.n;
}

/* ---- the interpreter ---- */

static void *find(const char *name)
{
	void *at;

	tau_hide();
	at = own_first(name);
	tau_show();
	return at;
}

/* The span of the code of the object that the interpreter's functions are in. */
static int code_find(uintptr_t inside)
{
	struct tau_object o;
	const ElfW(Phdr) * p;

	if (tau_object(inside, &o) != 1)
		return 0;
	p = o.headers;
	for (uint32_t i = 0; i < o.header_n; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X &&
		    inside - o.base - p[i].p_vaddr < p[i].p_memsz) {
			first = o.base + p[i].p_vaddr;
			last = first + p[i].p_memsz;
		}
	return last != 0;
}

void python_frames_start(void)
{
	const unsigned long *version = find("Py_Version");
	const struct layout *l = layouts, *end = layouts + sizeof(layouts) / sizeof(*layouts);

	while (version && l < end && l->version != *version >> 16)
		l++;
	*(void **)&thread_state = find("PyGILState_GetThisThreadState");
	code_type = (uint64_t)(uintptr_t)find("PyCode_Type");
	text_type = (uint64_t)(uintptr_t)find("PyUnicode_Type");
	bytes_type = (uint64_t)(uintptr_t)find("PyBytes_Type");
	if (!version || l == end || !thread_state || !code_type || !text_type || !bytes_type ||
	    sizeof(void *) != 8 || !code_find((uintptr_t)thread_state))
		return;
	layout = l;
	tau_sample_frames(frames);
}
