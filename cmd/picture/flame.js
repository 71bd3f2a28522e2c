// Zoom and search in a picture of call paths: a click or Enter on a box shows what is below it, Escape shows everything, the arrow
// keys go from box to box, a slash goes to the search. Without this the picture is as it was drawn.
"use strict";
(function () {
  var svg = document.currentScript.closest("svg"), SVG = svg.namespaceURI, HTML = "http://www.w3.org/1999/xhtml";
  var foot = svg.querySelector(".foot"), height = svg.viewBox.baseVal.height, width = svg.viewBox.baseVal.width;
  var boxes = Array.prototype.map.call(svg.querySelectorAll(".boxes > g"), function (g, at) {
    var rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
    g.tabIndex = at ? -1 : 0;
    g.setAttribute("role", "button");
    g.setAttribute("aria-label", title);
    return { g: g, rect: rect, text: g.querySelector("text"), x: Number(rect.getAttribute("x")), y: Number(rect.getAttribute("y")),
      w: Number(rect.getAttribute("width")), name: title.slice(0, title.lastIndexOf(": ")).replace(/ \[.*$/, "") };
  });
  var all = boxes[0], now = all, last = boxes.reduce(function (y, b) { return b.w >= 0.5 ? Math.max(y, b.y) : y; }, 0);
  function inside(b, of) { return b.y >= of.y && b.x >= of.x - 0.02 && b.x + b.w <= of.x + of.w + 0.02; }
  function label(b, w) {
    var room = Math.floor((w - 8) / 6.8), s = b.name;
    if (room < 4) s = "";
    else if (s.length > room) s = s.slice(0, room - 1) + "\u2026";
    if (!b.text && s) {
      b.text = document.createElementNS(SVG, "text");
      b.text.setAttribute("y", b.y + 14);
      b.text.setAttribute("fill", b.rect.getAttribute("fill") === "#0072b2" ? "#fefefe" : "#1b1b1b");
      b.g.appendChild(b.text);
    }
    if (b.text) b.text.textContent = s;
  }
  function place(b, x, w) {
    b.g.style.display = w < 0.5 ? "none" : "inline";
    b.rect.setAttribute("x", x.toFixed(2));
    b.rect.setAttribute("width", w.toFixed(2));
    label(b, w);
    if (b.text) b.text.setAttribute("x", (x + 4).toFixed(1));
  }
  function zoom(to) {
    var scale = all.w / to.w, deep = last;
    now = to;
    boxes.forEach(function (b) {
      b.g.classList.toggle("above", b.y < to.y);
      if (b.y < to.y && inside(to, b)) place(b, all.x, all.w);
      else if (!inside(b, to)) b.g.style.display = "none";
      else place(b, all.x + (b.x - to.x) * scale, b.w * scale);
      if (b.g.style.display !== "none") deep = Math.max(deep, b.y);
    });
    foot.setAttribute("transform", "translate(0 " + (deep - last) + ")");
    svg.setAttribute("viewBox", "0 0 " + width + " " + (height + deep - last));
    svg.setAttribute("height", height + deep - last);
    svg.querySelector("rect").setAttribute("height", height + deep - last);
    reset.disabled = to === all;
  }
  function find(word) {
    var sum = 0, n = 0, until = -1, below = 0;
    word = word.toLowerCase();
    boxes.forEach(function (b) {
      var hit = word !== "" && b.name.toLowerCase().indexOf(word) >= 0;
      b.g.classList.toggle("hit", hit);
      if (!hit) return;
      n++;
      // What is below a hit is a part of it.
      if (b.y > below && b.x + b.w <= until + 0.02) return;
      sum += b.w;
      until = b.x + b.w;
      below = b.y;
    });
    found.textContent = word === "" ? "" : n + (n === 1 ? " box, " : " boxes, ") + (100 * sum / all.w).toFixed(2) + " %";
  }
  function make(name, parent) { return parent.appendChild(document.createElementNS(HTML, name)); }
  var place_of = document.createElementNS(SVG, "foreignObject");
  [["x", width - 568], ["y", 18], ["width", 520], ["height", 40]].forEach(function (a) { place_of.setAttribute(a[0], a[1]); });
  svg.appendChild(place_of);
  var bar = make("div", place_of), found = make("span", bar), input = make("input", bar), reset = make("button", bar);
  bar.setAttribute("class", "bar");
  bar.setAttribute("style", "text-align: right; font: 15px sans-serif; padding: 4px");
  found.setAttribute("role", "status");
  found.setAttribute("class", "found");
  input.type = "search";
  input.placeholder = "search";
  input.setAttribute("aria-label", "search the call paths");
  input.setAttribute("style", "font: inherit; width: 14em; margin: 0 8px");
  reset.textContent = "show all";
  reset.setAttribute("style", "font: inherit");
  reset.disabled = true;
  reset.addEventListener("click", function () { zoom(all); });
  input.addEventListener("input", function () { find(input.value); });
  function shown(b) { return b.g.style.display ? b.g.style.display !== "none" : b.w >= 0.5; }
  function go(from, key) {
    var x = function (b) { return Number(b.rect.getAttribute("x")); };
    var near = boxes.filter(function (b) {
      if (b === from || !shown(b)) return false;
      if (key === "ArrowUp") return b.y < from.y && inside(from, b);
      if (key === "ArrowDown") return b.y > from.y && inside(b, from);
      return b.y === from.y && (key === "ArrowLeft" ? x(b) < x(from) : x(b) > x(from));
    }).sort(function (a, b) { return Math.abs(a.y - from.y) - Math.abs(b.y - from.y) || Math.abs(x(a) - x(from)) - Math.abs(x(b) - x(from)); });
    if (!near.length) return;
    from.g.tabIndex = -1;
    near[0].g.tabIndex = 0;
    near[0].g.focus();
  }
  boxes.forEach(function (b) {
    b.g.addEventListener("click", function () { zoom(b === now ? all : b); });
    b.g.addEventListener("keydown", function (event) {
      if (event.key === "Enter" || event.key === " ") zoom(b === now ? all : b);
      else if (/^Arrow/.test(event.key)) go(b, event.key);
      else return;
      event.preventDefault();
    });
  });
  svg.addEventListener("keydown", function (event) {
    if (event.key === "Escape") zoom(all);
    else if (event.key === "/" && event.target !== input) { event.preventDefault(); input.focus(); }
  });
})();
