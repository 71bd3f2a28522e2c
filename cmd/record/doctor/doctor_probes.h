/* doctor_probes.h: what the recorded children of tau-record --doctor do. Each probe returns an exit status: 0, or why it could not. */
#ifndef DOCTOR_PROBES_H
#define DOCTOR_PROBES_H

enum { PROBE_NOT_HERE = 77 /* the library that is wrapped is not installed */ };

/* A region "doctor" by calls of tau.h. */
int probe_regions(void);
/* The same, if the recorder or a wrapper has this function, which a runtime or a program looks for. */
int probe_entry(const char *name);
/* One for each other source. */
int probe_hooks(void);
int probe_mpi(void);
int probe_mpich(void);
int probe_shmem(void);
int probe_memory(void);
int probe_pthread(void);
int probe_io(void);
int probe_process(void);
int probe_kokkos(void);
int probe_cuda(void);
int probe_perfstubs(void);
int probe_openmp(void);
int probe_ompt(void);
int probe_python(void);
int probe_patch(void);
int probe_null(void);
int probe_burn(void);

#endif
