# mpi-files.sh: reads and writes of files by functions of MPI: the bytes, file and offset of each call as the program states them, in C
# and Fortran; and those that MPI makes for them with --wrap io are apart.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpifile)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

for mpi in $all; do
	mpi_with "$mpi"
	ranks_apart plain.out 3 "$apps/mpifile" >/dev/null 2>&1 </dev/null
	cksum a b >plain.sums
	rm -f a b
	for with in mpi mpi,io; do
		[ "$mpi" = mpich ] && with=$(printf %s "$with" | sed 's/mpi/mpich/')
		name=with-$with
		ranks_apart "$name.out" 3 tau-record -w "$with" -o "$name.run" "$apps/mpifile" >/dev/null 2>err </dev/null
		is "$with: the program ends well and finds all as it should be" "$? $(grep '^BAD' "$name.out")" "0 "
		is "$with: its files hold what they do without a recorder" "$(cksum a b)" "$(cat plain.sums)"
		rm -f a b
		expect "$name"
		ok "$with: the files of the run are sound" tau-dump --check "$name.run"
		is "$with: each call began where the program says" "$(tau-dump "$name.run" | sed -n 's/.* IO op=\([23]\) .* bytes=\([0-9]*\) ns=[0-9]*\( offset=\([-0-9]*\)\)*.*/\1 \4 \2/p' |
			awk '{ at = NF == 3 ? $2 : -1; print $1 == 2 ? "read" : "write", at, $NF }' | sort)" \
			"$(sed -n 's/^PLACE [0-9]* MPI //p' "$name.out" | sort)"
	done
	# What MPI writes to a file of 12,000 and more bytes, it writes by functions of the system.
	tau-report io -f csv "$name.run" --top 0 2>&1 | tr -d '\r' >io.csv
	all_bytes() { awk -F, -v what="$1" '$1 == what && /\/a$/ { n += $3 } END { print n + 0 }' io.csv; }
	ok "with io, too, the calls of the system are rows beside those of MPI" test "$(all_bytes write)" -ge 12000 -a "$(all_bytes 'MPI write')" -ge 12000
	is "and both have one name for a file" "$(grep -c '^\(MPI \)*\(read\|write\),.*/a$' io.csv)" 4
	like "the report says that they are the same bytes" "$(tau-report io "$name.run")" 'rows of both count the same bytes'
	if tau-convert --to otf2 "$name.run" otf2 >/dev/null 2>&1; then
		is "an archive of OTF2 keeps them apart" "$(tau-report io -f csv otf2/traces.otf2 --top 0 | cut -d, -f1-3 | sort)" \
			"$(tau-report io -f csv "$name.run" --top 0 | cut -d, -f1-3 | grep -E '^(MPI )?(read|write|operation),' | sort)"
	else
		skip "an archive of OTF2 keeps them apart" "without OTF2"
	fi
	if [ -e "$apps/mpifiles" ]; then
		ranks_apart fortran.out 2 tau-record -o fortran.run "$apps/mpifiles" >/dev/null 2>err </dev/null
		is "Fortran: the program ends well" $? 0
		expect fortran
	else
		skip "Fortran" "no Fortran compiler"
	fi
done
tap_end
