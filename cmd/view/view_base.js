// view_base.js: what the page needs and that depends on nothing that is seen: requests, texts of times and their axis, colours, tables.

export const page = {};	// what view.js gives to view_reports.js
export const $ = (id) => document.getElementById(id);

// ---- requests: the token came behind '#', which no server sees; links to colleagues hold none ----

export const state = new URLSearchParams(location.hash.slice(1));
if (state.get("t")) {
	sessionStorage.setItem("token", state.get("t"));
	state.delete("t");
	history.replaceState(null, "", "#" + state);
}

export async function request(path, what, signal) {
	const query = new URLSearchParams();
	for (const [k, v] of Object.entries(what))
		if (v !== null && v !== undefined && v !== "")
			query.set(k, v);
	const answer = await fetch(path + "?" + query, {signal, keepalive: path === "end", headers: {"X-Tau-Token": sessionStorage.getItem("token") || ""}});
	if (!answer.ok)
		throw new Error((await answer.text()).trim());
	return answer;
}

// ---- times: ns since the start of the run ----

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const unit_of = (ns) => UNITS.find(([u]) => Math.abs(ns) >= u) || UNITS[3];

// A length with four digits.
export function length_text(ns) {
	const [unit, name] = unit_of(ns);
	return unit === 1 ? Math.round(ns) + " ns" : Number((ns / unit).toPrecision(4)) + " " + name;
}

// A number of bytes with three digits, as quantity_size_text() of the programs has it.
export function size_text(bytes) {
	const names = ["B", "KiB", "MiB", "GiB", "TiB"];
	let n = Math.abs(bytes), u = 0;
	for (; n >= 1023.5 && u + 1 < names.length; u++)
		n /= 1024;
	return (bytes < 0 ? "-" : "") + n.toFixed(!u && Number.isInteger(n) || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2) + " " + names[u];
}

// A moment, in the unit that suits `end`, with the digits that tell moments apart which are `step` away.
export function moment_text(ns, step, end) {
	const [unit, name] = unit_of(end);
	const digits = Math.ceil(Math.log10(unit / step) - 1e-9);
	return (ns / unit).toFixed(Math.max(0, Math.min(digits, Math.log10(unit)))) + " " + name;
}

// "1ns:5ns" as [1, 5]; null: it is no window.
export function window_of(text) {
	const m = /^(\d+)ns:(\d+)ns$/.exec(text || "");
	return m ? [Number(m[1]), Number(m[2])] : null;
}

// The moments of [begin, end], on `width` pixels.
export function axis_draw(axis, [begin, end], width) {
	const rough = (end - begin) / Math.max(2, width / 130), power = 10 ** Math.floor(Math.log10(rough)), marks = [];
	const step = Math.max(1, [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough)), x_of = (t) => (t - begin) / (end - begin) * width;
	for (let t = Math.ceil(begin / step) * step; t <= end && x_of(t) < width - 40; t += step) {
		const span = document.createElement("span");
		span.textContent = moment_text(t, step, end);
		span.style.left = x_of(t) + "px";
		marks.push(span);
	}
	axis.replaceChildren(...marks);
}

// ---- colours ----

// Okabe and Ito, and Tol: colours that most people can distinguish.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#882255", "#999933", "#332288", "#44AA99", "#CC6677",
	"#117733", "#AA4499", "#DDCC77", "#661100"];
const REST = "#8a8f98";	// grey: "others", and what has no colour of its own
const colour_of = new Map();
const seen = new Map();	// who draws: the names that it shows

export const colour = (name) => colour_of.get(name) || REST;

// Names that `who` shows from now on, those with most time first. A name keeps its colour; one that nobody shows any more gives its own to others.
export function colours_share(who, names) {
	seen.set(who, names.filter((n) => n !== "others").slice(0, COLOURS.length));
	const all = new Set([...seen.values()].flat()), free = COLOURS.filter((c) => ![...colour_of.values()].includes(c));
	for (const name of seen.get(who))
		if (!colour_of.has(name)) {
			const old = free.length ? null : [...colour_of.keys()].find((n) => !all.has(n));
			if (!free.length && old === undefined)
				return;
			colour_of.set(name, free.shift() || colour_of.get(old));
			colour_of.delete(old);
		}
}

export function colours_forget() {
	colour_of.clear();
	seen.clear();
}

// Of the parts of one thing, such as types of memory.
export const part_colour = (i, name) => name === "others" ? REST : COLOURS[i] || REST;

// Is it black text that can be read on this colour?
export function is_bright(c) {
	const [r, g, b] = [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16));
	return 0.3 * r + 0.59 * g + 0.11 * b > 140;
}

// ---- tables and cells ----

// The lines of a CSV table, without its head. Quotes are in few of them; there can be 100,000.
function* csv_lines(text) {
	for (let at = text.indexOf("\n") + 1, end; at && at < text.length; at = end + 1) {
		end = text.indexOf("\n", at);
		if (end < 0)
			end = text.length;
		const line = text.slice(at, text[end - 1] === "\r" ? end - 1 : end);
		if (!line.includes('"')) {
			if (line)
				yield line.split(",");
			continue;
		}
		const out = [], part = /(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/gy;
		for (let m; part.lastIndex < line.length && (m = part.exec(line));)
			out.push(m[1] === undefined ? m[2] : m[1].replace(/""/g, '"'));
		yield out;
	}
}

export const csv_rows = (text) => [...csv_lines(text)];

// Cells are on a grid of powers of two, so that what is kept beside the run can answer, and a neighbouring view has the same ones.
export function grid(w, most) {
	let length = 1;
	while ((w[1] - w[0]) / length > most)
		length *= 2;
	return {length, begin: Math.floor(w[0] / length) * length, end: Math.ceil(w[1] / length) * length};
}

// who: what draws them, for colours_share().
export function cells_read(text, g, who) {
	const rows = new Map(), times = new Map(), cells = Math.round((g.end - g.begin) / g.length);
	const shown = cells * g.length;
	let changes = 0;
	for (const [pe, begin, , name, time, n] of csv_lines(text)) {
		const cell = Math.max(0, Math.min(cells - 1, Math.round((begin * 1e6 - g.begin) / g.length))), ns = time * 1e6;
		let row = rows.get(pe);
		if (!row)
			rows.set(pe, row = {name: pe, cell: Array.from({length: cells}, () => []), last: -1});
		row.cell[cell].push([name, ns]);
		times.set(name, (times.get(name) || 0) + ns);
		if (row.last !== cell)
			changes += Number(n);
		row.last = cell;
	}
	const names = [...times.keys()].sort((a, b) => times.get(b) - times.get(a));
	colours_share(who, names);
	return {begin: g.begin, end: g.begin + shown, cells, names, changes, rows: [...rows.values()]};
}

export const is_sought = (name) => !state.get("find") || name.toLowerCase().includes(state.get("find").toLowerCase());

// Each cell consists of the colours of what the time in it is, in proportion. width and height (of a row) in pixels. Neighbours
// of one colour are one box; boxes are drawn colour by colour.
export function cells_picture(data, width, height) {
	const c = document.createElement("canvas"), g = c.getContext("2d"), per = width / data.cells;
	const length = (data.end - data.begin) / data.cells, order = new Map(data.names.map((n, i) => [n, i]));
	const bright = data.names.map(is_sought), colours = data.names.map(colour), boxes = new Map();
	c.width = Math.max(1, width);
	c.height = Math.max(1, height * data.rows.length);
	data.rows.forEach((row, r) => {
		row.cell.forEach((cell, i) => {
			const all = Math.max(length * (row.streams || 1), cell.reduce((sum, x) => sum + x[1], 0)), x = Math.floor(i * per), wide = Math.ceil((i + 1) * per) - x;
			let y = (r + 1) * height - 1, last = "", box = null;
			cell.sort((a, b) => order.get(a[0]) - order.get(b[0]));
			for (const [name, ns] of cell) {
				const n = order.get(name), h = (height - 1) * ns / all, style = colours[n] + (bright[n] ? "" : "-");
				y -= h;
				if (style === last) {
					box[1] = y;
					box[3] += h;
					continue;
				}
				last = style;
				box = [x, y, wide, h];
				boxes.has(style) ? boxes.get(style).push(box) : boxes.set(style, [box]);
			}
		});
	});
	for (const [style, all] of boxes) {
		g.globalAlpha = style.endsWith("-") ? 0.15 : 1;
		g.fillStyle = style.replace("-", "");
		for (const box of all)
			g.fillRect(...box);
	}
	return c;
}

// Rows are named by rank, or by rank and thread if several threads have one.
export const row_key = (name) => name.replace(/\.0$/, "");

// ---- names ----

// "solve [{/src/app.c} {12,0}]" is "solve", or "solve [app.c:12]" with its place.
export const short_name = (name) => name.replace(/ \[\{.*$/, "").split(" => ").pop();
export const placed_name = (name) => name.replace(/\[\{([^}]*\/)?([^}]*)\}(?: \{(\d+)[^}]*\}[^\]]*)?\]/g, (all, folder, file, line) => "[" + file + (line ? ":" + line : "") + "]");

// ---- texts in boxes, and files ----

// The innermost part of a name that fits.
export function fitting(g, name, width) {
	const short = short_name(name);
	let n = short.length;
	if (g.measureText(short).width <= width)
		return short;
	while (n > 2 && g.measureText(short.slice(0, n) + "\u2026").width > width)
		n--;
	return n > 2 ? short.slice(0, n) + "\u2026" : "";
}

export function save(blob, name) {
	const a = document.createElement("a"), url = URL.createObjectURL(blob);
	a.href = url;
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}
