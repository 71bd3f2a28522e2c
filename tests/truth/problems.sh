# problems.sh: a table of programs with a planted problem: tau-record with its defaults, then the first report names the cause, the place
# and the amount that the program itself measured, among its first three findings (those that are the whole story of a program: as the first
# one), or the further command that it leads to.
. "$(dirname "$0")/../tap.sh"
[ -z "$TAU_TEST_INSIDE" ] || skip_all "what programs are slow at is another thing with a sanitizer"
cd "$T" || exit 1
SOURCE=$TOP/fixtures/problems
export OMPI_MCA_memory=^patcher UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M	# for OpenSHMEM
[ -z "$PROBLEMS" ] || echo "# only: $PROBLEMS"

# The compiler and the launcher of a program; empty: not installed.
tools() {	# FILE RANKS
	launch= compile=
	case $1 in
	*.f90) compile=$(command -v mpifort) ;;
	*.cc) compile="${CXX:-g++} -std=c++20"; ! grep -q 'mpi\.h' "$1" || compile=$(command -v mpicxx) ;;
	*) compile=${CC:-cc}
	   ! grep -q 'mpi\.h' "$1" || compile=$(command -v mpicc)
	   ! grep -q 'shmem\.h' "$1" || compile=$(command -v oshcc) ;;
	esac
	[ "$2" = - ] || launch="$(command -v mpirun) -np $2"
	! grep -q 'shmem\.h' "$1" || launch="$(command -v oshrun) -np $2"
}

# Of a finding that matches, "PLACE VALUE": its number, and its value in ms or MiB. Lines of a finding are joined first.
finding() {	# FILE REGEX
	sed -n '/^Findings/,$p' "$1" | awk -v want="$2" '
		function look() { if (text ~ want && !found) {
			found = 1; v = text; sub(/: [0-9.]+ [a-zA-Z]+(, [<0-9.]+ %)? .*/, "", v); v = substr(text, length(v) + 3); split(v, w, /[ ,]+/)
			print n, w[1] * (w[2] == "s" ? 1000 : w[2] == "us" ? .001 : w[2] == "KiB" ? 1 / 1024 : w[2] == "min" ? 60000 : 1) } }
		/^  [0-9]+\. / { look(); n++; text = "" }
		{ text = text " " $0 }
		END { look() }'
}

# problem NAME RANKS HOW FINDING [TRUTH LEAST MOST]: HOW: h with hooks, s without. FINDING: a pattern of the finding. The finding has LEAST
# to MOST of what the program measured as TRUTH. A busy machine makes others wait too: a try that fails is followed by two more.
problem() {
	name=$1 ranks=$2 hows=$3 want=$4 truth=$5 least=$6 most=$7 most_at=${story:-3}
	case " ${PROBLEMS:-$name} " in *" $name "*) ;; *) return ;; esac
	file=$(ls "$SOURCE/$name".c "$SOURCE/$name".cc "$SOURCE/$name".f90 2>/dev/null)
	tools "$file" "$ranks"
	for how in $(echo "$hows" | sed 's/./& /g'); do
		if [ -z "$compile" ]; then skip "$name" "no compiler"; continue; fi
		flags="-g -O1 -D_GNU_SOURCE -fopenmp"
		[ $how = s ] || flags="$flags -finstrument-functions"
		if ! $compile $flags -o "$name" "$file" -lpthread 2>build.err; then skip "$name" "$(head -1 build.err)"; continue; fi
		for try in 1 2 3; do
			rm -rf run
			timeout 120 $launch tau-record -o run "./$name" >out 2>err </dev/null
			tau-report run >report 2>&1
			set -- $(finding report "$want")
			at=$1 value=$2 verdict=
			[ -n "$at" ] && [ "$at" -le "$most_at" ] || verdict="not among the first $most_at findings"
			if [ -z "$verdict" ] && [ -n "$truth" ]; then
				verdict=$(awk -v t="$truth" -v v="$value" -v low="$least" -v high="$most" '
					$1 == "TRUTH" && $2 == t { n = 1; m = 1000 * $3
						if (v < low * m - 2 || v > high * m + 5) print v " of " m " ms" }
					END { if (!n) print "the program measured nothing" }' out)
			fi
			[ -n "$verdict" ] || break
		done
		what="$name, $([ $how = h ] && echo with || echo without) hooks"
		if [ -z "$verdict" ]; then
			pass "$what: finding $at, $value${truth:+ of $(sed -n "s/^TRUTH $truth //p" out | head -1) s}"
		else
			fail "$what: $verdict"
			echo "#   want: $want"
			sed -n '/^Findings/,$p' report | cut -c1-160 | sed 's/^/#   /'
		fi
	done
}

# The problem is the whole story of the program.
first() { story=1; problem "$@"; story=; }

# further WHAT COMMAND REGEX: what another command prints about the run of the problem before
further() {
	case " ${PROBLEMS:-$name} " in *" $name "*) ;; *) return ;; esac
	[ -d run ] || return 0
	like "$name: $1" "$(eval "$2" 2>&1)" "$3"
}

#       NAME            RANKS HOW FINDING                                                                TRUTH   LEAST MOST
problem late_reader     2     h  'rank 0 in main.* => read_input.* makes rank 1 wait'                    waited  0.6 1.1
problem late_reader     2     s  'rank 0 before MPI_Bcast.*main => read_input'                           waited  0.7 1.1
problem rank_imbalance  3     h  'rank 2 in main.* => force.* makes? ranks 0 and 1 wait'                 waited  0.7 1.1
problem rank_imbalance  3     s  'rank.* 2 .*before MPI_Allreduce.*main => force'                        waited  0.7 1.1
problem slow_rank       4     h  'rank 3 in main.* => flux.* makes ranks 0, 1 and 2 wait'                waited  0.3 1.1
problem chain           4     h  'rank 0 in main.* => produce.* makes ranks 1, 2 and 3 wait'             waited  0.7 1.1
problem chain           4     s  'rank 0 before MPI_Send.* main => produce'                              waited  0.7 1.1
problem late_receiver   2     h  'rank 1 in main.* => digest.* makes rank 0 wait.*late receiver'         waited  0.7 1.1
problem late_receiver   2     s  'rank 1 before MPI_Recv.*main => digest'                                waited  0.7 1.1
problem wrong_order     2     hs 'rank 0 .*makes rank 1 wait.*late sender.*'                             waited  0.7 1.1
further "the order of the messages" 'tau-report waits run' 'late sender, wrong order'
problem waitany         3     h  'rank 2 in main.* => simulate.* makes rank 0 wait'                      waited  0.7 1.1
problem waitany         3     s  'rank 2 before MPI_Send.*main => simulate'                              waited  0.7 1.1
problem late_halo       2     s  'rank 0 before MPI_I(send|recv).*parts::assemble'                       waited  0.7 1.1
problem rma_lock        3     h  'in main.* => merge.* makes? .*lock contention'                         waited  0.7 1.25
problem mpi_test        2     s  'busy waiting: polling in MPI_Test.*rank 1 polls longest'               waited  0.5 1.1
problem collectives     2     h  'MPI_Allreduce|N x N'
further "the number of calls" 'tau-report profile -f csv run | grep MPI_Allreduce' ',40000'
problem tiny_messages   2     h  'exchanging messages.*300000 messages and transfers of 8 B on average'
problem swapped         4     s  'exchanging messages.*MPI_Sendrecv.*120 messages and transfers of 97'
further "who sends to whom" 'tau-report comm -f csv run' '^0,2,'
problem startup         2     s  'start and end of the communication library: .*most in MPI_Init'
further "the recorder is no region of the program" 'tau-report run | sed -n "/^Findings/,\$p" | grep -c "in .TAU"' '^0$'
problem late_pe         2     h  'rank 1 in main.* => gather.* makes rank 0 wait'                        waited  0.7 1.1
problem until           2     h  'rank 0 in main.* => compose.* makes rank 1 wait.*late put'             waited  0.6 1.1
problem thread_imbalance -    h  'thread 0.* => cell.* makes its team wait'                              waited  0.7 1.1
problem critical        -     hs 'waiting for locks: .*omp critical table'                               waited  0.9 1.1
problem amdahl          -     h  'idle threads between parallel regions: .*renumber'                     serial  0.8 1.4
problem too_many_threads -    s  'too few processors|makes its team wait'
further "processors are short" 'tau-report run' 'for a processor .* s +[0-9.]+ %|too few processors'
problem master_only     2     h  'idle threads between parallel regions: .*pack'
problem lock            -     hs 'asleep outside of recorded calls: .*--wrap io,pthread'                 waited  0.5 1.8
problem affinity        -     s  'too few processors: .*threads of rank 0 are bound to 1 processor'      waited  0.8 1.1
problem ended_threads   -     s  '(too few processors|other work on the processors): '                   waited  0.7 1.1
problem barrier20       -     h  'asleep outside of recorded calls: '
problem atomic_wait     -     h  'asleep outside of recorded calls: '
problem nested          -     h  'block.* makes its team wait'                                           waited  0.4 1.1
further "the sum of its teams' waits" 'tau-report waits -f csv run | awk -F, "NR == FNR { if (\$1 ~ /^TRUTH waited/) { split(\$1, t, \" \"); truth = 1000 * t[3] }; next }
	/^\$/ { exit } \$1 == \"wait at OpenMP barrier\" && / => omp barrier/ { ms += \$3 } END { print (ms >= 0.8 * truth && ms <= truth + 5 ? \"right\" : ms \" of \" truth) }" out -' '^right$'
problem tasks           -     hs 'synchronisation of threads.*omp barrier'                               barrier 0.3 1.1
problem spinning        -     s  'most time in spin_until'                                               spun    0.8 1.2
first   leak            2     hs 'memory that rises until the end: .*neighbours'
first   leak_pause      2     s  'memory that rises until the end: .*cache_plan'
first   growing_type    2     hs 'memory that rises until the end: .*rank 1 .*spawn'
further "its type" 'tau-report memory run' 'Particle'
first   slow_step       2     h  'slow instance of (relax|step): .*number 14 on thread 1.0'               step    0.8 1.05
further "who waits for it is no other finding" "tau-report run | grep -Ec '^ +[0-9]+. rank 1 in .*relax.* makes rank 0 wait: '" '^0$'
first   slow_step       2     s  'slow iteration between calls of MPI_Allreduce: .*number 13'            step    0.8 1.05
problem slow_step_all   2     hs 'rank 1 .*(sweep|before MPI_Allreduce).* makes rank 0 wait: '            waited  0.7 1.1
further "the slow step is another finding" "tau-report run | sed -n '/^Findings/,\$p'" 'slow (iteration|instance of).*'
problem drift           -     h  '(search|advance) takes longer over time'
problem allocation      -     s  'most time in '
further "who allocates" 'tau-report callers build_list run' 'calls .* malloc'

# Of these the default records nothing; the option that the overview names does.
recorded() {	# NAME WRAPPER KIND REGEX
	case " ${PROBLEMS:-$1} " in *" $1 "*) ;; *) return ;; esac
	${CC:-cc} -g -O1 -D_GNU_SOURCE -o "$1" "$SOURCE/$1.c" -lpthread 2>build.err || { skip "$1" "$(head -1 build.err)"; return; }
	rm -rf run
	tau-record -w "$2" -o run "./$1" >out 2>err
	like "$1 with -w $2" "$(tau-report run | sed -n '/^Findings/,$p' | tr '\n' ' ')" "$3"
}
recorded lock         pthread 'waiting for locks: .*table_lock'
recorded open_storm   io      '(opening|closing|looking up) files: '
recorded small_writes io      'reading and writing files: .*300001 of 300001 calls move below'
recorded condition    pthread 'waiting for .*|synchronisation of threads'
tap_end
