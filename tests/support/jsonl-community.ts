import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  type TestCommunity,
  userRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { exportCommunity } from '#server/import-export/export.ts';
import { importJsonLines, type LineImportOptions } from '#server/import-export/jsonl-import.ts';

export const origin = 'https://ask.example.org';
export const pictureName = 'aaaaaaaaaaaaaaaaaaaaaa';
export const avatarName = 'bbbbbbbbbbbbbbbbbbbbbb';

export async function newDirectory(): Promise<string> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-jsonl-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return path.join(parent, 'files');
}

export async function exportTo(community: TestCommunity, withPrivateData: boolean): Promise<string> {
  const directory = await newDirectory();
  await exportCommunity({
    directory,
    client: community.client,
    format: 'jsonl',
    withPrivateData,
    license: 'CC BY-SA 4.0',
    origin,
  });
  return directory;
}

export const importFrom = (
  community: TestCommunity,
  directory: string,
  options: Partial<LineImportOptions> = {},
) => importJsonLines({ directory, client: community.client, ...options });

export const importByHand = (
  community: TestCommunity,
  directory: string,
  options: Partial<LineImportOptions> = {},
) =>
  importFrom(community, directory, { site: 'https://forum.example.org', license: 'CC BY 4.0', ...options });

export async function readRows(directory: string, kind: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path.join(directory, `${kind}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export async function expectCountsToEqualRows(community: TestCommunity): Promise<void> {
  expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
}

/** A community with everything that an export has: imported and own posts, nested replies, votes of members, versions. */
export async function createCommunity(): Promise<TestCommunity> {
  const community = await createTestCommunity();
  await community.import(
    await writeArchive({
      Users: [userRow(1), userRow(2, { AboutMe: '<p>I <em>brew</em>.</p>' })],
      Posts: [
        questionRow(1, { Tags: '|beer|c++|', AcceptedAnswerId: 2 }),
        answerRow(2, 1),
        questionRow(3, { Title: 'Duplicate', Tags: '|beer|' }),
      ],
      Comments: [commentRow(1, 1), commentRow(2, 2)],
      Votes: [voteRow(1, 1, 2), voteRow(2, 2, 3), voteRow(3, 2, 2)],
    }),
  );
  const file = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .webp()
    .toBuffer();
  const avatar = await sharp({ create: { width: 256, height: 256, channels: 3, background: 'blue' } })
    .webp()
    .toBuffer();
  await community.rows(`
    insert into member (display_name, email, bio, role) values
      ('Ada', 'ada@example.org', 'I *brew*.', 'moderator'), ('Ben', 'ben@example.org', null, 'member');
    insert into tag (name, key, description, about) values ('CSS', 'css', 'Style  sheets', 'All of **CSS**.');
    insert into tag (name, key, synonym_of) select 'stylesheet', 'stylesheet', id from tag where key = 'css';
    insert into question (author_id, title, content, excerpt, excerpt_cut, views, imported_views, created_at, active_at, tag_text)
      select id, 'Own question', E'See [that](/question/' || (select min(id) from question) || ') and ![it](/uploads/${pictureName}/40x30.webp)\n',
        'See that', false, 3, 3, '2026-01-01T10:00:00.123Z', '2026-01-02T10:00:00Z', 'CSS'
      from member where display_name = 'Ada';
    insert into question_tag (question_id, tag_id, position, question_created_at)
      select question.id, tag.id, 0, question.created_at from question, tag where title = 'Own question' and key = 'css';
    insert into answer (question_id, author_id, content, created_at, edited_at)
      select question.id, member.id, E'Tab\\there, \\\\ backslash and 👩‍👩‍👧‍👦', '2026-01-02T10:00:00Z', '2026-01-03T10:00:00Z'
      from question, member where title = 'Own question' and display_name = 'Ben';
    insert into revision (answer_id, number, content, created_at, replaced_at)
      select id, 1, 'Before.', created_at, edited_at from answer where edited_at is not null;
    insert into reply (question_id, answer_id, level, author_id, content, deleted_at, created_at, updated_at)
      select question_id, answer.id, 0, member.id, '', '2026-01-04T10:00:00Z', '2026-01-03T10:00:00Z', '2026-01-03T10:00:00Z'
      from answer, member where edited_at is not null and display_name = 'Ben';
    insert into reply (question_id, answer_id, parent_reply_id, level, author_id, content, created_at, updated_at)
      select question_id, answer_id, id, 1, author_id, 'Below a deleted reply', '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z'
      from reply where deleted_at is not null;
    insert into vote (member_id, answer_id, direction, created_at)
      select member.id, answer.id, 'up', '2026-01-05T10:00:00.5Z' from member, answer where display_name = 'Ada';
    insert into vote (member_id, question_id, direction, created_at)
      select author_id, id, 'up', '2026-01-07T10:00:00.5Z' from question where title = 'Own question';
    insert into vote (member_id, question_id, direction, created_at)
      select member.id, question.id, 'down', '2026-01-06T10:00:00.5Z' from member, question
      where display_name = 'Ben' and title = 'Own question';
    update answer set upvotes = upvotes + 1;
    update question set upvotes = upvotes + 1, downvotes = downvotes + 1, lock_reason = 'Settled.' where title = 'Own question';
    update question set duplicate_of = (select min(id) from question) where title = 'Duplicate';
    insert into question_follow (question_id, member_id, question_created_at)
      select question.id, member.id, question.created_at from question, member where display_name = 'Ben';
    insert into tag_follow (tag_id, member_id) select tag.id, member.id from tag, member where key = 'css' and display_name = 'Ada';
    insert into bookmark (member_id, question_id, answer_id, note)
      select member.id, question_id, answer.id, 'Read it' from member, answer where display_name = 'Ada' and edited_at is not null;`);
  await community.client.query(
    `with stored as (
       insert into upload (name, member_id, kind, content_hash, width, height, bytes)
       select name, id, kind, sha256(name::bytea), width, height, 100
       from member, (values ($1, 'picture', 40, 30), ($3, 'avatar', 256, 256)) file (name, kind, width, height)
       where display_name = 'Ada' returning *),
     files as (
       insert into upload_file select id, width, height, case kind when 'avatar' then $4::bytea else $2::bytea end from stored
       union all select id, 64, 64, $4::bytea from stored where kind = 'avatar'),
     shown as (update member set avatar = $3 where display_name = 'Ada')
     insert into upload_reference (upload_id, question_id)
     select stored.id, question.id from stored, question where kind = 'picture' and title = 'Own question'`,
    [pictureName, file, avatarName, avatar],
  );
  return community;
}

/** All rows of an export without what must differ: ids of members, what only roles and unsorted files show. */
export async function comparable(directory: string): Promise<Record<string, unknown>> {
  const members = new Map((await readRows(directory, 'members')).map(({ id, name }) => [id, name]));
  const state: Record<string, unknown> = {};
  for (const file of (await readdir(directory)).filter((each) => each.endsWith('.jsonl')).toSorted()) {
    const rows = await readRows(directory, file.replace('.jsonl', ''));
    state[file] = rows
      .map(({ authorId, memberId, ...row }) => ({
        ...row,
        role: undefined,
        ...(authorId !== undefined && { author: members.get(authorId) }),
        ...(memberId !== undefined && { member: members.get(memberId) }),
        ...(['members.jsonl', 'tags.jsonl'].includes(file) && { id: 0 }),
        ...(file === 'members.jsonl' && { emailVerified: undefined }),
      }))
      .map((row) => JSON.stringify(row))
      .toSorted();
  }
  return state;
}
