/*
 * identity.h: distinguishes communicators that have the same members, and windows, by numbers on which their members agree
 * without a message.
 *
 * Communicators are made by calls in which all their members take part, and calls on one communicator come in the same order in all
 * of its members. So the members of a new communicator agree on which one it is of those with these members that were made from the
 * same communicator; that number, the members, and the number of the communicator it was made from are its number.
 *
 * A program may make and free any number of communicators, but few exist at a time. So a new one gets the lowest
 * position that no existing one has. Members agree on it because the thread that makes such communicators frees them, too, and does
 * so in the same order in all of them. A position whose communicator is freed by another thread is not used again, and as soon as a
 * second thread makes such communicators, positions only count up: then the order of calls of different threads, in which
 * processes may differ, has no influence. After POSITIONS such communicators they start again.
 */
#ifndef TAU_WRAP_MPI_IDENTITY_H
#define TAU_WRAP_MPI_IDENTITY_H

#include "wrap.h"

/* The number; 0: the communicator is predefined, or was made by a call that is not one of these. */
uint64_t identity_of(enum peers_kind kind, uintptr_t handle);

/*
 * A call that makes a communicator or window has returned `result`; made: where it stored the handle. tag: of calls that have one
 * because several of them can be made at the same time. Called whether the call is recorded or not.
 */
void identity_copy(int result, MPI_Comm parent, const MPI_Comm *made);
void identity_child(int result, MPI_Comm parent, const MPI_Comm *made);
void identity_of_group(int result, MPI_Comm parent, int tag, const MPI_Comm *made);
void identity_between(int result, int tag, const MPI_Comm *made);
void identity_window(int result, MPI_Comm parent, const MPI_Win *made);

/* The handle is about to be freed. */
void identity_forget(enum peers_kind kind, uintptr_t handle);

#endif
