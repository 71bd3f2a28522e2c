/*
 * cpu_samples.h: where the CPU time of a recorded program goes, from outside: the kernel notes its instruction address again
 * and again (perf_event_open of the task clock). The program sees nothing of it: no signal, no descriptor, no thread.
 * Where the kernel does not allow it, there are no samples.
 */
#ifndef CPU_SAMPLES_H
#define CPU_SAMPLES_H

#include <stdint.h>
#include <sys/types.h>

struct cpu_samples;

/* One process. */
struct cpu_sampled {
	uint32_t pid;
	uint64_t recorder, all;	/* time in samples: in the recorder's libraries and in the kernel for them, in all */
	uint64_t messages;	/* time in the libraries of MPI and OpenSHMEM and in the kernel for them, where ranks poll */
	uint64_t samples;	/* samples that show this */
	uint64_t taken;		/* samples of which each had its cost, these and others */
	int kernel;	/* of all CPU time; 0: of user time only */
};

/* Prepares to follow `pid`, and the threads and processes that it will start. NULL: it cannot be done. */
struct cpu_samples *cpu_samples_start(pid_t pid);
/* Takes samples until process `pid` may be waited for. Calls f(of) now and then, each 5 to 600 ms. */
void cpu_samples_wait(struct cpu_samples *s, pid_t pid, void (*f)(void *of), void *of);
/* The processes that were sampled, ascending by pid; *n 0: none. */
const struct cpu_sampled *cpu_samples_get(const struct cpu_samples *s, size_t *n);
/* How often other work took a processor from the processes that were sampled; about, where samples were taken in bursts. */
double cpu_samples_preempted(const struct cpu_samples *s);
/*
 * The CPU time, in ns, that a sample takes from the process that is sampled: measured now, well (1: in 30 to 60 ms of this
 * process) or roughly (0: in 5 to 10 ms). 0: it is too small to be seen.
 */
double cpu_samples_cost(int well);
/* s may be NULL. */
void cpu_samples_free(struct cpu_samples *s);

#endif
