#!/bin/sh
# tau_exec.sh: tau_exec and tau_python: run a program, or a script of Python, as TAU's scripts of these names do: translate their
# options into those of tau-record.
# Requires: POSIX sh. tau-record is in the folder that contains this script, otherwise in PATH.

me=$(basename -- "$0") record=$(dirname -- "$0")/tau-record
[ -x "$record" ] || record=tau-record

usage() {
	cat <<'END'
Usage: tau_exec [options] [--] PROGRAM [ARGUMENTS]
       tau_python [options] [--] SCRIPT | -m MODULE | -c STATEMENTS [ARGUMENTS]

Records a program by tau-record, with options of TAU's tau_exec; tau_python records functions of Python. In a parallel job:
mpirun -np 4 tau_exec -T mpi,pthread -ebs -io ./app

Options:
  -T TAGS                  what to record, separated by commas: serial (no MPI), mpi, shmem, pthread, openmp, cupti, openacc, python
  -io                      files and streams
  -memory                  allocations
  -memory_debug            also blocks that were never freed
  -ebs                     samples
  -ebs_period=USEC         CPU time between two samples, in microseconds
  -ebs_unwind              samples with their callers
  -ompt, -gomp, -openmp    OpenMP
  -openacc                 OpenACC
  -cuda, -cupti, -um       CUDA, with unified memory
  -shmem                   OpenSHMEM
  -ittnotify               tasks of ITT
  -power, -monitoring      load, memory, energy, network and disks at an interval
  -disable-kokkos          no events of Kokkos
  -loadlib=FILE            also preload this library, or a wrapper of tau-record --make-wrapper
  -tau-python-interpreter=PROGRAM  of tau_python: python3, or python
  -tau-python-args=WORDS   of tau_python: options of the interpreter
  -s                       print the environment and the command, and do not run it
  -v                       print each step
  -h                       print the options and exit

Other options of TAU have no effect or are refused; the message says which and why. See tau_exec(1), tau-record --help.
END
}
refuse() {	# option, what to do
	echo "$me: $1: $2" >&2
	exit 125
}
# Ranks get the same options, so the first one prints it for all.
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-${SLURM_PROCID:-0}}}}
without() {	# option, why
	[ "$rank" != 0 ] || echo "$me: $1 has no effect: $2" >&2
}

interpreter='' words='' wrap='' io='' memory='' sample='' period='' source='' unwind='' system='' dry='' verbose=''
wrap() {
	wrap=${wrap:+$wrap,}$1
}
# A word of the name of TAU's library. Words for how TAU itself was built change nothing.
tag() {
	case $1 in
	serial) wrap -mpi,-shmem ;;
	mpi | shmem | pthread | python | openacc) wrap "+$1" ;;
	openmp | ompt | gomp | opari) wrap +openmp ;;
	cupti | cuda) wrap +cuda ;;
	io) io=1 ;;
	'' | shared | profile | trace | pdt | papi | bfd | unwind | gnu | gcc | intel | icpc | clang | pgi | nvhpc | cray | disable) ;;
	*) without "-T $1" "tau-record has no such source of events" ;;
	esac
}
tags() {
	set -f
	for word in $(printf '%s\n' "$1" | tr 'A-Z,-' 'a-z  '); do
		tag "$word"
	done
	set +f
}

[ "$me" != tau_python ] || wrap +python
[ $# -gt 0 ] || {
	usage
	exit 0
}
while [ $# -gt 0 ]; do
	case $1 in
	-T)
		[ $# -gt 1 ] || refuse "-T" "needs tags, such as -T mpi,pthread"
		tags "$2"
		shift
		;;
	-tau:*) tags "${1#-tau:}" ;;
	-XrunTAUsh-*) tags "${1#-XrunTAUsh-}" ;;
	-XrunTAU-*) tags "${1#-XrunTAU-}" ;;
	-io) io=1 ;;
	-memory) memory=${memory:-events} ;;
	-memory_debug)
		memory=leaks
		without "the check of $1 for writes past the end of a block" "a program built with -fsanitize=address finds them"
		;;
	-ebs) sample=1 ;;
	-ebs_period=*)
		sample=1 period=${1#*=}
		case $period in '' | *[!0-9]*) refuse "$1" "use a number of microseconds, for example -ebs_period=10000" ;; esac
		;;
	-ebs_source=*) sample=1 source=${1#*=} ;;
	-ebs_resolution=*)
		sample=1
		without "$1" "samples have function, file and line; choose when you report: tau-report --sample-resolution"
		;;
	-ebs_unwind) unwind=1 ;;
	-openmp | -ompt | -gomp) wrap +openmp ;;
	-openacc) wrap +openacc ;;
	-cuda | -cupti | -um | -uvm) wrap +cuda ;;
	-shmem) wrap +shmem ;;
	-ittnotify) wrap +itt ;;
	-disable-kokkos) wrap -kokkos ;;
	-power | -monitoring) system=1 ;;
	-loadlib=*)
		file=${1#*=}
		case $file in
		'') refuse "$1" "name a library" ;;
		*/*) [ -r "$file" ] || refuse "$1" "there is no such file" ;;
		esac
		case $file in
		*/libtau-*.so) wrap "+$file" ;;
		*) export LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$file" ;;
		esac
		;;
	-s) dry=1 ;;
	-v | -vv | -d | -verbose | --verbose) verbose=1 ;;
	-h | -help | --help)
		usage
		exit 0
		;;
	-V | --version) exec "$record" --version ;;
	-opencl) without "$1" "OpenCL is recorded by a wrapper only; tau-record --make-wrapper makes one" ;;
	-armci | -gasp | -dmapp | -ugni | -chapel | -gptl | -nccl | -l0 | -L0 | -oneapi | -level_zero | -levelzero)
		without "$1" "tau-record has no such source of events; --make-wrapper makes one of a C header" ;;
	-rocm) without "$1" "of ROCm only ranges of ROCTX are recorded, with -w roctx if the program does not link it" ;;
	-cupti_pc | -rocm_pc | -rocm_pc_host | -rocm_pc_stoc | -l0_pc | -sass=* | -csv)
		without "$1" "nothing inside kernels of GPUs is sampled or counted" ;;
	-env) without "$1" "power and clocks of GPUs are not read; -monitoring reads those of the host" ;;
	-numa) without "$1" "accesses to memory of other NUMA nodes are not counted" ;;
	-syscall) without "$1" "system calls are not recorded; -io records those of files" ;;
	-adios2 | -adios2_trace | -sos | -skel) without "$1" "a run is a directory; tau-convert writes other formats of it" ;;
	-sqlite3) without "$1" "tau-db stores runs in SQLite" ;;
	-pthread-stopper) without "$1" "all threads are recorded" ;;
	-zerosum | -apex) without "$1" "load that library with -loadlib=FILE" ;;
	-disable_ld_preload) without "$1" "the recorder is always preloaded" ;;
	-qsub) refuse "$1" "put tau_exec between the launcher and the program: qsub ... tau_exec -io ./app" ;;
	-gdb) refuse "$1" "start the program without -gdb and attach the debugger to it: gdb -p PID" ;;
	-pin | -ptts | -ptts-*) refuse "$1" "run the program with that tool instead of tau_exec" ;;
	-tau-python-filter=*) refuse "$1" "exclude functions with a selection file: tau-record --select" ;;
	-tau-python-interpreter=* | -tau-python-args=* | -m | -c)
		[ "$me" = tau_python ] || refuse "$1" "is an option of tau_python"
		case $1 in
		-tau-python-interpreter=*) interpreter=${1#*=} ;;
		-tau-python-args=*) words=${1#*=} ;;
		*) break ;;
		esac
		;;
	-spark-python) refuse "$1" "name the interpreter: tau_exec -T python python3 app.py" ;;
	--)
		shift
		break
		;;
	-*) refuse "$1" "not an option of TAU's tau_exec; its options: tau_exec -h; other options: tau-record --help" ;;
	*) break ;;
	esac
	shift
done
if [ "$me" = tau_python ]; then
	[ $# -gt 0 ] || refuse "no script given" "tau_python [options] app.py"
	[ -n "$interpreter" ] || interpreter=$(command -v python3 || command -v python) || refuse "python3" "there is no such program"
	# As TAU does: an operand that is not a file is a module.
	case $1 in -[mc]) ;; *) [ -e "$1" ] || set -- -m "$@" ;; esac
	# shellcheck disable=SC2086 # options in words
	set -- "$interpreter" $words "$@"
fi
[ $# -gt 0 ] || refuse "no program given" "tau_exec [options] ./app"

case $source in
'' | itimer | ITIMER | TIME) ;;
*)
	period=''
	without "-ebs_source=$source, with its period," "samples are taken by CPU time; tau-record --metrics counts PAPI events in regions"
	;;
esac
[ -z "$io" ] || wrap +io
# In front of the program's words, the last option first.
set -- -- "$@"
[ -z "$verbose" ] || set -- --verbose "$@"
[ -z "$dry" ] || set -- --dry-run "$@"
[ -z "$system" ] || set -- --system "$@"
[ -z "$unwind" ] || set -- --unwind "$@"
[ -z "$sample" ] || set -- "--sample${period:+=$period}" "$@"
[ -z "$memory" ] || set -- "--memory=$memory" "$@"
[ -z "$wrap" ] || set -- "--wrap=$wrap" "$@"
exec "$record" "$@"
