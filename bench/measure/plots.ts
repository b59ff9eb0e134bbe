import { type Bars, type Curve, formatAmount, type Plot } from './results.ts';

const width = 860;
const left = 250;
const right = 90;
const colours = ['#5b6ee1', '#2a9d8f', '#d98c2b'];

/** Renders a plot as SVG that is legible on white and on black: text and lines follow the reader's colour scheme. */
export function renderSvg(plot: Plot): string {
  const { height, parts } = plot.kind === 'bars' ? bars(plot) : curve(plot);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(plot.title)}">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 15px }
.line { stroke: #24292f; stroke-dasharray: 4 3 }
.grid { stroke: #8c959f; stroke-opacity: 0.35 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .line { stroke: #e6edf3 } }
</style>
<text class="title" x="0" y="18">${escape(plot.title)}</text>
${parts.join('\n')}
</svg>
`;
}

function bars({ series, groups, line, log = false, unit }: Bars): { height: number; parts: string[] } {
  const [thick, gap, top] = [16, 12, series.length > 1 ? 52 : 34];
  const largest = Math.max(line ?? 0, ...groups.flatMap(({ values }) => values.filter(Number.isFinite)));
  const smallest = log
    ? Math.min(1, ...groups.flatMap(({ values }) => values.filter((value) => value > 0)))
    : 0;
  const scale = (value: number) => {
    const share = log
      ? Math.log10(Math.max(value, smallest) / smallest) / Math.log10(largest / smallest)
      : value / largest;
    return Math.max(0, share) * (width - left - right);
  };
  const parts = series.length > 1 ? legend(series) : [];
  let y = top;
  for (const { label, values } of groups) {
    const middle = y + (values.length * thick) / 2 + 4;
    parts.push(`<text x="${left - 8}" y="${middle}" text-anchor="end">${escape(label)}</text>`);
    for (const [place, value] of values.entries()) {
      const length = scale(value);
      parts.push(
        `<rect x="${left}" y="${y + 1}" width="${length.toFixed(1)}" height="${thick - 2}" rx="2" fill="${colours[place % colours.length]}"/>`,
        `<text x="${(left + length + 6).toFixed(1)}" y="${y + thick - 4}">${formatAmount(value)}${unit && ` ${unit}`}</text>`,
      );
      y += thick;
    }
    y += gap;
  }
  if (line !== undefined) {
    const x = (left + scale(line)).toFixed(1);
    parts.push(
      `<line class="line" x1="${x}" x2="${x}" y1="${top - 4}" y2="${y - 4}"/>`,
      `<text x="${x}" y="${y + 12}" text-anchor="middle">target: at most ${line}</text>`,
    );
  }
  return { height: y + 20, parts };
}

function legend(series: readonly string[]): string[] {
  let x = left;
  return series.flatMap((name, place) => {
    const parts = [
      `<rect x="${x}" y="30" width="12" height="12" rx="2" fill="${colours[place % colours.length]}"/>`,
      `<text x="${x + 17}" y="41">${escape(name)}</text>`,
    ];
    x += 40 + name.length * 7;
    return parts;
  });
}

function curve({ points, line, x, y }: Curve): { height: number; parts: string[] } {
  const [height, top, bottom, start] = [300, 34, 40, 60];
  const mostX = Math.max(...points.map(([at]) => at), 0.1);
  const mostY = Math.max(line ?? 0, ...points.map(([, value]) => value)) * 1.05;
  const place = ([at, value]: readonly [number, number]) =>
    [
      start + (at / mostX) * (width - start - 20),
      height - bottom - (value / mostY) * (height - top - bottom),
    ] as const;
  const parts: string[] = [];
  for (let step = 0; step <= 4; step++) {
    const [, level] = place([0, (mostY * step) / 4]);
    parts.push(
      `<line class="grid" x1="${start}" x2="${width - 20}" y1="${level.toFixed(1)}" y2="${level.toFixed(1)}"/>`,
      `<text x="${start - 6}" y="${(level + 4).toFixed(1)}" text-anchor="end">${formatAmount((mostY * step) / 4, 0)}</text>`,
    );
  }
  if (line !== undefined) {
    const [, level] = place([0, line]);
    parts.push(
      `<line class="line" x1="${start}" x2="${width - 20}" y1="${level.toFixed(1)}" y2="${level.toFixed(1)}"/>`,
    );
  }
  const path = points
    .map((point) =>
      place(point)
        .map((each) => each.toFixed(1))
        .join(','),
    )
    .join(' ');
  parts.push(
    `<polyline points="${path}" fill="none" stroke="${colours[0]}" stroke-width="2"/>`,
    `<text x="${width - 20}" y="${height - 12}" text-anchor="end">${formatAmount(mostX, 1)} ${escape(x)}</text>`,
    `<text x="${start}" y="${height - 12}">0</text>`,
    `<text x="0" y="${height - 12}">${escape(y)}</text>`,
  );
  return { height, parts };
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
