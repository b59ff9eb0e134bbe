import { sql } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/core/database.ts';
import type { Change, changedMember, changedQuestion, ChangesPage } from '#shared/integrations/changes.ts';
import { type ApiClient, expectOk } from './member.ts';

/** A copy of what is public, made by a program with GET /changes. */
export class Mirror {
  readonly items = new Map<string, object>();
  /** Ids of everything that was reported gone at some time. */
  readonly gone = new Set<string>();
  cursor: string | null = null;
  readonly #query: string;

  constructor(query = '') {
    this.#query = query;
  }

  /** Reads what has changed since the last time. Returns the changes. */
  async read(program: ApiClient): Promise<Change[]> {
    const read: Change[] = [];
    for (;;) {
      const cursor = this.cursor === null ? '' : `cursor=${this.cursor}`;
      const page = expectOk(await program.get<ChangesPage>(`/changes?${this.#query}&${cursor}`));
      for (const change of page.changes) this.#apply(change);
      read.push(...page.changes);
      this.cursor = page.cursor;
      if (!page.hasMore) return read;
    }
  }

  #apply({ kind, id, item }: Change): void {
    const key = `${kind} ${id}`;
    if (item === null) {
      this.items.delete(key);
      this.gone.add(key);
    } else this.items.set(key, item);
  }
}

/** The differences between a mirror and what is public in the database; none if they are equal. */
export async function compareMirror(mirror: Mirror, db: Database): Promise<object[]> {
  const expected = await readPublicContent(db);
  const keys = new Set([...expected.keys(), ...mirror.items.keys()]);
  return [...keys].toSorted().flatMap((key) => {
    const [wanted, found] = [expected.get(key), mirror.items.get(key)];
    const part = Object.fromEntries(
      Object.entries(withLists(found ?? {})).filter(([name]) => wanted === undefined || name in wanted),
    );
    return JSON.stringify(sorted(wanted ?? {})) === JSON.stringify(sorted(part))
      ? []
      : [{ key, wanted, found }];
  });
}

const sorted = (item: object) =>
  Object.entries(item)
    .map(([name, value]: [string, unknown]) => [
      name,
      unordered.has(name)
        ? [value]
            .flat()
            .map(String)
            .toSorted((a, b) => (a < b ? -1 : 1))
        : value,
    ])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));

const unordered = new Set(['importedBadges', 'siteHistory']);

/** Badges and site history as plain lists, as they are read from the tables below. */
function withLists(item: Partial<z.infer<typeof changedMember> & z.infer<typeof changedQuestion>>): object {
  const { importedBadges, siteHistory } = item;
  return {
    ...item,
    ...(importedBadges && {
      importedBadges: importedBadges.flatMap(({ site, badges }) =>
        badges.map((badge) => [site, badge.name, badge.class ?? [], badge.awards].flat().join(' ')),
      ),
    }),
    ...(siteHistory !== undefined && {
      siteHistory: [
        ...(siteHistory?.communityWikiAt == null ? [] : ['wiki']),
        ...(siteHistory?.bounties ?? []).map(({ amount, day }) => `${amount} on ${day}`),
      ],
    }),
  };
}

/** Reads what is public from the tables, without the queries of the server. */
async function readPublicContent(db: Database): Promise<Map<string, object>> {
  const { rows } = await sql<{ key: string; item: object }>`
    select 'member ' || id as key, json_build_object('id', id, 'displayName', display_name, 'avatar', avatar,
      'bio', case when id not in (select member_id from activity_removal where state <> 'restored') then bio end,
      'location', case when id not in (select member_id from activity_removal where state <> 'restored') then location end,
      'website', case when id not in (select member_id from activity_removal where state <> 'restored') then website end,
      'importedBadges', array(
        select concat_ws(' ', site, name, class, sum(awards)) from imported_badge
        join import_source source on source.id = imported_badge.source_id
        where member_id = member.id group by site, name, class),
      'reputation', greatest(reputation, 0), 'questionsCount', questions_count, 'answersCount', answers_count) as item
    from member where deleted_at is null and application is null
    union all
    select 'tag ' || id, json_build_object('id', id, 'name', name, 'description', description, 'about', about,
      'aboutSource', (
        select json_build_object('site', site, 'url', 'https://' || site || '/' || path, 'license', imported.license,
          'isAdapted', content_hash is distinct from md5(about)::uuid)
        from imported_tag_text imported join import_source on import_source.id = source_id
        where tag_id = tag.id and kind = 'about' and about is not null and not is_removed),
      'questionsCount', questions_count, 'followersCount', followers_count)
    from tag where synonym_of is null and not (questions_count = 0 and id in (
      select tag_id from base_question_tag where hidden_by is not null))
    union all
    select 'question ' || id, json_build_object('id', id, 'title', title, 'content', content, 'authorId', author_id,
      'upvotes', upvotes, 'downvotes', downvotes, 'acceptedAnswerId', accepted_answer_id, 'lockReason', lock_reason,
      'duplicateOf', duplicate_of, 'tags', array(
        select name from base_question_tag link join tag on tag.id = link.tag_id
        where link.question_id = base_question.id order by link.position),
      'closing', (
        select json_build_object('reason', reason, 'closedAt', to_char(closed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        from question_closing where question_id = base_question.id and duplicate_of is null),
      'siteHistory', array(
        select 'wiki' from imported_wiki where question_id = base_question.id
        union all select amount || ' on ' || day from imported_bounty where question_id = base_question.id))
    from base_question where hidden_by is null
    union all
    select 'answer ' || id, json_build_object('id', id, 'content', content, 'authorId', author_id,
      'questionId', question_id, 'upvotes', upvotes, 'downvotes', downvotes, 'siteHistory', array(
        select 'wiki' from imported_wiki where answer_id = base_answer.id
        union all select amount || ' on ' || day from imported_bounty where answer_id = base_answer.id))
    from base_answer where hidden_by is null
    union all
    select 'reply ' || id, json_build_object('id', id, 'questionId', question_id, 'answerId', answer_id,
      'parentReplyId', parent_reply_id, 'deleted', deleted_at is not null or is_placeholder,
      'authorId', case when deleted_at is null and not is_placeholder then author_id end,
      'content', case when is_placeholder then '' else content end)
    from base_reply where hidden_by is null or is_placeholder`.execute(db);
  return new Map(rows.map(({ key, item }) => [key, item]));
}
