// view.js: a timeline to zoom, and the reports of what is selected in it. All numbers come from tau-report.

import {$, page, state, request, length_text, moment_text, colour, colours_share, colours_forget, is_bright, csv_rows, grid, cells_read, cells_picture, is_sought, row_key, fitting, placed_name, axis_draw, save, window_of} from "./view_base.js";
import {beside, beside_draw, beside_start} from "./view_beside.js";
import {lines_at, lines_draw, lines_forget, lines_request, lines_start, lines_text} from "./view_lines.js";
import {moment_step, strip_with} from "./view_moments.js";
import {curves, curves_draw, curves_start} from "./view_curves.js";
import {instances_start, instance_step} from "./view_instances.js";
import {legend, legend_start} from "./view_legend.js";
import {order_forget, order_request, order_rows, order_start, order_text} from "./view_order.js";
import {is_folded, names_draw, pes_text, row_words, rows_forget, rows_request, rows_start, streams_of} from "./view_rows.js";
import {report, show_text, kind_set, tabs, reports_start} from "./view_reports.js";
import {store_start} from "./view_store.js";

// ---- what is seen ----

let all = null;		// runs and kinds
let whole = null;	// [begin, end] of the run
let sampled = false;	// the run has no regions, only samples: there are no single calls
let running = 0;	// processes of it that are being recorded
let view = null;	// [begin, end] that is seen
let part = null;	// [begin, end] that is selected
let part_row = null;	// the name of the row where it was selected
let data = null;	// of the timeline: {begin, end, cells, names, changes, rows: [{name, cell: [[category, ns] ...]}]}
let calls = null;	// of the timeline near enough: {begin, end, rows: Map of name to [{depth, begin, end, region}]}
let picture = null;	// data as drawn once
let calls_picture = null;	// calls as drawn last: {canvas, view, top}
let notes = [];		// what tau-report says about the run
const before = [];	// views before this one

const CALLS_MOST = 6000;	// single calls are drawn up to this number
const SLOW = 150;		// ms after which coarse cells are drawn first

const are_samples = () => sampled || state.get("colours") === "function";
const run = () => Number(state.get("run") || 0);
const window_text = (w) => !w || (w[0] === whole[0] && w[1] === whole[1]) ? null : Math.round(w[0]) + "ns:" + Math.round(w[1]) + "ns";

function keep_state(replace) {
	const w = whole ? window_text(view) : null, s = part ? window_text(part) : null;
	w ? state.set("w", w) : state.delete("w");
	s ? state.set("s", s) : state.delete("s");
	history[replace ? "replaceState" : "pushState"](null, "", "#" + state);
}

// What the reports need to know.
page.now = () => ({all, whole, view, part});
page.shown = (k) => all.store ? page.shown_trials(k) : {run: run(), w: whole && window_text(part || view)};
page.keep_state = keep_state;
page.again = () => timeline();
page.rows_changed = () => {
	keep_state(false);
	timeline();
};
page.rows = (row) => rows_set(row);
page.redraw = () => {
	if (!data)
		return;
	state.get("order") === "found" ? rows_order() : (picture_make(), draw());
};
page.jump = (w) => {
	part = w;
	part_row = null;
	show([2 * w[0] - w[1], 2 * w[1] - w[0]]);
	// A list of places stays as it is.
	if (state.get("kind") !== "anomalies")
		report();
};
// The limits of a window that has a name, as "step#12", or from the first to the last of "step#3..7".
page.window = async (name) => {
	const rows = csv_rows(await (await request("report", {kind: "series", run: run(), f: "csv", top: 1, w: name})).text());
	return [Math.min(...rows.map((r) => Math.round(r[1] * 1e6))), Math.max(...rows.map((r) => Math.round(r[2] * 1e6)))];
};

// ---- the timeline: what is read ----

let reading = null, soon = 0;
let unread = false;	// the view has changed, and what it shows is not read yet: calls that are known stay

const cells_most = () => Math.max(64, Math.min(700, Math.floor($("plot").clientWidth / 2)));

const rows_wanted = () => ({run: run(), rank: state.get("rank"), thread: state.get("thread")});

let sample_ns = 1e7; // cells of samples are long enough to hold several of them, else they would be full or empty by chance

async function cells_request(w, most, signal) {
	const g = grid(w, are_samples() ? Math.max(1, Math.min(most, (w[1] - w[0]) / (3 * sample_ns))) : most);
	const rows = {...rows_wanted(), rows: state.get("rows")}, of_rows = rows_request(rows, signal);
	const text = await (await request("report", {...rows, kind: "timeline", f: "csv", cells: g.length + "ns", by: state.get("colours") || "region",
		w: g.begin + "ns:" + g.end + "ns"}, signal)).text();
	await of_rows;
	const read = cells_read(text, g, "cells");
	if (are_samples() && read.changes)
		sample_ns = read.rows.reduce((sum, row) => sum + row.cell.flat().reduce((all, [, ns]) => all + ns, 0), 0) / read.changes;
	read.rows.forEach((row) => { row.streams = streams_of(row.name); });
	read.by_name = read.rows;
	read.rows = order_rows(read.rows);
	return read;
}

// The limits of the run, and what tau-report notes about it.
async function extent(signal) {
	const table = await (await request("report", {kind: "timeline", run: run(), f: "json", cells: 1, by: "group"}, signal)).json();
	notes = table.notes.slice(1, -1); // without the window and the cells
	running = table.facts.running;
	sampled = Boolean(table.facts.sampled);
	$("follow-label").hidden = !running;
	return [table.facts.begin_ns, table.facts.end_ns];
}

const covers = (x, w) => x && x.begin <= w[0] && x.end >= w[1];

async function calls_request(w, signal) {
	if (covers(calls, w) || !data || are_samples() || data.changes > CALLS_MOST)
		return;
	const rows = new Map(), g = grid(w, 64);
	for (const [pe, depth, begin, end, region] of csv_rows(await (await request("report", {...rows_wanted(), kind: "timeline", by: "call", f: "csv",
		w: g.begin + "ns:" + g.end + "ns"}, signal)).text())) {
		const key = row_key(pe);
		if (!rows.has(key))
			rows.set(key, []);
		rows.get(key).push({depth: Number(depth), begin: begin * 1e6, end: end * 1e6, region});
	}
	calls = {begin: g.begin, end: g.end, rows};
}

function status() {
	const cell = data ? (data.end - data.begin) / data.cells : 0;
	const text = [data && data.coarse ? "coarse, cells of " + length_text(cell) + "; reading finer ones ..." : data ? "cells of " + length_text(cell) : ""];
	if (calls && covers(calls, view))
		text.push("single calls");
	else if (data && data.changes > CALLS_MOST && !are_samples())
		text.push(data.changes + " changes of region: zoom in for single calls");
	text.push(...(view ? lines_text(view) : []), order_text());
	$("status").textContent = text.concat(notes).filter((x) => x).join(". ");
}

// A part without regions, or one that cannot be read: the picture of another part would be wrong.
function nothing(why) {
	if (data && view) {
		data = {...data, begin: view[0], end: view[1], cells: 1, names: [], changes: 0, rows: data.rows.map((r) => ({...r, cell: [[]]}))};
		data.by_name = data.rows;
		calls = null;
		draw_data();
		draw();
	}
	$("status").textContent = why;
}

async function timeline() {
	if (reading)
		reading.abort();
	const mine = reading = new AbortController();
	let there = false;
	const wait = setTimeout(() => { $("wait").hidden = false; }, SLOW);
	const coarse = setTimeout(async () => {
		try {
			const first = await cells_request(view, cells_most() / 16, mine.signal);
			if (there || reading !== mine)
				return;
			data = {...first, coarse: true};
			draw_data();
			draw();
			status();
		} catch (e) { // the exact answer says what is wrong
		}
	}, whole ? SLOW : 1e9);
	try {
		if (!whole)
			whole = await extent(mine.signal);
		if (!view)
			view = [...whole];
		const exact = await cells_request(view, cells_most(), mine.signal);
		there = true;
		data = exact;
		draw_data();
		draw();
		performance.mark("picture"); // bench/view.sh reads when
		status();
		below();
		if (await order_request(window_text(view), rows_wanted(), mine.signal)) {
			rows_order();
			status();
		}
		await calls_request(view, mine.signal);
		unread = false;
		await lines_request(view, whole, rows_wanted(), mine.signal);
		draw_data();
		draw();
		status();
	} catch (e) {
		if (e.name !== "AbortError")
			nothing(e.message);
	} finally {
		clearTimeout(wait);
		clearTimeout(coarse);
		if (reading === mine) {
			reading = null;
			$("wait").hidden = true;
		}
	}
}

// What is below the timeline, on its axis.
function below() {
	curves(view, rows_wanted());
	beside(view, cells_most(), state.get("rank"), state.get("colours") || "region");
}

// ---- the timeline: how it is drawn ----

const CALL_HEIGHT = 14;

const are_calls = () => calls && data && !are_samples() && data.changes <= CALLS_MOST && (covers(calls, view) || (unread && calls.begin < view[1] && calls.end > view[0]));
const row_height = () => Math.max(5, Math.min(48, Math.floor(360 / (data ? data.rows.length : 1))));

// Of each row: where it begins, and its height. Rows of calls are as high as calls are deep.
function places_of_rows() {
	const boxes = are_calls();
	let y = 0;
	return data ? data.rows.map((row, i) => {
		const deep = boxes && !is_folded(row.name) ? (calls.rows.get(row_key(row.name)) || []).reduce((most, c) => Math.max(most, c.depth + 1), 1) : 0;
		const place = {row, i, y, height: boxes && !is_folded(row.name) ? CALL_HEIGHT * deep + 3 : row_height()};
		y += place.height;
		return place;
	}) : [];
}

function picture_make() {
	calls_picture = null;
	const scale = devicePixelRatio || 1;
	const c = cells_picture(data, Math.floor($("plot").clientWidth * scale), row_height() * scale);
	picture = {canvas: c, begin: data.begin, end: data.end, height: row_height() * scale};
}

function rows_order() {
	data.rows = order_rows(data.by_name);
	draw_data();
	draw();
}

function draw_data() {
	picture_make();
	names_draw(places_of_rows());
	if (are_calls()) {
		calls_colour();
	} else {
		colours_share("calls", []);
		legend(data.names);
	}
}

// Calls that are seen have the colours, those with most time first.
function calls_colour() {
	const time = new Map();
	for (const c of [...calls.rows.values()].flat()) {
		const ns = Math.min(c.end, view[1]) - Math.max(c.begin, view[0]);
		if (ns > 0)
			time.set(c.region, (time.get(c.region) || 0) + ns);
	}
	const names = [...time.keys()].sort((a, b) => time.get(b) - time.get(a));
	colours_share("cells", []);
	colours_share("calls", names);
	legend(names);
}

// One rank, one thread as "2.1", a row of several, or null: all.
function rows_set(row) {
	const [rank, thread] = row && is_folded(row) ? [pes_text(row), null] : row && !row.includes("..") ? row.split(".") : [row, null];
	if (row && is_folded(row))
		state.delete("rows");
	rank ? state.set("rank", rank) : state.delete("rank");
	thread ? state.set("thread", thread) : state.delete("thread");
	$("all-rows").hidden = !rank;
	calls = null;
	lines_forget();
	keep_state(false);
	timeline();
	report();
}

const x_of = (t) => (t - view[0]) / (view[1] - view[0]) * $("plot").clientWidth;
const t_of = (x) => view[0] + x / $("plot").clientWidth * (view[1] - view[0]);

function draw_calls(g, places) {
	const width = $("plot").clientWidth;
	g.font = "11px system-ui, sans-serif";
	g.textBaseline = "middle";
	for (const {row, y, height, i} of places) {
		if (is_folded(row.name) && picture) // in its cells
			g.drawImage(picture.canvas, 0, i * picture.height, picture.canvas.width, picture.height, x_of(picture.begin), y, x_of(picture.end) - x_of(picture.begin), height);
		for (const c of is_folded(row.name) ? [] : calls.rows.get(row_key(row.name)) || []) {
			const from = Math.max(-2, x_of(c.begin)), to = Math.min(width + 2, x_of(c.end)), top = y + c.depth * CALL_HEIGHT;
			if (to < 0 || from > width)
				continue;
			g.globalAlpha = is_sought(c.region) ? 1 : 0.15;
			g.fillStyle = colour(c.region);
			g.fillRect(from, top, Math.max(1, to - from - (to - from > 3 ? 1 : 0)), CALL_HEIGHT - 1);
			if (to - from > 30) {
				g.fillStyle = is_bright(colour(c.region)) ? "#000" : "#fff";
				g.fillText(fitting(g, c.region, to - Math.max(0, from) - 8), Math.max(0, from) + 4, top + CALL_HEIGHT / 2);
			}
		}
		g.globalAlpha = 1;
	}
}

function calls_keep(canvas, top) {
	const copy = document.createElement("canvas");
	[copy.width, copy.height] = [canvas.width, canvas.height];
	copy.getContext("2d").drawImage(canvas, 0, 0);
	calls_picture = {canvas: copy, view: [...view], top};
}

function draw() {
	const scale = devicePixelRatio || 1, canvas = $("canvas"), width = $("plot").clientWidth;
	const places = places_of_rows(), last = places[places.length - 1], height = last ? last.y + last.height : 20, g = canvas.getContext("2d");
	$("plot").style.height = height + "px";
	// Rows that are scrolled away are not drawn: the canvas has what is in sight.
	const top = $("chart").scrollTop, sight = Math.min(height, $("chart").clientHeight), size = [Math.floor(width * scale), Math.floor(sight * scale)];
	if (canvas.width !== size[0] || canvas.height !== size[1]) {
		[canvas.width, canvas.height] = size;
		canvas.style.width = width + "px";
		canvas.style.height = sight + "px";
	}
	g.setTransform(1, 0, 0, 1, 0, 0);
	g.clearRect(0, 0, ...size);
	const p = calls_picture, old = are_calls() && p && p.top === top && p.canvas.height === size[1] && (unread || String(p.view) === String(view)) ? p : null;
	if (old)
		// As cells: what was drawn, moved and scaled, until what is there now has been read.
		g.drawImage(old.canvas, x_of(old.view[0]) * scale, 0, (x_of(old.view[1]) - x_of(old.view[0])) * scale, size[1]);
	g.setTransform(scale, 0, 0, scale, 0, -top * scale);
	if (are_calls() && !old) {
		draw_calls(g, places.filter((p) => p.y + p.height > top && p.y < top + sight));
		calls_keep(canvas, top);
	} else if (!are_calls() && picture) {
		g.drawImage(picture.canvas, x_of(picture.begin), 0, x_of(picture.end) - x_of(picture.begin), height);
	}
	lines_draw(g, places, x_of, view);
	$("selected").style.display = part ? "block" : "none";
	if (part) {
		$("selected").style.left = x_of(part[0]) + "px";
		$("selected").style.width = x_of(part[1]) - x_of(part[0]) + "px";
	}
	axis_draw($("axis"), view, width);
	curves_draw(view);
	beside_draw(view);
	const w = part || view;
	$("part").textContent = (part ? "Selected: " : window_text(view) ? "Seen: " : "Whole run: ") + moment_text(w[0], (w[1] - w[0]) / 1000, w[1]) + " to " +
		moment_text(w[1], (w[1] - w[0]) / 1000, w[1]) + ", " + length_text(w[1] - w[0]);
	$("part-zoom").hidden = !part;
	$("part-row").hidden = !part || part_row === null || Boolean(state.get("rank"));
	$("part-row").textContent = part_row === null ? "" : "only " + row_words(part_row);
}

// The picture that is there is drawn at once, scaled; the exact one follows.
function show(w, replace) {
	const length = Math.max(10, Math.min(w[1] - w[0], whole[1] - whole[0]));
	const begin = Math.max(whole[0], Math.min(w[0], whole[1] - length));
	if (!replace && view)
		before.push([...view]);
	view = [Math.round(begin), Math.round(begin + length)];
	unread = true;
	draw();
	clearTimeout(soon);
	if (!part)
		$("report").setAttribute("aria-busy", "true");
	soon = setTimeout(() => {
		keep_state(replace);
		timeline();
		if (!part)
			report();
	}, 120);
}

const zoom = (factor, at) => {
	const t = at === undefined ? (view[0] + view[1]) / 2 : at;
	$("follow").checked = false;
	show([t - (t - view[0]) * factor, t + (view[1] - t) * factor]);
};
const move = (share) => show(view.map((t) => t + share * (view[1] - view[0])));

// A run that is being recorded grows: the view stays at its end, or shows all of it.
async function follow() {
	if (!$("follow").checked || !whole || reading)
		return;
	try {
		const all_seen = view[0] === whole[0] && view[1] === whole[1], length = view[1] - view[0];
		whole = await extent();
		if (!running)
			$("follow").checked = false;
		calls = null;
		lines_forget();
		order_forget();
		rows_forget();
		view = all_seen ? [...whole] : [whole[1] - length, whole[1]];
		keep_state(true);
		await timeline();
		if (!part)
			report();
	} catch (e) {
		$("status").textContent = e.message;
	}
}

function select(w, row) {
	part = w;
	part_row = row || null;
	keep_state(false);
	draw();
	report();
}

function row_at(y) {
	const place = places_of_rows().find((p) => y >= p.y && y < p.y + p.height);
	return place ? place.row.name : null;
}

// The call at a place, if single calls are drawn.
function call_at(x, y) {
	const t = t_of(x), place = places_of_rows().find((p) => y >= p.y && y < p.y + p.height);
	if (!are_calls() || !place)
		return null;
	const depth = Math.floor((y - place.y) / CALL_HEIGHT), slack = (view[1] - view[0]) / $("plot").clientWidth;
	return (calls.rows.get(row_key(place.row.name)) || []).find((c) => c.depth === depth && t >= c.begin - slack && t <= c.end + slack) || null;
}

function cell_at(x, y) {
	const t = t_of(x), place = places_of_rows().find((p) => y >= p.y && y < p.y + p.height), row = place && place.row, c = call_at(x, y);
	const moment = moment_text(t, (view[1] - view[0]) / 1000, view[1]);
	if (c)
		return row_words(row.name) + ": " + placed_name(c.region) + " from " + moment_text(c.begin, 1, view[1]) + ", " + length_text(c.end - c.begin) + lines_at(row.name, t);
	if (!row || t < data.begin || t >= data.end)
		return moment;
	const length = (data.end - data.begin) / data.cells, i = Math.floor((t - data.begin) / length);
	const of = [...row.cell[i]].sort((a, b) => b[1] - a[1]).slice(0, 5);
	return row_words(row.name) + " at " + moment + ": " +
		(of.length ? of.map(([name, ns]) => placed_name(name) + " " + (100 * ns / length / row.streams).toFixed(0) + " %").join(", ") : "no region") + " of " + length_text(length) + (row.streams > 1 ? " x " + row.streams + " threads" : "") + lines_at(row.name, t);
}

function pointer() {
	const plot = $("plot");
	let from = null, from_y = 0, moving = null;
	const x = (e) => e.clientX - plot.getBoundingClientRect().left, y = (e) => e.clientY - plot.getBoundingClientRect().top;
	plot.addEventListener("wheel", (e) => {
		if (!view)
			return;
		e.preventDefault();
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			move(0.001 * (e.deltaX || e.deltaY));
		else
			zoom(Math.exp(0.002 * e.deltaY), t_of(x(e)));
	}, {passive: false});
	plot.addEventListener("pointerdown", (e) => {
		if (!view)
			return;
		plot.setPointerCapture(e.pointerId);
		if (e.button === 1 || e.shiftKey)
			moving = {x: x(e), view: [...view]};
		else if (e.button === 0)
			[from, from_y] = [x(e), y(e)];
	});
	plot.addEventListener("pointermove", (e) => {
		if (!view)
			return;
		if (moving) {
			const by = (moving.x - x(e)) / plot.clientWidth * (moving.view[1] - moving.view[0]);
			show(moving.view.map((t) => t + by), true);
		} else if (from !== null && Math.abs(x(e) - from) > 3) {
			part = [t_of(Math.min(from, x(e))), t_of(Math.max(from, x(e)))].map((t) => Math.round(Math.max(whole[0], Math.min(whole[1], t))));
			draw();
		} else if (data) {
			$("status").textContent = cell_at(x(e), y(e));
		}
	});
	plot.addEventListener("pointerup", (e) => {
		const call = from !== null ? call_at(x(e), y(e)) : null;
		if (from !== null && Math.abs(x(e) - from) > 3)
			select(part, row_at(y(e)) === row_at(from_y) ? row_at(y(e)) : null);
		else if (call && call.end > call.begin)
			select([Math.floor(call.begin), Math.ceil(call.end)], row_at(y(e)));
		else if (from !== null && part)
			select(null);
		from = moving = null;
	});
	plot.addEventListener("pointerleave", () => data && status());
}

async function save_picture(format) {
	if (format === "png") {
		strip_with($("canvas")).toBlob((blob) => save(blob, "timeline.png"));
		return;
	}
	try {
		save(await (await request("report", {...rows_wanted(), rows: state.get("rows"), kind: "timeline", f: "svg", by: state.get("colours") || "region", w: window_text(view)})).blob(), "timeline.svg");
	} catch (e) {
		$("status").textContent = e.message;
	}
}

// ---- keys and buttons ----

function key(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName) || $("help").open)
		return;
	const keys = {
		w: () => zoom(0.5), "+": () => zoom(0.5), "=": () => zoom(0.5), s: () => zoom(2), "-": () => zoom(2),
		a: () => move(-0.25), ArrowLeft: () => move(-0.25), d: () => move(0.25), ArrowRight: () => move(0.25),
		0: () => show([...whole]), f: () => part && show([...part]), Enter: () => part && e.target.tagName !== "BUTTON" && show([...part]),
		Escape: () => part ? select(null) : state.get("rank") && rows_set(null), "[": () => instance_step(-1), "]": () => instance_step(1), m: () => $("messages").click(), l: () => $("waits").click(), p: () => $("path").click(), k: () => $("marks").click(), i: () => $("iterations").click(), ",": () => moment_step(-1), ".": () => moment_step(1), c: () => $("curves-on").click(), o: () => $("order").focus(), r: () => $("rows").focus(), "/": () => $("find").focus(), Backspace: () => before.length && show(before.pop(), true), "?": () => $("help").showModal(),
	};
	const f = keys[e.key] || keys[e.key.toLowerCase()];
	if (f && view) {
		if (e.key !== "Enter")
			e.preventDefault();
		f();
	} else if (/^[1-9]$/.test(e.key) && all && all.kinds[e.key - 1]) {
		kind_set(all.kinds[e.key - 1].name);
	}
}

function buttons() {
	$("whole").addEventListener("click", () => whole && show([...whole]));
	$("in").addEventListener("click", () => view && zoom(0.5));
	$("out").addEventListener("click", () => view && zoom(2));
	$("back").addEventListener("click", () => before.length && show(before.pop(), true));
	$("colours").value = state.get("colours") || "region";
	$("colours").addEventListener("change", () => {
		state.set("colours", $("colours").value);
		colours_forget();
		keep_state(true);
		timeline();
	});
	lines_start();
	rows_start();
	curves_start(below);
	beside_start(below);
	legend_start();
	order_start(() => (data && rows_order(), timeline()));
	instances_start();
	$("all-rows").hidden = !state.get("rank");
	$("all-rows").addEventListener("click", () => rows_set(null));
	$("part-zoom").addEventListener("click", () => part && show([...part]));
	$("part-row").addEventListener("click", () => part_row !== null && rows_set(part_row));
	$("save-png").addEventListener("click", () => save_picture("png"));
	$("save-svg").addEventListener("click", () => save_picture("svg"));
	setInterval(follow, 2000);
	$("chart").addEventListener("scroll", () => view && draw());
	addEventListener("resize", () => view && (draw(), timeline()));
}

function run_set() {
	$("run").replaceChildren(...all.runs.map((r, i) => new Option(r, String(i))));
	$("run").hidden = all.runs.length < 2;
	$("run").value = String(run());
	$("title").textContent = all.runs.length < 2 ? all.runs[0] : "";
	document.title = all.runs[run()] + " - tau-view";
	$("run").addEventListener("change", () => {
		state.set("run", $("run").value);
		["w", "s", "rank", "thread"].forEach((k) => state.delete(k));
		history.replaceState(null, "", "#" + state);
		location.reload();
	});
}

async function start() {
	try {
		all = await (await request("runs", {})).json();
	} catch (e) {
		show_text(e.message, true);
		return;
	}
	addEventListener("pagehide", () => { request("end", {}).catch(() => {}); });
	addEventListener("pageshow", (e) => e.persisted && location.reload());
	if (!all.store)
		run_set();
	reports_start();
	$("help-button").addEventListener("click", () => $("help").showModal());
	document.addEventListener("keydown", key);
	addEventListener("popstate", () => location.reload());
	if (all.db)
		return store_start(all);
	buttons();
	pointer();
	tabs();
	const w = window_of(state.get("w")), s = window_of(state.get("s"));
	await timeline();
	if (whole) {
		part = s;
		if (w)
			show(w, true);
		else
			draw();
	}
	if (!w || part)
		report();
}

start();
