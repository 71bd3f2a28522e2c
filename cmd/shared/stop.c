/* stop.c: SIGINT and SIGTERM as something to wait for. */
#include "cmd/shared/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

int stop_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int stop_wait(int stop, int64_t ns)
{
	struct timespec left = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	struct pollfd p = {.fd = stop, .events = POLLIN};
	int n;

	/* The signal that continues a stopped job interrupts the wait, which then begins again. */
	do
		n = ppoll(&p, 1, &left, NULL);
	while (n < 0 && errno == EINTR);
	return n > 0;
}
