# other-mpi.sh: each program gets the wrapper of its MPI. Programs of an MPI without one run as without the recorder, in one run for
# the job, and one sentence reports it.
# A rank that cannot be recorded never leaves others waiting.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
CC=${CC:-cc}
unset TRACEDIR

# ---- a toy of each kind, by what it exports and not by its name ----
cat >toy.c <<-'END'
	#include <stdio.h>
	int PMPI_Init(int *n, char ***v) { (void)n; (void)v; puts("toy init"); return 0; }
	int PMPI_Send(const void *b, int n, int t, int to, int tag, int c) { printf("%s %d %x %d %d %x\n", (const char *)b, n, t, to, tag, c); return 0; }
	int PMPI_Finalize(void) { return 0; }
	int MPI_Init(int *, char ***) __attribute__((weak, alias("PMPI_Init")));
	int MPI_Send(const void *, int, int, int, int, int) __attribute__((weak, alias("PMPI_Send")));
	int MPI_Finalize(void) __attribute__((weak, alias("PMPI_Finalize")));
	#ifdef MARK
	int MARK;
	#endif
END
cat >use.c <<-'END'
	int MPI_Init(int *, char ***), MPI_Send(const void *, int, int, int, int, int), MPI_Finalize(void);
	int main(int n, char **v) { MPI_Init(&n, &v); MPI_Send("text", 5, 0x4c000101, 0, 7, 0x44000000); return MPI_Finalize() + 3; }
END
toy() {	# SONAME MARK WHAT
	name=${1%%.so*}
	$CC -shared -fPIC $2 toy.c -o "$1" "-Wl,-soname,$1" && ln -sf "$1" "$name.so" &&
		$CC use.c -o use "$1" "-Wl,-rpath,$T" || { fail "a program of $1 is built"; return; }
	./use >plain
	rm -rf run
	tau-record -o run ./use >out 2>err
	is "$3: it ends as without" "$? $(cat out)" "3 $(cat plain)"
	is "$3: one sentence says that MPI is not recorded" "$(grep -c 'MPI is not recorded' err)" 1
	like "$3: and which MPI it is" "$(cat err)" "^tau-record: .*/use: its MPI, $T/$1, is of $4, which has no wrapper; MPI is not recorded\$"
	like "$3: it does not get the wrapper" "$(tau-record --list ./use)" '^mpi  *not used '
	rm -rf run
	is "$3: nor if it is named" "$(tau-record -o run -w mpi,pthread ./use 2>err; echo $?)" "$(cat plain)
3"
	rm -rf run
	is "$3: nothing is said if MPI is excluded" "$(tau-record -o run -w none ./use 2>&1 | grep -c 'MPI is not')" 0
}
toy libmpi_vendor.so.3 "" "an unknown MPI" "an unknown kind"
toy libmpi_abi.so.1 -DMARK=ompi_other "the standard ABI" "the standard ABI of MPI 5"
$CC use.c toy.c -rdynamic -o static

# One of the MPICH ABI, whatever it is called, is recorded by the wrapper for it.
mpich=$(tau-record --list | sed -n 's/^mpich  *ready.*/ready/p')
toy_mpich() {	# SONAME
	name=${1%%.so*}
	$CC -shared -fPIC -DMARK=MPIR_Err_create_code toy.c -o "$1" "-Wl,-soname,$1" && ln -sf "$1" "$name.so" &&
		$CC use.c -o use "$1" "-Wl,-rpath,$T" || { fail "a program of $1 is built"; return; }
	./use >plain
	for wrap in "" "-w mpi" "-w mpich" "-w +mpi"; do
		rm -rf run
		tau-record -o run $wrap ./use >out 2>err
		is "$1 $wrap: it ends as without" "$? $(cat out)" "3 $(cat plain)"
		if [ -z "$mpich" ]; then
			like "$1 $wrap: one sentence says that its wrapper is not there" "$(cat err)" 'of the MPICH ABI, whose wrapper mpich is not installed; MPI is not recorded$'
			continue
		fi
		is "$1 $wrap: its calls are recorded" "$(grep -c 'MPI is not' err) $(tau-trace2profile --format csv run 2>/dev/null |
			sed -n 's/.*,\(MPI_[A-Za-z]*()\),MPI,\([0-9]*\),.*/\1 \2/p' | sort | tr '\n' ' ')" "0 MPI_Finalize() 1 MPI_Init() 1 MPI_Send() 1 "
	done
	[ -z "$mpich" ] || is "$1: it gets one wrapper" "$(tau-record --list ./use | awk '/^mpi/ && $2 == "used" { print $1 }')" mpich
}
toy_mpich libmpi.so.12
toy_mpich libmpich.so.12
like "an MPI in the program itself" "$(tau-record -o static.run ./static 2>&1)" 'static, is of an unknown kind'

# A library that is opened while the program runs: the wrapper is there, and passes calls on.
if tau-record --list | grep -q '^mpi  *ready'; then
	$CC -shared -fPIC -DMARK=MPIR_Err_create_code toy.c -o libmpi.so.12 -Wl,-soname,libmpi.so.12
	sed 's/int main/int begin/' use.c >part.c
	$CC -shared -fPIC part.c -o part.so libmpi.so.12 "-Wl,-rpath,$T"
	cat >opens.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(int n, char **v)
		{
			void *part = dlopen(v[1], RTLD_NOW | RTLD_LOCAL);
			int (*begin)(int, char **) = part ? dlsym(part, "begin") : NULL;
			return begin ? begin(n, v) : (puts(dlerror()), 1);
		}
	END
	$CC opens.c -o opens
	./opens ./part.so >plain
	tau-record -o opens.run -w mpi ./opens ./part.so >out 2>err
	is "one that is opened later: it ends as without" "$? $(cat out)" "3 $(cat plain)"
	is "one that is opened later: it is said once" "$(grep -c '^tau: the MPI of this program is not Open MPI' err)" 1
else
	skip "an MPI that is opened later" "no wrapper mpi"
fi

# ---- MPICH and Hydra ----
if ! command -v mpicc.mpich >/dev/null || ! command -v mpirun.mpich >/dev/null; then
	skip "MPICH" "it is not installed (apt-get install mpich libmpich-dev)"
	tap_end
fi
cat >ring.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	static void even(void) { }
	static void odd(void) { }
	int main(int n, char **v)
	{
		int rank, size, sum, got = -1;

		MPI_Init(&n, &v);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		rank % 2 ? odd() : even();
		printf("%d of %d: %d %d\n", rank, size, got, sum);
		return MPI_Finalize();
	}
END
mpicc.mpich -g -finstrument-functions ring.c -o ring || fail "a program of MPICH is built"
hydra() {	# RANKS COMMAND...
	n=$1; shift
	timeout 100 mpirun.mpich -np "$n" "$@" >out 2>err </dev/null
	code=$?
	sort -o out out
}
want() { is "$1: the ranks end as without" "$code $(cat out)" "0 $(cat plain)"; }
hydra 3 ./ring
cp out plain
hydra 3 tau-record -o job.run ./ring
want "Hydra"
is "Hydra: one run with one closing line" "$(grep -c '0 lost' err) $(ls -d job.run | wc -l) $(sed -n 's/^size //p' job.run/job)" "1 1 3"
tau-trace2profile --format csv job.run >csv 2>/dev/null
if [ "$mpich" ]; then
	is "Hydra: MPI is recorded" "$(grep -c 'MPI is not recorded' err) $(sed -n 's/^,\([0-9]*\),0,0,timer,\(MPI_[SA][a-z]*()\),MPI,\([0-9]*\),.*/\1 \2 \3/p' csv | sort | tr '\n' ' ')" \
		"0 0 MPI_Allreduce() 1 0 MPI_Sendrecv() 1 1 MPI_Allreduce() 1 1 MPI_Sendrecv() 1 2 MPI_Allreduce() 1 2 MPI_Sendrecv() 1 "
else
	is "Hydra: one sentence says that MPI is not recorded" "$(grep -c 'MPI is not recorded' err)" 1
fi
is "Hydra: nodes are ranks" "$(sed -n 's/^,\([0-9]*\),0,0,timer,"*\(odd\|even\)[ ,].*/\1 \2/p' csv | sort | tr '\n' ' ')" "0 even 1 odd 2 even "
hydra 3 sh -c 'tau-record ./ring'
want "Hydra, through a shell"
is "Hydra: the run's own name is the same for all ranks" "$(ls -d tau-ring-* | wc -l)" 1
# the same library by the name that others have
sed 's/libmpich\.so\.12/libmpi.so.12\x00\x00/g' ring >ring12 && chmod +x ring12
mkdir lib12
sed 's/libmpich\.so\.12/libmpi.so.12\x00\x00/g' "$(ldd ring | sed -n 's/.*libmpich\.so\.12 => \([^ ]*\).*/\1/p')" >lib12/libmpi.so.12
LD_LIBRARY_PATH=$T/lib12 hydra 3 tau-record -o job12.run ./ring12
want "MPICH as libmpi.so.12"
LD_LIBRARY_PATH=$T/lib12 hydra 3 tau-record -o job12m.run -w +mpi,+memory,+pthread --sample ./ring12
want "MPICH as libmpi.so.12, with all that can be recorded"

# ---- programs of both in one script ----
if [ "$mpich" ] && command -v mpicc >/dev/null && tau-record --list | grep -q '^mpi  *ready'; then
	mpicc -g ring.c -o ring-openmpi
	cat >both.sh <<-'END'
		mpirun.mpich -np 2 tau-record -o both-mpich.run ./ring
		mpirun -np 2 tau-record -o both-openmpi.run ./ring-openmpi
	END
	sh both.sh >out 2>err </dev/null
	sums=
	for run in both-mpich.run both-openmpi.run; do
		sums="$sums $(tau-trace2profile --format csv $run 2>/dev/null | grep -c ',MPI_Allreduce(),MPI,1,')"
	done
	is "programs of both in one script are recorded" "$? $(grep -c ' of 2: ' out)$sums $(grep -c 'MPI is not' err)" "0 4 2 2 0"
else
	skip "programs of both in one script" "there are not both"
fi

# A library that is opened while the program runs: the launcher selects the wrapper.
if [ "$mpich" ] && [ -x opens ]; then
	sed 's/int main/int begin/' ring.c >late.c
	mpicc.mpich -shared -fPIC late.c -o late.so
	hydra 3 tau-record -o late.run ./opens ./late.so
	is "MPICH that is opened later: the ranks end as without" "$code $(cat out)" "0 $(cat plain)"
	is "MPICH that is opened later: it is recorded" "$(grep -c 'not recorded' err) $(tau-trace2profile --format csv late.run 2>/dev/null |
		grep -c ',MPI_Allreduce(),MPI,1,')" "0 3"
	tau-record -o late1.run -w mpi ./opens ./late.so >out 2>err
	like "without a launcher the sentence has the name of the other wrapper" "$(cat err)" '^tau: the MPI of this program is not Open MPI,.* the other wrapper is mpich,'
fi

# A script under Hydra gets the wrapper for MPICH: what it loads is not known.
printf 'exec /bin/true\n' >script.sh
[ -z "$mpich" ] || like "a script of a job of Hydra" "$(mpirun.mpich -np 1 tau-record --list sh script.sh </dev/null)" '^mpich  *used '

# ---- a rank that cannot be recorded ----
one() { echo 'if [ "$PMI_RANK" = 1 ]; then exec tau-record '"$1"' ./ring; else exec tau-record -o '"$2"' ./ring; fi'; }
mkdir full && touch full/file
hydra 3 sh -c "$(one '-o full' mixed.run)"
want "a rank whose directory is something else"
like "a rank whose directory is something else: it is said" "$(cat err)" 'full: the directory is not empty and not a run; choose another -o; ./ring runs unrecorded$'
hydra 3 sh -c "$(one '-o job.run' mixed2.run)"
want "a rank whose directory is the run of another job"
hydra 3 sh -c "$(one '--live-dir /none -o mixed3.run' mixed3.run)"
want "a rank without its directory of live files"
hydra 3 sh -c "$(one '-s -o full' mixed4.run)"
is "with --strict all ranks end" "$([ $code -ne 0 ] && [ $code -ne 124 ] && echo yes) $(grep -c ' of 3: ' out)" "yes 0"
ok "the default MPI is still the other one" sh -c 'mpicc --showme:version 2>&1 | grep -q "Open MPI"'
tap_end
