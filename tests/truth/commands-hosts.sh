# commands-hosts.sh: one command to the processes of a run on several hosts, which are namespaces here; a script is in place of ssh.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >named <<'END'
#!/bin/sh
# named HOST COMMAND: as ssh on a host that has this name
host=$1
shift
case $host in gone*) echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255 ;; esac
exec unshare --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*"
END
chmod +x named
[ "$(./named n7 uname -n 2>&1)" = n7 ] && command -v mpirun >/dev/null || skip_all "needs Open MPI, and a namespace for the name of the host"

# Calls inside() until the number of its calls is that in the file of its rank, and writes it.
cat >counts.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) int inside(int i) { return i + (int)getppid() % 2; }
__attribute__((noinline)) int next(const char *name)
{
	char line[32] = "";
	FILE *f = fopen(name, "r");
	int n = f && fgets(line, sizeof(line), f) ? atoi(line) : 0;
	if (f) fclose(f);
	usleep(2000);
	return n;
}
int main(void)
{
	char name[64];
	int done = 0, n = 0;
	snprintf(name, sizeof(name), "upto.%s", getenv("OMPI_COMM_WORLD_RANK"));
	while ((n = next(name)) >= 0)
		while (done < n) {
			inside(done++);
			if (done == n) { FILE *f = fopen(getenv("OMPI_COMM_WORLD_RANK"), "w"); fprintf(f, "%d\n", done); fclose(f); }
		}
	return 0;
}
END
${CC:-cc} -O1 -finstrument-functions counts.c -o counts || skip_all "no compiler"
wait_for() { for i in $(seq 600); do eval "$1" && return; sleep 0.05; done; }
upto() { for r in 0 1 2 3; do echo "$1" >upto.$r.new; mv upto.$r.new upto.$r; done; wait_for '[ "$(cat 0 1 2 3 2>/dev/null | grep -c "^'"$1"'\$")" = 4 ]'; }
send() { tau-record --control run --rsh ./named "$@" 2>&1; }
calls() { tau-trace2profile --format csv run 2>/dev/null | awk -F, '$6 ~ /inside/ { print $8 }' | sort -n | tr '\n' ' '; }

mpirun -np 4 sh -c 'exec ./named h$((OMPI_COMM_WORLD_RANK / 2)) tau-record --sample=none -o run ./counts' >out 2>&1 &
job=$!
upto 10
is "each host has a file of commands of its own" "$(ls -a run | grep -c '^\.watch\.h[01]$')" 2
is "a command to all hosts is executed by all processes" "$(send --hosts h0,h1 --wait 20s exclude 'inside#'; echo $?)" 0
upto 100
is "one to some ranks goes to their host" "$(send --hosts auto --wait 20s --rank 3 include 'inside#'; echo $?)" 0
upto 1000
like "status names processes after their hosts" "$(send --hosts h0,h1 status)" '^h1: process [0-9]+ \(rank 3\): 2 of 2 commands executed
'
is "each process is printed once" "$(send --hosts h0,h1 status | sed 's/: process.*rank \(.\)).*/ \1/' | sort | tr '\n' ' ')" "h0 0 h0 1 h1 2 h1 3 "
like "a host that is not reached is reported" "$(send --hosts h0,gone mark here; echo $?)" 'gone: ssh: connect to host gone port 22: No route to host
tau-record: the command failed on 1 of 2 hosts: see above
125'
is "the others have got it" "$(send --hosts h0,h1 --wait 20s --rank 0,1 mark there; tau-dump run 2>/dev/null | grep -c ' MARK .*name=here ')" 2
like "a host without a process of the run is no failure" "$(send --hosts h0,h9,h1 status >lines; echo $? $(grep -c '^h[01]: process' lines) $(cat lines))" '^0 4 .*h9: tau-record: .*run: this run takes no commands on this host'
like "unless all hosts are such" "$(send --hosts h8,h9 off; echo $?)" 'tau-record: run: no process on these hosts takes commands
2$'
like "no host has the ranks" "$(send --hosts h0,h1 --rank 7 off; echo $?)" 'no process that runs on these hosts is selected
2'
like "a word that is no command is refused once" "$(send --hosts h0,h1 offf)" "^tau-record: --control: 'offf' is not"
is "dump copies on each host" "$(send --hosts h0,h1 dump copy; ls -d copy.*/ | tr '\n' ' ')" "copy.h0/ copy.h1/ "
for r in 0 1 2 3; do echo -1 >upto.$r; done
wait $job
is "calls of each process" "$(calls)" "10 10 10 910 "
is "a mark is recorded once in each process" "$(tau-dump run | grep -c ' MARK .*name=there ')" 2
like "--hosts is for --control" "$(tau-record --hosts h0 true 2>&1)" '^tau-record: --hosts is for --control RUN'
tap_end
