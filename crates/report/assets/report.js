'use strict';
// The life of the page: switches, curves that zoom together, values and causes at the pointer.
// Whatever comes from the data is written as text, never as markup.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const SVG = 'http://www.w3.org/2000/svg';
  const data = JSON.parse($('#data').textContent);
  const root = document.documentElement;
  root.dataset.script = 'on';
  const on = data.variants.map(() => true);
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colour = (variant) => css('--c' + (variant % 8));

  const node = (tag, className, text) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // A short line in the colour and dashes of a curve.
  const sample = (variant, role, dash, plain) => {
    const svg = document.createElementNS(SVG, 'svg');
    const line = document.createElementNS(SVG, 'path');
    svg.setAttribute('viewBox', '0 0 22 8');
    svg.setAttribute('aria-hidden', 'true');
    line.setAttribute('d', 'M0 4H22');
    line.setAttribute('fill', 'none');
    line.setAttribute('class', role === 'other' ? 'axis' : 'strokes c' + (variant % 8));
    line.setAttribute('stroke', 'currentColor');
    line.setAttribute('stroke-width', role === 'main' ? 2 : 1.2);
    if (dash) line.setAttribute('stroke-dasharray', dash.join(' '));
    svg.append(line);
    const shape = $('.mark-' + variant + ' path');
    if (role === 'main' && shape && !plain) {
      const copy = shape.cloneNode();
      copy.setAttribute('transform', 'translate(6.5 -0.5) scale(0.9)');
      svg.append(copy);
    }
    return svg;
  };

  // Several curves of one variant in a chart of its own differ in their dashes.
  const DASHES = [undefined, [7, 3], [2, 2], [9, 3, 2, 3], [4, 2], [12, 3], [2, 5], [6, 2, 2, 2, 2, 2]];
  const dashes = (line, small) => (line.role === 'companion' ? [1.5, 3] : small && line.role === 'main' ? DASHES[line.place % 8] : undefined);

  const digits = (value) => {
    if (Number.isInteger(value)) return String(value);
    const size = Math.abs(value);
    const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    return value.toFixed(places);
  };

  // ---- Light and dark -------------------------------------------------------------------------

  const THEMES = ['auto', 'light', 'dark'];
  const stored = () => { try { return localStorage.getItem('westwood-theme'); } catch { return null; } };
  const themeButton = $('#theme');
  let theme = 0;
  const setTheme = (next) => {
    theme = Math.max(0, THEMES.indexOf(next));
    if (theme === 0) delete root.dataset.theme; else root.dataset.theme = THEMES[theme];
    themeButton.textContent = 'Theme: ' + THEMES[theme];
  };
  setTheme(stored());
  themeButton.addEventListener('click', () => {
    setTheme(THEMES[(theme + 1) % 3]);
    try { localStorage.setItem('westwood-theme', THEMES[theme]); } catch { /* A page from disk may have no store. */ }
    redraw();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraw());

  // ---- Curves ---------------------------------------------------------------------------------

  // Values travel as text: `3,3*4,,5` is 3, 3 3 3 3, nothing, 5.
  const decode = (text) => {
    const values = [];
    for (const token of text.split(',')) {
      const [value, times] = token.split('*');
      const parsed = value === '' ? null : Number(value);
      for (let i = times === undefined ? 1 : Number(times); i > 0; i--) values.push(parsed);
    }
    return values;
  };

  // A sheet for each timeline; the one on the screen is the current one.
  const sheets = [];
  let timeline = null;
  let charts = [];
  let times = [];
  let range = null; // The zoom: from and to in seconds; null for everything.
  let cursor = null; // The place of the pointer among the times.
  let whole = false; // Whether axes reach what was higher before measuring began.
  let busy = false;
  let marked = null; // The variant under the pointer among the switches.

  if (data.timelines.length > 0) choose(0);

  // Another seed of a setting has the same axis of time: what is enlarged remains so.
  function choose(number) {
    for (const sheet of $$('.sheet')) sheet.hidden = Number(sheet.dataset.sheet) !== number;
    const before = timeline;
    timeline = data.timelines[number];
    const kept = before && before.setting === timeline.setting ? range : null;
    cursor = null;
    const made = sheets[number];
    if (made) {
      ({ charts, times } = made);
      shown();
      point(null, null);
    } else {
      make(number);
    }
    follow(...(kept ?? [times[0], times[times.length - 1]]), null);
  }

  function make(number) {
    range = null;
    const count = 2 * timeline.columns;
    times = Array.from({ length: count }, (_, i) => (i + 0.5) * timeline.end / count);
    for (const panel of timeline.panels) for (const line of panel.lines) {
      line.values = decode(line.y);
      line.edges = (line.band ?? []).map(decode);
    }
    charts = [];
    sheets[number] = { charts, times };
    build($('.sheet[data-sheet="' + number + '"]'));
    shown();
  }

  // The sheet of the chosen setting and seed; a seed that failed there gives way to the first one.
  function pick() {
    const seeds = $('#seed');
    const of = (one) => one.setting === ($('#setting')?.selectedIndex ?? 0);
    let number = data.timelines.findIndex((one) => of(one) && (!seeds || one.seed === seeds.value));
    if (number < 0) number = data.timelines.findIndex(of);
    if (seeds) seeds.value = data.timelines[number].seed;
    choose(number);
  }

  // The switches may have been used while another sheet was on the screen.
  function shown() {
    for (const c of charts) {
      c.u.batch(() => [...c.lines, ...c.edges].forEach((line, i) => c.u.setSeries(i + 1, { show: on[line.v] })));
      if (c.section.dataset.variant !== undefined) c.section.hidden = !on[Number(c.section.dataset.variant)];
    }
  }

  function build(sheet) {
    const built = charts;
    for (const section of $$('.panel', sheet)) {
      const panel = timeline.panels[Number(section.dataset.panel)];
      const plot = $('.plot', section);
      const readout = $('.readout', section);
      const variant = section.dataset.variant;
      const lines = panel.lines.filter((line) => variant === undefined || line.v === Number(variant));
      lines.forEach((line, i) => { line.place = i; });
      charts.push(chart(section, plot, readout, panel, lines, variant !== undefined));
    }
    const widths = new ResizeObserver(() => {
      for (const c of built) {
        const width = c.plot.clientWidth;
        if (width > 0 && width !== c.u.width) c.u.setSize({ width, height: c.u.height });
      }
    });
    for (const c of charts) widths.observe(c.plot);
    readouts();
  }

  function chart(section, plot, readout, panel, lines, small) {
    const narrow = plot.clientWidth < 500;
    const font = '12px ' + css('--sans');
    const axis = { stroke: () => css('--soft'), font, grid: { stroke: () => css('--grid'), width: 1 }, ticks: { show: false } };
    // The edges of bands are curves without a stroke: after all others, low and high.
    const edges = lines.flatMap((line) => line.edges.map((values) => ({ v: line.v, values })));
    const pale = (v) => colour(v) + (marked === null || marked === v ? '33' : '0d');
    const bands = [];
    for (let i = 0; i < edges.length; i += 2) bands.push({ series: [lines.length + i + 2, lines.length + i + 1], fill: () => pale(edges[i].v) });
    const c = { section, plot, readout, panel, lines, edges, items: [] };
    const place = (u) => {
      if (timeline.warmup <= 0) return;
      const left = u.valToPos(u.scales.x.min, 'x', true);
      const right = Math.min(u.valToPos(timeline.warmup, 'x', true), u.bbox.left + u.bbox.width);
      if (right <= left) return;
      u.ctx.fillStyle = css('--veil');
      u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
    };
    const references = (u) => {
      const { ctx, bbox } = u;
      ctx.save();
      ctx.font = (11 * devicePixelRatio) + 'px ' + css('--sans');
      ctx.textAlign = 'right';
      for (const [name, value] of panel.references) {
        const y = u.valToPos(value, 'y', true);
        if (y < bbox.top || y > bbox.top + bbox.height) continue;
        ctx.strokeStyle = css('--soft');
        ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
        ctx.lineWidth = devicePixelRatio;
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
        const above = y - 5 * devicePixelRatio > bbox.top + 10 * devicePixelRatio;
        const base = above ? y - 4 * devicePixelRatio : y + 13 * devicePixelRatio;
        // A rim of paper around the letters hides less of the curves than a box.
        const at = [name, bbox.left + bbox.width - 3 * devicePixelRatio, base];
        ctx.setLineDash([]);
        ctx.lineJoin = 'round';
        ctx.lineWidth = 3 * devicePixelRatio;
        ctx.strokeStyle = css('--paper');
        ctx.strokeText(...at);
        ctx.fillStyle = css('--soft');
        ctx.fillText(...at);
      }
      ctx.restore();
    };
    // The marks of the legend along each curve: nobody has to tell colours apart.
    const marks = (u) => {
      const { ctx, bbox } = u;
      const ratio = devicePixelRatio;
      ctx.save();
      lines.forEach((line, i) => {
        if (line.role !== 'main' || !on[line.v] || small) return;
        const shape = $('.mark-' + line.v + ' path');
        if (!shape) return;
        const path = new Path2D(shape.getAttribute('d'));
        ctx.globalAlpha = u.series[i + 1].alpha ?? 1;
        ctx.fillStyle = colour(line.v);
        ctx.strokeStyle = css('--paper');
        ctx.lineWidth = 1.2;
        for (let x = (30 + 23 * line.v % 120) * ratio; x < bbox.width; x += 120 * ratio) {
          const at = u.posToIdx(x / ratio);
          const value = line.values[at];
          if (value === null || value === undefined) continue;
          const y = u.valToPos(value, 'y', true);
          if (y < bbox.top - 1 || y > bbox.top + bbox.height + 1) continue;
          ctx.setTransform(ratio, 0, 0, ratio, u.valToPos(times[at], 'x', true) - 5 * ratio, y - 5 * ratio);
          ctx.stroke(path);
          ctx.fill(path);
        }
      });
      ctx.restore();
    };
    // A cross where a window went down; of those closer than a cross is wide, the first.
    const reductions = (u) => {
      if (!panel.causes) return;
      const { ctx, bbox } = u;
      const [ratio, arm] = [devicePixelRatio, 3.2 * devicePixelRatio];
      ctx.save();
      ctx.lineWidth = 1.4 * ratio;
      lines.forEach((line, i) => {
        if (line.role !== 'main' || !on[line.v]) return;
        ctx.globalAlpha = u.series[i + 1].alpha ?? 1;
        ctx.strokeStyle = colour(line.v);
        ctx.beginPath();
        let last = -Infinity;
        for (const [time, , reduced] of timeline.events[line.v] ?? []) {
          const x = u.valToPos(time, 'x', true);
          if (!reduced || x < bbox.left || x > bbox.left + bbox.width || x - last < 2.5 * arm) continue;
          // A column's two values: the window came down from the higher one.
          const at = Math.min(times.length - 2, 2 * Math.floor(time / timeline.end * timeline.columns));
          const value = Math.max(line.values[at] ?? 0, line.values[at + 1] ?? 0);
          const y = u.valToPos(value, 'y', true);
          if (y < bbox.top - 1) continue;
          last = x;
          ctx.moveTo(x - arm, y - arm);
          ctx.lineTo(x + arm, y + arm);
          ctx.moveTo(x - arm, y + arm);
          ctx.lineTo(x + arm, y - arm);
        }
        ctx.stroke();
      });
      ctx.restore();
    };
    const tallest = Math.max(0, ...panel.references.map(([, value]) => value));
    const options = {
      width: plot.clientWidth,
      height: small ? 130 : panel.causes ? 230 : 170,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, dist: 5 } },
      scales: {
        x: { time: false },
        y: { range: (u, low, high) => {
          if (clips(panel)) return [Math.min(0, low ?? 0), panel.clip];
          const full = range === null ? Math.max(high ?? 0, tallest) : high ?? 1;
          // Above a horizontal line there is room for its name.
          const top = Math.max(1.05 * full, range === null ? 1.14 * tallest : 0);
          return [Math.min(0, low ?? 0), top > 0 ? top : 1];
        } },
      },
      axes: [
        { ...axis, size: 26, gap: 4, space: 70, values: (u, ticks) => ticks.map((t, i) => String(Number(t.toPrecision(6))) + (i === ticks.length - 1 ? ' s' : '')) },
        { ...axis, size: (u, labels) => Math.max(narrow ? 42 : 50, 12 + 7 * Math.max(0, ...(labels ?? []).map((label) => label.length))), gap: 4, space: 28, values: (u, ticks) => ticks.map((t) => String(Number(t.toPrecision(6)))) },
      ],
      series: [{}, ...lines.map((line) => ({
        show: on[line.v],
        stroke: () => (line.role === 'other' ? css('--soft') : colour(line.v)),
        width: line.role === 'main' ? 1.3 : 1,
        dash: dashes(line, small),
        points: { show: false },
        spanGaps: true,
      })), ...edges.map((edge) => ({ show: on[edge.v], width: 0, points: { show: false } }))],
      bands,
      hooks: {
        drawClear: [place],
        draw: [marks, reductions, references],
        setCursor: [(u) => { if (!busy) point(u.cursor.idx ?? null, u); }],
        setScale: [(u, key) => { if (key === 'x' && !busy) follow(u.scales.x.min, u.scales.x.max, u); }],
      },
    };
    c.u = new uPlot(options, [times, ...lines.map((line) => line.values), ...edges.map((edge) => edge.values)], plot);
    // A row for each variant, or for each curve where there is but one variant.
    const labels = [...new Set(lines.map((line) => line.label))];
    if (!small && labels.length > 1) {
      const head = node('li', 'head');
      head.append(node('span', 'name'), ...labels.map((label) => node('span', 'value', label)));
      readout.append(head);
    }
    for (const group of small ? lines.map((line) => [line]) : data.variants.map((_, v) => lines.filter((line) => line.v === v))) {
      if (group.length === 0) continue;
      const [first] = group;
      const item = node('li', first.role);
      const label = node('span', 'name', small ? first.label : data.variants[first.v]);
      label.title = label.textContent;
      item.append(sample(first.v, first.role, dashes(first, small), small), label);
      for (const line of group) {
        const value = node('span', 'value ' + line.role);
        item.append(value);
        c.items.push({ item, value, line });
      }
      readout.append(item);
    }
    touch(c);
    plot.addEventListener('keydown', (event) => key(event, c));
    return c;
  }

  // An enlarged span is shown as high as it is.
  function clips(panel) {
    return panel.clip !== null && range === null && !whole;
  }

  // A finger that moves sideways reads values; up and down it scrolls.
  function touch(c) {
    const read = (event) => {
      if (event.pointerType === 'mouse') return;
      const box = c.u.over.getBoundingClientRect();
      point(c.u.posToIdx(event.clientX - box.left), null);
    };
    c.u.over.addEventListener('pointerdown', read);
    c.u.over.addEventListener('pointermove', read);
  }

  // The pointer is at a place of time, in every chart.
  function point(index, source) {
    if (source && !charts.some((c) => c.u === source)) return;
    cursor = index;
    busy = true;
    for (const { u } of charts) {
      if (u === source) continue;
      const left = index === null ? -10 : u.valToPos(times[index], 'x');
      u.setCursor({ left, top: index === null ? -10 : 5 }, false);
    }
    busy = false;
    readouts();
  }

  // Every chart shows the same span of time.
  function follow(from, to, source) {
    if (source && !charts.some((c) => c.u === source)) return;
    const whole = from <= times[0] && to >= times[times.length - 1];
    range = whole ? null : [from, to];
    busy = true;
    for (const { u } of charts) {
      if (u !== source) u.setScale('x', { min: from, max: to });
    }
    busy = false;
    root.dataset.zoom = whole ? '' : from.toPrecision(6) + ' ' + to.toPrecision(6);
    said();
  }

  function zoom(factor, shift = 0) {
    const all = [times[0], times[times.length - 1]];
    const [from, to] = range ?? all;
    const middle = cursor === null ? (from + to) / 2 : Math.min(to, Math.max(from, times[cursor]));
    const length = Math.min(all[1] - all[0], Math.max((to - from) * factor, 8 * (times[1] - times[0])));
    let start = middle - (middle - from) / (to - from) * length + shift * (to - from);
    start = Math.min(Math.max(start, all[0]), all[1] - length);
    follow(start, start + length, null);
  }

  function key(event, c) {
    const step = event.shiftKey ? 40 : 2;
    const last = times.length - 1;
    const visible = range === null ? [0, last] : range.map((t) => c.u.valToIdx(t));
    const moves = {
      ArrowLeft: () => point(Math.max(visible[0], (cursor ?? visible[1]) - step), null),
      ArrowRight: () => point(Math.min(visible[1], (cursor ?? visible[0]) + step), null),
      Home: () => point(visible[0], null),
      End: () => point(visible[1], null),
      '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
      '0': () => follow(times[0], times[last], null),
      Escape: () => follow(times[0], times[last], null),
      ',': () => zoom(1, -0.25), '.': () => zoom(1, 0.25),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  }

  function said() {
    const at = $('#at');
    if (!at) return;
    const time = (t) => t.toFixed(timeline.end >= 1 ? 2 : 4) + ' s';
    for (const { section, panel } of charts) {
      const clip = $('.clip', section);
      if (clip) clip.hidden = !clips(panel);
    }
    const parts = [];
    if (cursor !== null) parts.push('at ' + time(times[cursor]));
    if (range !== null) parts.push('showing ' + time(range[0]) + ' to ' + time(range[1]));
    at.textContent = parts.join(', ');
  }

  // The text at the pointer: a value, or the lowest and highest of a column of time.
  function readouts() {
    said();
    for (const { items, section, panel } of charts) {
      for (const { item, value, line } of items) {
        item.hidden = !on[line.v];
        if (cursor === null) { value.textContent = ''; continue; }
        let column = cursor - cursor % 2;
        // A sampled series keeps its last sample, for a while.
        for (let back = 0; back < 50 && column > 1 && line.values[column] === null; back++) column -= 2;
        const [a, b] = [line.values[column], line.values[column + 1]];
        const low = Math.min(a ?? b, b ?? a);
        const high = Math.max(a ?? b, b ?? a);
        const [l, h] = [digits(low), digits(high)];
        value.textContent = a === null && b === null ? '\u2013' : l === h ? h : l + '\u2013' + h;
        const spread = line.edges.map((edge) => edge[column]);
        if (spread.length > 0 && typeof spread[0] === 'number') value.textContent += ' (' + spread.map(digits).join('\u2013') + ')';
      }
      if (panel.causes) causes($('.causes', section));
    }
  }

  // The last change of each window before the pointer, and why.
  function causes(list) {
    if (cursor === null) {
      list.replaceChildren(node('li', '', 'Point at a curve, or focus it and press the arrow keys: here stands why each window changed last.'));
      return;
    }
    // Changes within the column of the pointer count as reached.
    const now = times[cursor - cursor % 2 + 1] + (times[1] - times[0]) / 2;
    const rows = data.variants.map((name, v) => {
      if (!on[v]) return null;
      const events = timeline.events[v] ?? [];
      let [low, high] = [0, events.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (events[middle][0] <= now) low = middle + 1; else high = middle;
      }
      const event = events[low - 1];
      const row = node('li');
      row.append(mark(v), node('span', 'name', name),
        node('span', 'when', event ? event[0].toFixed(3) + ' s' : ''),
        node('span', 'why', event ? timeline.causes[event[1]] : 'no reduction so far'));
      return row;
    });
    list.replaceChildren(...rows.filter(Boolean));
  }

  function mark(variant) {
    const drawn = $('.switches .mark-' + variant);
    return drawn ? drawn.cloneNode(true) : node('span');
  }

  function redraw() {
    for (const c of charts) {
      c.lines.forEach((line, i) => { c.u.series[i + 1].alpha = marked === null || marked === line.v ? 1 : 0.15; });
      c.u.redraw(false, true);
    }
  }

  // ---- Switches -------------------------------------------------------------------------------

  for (const box of $$('.switches input')) {
    const variant = Number(box.value);
    box.checked = true;
    box.addEventListener('change', () => {
      on[variant] = box.checked;
      for (const element of $$('.k' + variant)) element.classList.toggle('off', !box.checked);
      shown();
      readouts();
    });
    const label = box.closest('label');
    label.addEventListener('pointerenter', (event) => { if (event.pointerType === 'mouse') { marked = variant; redraw(); } });
    label.addEventListener('pointerleave', () => { if (marked !== null) { marked = null; redraw(); } });
  }

  const press = (id, action) => $(id)?.addEventListener('click', action);
  press('#zoom-in', () => zoom(0.5));
  press('#zoom-out', () => zoom(2));
  press('#zoom-back', () => zoom(1, -0.25));
  press('#zoom-on', () => zoom(1, 0.25));
  press('#zoom-all', () => follow(times[0], times[times.length - 1], null));
  press('#whole', (event) => {
    whole = !whole;
    event.currentTarget.setAttribute('aria-pressed', String(whole));
    for (const { u } of charts) u.redraw();
    said();
  });
  press('#layout', (event) => {
    const apart = document.body.classList.toggle('show-apart');
    event.currentTarget.setAttribute('aria-pressed', String(apart));
  });

  // ---- The table, sweeps, the command ---------------------------------------------------------

  for (const button of $$('th button')) {
    const head = button.closest('th');
    const body = $('tbody', head.closest('table'));
    button.addEventListener('click', () => {
      const descending = head.getAttribute('aria-sort') !== 'descending';
      for (const other of $$('th', head.parentElement)) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const value = (row) => {
        const number = Number.parseFloat(row.cells[head.cellIndex].textContent);
        return Number.isNaN(number) ? -Infinity : number;
      };
      const rows = [...body.rows].sort((a, b) => (descending ? value(b) - value(a) : value(a) - value(b)));
      body.append(...rows);
    });
  }

  for (const id of ['#setting', '#seed']) $(id)?.addEventListener('change', pick);

  $('#metric')?.addEventListener('change', (event) => {
    $$('.metric').forEach((metric, i) => { metric.hidden = i !== event.target.selectedIndex; });
  });

  press('#copy', async (event) => {
    const button = event.currentTarget;
    const text = $('#command').textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren($('#command'));
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  root.dataset.ready = 'true';
})();
