import type { ImportSummary } from './stack-exchange-import.ts';
import { hasNewerRows } from './stack-exchange-tally.ts';

/** The account of an import as lines for a terminal: every row of every file, taken or left out and why. */
export function formatImportReport(summary: ImportSummary): string[] {
  const { added } = summary;
  const lines: string[] = [];
  for (const file of summary.files) {
    const parts = [`${number(file.read)} rows read`, `${number(file.imported)} taken`];
    if (file.alreadyImported > 0) parts.push(`${number(file.alreadyImported)} here already`);
    lines.push(`${file.file}: ${parts.join(', ')}`);
    for (const { reason, rows } of file.skipped.toSorted((a, b) => b.rows - a.rows)) {
      lines.push(`  ${number(rows)} left out: ${reason}`);
    }
  }
  lines.push(...summary.remarks.map((remark) => `Note: ${remark}.`));
  if (added.namelessMembers > 0) {
    lines.push(
      `Note: ${number(added.namelessMembers)} authors are named by their number: Users.xml has no entry of them.`,
    );
  }
  if (summary.renamed !== null) {
    lines.push(
      `Note: what is here from ${summary.renamed} is from ${summary.site} now, the new name of that site.`,
    );
  }
  if (added.renamedMembers > 0)
    lines.push(`Note: ${number(added.renamedMembers)} members that were a number have their name now.`);
  if (added.accepted > 0) {
    lines.push(`Note: ${number(added.accepted)} questions that were here have an accepted answer now.`);
  }
  lines.push(
    `Members ${number(added.members + added.namelessMembers)}, questions ${number(added.questions)}, answers ${number(added.answers)}, ` +
      `replies ${number(added.replies)}, follows ${number(added.follows)}.`,
  );
  lines.push(verdict(summary));
  return lines;
}

function verdict({ site, isDryRun, isUnchanged, files }: ImportSummary): string {
  if (isUnchanged && files.some(hasNewerRows)) {
    return `Nothing to add: this archive of ${site} has no new posts. What changed on the site since is not taken over. Nothing was changed.`;
  }
  if (isUnchanged)
    return `Nothing to add: all of this archive of ${site} is here already. Nothing was changed.`;
  if (isDryRun) return `This was a trial: the archive of ${site} can be imported. Nothing was changed.`;
  return `The archive of ${site} is imported.`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
