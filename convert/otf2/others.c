/* others.c: records of which nothing is made, as there is nothing like them here: counts them by kind. */
#include "convert/otf2/location.h"
#include "convert/otf2/record.h"

/* The callbacks need the fields of these records, but do not use them. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The kinds: as the library calls them, as otf2-print does, and their fields. */
#define KINDS(X) \
	X(MpiRequestTest, "MPI_REQUEST_TEST", uint64_t a) \
	X(MpiRequestCancelled, "MPI_REQUEST_CANCELLED", uint64_t a) \
	X(OmpFork, "OMP_FORK", uint32_t a) \
	X(OmpJoin, "OMP_JOIN") \
	X(OmpAcquireLock, "OMP_ACQUIRE_LOCK", uint32_t a, uint32_t b) \
	X(OmpReleaseLock, "OMP_RELEASE_LOCK", uint32_t a, uint32_t b) \
	X(OmpTaskCreate, "OMP_TASK_CREATE", uint64_t a) \
	X(OmpTaskComplete, "OMP_TASK_COMPLETE", uint64_t a) \
	X(RmaWinCreate, "RMA_WIN_CREATE", OTF2_RmaWinRef a) \
	X(RmaWinDestroy, "RMA_WIN_DESTROY", OTF2_RmaWinRef a) \
	X(RmaRequestLock, "RMA_REQUEST_LOCK", \
	  OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d) \
	X(RmaTryLock, "RMA_TRY_LOCK", OTF2_RmaWinRef a, uint32_t b, uint64_t c, OTF2_LockType d) \
	X(RmaWaitChange, "RMA_WAIT_CHANGE", OTF2_RmaWinRef a) \
	X(RmaOpCompleteBlocking, "RMA_OP_COMPLETE_BLOCKING", OTF2_RmaWinRef a, uint64_t b) \
	X(RmaOpCompleteNonBlocking, "RMA_OP_COMPLETE_NON_BLOCKING", \
	  OTF2_RmaWinRef a, uint64_t b) \
	X(RmaOpTest, "RMA_OP_TEST", OTF2_RmaWinRef a, uint64_t b) \
	X(RmaOpCompleteRemote, "RMA_OP_COMPLETE_REMOTE", OTF2_RmaWinRef a, uint64_t b) \
	X(ThreadFork, "THREAD_FORK", OTF2_Paradigm a, uint32_t b) \
	X(ThreadJoin, "THREAD_JOIN", OTF2_Paradigm a) \
	X(ThreadTeamBegin, "THREAD_TEAM_BEGIN", OTF2_CommRef a) \
	X(ThreadTeamEnd, "THREAD_TEAM_END", OTF2_CommRef a) \
	X(ThreadAcquireLock, "THREAD_ACQUIRE_LOCK", OTF2_Paradigm a, uint32_t b, uint32_t c) \
	X(ThreadReleaseLock, "THREAD_RELEASE_LOCK", OTF2_Paradigm a, uint32_t b, uint32_t c) \
	X(ThreadTaskCreate, "THREAD_TASK_CREATE", OTF2_CommRef a, uint32_t b, uint32_t c) \
	X(ThreadTaskComplete, "THREAD_TASK_COMPLETE", OTF2_CommRef a, uint32_t b, uint32_t c) \
	X(ThreadCreate, "THREAD_CREATE", OTF2_CommRef a, uint64_t b) \
	X(ThreadBegin, "THREAD_BEGIN", OTF2_CommRef a, uint64_t b) \
	X(ThreadWait, "THREAD_WAIT", OTF2_CommRef a, uint64_t b) \
	X(ThreadEnd, "THREAD_END", OTF2_CommRef a, uint64_t b) \
	X(IoCreateHandle, "IO_CREATE_HANDLE", \
	  OTF2_IoHandleRef a, OTF2_IoAccessMode b, OTF2_IoCreationFlag c, OTF2_IoStatusFlag d) \
	X(IoDestroyHandle, "IO_DESTROY_HANDLE", OTF2_IoHandleRef a) \
	X(IoDuplicateHandle, "IO_DUPLICATE_HANDLE", \
	  OTF2_IoHandleRef a, OTF2_IoHandleRef b, OTF2_IoStatusFlag c) \
	X(IoSeek, "IO_SEEK", OTF2_IoHandleRef a, int64_t b, OTF2_IoSeekOption c, uint64_t d) \
	X(IoChangeStatusFlags, "IO_CHANGE_STATUS_FLAGS", \
	  OTF2_IoHandleRef a, OTF2_IoStatusFlag b) \
	X(IoDeleteFile, "IO_DELETE_FILE", OTF2_IoParadigmRef a, OTF2_IoFileRef b) \
	X(IoOperationTest, "IO_OPERATION_TEST", OTF2_IoHandleRef a, uint64_t b) \
	X(IoOperationIssued, "IO_OPERATION_ISSUED", OTF2_IoHandleRef a, uint64_t b) \
	X(IoAcquireLock, "IO_ACQUIRE_LOCK", OTF2_IoHandleRef a, OTF2_LockType b) \
	X(IoReleaseLock, "IO_RELEASE_LOCK", OTF2_IoHandleRef a, OTF2_LockType b) \
	X(IoTryLock, "IO_TRY_LOCK", OTF2_IoHandleRef a, OTF2_LockType b) \
	X(ProgramBegin, "PROGRAM_BEGIN", OTF2_StringRef a, uint32_t b, const OTF2_StringRef *c) \
	X(ProgramEnd, "PROGRAM_END", int64_t a) \
	X(NonBlockingCollectiveRequest, "NON_BLOCKING_COLLECTIVE_REQUEST", uint64_t a) \
	X(CommCreate, "COMM_CREATE", OTF2_CommRef a) \
	X(CommDestroy, "COMM_DESTROY", OTF2_CommRef a)

#define NUMBER(name, ...) KIND_##name,
/* Those of MPI's windows become events (window_sync.c). */
#define SYNC_KINDS(X)                                                                              \
	X(RmaGroupSync, "RMA_GROUP_SYNC")                                                          \
	X(RmaAcquireLock, "RMA_ACQUIRE_LOCK")                                                      \
	X(RmaReleaseLock, "RMA_RELEASE_LOCK")                                                      \
	X(RmaSync, "RMA_SYNC")

enum kind { KINDS(NUMBER) SYNC_KINDS(NUMBER) UNKNOWN, KINDS_N };

static OTF2_CallbackCode count(void *to, OTF2_TimeStamp time, const OTF2_AttributeList *attributes,
			       enum kind kind)
{
	struct trace_cursor *c = to;

	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	c->over[kind]++;
	return archive_end(c);
}

#define CALLBACK(name, text, ...)                                                                  \
	static OTF2_CallbackCode on_##name(ARCHIVE_EVENT, ##__VA_ARGS__)                           \
	{                                                                                          \
		return count(to, time, attributes, KIND_##name);                                   \
	}
KINDS(CALLBACK)

/* CALL: what makes events of it. */
#define SYNC_CALLBACK(name, call, ...)                                                             \
	static OTF2_CallbackCode on_##name(ARCHIVE_EVENT, ##__VA_ARGS__)                           \
	{                                                                                          \
		struct trace_cursor *cursor = to;                                                  \
\
		if (!archive_begin(cursor, time, attributes))                                      \
			return OTF2_CALLBACK_INTERRUPT;                                            \
		if (!call)                                                                         \
			cursor->over[KIND_##name]++;                                               \
		return archive_end(cursor);                                                        \
	}
SYNC_CALLBACK(RmaGroupSync, archive_group_sync(cursor, window, group), OTF2_RmaSyncLevel level,
	      OTF2_RmaWinRef window, OTF2_GroupRef group)
SYNC_CALLBACK(RmaAcquireLock, archive_lock(cursor, window, remote, type), OTF2_RmaWinRef window,
	      uint32_t remote, uint64_t id, OTF2_LockType type)
SYNC_CALLBACK(RmaReleaseLock, archive_unlock(cursor, window, remote), OTF2_RmaWinRef window,
	      uint32_t remote, uint64_t id)
SYNC_CALLBACK(RmaSync, archive_sync(cursor, window, remote, type), OTF2_RmaWinRef window,
	      uint32_t remote, OTF2_RmaSyncType type)

static OTF2_CallbackCode on_unknown(ARCHIVE_EVENT)
{
	return count(to, time, attributes, UNKNOWN);
}

#define SET(name, ...) OTF2_EvtReaderCallbacks_Set##name##Callback(to, on_##name);
void archive_on_others(OTF2_EvtReaderCallbacks *to)
{
	KINDS(SET)
	SYNC_KINDS(SET)
	OTF2_EvtReaderCallbacks_SetUnknownCallback(to, on_unknown);
}

#define TEXT(name, text, ...) [KIND_##name] = text,
const char *archive_other(size_t kind)
{
	static const char *const name[KINDS_N] = {
		KINDS(TEXT) SYNC_KINDS(TEXT)[UNKNOWN] = "unknown kinds",
	};

	return name[kind];
}

size_t archive_others(void)
{
	return KINDS_N;
}
