import { projectRoot } from '#server/core/paths.ts';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { importStackExchange, type ImportSummary } from '#server/import-export/stack-exchange-import.ts';
import {
  createTestCommunity,
  type TestCommunity,
  setupTestDatabase,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

/** Real archives next to the checkout, on machines that have them. They are not part of the repository. */
const shared = path.join(projectRoot, '../shared');
const archives = path.join(shared, 'data');
const present = existsSync(path.join(archives, 'beer-2020'));
if (!present)
  console.warn(`NOT RUN: the tests with real archives, because ${archives} does not contain any.`);

it('real archives exist where CI has the shared directory', () => {
  const needed = process.env['CI'] === 'true' && existsSync(shared);
  expect(present || !needed).toBe(true);
});

const timeout = 240_000;

describe.skipIf(!present).for([
  ['beer-2020', 'alcohol.stackexchange.com', 1029, 2277, 6863, 3509, 18564, 120],
  ['bioinformatics-2017', 'bioinformatics.stackexchange.com', 419, 801, 1379, 2158, 6034, 41],
] as const)('import of %s', ([name, site, questions, answers, users, comments, votes, tagTexts]) => {
  it('has every count of the archive', { timeout }, async () => {
    const community = await createTestCommunity();
    const summary = await importReal(community, name);
    expect(summary).toMatchObject({
      site,
      added: { questions, answers, members: users, replies: comments, tagTexts },
    });
    expect(summary.files.find(({ file }) => file === 'Votes.xml')?.read).toBe(votes);

    const original = await read(name);
    expect(await importedPosts(community)).toEqual(original.posts);
    expect(await importedTags(community)).toEqual(original.tags);
    expect(await importedUsers(community)).toEqual(original.users);
    await expectCountsToEqualRows(community);
    expect(await community.rows(`select * from question where content ~ 'archive-site\\.invalid'`)).toEqual(
      [],
    );
  });
});

describe.skipIf(!present)('import of other real archives', () => {
  it('imports as much as possible of an archive that was cut by hand', { timeout }, async () => {
    const community = await createTestCommunity();
    const { added, files } = await importReal(community, 'truncated-diy-meta', 'diy.meta.stackexchange.com');
    expect(added).toMatchObject({ questions: 6, answers: 16, members: 10, replies: 10 });
    expect(files.map(({ file, read }) => [file, read])).toEqual([
      ['Users.xml', 10],
      ['PostHistory.xml', 20],
      ['Posts.xml', 22],
      ['Comments.xml', 13],
      ['Votes.xml', 3270],
      ['Tags.xml', 84],
      ['Badges.xml', 18],
      ['PostLinks.xml', 104],
    ]);
    await expectCountsToEqualRows(community);
  });

  it('rejects an archive with a truncated file, and stores nothing of it', { timeout }, async () => {
    const community = await createTestCommunity();
    const parent = await mkdtemp(path.join(tmpdir(), 'parley-archive-'));
    onTestFinished(() => rm(parent, { recursive: true }));
    const directory = path.join(parent, 'conlang.meta.stackexchange.com');
    await cp(path.join(archives, 'conlang-meta-2020'), directory, { recursive: true });
    const comments = path.join(directory, 'Comments.xml');
    await truncate(comments, Math.floor((await stat(comments)).size / 2));
    const before = await community.digest();
    await expect(importStackExchange({ directory, client: community.client })).rejects.toThrow(
      /^Comments\.xml, line \d+: the file is damaged or cut off /u,
    );
    expect(await community.digest()).toEqual(before);
  });

  it(
    'imports the old format, with lower-case names and without files of tags and links',
    { timeout },
    async () => {
      const community = await createTestCommunity();
      const { site, added } = await importReal(community, 'economics-2012-legacy');
      expect(site).toBe('economics.stackexchange.com');
      expect(added).toMatchObject({ questions: 411, answers: 525, members: 922, replies: 1392 });
      await expectCountsToEqualRows(community);
    },
  );

  it(
    'imports the newest format, with posts only and other separators between tags',
    { timeout },
    async () => {
      const community = await createTestCommunity();
      const { site, added } = await importReal(community, 'datascience-meta-2024-posts-pipetags');
      expect(site).toBe('datascience.meta.stackexchange.com');
      expect(added).toMatchObject({ questions: 257, answers: 341, members: 0 });
      expect(await community.rows(`select name from tag where name ~ '[|<>]'`)).toEqual([]);
      expect(
        await community.rows(
          'select from question where exists (select from question_tag where question_id = id)',
        ),
      ).toHaveLength(257);
      await expectCountsToEqualRows(community);
    },
  );

  it(
    'imports the first days of Stack Overflow, with the accepted answers that exist',
    { timeout },
    async () => {
      const community = await createTestCommunity();
      const { site, added, remarks } = await importReal(community, 'stackoverflow-2008-posts-head');
      expect(site).toBe('stackoverflow.com');
      expect(added).toMatchObject({ questions: 173, answers: 447 });
      expect(remarks).toContain('38 questions have an accepted answer that is not in the archive');
      expect(await community.rows('select from question where accepted_answer_id is not null')).toHaveLength(
        111,
      );
      await expectCountsToEqualRows(community);
    },
  );
});

function importReal(community: TestCommunity, name: string, site?: string): Promise<ImportSummary> {
  return importStackExchange({
    directory: path.join(archives, name),
    client: community.client,
    ...(site !== undefined && { site }),
  });
}

type Post = Record<string, string | number | null>;

/** Reads an archive independently of the import: by the counts in its own rows. */
async function read(name: string): Promise<{ posts: Post[]; tags: Post[]; users: Post[] }> {
  const postRows = (await rowsOf(name, 'Posts')).filter(
    ({ PostTypeId }) => PostTypeId === '1' || PostTypeId === '2',
  );
  const answers = new Set(postRows.filter((row) => row['PostTypeId'] === '2').map((row) => row['Id']));
  const posts = postRows.map((row) => {
    const isQuestion = row['PostTypeId'] === '1';
    const accepted = row['AcceptedAnswerId'];
    return {
      id: Number(row['Id']),
      parent: isQuestion ? null : Number(row['ParentId']),
      author: row['OwnerUserId'] ?? null,
      score: Number(row['Score']),
      comments: Number(row['CommentCount'] ?? 0),
      created: `${row['CreationDate']}Z`,
      title: isQuestion
        ? decoded(row['Title'] ?? '')
            .replace(/\s+/gu, ' ')
            .trim()
        : null,
      views: isQuestion ? Number(row['ViewCount']) : null,
      answers: isQuestion ? Number(row['AnswerCount'] ?? 0) : null,
      favorites: isQuestion ? Number(row['FavoriteCount'] ?? 0) : null,
      accepted: isQuestion && accepted !== undefined && answers.has(accepted) ? accepted : null,
      tags: isQuestion
        ? decoded(row['Tags'] ?? '')
            .replace(/[<>]+/gu, ' ')
            .trim()
        : null,
    };
  });
  const tags = (await rowsOf(name, 'Tags'))
    .filter((row) => row['Count'] !== '0')
    .map((row) => ({ name: row['TagName'] ?? '', questions: Number(row['Count']) }));
  const users = (await rowsOf(name, 'Users')).map((row) => ({
    id: Number(row['Id']),
    name: decoded(row['DisplayName'] ?? '')
      .replace(/\s+/gu, ' ')
      .trim(),
    reputation: Number(row['Reputation']),
    created: `${row['CreationDate']}Z`,
  }));
  return {
    posts: posts.toSorted((one, other) => one.id - other.id),
    tags: tags.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    users: users.toSorted((one, other) => one.id - other.id),
  };
}

async function rowsOf(name: string, file: string): Promise<Record<string, string>[]> {
  const directory = path.join(archives, name);
  const fileName = [`${file}.xml`, `${file.toLowerCase()}.xml`].find((candidate) =>
    existsSync(path.join(directory, candidate)),
  );
  if (fileName === undefined) return [];
  const text = await readFile(path.join(directory, fileName), 'utf8');
  return Array.from(text.matchAll(/<row ([^\n]*)\/>/gu), ([, row = '']) =>
    Object.fromEntries(
      Array.from(row.matchAll(/(\w+)="([^"]*)"/gu), ([, key = '', value = '']) => [key, value]),
    ),
  );
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

async function importedPosts(community: TestCommunity): Promise<Record<string, unknown>[]> {
  return community.rows(`
    select q.source_key::int as id, null::int as parent, m.source_key as author,
      (q.upvotes - q.downvotes)::int as score,
      (select count(*) from reply where question_id = q.id and answer_id is null)::int as comments,
      ${utc('q.created_at')} as created, q.title, q.views::int, q.answer_count::int as answers,
      (select count(*) from question_follow where question_id = q.id)::int as favorites,
      (select source_key from answer where id = q.accepted_answer_id) as accepted,
      (select string_agg(tag.name, ' ' order by position) from question_tag join tag on tag.id = tag_id
        where question_id = q.id) as tags
    from question q left join member m on m.id = q.author_id
    union all
    select a.source_key::int, q.source_key::int, m.source_key, (a.upvotes - a.downvotes)::int,
      (select count(*) from reply where answer_id = a.id)::int, ${utc('a.created_at')},
      null, null, null, null, null, null
    from answer a join question q on q.id = a.question_id left join member m on m.id = a.author_id
    order by id`);
}

function importedTags(community: TestCommunity): Promise<Record<string, unknown>[]> {
  return community.rows(
    'select name, questions_count::int as questions from tag where questions_count > 0 order by name collate "C"',
  );
}

function importedUsers(community: TestCommunity): Promise<Record<string, unknown>[]> {
  return community.rows(`
    select source_key::int as id, display_name as name, reputation::int, ${utc('created_at')} as created
    from member order by id`);
}

/** docs/product.md 7.6: every count equals its rows; votes without rows are the imported ones. */
async function expectCountsToEqualRows(community: TestCommunity): Promise<void> {
  const wrong = await community.rows(`
    select 'question' as item, id from question q where
      answer_count <> (select count(*) from answer where question_id = q.id)
      or upvotes <> imported_upvotes or downvotes <> imported_downvotes or views <> imported_views
    union all select 'answer', id from answer where upvotes <> imported_upvotes or downvotes <> imported_downvotes
    union all select 'reply', id from reply where upvotes <> imported_upvotes or downvotes <> imported_downvotes
    union all select 'tag', id from tag t
      where questions_count <> (select count(*) from question_tag where tag_id = t.id)
    union all select 'member', id from member m where
      questions_count <> (select count(*) from question where author_id = m.id)
      or answers_count <> (select count(*) from answer where author_id = m.id)
      or reputation <> imported_reputation`);
  expect(wrong).toEqual([]);
}
