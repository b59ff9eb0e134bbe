import { truncate } from '#shared/core/text.ts';
import { cleanLine, cleanText } from './stack-exchange-characters.ts';
import { closedKind, lockKinds, parseClosing } from './stack-exchange-closings.ts';
import { type CopyCell, copyRows } from './copy-rows.ts';
import { parseInteger, parsePersonName, parseTags, parseTime } from './stack-exchange-fields.ts';
import { incompleteReason, stageEach, type StageRows } from './stack-exchange-stage.ts';
import { historyKinds, textKinds } from './stack-exchange-staging-tables.ts';
import type { ArchiveRow } from './stack-exchange-xml.ts';

/**
 * Creates the function that stages the history of posts: texts, closings and locks.
 * @param withVersions also titles, tags and who wrote them, for the versions of posts
 */
export const createStageHistory =
  (withVersions: boolean): StageRows =>
  async (client, rows, tally) => {
    const staged = stageEach(rows, tally, (row) => {
      const kind = parseInteger(row['PostHistoryTypeId']);
      if (kind !== null && !stagedKinds.has(kind)) return otherEvents.get(kind) ?? 'other events';
      if (!withVersions && kind !== null && versionKinds.has(kind)) return titlesAndTagsReason;
      if (!withVersions && kind === historyKinds.suggested) return 'approvals of suggested edits';
      const id = parseInteger(row['Id']);
      const post = parseInteger(row['PostId']);
      const created = parseTime(row['CreationDate']);
      if (kind === null || id === null || post === null || created === null) return incompleteReason;
      return [id, post, created, kind, chooseText(row, kind), ...(withVersions ? editCells(row) : noEdit)];
    });
    await copyRows(
      client,
      'archive_history (id, post_id, created, kind, text, action, editor, editor_name, summary)',
      staged,
    );
  };

/** Kinds that only versions need: initial titles and tags. */
const versionKinds: ReadonlySet<number> = new Set([1, 3]);
const stagedKinds: ReadonlySet<number> = new Set([
  ...historyKinds.titles,
  ...historyKinds.texts,
  ...historyKinds.tags,
  historyKinds.suggested,
  closedKind,
  lockKinds.locked,
  lockKinds.unlocked,
]);

export const titlesAndTagsReason = 'titles and tags, which the posts have as well';

const otherEvents: ReadonlyMap<number, string> = new Map([
  [11, 'reopenings'],
  [12, 'deletions and undeletions'],
  [13, 'deletions and undeletions'],
  [19, 'protections, which Parley does not have'],
  [20, 'protections, which Parley does not have'],
]);

/** The text of a version; of other entries, what the import needs of them. */
function chooseText(row: ArchiveRow, kind: number): string {
  const text = row['Text'] ?? '';
  if (textKinds.some((each) => each === kind)) return cleanText(text);
  if (kind === closedKind) return JSON.stringify(parseClosing(row));
  if (historyKinds.titles.some((each) => each === kind)) return cleanLine(text);
  if (historyKinds.tags.some((each) => each === kind)) return parseTags(text).join('\n');
  // 'Proposed by 20 approved by 2 edit id of 1'
  if (kind === historyKinds.suggested)
    return /approved by (-?\d{1,15})/u.exec(row['Comment'] ?? '')?.[1] ?? '';
  return '';
}

/** Longer summaries are cut. The site allows 300 characters. */
const maxSummaryLength = 500;
const noEdit: CopyCell[] = [null, null, null, null];

/** The action that the entry is part of, who did it, and the summary. */
function editCells(row: ArchiveRow): CopyCell[] {
  const summary = truncate(cleanLine(row['Comment'] ?? ''), maxSummaryLength);
  return [
    row['RevisionGUID'] ?? null,
    parseInteger(row['UserId']),
    parsePersonName(row['UserDisplayName']),
    summary === '' ? null : summary,
  ];
}
