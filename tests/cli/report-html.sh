# report-html.sh: tau-report html puts a study on one page: its size, what it loads, hostile names, and in a browser its tables and
# its flame graph.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# made RANKS DIR: TAU profiles of 60 regions, one of them with a name that is markup.
made() {
	mkdir "$2"
	awk -v P="$1" -v D="$2" 'BEGIN {
		for (r = 0; r < P; r++) {
			f = D "/profile." r ".0.0"
			print "121 templated_functions_MULTI_TIME" >f
			print "# Name Calls Subrs Excl Incl ProfileCalls #" >f
			for (i = 0; i < 60; i++) {
				name[i] = i == 7 ? "x</script><script>document.title=1</script>&amp;]]>" : "step_" i
				printf "\"%s\" %d 0 %d %d 0 GROUP=\"TAU_USER\"\n", name[i], i + 1, 1000 * (i + 1) / P + r, 1000 * (i + 1) / P + r >f
				sum += 1000 * (i + 1) / P + r
			}
			printf "\"main\" 1 60 %d %d 0 GROUP=\"TAU_USER\"\n", 500, sum + 500 >f
			for (i = 0; i < 60; i++)
				printf "\"main => %s\" %d 0 %d %d 0 GROUP=\"TAU_CALLPATH|TAU_USER\"\n", name[i], i + 1, 1000 * (i + 1) / P + r, 1000 * (i + 1) / P + r >f
			print "0 aggregates" >f
			close(f)
			sum = 0
		}
	}'
}
made 4 p.4
made 8 p.8
made 256 p.256

tau-report html p.4 -o one.html 2>err
is "html: a page of one run" "$? $(cat err)" "0 "
is "html: its sections" "$(grep -o '<section id="[a-z-]*"' one.html | cut -d '"' -f 2 | tr '\n' ' ')" \
	"overview profile groups imbalance cluster flame absent "
is "html: what is absent has a reason" "$(grep -c '<p>Waiting: p.4: ' one.html)" 1
tau-report html p.4 p.8 -o two.html 2>err
is "html: a page of two runs" "$? $(cat err) $(grep -o '<section id="[a-z-]*"' two.html | cut -d '"' -f 2 | head -n 3 | tr '\n' ' ')" \
	"0  overview scaling diff "
like "html: which run the details are of" "$(cat two.html)" '<p>Sections about one run show p.8: '
tau-report html p.256 -o large.html
is "html: 256 ranks are less than 5 MB" "$(($(wc -c <large.html) < 5000000))" 1
is "html: nothing is loaded" "$(cat one.html two.html | grep -oE '(src|href)="[^#"][^"]*"|url\([^)]*\)|@import')" ""
is "html: names do not become elements" "$(cat one.html two.html | grep -c '<script>document')" 0
tau-report html -f csv p.4 >out 2>err
is "html: no other format" "$? $(cat err)" "2 tau-report: html: --format html is the only one"
tau-report profile -f html p.4 >kind.html
# On a narrow screen, names of regions stay in sight, and a number is not parted from its unit.
is "html: cells with names of regions, and with numbers and units" "$(grep -c '<td class="k">step_59</td>' kind.html) $(grep -cE '<td class="w">[0-9.]+ [mu]?s</td>' one.html | sed 's/[1-9][0-9]*/some/')" "1 some"
is "html: the style has a narrow screen" "$(grep -c '(max-width: 40rem)' one.html)" 1
is "--format html: a page of one kind with its picture" "$(grep -c '<figure>' kind.html) $(grep -c '<table>' kind.html)" "1 1"
tau-report flame -o flame.svg p.4
ok "flame: XML with its script" python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("flame.svg")'

# shows FILE TEST: what the browser makes of the file and a test that runs in it; the test leaves its words in the title.
chrome=$(command -v chromium)
shows() {
	timeout 120 "$chrome" --headless --no-sandbox --disable-gpu --user-data-dir="$T/chrome" --virtual-time-budget=5000 --dump-dom \
		"file://$T/$1" 2>/dev/null | tr '\n' ' ' | sed -n 's/.*RESULT\[\([^]]*\)\].*/\1/p'
}
if [ -z "$chrome" ] || [ -z "$(echo '<p>RESULT[yes]</p>' >try.html; shows try.html)" ]; then
	skip "the page and the flame graph in a browser" "chromium is not installed, or does not start"
	tap_end
fi
# try_page FILE SCRIPT: errors first, then what the script finds.
try_page() {
	sed 's|<style>|<script>var wrong = 0; addEventListener("error", function () { wrong++; });</script><style>|; s|</body>||; s|</html>||' \
		"$1" >try.html
	printf '<script>(function () { var found = (function () { %s })();
		document.body.insertAdjacentText("beforeend", "RES" + "ULT[" + wrong + " " + found + "]"); })();</script></body></html>\n' "$2" >>try.html
	shows try.html
}
is "page: a click on a heading sorts, another one the other way" "$(try_page one.html '
	var t = document.querySelector("#profile table"), head = t.querySelector("th[data-key=calls] button"), out = [];
	for (var i = 0; i < 2; i++) { head.click(); out.push(t.tBodies[0].rows[0].cells[3].textContent); }
	return out.join(" ") + " " + t.querySelector("th[aria-sort]").getAttribute("aria-sort");')" "0 240 4 ascending"
is "page: names are sorted, too" "$(try_page one.html '
	var t = document.querySelector("#profile table"), r = t.tBodies[0].rows;
	t.tHead.rows[0].lastElementChild.firstChild.click();
	return r[0].lastElementChild.textContent + " " + r[1].lastElementChild.textContent;')" "0 main step_0"
is "page: a search hides the other rows" "$(try_page one.html '
	var i = document.querySelector("#profile input"), r = document.querySelectorAll("#profile tbody tr");
	i.value = "STEP_1"; i.dispatchEvent(new Event("input"));
	return Array.prototype.filter.call(r, function (x) { return !x.hidden; }).length + " " + i.nextSibling.textContent;')" "0 11 11 of 61 rows"
is "page: the title is its own" "$(try_page two.html 'return document.title;')" "0 2 runs"
flame='
	var boxes = document.querySelectorAll(".boxes > g"), seen = function () {
		return Array.prototype.filter.call(boxes, function (g) { return getComputedStyle(g).display !== "none"; }).length; };
	var press = function (g, key) { g.dispatchEvent(new KeyboardEvent("keydown", {key: key, bubbles: true})); };
	var all = seen(), out = [all];
	boxes[2].dispatchEvent(new MouseEvent("click", {bubbles: true})); out.push(seen(), boxes[2].querySelector("rect").getAttribute("width"));
	press(boxes[2], "Escape"); out.push(seen() === all);
	press(boxes[3], "Enter"); out.push(seen());
	press(boxes[3], "Enter"); out.push(seen() === all);
	press(boxes[1], "ArrowDown"); out.push(document.activeElement === boxes[2]);
	var input = document.querySelector(".bar input");
	input.value = "step_5"; input.dispatchEvent(new Event("input"));
	out.push(document.querySelectorAll(".hit").length, document.querySelector(".found").textContent);
	return out.join(" ");'
want="62 3 1184.00 true 3 true true 11 11 boxes, 30.62 %"
is "page: zoom and search in the flame graph" "$(try_page one.html "$flame")" "0 $want"
sed 's|</svg>||' flame.svg >try.svg
printf '<script>//<![CDATA[
	(function () { var found = (function () { %s })();
	var t = document.createElementNS("http://www.w3.org/2000/svg", "text");
	t.textContent = "RES" + "ULT[" + found + "]"; document.documentElement.appendChild(t); })();
	//]]></script></svg>\n' "$flame" >>try.svg
is "flame: the same in the picture alone" "$(shows try.svg)" "$want"
tap_end
