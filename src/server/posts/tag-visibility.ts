import { sql } from 'kysely';

const visibility = `(
  tag.questions_count > 0 or tag.description is not null or tag.about is not null
  or exists (select from tag_proposal where tag_id = tag.id and decided_by is not null)
  or exists (select from tag_change where tag_id = tag.id and kind = 'rename')
  or not (tag.has_purged_questions or exists (
    select from base_question_tag where tag_id = tag.id and hidden_by is not null
  ))
)`;

/**
 * Whether a tag may be shown: not if moderators have hidden or deleted all of its questions, also after the deleted ones
 * were purged. A tag that has a description or a text, or that moderators approved or renamed, is always shown. Served by
 * the indexes tag_proposal_tag_id, tag_change_renamed and question_tag_hidden_tag.
 */
export const isTagVisible = sql.raw<boolean>(visibility);

/** SQL that selects the tags that may be shown, and the synonyms of these. */
export const selectVisibleTags = `
  select named.* from tag named join tag on tag.id = coalesce(named.synonym_of, named.id) where ${visibility}`;
