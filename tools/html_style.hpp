// html_style.hpp - how a report looks on a screen, on a phone and on paper, and the cursor that shows values. The page
// is complete without the script.
#pragma once

// Nothing in here may hold "<" or "&": the page is well-formed XML too.

constexpr const char* report_style = R"CSS(
:root { color-scheme: light dark; --page: #f4f5f7; --card: #ffffff; --text: #1b1f24; --quiet: #57606a;
  --edge: #d8dee4; --grid: #e6e9ed; --zero: #b4bcc5; --c1: #1c5fc4; --c2: #c2480c; --c3: #0b7a5c; --c4: #8438b5;
  --mark: #b3152f; --event: #6a5300; --band: #1c5fc433; --good: #0b7a5c; }
@media (prefers-color-scheme: dark) { :root { --page: #0f1215; --card: #181c21; --text: #e6e9ec; --quiet: #a2abb5;
  --edge: #30363d; --grid: #272d33; --zero: #58616b; --c1: #79b1ff; --c2: #ff9a5a; --c3: #4cd3a2; --c4: #d6a0ff;
  --mark: #ff7d8f; --event: #e3c75a; --band: #79b1ff3d; --good: #4cd3a2; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI",
  Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 48px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 36px 0 12px; }
h3 { font-size: 1rem; margin: 0; }
.lead, .note { color: var(--quiet); margin: 0; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(165px, 1fr)); gap: 10px; margin: 20px 0 0; }
.tile, figure, .finding, .verdict, .events { background: var(--card); border: 1px solid var(--edge);
  border-radius: 10px; }
.tile { padding: 10px 14px; }
.tile dt { color: var(--quiet); font-size: .8rem; }
.tile dd { margin: 0; font-size: 1.2rem; font-weight: 600; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; line-height: 1.3; }
.tile dd small { font-size: .8rem; font-weight: 400; color: var(--quiet); display: block; }
.tile.bad dd { color: var(--mark); }
.tile.text dd { font-size: .95rem; }
.verdict { padding: 10px 14px; margin: 10px 0 0; }
.verdict.good { border-left: 4px solid var(--good); }
.verdict.bad { border-left: 4px solid var(--mark); }
.finding { padding: 12px 16px 14px; margin: 0 0 10px; border-left: 4px solid var(--mark); }
.finding h3 { display: flex; gap: 10px; align-items: baseline; }
.number { flex: none; min-width: 1.6em; padding: 0 .35em; border-radius: 1em; background: var(--mark);
  color: var(--card); font-size: .85rem; text-align: center; font-weight: 700; }
.event .number, .events .number { background: var(--event); }
.finding dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 8px 0 0; font-size: .93rem; }
.finding dt { color: var(--quiet); }
.finding dd { margin: 0; overflow-wrap: anywhere; }
.finding code { font: .82rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.events { padding: 10px 16px; margin: 0; list-style: none; }
.events li { display: flex; gap: 10px; align-items: baseline; padding: 2px 0; overflow-wrap: anywhere; }
.events time { color: var(--quiet); min-width: 6.5em; font-variant-numeric: tabular-nums; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; align-items: stretch; }
.stack { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); }
figure { margin: 0; padding: 12px 18px 8px 14px; min-width: 0; display: flex; flex-direction: column; }
figcaption { display: flex; flex-wrap: wrap; gap: 0 12px; align-items: baseline; margin-bottom: 18px; }
figcaption p { flex-basis: 100%; margin: 0; font-size: .85rem; color: var(--quiet); }
.unit { color: var(--quiet); font-size: .85rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0 14px; font-size: .85rem; margin-left: auto; }
.legend > span { white-space: nowrap; }
.key { width: 22px; height: 10px; margin-right: 5px; overflow: visible; }
.plot { height: 190px; margin: 0 6px 24px 58px; flex: 1 0 auto; touch-action: pan-y; }
.plot.square { height: auto; aspect-ratio: 1; flex: none; }
.plot > svg { display: block; overflow: visible; position: static; }
.plot > svg > .lines { overflow: visible; }
.place { overflow: visible; }
.axis { margin: 0 0 2px; text-align: center; font-size: .8rem; color: var(--quiet); }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: var(--quiet);
  font-variant-numeric: tabular-nums; }
svg text.y { text-anchor: end; }
svg text.x { text-anchor: middle; }
.grid { stroke: var(--grid); stroke-width: 1; shape-rendering: crispEdges; }
.zero { stroke: var(--zero); stroke-width: 1; shape-rendering: crispEdges; }
.line { fill: none; stroke-width: 1.7; stroke-linejoin: round; stroke-linecap: round;
  vector-effect: non-scaling-stroke; }
.key .line { stroke-width: 3; }
.c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); } .c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); }
.band { fill: var(--band); stroke: none; }
.start { fill: var(--card); stroke: var(--good); stroke-width: 3; }
.end { fill: var(--text); stroke: var(--card); stroke-width: 1.5; }
.mark line { stroke: var(--mark); stroke-width: 1.2; }
.mark circle { fill: var(--mark); stroke: var(--card); stroke-width: 1; }
.event line { stroke: var(--event); stroke-width: 1.2; stroke-dasharray: 4 3; }
svg .mark text, svg .event text { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
svg .mark text { fill: var(--mark); font-weight: 700; text-anchor: middle; }
svg .event text { fill: var(--event); font-weight: 700; text-anchor: middle; }
.cursor { stroke: var(--quiet); stroke-width: 1; pointer-events: none; }
output { flex-basis: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; min-height: 1.5em;
  margin-bottom: -1.5em; color: var(--quiet); }
footer { margin-top: 36px; color: var(--quiet); font-size: .85rem; }
@media screen and (max-width: 760px) { main { padding: 18px 10px 32px; } h1 { font-size: 1.4rem; }
  .pair { grid-template-columns: minmax(0, 1fr); } .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; }
  .tile dd { font-size: 1.05rem; } figure { padding: 10px 10px 6px 8px; } .plot { height: 170px; margin-left: 50px; }
  .x.odd { display: none; } .legend { margin-left: 0; flex-basis: 100%; }
  .finding dl { grid-template-columns: minmax(0, 1fr); gap: 0; } .finding dd { margin-bottom: 6px; } }
@media (prefers-contrast: more) { .c2 { stroke-dasharray: 7 4; } .c3 { stroke-dasharray: 2 4; }
  .c4 { stroke-dasharray: 9 3 2 3; } .line { stroke-width: 2.2; } }
@media print { :root { color-scheme: light; --page: #fff; --card: #fff; --text: #000; --quiet: #444; --edge: #bbb;
    --grid: #e2e2e2; --zero: #999; --c1: #1c5fc4; --c2: #c2480c; --c3: #0b7a5c; --c4: #8438b5; --mark: #b3152f;
    --event: #6a5300; --band: #1c5fc433; --good: #0b7a5c; }
  @page { margin: 13mm; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; }
  figure, .tile, .finding, .verdict { break-inside: avoid; } h2 { break-after: avoid; margin-top: 18px; }
  .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); } .tiles { grid-template-columns: repeat(4, 1fr); }
  .plot { height: 128px; } .tile dd { font-size: 11pt; } .cursor, output { display: none; }
  .line { stroke-width: 1.2; } .band, .number, .mark circle, .end { print-color-adjust: exact;
    -webkit-print-color-adjust: exact; } }
)CSS";

// Moves a line through all charts over time, and shows the values of the chart under the pointer.
constexpr const char* report_script = R"JS(
(function () {
  var plots = Array.from(document.querySelectorAll('.chart .plot')), lines = [];
  function numbers(line) {
    if (!line.corners) line.corners = line.getAttribute('points').trim().split(/[ ,]+/).map(Number);
    return line.corners;
  }
  function value(svg, colour, share) {
    var nearest = 12, y = null;
    svg.querySelectorAll('.lines .' + colour).forEach(function (line) {
      var c = numbers(line);
      for (var i = 0; i !== c.length; i += 2) {
        var far = Math.abs(c[i] - 1000 * share), next = i + 2 === c.length ? null : c[i + 2];
        if (nearest > far) { nearest = far; y = c[i + 1]; }
        if (next !== null) if (1000 * share >= c[i]) if (next >= 1000 * share) if (next > c[i]) {
          nearest = 0; y = c[i + 1] + (c[i + 3] - c[i + 1]) * (1000 * share - c[i]) / (next - c[i]); }
      }
    });
    if (y === null) return null;
    var low = Number(svg.dataset.y0), high = Number(svg.dataset.y1), v = low + (1 - y / 1000) * (high - low);
    return svg.dataset.log === '1' ? Math.pow(10, v) : v;
  }
  function show(plot, share) {
    var svg = plot.firstElementChild, figure = plot.parentNode, out = figure.querySelector('output');
    if (!out) { out = document.createElement('output'); figure.querySelector('figcaption').appendChild(out); }
    var x0 = Number(svg.dataset.x0), x1 = Number(svg.dataset.x1), unit = figure.querySelector('.unit').textContent;
    var text = (x0 + share * (x1 - x0)).toFixed(2) + ' s', names = figure.querySelectorAll('.legend > span');
    ['c1', 'c2', 'c3', 'c4'].forEach(function (colour) {
      var v = value(svg, colour, share), name = '';
      names.forEach(function (n) { if (n.querySelector('.' + colour)) name = n.textContent + ' '; });
      if (v !== null) text += '   ' + name + Number(v.toPrecision(4)) + ' ' + unit;
    });
    out.textContent = text;
  }
  function move(share) {
    plots.forEach(function (plot, i) {
      if (!lines[i]) {
        lines[i] = document.createElementNS(plot.firstElementChild.namespaceURI, 'line');
        lines[i].setAttribute('class', 'cursor');
        lines[i].setAttribute('y2', '100%');
        plot.firstElementChild.appendChild(lines[i]);
      }
      lines[i].style.display = share === null ? 'none' : '';
      if (share === null) return;
      lines[i].setAttribute('x1', 100 * share + '%');
      lines[i].setAttribute('x2', 100 * share + '%');
    });
  }
  function clear() { document.querySelectorAll('output').forEach(function (out) { out.textContent = ''; }); }
  plots.forEach(function (plot) {
    function at(event) {
      var box = plot.getBoundingClientRect(), share = (event.clientX - box.left) / box.width;
      clear();
      share = Math.min(1, Math.max(0, share));
      move(share);
      show(plot, share);
    }
    plot.addEventListener('pointermove', at);
    plot.addEventListener('pointerdown', at);
    plot.addEventListener('pointerleave', function () { move(null); clear(); });
  });
})();
)JS";
