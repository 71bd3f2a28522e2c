/*
 * format.h: the bytes of a trace on disk, version 1. Header-only, depends on nothing.
 *
 * A run is a directory. Each thread stream of each process owns one FILE.tau and, while the
 * process lives (or when it was killed), one FILE.live beside it.
 *
 *   FILE.tau   header | chunk 0 | chunk 1 | ... | index chunk
 *              (the index chunk's payload is its entries, then the 48-byte trailer, which so ends the file. It is
 *              absent after a crash: a reader then walks the chunk headers. Where a process went on after its end,
 *              event chunks follow an index chunk; the walk steps over it like over any other chunk.)
 *   chunk      chunk header | column DEFS | column TIMES | column IDS | column ARGS
 *   FILE.live  live header | the four columns of the chunk being written, uncompressed
 *
 *   HOST.PID.N.threads.live: what FILE.live would contain, for threads that have none (see tau_lives_header).
 *
 * Everything is little endian. All structures are written as they are in memory; they have no
 * padding. Varints need not be the shortest form. man/tau-trace.5 is the normative text; this file and that page change together.
 *
 * Columns. DEFS holds definitions. ARGS begins with the snapshot, then holds arguments of records. TIMES and IDS
 * hold 16 bits a record each, in two planes: the low bytes of all records, then their high bytes (deflate likes
 * that better than pairs). With n records each of the two columns is 2n bytes long.
 *
 * Layout. This is TAU_LAYOUT_PLANES. With TAU_LAYOUT_NUMBERS the chunk has d = 1 to 256 different tokens. IDS is then n
 * numbers of one byte each, which are indices into a list of d tokens that follows them: d low bytes, d high bytes, d group
 * bytes. The first token of the list is LEAVE. TIMES has its low bytes in another order: those of group 0 in the order of
 * their records, then those of group 1 in the opposite order. Bit 0 of the group byte of a record's token is the group of its
 * time. The group of a LEAVE is bit 1 of the group byte of the token before it (for the first record: of LEAVE). So deflate
 * finds similar times side by side, and repeated tokens take little space.
 *
 *   TIMES  ticks since the previous record (the first: since chunk first_tick); 65535: the number does
 *          not fit, and is in ARGS as a varint
 *   IDS    the token:  0          LEAVE of the innermost open region (no id: the stack knows it)
 *                      1 .. 63    EXTENDED record of that kind; ARGS: varint length, fields
 *                      64 .. 32767 ENTER of region token - 64 (regions count from 0 inside this file)
 *                      32768 .. 65534 32768 + 3 b + op: a block as the definition BLOCK b describes it was allocated (op 0), freed (1),
 *                                 or allocated and freed (2): as ALLOC, FREE and BRIEF, with nothing in ARGS
 *                      65535      ENTER of a region that is too large for that; ARGS: varint region
 *   ARGS   the arguments of all records, in the order of the records; of one record: length and fields, or the
 *          region; then its values; then the long time
 *
 * Values. In a chunk whose header has `metrics` = m > 0, some records carry the values of the file's metrics 0 to
 * m - 1 at their time: m zigzags, each the difference to the value before it in this chunk, first of all the one in
 * section METRICS of the snapshot. They are ENTER and LEAVE, and the extended kinds UNWIND, THREAD_BEGIN, THREAD_END, OFF, ON
 * and METRICS (TAU_KIND_HAS_METRICS), in which the values precede the fields and are part of the length. Between two records that
 * carry values a metric changes evenly; between the last of a chunk and the snapshot of the next it has the value
 * in that snapshot. Sums wrap around at 64 bits.
 *
 * In a live file the columns TIMES and IDS are still one: TIMES holds 4 bytes a record, time in the low 16 bits
 * and token in the high ones, and IDS is empty. A record exists when its 4 bytes are inside TIMES; its
 * arguments are written before, so that a process killed at any instruction leaves only whole records.
 * A definition is complete in DEFS before the first record that uses it, in the same chunk or an earlier one.
 *
 * varint: LEB128, 7 bits a byte, least significant first, at most 10 bytes.
 * zigzag: (n << 1) ^ (n >> 63), then varint.   string: varint length, bytes.   f64: 8 bytes.
 */
#ifndef TAU_FORMAT_H
#define TAU_FORMAT_H

#include <stdint.h>
#include "metadata.h"
#include "waits.h"

#define TAU_TRACE_MAGIC "TAUTRACE"	/* first 8 bytes of FILE.tau */
#define TAU_LIVE_MAGIC "TAULIVE\n"	/* first 8 bytes of FILE.live */
#define TAU_FOLD_MAGIC "TAUFOLD\n"	/* first 8 bytes of FILE.fold */
#define TAU_TRAILER_MAGIC "TAUTRAIL"	/* last 8 bytes of a FILE.tau that was closed */
#define TAU_CHUNK_MAGIC 0x4b484354u	/* "TCHK" */
#define TAU_VERSION_MAJOR 1
/*
 * 4: no WAITS_FILE, and no locks in IO; 3: no `least` and `most` in `processes`; 2: no file `names`, and IO moves bytes only; 1: no WAITS, and IO is of POSIX alone; 0: no
 * RENAME, no `folding` in FILE.fold, no `inner` of ALLOC.
 */
#define TAU_VERSION_MINOR 5
#define TAU_TRACE_SUFFIX ".tau"
#define TAU_LIVE_SUFFIX ".live"
#define TAU_FOLD_SUFFIX ".fold"
enum tau_clock { TAU_CLOCK_TSC = 1, TAU_CLOCK_MONOTONIC = 2 };

/* 64 bytes at offset 0 of FILE.tau. */
struct tau_file_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_size;	/* 64 */
	uint64_t process_id;	/* random; the same in all files of one process image (exec draws anew) */
	uint32_t pid;		/* as the process saw itself */
	uint32_t thread;	/* stream number inside the process, 0 = the first */
	uint8_t clock;		/* enum tau_clock */
	uint8_t shift;		/* a tick in this file is (clock value >> shift) */
	uint16_t reserved;	/* 0 */
	uint32_t flags;		/* 0 */
	uint64_t ticks_hz;	/* ticks a second as the recorder knew it at start; 0 = unknown */
	uint64_t start_tick;	/* when the recorder started in this process; same in all its files */
	uint32_t reserved2;	/* 0 */
	uint32_t crc;		/* CRC-32 of the 60 bytes before */
};

enum tau_chunk_kind { TAU_CHUNK_EVENTS = 1, TAU_CHUNK_INDEX = 2 };
enum tau_layout { TAU_LAYOUT_PLANES = 0, TAU_LAYOUT_NUMBERS = 1 };	/* see above */
enum tau_codec { TAU_CODEC_RAW = 0, TAU_CODEC_DEFLATE = 1 };
enum tau_column { TAU_DEFS, TAU_TIMES, TAU_IDS, TAU_ARGS, TAU_COLUMNS };
enum tau_token {
	TAU_TOKEN_LEAVE = 0, TAU_TOKEN_REGION = 64, TAU_TOKEN_BLOCK = 32768, TAU_TOKEN_FAR = 65535
};
enum tau_block_op { TAU_BLOCK_ALLOC, TAU_BLOCK_FREE, TAU_BLOCK_BRIEF, TAU_BLOCK_OPS };
#define TAU_BLOCK_MAX ((TAU_TOKEN_FAR - TAU_TOKEN_BLOCK) / TAU_BLOCK_OPS - 1)	/* largest BLOCK */
#define TAU_TOKEN_IS_REGION(token) ((token) - TAU_TOKEN_REGION < TAU_TOKEN_BLOCK - TAU_TOKEN_REGION || (token) == TAU_TOKEN_FAR)
#define TAU_TIME_LONG 65535u
#define TAU_METRICS 32		/* most metrics of a file */

/*
 * 104 bytes before each chunk's payload. With TAU_CODEC_DEFLATE each column is a raw deflate stream (RFC 1951) of its own, except where
 * stored == raw: that column is stored as it is. The sync triple is three clocks read together when the chunk was sealed.
 */
struct tau_chunk_header {
	uint32_t magic;
	uint8_t kind, codec;
	uint8_t metrics;	/* 0 to TAU_METRICS: the number of values of each record named above */
	uint8_t layout;		/* enum tau_layout: of the columns TIMES and IDS */
	uint32_t seq;		/* 0, 1, 2 ... in this file */
	uint32_t records;	/* records in this chunk; index: entries */
	uint64_t first_tick;	/* time of the snapshot; no record is earlier */
	uint64_t last_tick;	/* time of the last record, first_tick when there is none */
	uint32_t raw[TAU_COLUMNS];
	uint32_t stored[TAU_COLUMNS];
	uint64_t lost;		/* events lost in this file since its beginning; in one of a process, also those of threads without a file */
	uint64_t sync_tick, sync_mono_ns, sync_real_ns;	/* CLOCK_MONOTONIC, CLOCK_REALTIME */
	uint32_t payload_crc;	/* CRC-32 (as in zlib) of the stored columns */
	uint32_t header_crc;	/* CRC-32 of the 100 bytes before */
};

/* The index chunk: codec RAW, column DEFS only: one entry an event chunk, then the trailer. */
struct tau_index_entry {
	uint64_t offset;	/* of the chunk header in the file */
	uint64_t first_tick, last_tick;
	uint32_t records;
	uint32_t defs_stored;	/* stored bytes of its DEFS column; 0: nothing to read before a window */
};

/* OTHER: another program, after the process: the last chunk was in FILE.live. STOPPED: too; the recorder had switched itself off. */
enum tau_closer { TAU_CLOSER_RECORDER = 0, TAU_CLOSER_OTHER = 1, TAU_CLOSER_STOPPED = 2 };

/* The last 48 bytes of the index chunk, and so of a file that was closed. */
struct tau_trailer {
	uint64_t index_offset;	/* of the index chunk's header */
	uint64_t records;	/* sum over chunks */
	uint64_t lost;
	uint32_t chunks;
	uint32_t closer;	/* enum tau_closer */
	uint32_t error;		/* STOPPED: the errno that is the reason, otherwise 0 */
	uint32_t crc;		/* CRC-32 of the 36 bytes before */
	char magic[8];
};

enum tau_live_state {
	TAU_LIVE_OPEN = 0,	/* being written, or left so by a crash */
	TAU_LIVE_STOPPED = 1,	/* the recorder switched itself off; `error` is the reason */
};

/*
 * Head of FILE.live, 512 bytes, mapped by the writer and used as its hot state. base[] and cur[] are addresses in the writer: column c has
 * cur[c] - base[c] bytes, and is at file offset base[c] - base[TAU_DEFS] + header_size. A reader takes the live chunk as chunk `seq`,
 * unless the .tau file already holds a whole chunk of that number: then the writer died between storing and restarting it, and the live
 * copy is stale. A chunk cut short at the end of the .tau file is the one that the live file still holds whole.
 */
struct tau_live_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_size;	/* offset of column DEFS in the file */
	uint64_t process_id;	/* as in the .tau file */
	uint32_t thread, seq;
	uint64_t first_tick;
	uint64_t last_tick;	/* of the last record begun (may be one ahead of TIMES) */
	uint64_t lost;
	uint64_t sync_tick, sync_mono_ns, sync_real_ns;	/* read when the chunk was begun */
	uint64_t base[TAU_COLUMNS];
	uint64_t cur[TAU_COLUMNS];
	uint32_t cap[TAU_COLUMNS];	/* bytes reserved for each column */
	uint32_t state;		/* enum tau_live_state */
	uint32_t error;		/* errno that stopped the recorder, 0 = none */
	uint64_t map_size;	/* bytes of the file, or of the place in that of the threads */
	uint32_t metrics;	/* as in the chunk header */
	uint32_t reserved2;	/* 0 */
	struct tau_live_file file;	/* 0 before minor version 5 */
	uint64_t reserved[4];
	struct tau_live_waits waits;	/* not there where header_size is TAU_LIVE_LEAST: before minor version 2 */
};

/*
 * HOST.PID.N.threads.live: the live chunks of the streams of a process, so that not each thread makes and removes a file. The head,
 * then places of equal size: what FILE.live of stream k would contain is at header_size + (k - 1) * place_size; stream 0 has none.
 * A place without magic has no chunk. Where a stream has a FILE.live, that holds, whatever is at its place.
 */
#define TAU_LIVES_STREAM "threads"	/* in place of the number of a stream */
#define TAU_LIVES_MAGIC "TAULIVES"
struct tau_lives_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_size;	/* offset of the first place */
	uint64_t process_id;	/* as in the .tau files */
	uint64_t place_size;
	uint64_t reserved[4];
};

/*
 * The file `processes` of a run: what became of the programs that tau-record started. The head, then a row for each, written
 * before the program begins and overwritten in place when it has ended: a full disk does no harm then. A row that is still
 * STARTED, and whose tau-record is gone, belongs to a program that was killed together with it; then end_real_ns is when it was
 * seen to run last. A process of MPI_Comm_spawn()
 * has no tau-record: it adds its row itself, with its own number as recorder_pid, and never changes it.
 */
#define TAU_PROCESSES_FILE "processes"
#define TAU_PROCESSES_MAGIC "TAUPROCS"
struct tau_processes_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_size;	/* 64: offset of row 0 */
	uint32_t row_size;	/* 128 */
	uint32_t closed;	/* 1: the closing line of the run was printed after the last start */
	uint64_t size;		/* processes of the job, 1 alone */
	uint64_t added_ns, alone_ns;	/* closed: the overhead that the line states, as CPU time (overhead.h); 0, 0: none */
	uint64_t overhead;	/* enum tau_overhead: how that is known */
	uint32_t least, most;	/* of added_ns: parts of added_ns + alone_ns, in 2^-32; 0, 0: not known */
};
/* Samples and costs of events show it, or a run without the recorder; NONE: this is such a run, which took alone_ns. */
enum tau_overhead { TAU_OVERHEAD_ESTIMATED = 0, TAU_OVERHEAD_MEASURED = 1, TAU_OVERHEAD_NONE = 2 };
enum tau_process_state { TAU_PROCESS_STARTED = 1, TAU_PROCESS_EXITED = 2, TAU_PROCESS_KILLED = 3 };
struct tau_process_row {
	uint32_t state;		/* enum tau_process_state */
	uint32_t value;		/* EXITED: the exit status; KILLED: the number of the signal */
	uint32_t pid;		/* of the program */
	uint32_t recorder_pid;	/* of its tau-record */
	uint64_t recorder_start; /* when that began, in clock ticks after boot, as in /proc/PID/stat */
	int64_t rank;		/* in the job, from its launcher; -1 unknown */
	uint64_t begin_real_ns, end_real_ns;	/* CLOCK_REALTIME; 0 = not known */
	char host[72];		/* ends with a zero byte */
	uint64_t cpu_ns;	/* CPU time of the program and the children it waited for; 0 = not known */
};

/*
 * The file `names` of a run: names, files and lines of the code that the run has the addresses of, which tau-record looks up when the last
 * process has ended. Readers use it for binaries that are gone or have changed. The head, then the body, deflated where stored < raw:
 *	varint number of texts, then for each a string
 *	varint number of modules, then for each: string path, string build id, zigzag ns since 1970 of the file's last change, varint
 *	its size, varint number of rows, then for each: varint enum tau_names_kind, zigzag of the difference of its ELF virtual
 *	address to the row before (the first: to 0), varint name, varint file (1 + the number of a text, 0: unknown), varint line
 */
#define TAU_NAMES_FILE "names"
#define TAU_NAMES_MAGIC "TAUNAMES"
struct tau_names_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_size;	/* 64: offset of the body */
	uint64_t raw, stored;	/* bytes of the body, and as stored */
	uint32_t flags;		/* enum tau_names_flag */
	uint32_t body_crc;	/* CRC-32 of the stored body */
	uint64_t reserved[2];
	uint32_t reserved2;
	uint32_t crc;		/* CRC-32 of the 60 bytes before */
};
enum tau_names_flag { TAU_NAMES_PART = 1 /* it took too long: some code of samples has no row, or a name alone */ };
/*
 * FUNCTION: a function with its declaration, by the address of its begin. CODE: the innermost function at an address of code, with the line
 * there; INTO: that of the row before is inlined into it. USERS: what uses a function without a name, as words in `name`.
 */
enum tau_names_kind { TAU_NAMES_FUNCTION, TAU_NAMES_CODE, TAU_NAMES_INTO, TAU_NAMES_USERS, TAU_NAMES_KINDS };

/*
 * FILE.fold, which exists while a stream folds calls: the calls that are in no FOLD record yet, so that a killed process
 * loses none of them. The head, then nodes up to the end of the file: the tree of call paths, by regions of FILE.tau. Node 0 is not a region;
 * a parent precedes its children; unused nodes have no calls. At the end of the live chunk a reader takes each node with calls
 * as one more FOLD record, with the whole path. The exception is the node `writing`, if it is not 0 and its record is already
 * in the trace: then the live chunk is a later one than writing_seq, or has more than writing_records records.
 * A call is in its node and still open where the live chunk's last record is an ENTER before last_tick and the node of `folding` has one
 * call more than the number there: the process was killed.
 */
struct tau_fold_header {
	char magic[8];
	uint16_t major, minor;
	uint32_t header_size;	/* 64: offset of node 0 */
	uint64_t process_id;	/* as in the .tau file */
	uint32_t thread;
	uint32_t writing;	/* the node whose record is being written */
	uint32_t writing_seq, writing_records;	/* number and records of the live chunk before that record */
	uint64_t last_tick;	/* when the last folded call was left: the time of those records */
	uint64_t sealed;	/* 1 + the number of the chunk of FILE.tau that has these records; 0: none */
	uint64_t folding;	/* node << 32 | its calls (lower 32 bits) before the last folded call; 0: none, or not known */
};
struct tau_fold_node {
	uint32_t parent, region;
	uint64_t calls, ticks;
};

/*
 * Snapshot, first thing in ARGS: varint number of sections, then for each varint tag, varint length, bytes. Unknown tags are skipped.
 */
enum tau_snapshot_tag {
	TAU_SNAP_STACK = 1,	/* varint depth, then outermost first: varint region, varint (first_tick - enter tick) */
	TAU_SNAP_MEMORY = 2,	/* varint n, then: varint memtype, zigzag bytes, zigzag blocks; what this stream
				   added (allocated - freed) so far: the process level is the sum over streams */
	TAU_SNAP_THREAD = 3,	/* varint tid: the thread that is using the stream; absent while idle */
	TAU_SNAP_METRICS = 4,	/* there when the chunk has metrics: a zigzag for each, its value at first_tick; then for each
				   region of section STACK, outermost first, a zigzag for each: how much it changed since the enter */
	TAU_SNAP_SEAL = 6,	/* varint ticks: how long before first_tick the recorder began to store the chunk before; the recorder
				   worked meanwhile, not the program */
	TAU_SNAP_COST = 7,	/* varint inside, varint outside: ps that a recorded call costs now, of that between its times, and
				   not between them; a chunk without it has the last one of this file, or that of the metadata */
	TAU_SNAP_CUT = 5,	/* no bytes; in the first chunk of a file: it was cut out of a longer one, so the thread and the
				   regions of this snapshot began before, and count no call here */
};

/*
 * Extended records, kinds 1 to 63. Fields in ARGS after a varint length; a reader skips kinds that it does not know, and fields after
 * those that it knows. A request is a number from 1 that no other request of the process has, as zigzag of the difference to the one
 * before in the chunk (the first: to 0), modulo 2^32.
 */
enum tau_record_kind {
	TAU_REC_VALUE = 1,	/* varint event, zigzag value */
	TAU_REC_VALUE_F64 = 2,	/* varint event, f64 value */
	TAU_REC_SEND = 3,	/* zigzag peer (world rank), zigzag tag, varint comm, varint bytes, request that a later call completes
				   (not there: the call sends the message) */
	TAU_REC_RECV = 4,	/* the same; peer is the sender; request that an earlier call has posted */
	TAU_REC_COLL = 5,	/* varint enum tau_coll, varint comm, zigzag root (-1 none), varint bytes sent, varint bytes received */
	TAU_REC_RMA = 6,	/* varint enum tau_rma, zigzag target (world rank), varint bytes */
	TAU_REC_ALLOC = 7,	/* varint memtype, varint bytes, varint inner: bytes of it that other ALLOCs count, too (not there: 0) */
	TAU_REC_FREE = 8,	/* varint memtype, varint bytes */
	TAU_REC_RETYPE = 9,	/* varint from, varint to, varint bytes: one live block turned out to be of type `to` */
	TAU_REC_UNWIND = 10,	/* varint n: the n innermost regions ended without a leave (longjmp, exception, lost hook) */
	TAU_REC_THREAD_BEGIN = 11,	/* varint tid: a thread takes this stream over */
	TAU_REC_THREAD_END = 12,	/* no field: it ended; open regions ended with it */
	TAU_REC_OFF = 13,	/* no field: recording switched off in this stream; open regions stay open. The region TAU_REGION_OFF is
				   entered just before; it has the time until the next ON, which ends it */
	TAU_REC_ON = 14,	/* varint n, then n regions: recording goes on, these n regions are open (outermost first) */
	TAU_REC_METRICS = 15,	/* no field: it is there for its values, and at the end of the process for its time */
	TAU_REC_FOLD = 16,	/* varint up, varint calls, varint ticks, varint n, then n regions: since the last such record, the
				   frame `up` above the innermost open region made, through the n - 1 regions before the last (which
				   are folded too), `calls` calls of the last that are not written; they took `ticks` altogether,
				   from enter to leave. Where `up` is more than are open, the path begins with no region open */
	TAU_REC_SAMPLE = 17,	/* varint ns: CPU time that the sample represents; varint periods that ended inside the recorder, varint
				   periods that were missed (both since the last SAMPLE); varint n, then n code addresses,
				   innermost first, each as zigzag of the difference to the one before (the first: to 0).
				   All but the first are return addresses. n = 0: the record has the counts only */
	TAU_REC_BRIEF = 19,	/* varint memtype, varint bytes: ALLOC and FREE of a block, no other record of the stream between */
	TAU_REC_MARK = 20,	/* varint enum tau_mark, varint event whose name is the mark's, zigzag number: a moment that was named */
	TAU_REC_FOUND = 21,	/* no field: the innermost open region is a call that polls (MPI_Iprobe, MPI_Test), and found a message
				   or a completed request */
	TAU_REC_POSTED = 22,	/* request: the innermost open region has posted a receive, which a later RECV completes */
	TAU_REC_COMPLETED = 23,	/* request: the innermost open region has completed a send */
	TAU_REC_WAITS = 25,	/* varint kind, varint enum tau_coll, varint comm, varint rest, zigzag peer, zigzag tag: waits.h */
	TAU_REC_WAITS_FILE = 26,	/* varint enum tau_file_wait, varint event whose name is the file's, zigzag holder, varint first,
				   varint bytes: waits.h */
	TAU_REC_SYNC = 24,	/* varint enum tau_sync, varint comm (of the window), zigzag peer (world rank; -1: all members): the
				   innermost open region synchronises accesses to a window; a record for each peer */
	TAU_REC_IO = 18,	/* varint enum tau_io, varint event whose name is the file's, varint bytes, varint ticks that the call
				   took (0 = not known), varint offset in the file where the move began (not there: not known) */
};

/* Does an extended record of this kind carry values where its chunk has metrics? (ENTER and LEAVE do.) */
#define TAU_KIND_HAS_METRICS(kind) \
	((1ull << (kind) & (1ull << TAU_REC_UNWIND | 1ull << TAU_REC_THREAD_BEGIN | 1ull << TAU_REC_THREAD_END | \
			    1ull << TAU_REC_OFF | 1ull << TAU_REC_ON | 1ull << TAU_REC_METRICS)) != 0)

enum tau_coll {
	TAU_COLL_BARRIER, TAU_COLL_BROADCAST, TAU_COLL_REDUCE, TAU_COLL_ALLREDUCE, TAU_COLL_GATHER,
	TAU_COLL_ALLGATHER, TAU_COLL_ALLTOALL, TAU_COLL_SCATTER, TAU_COLL_SCAN, TAU_COLL_REDUCE_SCATTER,
	TAU_COLL_OTHER, TAU_COLLS
};
/* POST exposes memory to the peer, which WAIT ends; START begins accesses to that of the peer, which COMPLETE ends. */
enum tau_sync {
	TAU_SYNC_POST, TAU_SYNC_WAIT, TAU_SYNC_START, TAU_SYNC_COMPLETE, TAU_SYNC_LOCK, TAU_SYNC_LOCK_SHARED, TAU_SYNC_UNLOCK, TAU_SYNCS
};
enum tau_rma { TAU_RMA_PUT, TAU_RMA_GET, TAU_RMA_ATOMIC, TAU_RMAS };
/* MPI_: by a function of MPI, which may read and write itself, too. From OPEN on no bytes are moved: LIST begins to read a directory. */
enum tau_io {
	TAU_IO_READ, TAU_IO_WRITE, TAU_IO_MPI_READ, TAU_IO_MPI_WRITE,
	TAU_IO_OPEN, TAU_IO_CLOSE, TAU_IO_STAT, TAU_IO_ACCESS, TAU_IO_REMOVE, TAU_IO_RENAME, TAU_IO_MKDIR, TAU_IO_RMDIR, TAU_IO_LIST,
	TAU_IO_LOCK, TAU_IO_UNLOCK	/* the lock was got, or given back */
};
enum tau_mark { TAU_MARK_COMMAND, TAU_MARK_SNAPSHOT };	/* by tau-record --control; by the program, for a profile or a snapshot */

/*
 * Definitions: varint kind, varint length, fields. Unknown kinds are skipped. The last one of an id holds.
 * Region ids are dense in each file, and so are metric ids; ids of events, communicators and memtypes may have gaps
 * (they are numbers of the process) and are below 2^28. Communicator 0 is the world and has no definition.
 */
enum tau_def_kind {
	TAU_DEF_REGION = 1,	/* varint region, string name, string groups ("MPI|TAU_USER"), string file, varint line (0 unknown); for
				   a region at a place in the code then 8 bytes address inside the call (named like ADDRESS) */
	TAU_DEF_ADDRESS = 2,	/* varint region, 8 bytes address: a function seen by the compiler hooks; name it from the last MODULE
				   before it that covers the address */
	TAU_DEF_MODULE = 3,	/* 8 bytes begin, 8 bytes end, 8 bytes bias (address - ELF vaddr), string path, string build id (raw
				   bytes) */
	TAU_DEF_EVENT = 4,	/* varint event, varint enum tau_event_flag, string name; of a lock then 8 bytes its address, 8 bytes
				   address inside the call that first waited (both named like ADDRESS; 0: not known) */
	TAU_DEF_META = 5,	/* string name, string value */
	TAU_DEF_RANK = 6,	/* varint rank, varint size, varint enum tau_rank_source */
	TAU_DEF_COMM = 7,	/* varint comm, string name, varint n, then n varint world ranks in communicator order; where two groups
				   talk to each other, varint how many of those are the first group, otherwise 0; then varint number, the
				   same in all members; communicators with the same ranks have different numbers (0, or no field:
				   unknown) */
	TAU_DEF_MEMTYPE = 8,	/* varint memtype, varint owner memtype (0 = none), varint enum tau_memtype_flag, varint object size (0
				   unknown), string name, string library */
	TAU_DEF_THREAD = 9,	/* varint tid, string name; then varint enum tau_thread_kind, if it is not 0 */
	TAU_DEF_LIMIT = 11,	/* varint region, varint enum tau_limit, varint calls: after this number of calls this stream stops to
				   record the region, or folds it */
	TAU_DEF_SITE = 12,	/* varint memtype, 8 bytes address: the memtype of that number, which is defined next, was allocated by
				   the call that ends there (named like ADDRESS); where the address is 0, string name, string file,
				   varint line follow; otherwise string path, string hexadecimal build id, varint bias may: an unloaded module */
	TAU_DEF_BLOCK = 13,	/* varint block (1 to TAU_BLOCK_MAX), varint memtype, varint bytes */
	TAU_DEF_STACK = 14,	/* varint stack, varint caller (a stack, 0 = none), 8 bytes address: where a call by `caller` returns
				   (named like ADDRESS); 0: callers not known */
	TAU_DEF_PATH = 15,	/* varint memtype, varint stack: the memtype of that number, which is defined next, was allocated by
				   these calls; a SITE may follow before it */
	TAU_DEF_CODE = 16,	/* 8 bytes address, varint inlined, string module, string name, string file, varint line: a function at
				   an address of samples (of a caller one below), by name; inlined 1: into the function of the definition
				   that follows */
	TAU_DEF_CALL = 17,	/* varint region, varint called, 8 bytes site, 8 bytes function: the calls of one place in the code,
				   which end at the address `site` (named like ADDRESS); called: 1 + the region in the file that is
				   called there, or 0: the function */
	TAU_DEF_METRIC = 10,	/* varint metric, varint enum tau_metric_flag, string name, string unit: "ns" (profiles show
				   microseconds), "B", or "" for a count */
	TAU_DEF_RENAME = 18,	/* varint event, varint number, string name: of all its values, in all streams; the largest number holds */
};
enum tau_limit { TAU_LIMIT_THROTTLE = 1, TAU_LIMIT_BUDGET = 2, TAU_LIMIT_FOLD = 3 /* calls are recorded by number and time only */ };
enum tau_thread_kind {
	TAU_THREAD_DEVICE = 1,	/* a queue of a device, no thread of the process: tid is 0 */
	TAU_THREAD_VALUES = 2,	/* no thread, either: it has values of counters alone, which tau-record writes */
};
enum tau_metric_flag { TAU_METRIC_LEVEL = 1 };	/* a level, which may fall; otherwise it counts up */
/* Metrics of these names are shown as samples at each region's entry and exit, and are not in profiles: bytes */
/* TAU_METRIC_HEAP: live in the process; TAU_METRIC_HEADROOM: that it could still get (metadata.h) */
enum tau_event_flag {
	TAU_EVENT_MONOTONIC = 1,
	TAU_EVENT_CONTEXT = 2,
	/* The name is a kind of lock. Inside each call that waits there is a value: the stream of the
	   thread that has the lock, -1 unknown, -2 no thread can have it (a condition variable).
	   8 bytes address of the lock, 8 bytes address in the call that waited first. Where strings
	   name and place follow, the addresses are none, and the first is a number of the lock. */
	TAU_EVENT_LOCK = 4,
	TAU_EVENT_NAME = 8,	/* only a name, of marks or numbered regions: it has no values */
};
#define TAU_LOCK_UNNAMED 1	/* as address of a lock: that of all critical sections without a name */
enum tau_rank_source { TAU_RANK_MPI = 1, TAU_RANK_SHMEM = 2, TAU_RANK_USER = 3 };
enum tau_memtype_flag {
	TAU_MEM_CLASS = 1,    /* the name is an object type, not a place */
	TAU_MEM_SLAB = 2,     /* bytes of a block that holds many objects of the type (free list) */
	TAU_MEM_UNTYPED = 4,  /* no type is known; `library` is the library whose code allocated it */
	TAU_MEM_API = 8,      /* came through Tau_track_class_allocation and its kin */
	TAU_MEM_SITE = 16,    /* a SITE has the place of the allocation */
	TAU_MEM_MANGLED = 32, /* the name is a C++ type as type_info holds it */
	/* Not memory but a finding: each ALLOC is a block that was never freed, and what could
	   still get at it at the end. */
	TAU_MEM_REACHABLE = 64, /* a global variable, a stack, or what these hold, leads to it */
	TAU_MEM_LOST = 128,     /* nothing does; with REACHABLE: only other lost blocks do */
	TAU_MEM_STACK = 256,    /* a PATH has the calls by which it was allocated */
	TAU_MEM_CONTEXT = 512,  /* its allocations and frees are also shown by call path */
	TAU_MEM_MAPPED = 1024,  /* address space that `library` took from the system; the name has all of it */
};
/* The class system of a type, in the flags of its memtype; earlier recorders wrote none. */
enum tau_mem_family {
	TAU_FAMILY_UNKNOWN, TAU_FAMILY_OPAL, TAU_FAMILY_PMIX, TAU_FAMILY_CXX, TAU_FAMILY_PYTHON, TAU_FAMILY_RULE,
	TAU_FAMILY_VARIABLE, /* a global variable that owns memory: its name, "": all without one of its library */
	TAU_FAMILIES
};
#define TAU_MEM_FAMILY(family) ((unsigned)(family) << 11)	/* 3 bits */
#define TAU_MEM_FAMILY_OF(flags) ((unsigned)((flags) >> 11 & 7))

/*
 * The selection that tau-record passes to the recorder, in a hidden file of the run; no part of the trace. Functions with compiler hooks are known by address only, so their names have been looked up before: header |
 * modules | patterns | addresses and texts, which modules and patterns point at by offset in the file.
 */
#define TAU_SELECT_FILE ".select."	/* of the run; then a number of 16 hexadecimal digits */
#define TAU_SELECT_MAGIC "TAUSELCT"
enum tau_select_flag {
	TAU_SELECT_UNKNOWN = 1,	/* exclude functions of modules that are not in the table */
};
enum tau_select_kind {
	TAU_SELECT_EXCLUDE, TAU_SELECT_INCLUDE, TAU_SELECT_FILE_EXCLUDE, TAU_SELECT_FILE_INCLUDE,
	TAU_SELECT_START, TAU_SELECT_STOP,	/* recording starts when such a region is entered, or stops when it is left */
	/* A command during the run: the only pattern of its table, whose lists OUT hold the functions that it fits. */
	TAU_SELECT_NOW_EXCLUDE, TAU_SELECT_NOW_INCLUDE, TAU_SELECT_KINDS
};
enum tau_select_list {
	TAU_LIST_OUT, TAU_LIST_START, TAU_LIST_STOP, TAU_LIST_PATCH /* to be patched, if they are patchable */, TAU_SELECT_LISTS
};
struct tau_select_header {
	char magic[8];
	uint32_t flags;
	uint32_t modules, patterns;
	uint32_t crc;		/* CRC-32 of what follows the header */
	uint64_t size;		/* of the file */
};
struct tau_select_module {
	uint64_t id, id_n;	/* build id, 0 bytes: go by the path */
	uint64_t path, path_n;
	uint64_t address[TAU_SELECT_LISTS];	/* ELF virtual addresses of functions, 8 bytes each, ascending */
	uint64_t address_n[TAU_SELECT_LISTS];
};
struct tau_select_pattern {
	uint32_t kind, length;
	uint64_t text;
};

/* A process asks tau-record through a pipe for the table of one more module. size: of this and its path; no path: the last request. */
#define TAU_SELECT_PATH_MOST 4000
struct tau_select_request { uint32_t size, reserved; uint64_t number; };

/* ---- the group of the low byte of a time (TAU_LAYOUT_NUMBERS), for writers and readers ---- */

/*
 * Fills the table, by number, with two pairs of bits. Bits 0 and 1 are compared with bits 2 and 3 of the record before: the lower bit
 * of a pair is for tokens, the upper one for leaves. If one bit is set in both, the time is in group 1.
 */
static inline void tau_groups_pairs(uint8_t says[256], uint32_t listed, const uint8_t *groups)
{
	for (uint32_t k = 0; k < 256; k++)
		says[k] = k >= listed ? 0 : (uint8_t)((k ? groups[k] & 1 : 2) | 1 << 2 | (groups[k] & 2) << 2);
}

/* Is the time of a record in group 1? here, before: the bits of the record and of the one before it. */
static inline int tau_groups_second(uint32_t here, uint32_t before)
{
	return (here & before >> 2 & 3) != 0;
}

/* 32 at a time, for those who define TAU_FORMAT_VECTORS before anything is included. */
#if defined(TAU_FORMAT_VECTORS) && defined(__x86_64__)
#include <immintrin.h>

#define TAU_GROUPS_AVX2 __attribute__((target("avx2,popcnt")))

static inline int tau_groups_fast(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

/* Looks up 32 numbers, all below 16 * pieces, in the table, 16 bytes of it at a time. */
TAU_GROUPS_AVX2 static inline __m256i tau_groups_look_up(const uint8_t *says, uint32_t pieces,
						 __m256i numbers)
{
	const __m256i inside = _mm256_set1_epi8(0x70);
	__m256i got = _mm256_setzero_si256();

	for (uint32_t k = 0; k < pieces; k++) {
		__m256i piece = _mm256_broadcastsi128_si256(
				_mm_loadu_si128((const void *)(says + 16 * k))),
			at = _mm256_xor_si256(numbers, _mm256_set1_epi8((char)(16 * k)));

		got = _mm256_or_si256(
			got, _mm256_shuffle_epi8(piece, _mm256_adds_epu8(at, inside)));
	}
	return got;
}

/*
 * A mask of the next 32 records: a bit is set if the time is in group 0. *last: the looked-up bits of the 32 records before, of
 * which only the last byte is used; receives those of these records.
 */
TAU_GROUPS_AVX2 static inline uint32_t tau_groups_first(const uint8_t *says, uint32_t pieces,
						const uint8_t *numbers, __m256i *last)
{
	__m256i here = tau_groups_look_up(says, pieces, _mm256_loadu_si256((const void *)numbers)),
		before = _mm256_alignr_epi8(here, _mm256_permute2x128_si256(*last, here, 0x21), 15),
		second = _mm256_and_si256(_mm256_and_si256(here, _mm256_set1_epi8(3)),
					  _mm256_srli_epi16(before, 2));

	*last = here;
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(second, _mm256_setzero_si256()));
}
#endif

_Static_assert(sizeof(struct tau_file_header) == 64, "file header");
_Static_assert(sizeof(struct tau_chunk_header) == 104, "chunk header");
_Static_assert(sizeof(struct tau_index_entry) == 32, "index entry");
_Static_assert(sizeof(struct tau_trailer) == 48, "trailer");
_Static_assert(sizeof(struct tau_live_header) == 512, "live header");
_Static_assert(sizeof(struct tau_lives_header) == 64, "head of the live chunks of threads");
_Static_assert(sizeof(struct tau_fold_header) == 64, "head of folded calls");
_Static_assert(sizeof(struct tau_fold_node) == 24, "folded calls");
_Static_assert(sizeof(struct tau_names_header) == 64, "head of names");
_Static_assert(sizeof(struct tau_select_header) == 32, "selection header");
_Static_assert(sizeof(struct tau_select_module) == 96, "selection module");
_Static_assert(sizeof(struct tau_select_pattern) == 16, "selection pattern");

#endif
