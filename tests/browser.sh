# browser.sh: a chromedriver for tests and benchmarks; browser.py drives it. Source it.

# browser FILE PRINTED: starts it, what it prints goes to FILE, and waits until a tau-view that was started has printed its address to
# PRINTED. Sets $driver, its process, and $port.
browser() {
	chromedriver --port=0 >"$1" 2>&1 &
	driver=$!
	browser_tries=0
	while [ $browser_tries -lt 40 ]; do
		[ -s "$2" ] && grep -q 'started successfully on port' "$1" && break
		sleep 0.5
		browser_tries=$((browser_tries + 1))
	done
	port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' "$1")
}

# browser_results FILE: what a program that drove it found, as results of this test
browser_results() {
	while IFS= read -r browser_line; do
		case $browser_line in
		"ok - "*) pass "${browser_line#ok - }" ;;
		"not ok - "*) fail "${browser_line#not ok - }" ;;
		*) printf '%s\n' "$browser_line" ;;
		esac
	done <"$1"
}
