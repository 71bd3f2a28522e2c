// view.js: a timeline to zoom, and the reports of what is selected in it. All numbers come from tau-report.

const $ = (id) => document.getElementById(id);

// ---- requests: the token came behind '#', which no server sees; links to colleagues hold none ----

const state = new URLSearchParams(location.hash.slice(1));
if (state.get("t")) {
	sessionStorage.setItem("token", state.get("t"));
	state.delete("t");
	history.replaceState(null, "", "#" + state);
}

async function ask(path, what, signal) {
	const query = new URLSearchParams();
	for (const [k, v] of Object.entries(what))
		if (v !== null && v !== undefined && v !== "")
			query.set(k, v);
	const answer = await fetch(path + "?" + query, {signal, headers: {"X-Tau-Token": sessionStorage.getItem("token") || ""}});
	if (!answer.ok)
		throw new Error((await answer.text()).trim());
	return answer;
}

// ---- times: ns since the start of the run ----

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const unit_of = (ns) => UNITS.find(([u]) => Math.abs(ns) >= u) || UNITS[3];

// A length with four digits.
function length_text(ns) {
	const [unit, name] = unit_of(ns);
	return unit === 1 ? Math.round(ns) + " ns" : Number((ns / unit).toPrecision(4)) + " " + name;
}

// A moment, in the unit that suits `end`, with the digits that tell moments apart which are `step` away.
function moment_text(ns, step, end) {
	const [unit, name] = unit_of(end);
	const digits = Math.ceil(Math.log10(unit / step) - 1e-9);
	return (ns / unit).toFixed(Math.max(0, Math.min(digits, Math.log10(unit)))) + " " + name;
}

// ---- what is seen ----

let all = null;		// runs and kinds
let whole = null;	// [begin, end] of the run
let view = null;	// [begin, end] that is seen
let part = null;	// [begin, end] that is selected
let data = null;	// of the timeline: {begin, end, cells, rows: [{name, cell: [[category, ns] ...]}]}
let picture = null;	// data as drawn once
const before = [];	// views before this one

// Okabe and Ito, and Tol: colours that most people can tell apart.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#882255", "#999933"];
const REST = "#8a8f98";	// grey: "others", and what has no colour of its own
const colour_of = new Map([["others", REST]]);

function colour(name) {
	if (!colour_of.has(name))
		colour_of.set(name, COLOURS[colour_of.size - 1] || REST);
	return colour_of.get(name);
}

const run = () => Number(state.get("run") || 0);
const window_text = (w) => !w || (w[0] === whole[0] && w[1] === whole[1]) ? null : Math.round(w[0]) + "ns:" + Math.round(w[1]) + "ns";

function keep_state(replace) {
	const w = whole ? window_text(view) : null, s = part ? window_text(part) : null;
	w ? state.set("w", w) : state.delete("w");
	s ? state.set("s", s) : state.delete("s");
	history[replace ? "replaceState" : "pushState"](null, "", "#" + state);
}

const from_text = (text) => {
	const m = /^(\d+)ns:(\d+)ns$/.exec(text || "");
	return m ? [Number(m[1]), Number(m[2])] : null;
};

// ---- the timeline ----

let reading = null, soon = 0;

function cells_wanted() {
	return Math.max(64, Math.min(600, Math.floor($("plot").clientWidth / 2)));
}

function table_to_data(table) {
	const rows = new Map(), times = new Map();
	const {begin_ns, end_ns, cells} = table.facts;
	const length = (end_ns - begin_ns) / cells;
	for (const r of table.rows) {
		const name = r.group ?? r.region;
		if (!rows.has(r.pe))
			rows.set(r.pe, Array.from({length: cells}, () => []));
		const cell = Math.min(cells - 1, Math.floor((r.begin_ms * 1e6 - begin_ns + length / 2) / length));
		rows.get(r.pe)[cell].push([name, r.time_ms * 1e6]);
		times.set(name, (times.get(name) || 0) + r.time_ms);
	}
	const names = [...times.keys()].sort((a, b) => times.get(b) - times.get(a));
	names.forEach(colour);
	return {begin: begin_ns, end: end_ns, cells, names, notes: table.notes, rows: [...rows].map(([name, cell]) => ({name, cell}))};
}

async function timeline() {
	if (reading)
		reading.abort();
	const mine = reading = new AbortController();
	const wait = setTimeout(() => { $("wait").hidden = false; }, 150);
	try {
		const answer = await ask("report", {kind: "timeline", run: run(), f: "json", cells: cells_wanted(), by: state.get("colours") || "region", w: whole && window_text(view)}, mine.signal);
		data = table_to_data(await answer.json());
		if (!whole)
			whole = [data.begin, data.end];
		if (!view)
			view = [...whole];
		draw_data();
		draw();
		$("status").textContent = data.notes[data.notes.length - 1] || "";
	} catch (e) {
		if (e.name !== "AbortError")
			$("status").textContent = e.message;
	} finally {
		clearTimeout(wait);
		if (reading === mine) {
			reading = null;
			$("wait").hidden = true;
		}
	}
}

const row_height = () => Math.max(5, Math.min(26, Math.floor(360 / (data ? data.rows.length : 1))));

// Each cell consists of the colours of what the time in it is, in proportion.
function draw_data() {
	const scale = devicePixelRatio || 1, width = Math.floor($("plot").clientWidth * scale), height = row_height() * scale;
	const c = document.createElement("canvas"), g = c.getContext("2d"), per = width / data.cells;
	const length = (data.end - data.begin) / data.cells, order = new Map(data.names.map((n, i) => [n, i]));
	c.width = Math.max(1, width);
	c.height = Math.max(1, height * data.rows.length);
	data.rows.forEach((row, r) => {
		row.cell.forEach((cell, i) => {
			let y = (r + 1) * height - 1;
			cell.sort((a, b) => order.get(a[0]) - order.get(b[0]));
			for (const [name, ns] of cell) {
				const h = (height - 1) * Math.min(1, ns / length);
				g.fillStyle = colour(name);
				g.fillRect(Math.floor(i * per), y - h, Math.ceil((i + 1) * per) - Math.floor(i * per), h);
				y -= h;
			}
		});
	});
	picture = {canvas: c, begin: data.begin, end: data.end};
	$("names").replaceChildren(...data.rows.map((row) => {
		const div = document.createElement("div");
		div.textContent = row_height() < 10 ? "" : row.name;
		div.title = row.name;
		div.style.height = row_height() + "px";
		return div;
	}));
	$("legend").replaceChildren(...data.names.map((name) => {
		const span = document.createElement("span"), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
		const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
		rect.setAttribute("width", "12");
		rect.setAttribute("height", "12");
		rect.setAttribute("fill", colour(name));
		svg.append(rect);
		span.append(svg, name);
		span.title = name;
		return span;
	}));
}

const x_of = (t) => (t - view[0]) / (view[1] - view[0]) * $("plot").clientWidth;
const t_of = (x) => view[0] + x / $("plot").clientWidth * (view[1] - view[0]);

function draw_axis() {
	const width = $("plot").clientWidth, rough = (view[1] - view[0]) / Math.max(2, width / 130);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = Math.max(1, [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough));
	const marks = [];
	for (let t = Math.ceil(view[0] / step) * step; t <= view[1]; t += step) {
		const span = document.createElement("span");
		span.textContent = moment_text(t, step, view[1]);
		span.style.left = x_of(t) + "px";
		marks.push(span);
	}
	$("axis").replaceChildren(...marks);
}

function draw() {
	const scale = devicePixelRatio || 1, canvas = $("canvas"), width = $("plot").clientWidth;
	const height = row_height() * (data ? data.rows.length : 1), g = canvas.getContext("2d");
	canvas.width = Math.floor(width * scale);
	canvas.height = Math.floor(height * scale);
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	if (picture)
		g.drawImage(picture.canvas, x_of(picture.begin) * scale, 0, (x_of(picture.end) - x_of(picture.begin)) * scale, canvas.height);
	$("selected").style.display = part ? "block" : "none";
	if (part) {
		$("selected").style.left = x_of(part[0]) + "px";
		$("selected").style.width = x_of(part[1]) - x_of(part[0]) + "px";
	}
	draw_axis();
	const w = part || view;
	$("part").textContent = (part ? "Selected: " : window_text(view) ? "Seen: " : "Whole run: ") + moment_text(w[0], (w[1] - w[0]) / 1000, w[1]) + " to " +
		moment_text(w[1], (w[1] - w[0]) / 1000, w[1]) + ", " + length_text(w[1] - w[0]);
}

// The picture that is there is drawn at once, scaled; the exact one follows.
function show(w, replace) {
	let length = Math.max(10, Math.min(w[1] - w[0], whole[1] - whole[0]));
	const begin = Math.max(whole[0], Math.min(w[0], whole[1] - length));
	if (!replace && view)
		before.push([...view]);
	view = [Math.round(begin), Math.round(begin + length)];
	draw();
	clearTimeout(soon);
	soon = setTimeout(() => {
		keep_state(replace);
		timeline();
		if (!part)
			report();
	}, 120);
}

const zoom = (factor, at) => {
	const t = at === undefined ? (view[0] + view[1]) / 2 : at;
	show([t - (t - view[0]) * factor, t + (view[1] - t) * factor]);
};
const move = (share) => show(view.map((t) => t + share * (view[1] - view[0])));

function select(w) {
	part = w;
	keep_state(false);
	draw();
	report();
}

function cell_at(x, y) {
	const t = t_of(x), row = data && data.rows[Math.floor(y / row_height())];
	if (!row || t < data.begin || t >= data.end)
		return moment_text(t, (view[1] - view[0]) / 1000, view[1]);
	const length = (data.end - data.begin) / data.cells, i = Math.floor((t - data.begin) / length);
	const of = [...row.cell[i]].sort((a, b) => b[1] - a[1]).slice(0, 5);
	return "PE " + row.name + " at " + moment_text(t, (view[1] - view[0]) / 1000, view[1]) + ": " +
		(of.length ? of.map(([name, ns]) => name + " " + (100 * ns / length).toFixed(0) + " %").join(", ") : "no region") + " of " + length_text(length);
}

function pointer() {
	const plot = $("plot");
	let from = null, moving = null;
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
			from = x(e);
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
		if (from !== null && Math.abs(x(e) - from) > 3)
			select(part);
		else if (from !== null && part)
			select(null);
		from = moving = null;
	});
}

// ---- reports ----

let reporting = null;

const kind_now = () => all.kinds.find((k) => k.name === state.get("kind")) || all.kinds[0];

function choices() {
	const k = kind_now(), list = [];
	const choice = (name, values, title) => {
		const label = document.createElement("label"), s = document.createElement("select");
		for (const v of values)
			s.append(new Option(v.text, v.value));
		s.value = state.get(name) || values[0].value;
		if (s.selectedIndex < 0)
			s.selectedIndex = 0;
		s.addEventListener("change", () => {
			state.set(name, s.value);
			keep_state(true);
			report();
		});
		label.append(title + " ", s);
		list.push(label);
	};
	if (k.picture && k.tables)
		choice("as", [{text: "text", value: "text"}, {text: "picture", value: "svg"}], "as");
	if (k.by.length > 1)
		choice("by", k.by.map((b) => ({text: b, value: b})), "by");
	choice("top", [{text: "the first", value: ""}, {text: "all", value: "0"}], "rows");
	if (k.word) {
		const label = document.createElement("label"), input = document.createElement("input");
		input.value = state.get("word") || "";
		input.addEventListener("change", () => {
			state.set("word", input.value);
			keep_state(true);
			report();
		});
		label.append(k.word.toLowerCase() + " ", input);
		list.push(label);
	}
	$("choices").replaceChildren(...list);
}

function show_text(text, error) {
	const e = document.createElement(error ? "p" : "pre");
	e.className = error ? "error" : "";
	e.textContent = text;
	$("report").replaceChildren(e);
}

// Buttons that lead to where rows of a table are.
function places(rows) {
	const list = document.createElement("p");
	for (const r of rows.slice(0, 30)) {
		const b = document.createElement("button"), begin = 1e6 * r.begin_ms, end = 1e6 * r.end_ms;
		if (!(end > begin))
			continue;
		b.textContent = r.kind + " of " + r.region + ", rank " + r.rank + ": " + length_text(end - begin);
		b.addEventListener("click", () => {
			part = [Math.floor(begin), Math.ceil(end)];
			show([begin - (end - begin), end + (end - begin)]);
		});
		list.append(b, " ");
	}
	$("report").prepend(list);
}

async function report() {
	const k = kind_now(), by = k.by.includes(state.get("by")) ? state.get("by") : null;
	const format = !k.tables ? "svg" : k.picture && state.get("as") === "svg" ? "svg" : "text";
	const what = {kind: k.name, run: run(), w: whole && window_text(part || view), by, top: format === "text" ? state.get("top") : null,
		word: k.word ? state.get("word") : null, f: format === "svg" ? "svg" : null};
	if (reporting)
		reporting.abort();
	const mine = reporting = new AbortController();
	try {
		$("command").textContent = (await (await ask("command", what, mine.signal)).text()).trim();
		const answer = await ask("report", what, mine.signal);
		if (format === "svg") {
			const img = document.createElement("img"), url = URL.createObjectURL(await answer.blob());
			img.alt = k.title + ": " + $("command").textContent;
			img.src = url;
			img.addEventListener("load", () => URL.revokeObjectURL(url));
			$("report").replaceChildren(img);
		} else {
			show_text(await answer.text(), false);
			if (k.name === "anomalies")
				places((await (await ask("report", {...what, top: null, f: "json"}, mine.signal)).json()).rows);
		}
	} catch (e) {
		if (e.name !== "AbortError")
			show_text(e.message, true);
	}
}

function kind_set(name) {
	state.set("kind", name);
	state.delete("by");
	keep_state(false);
	tabs();
	report();
}

function tabs() {
	$("kinds").replaceChildren(...all.kinds.map((k) => {
		const b = document.createElement("button");
		b.textContent = k.name;
		b.title = k.about;
		b.setAttribute("role", "tab");
		b.setAttribute("aria-selected", String(k === kind_now()));
		b.addEventListener("click", () => kind_set(k.name));
		return b;
	}));
	choices();
}

// ---- keys and buttons ----

function key(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName) || $("help").open)
		return;
	const keys = {
		w: () => zoom(0.5), "+": () => zoom(0.5), "=": () => zoom(0.5), s: () => zoom(2), "-": () => zoom(2),
		a: () => move(-0.25), ArrowLeft: () => move(-0.25), d: () => move(0.25), ArrowRight: () => move(0.25),
		0: () => show([...whole]), f: () => part && show([...part]), Enter: () => part && e.target.tagName !== "BUTTON" && show([...part]),
		Escape: () => part && select(null), Backspace: () => before.length && show(before.pop(), true), "?": () => $("help").showModal(),
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
	$("help-button").addEventListener("click", () => $("help").showModal());
	$("copy").addEventListener("click", () => navigator.clipboard.writeText($("command").textContent));
	$("colours").value = state.get("colours") || "region";
	$("colours").addEventListener("change", () => {
		state.set("colours", $("colours").value);
		[...colour_of.keys()].slice(1).forEach((name) => colour_of.delete(name));
		keep_state(true);
		timeline();
	});
	document.addEventListener("keydown", key);
	addEventListener("resize", () => view && (draw(), timeline()));
	addEventListener("popstate", () => location.reload());
}

function run_set() {
	$("run").replaceChildren(...all.runs.map((r, i) => new Option(r, String(i))));
	$("run").hidden = all.runs.length < 2;
	$("run").value = String(run());
	$("title").textContent = all.runs.length < 2 ? all.runs[0] : "";
	document.title = all.runs[run()] + " - tau-view";
	$("run").addEventListener("change", () => {
		state.set("run", $("run").value);
		["w", "s"].forEach((k) => state.delete(k));
		history.replaceState(null, "", "#" + state);
		location.reload();
	});
}

async function start() {
	try {
		all = await (await ask("runs", {})).json();
	} catch (e) {
		show_text(e.message, true);
		return;
	}
	run_set();
	buttons();
	pointer();
	tabs();
	const w = from_text(state.get("w")), s = from_text(state.get("s"));
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
