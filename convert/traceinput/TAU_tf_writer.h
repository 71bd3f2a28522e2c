/*
 * TAU_tf_writer.h: writes TAU traces (.trc and .edf): tau-api(7). Names and arguments are TAU's.
 *
 * Units: times are microseconds, and must not decrease within a thread; sizes of messages are bytes. Nodes, threads and tags have
 * 16 bits, sizes 26, communicators 6; higher bits of tags, sizes and communicators are not stored, and larger nodes and threads
 * are refused (EINVAL). Tokens are numbers below 60000 that the program chooses; groups have numbers of their own, and no double quotes
 * in their names.
 *
 * Ownership: texts are copied. A handle lives until Ttf_CloseOutputFile() or Ttf_CloseFile().
 *
 * Errors: a function that returns an int returns 0, or -1 with the cause in errno. Out of memory ends the program with one line.
 *
 * Threads: one thread at a time uses a handle.
 */
#ifndef TAU_TF_WRITER_H
#define TAU_TF_WRITER_H

#include <stdint.h>
#include <stdlib.h>	/* programs that include TAU's header need no line for exit() */

#ifdef __cplusplus
extern "C" {
#endif

#define TTF_API __attribute__((visibility("default")))

typedef void *Ttf_FileHandleT;

/* Empties both files, or creates them. NULL: errno has the cause. */
TTF_API Ttf_FileHandleT Ttf_OpenFileForOutput(const char *name, const char *edf);

/* Has no effect: a trace has microseconds. */
TTF_API int Ttf_DefClkPeriod(Ttf_FileHandleT file, double clkPeriod);
/* Threads that are defined get records of their end when the file is closed. Names are not stored. */
TTF_API int Ttf_DefThread(Ttf_FileHandleT file, unsigned int nodeToken, unsigned int threadToken,
			  const char *threadName);
TTF_API int Ttf_DefStateGroup(Ttf_FileHandleT file, const char *stateGroupName,
			      unsigned int stateGroupToken);
/* The group must have been defined. The last definition of a token counts. */
TTF_API int Ttf_DefState(Ttf_FileHandleT file, unsigned int stateToken, const char *stateName,
			 unsigned int stateGroupToken);
TTF_API int Ttf_DefUserEvent(Ttf_FileHandleT file, unsigned int userEventToken,
			     const char *userEventName, int monotonicallyIncreasing);

TTF_API int Ttf_EnterState(Ttf_FileHandleT file, uint64_t time, unsigned int nodeToken,
			   unsigned int threadToken, unsigned int stateToken);
TTF_API int Ttf_LeaveState(Ttf_FileHandleT file, uint64_t time, unsigned int nodeToken,
			   unsigned int threadToken, unsigned int stateToken);
TTF_API int Ttf_SendMessage(Ttf_FileHandleT file, double time, unsigned int sourceNodeToken,
			    unsigned int sourceThreadToken, unsigned int destinationNodeToken,
			    unsigned int destinationThreadToken, unsigned int messageSize,
			    unsigned int messageTag, unsigned int messageComm);
TTF_API int Ttf_RecvMessage(Ttf_FileHandleT file, double time, unsigned int sourceNodeToken,
			    unsigned int sourceThreadToken, unsigned int destinationNodeToken,
			    unsigned int destinationThreadToken, unsigned int messageSize,
			    unsigned int messageTag, unsigned int messageComm);
/* The value is stored as a whole number. */
TTF_API int Ttf_EventTrigger(Ttf_FileHandleT file, double time, unsigned int nodeToken,
			     unsigned int threadToken, unsigned int userEventToken,
			     double userEventValue);

/* Brings both files up to date. */
TTF_API int Ttf_FlushTrace(Ttf_FileHandleT file);
/* Ends the trace and frees the handle. Always NULL; errno is 0, or the cause of an error. */
TTF_API Ttf_FileHandleT Ttf_CloseOutputFile(Ttf_FileHandleT file);

#ifdef __cplusplus
}
#endif

#endif
