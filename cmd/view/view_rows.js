// view_rows.js: rows that are folded: hosts, PEs and queues of devices; what each row contains, and its name.

import {$, page, state, request, csv_rows, row_key} from "./view_base.js";

let groups = new Map();	// by name of a row: {level, host, pes: [[first, last]], text, streams}
let many = false;	// several hosts, or a PE with several threads
let read = null;	// of what the groups are

export const rows_forget = () => { read = null; };

// The rows that the timeline has. True: they have changed.
export async function rows_request(what, signal) {
	const key = JSON.stringify(what);
	if (read === key)
		return false;
	let list = [];
	try {
		list = csv_rows(await (await request("report", {...what, kind: "timeline", by: "row", f: "csv"}, signal)).text());
	} catch (e) { // the cells say what is wrong
		return false;
	}
	groups = new Map(list.map(([name, level, host, text, streams]) => [name, {level, host, text, streams: Number(streams), pes: text.split(",").map((p) => p.split("..").map(Number)).map(([a, b]) => [a, b === undefined ? a : b])}]));
	many = new Set([...groups.values()].map((g) => g.host)).size > 1 || [...groups].some(([name, g]) => g.level === "host" || name.includes(".1") || (g.level === "pe" && g.streams > 1));
	read = key;
	return true;
}

export const streams_of = (name) => groups.has(name) ? groups.get(name).streams : 1;
export const is_folded = (name) => streams_of(name) > 1;
// Its PEs: [[first, last] ...].
export function pes_of(name) {
	const [, first, last] = /^(\d+)(?:\.\.(\d+))?/.exec(name) || [];
	return groups.has(name) ? groups.get(name).pes : [[Number(first), Number(last || first)]];
}
// The same, as --rank selects them.
export const pes_text = (name) => groups.has(name) ? groups.get(name).text : /^\d+/.exec(name)[0];
const has_pe = (name, pe) => pes_of(name).some(([a, b]) => pe >= a && pe <= b);
// Is a PE, or RANK.THREAD, in the row?
export const is_in = (name, pe) => row_key(pe) === row_key(name) || (is_folded(name) && has_pe(name, parseInt(pe, 10)));
export const row_words = (name) => groups.has(name) && groups.get(name).level === "host" ? "host " + name : "PE " + name;

// Which row a PE, or RANK.THREAD, is in: its own one, or that of several.
export function row_finder(places) {
	const own = new Map(places.map((p) => [row_key(p.row.name), p])), several = places.filter((p) => is_folded(p.row.name)), found = new Map();
	return (pe) => {
		if (!found.has(pe))
			found.set(pe, own.get(row_key(pe)) || several.find((p) => has_pe(p.row.name, parseInt(pe, 10))));
		return found.get(pe);
	};
}

// ---- which are folded: "host,node001=pe,7=queue" in the address ----

function wanted() {
	const [level, ...rest] = (state.get("rows") || "queue").split(",");
	return {level, of: new Map(rest.map((x) => x.split("=")))};
}

function wanted_set({level, of}) {
	const text = [level, ...[...of].map((x) => x.join("="))].join(",");
	text === "queue" ? state.delete("rows") : state.set("rows", text);
	page.rows_changed();
}

function level_set(name, level) {
	const w = wanted();
	w.of.delete(name);
	if (level !== w.level || /^\d+$/.test(name))
		w.of.set(name, level);
	wanted_set(w);
}

// ---- brackets beside the names ----

function bracket(level, what, folded, from, to, act) {
	const b = document.createElement("button");
	b.className = "fold " + level;
	b.style.top = from.y + "px";
	b.style.height = to.y + to.height - from.y + "px";
	b.textContent = folded ? "\u25b8" : "\u25be";
	b.title = (folded ? "unfold " : "fold ") + what;
	b.setAttribute("aria-label", b.title);
	b.setAttribute("aria-expanded", String(!folded));
	b.addEventListener("click", act);
	return b;
}

// Rows that follow one another and are of one host, or of one PE.
function runs(places, of) {
	const all = [];
	for (const p of places) {
		const g = groups.get(p.row.name), key = g && of(g), last = all[all.length - 1];
		if (key === undefined || key === null)
			continue;
		if (last && last.key === key && last.to.y + last.to.height === p.y)
			last.to = p;
		else
			all.push({key, g, from: p, to: p});
	}
	return all;
}

const one_pe = (g) => g.level !== "host" && g.pes.length === 1 && g.pes[0][0] === g.pes[0][1] ? g.pes[0][0] : null;
const pes_n = (g) => g.pes.reduce((n, [a, b]) => n + b - a + 1, 0);

export function folds_draw(names, places) {
	names.classList.toggle("folds", many);
	if (!many)
		return;
	for (const {key, g, from, to} of runs(places, (g) => g.host || null))
		names.append(bracket("host", "host " + key, g.level === "host", from, to, () => level_set(key, g.level === "host" ? (g.streams > pes_n(g) ? "pe" : "queue") : "host")));
	for (const {key, g, from, to} of runs(places, one_pe))
		if (from !== to || g.streams > 1)
			names.append(bracket("pe", "PE " + key, from === to, from, to, () => level_set(String(key), from === to ? "queue" : "pe")));
}

// Names of rows, of low ones as many as there is room for; a row of several ranks, or of one, can be shown alone.
export function names_draw(places) {
	// The keyboard stays where it is, also on what was folded.
	const had = $("names").contains(document.activeElement) ? document.activeElement.title : null;
	const turned = had && had.replace(/^(un)?fold /, (x) => x === "fold " ? "unfold " : "fold ");
	$("names").replaceChildren(...places.map(({row, height}, i) => {
		const b = document.createElement("button");
		const each = Math.ceil(11 / height);
		b.textContent = i % each === each >> 1 ? row.name : "";
		b.style.overflow = height < 11 ? "visible" : "";
		b.title = "only this row, and its functions: " + row.name + (row.order ? ". " + row.order : "");
		b.style.height = height + "px";
		b.addEventListener("click", () => page.thread(row.name));
		return b;
	}));
	folds_draw($("names"), places);
	const now = had && [...$("names").children].find((b) => b.title === had || b.title === turned);
	if (now)
		now.focus();
}

export function rows_start() {
	const s = $("rows");
	s.append(...[["queue", "threads"], ["thread", "threads, queues of a PE together"], ["pe", "PEs"], ["host", "hosts"]].map(([k, text]) => new Option(text, k)));
	s.value = wanted().level;
	s.addEventListener("change", () => wanted_set({level: s.value, of: new Map()}));
}
