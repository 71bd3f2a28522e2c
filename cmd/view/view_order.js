// view_order.js: the order of rows: by name, or by what they have most of, which the title of a row's name has as text.

import {$, page, state, request, csv_rows, is_sought, length_text, size_text} from "./view_base.js";
import {pes_of} from "./view_rows.js";

// of(): rank and number of a line of the report, or (names) rank and a name; seen: the report is of what is seen, else of the whole run.
const reports = {
	wait: {text: "waiting", what: {kind: "waits", by: "rank"}, seen: true, of: (r) => [r[1], r[3] * 1e6], as: length_text},
	cause: {text: "making others wait", what: {kind: "waits", by: "causes"}, seen: true, of: (r) => [r[1], r[3] * 1e6], as: length_text},
	cpu: {text: "processor time", what: {kind: "ranks"}, of: (r) => [r[0], r[5] * 1e3], as: length_text},
	memory: {text: "peak memory", what: {kind: "ranks"}, of: (r) => [r[0], Number(r[9])], as: size_text},
	host: {text: "host", what: {kind: "ranks"}, names: true, of: (r) => [r[0], r[3]], as: (v) => v},
};

// By what the cells of the rows have. Each: from the shares of regions in rows, a Map for each, the number of each row, and its text.
const cells = {
	found: {text: "time in what is found", numbers: found_numbers, as: (v) => length_text(v) + " in what is found"},
	unlike: {text: "unlike the others", numbers: (all) => all.map((m) => distance(m, mean_of(all))), as: (v) => "differs from the mean of rows in " + (50 * v).toFixed(1) + " % of its time"},
	alike: {text: "alike side by side", numbers: chain_numbers},
};

let read = {};		// {by, run, w, of: Map of rank to value} or {by, run, w, error}

// The run has grown: what the order needs is read again.
export const order_forget = () => { read.w = undefined; };

export const order_text = () => read.error && state.get("order") === read.by ? "order of rows: " + read.error : "";

// ---- shares ----

function shares(row) {
	const m = new Map();
	let sum = 0;
	for (const [name, ns] of row.cell.flat()) {
		m.set(name, (m.get(name) || 0) + ns);
		sum += ns;
	}
	for (const [name, ns] of m)
		m.set(name, ns / sum);
	return m;
}

function mean_of(all) {
	const m = new Map();
	for (const [name, v] of all.flatMap((x) => [...x]))
		m.set(name, (m.get(name) || 0) + v / all.length);
	return m;
}

const distance = (a, b) => [...new Set([...a.keys(), ...b.keys()])].reduce((sum, name) => sum + Math.abs((a.get(name) || 0) - (b.get(name) || 0)), 0);

function found_numbers(all, rows) {
	return rows.map((row) => row.cell.flat().reduce((sum, [name, ns]) => sum + (is_sought(name) ? ns : 0), 0));
}

// From the row that is least like the others on, each is followed by the one most like it. The first has the highest number.
function chain_numbers(all) {
	const mean = mean_of(all), left = new Set(all.keys()), numbers = all.map(() => 0);
	let last = null;
	while (left.size) {
		const far = (i) => last === null ? -distance(all[i], mean) : distance(all[i], all[last]);
		const next = [...left].reduce((best, i) => far(i) < far(best) ? i : best);
		numbers[next] = left.size;
		left.delete(next);
		last = next;
	}
	return numbers;
}

// ---- rows ----

// Of the ranks of "7", "7.1" and "0..255": the sum, or the names.
function value_of(name) {
	const pes = pes_of(name), values = [...read.of].filter(([rank]) => pes.some(([a, b]) => rank >= a && rank <= b)).map(([, v]) => v);
	return reports[read.by].names ? [...new Set(values)].join(", ") : values.reduce((sum, v) => sum + v, 0);
}

// The rows in their order; each gets `order`, a text, or "".
export function order_rows(rows) {
	const by = state.get("order"), of_cells = cells[by];
	let numbers = null, as = null;
	if (of_cells && rows.length) {
		numbers = of_cells.numbers(rows.map(shares), rows);
		as = of_cells.as;
	} else if (reports[by] && read.by === by && read.of) {
		numbers = rows.map((row) => value_of(row.name));
		as = (v, row) => reports[by].text + (row.name.includes(".") && !row.name.includes("..") ? " of its rank: " : ": ") + reports[by].as(v);
	}
	const all = rows.map((row, i) => ({row, i, v: numbers ? numbers[i] : 0}));
	for (const x of all)
		x.row.order = as ? as(x.v, x.row) : "";
	if (numbers)
		all.sort((a, b) => (typeof a.v === "string" ? a.v < b.v ? -1 : a.v > b.v ? 1 : 0 : b.v - a.v) || a.i - b.i);
	return all.map((x) => x.row);
}

// Reads what the order needs. True: it has changed.
export async function order_request(w, rows, signal) {
	const by = state.get("order"), r = reports[by], of = String(r && r.seen ? w : null);
	if (!r || (read.by === by && read.run === rows.run && read.w === of))
		return false;
	const now = {by, run: rows.run, w: of};
	try {
		now.of = new Map();
		for (const line of csv_rows(await (await request("report", {run: rows.run, ...r.what, top: 0, f: "csv", w: r.seen ? w : null}, signal)).text())) {
			const [rank, v] = r.of(line);
			now.of.set(Number(rank), r.names ? v : (now.of.get(Number(rank)) || 0) + v);
		}
	} catch (e) {
		if (e.name === "AbortError")
			throw e;
		delete now.of;
		now.error = e.message;
	}
	read = now;
	return true;
}

export function order_start(changed) {
	const s = $("order");
	s.append(...[["", "name"], ...Object.entries({...reports, ...cells}).map(([k, v]) => [k, v.text])].map(([k, text]) => new Option(text, k)));
	s.value = state.get("order") || "";
	if (s.selectedIndex < 0)
		s.selectedIndex = 0;
	s.addEventListener("change", () => {
		s.value ? state.set("order", s.value) : state.delete("order");
		page.keep_state(true);
		changed();
	});
}
