/*
 * gate.h: the gate: one word that every hook reads first: does this process record?
 */
#ifndef GATE_H
#define GATE_H

#include <stdbool.h>
#include <stdint.h>

/* Value of the gate. The kernel clears its page in a forked child: GATE_FORKED. */
enum gate {
	GATE_FORKED = 0,	/* not started, or a new child: hooks take the slow path, which starts the recorder */
	GATE_OPEN = 1,		/* record, by the plain path */
	GATE_PICK = 2,		/* the same, but some functions are excluded: hooks check before they read the clock */
	GATE_FILTERED = 3,		/* record, by the path of enter_filtered.c: some option needs more data of each call */
	GATE_OFF = 4,		/* recording is switched off: keep the stacks, record nothing */
	GATE_DEAD = 5,		/* never record again in this process */
	GATE_STRANGER = 6,	/* a child without our thread-local storage runs here: do not access it (clone.c) */
};
#define GATE_PLAIN(gate) ((unsigned)(gate) - GATE_OPEN <= GATE_PICK - GATE_OPEN)
#define GATE_RECORDS(gate) ((unsigned)(gate) - GATE_OPEN <= GATE_FILTERED - GATE_OPEN)

/* The largest page of the processor. */
#if defined(__x86_64__) || defined(__riscv)
#define GATE_PAGE 4096
#else
#define GATE_PAGE 65536
#endif

/* All of it is zero in a new child. */
extern struct gate_page {
	volatile int value;
	bool apart;		/* the thread that made this child has given up its parent's stream (fork.c) */
	uintptr_t begins;	/* in a child: the thread that makes it a process of its own; 0: none yet */
	uint64_t lost;		/* events of threads that have no stream yet, or no longer */
	char pad[GATE_PAGE - 24];
} tau_gate __attribute__((visibility("hidden")));

/* For the hooks, which read it once: a plain load costs less than a volatile one. */
static inline int gate_now(void)
{
	return *(const int *)&tau_gate.value;
}

/* The value of the gate while this process records. */
int gate_open(void);

#endif
