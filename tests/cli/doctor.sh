# doctor.sh: tau-record --doctor tries each source and reports truly which work.
. "$(dirname "$0")/../tap.sh"
export TMPDIR="$T"
cd "$T" || exit 1
mkdir cc && printf '#!/bin/sh\ncase "$*" in *-aux-info*) exit 1 ;; esac\nexec %s "$@"\n' "${CC:-cc}" >cc/no-aux-info && chmod +x cc/no-aux-info
tau-record --doctor >out 2>err </dev/null
is "everything that is installed works" $? 0
is "nothing else is printed" "$(cat err)" ""
for source in regions hooks memory; do
	like "$source works" "$(cat out)" "^$source +works "
done
# That of MPICH is made of the files of another.
wrappers=$({ ls "$TOP"/record/wrap/*.c | sed 's|.*/||; s|\.c$||'; echo mpich; } | sort)
is "each wrapper is a row of --list" "$(tau-record --list | awk '{ print $1 }' | sort)" "$wrappers"
is "and is tried, except what samples need" "$(for w in $wrappers; do grep -q "^$w " out || echo $w; done)" sample
clock='TSC|CLOCK_MONOTONIC'
[ "$(uname -m)" != aarch64 ] || clock=cntvct_el0
like "the clock is named" "$(cat out)" "^clock +($clock)"
like "so is what an event costs" "$(cat out)" '^cost +[0-9.]+ ns per event$'
if [ -e "$B/libtau-mpi.so" ]; then like "mpi works" "$(cat out)" '^mpi +works '; else skip "mpi works" "no Open MPI"; fi
if command -v gcc >/dev/null; then
	like "a wrapper of a library is made and used" "$(CC=gcc tau-record --doctor </dev/null)" '^library +works .*--make-wrapper$'
else
	skip "a wrapper of a library is made and used" "gcc is not installed"
fi
like "without a compiler it says what to install" "$(CC=/nonexistent/cc tau-record --doctor </dev/null)" \
	'^library +absent .*no C compiler.*apt-get install gcc'
like "nor does one do that reports no declarations" "$(CC=no-aux-info PATH="$T/cc:$PATH" tau-record --doctor </dev/null)" \
	'^library +absent .*only GCC'
# Parts that need a library when they are built: the doctor reports what the programs are linked with.
for part in otf2:tau-convert:libopen-trace-format2 curses:tau-monitor:libncursesw httpd:tau-view:libmicrohttpd; do
	name=${part%%:*} library=${part##*:} program=${part#*:}
	if linked "${program%:*}" "$library"; then state='works +'; else state='absent +.*: built without its library: apt-get install lib.*-dev, and build again$'; fi
	like "so is $name, as it was built" "$(cat out)" "^$name +$state"
done
like "the kernel's own counters are tried" "$(cat out)" '^kernel +(works|absent) '
like "so are those of PAPI" "$(cat out)" '^papi +(works|absent) '
like "so are the processor's" "$(cat out)" '^hardware +(works|absent) '
like "a library that is absent is named, and what to install" "$(TAU_RECORD_PAPI=/nonexistent tau-record --doctor </dev/null)" \
	'^papi +absent .*no PAPI library.*apt-get install libpapi'
is "nothing is left behind" "$(ls -d "$T"/tau-doctor.* 2>/dev/null)" ""
is "where TMPDIR says" "$(TMPDIR=$T/nowhere tau-record --doctor 2>&1 </dev/null; echo $?)" "cannot test anything: No such file or directory
1"

cat >rules <<'END'
# two systems
class 8 -> 8 string min 24
class 0 -> -8 -> 24 chars max 512 library libui* heap varying prefix ui:
END
tau-record --doctor --types rules >out 2>err </dev/null
is "rules of types are tried: they parse" "$? $(cat err)" "0 "
is "and what they would do is reported" "$(grep '^rule' out)" \
"rule 1    blocks of 24 bytes and more: at 8 a pointer to the class, at 8 of that a pointer to the name; class or name in a loaded object; objects of a class have one size
rule 2    blocks of at most 512 bytes: at 0 a pointer to the class, at -8 of that a pointer, at 24 of that the name itself, shown after ui:; class and name in libui* or live blocks; objects of a class may differ in size"
echo 'class 8 ->' >wrong
tau-record --doctor --types wrong >out 2>err </dev/null
is "rules that do not parse are named by their line" "$? $(wc -l <err) $(grep -c 'wrong: line 1: ' err)" "125 1 1"

# A recorder that cannot record must be found out: one whose wrapper records nothing.
mkdir broken && cp "$B/tau-record" "$B/libtau.so" broken
echo 'int nothing;' | ${CC:-cc} -shared -fPIC -x c - -o broken/libtau-null.so
broken/tau-record --doctor >out 2>&1 </dev/null
is "a wrapper that records nothing is a failure" $? 1
like "which is named" "$(cat out)" '^null +FAILS .*the trace does not show getppid'
like "what is not there is absent" "$(cat out)" '^mpi +absent '

# A library that crashes by itself is no fault of the recorder; one that crashes only when it is recorded is.
if [ -e "$B/libtau-shmem.so" ]; then
	for crash in 'abort()' 'if (getenv("LD_PRELOAD")) abort()'; do
		printf '#include <stdlib.h>\nvoid shmem_init(void) {}\nint shmem_my_pe(void) { return 0; }\nint shmem_n_pes(void) { return 1; }\nvoid shmem_finalize(void) { %s; }\n' \
			"$crash" | ${CC:-cc} -shared -fPIC -x c - -o liboshmem.so.40
		LD_LIBRARY_PATH=$T tau-record --doctor 2>&1 </dev/null | grep '^shmem '
	done >out
	is "only a crash that the recorder causes is a failure" "$(awk '{ print $2, $NF }' out)" "works collectives
FAILS 6"
else
	skip "only a crash that the recorder causes is a failure" "no OpenSHMEM"
fi
tap_end
