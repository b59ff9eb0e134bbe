import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { databaseFromClient } from '#server/core/database.ts';
import { ownLink } from './jsonl-links.ts';
import type { LineTarget } from './jsonl-queries.ts';
import { kindNumber, postKinds } from './jsonl-tables.ts';
import { addFollows, literal } from './stack-exchange-queries.ts';
import { selectPoints } from '#server/posts/index.ts';

/** Adds the votes that have a member, and their points: none for votes on own posts. Returns the number of rows. */
export async function addVotes(client: ClientBase): Promise<number> {
  let added = 0;
  for (const [name, kind] of Object.entries(postKinds)) {
    const result = await client.query(
      `insert into vote (member_id, ${name}_id, direction, created_at)
       select member_id, new_id, direction, created from line_member_vote where kind = $1 order by new_id, member_id`,
      [kind],
    );
    added += result.rowCount ?? 0;
  }
  const points = (kind: number, name: 'question' | 'answer' | 'reply') => sql`
    select post.author_id as member_id, ${selectPoints(name, sql`vote.direction`)} as points
    from line_member_vote vote join line_post post on post.kind = vote.kind and post.id = vote.post
    where vote.kind = ${sql.lit(kind)} and post.author_id <> vote.member_id`;
  // The reputation of a new member is that of the files. Of others, it grows.
  await sql`
    update member set
      imported_reputation = case
        when staged.is_new and staged.reputation is not null then staged.reputation - earned.points
        else member.imported_reputation end,
      reputation = case
        when staged.is_new and staged.reputation is not null then staged.reputation
        else member.reputation + earned.points end
    from (
      select member_id, sum(points)::bigint as points from (
        ${points(1, 'question')} union all ${points(2, 'answer')} union all ${points(3, 'reply')}) each
      group by member_id order by member_id
    ) earned
    left join (select new_id, is_new, reputation from line_member where is_new) staged on staged.new_id = earned.member_id
    where member.id = earned.member_id`.execute(databaseFromClient(client));
  return added;
}

/**
 * Adds the badges of members: on the site that they name, else on that of these files. Those that are here stay as they
 * are. Returns their number.
 */
export async function addBadges(
  client: ClientBase,
  { source, runId }: { source: string; runId: string },
): Promise<number> {
  const added = await client.query(
    `insert into imported_badge (member_id, source_id, source_key, name, class, is_tag_based, awards, first_at, last_at, run_id)
     select author.id, coalesce(line_source.id, $1), coalesce(badge.source_key, staged.path), badge.name, class,
       is_tag_based, awards, first_at, last_at, $2
     from line_badge badge join line_author author on author.key = badge.member
     join line_member staged on staged.id = badge.member
     left join line_source on line_source.site = badge.source_site
     order by badge.line on conflict do nothing`,
    [source, runId],
  );
  return added.rowCount ?? 0;
}

/**
 * Adds the accounts at sign-in providers of new profiles that can be claimed. Members with an email address have an account
 * here, which they sign in to without a claim; members of a move have no profile on another site.
 */
export async function addIdentities(client: ClientBase): Promise<void> {
  await client.query(`
    insert into imported_identity (member_id, issuer, subject)
    select new_id, identity ->> 'issuer', identity ->> 'subject'
    from line_member staged join member on member.id = staged.new_id
    cross join lateral jsonb_array_elements(staged.identities) identity
    where staged.is_new and staged.identities is not null and member.email is null and member.source_id is not null`);
}

/** Adds why new questions are closed elsewhere, and who closed them, also as duplicates. Runs after these are marked. */
export async function addClosings(client: ClientBase): Promise<void> {
  await client.query(`
    insert into question_closing
    select new_id, closed_reason, closed_at from line_post where kind = 1 and is_new and closed_reason is not null;
    insert into question_closer (question_id, member_id)
    select distinct new_id, author.id
    from line_post join question on question.id = new_id cross join lateral jsonb_array_elements_text(closers) closer
    join line_author author on author.key = closer::bigint
    where kind = 1 and line_post.is_new and (closed_reason is not null or question.duplicate_of is not null)`);
}

/** Adds the marks of community wikis and the bounties of new posts. */
export async function addSiteHistory(client: ClientBase): Promise<void> {
  for (const [name, kind] of Object.entries(postKinds).slice(0, 2))
    await client.query(`
      insert into imported_wiki (${name}_id, since)
      select new_id, wiki from line_post where kind = ${kind} and is_new and wiki is not null;
      insert into imported_bounty (${name}_id, amount, day)
      select new_id, (bounty ->> 'amount')::integer, (bounty ->> 'day')::timestamptz::date
      from line_post cross join lateral jsonb_array_elements(bounties) bounty
      where kind = ${kind} and is_new and bounties is not null on conflict do nothing`);
}

/**
 * Adds the earlier versions of new posts. Edits of a community that moves here count as made here. The table
 * `line_linked_revision` gets those that may have links to pages of the community. Returns their number.
 */
export async function addRevisions(client: ClientBase, { isOwn }: { isOwn: boolean }): Promise<number> {
  await client.query('create temporary table line_linked_revision (id bigint primary key) on commit drop');
  let added = 0;
  for (const [name, kind] of Object.entries(postKinds)) {
    const { rows } = await client.query<{ added: string }>(
      `with added as (
       insert into revision (${name}_id, number, title, content, tags, created_at, replaced_at, is_imported,
         imported_editor_id, imported_editor_name, imported_approver_id, imported_summary)
       select post.new_id, revision.number, revision.title, revision.content, revision.tags, revision.created, revision.replaced,
         is_imported or ${String(!isOwn)}, editor.id, case when editor.id is null then editor_name end, approver.id, summary
       from line_revision revision join line_post post on post.kind = revision.kind and post.id = revision.post
       left join line_author editor on editor.key = revision.editor
       left join line_author approver on approver.key = revision.approver
       where post.kind = $1 and post.is_new and not post.deleted
       order by post.new_id, revision.number
       on conflict do nothing returning id, content),
       linked as (insert into line_linked_revision select id from added where content ~ '${ownLink}')
       select count(*) as added from added`,
      [kind],
    );
    added += Number(rows[0]?.added);
  }
  await client.query('analyze line_linked_revision');
  return added;
}

/**
 * Adds the tags that questions do not have, and the texts and synonyms of new tags. Tags that were here keep theirs. Runs
 * after the tags of the questions were added: `line_known_tag` has those from before. Returns the number of new tags.
 */
export async function addTagTexts(client: ClientBase, runId: string): Promise<number> {
  await client.query(
    `with added as (
       insert into tag (name, key) select name, key from line_tag order by key on conflict (key) do nothing returning id)
     update import_run set tag_ids = tag_ids || array(select id from added) where id = $1`,
    [runId],
  );
  await client.query(`
    update tag set description = staged.description, about = staged.about
    from line_tag staged
    where staged.key = tag.key and not exists (select from line_known_tag where key = tag.key)
      and (staged.description is not null or staged.about is not null);
    insert into imported_tag_text (tag_id, kind, source_id, source_key, path, license, content_hash, run_id)
    select tag.id, kind, line_source.id, source ->> 'id', source ->> 'path', source ->> 'license',
      case when not (source ->> 'adapted')::boolean then md5(content)::uuid end, ${literal(runId)}
    from line_tag staged join tag on tag.key = staged.key
    cross join lateral (values ('description', staged.description, description_source), ('about', staged.about, about_source))
      texts (kind, content, source)
    join line_source on line_source.site = source ->> 'site'
    where content is not null and not exists (select from line_known_tag where key = tag.key)
    order by tag.id, kind on conflict do nothing;
    update tag set synonym_of = main.id
    from line_tag staged join tag main on main.key = staged.synonym_of and main.synonym_of is null
    where staged.key = tag.key and main.id <> tag.id and tag.questions_count = 0
      and not exists (select from line_known_tag where key = tag.key)
      and not exists (select from question_tag where tag_id = tag.id)
      and not exists (select from tag other where other.synonym_of = tag.id)
      and not exists (select from line_tag chained where chained.key = staged.synonym_of and chained.synonym_of is not null);`);
  const { rows } = await client.query<{ added: string }>(
    'select count(*) as added from tag where not exists (select from line_known_tag known where known.key = tag.key)',
  );
  return Number(rows[0]?.added);
}

export async function rememberKnownTags(client: ClientBase): Promise<void> {
  await client.query('create temporary table line_known_tag on commit drop as select key from tag');
}

/**
 * Adds follows and bookmarks of members who are here. Members with an account may have removed those of earlier imports.
 * Returns their numbers.
 */
export async function addFollowsAndBookmarks(
  client: ClientBase,
): Promise<{ follows: number; bookmarks: number }> {
  const mayAdd = (isNew: string) =>
    `(${isNew} or author.is_new or not exists (select from member where id = author.id and email is not null))`;
  const questions = await addFollows(
    client,
    `select follow.question as key, author.id as member_id, author.is_new as is_new_member, follow.created
     from line_follow follow join line_author author on author.key = follow.member`,
  );
  const tags = await client.query(`
    with added as (
      insert into tag_follow (tag_id, member_id, created_at)
      select coalesce(tag.synonym_of, tag.id), author.id, min(follow.created)
      from line_follow follow join line_author author on author.key = follow.member join tag on tag.key = follow.tag_key
      where ${mayAdd('not exists (select from line_known_tag known where known.key = tag.key)')}
      group by 1, 2 order by 1, 2 on conflict do nothing
      returning tag_id),
    counted as (
      update tag set followers_count = followers_count + added.followers
      from (select tag_id, count(*) as followers from added group by tag_id) added where tag.id = added.tag_id)
    select from added`);
  const bookmarks = await client.query(`
    insert into bookmark (member_id, question_id, answer_id, note, created_at)
    select author.id, coalesce(answer.question_id, question.id), answer.id, bookmark.note, bookmark.created
    from line_bookmark bookmark join line_author author on author.key = bookmark.member
    left join archive_answer answer on answer.key = bookmark.answer
    left join archive_question question on question.key = bookmark.question
    where case when bookmark.answer is null then question.id is not null else answer.id is not null end
      and ${mayAdd('coalesce(answer.is_new, question.is_new)')}
    order by bookmark.line on conflict do nothing`);
  return { follows: questions + (tags.rowCount ?? 0), bookmarks: bookmarks.rowCount ?? 0 };
}

/** Adds the addresses of the old site, after everything that they lead to. Returns the number of new addresses. */
export async function addRedirects(client: ClientBase, { source, runId }: LineTarget): Promise<number> {
  await client.query(`
    update line_redirect redirect set new_id = post.new_id from line_post post
    where post.kind = ${kindNumber} and post.id = redirect.target
      and post.is_skipped is null;
    update line_redirect redirect set new_id = author.id from line_author author
    where redirect.kind = 'member' and author.key = redirect.target;
    update line_redirect redirect set new_id = tag.id from tag where tag.key = redirect.tag_key;`);
  const added = await client.query(
    `with placed as (
       select redirect.*, coalesce((select min(id) from line_source where site = source_site), $1) as source_id
       from line_redirect redirect where new_id is not null),
     added as (
       insert into imported_redirect (source_id, address, kind, target_id, run_id)
       select source_id, address, kind, new_id, $2 from placed order by source_id, address
       on conflict do nothing returning source_id, address)
     update line_redirect redirect set is_new = true from added join placed using (source_id, address)
     where placed.line = redirect.line`,
    [source, runId],
  );
  return added.rowCount ?? 0;
}
