import type { ImportSummary } from './archive.ts';
import { hasNewer } from './tally.ts';

/** The account of an import as lines for a terminal: every row of every file, taken or left out and why. */
export function reportLines(summary: ImportSummary): string[] {
  const { added } = summary;
  const lines: string[] = [];
  for (const file of summary.files) {
    const parts = [`${number(file.read)} rows read`, `${number(file.taken)} taken`];
    if (file.known > 0) parts.push(`${number(file.known)} here already`);
    lines.push(`${file.file}: ${parts.join(', ')}`);
    for (const { reason, rows } of file.leftOut.toSorted((a, b) => b.rows - a.rows)) {
      lines.push(`  ${number(rows)} left out: ${reason}`);
    }
  }
  lines.push(...summary.remarks.map((remark) => `Note: ${remark}.`));
  if (added.nameless > 0) {
    lines.push(
      `Note: ${number(added.nameless)} authors are named by their number: Users.xml has no entry of them.`,
    );
  }
  if (summary.renamed !== null) {
    lines.push(
      `Note: what is here from ${summary.renamed} is from ${summary.site} now, the new name of that site.`,
    );
  }
  if (added.named > 0)
    lines.push(`Note: ${number(added.named)} members that were a number have their name now.`);
  if (added.accepted > 0) {
    lines.push(`Note: ${number(added.accepted)} questions that were here have an accepted answer now.`);
  }
  lines.push(
    `Members ${number(added.members + added.nameless)}, questions ${number(added.questions)}, answers ${number(added.answers)}, ` +
      `replies ${number(added.replies)}, follows ${number(added.follows)}.`,
  );
  lines.push(verdict(summary));
  return lines;
}

function verdict({ site, dryRun, unchanged, files }: ImportSummary): string {
  if (unchanged && files.some(hasNewer)) {
    return `Nothing to add: this archive of ${site} has no new posts. What changed on the site since is not taken over. Nothing was changed.`;
  }
  if (unchanged)
    return `Nothing to add: all of this archive of ${site} is here already. Nothing was changed.`;
  if (dryRun) return `This was a trial: the archive of ${site} can be imported. Nothing was changed.`;
  return `The archive of ${site} is imported.`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
