import { sql } from 'kysely';

/**
 * Whether a tag may be shown: not where moderators have hidden or deleted all questions that had it. The index
 * hidden_row_tag serves it.
 */
export const isTagVisible = sql`(tag.questions_count > 0 or not exists (
  select from hidden_row where part = 'tag' and row ->> 'name' = tag.name
))`;
