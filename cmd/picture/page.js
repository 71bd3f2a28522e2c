// Tables that are sorted by their headings and searched; without this they are as they were written.
"use strict";
(function () {
  function value(cell) {
    var whole = cell.getAttribute("data-v"), text = cell.textContent;
    return whole !== null ? Number(whole) : text !== "" && cell.classList.contains("n") ? Number(text) : text;
  }
  // Missing values are last in either direction; words are in the order of the alphabet first, numbers the largest first.
  function compare(a, b, down) {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    var order = typeof a === "number" ? a - b : a.localeCompare(b);
    return down ? -order : order;
  }
  function sort(table, column, down) {
    Array.prototype.forEach.call(table.tBodies, function (body) {
      Array.prototype.map.call(body.rows, function (row, at) { return { row: row, at: at, v: value(row.cells[column]) }; })
        .sort(function (a, b) { return compare(a.v, b.v, down) || a.at - b.at; })
        .forEach(function (r) { body.appendChild(r.row); });
    });
  }
  function headings(table) {
    var heads = table.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.title = "sort";
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var was = head.getAttribute("aria-sort");
        var down = was ? was === "ascending" : head.classList.contains("n");
        Array.prototype.forEach.call(heads, function (h) { h.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        sort(table, column, down);
      });
    });
  }
  function search(box, table, rows) {
    var line = document.createElement("div"), input = document.createElement("input"), found = document.createElement("span");
    line.className = "search";
    input.type = "search";
    input.placeholder = "search";
    input.setAttribute("aria-label", "search this table");
    found.setAttribute("role", "status");
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/), n = 0;
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        var all = words.every(function (word) { return text.indexOf(word) >= 0; });
        row.hidden = !all;
        n += all;
      });
      found.textContent = input.value ? n + " of " + rows.length + " rows" : "";
    });
    line.appendChild(input);
    line.appendChild(found);
    box.insertBefore(line, table.parentNode);
  }
  Array.prototype.forEach.call(document.querySelectorAll(".table"), function (box) {
    var table = box.querySelector("table");
    if (!table) return;
    var rows = Array.prototype.slice.call(table.querySelectorAll("tbody tr"));
    table.parentNode.tabIndex = 0;
    headings(table);
    if (rows.length > 8) search(box, table, rows);
    if (rows.length > 40) box.classList.add("long");
  });
})();
