import { projectRoot } from '#server/core/paths.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderSvg } from './plots.ts';
import type { StoredResult } from './results.ts';

const docs = path.join(projectRoot, 'docs');
const directory = 'benchmarks';

/** Writes docs/benchmarks.md, its plots and the query plans, from the latest results of the parts. */
export async function writeReport(results: readonly StoredResult[], order: readonly string[]): Promise<void> {
  const parts = results.toSorted((one, other) => order.indexOf(one.part) - order.indexOf(other.part));
  await mkdir(path.join(docs, directory), { recursive: true });
  for (const plot of parts.flatMap(({ plots = [] }) => plots))
    await writeFile(path.join(docs, directory, `${plot.name}.svg`), renderSvg(plot));
  const plans = parts.flatMap((part) => part.plans ?? []);
  if (plans.length > 0)
    await writeFile(path.join(docs, directory, 'plans.txt'), `${plans.join('\n').trimEnd()}\n`);
  await writeFile(path.join(docs, 'benchmarks.md'), `${textOf(parts)}\n`);
}

function textOf(parts: readonly StoredResult[]): string {
  const rows = parts.flatMap((part) =>
    part.rows.map((row) => [row.what, row.target, row.measured, sign(row.holds)]),
  );
  return [
    '# Benchmarks',
    '',
    'The cost of pages and actions in a large community. Repeat the measurement with:',
    '',
    '```',
    'npm run bench -- fill --questions 1000000 --data large',
    'npm run bench -- fill --questions 10000 --data small',
    'npm run bench -- fill --comparison --data comparison',
    'npm run bench -- measure --data-1m large --data-10k small --data-comparison comparison',
    '```',
    '',
    'Servers, PostgreSQL and the client share the CPUs of one machine. Machines differ, so most figures are ratios to a simple baseline measured in the same run: a bare `node:http` server, `pgbench`, or the same work at a hundredth of the size. A figure is the median of several runs with minimum and maximum. Missed targets are listed as well.',
    '',
    '## Targets and measurements',
    '',
    ...table(['what', 'target', 'measured', 'met'], rows),
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
    ...plots.flatMap((plot) => [`![${plot.title}](${directory}/${plot.name}.svg)`, '']),
    ...(plans === undefined ? [] : [`Every plan: [${directory}/plans.txt](${directory}/plans.txt).`, '']),
    `Measured on ${at.slice(0, 10)}: ${machine}. ${shape}`,
    '',
  ];
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}

const cell = (text: string | number) => String(text).replaceAll('|', String.raw`\|`);
