// view_instances.js: the calls of a region one after the other: how long each takes, as a histogram and as a list of the longest that leads to them.

import {$, page, state, request, csv_rows, length_text, moment_text} from "./view_base.js";

const BARS = 60, WIDTH = 480, HEIGHT = 70, LISTED = 12;

let reading = null;
let list = [];	// {name, begin, end}: in the order of their begins
let at = -1;	// the last one that was shown

function histogram(canvas) {
	const lengths = list.map((c) => c.end - c.begin), least = Math.min(...lengths), most = Math.max(...lengths), bars = new Array(BARS).fill(0);
	const g = canvas.getContext("2d");
	canvas.width = WIDTH;
	canvas.height = HEIGHT;
	for (const ns of lengths)
		bars[Math.min(BARS - 1, Math.floor((ns - least) / Math.max(1, most - least) * BARS))]++;
	g.fillStyle = getComputedStyle(document.body).color;
	const high = Math.max(...bars);
	// A bar that is not empty is seen beside the highest one.
	bars.forEach((n, i) => n && g.fillRect(i * WIDTH / BARS, HEIGHT - Math.max(3, n / high * HEIGHT), WIDTH / BARS - 1, HEIGHT));
	canvas.addEventListener("click", (e) => {
		const from = Math.floor(e.offsetX / WIDTH * BARS) / BARS * (most - least) + least;
		const c = list.find((x) => x.end - x.begin >= from && x.end - x.begin <= from + (most - least) / BARS);
		c && go(list.indexOf(c));
	});
	canvas.title = "lengths from " + length_text(least) + " to " + length_text(most) + "; a click shows a call of this length";
}

function go(i) {
	at = i;
	page.jump([list[i].begin, list[i].end]);
}

// The next call after what is selected, or the one before.
export function instance_step(by) {
	const part = page.now().part, now = part ? part[0] : page.now().view[0];
	const here = at >= 0 && part && list[at].begin === part[0] ? at : list.findIndex((c) => c.begin >= now) - (by > 0 ? 1 : 0);
	if (list.length)
		go(Math.max(0, Math.min(list.length - 1, here + by)));
}

function draw(command) {
	const head = document.createElement("b"), code = document.createElement("code"), canvas = document.createElement("canvas");
	const lengths = list.map((c) => c.end - c.begin).sort((a, b) => a - b), longest = [...list].sort((a, b) => b.end - b.begin - (a.end - a.begin)).slice(0, LISTED);
	head.textContent = list.length + " calls: shortest " + length_text(lengths[0]) + ", median " + length_text(lengths[lengths.length >> 1]) + ", longest " +
		length_text(lengths[lengths.length - 1]) + "; from the first thread's begin to the last one's end";
	code.textContent = command;
	histogram(canvas);
	$("instances").replaceChildren(head, code, canvas, ...longest.map((c) => {
		const b = document.createElement("button");
		b.textContent = "number " + c.number + " at " + moment_text(c.begin, 1e3, page.now().whole[1]) + ": " + length_text(c.end - c.begin);
		b.addEventListener("click", () => go(list.indexOf(c)));
		return b;
	}));
}

export async function instances() {
	const name = state.get("find");
	if (reading)
		reading.abort();
	list = [];
	at = -1;
	$("instances").replaceChildren();
	if (!name)
		return;
	const mine = reading = new AbortController();
	const what = {kind: "series", run: page.shown().run, rank: state.get("rank"), thread: state.get("thread"), w: '"' + name + '"', top: 1, f: "csv"};
	$("instances").textContent = "reading ...";
	try {
		const [text, command] = await Promise.all([request("report", what, mine.signal), request("command", what, mine.signal)].map(async (a) => (await a).text()));
		for (const [window, begin, end] of csv_rows(text))
			if (!list.length || list[list.length - 1].name !== window)
				list.push({name: window, number: list.length + 1, begin: Math.round(begin * 1e6), end: Math.round(end * 1e6)});
		if (list.length)
			draw(command.trim());
		else
			$("instances").textContent = "no call of it";
	} catch (e) {
		if (e.name !== "AbortError")
			$("instances").textContent = e.message;
	}
}

export function instances_start() {
	$("instances-button").addEventListener("click", instances);
	$("find").addEventListener("keydown", (e) => e.key === "Enter" && instances());
}
