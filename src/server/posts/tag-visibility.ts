import { sql } from 'kysely';

/**
 * Whether a tag may be shown: not if moderators have hidden or deleted all of its questions, also after the deleted ones
 * were purged. Served by the index question_tag_hidden_tag.
 */
export const isTagVisible = sql<boolean>`(tag.questions_count > 0 or not (tag.has_purged_questions or exists (
  select from base_question_tag where tag_id = tag.id and hidden_by is not null
)))`;
