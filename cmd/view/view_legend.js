// view_legend.js: the names of what is seen, with their colours, and the one that is sought: a click on a name fades the others.

import {$, page, state, colour, short_name, placed_name, is_sought} from "./view_base.js";

const MOST = 16;	// names

const SVG = "http://www.w3.org/2000/svg";

let shown = [];

export function find_set(text) {
	$("find").value = text;
	text ? state.set("find", text) : state.delete("find");
	page.keep_state(true);
	$("instances-button").hidden = !text;
	$("instances").replaceChildren();
	legend_draw();
	page.redraw();
}

function entry(name) {
	const b = document.createElement("button"), svg = document.createElementNS(SVG, "svg"), rect = document.createElementNS(SVG, "rect");
	rect.setAttribute("width", "12");
	rect.setAttribute("height", "12");
	rect.setAttribute("fill", colour(name));
	svg.append(rect);
	b.append(svg, placed_name(name));
	b.title = name + (name === "others" ? "" : ": show only this");
	b.disabled = name === "others";
	b.setAttribute("aria-pressed", String(Boolean(state.get("find")) && is_sought(name)));
	b.addEventListener("click", () => find_set(state.get("find") === short_name(name) ? "" : short_name(name)));
	return b;
}

export function legend_draw() {
	const more = shown.length - MOST, rest = document.createElement("span");
	$("legend").replaceChildren(...shown.slice(0, MOST).map(entry));
	if (more > 0) {
		rest.textContent = "and " + more + " more";
		$("legend").append(rest);
	}
}

// names: those with most time first.
export function legend(names) {
	shown = names;
	legend_draw();
}

export function legend_start() {
	$("find").value = state.get("find") || "";
	$("instances-button").hidden = !state.get("find");
	$("find").addEventListener("input", () => find_set($("find").value));
	$("find").addEventListener("keydown", (e) => e.key === "Escape" && $("plot").focus());
	// A word of a report is sought by a double click.
	$("report").addEventListener("dblclick", () => {
		const word = String(getSelection()).trim();
		if (word && !word.includes("\n"))
			find_set(word);
	});
}
