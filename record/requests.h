/* requests.h: what tau-record, other programs and the processes of a run send each other while it is recorded. No part of the trace. */
#ifndef TAU_REQUESTS_H
#define TAU_REQUESTS_H

#include <stdint.h>

/*
 * What processes of a run share while it is recorded, in a hidden file of the run that each maps: commands from outside,
 * in the order in which they were given, and how much has been written.
 */
#define TAU_COMMANDS_MAGIC "TAUWATCH"
#define TAU_COMMANDS_MOST 200
#define TAU_COMMANDS_PROCESSES 1024
struct tau_command_process {
	uint32_t pid;		/* 0: not taken yet */
	uint32_t executed;	/* number of the commands that it has executed */
};
struct tau_command {
	char text[108];		/* NUL terminated: "on", "off", "group NAME", "no-group NAME", "flush", "mark NAME" */
	uint32_t to_some;	/* 0: for all processes, also those that begin later; otherwise: */
	uint64_t value;		/* of the command */
	uint64_t reserved;
	uint8_t to[TAU_COMMANDS_PROCESSES / 8];	/* bits of the rows of the processes that it is for */
};
struct tau_commands {
	char magic[8];
	uint32_t count;		/* commands that hold; written after the command */
	uint32_t reserved;
	uint64_t bytes;		/* stored by all processes */
	uint32_t process_n;	/* processes that have taken a row; may be more than there are rows */
	uint32_t reserved2;
	uint64_t reserved3[4];
	struct tau_command command[TAU_COMMANDS_MOST];
	struct tau_command_process process[TAU_COMMANDS_PROCESSES];	/* that execute commands, in order of their starts */
};

/*
 * A program's request for a profile or a snapshot of itself, as a message in a named pipe of the run: this head, then four texts, each
 * with a NUL at its end: the beginning of the names of the process's trace files, the directory that it was in, a name, and the names of
 * the regions that are wanted, each with a line feed at its end ("": all). A message is written in one step.
 */
#define TAU_DUMP_MOST 4096	/* bytes of a message: PIPE_BUF of Linux */
#define TAU_DUMP_ALL UINT32_MAX
enum tau_dump_kind {
	TAU_DUMP_BEGIN = 1,	/* the process has begun to record */
	TAU_DUMP_PROFILE,	/* files NAME.N.C.T */
	TAU_DUMP_DATED,		/* files NAME__DATE__.N.C.T */
	TAU_DUMP_NAMES,		/* files NAME.N.C.T with the names of all regions */
	TAU_DUMP_SNAPSHOT,	/* one more snapshot of this name in files snapshot.N.C.T */
	TAU_DUMP_END,		/* there are no more requests; from tau-record itself */
};
struct tau_dump_request {
	uint32_t size;		/* bytes of the message */
	uint32_t kind;
	uint32_t thread;	/* whose values; TAU_DUMP_ALL: those of all */
	uint32_t pid;
	uint64_t process_id;
	uint64_t tick;		/* up to when */
	uint64_t real_ns;	/* the same since 1970 */
};

_Static_assert(sizeof(struct tau_dump_request) == 40, "request of a profile");

#endif
