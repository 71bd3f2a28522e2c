// view_beside.js: the timeline of another run below that of the first, at the same scale: what both do after the same time since their begin.

import {$, page, state, request, cells_picture, cells_read, grid, length_text, moment_text, row_key} from "./view_base.js";

const HEIGHT = 240;	// of all rows

let reading = null;
let other = null;	// {run, begin, end}: of the whole run
let data = null;	// its cells; times are its own
let picture = null;
let coloured = "";

const chosen = () => state.get("beside");
// What is added to a time of the first run.
const shift = () => other.begin - page.now().whole[0];
const row_height = () => Math.max(5, Math.min(26, Math.floor(HEIGHT / Math.max(1, data.rows.length))));

async function other_read(signal) {
	if (other && other.run === chosen())
		return;
	const f = (await (await request("report", {kind: "timeline", run: chosen(), f: "json", cells: 1, by: "group"}, signal)).json()).facts;
	other = {run: chosen(), begin: f.begin_ns, end: f.end_ns};
}

// How long it is, beside the first one.
function length_of() {
	const whole = page.now().whole, length = other.end - other.begin, first = whole[1] - whole[0];
	return length_text(length) + (length === first ? ", as long" : ", " + (length / first).toFixed(3) + " times as long");
}

function names_draw() {
	const height = row_height();
	$("beside-names").replaceChildren(...data.rows.map((row) => {
		const span = document.createElement("span");
		span.textContent = height < 10 ? "" : row.name;
		span.title = row.name;
		span.style.height = height + "px";
		return span;
	}));
}

function picture_make() {
	const scale = devicePixelRatio || 1;
	coloured = state.get("find") || "";
	picture = cells_picture(data, Math.floor($("plot").clientWidth * scale), row_height() * scale);
}

export function beside_draw(view) {
	if ($("beside").hidden || !data || !other)
		return;
	const scale = devicePixelRatio || 1, canvas = $("beside-canvas"), width = $("plot").clientWidth, height = row_height() * data.rows.length;
	const x_of = (t) => (t - shift() - view[0]) / (view[1] - view[0]) * width * scale;
	if (coloured !== (state.get("find") || ""))
		picture_make();
	canvas.width = Math.floor(width * scale);
	canvas.height = Math.max(1, Math.floor(height * scale));
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	canvas.getContext("2d").drawImage(picture, x_of(data.begin), 0, x_of(data.end) - x_of(data.begin), canvas.height);
}

// What a place shows, in words.
function text_at(x, y, view) {
	const t = view[0] + shift() + x / $("plot").clientWidth * (view[1] - view[0]), row = data.rows[Math.floor(y / row_height())];
	const length = (data.end - data.begin) / data.cells, cell = row && row.cell[Math.floor((t - data.begin) / length)];
	if (!cell)
		return "";
	return page.now().all.runs[chosen()] + ": PE " + row_key(row.name) + " at " + moment_text(t, (view[1] - view[0]) / 1000, view[1]) + ": " +
		([...cell].sort((a, b) => b[1] - a[1]).slice(0, 5).map(([name, ns]) => name + " " + (100 * ns / length).toFixed(0) + " %").join(", ") || "no region") +
		" of " + length_text(length);
}

export async function beside(view, most, rank, colours) {
	$("beside").hidden = chosen() === null;
	if (reading)
		reading.abort();
	if ($("beside").hidden || !view)
		return;
	const mine = reading = new AbortController();
	try {
		await other_read(mine.signal);
		const w = [Math.max(other.begin, view[0] + shift()), Math.min(other.end, view[1] + shift())];
		if (!(w[1] > w[0])) {
			data = null;
			$("beside-names").replaceChildren();
			$("beside-canvas").height = 1;
			$("beside-text").textContent = "it has ended before: " + length_of();
			return;
		}
		const g = grid(view, most), at = {...g, begin: Math.floor(w[0] / g.length) * g.length, end: Math.ceil(w[1] / g.length) * g.length};
		const what = {run: chosen(), rank, kind: "timeline", f: "csv", cells: g.length + "ns", by: colours, w: at.begin + "ns:" + at.end + "ns"};
		const [text, command] = await Promise.all([request("report", what, mine.signal).then((a) => a.text()), request("command", what, mine.signal).then((a) => a.text())]);
		if (reading !== mine)
			return;
		data = cells_read(text, at, "beside");
		picture_make();
		names_draw();
		beside_draw(page.now().view);
		$("beside-text").textContent = length_of();
		$("beside-command").textContent = command.trim();
	} catch (e) {
		if (e.name !== "AbortError") {
			data = null;
			$("beside-text").textContent = e.message;
		}
	}
}

export function beside_start(changed) {
	const runs = page.now().all.runs, first = Number(state.get("run") || 0), s = $("beside-run");
	$("beside-label").hidden = runs.length < 2;
	s.replaceChildren(new Option("no run", ""), ...runs.map((r, i) => new Option(r, String(i))).filter((o, i) => i !== first));
	if (Number(chosen()) === first || !runs[chosen()])
		state.delete("beside");
	s.value = chosen() || "";
	s.addEventListener("change", () => {
		s.value ? state.set("beside", s.value) : state.delete("beside");
		page.keep_state(true);
		changed();
	});
	$("beside-plot").addEventListener("pointermove", (e) => {
		const box = $("beside-plot").getBoundingClientRect(), view = page.now().view;
		if (view && data)
			$("status").textContent = text_at(e.clientX - box.left, e.clientY - box.top, view);
	});
}
