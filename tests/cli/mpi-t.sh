# mpi-t.sh: tau-record lists the variables of MPI, and refuses settings that it cannot make.
. "$(dirname "$0")/../tap.sh"
[ -e "$B/libtau-mpi.so" ] || skip_all "no MPI is installed"
cd "$T" || exit 1

refused() {	# what, status and message, tau-record's arguments
	what=$1 expected=$2; shift 2
	tau-record "$@" >out 2>err </dev/null
	is "$what" "$? $(cat err out)" "125 tau-record: $expected"
}

tau-record --mpi-t-list self_eager msgq >out 2>err </dev/null
is "the list ends well" "$? $(cat err)" "0 "
like "a control variable with its value" "$(cat out)" '^btl_self_eager_limit = 1024  \(control, readonly, unsigned long\)$'
like "and a description" "$(cat out)" '^    Maximum size \(in bytes'
like "a performance variable" "$(cat out)" '^pml_ob1_unexpected_msgq_length  \(performance, size, unsigned\)$'
is "no others" "$(grep -c '^[^ ]' out)" 2
ok "without words there are many" test "$(tau-record --mpi-t-list | grep -c '^[^ ]')" -gt 500
refused "a name that is in none" "--mpi-t-list: no variable has a name with 'btl_self_eagr_limit'; did you mean 'btl_self_eager_limit'?" \
	--mpi-t-list btl_self_eagr_limit

echo 'btl_self_eager_limit=2048' >good
is "a file of settings" "$(tau-record -n --mpi-t-set good true | grep OMPI)" "OMPI_MCA_btl_self_eager_limit=2048"
printf '# text\n\nbtl_self_eagr_limit=1\n' >wrong
refused "a wrong name" "wrong: line 3: unknown control variable 'btl_self_eagr_limit'; did you mean 'btl_self_eager_limit'?" \
	--mpi-t-set wrong true
echo 'pml_ob1_unexpected_msgq_length = 1' >counter
refused "a performance variable" "counter: line 1: pml_ob1_unexpected_msgq_length is a performance variable and cannot be set" \
	--mpi-t-set counter true
echo 'dl_dlopen_major_version = 1' >constant
refused "a constant" "constant: line 1: dl_dlopen_major_version is constant and cannot be set" --mpi-t-set constant true
echo 'btl_self_eager_limit 1' >line
refused "a line without =" "line: line 1: 'btl_self_eager_limit 1' is not NAME=VALUE" --mpi-t-set line true
refused "a file that is not there" "nowhere: No such file or directory" --mpi-t-set nowhere true
export TAU_MPI_T_CVAR_METRICS=btl_self_eager_limit,btl_tcp_eager_limit TAU_MPI_T_CVAR_VALUES=1
refused "names without values" "TAU_MPI_T_CVAR_VALUES: it needs one value for each name in TAU_MPI_T_CVAR_METRICS" true
unset TAU_MPI_T_CVAR_METRICS TAU_MPI_T_CVAR_VALUES
refused "a wrong interval" "--mpi-t: 'abc' is not a time; use a number with ns, us, ms, s, m or h (without: s), such as 10ms" --mpi-t=abc true
refused "two things at once" "--mpi-t-list and --doctor exclude each other" --mpi-t-list --doctor

# A program without MPI runs as usual.
tau-record -o true.run --mpi-t true >out 2>err </dev/null
is "a program without MPI" "$?" 0
like "--doctor counts them" "$(tau-record --doctor </dev/null)" '^mpi-t +works +[0-9]+ performance and [0-9]+ control variables'
mkdir alone && cp "$B/tau-record" "$B/libtau.so" alone
alone/tau-record --mpi-t-list >out 2>&1 </dev/null
is "without the wrapper there is a message" "$? $(cat out)" \
	"125 tau-record: variables of MPI are unavailable: the MPI wrapper is not installed"
tap_end
