/* file_locks.c: who has the lock of a file for which a process waits, by tables as the kernel has them. */
#include "convert/native/live/file_locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

static const char table[] = "1: POSIX  ADVISORY  WRITE 10 fe:00:123 0 EOF\n"
			    "1: -> POSIX  ADVISORY  READ  11 fe:00:123 0 99\n"
			    "1:  -> POSIX  ADVISORY  WRITE 12 fe:00:123 0 99\n"
			    "2: FLOCK  ADVISORY  WRITE 20 fe:00:124 0 EOF\n"
			    "2: -> FLOCK  ADVISORY  WRITE 21 fe:00:124 0 EOF\n"
			    "2: -> FLOCK  ADVISORY  WRITE 11 fe:00:124 0 EOF\n"
			    "3: OFDLCK ADVISORY  WRITE -1 fe:00:125 0 EOF\n"
			    "3: -> OFDLCK ADVISORY  WRITE 30 fe:00:125 0 EOF\n"
			    "4: LEASE  ACTIVE    READ  40 fe:00:126 0 EOF\n"
			    "no lock\n"
			    "5: ->\n";

int main(void)
{
	struct file_locks x;
	char path[] = "/tmp/file_locks.XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	fputs(table, f);
	fclose(f);
	file_locks_read(&x, path);
	ok(file_locks_holder(&x, 21) == 20, "a process waits for another one");
	ok(file_locks_holder(&x, 12) == 10, "behind one that waits, too");
	ok(file_locks_holder(&x, 11) == 0, "threads of one wait for two processes");
	ok(file_locks_holder(&x, 30) == 0, "the lock is of an open file");
	ok(file_locks_holder(&x, 10) == 0 && file_locks_holder(&x, 40) == 0, "a process that has a lock does not wait");
	file_locks_release(&x);
	file_locks_read(&x, "/nowhere/locks");
	ok(file_locks_holder(&x, 21) == 0, "there is no table");
	file_locks_release(&x);
	unlink(path);
	return tap_end();
}
