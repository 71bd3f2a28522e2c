// view_reports.js: the reports of what is selected, as tau-report prints them.

import {$, state, request, length_text, save, page} from "./view_base.js";

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
	$("choices").replaceChildren(...list);
}

export function show_text(text, error) {
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
			page.jump([Math.floor(begin), Math.ceil(end)]);
		});
		list.append(b, " ");
	}
	$("report").prepend(list);
}

export async function report() {
	const k = kind_now(), by = k.by.includes(state.get("by")) ? state.get("by") : null;
	const format = !k.tables ? "svg" : k.picture && state.get("as") === "svg" ? "svg" : "text";
	const what = {kind: k.name, ...page.shown(), by, rank: state.get("rank"), top: format === "text" ? state.get("top") : null,
		word: k.word ? state.get("word") : null, f: format === "svg" ? "svg" : null};
	if (reporting)
		reporting.abort();
	const mine = reporting = new AbortController();
	$("report").setAttribute("aria-busy", "true");
	try {
		const [command, answer] = await Promise.all([request("command", what, mine.signal).then((a) => a.text()), request("report", what, mine.signal)]);
		const content = await (format === "svg" ? answer.blob() : answer.text());
		// The command and its output change together.
		$("command").textContent = command.trim();
		if (format === "svg") {
			const img = document.createElement("img"), url = URL.createObjectURL(content);
			img.alt = k.title + ": " + $("command").textContent;
			img.src = url;
			img.addEventListener("load", () => URL.revokeObjectURL(url));
			$("report").replaceChildren(img);
		} else {
			show_text(content, false);
			if (k.name === "anomalies")
				places((await (await request("report", {...what, top: null, f: "json"}, mine.signal)).json()).rows);
		}
	} catch (e) {
		if (e.name !== "AbortError")
			show_text(e.message, true);
	} finally {
		if (reporting === mine)
			$("report").setAttribute("aria-busy", "false");
	}
}

// The report that is shown, complete, as a file.
export async function save_report(format) {
	const k = kind_now(), by = k.by.includes(state.get("by")) ? state.get("by") : null;
	try {
		const answer = await request("report", {kind: k.name, ...page.shown(), by, rank: state.get("rank"),
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
