/*
 * chroot.c: programs that give up the path of the run: chroot(). The files of the run are found through descriptors of its
 * directories from then on, which files.c keeps.
 */
#include "record/base/compiler.h"
#include "record/base/files.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/own/own.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORT int chroot(const char *path);

/* The system call itself, as in the C library's function, so that nothing has to be looked up. */
int chroot(const char *path)
{
	int saved = errno;

	if (tau_gate.value != GATE_STRANGER && tau_gate.value != GATE_DEAD && process.directory[0])
		places_keep();
	errno = saved;
	return (int)system_call(SYS_chroot, path);
}
