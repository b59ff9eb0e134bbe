import type { ImportSummary } from './stack-exchange-import.ts';
import { changeNames } from './stack-exchange-changes-report.ts';
import { describeCounts, formatNumber, hasNewerRows, isConflict } from './stack-exchange-tally.ts';

/**
 * Formats the report of an import as lines for a terminal: every row of every file, imported or skipped with the
 * reason.
 */
export function formatImportReport(summary: ImportSummary): string[] {
  const { added } = summary;
  const lines: string[] = [];
  for (const file of summary.files) {
    const parts = [`${formatNumber(file.read)} rows read`, `${formatNumber(file.imported)} imported`];
    if (file.updated > 0) parts.push(`${formatNumber(file.updated)} updated`);
    if (file.alreadyImported > 0) parts.push(`${formatNumber(file.alreadyImported)} imported before`);
    if (file.removed > 0) parts.push(`${formatNumber(file.removed)} not in it any more, removed here`);
    lines.push(`${file.file}: ${parts.join(', ')}`);
    for (const { reason, rows } of file.skipped.toSorted((a, b) => b.rows - a.rows)) {
      lines.push(`  ${formatNumber(rows)} ${isConflict(reason) ? reason : `skipped: ${reason}`}`);
    }
  }
  const remarks = [...summary.remarks];
  if (summary.renamed !== null)
    remarks.push(
      `posts imported from ${summary.renamed} now belong to ${summary.site}, the new name of that site`,
    );
  remarks.push(
    ...describeCounts([
      [added.namelessMembers, 'authors have their number as name: they have no entry in Users.xml'],
      [added.renamedMembers, 'members with a number as name now have their real name'],
      [added.accepted, 'existing questions now have an accepted answer'],
      [added.duplicates, 'questions are marked as duplicates'],
      [added.closings, 'other questions show why the site closed them'],
      [added.versions, 'earlier versions of posts were imported'],
      [added.wikis, 'posts are marked as community wikis'],
      [added.bounties, 'bounties are shown with their posts'],
      [added.badges, 'badges are shown on profiles, as history'],
      [added.tagTexts, 'descriptions and texts of tags were imported'],
      [added.links, 'links now lead to the imported questions and answers'],
    ]),
  );
  lines.push(...remarks.map((remark) => `Note: ${remark}.`));
  lines.push(...describeChanges(summary));
  lines.push(
    `Members ${formatNumber(added.members + added.namelessMembers)}, questions ${formatNumber(added.questions)}, answers ${formatNumber(added.answers)}, ` +
      `replies ${formatNumber(added.replies)}, follows ${formatNumber(added.follows)}.`,
  );
  lines.push(verdict(summary));
  return lines;
}

function describeChanges({ changes, isDryRun }: ImportSummary): string[] {
  const { counts, examples, conflicts } = changes;
  const changed = Object.entries(changeNames)
    .filter(([name]) => (counts[name] ?? 0) > 0)
    .map(([name, words]) => `${formatNumber(counts[name] ?? 0)} ${words}`);
  const lines: string[] = [];
  if (changed.length > 0) lines.push(`${isDryRun ? 'Would change' : 'Changed'}: ${changed.join(', ')}.`);
  if (isDryRun) lines.push(...examples.map((example) => `  ${example}`));
  if (conflicts.total > 0) {
    lines.push(`Changed on the site, kept as it is here: ${formatNumber(conflicts.total)}.`);
    lines.push(...conflicts.lines.map((line) => `  ${line}`));
    if (conflicts.total > conflicts.lines.length)
      lines.push(`  … and ${formatNumber(conflicts.total - conflicts.lines.length)} more`);
  }
  return lines;
}

function verdict({ site, isDryRun, isUnchanged, files }: ImportSummary): string {
  if (isUnchanged && files.some(hasNewerRows)) {
    return `Nothing to add: this archive of ${site} has no new posts. What changed on the site since is not taken over. Nothing was changed.`;
  }
  if (isUnchanged)
    return `Nothing to add: all of this archive of ${site} was imported before. Nothing was changed.`;
  if (isDryRun) return `This was a dry run: the archive of ${site} can be imported. Nothing was changed.`;
  return `The archive of ${site} was imported.`;
}
