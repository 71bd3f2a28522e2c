// view_curves.js: the course of a counter, or of memory by type, below the timeline and on its axis.

import {$, page, state, request, part_colour, csv_rows, grid, moment_text} from "./view_base.js";

const HEIGHT = 90;
const TYPES = 6;	// types of memory with a colour of their own
const MEMORY = "memory by type (B)";

let reading = null;
let counters = null;	// of the seen part: {begin, end, length, of: Map of name to [{begin, end, least, value, largest, rate}]}
let memory = null;	// of the whole run: {names, slices: [{end, v: [bytes ...]}]}; null: not read yet
let memory_of = "";	// which run, and its end: a run that is being recorded grows

const number = (text) => text === "" ? NaN : Number(text);
const number_text = (v) => Math.abs(v) >= 1e5 ? Math.round(v).toLocaleString("en") : String(Number(v.toPrecision(4)));

// A report, or null if the run has nothing for it.
async function rows_of(what, signal) {
	try {
		return await (await request("report", what, signal)).text();
	} catch (e) {
		if (e.name === "AbortError")
			throw e;
		return null;
	}
}

async function counters_read(view, rows, signal) {
	const g = grid(view, Math.max(32, Math.floor($("plot").clientWidth / 4)));
	const what = {...rows, kind: "counters", by: "time", f: "csv", cells: g.length + "ns", w: g.begin + "ns:" + g.end + "ns"};
	const text = await rows_of(what, signal);
	counters = {...g, what, of: new Map()};
	for (const [begin, end, mean, least, largest, rate, name] of csv_rows(text || "")) {
		if (!counters.of.has(name))
			counters.of.set(name, []);
		const grows = rate !== "";
		counters.of.get(name).push({begin: begin * 1e6, end: end * 1e6, grows, value: number(grows ? rate : mean), least: number(grows ? rate : least),
			largest: number(grows ? rate : largest)});
	}
}

// Of all ranks.
async function memory_read(run, signal) {
	const key = run + " " + page.now().whole[1];
	if (memory && memory_of === key)
		return;
	const what = {run, kind: "memory", by: "time", f: "csv", top: TYPES};
	const text = await rows_of(what, signal);
	memory = {what, names: [], slices: []};
	memory_of = key;
	if (!text)
		return;
	memory.names = csv_rows("\n" + text.split(/\r?\n/, 1)[0])[0].slice(3);
	memory.slices = csv_rows(text).map((r) => ({end: r[0] * 1e6, v: r.slice(3).map(Number)}));
}

function choices() {
	const names = [...(memory && memory.names.length ? [MEMORY] : []), ...counters.of.keys()];
	const wanted = state.get("curve"), s = $("curve");
	// A counter that has no value in what is seen stays chosen.
	if (wanted && !names.includes(wanted))
		names.push(wanted);
	if (names.join("\n") !== [...s.options].map((o) => o.value).join("\n"))
		s.replaceChildren(...names.map((n) => new Option(n, n)));
	s.value = wanted || names[0] || "";
	s.disabled = !names.length;
}

const shown = () => $("curve").value;

async function command_show(signal) {
	const of = shown() === MEMORY ? memory : counters;
	if (!shown()) {
		$("curve-command").textContent = "no counters and no memory were recorded";
		return;
	}
	$("curve-command").textContent = of ? (await (await request("command", of.what, signal)).text()).trim() : "";
}

// ---- how it is drawn ----

const x_of = (t, view) => (t - view[0]) / (view[1] - view[0]) * $("plot").clientWidth;

function memory_draw(g, view) {
	const all = memory.slices.map((s) => s.v.reduce((a, b) => a + b, 0));
	const most = Math.max(1, ...all);
	memory.slices.forEach((s, i) => {
		const from = Math.floor(x_of(i ? memory.slices[i - 1].end : 0, view)), to = Math.floor(x_of(s.end, view));
		let y = HEIGHT;
		s.v.forEach((bytes, k) => {
			const h = bytes / most * (HEIGHT - 4);
			g.fillStyle = part_colour(k, memory.names[k]);
			g.fillRect(from, y - h, to - from, h);
			y -= h;
		});
	});
	return [0, most];
}

// A line through the means, or the growth per second; a band from the least to the largest value.
function counter_draw(g, view, cells) {
	const seen = cells.filter((c) => c.end > view[0] && c.begin < view[1]);
	const least = Math.min(seen.some((c) => c.grows) ? 0 : Infinity, ...seen.map((c) => c.least)), largest = Math.max(...seen.map((c) => c.largest));
	const y = (v) => HEIGHT - 3 - (largest > least ? (v - least) / (largest - least) : 0.5) * (HEIGHT - 8);
	g.fillStyle = getComputedStyle(document.body).color;
	for (const c of seen) {
		const from = x_of(c.begin, view), width = Math.max(1, x_of(c.end, view) - from);
		g.globalAlpha = 0.25;
		g.fillRect(from, y(c.largest), width, Math.max(1, y(c.least) - y(c.largest)));
		g.globalAlpha = 1;
		g.fillRect(from, y(c.value) - 1, width, 2);
	}
	g.strokeStyle = g.fillStyle;
	g.globalAlpha = 0.5;
	g.beginPath();
	for (const c of seen)
		g.lineTo(x_of((c.begin + c.end) / 2, view), y(c.value));
	g.stroke();
	return [least, largest];
}

export function curves_draw(view) {
	if ($("curves").hidden || !counters)
		return;
	const scale = devicePixelRatio || 1, canvas = $("curve-canvas"), width = $("plot").clientWidth, g = canvas.getContext("2d");
	canvas.width = Math.floor(width * scale);
	canvas.height = HEIGHT * scale;
	canvas.style.width = width + "px";
	canvas.style.height = HEIGHT + "px";
	g.scale(scale, scale);
	const cells = counters.of.get(shown());
	const limits = shown() === MEMORY && memory ? memory_draw(g, view) : cells ? counter_draw(g, view, cells) : null;
	const unit = cells && cells[0].grows ? " per s" : "";
	$("curve-most").textContent = limits ? number_text(limits[1]) + unit : "";
	$("curve-least").textContent = limits ? number_text(limits[0]) : $("curve").disabled ? "" : "no value";
	$("curve-legend").replaceChildren(...(shown() === MEMORY && memory ? memory.names : []).map((name, k) => {
		const span = document.createElement("span"), box = document.createElement("i");
		box.style.background = part_colour(k, name);
		span.append(box, name);
		return span;
	}));
}

// What a moment has, in words.
export function curve_at(t, view) {
	const at = moment_text(t, (view[1] - view[0]) / 1000, view[1]) + ": ";
	if (shown() === MEMORY && memory) {
		const s = memory.slices.find((x) => x.end > t);
		return s ? at + memory.names.map((n, k) => [n, s.v[k]]).sort((a, b) => b[1] - a[1]).slice(0, 4).map(([n, v]) => n + " " + number_text(v) + " B").join(", ") : "";
	}
	const c = counters && (counters.of.get(shown()) || []).find((x) => x.begin <= t && t < x.end);
	if (!c)
		return at + shown() + ": no value";
	return at + shown() + " " + (c.grows ? "grows by " + number_text(c.value) + " per s" :
		"mean " + number_text(c.value) + ", least " + number_text(c.least) + ", largest " + number_text(c.largest));
}

export async function curves(view, rows) {
	$("curves").hidden = !state.get("curves");
	if (reading)
		reading.abort();
	if ($("curves").hidden || !view)
		return;
	const mine = reading = new AbortController();
	try {
		await Promise.all([counters_read(view, rows, mine.signal), memory_read(rows.run, mine.signal)]);
		if (reading !== mine)
			return;
		choices();
		curves_draw(page.now().view);
		await command_show(mine.signal);
	} catch (e) {
		if (e.name !== "AbortError")
			$("curve-least").textContent = e.message;
	}
}

export function curves_start(changed) {
	$("curves-on").checked = Boolean(state.get("curves"));
	$("curves-on").addEventListener("change", () => {
		$("curves-on").checked ? state.set("curves", "1") : state.delete("curves");
		page.keep_state(true);
		changed();
	});
	$("curve").addEventListener("change", () => {
		state.set("curve", $("curve").value);
		page.keep_state(true);
		curves_draw(page.now().view);
		command_show();
	});
	$("curve-plot").addEventListener("pointermove", (e) => {
		const view = page.now().view, x = e.clientX - $("curve-plot").getBoundingClientRect().left;
		if (view && counters)
			$("status").textContent = curve_at(view[0] + x / $("plot").clientWidth * (view[1] - view[0]), view);
	});
}
