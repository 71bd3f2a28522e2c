/*
 * TAU_tf.h: reads TAU traces (.trc and .edf) record by record: tau-api(7). Names, arguments and the order of calls are TAU's.
 *
 * Units: times are microseconds since the first record of the file, clkPeriod is seconds, sizes of messages are bytes. Names are in
 * double quotes, as in the .edf file. Tokens of states and user events are their ids in the .edf file.
 *
 * Ownership: texts that a callback gets live until it returns. A handle lives until Ttf_CloseFile().
 *
 * Errors: NULL or -1, and the cause in errno; EBADMSG: not a TAU trace, or a record whose event the .edf file does not define. Out of
 * memory ends the program with one line.
 *
 * Threads: one thread at a time uses a handle.
 */
#ifndef TAU_TF_H
#define TAU_TF_H

#include "TAU_tf_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called once, before all others. */
typedef int (*Ttf_DefClkPeriodT)(void *userData, double clkPeriod);
/* Called before the first record of a thread. */
typedef int (*Ttf_DefThreadT)(void *userData, unsigned int nodeToken, unsigned int threadToken,
			      const char *threadName);
typedef int (*Ttf_EndTraceT)(void *userData, unsigned int nodeToken, unsigned int threadToken);
/* Definitions come before the first record that needs them: all of the .edf file at once, in its order. */
typedef int (*Ttf_DefStateGroupT)(void *userData, unsigned int stateGroupToken,
				  const char *stateGroupName);
typedef int (*Ttf_DefStateT)(void *userData, unsigned int stateToken, const char *stateName,
			     unsigned int stateGroupToken);
typedef int (*Ttf_DefUserEventT)(void *userData, unsigned int userEventToken,
				 const char *userEventName, int monotonicallyIncreasing);
typedef int (*Ttf_EnterStateT)(void *userData, double time, unsigned int nodeToken,
			       unsigned int threadToken, unsigned int stateToken);
typedef int (*Ttf_LeaveStateT)(void *userData, double time, unsigned int nodeToken,
			       unsigned int threadToken, unsigned int stateToken);
/* The thread of the other side is not in a trace, and 0. */
typedef int (*Ttf_SendMessageT)(void *userData, double time, unsigned int sourceNodeToken,
				unsigned int sourceThreadToken, unsigned int destinationNodeToken,
				unsigned int destinationThreadToken, unsigned int messageSize,
				unsigned int messageTag, unsigned int messageComm);
typedef int (*Ttf_RecvMessageT)(void *userData, double time, unsigned int sourceNodeToken,
				unsigned int sourceThreadToken, unsigned int destinationNodeToken,
				unsigned int destinationThreadToken, unsigned int messageSize,
				unsigned int messageTag, unsigned int messageComm);
/* Each record: TAU writes three for each value of an event that is not monotonic: 0, the value, 0. */
typedef int (*Ttf_EventTriggerT)(void *userData, double time, unsigned int nodeToken,
				 unsigned int threadToken, unsigned int userEventToken,
				 long long userEventValue);

/* What a callback returns is ignored; NULL: not called. */
typedef struct Ttf_Callbacks {
	void *UserData;
	Ttf_DefClkPeriodT DefClkPeriod;
	Ttf_DefThreadT DefThread;
	Ttf_DefStateGroupT DefStateGroup;
	Ttf_DefStateT DefState;
	Ttf_EndTraceT EndTrace;
	Ttf_EnterStateT EnterState;
	Ttf_LeaveStateT LeaveState;
	Ttf_SendMessageT SendMessage;
	Ttf_RecvMessageT RecvMessage;
	Ttf_DefUserEventT DefUserEvent;
	Ttf_EventTriggerT EventTrigger;
} Ttf_CallbacksT;

/* A trace without a whole record, too: a program may still be writing it. */
TTF_API Ttf_FileHandleT Ttf_OpenFileForInput(const char *name, const char *edf);
/* 0: times are as in the file. */
TTF_API void Ttf_SetSubtractFirstTimestamp(Ttf_FileHandleT handle, int value);
/* Has no effect: reading never waits for a record. */
TTF_API void Ttf_SetNonBlocking(Ttf_FileHandleT handle, int value);

/* Both return the new position in records; 0: the beginning, or an error, which leaves the position. */
TTF_API int Ttf_AbsSeek(Ttf_FileHandleT handle, int eventPosition);	/* 0 and less: from the end */
TTF_API int Ttf_RelSeek(Ttf_FileHandleT handle, int plusMinusNumEvents);

/*
 * Calls back for at most numberOfEvents records, and at most 1024. Returns the number of records read; 0: there is no whole one, yet.
 * After an error the next call continues after the record that caused it.
 */
TTF_API int Ttf_ReadNumEvents(Ttf_FileHandleT fileHandle, Ttf_CallbacksT callbacks,
			      int numberOfEvents);

/* NULL: not a handle. Otherwise a pointer that is only good for this comparison. */
TTF_API Ttf_FileHandleT Ttf_CloseFile(Ttf_FileHandleT fileHandle);

#ifdef __cplusplus
}
#endif

#endif
