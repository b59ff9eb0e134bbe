import { type Database, getSqlState, type Tx, transaction } from '#server/core/database.ts';
import { invalidFieldError, invalidFieldsError, ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { runInTurns } from '#server/core/steps.ts';
import { moveSomeTagFollows, moveSomeTagMutes } from '#server/engagement/index.ts';
import { lockTags, moveSomeQuestions, renameOnSomeQuestions } from '#server/posts/index.ts';
import { tagKey } from '#shared/core/text.ts';
import { findTagsProblem, normalizeTag } from '#shared/posts/tags.ts';
import type { TagChangeDraft } from '#shared/moderation/managed-tags.ts';
import type { ModerationDeps } from './member-actions.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import type { Moderator } from './moderator.ts';
import {
  addTagChangeProgress,
  findRunningTagChange,
  finishTagChange,
  hasMembers,
  insertSynonym,
  insertTagChange,
  isTagUsed,
  listRunningTagChanges,
  lockTagChange,
  lockTagForUpdate,
  lockTagsByKey,
  type ManagedTagRow,
  mergeTagNames,
  renameTag,
  setRevisionsReadTo,
  setSynonymOf,
  type TagChangeRow,
} from './tag-changes-queries.ts';
import { deleteSynonym, removeSomeTagNames, replaceTagReferences } from './tag-names-removal.ts';

/** Questions that one transaction changes, and follows and mutes that it moves. */
const questionsPerStep = 50;
const membersPerStep = 500;

/** Milliseconds for which a request does the work itself. The job does the rest. */
const immediateMs = 500;

type ManagedSynonym = { tag: string; synonym: string; moderator: Moderator };

/**
 * Makes a name lead to a tag.
 * @throws ProblemError 'not-found', 'invalid', 'not-allowed' if the name is a tag of its own or leads elsewhere
 */
export async function addSynonym(db: Database, { tag, synonym, moderator }: ManagedSynonym): Promise<void> {
  const name = parseTagName(synonym, 'synonym');
  await transaction(db, async (tx) => {
    const rows = await lockTagsByKey(tx, [tagKey(tag), tagKey(name)]);
    const main = requireMainTag(rows.get(tagKey(tag)));
    await makeSynonym(tx, { main, name, known: rows.get(tagKey(name)), moderator, reason: '' });
  });
}

/** Makes a name lead to a locked tag. @throws ProblemError 'invalid' if it is a tag of its own or leads elsewhere */
export async function makeSynonym(
  tx: Tx,
  wanted: {
    main: ManagedTagRow;
    name: string;
    /** The locked tag with the name, if there is one. */
    known: ManagedTagRow | undefined;
    moderator: Moderator;
    reason: string;
  },
): Promise<void> {
  const { main, name, known, moderator, reason } = wanted;
  if (known?.synonym_of === main.id) return;
  if (known !== undefined && (known.synonym_of !== null || (await isTagUsed(tx, known.id))))
    throw invalidFieldError('synonym', 'tag-exists');
  if (known !== undefined) await setSynonymOf(tx, { id: known.id, synonymOf: main.id });
  else if (!(await insertSynonym(tx, { name, key: tagKey(name), tagId: main.id })))
    throw invalidFieldError('synonym', 'tag-exists');
  await recordChange(tx, { moderator, action: 'tag_synonym', tag: main, reason, after: { synonym: name } }, [
    name,
  ]);
}

/**
 * Makes a synonym a tag of its own again, without questions, or removes the name everywhere. Changes nothing if the name is
 * no synonym of the tag.
 * @throws ProblemError 'not-found', 'not-allowed' while one of the tags is being changed
 */
export async function removeSynonym(
  db: Database,
  { tag, synonym, moderator, keepName, deps }: ManagedSynonym & { keepName: boolean; deps: ModerationDeps },
): Promise<void> {
  await transaction(db, async (tx) => {
    const rows = await lockTagsByKey(tx, [tagKey(tag), tagKey(synonym)]);
    const main = requireMainTag(rows.get(tagKey(tag)));
    const row = rows.get(tagKey(synonym));
    if (row === undefined) throw new ProblemError('tag-not-found');
    if (row.synonym_of !== main.id) return;
    await refuseRunning(tx, keepName ? [row] : [row, main]);
    const before = { synonym: row.name };
    await recordChange(tx, { moderator, action: 'tag_synonym', tag: main, reason: '', before }, [row.name]);
    if (keepName) {
      await setSynonymOf(tx, { id: row.id, synonymOf: null });
      return;
    }
    await deleteSynonym(tx, { id: row.id, tagId: main.id });
    await replaceTagReferences(tx, { key: row.key, name: main.name });
    await insertTagChange(tx, {
      kind: 'remove_name',
      tagId: main.id,
      intoId: null,
      questions: 0,
      removedKey: row.key,
    });
    await deps.queueWork?.(tx);
  });
}

/**
 * Merges a tag into another one, of which it becomes a synonym, or renames it; the old name becomes a synonym, or is removed
 * everywhere. The names change at once; that of a merged tag is removed after its questions have moved. Questions, follows,
 * mutes and names in stored texts follow in small transactions: those of a small tag before this returns, the others and the
 * names in the background. Returns the name of the tag.
 * @throws ProblemError 'not-found', 'invalid', 'not-allowed' while another change of one of the tags is running
 */
export async function changeTag(
  db: Database,
  { moderator, draft, deps }: { moderator: Moderator; draft: TagChangeDraft; deps: ModerationDeps },
): Promise<string> {
  const { id, name } = await transaction(db, async (tx) => {
    const started = await (draft.kind === 'merge' ? startMerge : startRename)(tx, { moderator, draft });
    await deps.queueWork?.(tx);
    return started;
  });
  await runChanges(db, [id], { until: Date.now() + immediateMs, removesNames: false });
  return name;
}

const uniqueViolation = '23505';

type ChangeStart = { moderator: Moderator; draft: TagChangeDraft };

/** The id of a change, and the name of the tag after it. */
type StartedChange = { id: number; name: string };

async function startMerge(tx: Tx, { moderator, draft }: ChangeStart): Promise<StartedChange> {
  const rows = await lockTagsByKey(tx, [tagKey(draft.tag), tagKey(draft.to)]);
  const from = requireMainTag(rows.get(tagKey(draft.tag)));
  const into = rows.get(tagKey(draft.to));
  if (into === undefined) throw invalidFieldError('to', 'tag-not-found');
  if (into.synonym_of !== null) throw invalidFieldError('to', 'tag-is-synonym');
  if (into.id === from.id) throw invalidFieldError('to', 'tag-merged-into-itself');
  await refuseRunning(tx, [from, into]);
  await mergeTagNames(tx, { from: from.id, into: into.id });
  const removedKey = draft.keepSynonym ? null : from.key;
  if (removedKey !== null) await replaceTagReferences(tx, { key: removedKey, name: into.name });
  const questions = from.questions_count;
  const after = { mergedInto: into.name, questions };
  await recordChange(tx, { moderator, action: 'tag_merge', tag: from, reason: draft.reason, after }, [
    into.name,
  ]);
  const wanted = { kind: 'merge', tagId: from.id, intoId: into.id, questions, removedKey } as const;
  return { id: await insertTagChange(tx, wanted), name: into.name };
}

async function startRename(tx: Tx, { moderator, draft }: ChangeStart): Promise<StartedChange> {
  const name = parseTagName(draft.to, 'to');
  const key = tagKey(name);
  const rows = await lockTagsByKey(tx, [tagKey(draft.tag), key]);
  const tag = requireMainTag(rows.get(tagKey(draft.tag)));
  if (name === tag.name) throw invalidFieldError('to', 'tag-name-unchanged');
  const known = rows.get(key);
  if (known !== undefined && known.id !== tag.id && known.synonym_of !== tag.id)
    throw invalidFieldError('to', 'tag-exists');
  await refuseRunning(tx, [tag]);
  const removedKey = draft.keepSynonym || key === tag.key ? null : tag.key;
  if (removedKey !== null && known !== undefined) await deleteSynonym(tx, { id: known.id, tagId: tag.id });
  try {
    await renameTag(tx, { tag, name, key, keepSynonym: draft.keepSynonym });
  } catch (error) {
    // A member has created a tag with the name meanwhile.
    if (getSqlState(error) === uniqueViolation) throw invalidFieldError('to', 'tag-exists');
    throw error;
  }
  if (removedKey !== null) await replaceTagReferences(tx, { key: removedKey, name });
  const before = { name: tag.name };
  await recordChange(
    tx,
    { moderator, action: 'tag_rename', tag, reason: draft.reason, before, after: { name } },
    [name],
  );
  const questions = tag.questions_count;
  const wanted = { kind: 'rename', tagId: tag.id, intoId: null, questions, removedKey } as const;
  return { id: await insertTagChange(tx, wanted), name };
}

/**
 * Continues all running changes of tags in transactions of some questions, members or versions, in turns. If the process
 * ends, the next run continues after the last commit.
 * @param until milliseconds since 1970. The next run does what is left.
 */
export async function runTagChanges(db: Database, until: number): Promise<void> {
  await runChanges(db, await listRunningTagChanges(db), { until, removesNames: true });
}

/** @param removesNames whether to replace removed names in stored texts, which takes longer than a request may */
async function runChanges(
  db: Database,
  ids: readonly number[],
  { until, removesNames }: { until: number; removesNames: boolean },
): Promise<void> {
  await runInTurns(
    ids.map((id) => () => transaction(db, (tx) => runStep(tx, { id, removesNames }))),
    until,
  );
}

/** Returns whether there may be more to do. */
async function runStep(
  tx: Tx,
  { id, removesNames }: { id: number; removesNames: boolean },
): Promise<boolean> {
  const change = await lockTagChange(tx, id);
  if (change === undefined) return false;
  // Earlier versions come last: edits that waited for the questions have stored theirs then.
  const isMoved = change.revisions_read_to !== null || (await steps[change.kind](tx, change));
  if (!isMoved) return true;
  if (change.removed_key !== null) {
    if (!removesNames) return false;
    const removal = { key: change.removed_key, name: change.into_name ?? change.tag_name };
    const last = await removeSomeTagNames(tx, { ...removal, after: change.revisions_read_to });
    if (last !== null) {
      await setRevisionsReadTo(tx, { id, revisionId: last });
      return true;
    }
  }
  await finishTagChange(tx, { id, tagId: change.tag_id, kind: change.kind });
  if (change.into_id !== null && change.removed_key !== null)
    await deleteSynonym(tx, { id: change.tag_id, tagId: change.into_id });
  await publishAll(tx, [
    ...tagChanged([change.tag_name, ...(change.into_name === null ? [] : [change.into_name])]),
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ]);
  return false;
}

/** Change some questions or members. Return whether none is left. */
const steps: Record<TagChangeRow['kind'], (tx: Tx, change: TagChangeRow) => Promise<boolean>> = {
  merge: mergeSome,
  rename: renameSome,
  remove_name: () => Promise.resolve(true),
};

/** Members come first, so that no feed shows a question that its member muted, or lacks a followed one. */
async function mergeSome(tx: Tx, change: TagChangeRow): Promise<boolean> {
  const [from, into] = [
    { id: change.tag_id, name: change.tag_name },
    { id: change.into_id ?? 0, name: change.into_name ?? '' },
  ];
  if (await hasMembers(tx, from.id)) {
    await lockTags(tx, [from.id, into.id]);
    const members = { from, into, limit: membersPerStep };
    const follows = await moveSomeTagFollows(tx, members);
    const mutes = await moveSomeTagMutes(tx, members);
    await publishAll(tx, [...follows, ...mutes]);
    return false;
  }
  const wanted = { from: from.id, into: into.id, limit: questionsPerStep };
  const { moved, events } = await moveSomeQuestions(tx, wanted);
  if (moved > 0) {
    await addTagChangeProgress(tx, { id: change.id, questions: moved, at: null });
    await publishAll(tx, events);
    return false;
  }
  // Waits for transactions that used the tag before it became a synonym.
  await lockTagForUpdate(tx, from.id);
  return !(await isTagUsed(tx, from.id));
}

async function renameSome(tx: Tx, change: TagChangeRow): Promise<boolean> {
  const { at_created_at: createdAt, at_question_id: questionId } = change;
  const after = createdAt === null || questionId === null ? null : { createdAt, id: questionId };
  const wanted = { tagId: change.tag_id, after, limit: questionsPerStep };
  const { renamed, last, isDone, events } = await renameOnSomeQuestions(tx, wanted);
  await publishAll(tx, events);
  if (last !== null) await addTagChangeProgress(tx, { id: change.id, questions: renamed, at: last });
  return isDone;
}

/** @throws ProblemError 'not-found', also for a synonym */
function requireMainTag(row: ManagedTagRow | undefined): ManagedTagRow {
  if (row === undefined || row.synonym_of !== null) throw new ProblemError('tag-not-found');
  return row;
}

async function refuseRunning(tx: Tx, tags: readonly ManagedTagRow[]): Promise<void> {
  for (const { id } of tags)
    if ((await findRunningTagChange(tx, id)) !== undefined) throw new ProblemError('tag-change-running');
}

/** @throws ProblemError 'invalid' */
function parseTagName(typed: string, field: string): string {
  const name = normalizeTag(typed);
  if (name === '' || name.includes(',')) throw invalidFieldError(field, 'tag-name-not-valid');
  const problem = findTagsProblem([name]);
  if (problem !== null) throw invalidFieldsError([{ field, ...problem }]);
  return name;
}

type RecordedChange = {
  moderator: Moderator;
  action: 'tag_synonym' | 'tag_merge' | 'tag_rename';
  tag: ManagedTagRow;
  reason: string;
  before?: Record<string, string | number>;
  after?: Record<string, string | number>;
};

/**
 * Writes a change to the log. Pages of the tag and of the other names read it again. Call it before `insertTagChange`:
 * members do not see a removed name in entries from before its removal.
 */
async function recordChange(
  tx: Tx,
  { moderator, action, tag, reason, before = {}, after = {} }: RecordedChange,
  otherNames: readonly string[],
): Promise<void> {
  const entry = { moderatorId: moderator.id, action, reason, subject: tag.name, before, after };
  await insertLogEntry(tx, { ...entry, post: null, memberId: null });
  await publishAll(tx, [
    ...tagChanged([tag.name, ...otherNames]),
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ]);
}

const tagChanged = (names: readonly string[]) =>
  names.map((tag): TopicEvent => ({ topic: 'tags', event: { kind: 'tag-changed', tag } }));
