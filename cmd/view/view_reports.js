// view_reports.js: the reports of what is selected, as tau-report prints them.

import {$, state, request, length_text, size_text, placed_name, save, page} from "./view_base.js";

const FUNCTIONS = 20;	// that have a button
const BUTTONS = 64;	// of threads; more of them are a list

let reporting = null;

const kind_now = () => page.now().all.kinds.find((k) => k.name === state.get("kind")) || page.now().all.kinds[0];

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
			page.keep_state(true);
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
			page.keep_state(true);
			report();
		});
		label.append(k.word.toLowerCase() + " ", input);
		list.push(label);
	}
	if (k.squares) {
		const label = document.createElement("label"), input = document.createElement("input");
		input.type = "checkbox";
		input.id = "squares";
		input.checked = Boolean(state.get("squares"));
		input.addEventListener("change", () => {
			input.checked ? state.set("squares", "1") : state.delete("squares");
			page.keep_state(true);
			report();
		});
		label.title = "The sum over calls of their squared exclusive time, for which each record is read";
		label.append(input, " SumExclSqr");
		list.push(label);
	}
	$("choices").replaceChildren(...list);
}

export function show_text(text, error) {
	const e = document.createElement(error ? "p" : "pre");
	e.className = error ? "error" : "";
	e.textContent = text;
	$("report").replaceChildren(e);
}

// ---- buttons that lead to what a report is about ----

// The words of a command line as a shell reads them. Commands quote with ' alone.
const words_of = (command) => [...command.matchAll(/((?:'[^']*'|\\.|[^\s'\\])+)/g)].map(([w]) => w.replace(/'([^']*)'|\\(.)/g, (all, quoted, one) => quoted ?? one));

// Shows what a command prints, in the page. Other options than these have the defaults of the page.
async function command_open(command) {
	const [, name, ...rest] = words_of(command), k = page.now().all.kinds.find((x) => x.name === name), given = {};
	if (!k)
		return show_text(command, false);
	while (rest.length && rest[0].startsWith("-")) {
		const option = rest.shift();
		if (option === "--")
			break;
		given[option] = rest.shift();
	}
	state.set("kind", name);
	for (const [key, value] of [["by", given["--by"]], ["top", given["--top"]], ["word", k.word ? rest[0] : state.get("word")]])
		value ? state.set(key, value) : state.delete(key);
	tabs();
	if (!given["-w"])
		return page.keep_state(false), report();
	try {
		page.jump(await page.window(given["-w"]));
	} catch (e) {
		show_text(e.message, true);
	}
}

function lead(text, title, go) {
	const b = document.createElement("button");
	b.textContent = text;
	b.title = title;
	b.addEventListener("click", go);
	return b;
}

function detailed(button, text) {
	const row = document.createElement("div");
	row.append(button, " ", placed_name(text || ""));
	return row;
}

const cost_text = (r) => (r.unit === "us" ? ": " + length_text(1000 * r.value) : r.unit === "bytes" ? ": " + size_text(r.value) : "") + (r.share_pct ? ", " + r.share_pct.toFixed(1) + " %" : "");

// The functions of a thread, of a rank, or of all (null).
page.thread = (row) => {
	state.set("kind", "profile");
	state.delete("by");
	page.rows(row);
	tabs();
};

// A function on all threads, contexts and nodes.
function function_show(name) {
	state.set("kind", "threads");
	state.set("word", name);
	page.rows(null);
	tabs();
}

const chosen_text = () => !state.get("rank") ? "all threads" : state.get("thread") ? "thread " + state.get("rank") + "." + state.get("thread") : "rank " + state.get("rank");

// Threads, or ranks, whose functions can be shown: too many are a list to choose from.
function thread_leads(rows) {
	const names = [...new Set(rows.filter((r) => r.rank !== null).map((r) => r.thread === undefined ? String(r.rank) : r.rank + "." + r.thread))];
	if (names.length <= BUTTONS)
		return names.map((n) => lead(n, "The functions of " + n, () => page.thread(n)));
	const s = document.createElement("select");
	s.setAttribute("aria-label", "thread");
	s.append(new Option("choose", ""), ...names.map((n) => new Option(n, n)));
	s.addEventListener("change", () => s.value && page.thread(s.value));
	return [s];
}

const HEADS = {overview: () => "What costs most:", anomalies: () => "Where:", functions: () => "Functions of " + chosen_text() + "; one of them on each thread:",
	ranks: () => "The functions of a rank:", threads: () => "The functions of a thread:"};

// What leads of the report that is shown are about; null: it has none.
const leads_of = (k, by) => page.now().all.db && !["overview", "profile"].includes(k.name) ? null : k.name === "overview" || k.name === "anomalies" ? k.name : k.name === "profile" && !(by && by !== "region") ? "functions" :
	k.name === "threads" || (k.name === "profile" && by === "thread") ? "threads" : k.name === "ranks" || (k.name === "profile" && by === "rank") ? "ranks" : null;

// Of the overview its findings, of anomalies their places, of functions each on all threads, of threads their functions.
function leads(kind, rows) {
	const head = document.createElement("b"), list = [];
	if (kind === "functions")
		for (const r of rows.filter((x) => x.kind === "region").slice(0, FUNCTIONS))
			list.push(lead(placed_name(r.region), "This function on each thread: " + r.region, () => function_show(r.region)));
	else if (kind === "threads" || kind === "ranks")
		list.push(...thread_leads(rows));
	else if (kind === "overview")
		for (const r of rows.filter((x) => x.section === "findings" && x.command))
			list.push(detailed(lead(list.length + 1 + ". " + placed_name(r.item) + cost_text(r), r.command, () => command_open(r.command)), r.detail));
	else
		for (const r of rows.slice(0, 30).filter((x) => x.end_ms > x.begin_ms))
			list.push(lead(r.kind + " of " + placed_name(r.region) + ", rank " + r.rank + ": " + length_text(1e6 * (r.end_ms - r.begin_ms)), r.window || "",
				() => page.jump([Math.floor(1e6 * r.begin_ms), Math.ceil(1e6 * r.end_ms)])));
	head.textContent = HEADS[kind]();
	$("leads").className = kind === "overview" ? "rows" : "";
	$("leads").replaceChildren(...(list.length ? [head, ...list] : []));
}

const rows_chosen = (k) => ({rank: state.get("rank"), thread: state.get("thread"), squares: k.squares ? state.get("squares") : null});

export async function report() {
	const k = kind_now(), by = k.by.includes(state.get("by")) ? state.get("by") : null;
	const format = !k.tables ? "svg" : k.picture && state.get("as") === "svg" ? "svg" : "text";
	const shown = page.shown(k);
	if (reporting)
		reporting.abort();
	if (!shown) {
		$("command").textContent = "";
		$("leads").replaceChildren();
		$("report").setAttribute("aria-busy", "false");
		return show_text("This report is about one trial: choose it in the list above.", false);
	}
	const what = {kind: k.name, ...shown, by, ...rows_chosen(k), top: format === "text" ? state.get("top") : null,
		word: k.word ? state.get("word") : null, f: format === "svg" ? "svg" : null};
	const mine = reporting = new AbortController(), leads_kind = leads_of(k, by);
	$("report").setAttribute("aria-busy", "true");
	try {
		const [command, answer] = await Promise.all([request("command", what, mine.signal).then((a) => a.text()), request("report", what, mine.signal).catch((e) => e)]);
		const content = answer instanceof Error ? "" : await (format === "svg" ? answer.blob() : answer.text());
		mine.signal.throwIfAborted();
		// The command and its output, or what is wrong, change together.
		$("command").textContent = command.trim();
		if (answer instanceof Error)
			throw answer;
		if (!leads_kind)
			$("leads").replaceChildren();
		if (format === "svg") {
			const img = document.createElement("img"), url = URL.createObjectURL(content);
			img.alt = k.title + ": " + $("command").textContent;
			img.src = url;
			img.addEventListener("load", () => URL.revokeObjectURL(url));
			$("report").replaceChildren(img);
		} else {
			show_text(content, false);
		}
		if (leads_kind) {
			const {rows} = await (await request("report", {...what, top: null, f: "json"}, mine.signal)).json();
			leads(leads_kind, rows);
		}
	} catch (e) {
		if (e.name !== "AbortError") {
			$("leads").replaceChildren();
			show_text(e.message, true);
		}
	} finally {
		if (reporting === mine)
			$("report").setAttribute("aria-busy", "false");
	}
}

// The report that is shown, complete, as a file.
export async function save_report(format) {
	const k = kind_now(), by = k.by.includes(state.get("by")) ? state.get("by") : null;
	try {
		const answer = await request("report", {kind: k.name, ...page.shown(k), by, ...rows_chosen(k),
			word: k.word ? state.get("word") : null, f: format});
		save(await answer.blob(), k.name + "." + format);
	} catch (e) {
		show_text(e.message, true);
	}
}

export function kind_set(name) {
	state.set("kind", name);
	state.delete("by");
	page.keep_state(false);
	tabs();
	report();
}

export function reports_start() {
	$("copy").addEventListener("click", () => navigator.clipboard.writeText($("command").textContent));
	$("save-csv").addEventListener("click", () => save_report("csv"));
	$("save-json").addEventListener("click", () => save_report("json"));
}

export function tabs() {
	$("kinds").replaceChildren(...page.now().all.kinds.map((k) => {
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
