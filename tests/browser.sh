# browser.sh: browsers for tests and benchmarks, which browser.py drives. Source it.

# browser FILE PRINTED: starts a chromedriver, what it prints goes to FILE, and waits until a tau-view that was started has printed its address to
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

# firefox FILE PRINTED: the same with Firefox, which needs no driver; its profile is PRINTED.profile
firefox() {
	firefox_profile=$PWD/$2.profile
	mkdir -p "$firefox_profile"
	# Port 0: it chooses one, and writes it into its profile.
	echo 'user_pref("marionette.port", 0);' >"$firefox_profile/user.js"
	HOME=$firefox_profile firefox-esr --headless --no-remote --marionette --profile "$firefox_profile" >"$1" 2>&1 &
	driver=$!
	browser_tries=0
	while [ $browser_tries -lt 120 ] && ! [ -s "$firefox_profile/MarionetteActivePort" ]; do
		sleep 0.5
		browser_tries=$((browser_tries + 1))
	done
	port=$(cat "$firefox_profile/MarionetteActivePort" 2>/dev/null)
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
