# tau-compilers.sh: makefiles and scripts as TAU's programs use them: include $(TAU_MAKEFILE), tau_cc.sh, tau_cxx.sh, tau_f90.sh. What they
# build from the installed files runs without the recorder, and is recorded with the functions of compiler hooks.
. "$(dirname "$0")/../expect.sh"
ldd "$B/tau-record" | grep -q 'lib[at]san' && skip_all "what is installed is no build with a sanitizer"
make -C "$TOP" --no-print-directory B="$B" DESTDIR="$T/stage" PREFIX=/opt/tau install >"$T/log" 2>&1 </dev/null
is "make install ends well" "$?" 0
p=$T/stage/opt/tau
PATH=$p/bin:$PATH
export PATH
unset TAU_OPTIONS TAU_CC TAU_CXX TAU_F90
cd "$T" || exit 1

cat >part.c <<'EOF'
#include <math.h>
int part(int n)
{
	TAU_TRIGGER_EVENT("size", n);	/* TAU's instrumentor adds the header */
	return (int)sqrt(n);
}
EOF
cat >main.c <<'EOF'
#include <TAU.h>
int part(int n);
int main(void)
{
	int sum = 0;

	TAU_PROFILE_TIMER(t, "loop", "", TAU_USER);
	TAU_PROFILE_START(t);
	for (int i = 0; i < 10; i++)
		sum += part(i * i);
	TAU_PROFILE_STOP(t);
	return sum != 45;
}
EOF
cat >Makefile <<'EOF'
include $(TAU_MAKEFILE)
CC = $(TAU_CC)
CFLAGS = $(TAU_INCLUDE) $(TAU_DEFS)
by_variables: main.c part.c
	$(CC) $(CFLAGS) -include TAU.h main.c part.c -o $@ $(TAU_LIBS) -lm
by_compiler: main.o part.o
	$(TAU_COMPILER) $(TAU_CC) main.o part.o -o $@
%.o: %.c
	$(TAU_COMPILER) -optVerbose $(TAU_CC) -c $< -o $@
EOF
export TAU_MAKEFILE="$p/lib/Makefile.tau"
ok "a makefile with TAU's variables" make -s by_variables
ok "a makefile with TAU_COMPILER" sh -c 'make -s by_compiler 2>make.err'
ok "-optVerbose prints the command" grep -q -- '-finstrument-functions.*main.c' make.err
ok "tau_cc.sh" tau_cc.sh -tau_makefile="$TAU_MAKEFILE" -optKeepFiles main.c part.c -o by_script
ok "tau_cxx.sh" tau_cxx.sh -c -o cxx.o -x c++ main.c
ok "-optNoCompInst: without hooks" sh -c "tau_cc.sh -tau_options='-optNoCompInst -optVerbose' main.c part.c -o unhooked 2>unhooked.err &&
	! grep -q finstrument unhooked.err"
cat >mhz.c <<'EOF'
#include <stdio.h>
double TauGetMHzRatings(void);
int main(void)
{
	double mhz = TauGetMHzRatings();

	printf("%s\n", mhz >= 100 && mhz < 20000 ? "a rate" : "no rate");
	return 0;
}
EOF
ok "TauGetMHzRatings() is linked in C" cc mhz.c -o mhz -L"$p/lib" -ltauf
ok "and in C++, without extern \"C\"" c++ -x c++ mhz.c -o mhzcxx -L"$p/lib" -ltauf
if grep -q '^cpu MHz.*[1-9]' /proc/cpuinfo; then
	is "it is the rate of the processor" "$(./mhz) $(./mhzcxx)" "a rate a rate"
else
	skip "it is the rate of the processor" "/proc/cpuinfo has none"
fi
is "-tau:showcompiler" "$(tau_cc.sh -tau:showcompiler) $(TAU_MAKEFILE=$TAU_MAKEFILE-mpi tau_f90.sh -tau:showcompiler)" "cc mpif90"
is "a selection file is named with the option that uses it" "$(tau_cc.sh -optTauSelectFile=select.tau -c main.c 2>&1)" \
	"tau_cc.sh: select.tau selects nothing here; record with: tau-record --select select.tau"
is "tau_compiler.sh without a compiler" "$(tau_compiler.sh 2>&1; echo $?)" "tau_compiler.sh: no compiler: name it as the first argument
1"
ok "an error of the compiler is an error of the script" sh -c '! tau_cc.sh -c none.c 2>/dev/null'

for program in by_variables by_compiler by_script unhooked; do
	is "$program: runs without the recorder" "$("./$program" 2>&1; echo $?)" 0
	record "$program" -w none "./$program"
	is "$program: recorded, it ends as it should" "$code" 0
	printf 'EXPECT region loop calls 1\nEXPECT event size n 10 sum 285\n' >"$program.out"
	case $program in by_compiler | by_script) echo 'EXPECT region part calls 10' >>"$program.out" ;; esac
	expect "$program"
done

if command -v gfortran >/dev/null 2>&1; then
	cat >fixed.f <<'EOF'
      program fixed
      integer profiler(2) / 0, 0 /
      save profiler
      call TAU_PROFILE_INIT()
      call TAU_PROFILE_TIMER(profiler, 'fixed')
      call TAU_PROFILE_START(profiler)
      call TAU_PROFILE_SET_NODE(0)
      call TAU_PROFILE_STOP(profiler)
      end
EOF
	ok "tau_f90.sh" tau_f90.sh fixed.f -o fixed
	ok "tau_f90.sh compiles, tau_cc.sh links" sh -c 'tau_f90.sh -c fixed.f && tau_cc.sh fixed.o -o linked -lgfortran'
	record fixed -w none ./fixed
	echo 'EXPECT region fixed calls 1' >fixed.out
	expect fixed
fi
if command -v mpicc >/dev/null 2>&1; then
	printf '#include <mpi.h>\n#ifndef TAU_MPI\n#error no TAU_MPI\n#endif\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n' >mpi.c
	ok "Makefile.tau-mpi chooses MPI's compiler" tau_cc.sh -tau_makefile="$p/lib/Makefile.tau-mpi" mpi.c -o mpi
fi
printf '#include <omp.h>\n#ifndef TAU_OPENMP\n#error no TAU_OPENMP\n#endif\nint main(void) { return omp_get_max_threads() < 1; }\n' >omp.c
ok "Makefile.tau-openmp chooses OpenMP" env TAU_MAKEFILE="$p/lib/Makefile.tau-openmp" tau_cc.sh omp.c -o omp
tap_end
