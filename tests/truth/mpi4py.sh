# mpi4py.sh: programs of mpi4py, which loads MPI while it runs: the wrapper of the launcher's MPI records what the module calls.
. "$(dirname "$0")/../mpis.sh"
command -v mpirun >/dev/null && [ -e "$B/libtau-mpi.so" ] || skip_all "no Open MPI"
cd "$T" || exit 1
mpi_of openmpi
cat >sum.py <<-'END'
	from array import array
	from mpi4py import MPI
	comm = MPI.COMM_WORLD
	ranks, sums = array("i", [comm.rank] * 5), array("i", [0] * 5)
	for i in range(3):
	    comm.Allreduce(ranks, sums)
	comm.Sendrecv(ranks, (comm.rank + 1) % comm.size, 7, sums, (comm.rank - 1) % comm.size, 7)
	print(comm.rank, "of", comm.size, "got", sums[0])
END
ranks_apart plain.out 3 /usr/bin/python3 sum.py 2>err </dev/null || skip_all "no mpi4py for this MPI (apt-get install python3-mpi4py): $(tail -n 1 err)"
ranks_apart got.out 3 tau-record -o mpi4py.run /usr/bin/python3 sum.py 2>err </dev/null
is "it ends as without us" $? 0
is "and prints the same" "$(sort got.out)" "$(sort plain.out)"
for rank in 0 1 2; do
	next=$(((rank + 1) % 3))
	echo "EXPECT node $rank region MPI_Allreduce() calls 3"
	echo "EXPECT node $rank event Message size for all-reduce n 3 sum 60"
	echo "EXPECT node $rank event Message size sent to node $next n 1 sum 20"
done >mpi4py.out
expect mpi4py
tap_end
