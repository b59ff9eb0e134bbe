import { projectRoot } from '#server/core/paths.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderSvg } from './plots.ts';
import type { StoredResult } from './results.ts';

const docs = path.join(projectRoot, 'docs');
const folder = 'benchmarks';

/** Writes docs/benchmarks.md, its plots and the query plans, from what the parts found last. */
export async function writeReport(found: readonly StoredResult[], order: readonly string[]): Promise<void> {
  const parts = found.toSorted((one, other) => order.indexOf(one.part) - order.indexOf(other.part));
  await mkdir(path.join(docs, folder), { recursive: true });
  for (const plot of parts.flatMap(({ plots = [] }) => plots))
    await writeFile(path.join(docs, folder, `${plot.name}.svg`), renderSvg(plot));
  const plans = parts.flatMap((part) => part.plans ?? []);
  if (plans.length > 0)
    await writeFile(path.join(docs, folder, 'plans.txt'), `${plans.join('\n').trimEnd()}\n`);
  await writeFile(path.join(docs, 'benchmarks.md'), `${textOf(parts)}\n`);
}

function textOf(parts: readonly StoredResult[]): string {
  const rows = parts.flatMap((part) =>
    part.rows.map((row) => [row.what, row.wanted, row.measured, sign(row.holds)]),
  );
  return [
    '# Benchmarks',
    '',
    'What pages and actions cost in a large community, measured by one command that anyone can repeat:',
    '',
    '```',
    'npm run bench -- fill --questions 1000000 --data large',
    'npm run bench -- fill --questions 10000 --data small',
    'npm run bench -- fill --comparison --data comparison',
    'npm run bench -- measure --data-1m large --data-10k small --data-comparison comparison',
    '```',
    '',
    'Servers, PostgreSQL and the client share the processors of one machine. Machines differ, so most figures are ratios, taken in turn in one run against something simple: a bare `node:http` server, `pgbench`, the same work at a hundredth of the size. A figure is the median of several runs, with the smallest and the largest. One that falls short stands here as it is.',
    '',
    '## What is wanted and what was measured',
    '',
    ...table(['what', 'wanted', 'measured', 'holds'], rows),
    '',
    ...parts.flatMap(section),
  ]
    .join('\n')
    .trimEnd();
}

const sign = (holds: boolean | null) => (holds === null ? '' : holds ? 'yes' : '**no**');

function section({
  title,
  notes = [],
  table: figures,
  plots = [],
  plans,
  machine,
  shape,
  at,
}: StoredResult): string[] {
  return [
    `## ${title}`,
    '',
    ...notes.flatMap((note) => [note, '']),
    ...(figures === undefined ? [] : [...table(figures.head, figures.rows), '']),
    ...plots.flatMap((plot) => [`![${plot.title}](${folder}/${plot.name}.svg)`, '']),
    ...(plans === undefined ? [] : [`Every plan: [${folder}/plans.txt](${folder}/plans.txt).`, '']),
    `Measured on ${at.slice(0, 10)}: ${machine}. ${shape}`,
    '',
  ];
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}

const cell = (text: string | number) => String(text).replaceAll('|', String.raw`\|`);
