import { sql } from 'kysely';

/**
 * Whether a tag may be shown: not where moderators have hidden or deleted all questions that had it. The index
 * hidden_tag serves it.
 */
export const isTagShown = sql`(tag.questions_count > 0 or not exists (
  select from put_away_row where part = 'tag' and row ->> 'name' = tag.name
))`;
