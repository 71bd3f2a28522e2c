// view_moments.js: marks, ends by a signal, times without recording, and iterations: on their rows, and by name on a strip above them.

import {$, page, length_text, moment_text} from "./view_base.js";

const LANE = 16;	// pixels of a lane of the strip
const NEAR = 5;		// pixels around the pointer

let strip = [];		// what the strip shows: {begin, end, text}
let at = null;		// the one that was stepped to

const ink = () => getComputedStyle(document.body).color;
const paper = () => getComputedStyle(document.body).backgroundColor;
const is_gap = (m) => m.kind === "recording off" || m.kind === "events lost";

export const moment_line = ([pe, kind, name, number, begin, end]) => ({pe, kind, name, number: Number(number), begin: begin * 1e6, end: end * 1e6});
export const iteration_line = ([pe, number, begin, end]) => ({pe, number: Number(number), begin: begin * 1e6, end: end * 1e6});

const label_of = (m) => m.kind === "recording off" ? "off" : m.kind === "events lost" ? m.number + " lost" : m.name || m.kind;

// What and when, in words.
function words_of(m) {
	const end = page.now().whole[1], from = moment_text(m.begin, 1, end);
	if (!m.kind)
		return "iteration " + m.number + " of PE " + m.pe + " from " + from + ", " + length_text(m.end - m.begin);
	if (m.kind === "recording off")
		return "PE " + m.pe + ": recording off from " + from + ", " + length_text(m.end - m.begin);
	if (m.kind === "events lost")
		return "PE " + m.pe + ": " + m.number + " events lost between " + from + " and " + moment_text(m.end, 1, end);
	if (m.kind === "signal")
		return "PE " + m.pe + ": " + (m.name || "a signal") + " ends the process at " + from;
	return "PE " + m.pe + ": " + m.kind + " " + m.name + " (number " + m.number + ") at " + from;
}

// ---- on the rows ----

// Crossed lines, so that it is no wait, with its words if there is room.
function draw_gap(g, p, from, to, text) {
	const high = p.height - 1, wide = Math.max(2, to - from);
	g.save();
	g.beginPath();
	g.rect(from, p.y, wide, high);
	g.clip();
	g.globalAlpha = 0.55;
	g.fillStyle = paper();
	g.fill();
	g.globalAlpha = 0.8;
	g.strokeStyle = ink();
	g.beginPath();
	for (let x = from - high - 7; x < from + wide + high; x += 7) {
		g.moveTo(x, p.y + high);
		g.lineTo(x + high, p.y);
		g.moveTo(x, p.y);
		g.lineTo(x + high, p.y + high);
	}
	g.rect(from, p.y, wide, high);
	g.stroke();
	g.globalAlpha = 1;
	const room = g.measureText(text).width + 8;
	if (room < wide && high >= 11) {
		g.fillStyle = paper();
		g.fillRect(Math.max(0, from) + 2, p.y + high / 2 - 6, room, 12);
		g.fillStyle = ink();
		g.fillText(text, Math.max(0, from) + 6, p.y + high / 2);
	}
	g.restore();
}

// A flag: a mark. A square: a snapshot. A cross: a signal.
function draw_shape(g, kind, x, y, size) {
	g.beginPath();
	if (kind === "signal") {
		g.moveTo(x - size, y);
		g.lineTo(x + size, y + 2 * size);
		g.moveTo(x + size, y);
		g.lineTo(x - size, y + 2 * size);
		g.lineWidth = 2.5;
		g.stroke();
		return;
	}
	if (kind === "snapshot") {
		g.rect(x, y, 2 * size, 2 * size);
	} else {
		g.moveTo(x, y);
		g.lineTo(x + 2 * size, y + size);
		g.lineTo(x, y + 2 * size);
	}
	g.fill();
}

export function draw_marks(g, of, x_of, list) {
	const last = new Map(); // by row: up to where there is a label
	g.font = "11px system-ui, sans-serif";
	g.textBaseline = "middle";
	for (const m of list) {
		const p = of(m.pe), x = x_of(m.begin), size = p ? Math.max(1.5, Math.min(4, p.height / 4)) : 0;
		if (!p || x > g.canvas.width || x_of(m.end) < 0)
			continue;
		if (is_gap(m)) {
			draw_gap(g, p, x, x_of(m.end), label_of(m));
			continue;
		}
		const left = x + 2 * size + 3, wide = g.measureText(label_of(m)).width;
		for (const [colour, width] of [[paper(), 3], [ink(), 1.2]]) {
			g.strokeStyle = g.fillStyle = colour;
			g.lineWidth = width;
			g.beginPath();
			g.moveTo(x, p.y);
			g.lineTo(x, p.y + p.height - 1);
			g.stroke();
		}
		draw_shape(g, m.kind, x, p.y, size);
		if (p.height < 14 || left < (last.get(p) || 0))
			continue;
		// At the right edge it is on the left of its shape.
		const place = left + wide + 4 > $("plot").clientWidth ? x - wide - size - 5 : left;
		g.fillStyle = paper();
		g.globalAlpha = 0.8;
		g.fillRect(place - 1, p.y, wide + 2, 12);
		g.globalAlpha = 1;
		g.fillStyle = ink();
		g.fillText(label_of(m), place, p.y + 6);
		last.set(p, left + wide + 4);
	}
}

// Those of a row that are near a moment, as words.
export function moments_at(list, is_of, t) {
	const view = page.now().view, slack = NEAR * (view[1] - view[0]) / $("plot").clientWidth;
	const near = list.filter((m) => is_of(m.pe) && t >= m.begin - slack && t <= m.end + (m.begin === m.end ? slack : 0));
	return near.length ? "; " + near.slice(0, 3).map(words_of).join("; ") + (near.length > 3 ? "; and " + (near.length - 3) + " more" : "") : "";
}

// ---- the strip ----

// Each iteration is a band; if they are too narrow, their number.
function draw_iterations(g, x_of, list, width) {
	const seen = list.filter((m) => x_of(m.end) > 0 && x_of(m.begin) < width);
	const narrow = seen.length > width / 5;
	for (const m of narrow ? [] : seen) {
		const from = Math.max(0, x_of(m.begin)), wide = Math.min(width, x_of(m.end)) - from;
		g.fillStyle = m.number % 2 ? "#8a8f9855" : "#8a8f9822";
		g.fillRect(from, 0, wide, LANE - 1);
		g.fillStyle = ink();
		g.fillRect(Math.round(x_of(m.begin)), 0, 1, LANE - 1);
		const text = [" iteration " + m.number, " " + m.number].find((s) => g.measureText(s).width + 3 < wide);
		if (text)
			g.fillText(text, from + 1, LANE / 2);
	}
	if (!narrow)
		return;
	const from = Math.max(0, x_of(seen[0].begin)), to = Math.min(width, x_of(seen[seen.length - 1].end));
	g.strokeStyle = g.fillStyle = ink();
	g.strokeRect(from + 0.5, 0.5, Math.max(1, to - from - 1), LANE - 3);
	g.fillText(seen.length + " iterations, from " + seen[0].number + " to " + seen[seen.length - 1].number + ": zoom in", from + 6, LANE / 2);
}

// Moments that share a label's place are one: their number.
function draw_names(g, x_of, list, width, y) {
	const seen = list.filter((m) => x_of(m.end) >= -1 && x_of(m.begin) <= width + 1);
	for (let i = 0, n, used = 0; i < seen.length; i += n) {
		const x = Math.max(0, Math.min(width - 5, x_of(seen[i].begin))), name = label_of(seen[i]);
		for (n = 1; i + n < seen.length && x_of(seen[i + n].begin) < x + 12;)
			n++;
		const names = new Set(seen.slice(i, i + n).map(label_of)), next = i + n < seen.length ? x_of(seen[i + n].begin) : width;
		const text = [name + (n > 1 ? " \u00d7" + n : ""), String(n > 1 ? n : name)].map((s, k) => !k && names.size > 1 ? [...names].slice(0, 3).join(", ") + (names.size > 3 ? " ..." : "") + " (" + n + ")" : s);
		const wide = (s) => g.measureText(s).width + 12, fits = text.find((s) => x + wide(s) < next),
			before = text.find((s) => x - wide(s) > used);
		g.strokeStyle = g.fillStyle = ink();
		g.lineWidth = 1;
		if (is_gap(seen[i]))
			g.strokeRect(x + 0.5, y + 4.5, Math.max(3, Math.min(width, x_of(seen[i].end)) - x - 1), LANE - 9);
		else
			draw_shape(g, seen[i].kind, x, y + 4, 4);
		used = fits ? x + wide(fits) : x + 12;
		if (!fits && before)
			g.fillText(before, x - wide(before) + 5, y + LANE / 2);
		if (!fits)
			continue;
		if (is_gap(seen[i])) {
			g.fillStyle = paper();
			g.fillRect(x + 6, y + 1, g.measureText(fits).width + 6, LANE - 2);
			g.fillStyle = ink();
		}
		g.fillText(fits, x + 10, y + LANE / 2);
	}
}

// marks, iterations: the lists, or null.
export function strip_draw(marks, iterations, x_of) {
	const width = $("plot").clientWidth, scale = devicePixelRatio || 1, canvas = $("moments-canvas"), g = canvas.getContext("2d");
	const lanes = [iterations, marks].map((l) => l && l.length ? l : null), n = lanes.filter((l) => l).length;
	strip = [...(marks || []), ...(iterations || [])].sort((a, b) => a.begin - b.begin);
	$("moments").hidden = !n;
	if (!n)
		return;
	canvas.width = Math.floor(width * scale);
	canvas.height = Math.floor(n * LANE * scale);
	canvas.style.width = width + "px";
	canvas.style.height = n * LANE + "px";
	g.setTransform(scale, 0, 0, scale, 0, 0);
	g.font = "11px system-ui, sans-serif";
	g.textBaseline = "middle";
	if (lanes[0])
		draw_iterations(g, x_of, lanes[0], width);
	if (lanes[1])
		draw_names(g, x_of, lanes[1], width, (n - 1) * LANE);
	if (at && strip.some((m) => m.begin === at.begin && m.end === at.end)) {
		g.strokeStyle = "#D55E00";
		g.lineWidth = 2;
		g.strokeRect(Math.max(1, x_of(at.begin) - 2), 1, Math.max(6, x_of(at.end) - x_of(at.begin)), n * LANE - 2);
	}
}

function say(m) {
	at = m;
	page.redraw();
	$("status").textContent = m ? words_of(m) : "no mark, gap or iteration there";
}

// The next one after the last that was stepped to, inside of what is seen; at the ends it begins again.
export function moment_step(by) {
	const view = page.now().view, seen = strip.filter((m) => m.end >= view[0] && m.begin <= view[1]);
	const old = at ? seen.findIndex((m) => m.begin === at.begin && m.pe === at.pe && m.kind === at.kind && m.number === at.number) : -1;
	say(seen.length ? seen[old < 0 ? (by > 0 ? 0 : seen.length - 1) : (old + by + seen.length) % seen.length] : null);
}

function near(e) {
	const box = $("moments-canvas").getBoundingClientRect(), view = page.now().view;
	const t = view[0] + (e.clientX - box.left) / box.width * (view[1] - view[0]), far = (m) => Math.max(m.begin - t, t - m.end, 0);
	// In its upper lane are iterations.
	const upper = e.clientY - box.top < LANE, two = box.height > LANE, all = strip.filter((m) => !two || !m.kind === upper);
	return all.length ? all.reduce((best, m) => far(m) < far(best) ? m : best) : null;
}

// A picture of the strip and of what is below.
export function strip_with(canvas) {
	const above = $("moments").hidden ? null : $("moments-canvas"), high = above ? above.height : 0, all = document.createElement("canvas"), g = all.getContext("2d");
	all.width = canvas.width;
	all.height = canvas.height + high;
	g.fillStyle = paper();
	g.fillRect(0, 0, all.width, all.height);
	if (above)
		g.drawImage(above, 0, 0);
	g.drawImage(canvas, 0, high);
	return all;
}

export function moments_start() {
	const s = $("moments");
	s.addEventListener("pointermove", (e) => {
		const m = near(e);
		$("status").textContent = m ? words_of(m) : "";
	});
	s.addEventListener("click", (e) => say(near(e)));
	s.addEventListener("dblclick", (e) => at && page.jump([Math.floor(at.begin), Math.max(Math.ceil(at.end), Math.floor(at.begin) + 1000)]));
	s.addEventListener("keydown", (e) => {
		const step = {ArrowLeft: -1, ArrowRight: 1}[e.key];
		if (step)
			moment_step(step);
		else if (e.key === "Enter" && at)
			page.jump([Math.floor(at.begin), Math.max(Math.ceil(at.end), Math.floor(at.begin) + 1000)]);
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	});
}
