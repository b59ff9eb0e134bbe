import type { ClientBase } from 'pg';
import type { PostKind } from '#shared/core/fields.ts';
import { isAsImported, removeTagTexts } from './stack-exchange-tag-texts.ts';

export interface UndoCounts {
  /** What the import added and what is still here. */
  added: {
    members: number;
    questions: number;
    answers: number;
    replies: number;
    badges: number;
    tagTexts: number;
  };
  /** What members here added to it, and that goes with it. */
  local: {
    answers: number;
    replies: number;
    votes: number;
    bookmarks: number;
    follows: number;
    edits: number;
  };
  /** Posts that it added and that were hidden or deleted here. Later imports leave them out. */
  hidden: number;
  /** Posts that the import hid, and that are shown again. */
  shown: number;
  /** Changes of the import that stay. */
  changed: number;
}

/**
 * Returns the site of an import, and a later import with rows of one of its sites, because these can be below its posts;
 * null if there is none. An export has rows of several sites.
 */
export async function findLaterRun(
  client: ClientBase,
  id: number,
): Promise<{ sourceId: string; later: string | null; laterSite: string | null }> {
  const { rows } = await client.query<{ sourceId: string; later: string | null; laterSite: string | null }>(
    `with own as materialized (
       select source_id from import_run where id = $1 union select source_id from imported_row where run_id = $1),
     later as (
       select max(id) as id from import_run
       where id > $1 and (source_id in (select source_id from own) or exists (
         select from imported_row where run_id = import_run.id and source_id in (select source_id from own))))
     select run.source_id as "sourceId", later.id as later,
       (select site from import_run join import_source on import_source.id = source_id where import_run.id = later.id)
         as "laterSite"
     from import_run run cross join later where run.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the import is gone');
  return row;
}

/** The questions with posts of an import, by their ids. */
export async function listQuestions(client: ClientBase, runId: number): Promise<number[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from base_question where id in (select id from imported_row where run_id = $1 and kind = 'question')
     union
     select question_id from base_answer where id in (select id from imported_row where run_id = $1 and kind = 'answer')
     union
     select question_id from base_reply where id in (select id from imported_row where run_id = $1 and kind = 'reply')
     order by id`,
    [runId],
  );
  return rows.map(({ id }) => Number(id));
}

/** Locks questions and their duplicates, so that nothing is added to them. */
export async function lockQuestions(client: ClientBase, ids: readonly number[]): Promise<void> {
  await client.query(
    'select from base_question where id = any($1::bigint[]) or duplicate_of = any($1::bigint[]) order by id for update',
    [ids],
  );
}

/**
 * Collects the posts that go from these questions, in the temporary table `removed_post`, hidden or not. `is_root`: it is
 * not on another one; `is_added`: the import added it; `is_hidden`: it did, and the post was hidden
 * or deleted here.
 */
export async function collectRemoved(
  client: ClientBase,
  { runId, questionIds }: { runId: number; questionIds: readonly number[] },
): Promise<void> {
  await client.query(`
    create temporary table removed_post (
      kind text not null, id bigint not null, question_id bigint not null, is_root boolean not null,
      is_added boolean not null, is_hidden boolean not null default false, primary key (kind, id)) on commit drop`);
  const added = (kind: string) =>
    `exists (select from imported_row row where row.run_id = $1 and row.kind = '${kind}' and row.id = post.id)`;
  for (const statement of [
    `select 'question', post.id, post.id, true, true from base_question post
     where post.id = any($2::bigint[]) and ${added('question')}`,
    `select 'answer', post.id, post.question_id, above.id is null, ${added('answer')} from base_answer post
     left join removed_post above on above.kind = 'question' and above.id = post.question_id
     where post.question_id = any($2::bigint[]) and (above.id is not null or ${added('answer')})`,
    // A reply on a post that stays goes with the replies below it.
    `with recursive here as materialized (
       select post.id, question_id, answer_id, parent_reply_id, ${added('reply')} as is_added from base_reply post
       where question_id = any($2::bigint[])),
     branch as (
       select id, question_id, answer_id from here
       where is_added or question_id in (select id from removed_post where kind = 'question')
         or answer_id in (select id from removed_post where kind = 'answer')
       union
       select here.id, here.question_id, here.answer_id from here join branch on here.parent_reply_id = branch.id)
     select 'reply', id, question_id,
       question_id not in (select id from removed_post where kind = 'question')
         and (answer_id is null or answer_id not in (select id from removed_post where kind = 'answer')),
       is_added
     from here where id in (select id from branch)`,
  ])
    await client.query(`insert into removed_post (kind, id, question_id, is_root, is_added) ${statement}`, [
      runId,
      questionIds,
    ]);
  await client.query('analyze removed_post');
  for (const kind of ['question', 'answer', 'reply'])
    await client.query(
      `update removed_post removed set is_hidden = true
       from base_${kind} post join hidden_post on hidden_post.id = post.hidden_by and import_run_id is null
       where removed.kind = $1 and is_added and post.id = removed.id ${kind === 'reply' ? 'and deleted_at is null' : ''}`,
      [kind],
    );
  // Deleted replies with replies below them. JSON lines can have such replies, archives do not.
  await client.query(`
    update removed_post removed set is_hidden = true
    from base_reply post join imported_row known on known.kind = 'reply' and known.id = post.id
    where removed.kind = 'reply' and is_added and post.id = removed.id and deleted_at is not null
      and known.content_hash is not null`);
}

/** The collected posts. */
export async function listRemoved(client: ClientBase) {
  const { rows } = await client.query<{ kind: PostKind; id: string; question_id: string; is_root: boolean }>(
    'select kind, id, question_id, is_root from removed_post',
  );
  return rows.map((row) => ({
    kind: row.kind,
    id: Number(row.id),
    questionId: Number(row.question_id),
    isRoot: row.is_root,
  }));
}

/**
 * Forgets the posts, also how other sources number them. Otherwise their next import takes them for deleted ones. Of those
 * that were hidden here, the keys stay, with an id that no post has: importing them again would show them.
 */
export async function forgetRemoved(client: ClientBase, runId: number): Promise<void> {
  const isRemoved = `known.kind = removed.kind and known.id = removed.id
    and (known.run_id = $1 or known.run_id is null)`;
  await client.query(
    `update imported_row known set ${keyOnly} from removed_post removed where removed.is_hidden and ${isRemoved}`,
    [runId],
  );
  await client.query(
    `delete from imported_row known using removed_post removed where removed.is_added and ${isRemoved}`,
    [runId],
  );
}

const keyOnly = 'id = 0, run_id = null, name_hash = null, tags_hash = null, content_hash = null';

export async function countRemoved(client: ClientBase, runId: number): Promise<UndoCounts> {
  const ids = (kind: string) => `(select id from removed_post where kind = '${kind}')`;
  const onPosts = (table: string) => `
    select count(*) from ${table} t where t.question_id in ${ids('question')} or t.answer_id in ${ids('answer')}`;
  const { rows } = await client.query<Record<string, string>>(
    `select
       count(*) filter (where kind = 'question') as questions,
       count(*) filter (where kind = 'answer' and is_added) as answers,
       count(*) filter (where kind = 'reply' and is_added) as replies,
       (select count(distinct member.id) from imported_row row join member on member.id = row.id where run_id = $1 and kind = 'member') as members,
       (select count(*) from imported_badge where run_id = $1) as badges,
       (select count(*) from imported_tag_text known where run_id = $1 and ${isAsImported}) as "tagTexts",
       count(*) filter (where kind = 'answer' and not is_added) as "localAnswers",
       count(*) filter (where kind = 'reply' and not is_added) as "localReplies",
       (${onPosts('vote')} or t.reply_id in ${ids('reply')}) as votes, (${onPosts('bookmark')}) as bookmarks,
       (select count(*) from question_follow join member on member.id = member_id
         where question_id in ${ids('question')} and member.email is not null) as follows,
       (${onPosts('(select * from revision where not is_imported)')} or t.reply_id in ${ids('reply')}) as edits,
       count(*) filter (where is_hidden) + (
         select count(distinct (kind, id)) from imported_row row where run_id = $1 and kind <> 'member' and not exists (
           select from removed_post where kind = row.kind and id = row.id)) as hidden,
       (select count(*) from hidden_post where import_run_id = $1) as shown,
       (select coalesce(sum(value::bigint), 0) from import_run, jsonb_each_text(coalesce(summary -> 'changed', '{}'))
         where import_run.id = $1 and key not like 'removed%') as changed
     from removed_post`,
    [runId],
  );
  const number = (name: string) => Number(rows[0]?.[name] ?? 0);
  return {
    added: {
      members: number('members'),
      questions: number('questions'),
      answers: number('answers'),
      replies: number('replies'),
      badges: number('badges'),
      tagTexts: number('tagTexts'),
    },
    local: {
      answers: number('localAnswers'),
      replies: number('localReplies'),
      votes: number('votes'),
      bookmarks: number('bookmarks'),
      follows: number('follows'),
      edits: number('edits'),
    },
    hidden: number('hidden'),
    shown: number('shown'),
    changed: number('changed'),
  };
}

/** The hidden posts, questions first. */
export async function listHiddenBy(client: ClientBase, runId: number): Promise<number[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from hidden_post where import_run_id = $1
     order by array_position(array['question', 'answer', 'reply'], post_kind), id`,
    [runId],
  );
  return rows.map(({ id }) => Number(id));
}

/** SQL: whether rows of other tables refer to a row, except those that are deleted with it. */
async function listReferences(
  client: ClientBase,
  table: string,
  except: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select conrelid::regclass::text as table, attname::text as column
     from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where contype = 'f' and confrelid = $1::regclass and confdeltype in ('a', 'r')`,
    [table],
  );
  return rows
    .filter((row) => !except.includes(row.table))
    .map((row) => `exists (select from ${row.table} where ${row.table}.${row.column} = ${table}.id)`);
}

/** Deletes the badges that the import added, also of members who claimed their profile. */
export async function deleteBadges(client: ClientBase, runId: number): Promise<void> {
  await client.query('delete from imported_badge where run_id = $1', [runId]);
}

/** Removes the texts of tags that the import added. Those that were changed here stay, with their source. */
export async function deleteTagTexts(client: ClientBase, runId: number): Promise<void> {
  await client.query('create temporary table removed_tag_text (tag_id bigint, kind text) on commit drop');
  await client.query(
    `insert into removed_tag_text
     select tag_id, kind from imported_tag_text known where run_id = $1 and ${isAsImported}`,
    [runId],
  );
  await removeTagTexts(client, 'removed_tag_text');
  await client.query('delete from imported_tag_text where run_id = $1 and is_removed', [runId]);
  await client.query(`
    insert into event (topic, event)
    select 'tags', jsonb_build_object('kind', 'tag-changed', 'tag', name) from tag
    where id in (select tag_id from removed_tag_text) order by id`);
}

/**
 * Deletes the members that the import added, with their email addresses, except those who have signed in or have something
 * else here. These keep their profile.
 */
export async function deleteMembers(client: ClientBase, runId: number): Promise<void> {
  const references = await listReferences(client, 'member', [
    'question_follow',
    'tag_follow',
    'imported_identity',
    'upload',
    'account_merge',
  ]);
  await client.query(
    `delete from imported_identity
     where member_id in (select id from imported_row where run_id = $1 and kind = 'member')`,
    [runId],
  );
  await client.query(`create temporary table removed_member (id bigint primary key) on commit drop`);
  // First, so that the next statement sees who signed in meanwhile.
  await client.query(
    `select from member
     where id in (select id from imported_row where run_id = $1 and kind = 'member') and email is not null
     order by id for update`,
    [runId],
  );
  await client.query(
    `insert into removed_member
     select id from member
     where id in (select id from imported_row where run_id = $1 and kind = 'member')
       and not exists (select from account where member_id = member.id)
       and not exists (select from session where member_id = member.id)
       and not (${references.join(' or ')})`,
    [runId],
  );
  // Profiles that the import added as claimed go with their member, or both stay.
  await client.query(`
    delete from removed_member where id in (
      select into_id from account_merge
      where moderator_id is not null or member_id not in (select id from removed_member));
    delete from removed_member where id in (
      select member_id from account_merge where into_id not in (select id from removed_member));
    delete from account_merge where into_id in (select id from removed_member);
    with unfollowed as (
      delete from tag_follow where member_id in (select id from removed_member) returning tag_id)
    update tag set followers_count = followers_count - removed.followers
    from (select tag_id, count(*) as followers from unfollowed group by tag_id) removed where tag.id = removed.tag_id`);
  // The cleanup deletes pictures that nothing shows any more, but no avatars.
  await client.query(`
    delete from question_follow where member_id in (select id from removed_member);
    delete from member_statistics_change where member_id in (select id from removed_member);
    delete from upload where kind = 'avatar' and member_id in (select id from removed_member);
    update upload set member_id = null where member_id in (select id from removed_member);
    delete from member where id in (select id from removed_member);`);
}

/** Deletes the tags that the import created, and that nothing uses and no moderator changed: synonyms first. */
export async function deleteTags(client: ClientBase, runId: number): Promise<void> {
  const references = await listReferences(client, 'tag', []);
  // First, so that the next statement sees the questions of those who held the locks.
  await client.query(
    `select from tag where id in (select unnest(tag_ids) from import_run where id = $1) order by id for update`,
    [runId],
  );
  await client.query(`create temporary table removed_tag (id bigint primary key) on commit drop`);
  for (const isSynonym of [true, false])
    await client.query(
      `insert into removed_tag
       select tag.id from import_run run join tag on tag.id = any(tag_ids) left join tag main on main.id = tag.synonym_of
       where run.id = $1 and tag.questions_count = 0 and tag.followers_count = 0
         and tag.synonym_of is ${isSynonym ? 'not null' : 'null'}
         and not exists (
           select from tag synonym where synonym.synonym_of = tag.id and synonym.id not in (select id from removed_tag))
         and not exists (
           select from moderation_log
           where action like 'tag\\_%' and created_at >= run.imported_at and subject in (tag.name, main.name))
         and not exists (select from imported_tag_text where tag_id = tag.id and not is_removed)
         and not exists (select from tag_mute where tag_id = tag.id)
         and not exists (select from tag_proposal where tag_id = tag.id)
         and not (${['false', ...references.filter((each) => !each.includes('from tag where'))].join(' or ')})`,
      [runId],
    );
  await client.query(`
    delete from tag_statistics_change where tag_id in (select id from removed_tag);
    delete from tag where id in (select id from removed_tag);`);
}

/** Deletes the record of the import, and those of sites of which nothing is left. */
export async function deleteRun(client: ClientBase, id: number): Promise<void> {
  await client.query(
    `update imported_row set run_id = null where run_id = $1 and kind = 'member' and exists (
       select from member where id = imported_row.id)`,
    [id],
  );
  // Posts that were deleted here before.
  await client.query(`update imported_row set ${keyOnly} where run_id = $1 and kind <> 'member'`, [id]);
  await client.query('delete from imported_row where run_id = $1', [id]);
  await client.query(`
    delete from imported_row
    where run_id is null and kind = 'member' and id in (select id from removed_member)`);
  await client.query('delete from import_run where id = $1', [id]);
  await deleteUnusedSources(client);
}

/**
 * Deletes the sites of which nothing is here, not even the key of a hidden post. One without posts is no longer the
 * community's own.
 */
export async function deleteUnusedSources(client: ClientBase): Promise<void> {
  const references = await listReferences(client, 'import_source', []);
  await client.query(`
    delete from import_source where not (${references.join(' or ')});
    update import_source set is_own = false
    where is_own and not exists (
      select from imported_row where source_id = import_source.id and kind <> 'member' and id <> 0);`);
}

/** Lists and caches read everything again. */
export async function publishRemoval(client: ClientBase): Promise<void> {
  await client.query(`
    insert into event (topic, event)
    select topic, '{"kind": "imported"}'::jsonb from unnest(array['feeds', 'answers', 'tags']) as list (topic)`);
  await client.query(`select pg_notify('parley_event', '')`);
}
