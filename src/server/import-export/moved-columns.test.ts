import { expect, it } from 'vitest';
import { createTestCommunity, setupTestDatabase } from '#tests/support/stack-exchange-archive.ts';
import {
  createCommunity,
  expectCountsToEqualRows,
  exportTo,
  importFrom,
  pictureName,
} from '#tests/support/jsonl-community.ts';
import { listMovedColumns, listUnknownNames, readMovedTables } from '#tests/support/moved-tables.ts';

setupTestDatabase();

/** A community in which every column that a move keeps has a value of its own. */
async function createFullCommunity() {
  const community = await createCommunity();
  await community.rows(`
    update member set location = 'Cork', website = 'https://ada.example.org/', reputation = 30, imported_reputation = 32
      where display_name = 'Ada';
    update member set reputation = 10 where display_name = 'Ben';
    update member set show_email = false, suspended_until = '2090-01-01', suspension_reason = 'Spam.'
      where display_name = 'Ben';
    update member set is_bot = true where display_name = 'Member 2';
    update question set views = 9, imported_views = 9, upvotes = 2, imported_upvotes = 2, downvotes = 1, imported_downvotes = 1,
      edited_at = '2026-02-01T10:00:00Z', active_at = '2026-02-02T10:00:00Z'
      where title = 'Title of 1';
    update question set author_id = null, imported_author_name = 'Guest' where title = 'Duplicate';
    update question set excerpt = 'See that and it', excerpt_cut = true, active_at = '2026-01-05T10:00:00Z'
      where title = 'Own question';
    -- A placeholder has nothing of the deleted reply.
    update base_reply set author_id = null, imported_author_name = 'Former member', deleted_at = created_at
      where deleted_at is not null;
    update answer set author_id = null, imported_author_name = 'Guest' where source_key is not null;
    update reply set author_id = null, imported_author_name = 'Guest', upvotes = 3, imported_upvotes = 2, downvotes = 1,
      imported_downvotes = 1, edited_at = '2026-02-02T10:00:00Z' where content = 'Comment 1';
    insert into vote (member_id, reply_id, direction, created_at)
      select member.id, reply.id, 'up', '2026-02-03T10:00:00Z' from member, reply
      where display_name = 'Ben' and content = 'Comment 1';
    insert into upload_reference (upload_id, question_id, answer_id, reply_id)
      select upload.id, null::bigint, answer.id, null::bigint from upload, answer where upload.kind = 'picture' and edited_at is not null
      union all select upload.id, null, null, reply.id from upload, reply where upload.kind = 'picture' and content like 'Below%';
    update answer set content = content || '![it](/uploads/${pictureName}/40x30.webp)' where edited_at is not null;
    update reply set content = content || '![it](/uploads/${pictureName}/40x30.webp)' where content like 'Below%';
    insert into imported_badge (member_id, source_id, source_key, name, class, is_tag_based, awards, first_at, last_at)
      select id, source_id, source_key, 'beer', 'gold', true, 2, '2016-01-01', '2017-01-01' from member
      where display_name = 'Member 1';
    insert into imported_identity (member_id, issuer, subject)
      select id, 'https://accounts.example.org', '1234' from member where display_name = 'Member 1';
    insert into imported_wiki (question_id, since) select id, '2018-01-01' from question where title = 'Title of 1';
    insert into imported_wiki (answer_id, since) select id, '2018-01-02' from answer where source_key is not null;
    insert into imported_bounty (question_id, amount, day) select id, 50, '2018-02-01' from question where title = 'Title of 1';
    insert into imported_bounty (answer_id, amount, day) select id, 100, '2018-02-02' from answer where source_key is not null;
    insert into question_closing (question_id, reason, closed_at)
      select id, 'off-topic', '2018-03-01' from question where title = 'Title of 1';
    insert into question_closer (question_id, member_id)
      select question.id, member.id from question, member
      where title in ('Title of 1', 'Duplicate') and display_name in ('Member 1', 'Member 2');
    update tag set description = 'Brewed', about = 'All about beer' where key = 'beer';
    insert into imported_tag_text (tag_id, kind, source_id, source_key, path, license, content_hash)
      select tag.id, 'about', import_source.id, '95', 'tags/beer/info', 'CC BY-SA 4.0', md5('All about beer')::uuid
      from tag, import_source where key = 'beer';
    insert into imported_redirect (source_id, address, kind, target_id, run_id)
      select source.id, '/old/1', 'question', question.id, (select min(id) from import_run)
      from import_source source, question where title = 'Title of 1';
    insert into revision (question_id, number, title, content, tags, created_at, replaced_at, is_imported,
      imported_editor_id, imported_approver_id, imported_summary)
      select question.id, 1, 'Earlier', 'Earlier text', array['beer'], '2015-01-01', '2016-01-01', true, member.id,
        question.author_id, 'Typo'
      from question, member where title = 'Title of 1' and display_name = 'Member 2';
    insert into revision (reply_id, number, content, created_at, replaced_at, is_imported, imported_editor_name)
      select id, 1, 'Earlier comment', '2015-01-01', '2016-01-01', true, 'Guest' from reply where content = 'Comment 1';
    update tag set followers_count = (select count(*) from tag_follow where tag_id = tag.id),
      questions_count = (select count(*) from question_tag where tag_id = tag.id),
      active_at = (
        select max(greatest(question.created_at, answer.created_at)) from question_tag join question on question.id = question_id
        left join answer on answer.question_id = question.id where tag_id = tag.id);
    update question set answer_count = (select count(*) from answer where question_id = question.id);
    update member set questions_count = (select count(*) from question where author_id = member.id),
      answers_count = (select count(*) from answer where author_id = member.id)`);
  return community;
}

it('lists only tables and columns that exist', async () => {
  expect(await listUnknownNames(await createTestCommunity())).toEqual([]);
});

it('keeps every column of every table, or lists it with the reason', async () => {
  const community = await createFullCommunity();
  const empty: string[] = [];
  for (const { table, name, default: value } of await listMovedColumns(community)) {
    const found = await community.rows(
      `select from "${table}" where "${name}" is distinct from ${value} limit 1`,
    );
    if (found.length === 0) empty.push(`${table}.${name}`);
  }
  // Otherwise the comparison below could not find a column that the export leaves out.
  expect(empty).toEqual([]);
  const before = await readMovedTables(community);
  const directory = await exportTo(community, true);
  const other = await createTestCommunity();
  expect(await importFrom(other, directory)).toMatchObject({ isMove: true });
  expect(await readMovedTables(other)).toEqual(before);
  await expectCountsToEqualRows(other);
});
