// view_store.js: the trials of a database: a list that conditions narrow, and the trials that the reports are about.

import {$, page, state, request} from "./view_base.js";
import {report, tabs} from "./view_reports.js";

const ROWS = 200;	// trials that are listed
const VALUES = 40;	// of a name with more values none is offered
const FEW = 8;		// names with their values, and columns of metadata, until there is a click

const FACTS = {name: "name", Application: "application", Experiment: "experiment", started: "date (UTC)", pes: "PEs", threads: "threads", Hostname: "Hostname", tags: "tags"};
// What a recorder writes, and what each process has of its own.
const is_late = (name) => /^(TAU |env TAU_|PID$|Parent PID$|Process$|(Starting|Ending) Timestamp$)/.test(name);

let list = null;	// of tau-db: {columns, rows, facts}
let names = [];		// what differs: [{name, values, of: [{value, trials}]}], the least interesting last
let reading = null, soon = 0, read_for = null;
let last = null;	// the trial from which Shift extends the choice

// ---- conditions, as those of tau-db list --where ----

const word = (text) => /^[\w.:/+-]+$/.test(text) && !/^(and|or|not|like)$/i.test(text) ? text : "'" + text.replace(/'/g, "''") + "'";
const offered = () => [...state.keys()].filter((k) => k.startsWith("v.")).map((k) => ({name: k.slice(2), value: state.get(k)}));
const typed = () => (state.get("where") || "").trim();

// A value is kept as "=value"; "!": the trial has none.
function condition() {
	const parts = offered().map(({name, value}) => value === "!" ? "not " + word(name) : word(name) + "=" + word(value.slice(1)));
	if (typed())
		parts.unshift(parts.length ? "(" + typed() + ")" : typed());
	return parts.join(" and ");
}

// ---- the trials that are chosen ----

const chosen = () => (state.get("trials") || "").split(",").filter((t) => t);
const current = () => chosen().includes(state.get("run")) ? state.get("run") : chosen()[0];

page.shown_trials = (k) => k.several ? chosen().length > 1 ? {trials: chosen().join(",")} : {where: condition()} :
	chosen().length ? {trials: current()} : null;

function choose(ids, replace) {
	ids.length ? state.set("trials", ids.join(",")) : state.delete("trials");
	page.keep_state(Boolean(replace));
	draw_chosen();
	report();
}

function toggle(id) {
	choose(chosen().includes(id) ? chosen().filter((t) => t !== id) : [...chosen(), id]);
}

function choose_to(id) {
	const ids = list.rows.map((r) => String(r.id)), from = ids.indexOf(last), to = ids.indexOf(id);
	choose(from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1));
}

const name_of = (id) => {
	const row = list && list.rows.find((r) => String(r.id) === id);
	return row ? id + " " + row.name : "trial " + id;
};

function draw_chosen() {
	const ids = chosen(), run = $("run"), hidden = list ? ids.filter((t) => !list.rows.some((r) => String(r.id) === t)).length : 0;
	for (const row of $("trials").querySelectorAll("tbody tr")) {
		row.setAttribute("aria-selected", String(ids.includes(row.dataset.id)));
		row.querySelector("input").checked = ids.includes(row.dataset.id);
	}
	run.replaceChildren(...ids.map((t) => new Option(name_of(t), t)));
	run.hidden = ids.length < 2;
	run.value = current() || "";
	$("trials-chosen").textContent = !ids.length ? "Reports about one trial: choose it. Reports about several are about all that are listed by the condition." :
		ids.length + (ids.length === 1 ? " trial is" : " trials are") + " chosen" + (hidden ? ", " + hidden + " of them not in the list" : "") + ".";
	$("trials-none").hidden = !ids.length;
}

// ---- the list ----

function columns() {
	const known = new Map(list.columns.map((c) => [c.key, c])), facts = Object.keys(FACTS).filter((k) => known.has(k) && list.rows.some((r) => r[k] !== null));
	const usual = ["id", "metrics", "timers", "counters", "windows"], more = list.columns.map((c) => c.key).filter((k) => !(k in FACTS) && !usual.includes(k));
	more.sort((a, b) => is_late(a) - is_late(b));
	$("trials-columns-label").hidden = more.length <= FEW;
	$("trials-columns-text").textContent = " all " + more.length + " columns of metadata";
	return [...facts, ...($("trials-columns").checked ? more : more.slice(0, FEW))];
}

function sort_by(key) {
	state.set("sort", state.get("sort") === key ? "-" + key : key);
	page.keep_state(true);
	read();
}

function head_cell(key) {
	const th = document.createElement("th"), b = document.createElement("button"), by = state.get("sort");
	b.textContent = (FACTS[key] || key) + (by === key ? " \u25b2" : by === "-" + key ? " \u25bc" : "");
	b.title = "sort by " + key + "; again: the largest first";
	b.addEventListener("click", () => sort_by(key));
	th.scope = "col";
	th.setAttribute("aria-sort", by === key ? "ascending" : by === "-" + key ? "descending" : "none");
	th.append(b);
	return th;
}

function row_make(trial, keys) {
	const tr = document.createElement("tr"), box = document.createElement("input"), first = document.createElement("td"), id = String(trial.id);
	tr.dataset.id = id;
	tr.tabIndex = -1;
	box.type = "checkbox";
	box.tabIndex = -1;
	box.setAttribute("aria-label", "trial " + id);
	first.append(box, " " + id);
	tr.append(first, ...keys.map((k) => {
		const td = document.createElement("td");
		td.textContent = trial[k] === null ? "" : String(trial[k]);
		td.title = td.textContent;
		return td;
	}));
	return tr;
}

function draw() {
	const keys = columns(), head = document.createElement("tr"), body = document.createElement("tbody"), top = document.createElement("thead");
	head.append(head_cell("id"), ...keys.map(head_cell));
	top.append(head);
	body.append(...list.rows.map((r) => row_make(r, keys)));
	$("trials").replaceChildren(top, body);
	if (body.firstChild)
		body.firstChild.tabIndex = 0;
	const all = list.facts.trials;
	$("trials-count").textContent = !all ? "No trial is so." : all > list.rows.length ? "The first " + list.rows.length + " of " + all + " trials: a condition narrows the list." :
		all + (all === 1 ? " trial." : " trials.");
	draw_chosen();
}

// ---- conditions to choose ----

// The names of the list of values, in its order: those with the fewest values first.
function names_of(rows) {
	const by = new Map();
	for (const r of rows) {
		if (!by.has(r.name))
			by.set(r.name, {name: r.name, values: r.values, of: []});
		by.get(r.name).of.push(r);
	}
	return [...by.values()].sort((a, b) => is_late(a.name) - is_late(b.name));
}

function offer_set(name, value) {
	value ? state.set("v." + name, value) : state.delete("v." + name);
	page.keep_state(false);
	read();
}

function offer(n) {
	const label = document.createElement("label"), s = document.createElement("select"), now = state.get("v." + n.name) || "";
	s.append(new Option("any", ""), ...n.of.map((v) => new Option((v.value === null ? "(none)" : v.value) + " \u00b7 " + v.trials, v.value === null ? "!" : "=" + v.value)));
	if (now && ![...s.options].some((o) => o.value === now))
		s.append(new Option((now === "!" ? "(none)" : now.slice(1)) + " \u00b7 0", now));
	s.value = now;
	s.addEventListener("change", () => offer_set(n.name, s.value));
	label.append((n.name === "pes" ? "PEs" : n.name) + " ", s);
	return label;
}

function draw_offers() {
	const kept = offered().map((o) => o.name), gone = kept.filter((k) => !names.some((n) => n.name === k)).map((k) => ({name: k, values: 1, of: []}));
	const few = [...gone, ...names.filter((n) => n.values <= VALUES)], first = few.filter((n, i) => $("offers-all").checked || i < FEW || kept.includes(n.name));
	$("offers").replaceChildren(...first.map(offer));
	$("offers-all-label").hidden = few.length <= FEW;
	$("offers-all-text").textContent = " all " + few.length + " names with at most " + VALUES + " values";
	$("trials-all").hidden = !condition();
}

// ---- reading ----

async function values_read(signal) {
	if (read_for === typed())
		return;
	const of = typed(), all = await (await request("report", {kind: "values", f: "json", top: VALUES, where: of}, signal)).json();
	names = names_of(all.rows);
	read_for = of;
}

async function read() {
	if (reading)
		reading.abort();
	const mine = reading = new AbortController(), what = {kind: "trials", top: ROWS, where: condition(), sort: state.get("sort")};
	$("trials").setAttribute("aria-busy", "true");
	draw_offers();
	try {
		const [command, answer] = await Promise.all([request("command", what, mine.signal).then((a) => a.text()), request("report", {...what, f: "json"}, mine.signal).then((a) => a.json())]);
		list = answer;
		$("trials-command").textContent = command.trim();
		draw();
		await values_read(mine.signal);
		draw_offers();
		report();
	} catch (e) {
		if (e.name !== "AbortError")
			$("trials-count").textContent = e.message;
	} finally {
		if (reading === mine)
			$("trials").setAttribute("aria-busy", "false");
	}
}

// ---- pointer and keys ----

function clicked(e) {
	const row = e.target.closest("tbody tr");
	if (!row)
		return;
	const id = row.dataset.id;
	if (e.shiftKey && last) {
		getSelection().removeAllRanges();
		return choose_to(id);
	}
	e.target.tagName === "INPUT" || e.ctrlKey || e.metaKey ? toggle(id) : choose([id]);
	last = id;
	focus_row(row);
}

function focus_row(row) {
	for (const other of $("trials").querySelectorAll("tbody tr[tabindex='0']"))
		other.tabIndex = -1;
	row.tabIndex = 0;
	row.focus({preventScroll: false});
}

function pressed(e) {
	const row = e.target.closest("tbody tr"), id = row && row.dataset.id, rows = [...$("trials").querySelectorAll("tbody tr")], at = rows.indexOf(row);
	const to = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(rows.length - 1, at + 10), PageUp: Math.max(0, at - 10), Home: 0, End: rows.length - 1}[e.key];
	if (!row || e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (to !== undefined && rows[to]) {
		if (e.shiftKey) {
			last = last || id;
			choose_to(rows[to].dataset.id);
		}
		focus_row(rows[to]);
	} else if (e.key === " " || e.key === "Enter") {
		e.key === " " ? toggle(id) : choose([id]);
		last = id;
	} else if (e.key === "Escape") {
		choose([]);
	} else if (to === undefined) {
		return;
	}
	e.preventDefault();
	e.stopPropagation();
}

function where_typed() {
	clearTimeout(soon);
	soon = setTimeout(() => {
		$("where").value.trim() ? state.set("where", $("where").value.trim()) : state.delete("where");
		page.keep_state(true);
		read();
	}, 250);
}

// The page of a database. all: runs and kinds; without trials that were named, there are all to choose from.
export async function store_start(all) {
	document.body.classList.add("db");
	page.rows = () => { page.keep_state(false); report(); };
	tabs();
	if (!all.store) {
		report();
		return;
	}
	document.title = "trials - tau-view";
	$("store").hidden = false;
	$("where").value = state.get("where") || "";
	$("where").addEventListener("input", where_typed);
	$("where").addEventListener("keydown", (e) => e.key === "Escape" && $("where").blur());
	document.addEventListener("keydown", (e) => {
		if (e.key === "/" && !/^(INPUT|SELECT)$/.test(e.target.tagName)) {
			e.preventDefault();
			$("where").focus();
		}
	});
	$("trials").addEventListener("click", clicked);
	$("trials").addEventListener("keydown", pressed);
	$("trials-columns").addEventListener("change", draw);
	$("offers-all").addEventListener("change", draw_offers);
	$("trials-none").addEventListener("click", () => choose([]));
	$("trials-all").addEventListener("click", () => {
		["where", ...offered().map((o) => "v." + o.name)].forEach((k) => state.delete(k));
		$("where").value = "";
		page.keep_state(false);
		read();
	});
	$("run").addEventListener("change", () => {
		state.set("run", $("run").value);
		page.keep_state(false);
		report();
	});
	await read();
}
