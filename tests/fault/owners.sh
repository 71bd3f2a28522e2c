# owners.sh: a run belongs to its user: other users cannot read it unless it is shared, links and files that they have put in its
# directory are neither followed nor overwritten, and they cannot control it.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
umask 022
APP=$B/apps/exits
export APP
modes() { (cd "$1" && stat -c '%a' . && find . -type f ! -name ".watch*" -exec stat -c '%a' {} + | sort -u) | tr '\n' ' '; }
# by_other COMMAND...: as a user who does not own the runs of this test
by_other() { setpriv --reuid=65534 --regid=65534 --clear-groups env PATH="$PATH" "$@"; }

# ---- modes ----
is "a program in a new directory below new ones is recorded" \
	"$(tau-record -o new/sub/run "$APP" return >/dev/null 2>err; echo $?; tau-dump --check new/sub/run >/dev/null; echo $?)" "0
0"
is "a run is its owner's alone" "$(modes new/sub/run)" "700 600 "
# A run that was sent a command keeps its file of commands.
(umask 0; tau-record --max-size 1G -o wide sh -c '"$APP" return; LD_PRELOAD= tau-record --control wide mark here' >/dev/null 2>&1)
is "also with umask 0" "$(modes wide)" "700 600 "
(umask 0; tau-record --shared -o shared sh -c '"$APP" return; LD_PRELOAD= tau-record --control shared mark here' >/dev/null 2>&1)
is "unless it is shared" "$(modes shared)" "777 666 "
is "the file of commands is never shared" "$(stat -c %a shared/.watch.*)" 600
tau-trace2profile --format csv new/sub/run >/dev/null
is "what the tools keep beside it has its mode" "$(modes new/sub/run)" "700 600 "
tau-record --throttle=1:1000 -o throttled "$B/apps/hooks" >/dev/null 2>&1
is "so has the list of dropped regions" "$(stat -c %a throttled/select.txt)" 600
mkdir local
tau-record --live-dir local -o killed "$APP" kill >/dev/null 2>&1
is "so have live files that were elsewhere" "$(modes killed)" "700 600 "

# ---- links that lie in wait ----
echo precious >victim
chmod 600 victim
mkdir -m 777 trap
tau-record --shared -o warm "$APP" return >/dev/null 2>&1
sh -c 'ln -s "$PWD/victim" trap/.job.$$; exec tau-record --shared -o trap "$APP" return' >/dev/null 2>err
is "a link in place of the job file's first name is not followed" "$? $(cat victim)" "0 precious"
ok "and the run is whole" tau-dump --check trap
# The shell's process becomes the program's, whose files have the number after the shell's.
cat >plant.sh <<'END'
n=$(ls "$1" | sed -n "s/.*\.$$\.\([0-9]*\)\.0\.tau$/\1/p" | tail -1)
for i in 0 1 2; do
	for suffix in live live.new fold.new tau.new; do
		ln -s "$PWD/victim" "$1/$(uname -n).$$.$i.0.$suffix" 2>/dev/null
	done
done
exec "$APP" return
END
tau-record --shared --fold 1 -o planted sh plant.sh planted >/dev/null 2>err
is "links in place of live files are not followed" "$? $(cat victim)" "0 precious"
ok "and the trace is whole" tau-dump --check planted
is "a link where the program's trace would be is passed by" \
	"$(tau-record --shared -o passed sh -c 'ln -s "$PWD/victim" "passed/$(uname -n).$$.0.0.tau"; exec "$APP" return' >/dev/null 2>&1
	cat victim)" precious
tau-record --live-dir local -o collected sh -c 'ln -s "$PWD/victim" "collected/$(uname -n).999999999.0.0.live"; exec "$APP" return' \
	>/dev/null 2>&1
is "a link that a live file never had is not moved into the run" "$(cat victim)" precious
# The directory is another one by the time that the program writes.
mkdir elsewhere
cat >swap.sh <<'END'
mv swapped gone && ln -s "$PWD/elsewhere" swapped
exec "$B/apps/hooks"
END
export B
tau-record -o swapped sh swap.sh >/dev/null 2>err
is "a link in place of the whole run is not followed" "$(ls -A elsewhere)" ""

# ---- other users ----
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 .
	mkdir theirs open
	chown 65534 theirs
	chmod 777 open
	is "a directory of another user is refused, and the program does not run" \
		"$(tau-record -o theirs touch ran 2>&1; echo $?; ls ran 2>/dev/null)" \
		"tau-record: $PWD/theirs: belongs to another user (uid 65534); choose another -o, or use --shared to record there
125"
	is "so is one that others may write to" "$(tau-record -o open touch ran 2>&1; echo $?; ls ran 2>/dev/null)" \
		"tau-record: $PWD/open: other users may write there (mode 0777); choose another -o, or use --shared to record there
125"
	ln -s "$PWD/new" link
	chown -h 65534 link
	like "so is one behind another user's link" "$(tau-record -o link touch ran 2>&1; ls ran 2>/dev/null)" 'link: belongs to another user'
	is "with --shared it is recorded there" "$(tau-record --shared -o theirs "$APP" return >/dev/null 2>&1; echo $?)" 0
	ok "and can be read" tau-dump --check theirs
	is "another user cannot read a run" "$(by_other tau-dump --check new/sub/run >/dev/null 2>&1; echo $?)" 4
	ok "but one that is shared" by_other tau-dump --check shared
	for run in wide shared; do
		is "another user cannot control a run ($run), and gets a message" "$(by_other tau-record --control $run off 2>&1)" \
			"tau-record: $run: only the owner of the run (uid 0) may control it"
	done
	mkdir -m 777 ours
	by_other sh -c 'cd ours && exec tau-record -o run "$APP" return' >/dev/null 2>&1
	is "nor can one who may open everything" "$(tau-record --control ours/run off 2>&1)" \
		"tau-record: ours/run: only the owner of the run (uid 65534) may control it"
else
	skip "directories and commands of another user" "not root, or no setpriv"
fi
is "the owner can" "$(tau-record --control wide off 2>&1)" ""

# ---- locks that others hold ----
# Who may open a file may lock it for ever (flock(2)): in a shared run that is everybody.
cat >lock.py <<-'END'
	import fcntl, sys, time
	f = open("next/processes")
	fcntl.flock(f, fcntl.LOCK_EX)
	print("locked", flush=True)
	time.sleep(60)
END
BY=
[ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null || BY="setpriv --reuid=65534 --regid=65534 --clear-groups"
export BY
(umask 0; exec tau-record --shared -o next sh -c '$BY python3 lock.py >locked 2>&1 & echo $! >locker
	while ! [ -s locked ]; do sleep 0.05; done' >/dev/null 2>err) &
waited=$!
( sleep 45; kill -9 $waited 2>/dev/null ) &
watchdog=$!
wait $waited
is "another user locks the table of processes: tau-record ends with the program's status" "$?" 0
kill $watchdog "$(cat locker)" 2>/dev/null
is "it was locked" "$(cat locked)" locked
like "and says what is missing" "$(cat err)" "tau-record: .*next/processes: another process keeps it locked; how this program ends is not recorded"
ok "the run can be read" tau-trace2profile next
tap_end
