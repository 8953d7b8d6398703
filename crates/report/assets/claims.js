"use strict";
// Filters above the table of all claims. Without this script the table shows everything.
(function () {
  const table = document.querySelector("#claims table");
  if (!table) return;
  const heads = Array.from(table.querySelectorAll("thead th"), (th) => th.textContent);
  const rows = Array.from(table.querySelectorAll("tbody tr"));
  const text = (row, column) => row.cells[column].textContent;
  const bar = document.createElement("p");
  bar.className = "filters";
  const wanted = new Map();
  let sought = "";
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  const show = () => {
    let seen = 0;
    for (const row of rows) {
      const fits = Array.from(wanted).every(([column, value]) => !value || text(row, column) === value);
      row.hidden = !(fits && row.textContent.toLowerCase().includes(sought));
      if (!row.hidden) seen += 1;
    }
    count.textContent = seen + " of " + rows.length + " claims";
  };
  const labelled = (name, control) => {
    const label = document.createElement("label");
    label.append(name + " ", control);
    bar.append(label, " ");
  };
  for (const name of ["paper", "verdict", "number", "confidence", "decisive"]) {
    const column = heads.indexOf(name);
    if (column < 0) continue;
    const select = document.createElement("select");
    const values = Array.from(new Set(rows.map((row) => text(row, column)))).sort();
    for (const value of ["", ...values.filter((value) => value)]) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = value || "all";
      select.append(option);
    }
    select.addEventListener("change", () => { wanted.set(column, select.value); show(); });
    labelled(name, select);
  }
  const search = document.createElement("input");
  search.type = "search";
  search.addEventListener("input", () => { sought = search.value.trim().toLowerCase(); show(); });
  labelled("with the words", search);
  bar.append(count);
  table.closest("section").querySelector("h2").after(bar);
  show();
})();
