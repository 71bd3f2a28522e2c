# report-options.sh: each kind of tau-report with each option: it changes the output, or it is refused; none is ignored.
. "$(dirname "$0")/../expect.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out
. "$TOP/tests/gpu.sh"
unset TAUDB TAU_EBS_RESOLUTION
cd "$T" || exit 1
command -v mpirun >/dev/null || skip_all "no MPI is installed"
[ -x "$B/apps/mpihour" ] || skip_all "the program is not built"

mpirun -np 4 tau-record -w mpi,io -o mpi "$B/apps/mpihour" >out 2>err || { fail "a run is recorded"; cat err; }
mpirun -np 3 tau-record -w mpi -o hung "$B/apps/mpihang" missing >out 2>err # each is killed
for n in 1 2; do
	mpirun -np $n tau-record -w mpi,memory --memory=leaks -o mem$n "$B/apps/mpiwaits" >out 2>err || { fail "a run with memory is recorded"; cat err; }
done
cat >wait.c <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	#include "TAU.h"
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
	static void *run(void *to)
	{
		for (int i = 0; i < 5; i++) {
			TAU_TRIGGER_EVENT("queue", i);
			TAU_TRIGGER_EVENT("length", 5 * i);
			pthread_mutex_lock(&one);
			usleep(20000);
			pthread_mutex_unlock(&one);
			pthread_mutex_lock(&two);
			usleep(20000);
			pthread_mutex_unlock(&two);
		}
		return to;
	}
	int main(void)
	{
		pthread_t t[3];
		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], 0, run, 0);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], 0);
		return 0;
	}
END
cc -g -finstrument-functions -I"$TOP/record" wait.c -o wait -lpthread
tau-record -w pthread -o locks ./wait >out 2>err || { fail "a run with locks is recorded"; cat err; }
gpu_run gpu.run || { fail "a run with queues of devices is recorded"; cat "$T/gpu/err"; }
# Three functions, each slow once.
cat >slow.c <<-'END'
	#include <unistd.h>
	#define STEP(name) __attribute__((noinline)) int name(int ms) { return usleep(ms * 1000) + (int)getppid() % 2; }
	STEP(first) STEP(second) STEP(third)
	int main(void)
	{
		for (int i = 0; i < 80; i++) {
			first(i == 50 ? 400 : 1);
			second(i == 60 ? 500 : 1);
			third(i == 70 ? 600 : 1);
		}
		return 0;
	}
END
cc -O1 -g -finstrument-functions slow.c -o slow
tau-record -o slow.run ./slow >out 2>err || { fail "a run with slow calls is recorded"; cat err; }
made() {	# DIR PES SCALE: TAU profiles with two metrics
	mkdir "$1"
	for n in $(seq 0 $(($2 - 1))); do
		cat >"$1/profile.$n.0.0" <<-END
			3 templated_functions_MULTI_TIME
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
			"main" 1 2 $((1000 * $3 / $2)) $((9000 * $3 / $2)) 0 GROUP="TAU_USER"
			"work" 7 0 $((6000 * $3 / $2 + n)) $((6000 * $3 / $2 + n)) 0 GROUP="TAU_USER"
			"MPI_Send()" 1 0 $((2000 * $3 / $2 + 10 * n)) $((2000 * $3 / $2 + 10 * n)) 0 GROUP="MPI"
			0 aggregates
		END
	done
}
made p2 2 8
made p4 4 9
made p8 8 10

# The operands of a kind: runs that it can report on.
operands() {
	case $1 in
	scaling | breakdown) echo p2 p4 p8 ;;
	correlate) echo p2 p4 p8 p2 p4 p8 ;;
	trend) echo p2 p2 p2 p2 p2 p2 p4 p4 p4 p4 p4 p4 ;;
	diff | why) echo p4 p8 ;;
	compare) echo --baseline p2,p2,p2,p2 p4 p4 p4 p4 ;;
	memory-scaling | memory-growth) echo mem1 mem2 ;;
	memory | leaks) echo mem2 ;;
	locks | counters) echo locks ;;
	devices) echo gpu.run ;;
	cluster) echo p8 ;;
	hang) echo hung ;;
	anomalies) echo slow.run ;;
	html) echo p4 ;;
	*) echo mpi ;;
	esac
}

# The word before them.
word() {
	case $1 in
	callers) echo ".TAU application" ;;
	threads) echo compute ;;
	esac
}

# A value of an option that has an effect wherever the option has one. An option without a line here fails.
value() {
	case $1 in
	--top | --rank | --slices) echo 1 ;;
	--rows) echo host ;;
	--thread | --predict | --cells) echo 99 ;;
	--window) echo 40%:60% ;;
	--at) echo 30% ;;
	--every | --timeout) echo 100ms ;;
	--where) echo pes=99 ;;
	--unit) echo no-unit ;;
	--db | --windows | --order) echo no-such-file ;;
	--metric | --sort | --cut | --view | --per | --by | --baseline | --gate | --problem | --sample-resolution | --region | --group | \
		--inside | --format) echo no-such-value ;;
	--label) echo name ;;
	--explain | --samples | --squares | --inclusive) ;;
	*) return 1 ;;
	esac
}

# These change no number: they are about how the report is made, where it goes, or what else is read (tests/cli/config.sh).
same='--threads --alone --output --config --no-config --help --version'

kinds=$(tau-report --help | sed -n '/^Kinds/,/^Options/s/^  \([a-z][a-z-]*\)  *.*/\1/p')
options=$(tau-report --help | sed -n 's/^ \{2,6\}\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p')
# Without TAU_TEST_LONG each option is tried with a quarter of the kinds, in turn.
share=4 kind_n=0
[ -z "$TAU_TEST_LONG" ] || share=1
is "the list of kinds is read" "$(echo "$kinds" | grep -c '^waits$\|^memory-growth$\|^html$')" 3
for kind in $kinds; do
	# A plug-in decides itself.
	[ "$kind" != plugin ] || continue
	args=$(operands "$kind") word=$(word "$kind")
	# shellcheck disable=SC2086
	tau-report $kind ${word:+"$word"} $args >base 2>base.err
	is "$kind: it has an answer for $args" "$? $(head -n 1 base.err)" "0 "
	kind_n=$((kind_n + 1))
	ignored= turn=$kind_n
	for option in $options; do
		case " $same " in *" $option "*) continue ;; esac
		turn=$((turn + 1))
		[ $((turn % share)) = 0 ] || continue
		value=$(value "$option") || { fail "$option has a value in this test"; continue; }
		# shellcheck disable=SC2086
		tau-report $kind $option ${value:+"$value"} ${word:+"$word"} $args >changed 2>err
		code=$?
		# What was refused has a reason.
		[ $code = 0 ] || [ -s err ] || ignored="$ignored $option(silent)"
		[ $code != 0 ] || ! cmp -s base changed || ignored="$ignored $option"
	done
	is "$kind: options that are ignored" "$ignored" ""
done

like "--top below 0 is refused" "$(tau-report profile --top -3 p2 2>&1)" '^tau-report: --top: -3 is less than 0$'
like "an option without effect is refused" "$(tau-report timeline --top 3 mpi 2>&1)" '^tau-report: timeline: --top has no effect on this report'
for kind in comm io; do
	like "$kind: nothing in what is selected" "$(tau-report $kind --region compute mpi 2>&1)" ' in the selected threads and regions'
done

# Reports about several runs select in each of them what profile selects.
sum_of() {	# COLUMN ARGUMENTS...: the sum of a column of CSV
	column=$1
	shift
	tau-report "$@" -f csv | tr -d '\r' | awk -F , -v name="$column" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
		NR > 1 { s += $c } END { printf "%.3f", s }'
}
is "the report says that a part is selected" "$(tau-report profile --rank 1 --group MPI mpi | grep select)" \
	"mpi: only the part that --rank and --group select counts"
for part in "--rank 1" "--rank 0,2 --group MPI" "--thread 0"; do
	# shellcheck disable=SC2086
	is "diff, $part: the times of profile" "$(sum_of before_us diff $part --unit us mpi mem2)" "$(sum_of exclusive_us profile $part mpi)"
done
# One thread, without regions.
tau-record --sample -o bare "$B/apps/sampled" >out 2>err
is "another metric: which one there is" "$(tau-report --metric CPU bare 2>&1; tau-trace2profile --format text --metric CPU bare 2>&1)" \
	"tau-report: --metric: 'CPU' is unknown; there is only TIME
tau-trace2profile: --metric: 'CPU' is unknown; there is only TIME"
is "events: a window after the end" "$(tau-report waits --window 9h: bare 2>&1 >/dev/null | sed 's/ which is .*//'; tau-report waits --window 9h: bare >/dev/null 2>&1; echo $?)" \
	"tau-report: bare: window '9h:': it is after the end of the run,
3"
like "critical-path: there is none" "$(tau-report critical-path bare 2>&1)" '^tau-report: bare: it contains no regions; sampled code'
is "cluster: one thread" "$(tau-report cluster bare 2>&1)" "tau-report: bare: it has 1 thread: too few to compare"
tap_end
