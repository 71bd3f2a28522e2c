// view_lines.js: what is drawn over the rows: messages, waits with an arrow from the late one, the critical path of what is seen, marks.

import {$, page, state, request, csv_rows, row_key, length_text} from "./view_base.js";
import {draw_marks, iteration_line, moment_line, moments_at, moments_start, strip_draw} from "./view_moments.js";
import {is_in, row_finder} from "./view_rows.js";

const MESSAGES_MOST = 2000;	// more of them are not drawn: some would look like all
const LONGEST = 2000;		// waits, and steps of the path, from the longest; marks and iterations, from the first

// Each: read() makes the list of a window; read it is {begin, end, list}.
const kinds = {
	messages: {
		report: () => ({kind: "timeline", by: "message"}),
		line: ([from, to, sent, received, bytes]) => ({from, to, begin: sent * 1e6, end: received * 1e6, bytes}),
		text: (n) => n > MESSAGES_MOST ? n + " messages, too many to draw: zoom in" : n + " messages",
	},
	waits: {
		report: () => ({kind: "timeline", by: "wait", top: LONGEST}),
		line: ([pe, begin, time, pattern, region, late, until]) => ({pe, begin: begin * 1e6, end: begin * 1e6 + time * 1e6, pattern, region, late, until}),
		text: (n) => n < LONGEST ? n + " waits" : "the " + n + " longest waits",
	},
	path: {
		report: () => ({kind: "critical-path", by: "step", top: LONGEST}),
		line: ([step, rank, thread, begin, time, , cause, path]) => ({step: Number(step), pe: row_key(rank + "." + thread), begin: begin * 1e6, end: begin * 1e6 + time * 1e6, cause, path}),
		text: (n) => n < LONGEST ? n + " steps of the critical path" : "the " + n + " longest steps of the critical path",
	},
	marks: {
		initially: true,
		report: () => ({kind: "timeline", by: "moment", top: LONGEST}),
		line: moment_line,
		text: (n) => !n ? "" : n < LONGEST ? n + (n > 1 ? " marks and gaps" : " mark or gap") : "the first " + n + " marks and gaps: zoom in for others",
	},
	// Of one PE: those of others are at about the same time.
	iterations: {
		report: () => ({kind: "timeline", by: "iteration", top: LONGEST, rank: parseInt(state.get("rank") || 0, 10)}),
		line: iteration_line,
		text: (n) => n < LONGEST ? n + " iterations" : "the first " + n + " iterations: zoom in for others",
	},
};
let lines = {};		// by kind: {begin, end, list}, or {begin, end, error}

const is_on = (k) => kinds[k].initially ? state.get(k) !== "0" : Boolean(state.get(k));
const wanted = () => Object.keys(kinds).filter(is_on);
const shown = (k, w) => lines[k] && lines[k].begin <= w[0] && lines[k].end >= w[1] ? lines[k] : null;

export const lines_forget = () => { lines = {}; };

// The path of what is seen is that of no other part, nor are the longest waits.
const is_read = (k, w) => lines[k] && lines[k].begin === w[0] && lines[k].end === w[1] || k !== "path" && shown(k, w) && (k === "messages" || shown(k, w).list.length < LONGEST);

export async function lines_request(w, whole, rows, signal) {
	for (const k of wanted()) {
		if (is_read(k, w))
			continue;
		const all = w[0] <= whole[0] && w[1] >= whole[1];
		try {
			const text = await (await request("report", {...rows, ...kinds[k].report(), f: "csv", w: all ? null : Math.floor(w[0]) + "ns:" + Math.ceil(w[1]) + "ns"}, signal)).text();
			lines[k] = {begin: w[0], end: w[1], list: csv_rows(text).map(kinds[k].line)};
		} catch (e) {
			if (e.name === "AbortError")
				throw e;
			lines[k] = {begin: w[0], end: w[1], list: [], error: e.message};
		}
	}
}

// How many there are, of those that are inside if more was read.
const number = (k, w) => lines[k].list.length < LONGEST ? lines[k].list.filter((x) => x.end >= w[0] && x.begin <= w[1]).length : lines[k].list.length;
export const lines_text = (w) => wanted().filter((k) => is_read(k, w)).map((k) => lines[k].error || kinds[k].text(number(k, w)));

const middle = (p) => p.y + Math.min(p.height, 28) / 2;
const foot = (p) => p.y + p.height - Math.min(5, p.height / 2); // below the names of calls

function draw_messages(g, of, x_of, list) {
	g.globalAlpha = 0.6;
	g.beginPath();
	for (const m of list.length > MESSAGES_MOST ? [] : list) {
		const from = of(m.from), to = of(m.to);
		if (from && to) {
			g.moveTo(x_of(m.begin), middle(from));
			g.lineTo(x_of(m.end), middle(to));
		}
	}
	g.stroke();
}

// Hatched where it waits; the arrow comes from the one for which it waits.
function draw_waits(g, of, x_of, list) {
	for (const w of list) {
		const p = of(w.pe), late = of(w.late), from = Math.max(0, x_of(w.begin)), to = Math.min(g.canvas.width, x_of(w.end));
		if (!p || to < 0 || to - from < 1)
			continue;
		g.save();
		g.globalAlpha = 0.75;
		g.beginPath();
		g.rect(from, p.y, to - from, p.height - 1);
		g.clip();
		g.beginPath();
		for (let x = from - p.height - (from % 5); x < to; x += 5) {
			g.moveTo(x, p.y + p.height);
			g.lineTo(x + p.height, p.y);
		}
		g.stroke();
		g.restore();
		if (!late || late === p || to - from < 3)
			continue;
		const y = middle(p), down = late.y < p.y ? 1 : -1;
		g.globalAlpha = 0.9;
		g.beginPath();
		g.moveTo(to, middle(late));
		g.lineTo(to, y);
		g.moveTo(to - 4, y - 6 * down);
		g.lineTo(to, y);
		g.lineTo(to + 4, y - 6 * down);
		g.stroke();
	}
}

// A thick line along the rows, and to the next step.
function draw_path(g, of, x_of, list) {
	const steps = [...list].sort((a, b) => a.step - b.step);
	for (const [colour, width] of [[getComputedStyle(document.body).backgroundColor, 6], ["#b3261e", 3]]) {
		g.globalAlpha = 1;
		g.strokeStyle = colour;
		g.lineWidth = width;
		g.beginPath();
		steps.forEach((s, i) => {
			const p = of(s.pe), last = i && steps[i - 1].step === s.step - 1 ? of(steps[i - 1].pe) : null;
			if (!p)
				return;
			g.moveTo(x_of(s.begin), foot(last || p));
			g.lineTo(x_of(s.begin), foot(p));
			g.lineTo(x_of(s.end), foot(p));
		});
		g.stroke();
	}
}

const drawers = {messages: draw_messages, waits: draw_waits, path: draw_path, marks: draw_marks, iterations: () => {}};

export function lines_draw(g, places, x_of, w) {
	const of = row_finder(places);
	for (const k of wanted()) {
		const read = k === "path" ? lines[k] : shown(k, w);
		if (!read)
			continue;
		g.save();
		g.strokeStyle = getComputedStyle(document.body).color;
		drawers[k](g, of, x_of, read.list);
		g.restore();
	}
	const list = (k) => is_on(k) && shown(k, w) ? lines[k].list : null;
	strip_draw(list("marks"), list("iterations"), x_of);
}

// What is drawn at a moment of a row, in words.
export function lines_at(pe, t) {
	const find = (k) => is_on(k) && lines[k] ? lines[k].list.find((x) => is_in(pe, x.pe) && t >= x.begin && t < x.end) : null;
	const wait = find("waits"), step = find("path");
	return (wait ? "; waits " + length_text(wait.end - wait.begin) + " for PE " + wait.late + " in " + wait.until + " (" + wait.pattern + ")" : "") +
		(step ? "; on the critical path for " + length_text(step.end - step.begin) + ", which came by " + step.cause : "") +
		(is_on("marks") && lines.marks ? moments_at(lines.marks.list, (of) => is_in(pe, of), t) : "");
}

export function lines_start() {
	moments_start();
	for (const k of Object.keys(kinds)) {
		$(k).checked = is_on(k);
		$(k).addEventListener("change", () => {
			$(k).checked === Boolean(kinds[k].initially) ? state.delete(k) : state.set(k, $(k).checked ? "1" : "0");
			page.keep_state(true);
			page.again();
		});
	}
}
