import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { tagKey } from '#shared/core/text.ts';
import type { ManagedTag, TagTexts, TagTextsDraft } from '#shared/moderation/managed-tags.ts';
import { findManagedTag, lockTagTexts, updateTagTexts } from './managed-tags-queries.ts';
import { insertLogEntry } from './moderation-log-queries.ts';
import { findRunningTagChange, listSynonyms } from './tag-changes-queries.ts';
import type { Moderator } from './moderator.ts';

/**
 * Returns a tag as moderators edit it, by its name or a synonym.
 * @throws ProblemError 'not-found'
 */
export async function readManagedTag(db: Reader, tag: string): Promise<ManagedTag> {
  const row = await findManagedTag(db, tagKey(tag));
  if (row === undefined) throw new ProblemError('tag-not-found');
  const [synonyms, change] = await Promise.all([listSynonyms(db, row.id), findRunningTagChange(db, row.id)]);
  return {
    name: row.name,
    ...toTexts(row),
    questionsCount: row.questions_count,
    followersCount: row.followers_count,
    mutesCount: row.mutes_count,
    synonyms,
    change:
      change === undefined || change.kind === 'remove_name'
        ? null
        : {
            kind: change.kind,
            from: change.tag_name,
            questions: change.questions,
            questionsDone: change.questions_done,
          },
  };
}

/**
 * Sets the description and the text of a tag. The moderation log has the earlier and the new texts.
 * @throws ProblemError 'tag-not-found', 'tag-texts-conflict' if another moderator has changed the texts since
 */
export async function setTagTexts(
  db: Database,
  { tag, moderator, texts }: { tag: string; moderator: Moderator; texts: TagTextsDraft },
): Promise<void> {
  await transaction(db, async (tx) => {
    const row = await lockTagTexts(tx, tagKey(tag));
    if (row === undefined) throw new ProblemError('tag-not-found');
    const before = toTexts(row);
    const { description, about, basedOn } = texts;
    if (!areTextsEqual(before, texts)) {
      if (basedOn != null && !areTextsEqual(before, basedOn)) throw new ProblemError('tag-texts-conflict');
      await updateTagTexts(tx, { id: row.id, description: description || null, about: about || null });
      await insertLogEntry(tx, {
        moderatorId: moderator.id,
        action: 'tag_texts',
        reason: '',
        post: null,
        memberId: null,
        subject: row.name,
        before,
        after: { description, about },
      });
      await publishAll(tx, [
        { topic: 'tags', event: { kind: 'tag-changed', tag: row.name } },
        { topic: 'moderation', event: { kind: 'moderation-changed' } },
      ]);
    }
  });
}

const toTexts = (row: { description: string | null; about: string | null }): TagTexts => ({
  description: row.description ?? '',
  about: row.about ?? '',
});

const areTextsEqual = (a: TagTexts, b: TagTexts) => a.description === b.description && a.about === b.about;
