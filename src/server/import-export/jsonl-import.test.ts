import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import {
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  versionRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { limits } from '#shared/core/limits.ts';
import { writeJsonLines } from '#tests/support/json-lines.ts';
import { undoImport } from './import-undo.ts';
import { importJsonLines } from './jsonl-import.ts';
import {
  pictureName,
  avatarName,
  newDirectory,
  exportTo,
  importFrom,
  importByHand,
  readRows,
  expectCountsToEqualRows,
  createCommunity,
  comparable,
} from '#tests/support/jsonl-community.ts';

setupTestDatabase();

it('reads an export with private data back: all rows, texts, times and ids of posts are equal', async () => {
  const before = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  const summary = await importFrom(other, before);
  expect(summary).toMatchObject({
    isMove: true,
    added: {
      questions: 3,
      answers: 2,
      replies: 4,
      votes: 4,
      revisions: 1,
      bookmarks: 1,
      follows: 4,
      pictures: 2,
    },
  });
  await expectCountsToEqualRows(other);
  const after = await exportTo(other, true);
  expect(await comparable(after)).toEqual(await comparable(before));
  expect(await readdir(path.join(after, 'pictures', avatarName))).toEqual(['256x256.webp', '64x64.webp']);
  expect(await readdir(path.join(after, 'pictures', pictureName))).toEqual(['40x30.webp']);
  // No member gets a password, a confirmed address or a role.
  expect(
    await other.rows(`
      select display_name, email, email_verified, role, (select count(*)::int from account) as passwords
      from member where email is not null order by display_name`),
  ).toEqual([
    { display_name: 'Ada', email: 'ada@example.org', email_verified: false, role: 'member', passwords: 0 },
    { display_name: 'Ben', email: 'ben@example.org', email_verified: false, role: 'member', passwords: 0 },
  ]);
});

it('reads an export without private data back: all rows are equal, but votes have become numbers', async () => {
  const before = await exportTo(await createCommunity(), false);
  const other = await createTestCommunity();
  await importFrom(other, before);
  await expectCountsToEqualRows(other);
  const after = await exportTo(other, false);
  const withoutVotes = async (directory: string) => {
    const { 'votes.jsonl': _, ...state } = await comparable(directory);
    return JSON.parse(
      JSON.stringify(state).replaceAll(/,\\"imported(?:Up|Down)votes\\":\d+/gu, ''),
    ) as unknown;
  };
  expect(await withoutVotes(after)).toEqual(await withoutVotes(before));
  expect(await readRows(after, 'votes')).toEqual([]);
  expect(await other.rows('select email from member where email is not null')).toEqual([]);
  // The next question of a member gets a higher id.
  const [{ next } = {}] = await other.rows(
    `select nextval(pg_get_serial_sequence('base_question', 'id')) > max(id) as next from question`,
  );
  expect(next).toBe(true);
});

it('adds nothing when it runs again, and only new rows of a newer export', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  await importFrom(other, directory);
  const before = await other.everything();
  const again = await importFrom(other, directory);
  expect(again).toMatchObject({ isUnchanged: true, isMove: false });
  for (const file of again.files)
    expect({ file: file.file, imported: file.imported }).toEqual({ file: file.file, imported: 0 });
  expect(await other.everything()).toEqual(before);

  const newer = path.join(await newDirectory(), 'newer');
  await cp(directory, newer, { recursive: true });
  const [first] = await readRows(newer, 'questions');
  await writeFile(
    path.join(newer, 'answers.jsonl'),
    `${await readFile(path.join(newer, 'answers.jsonl'), 'utf8')}${JSON.stringify({ id: 900_000, questionId: first?.['id'], content: 'A newer answer' })}\n`,
  );
  expect(await importFrom(other, newer)).toMatchObject({ added: { questions: 0, answers: 1, members: 0 } });
  expect(
    await other.rows(`select imported_author_name, source_id from answer where content = 'A newer answer'`),
  ).toEqual([{ imported_author_name: 'Former member', source_id: null }]);
  await expectCountsToEqualRows(other);
});

it('gives the posts new ids and a source in a community that has posts, and rewrites links between them', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  const own = await writeJsonLines({ questions: [{ id: 1, title: 'Here', content: 'Text' }] });
  await importFrom(other, own, { site: 'old.example.org' });
  await other.rows(`insert into member (display_name, email) values ('Ada here', 'ada@example.org')`);
  expect(await importFrom(other, directory)).toMatchObject({ isMove: false, added: { questions: 3 } });
  const [question] = await other.rows(`
    select content, site, source_key, source_license, (select min(id) from question where title <> 'Here') as linked
    from question join import_source on import_source.id = source_id where title = 'Own question'`);
  const exported = (await readRows(directory, 'questions')).find(({ title }) => title === 'Own question');
  expect(question).toMatchObject({
    site: 'ask.example.org',
    source_key: `question/${String(exported?.['id'])}`,
    source_license: 'CC BY-SA 4.0',
  });
  expect(question?.['content']).toContain(`[that](/question/${String(question?.['linked'])})`);
  // Posts that had a source keep it; an address that an account here has stays with it.
  expect(
    await other.rows(
      `select site from question join import_source on import_source.id = source_id where title = 'Title of 1'`,
    ),
  ).toEqual([{ site: 'beer.stackexchange.com' }]);
  expect(await other.rows(`select display_name from member where email = 'ada@example.org'`)).toEqual([
    { display_name: 'Ada here' },
  ]);
  await expectCountsToEqualRows(other);
});

it('shows email addresses and suspends members only if a community moves where it was so', async () => {
  const shown = (community: TestCommunity) =>
    community.rows(
      'select display_name, show_email, suspended_until from member where email is not null order by display_name',
    );
  const source = await createCommunity();
  await source.rows(`
    update member set show_email = false, suspended_until = '2090-01-01T00:00:00Z', suspension_reason = 'Spam.'
    where display_name = 'Ben'`);
  const exported = await exportTo(source, true);
  const forum = await writeJsonLines({
    members: [{ id: 1, name: 'Cy', email: 'cy@example.org', showEmail: true, suspendedUntil: '2090-01-01' }],
    questions: [{ id: 1, title: 'T', content: 'C' }],
  });
  const moved = await createTestCommunity();
  await importFrom(moved, exported);
  expect(await shown(moved)).toEqual([
    { display_name: 'Ada', show_email: true, suspended_until: null },
    { display_name: 'Ben', show_email: false, suspended_until: new Date('2090-01-01') },
  ]);
  const other = await createTestCommunity();
  await importByHand(other, forum);
  await importFrom(other, exported);
  expect(await shown(other)).toEqual([
    { display_name: 'Ada', show_email: false, suspended_until: null },
    { display_name: 'Ben', show_email: false, suspended_until: null },
    { display_name: 'Cy', show_email: false, suspended_until: null },
  ]);
});

const writeLinks = () =>
  writeJsonLines({
    members: [
      { id: 1, name: 'Ada', bio: 'Friend of [@Ben](/profile/2)' },
      { id: 2, name: 'Ben' },
    ],
    questions: [
      {
        id: 7,
        title: 'T',
        content:
          '[@Ada](/profile/1) [@Gone](/profile/9) [it](/question/7/t) [hidden](/question/77#answer-3) [tag](</tags/a b>) ' +
          '[other](//other.example.org/profile/1) `[@Ada](/profile/1)` ![it](/uploads/a/1x1.webp) [@Ben]\n\n' +
          '[@Ben]: https://forum.example.org/profile/2',
      },
    ],
    revisions: [
      {
        post: 'question',
        postId: 7,
        number: 1,
        title: 'T',
        content: '[@Ada](/profile/1)',
        createdAt: '2020-01-01',
      },
    ],
    tags: [{ name: 'beer', about: 'Ask [@Ada](/profile/1)' }],
  });

const readLinks = async (community: TestCommunity) => {
  const rows = await community.rows(`
    select question.id as q, question.content, revision.content as revision,
      ada.bio, ada.id as ada, ben.id as ben, tag.about
    from revision join question on question.id = question_id, member ada, member ben, tag
    where ada.display_name = 'Ada' and ben.display_name = 'Ben'`);
  return rows[0] as Record<'q' | 'content' | 'revision' | 'bio' | 'ada' | 'ben' | 'about', string>;
};

it('rewrites mentions and links to posts and members of the files, and makes other links of the site absolute', async () => {
  const community = await createTestCommunity();
  await importFrom(
    community,
    await writeJsonLines({ questions: [{ id: 77, title: 'Here', content: 'C' }] }),
    {
      site: 'old.example.org',
    },
  );
  await community.rows(`insert into member (id, display_name) values (1, 'Here'), (9, 'Here too')`);
  await importByHand(community, await writeLinks());
  const { q, content, revision, bio, ada, ben, about } = await readLinks(community);
  expect(ada).not.toBe('1');
  expect(content).toBe(
    `[@Ada](/profile/${ada}) [@Gone](https://forum.example.org/profile/9) [it](/question/${q}) ` +
      '[hidden](https://forum.example.org/question/77#answer-3) [tag](<https://forum.example.org/tags/a b>) ' +
      '[other](//other.example.org/profile/1) `[@Ada](/profile/1)` ![it](/uploads/a/1x1.webp) [@Ben]\n\n' +
      `[@Ben]: /profile/${ben}`,
  );
  expect(revision).toBe(`[@Ada](/profile/${ada})`);
  expect(bio).toBe(`Friend of [@Ben](/profile/${ben})`);
  expect(about).toBe(`Ask [@Ada](/profile/${ada})`);
});

it('leaves a bio as it is that would be longer than allowed with absolute addresses', async () => {
  const community = await createTestCommunity();
  const here = { questions: [{ id: 77, title: 'Here', content: 'C' }] };
  await importFrom(community, await writeJsonLines(here), { site: 'old.example.org' });
  const bio = Array.from({ length: 900 }, () => `[a](/b) ${'x'.repeat(100)}`).join('\n\n');
  await importByHand(
    community,
    await writeJsonLines({
      members: [
        { id: 1, name: 'Long', bio },
        { id: 2, name: 'Short', bio: '[a](/b)' },
      ],
      questions: [],
    }),
  );
  expect(await community.rows('select display_name, bio from member order by display_name')).toEqual([
    { display_name: 'Long', bio },
    { display_name: 'Short', bio: '[a](https://forum.example.org/b)' },
  ]);
});

it('imports texts without visible characters, but not tags', async () => {
  const community = await createTestCommunity();
  const invisible = '\u200B';
  await importByHand(
    community,
    await writeJsonLines({
      questions: [{ id: 1, title: invisible, content: invisible, tags: [invisible, 'tea'] }],
      answers: [{ id: 1, questionId: 1, content: invisible }],
      tags: [{ name: invisible }],
    }),
  );
  expect(
    await community.rows(
      `select question.title, question.content, tag_text, answer.content as answer
       from question join answer on question_id = question.id`,
    ),
  ).toEqual([{ title: invisible, content: invisible, tag_text: 'tea', answer: invisible }]);
});

it('makes links absolute on the host of a forum whose address has a path', async () => {
  const community = await createTestCommunity();
  const here = { questions: [{ id: 77, title: 'Here', content: 'C' }] };
  await importFrom(community, await writeJsonLines(here), { site: 'old.example.org' });
  await importByHand(
    community,
    await writeJsonLines({ questions: [{ id: 1, title: 'T', content: '[a](/forum/t/1)' }] }),
    { site: 'https://example.org/forum' },
  );
  expect(await community.rows(`select content from question where title = 'T'`)).toEqual([
    { content: '[a](https://example.org/forum/t/1)' },
  ]);
});

it('rewrites mentions of members whose id an account has in the community that they move to', async () => {
  const community = await createTestCommunity();
  await community.rows(
    `insert into member (id, display_name, email) values (1, 'Admin', 'admin@example.org')`,
  );
  const directory = await writeLinks();
  const dryRun = await importByHand(community, directory, { dryRun: true });
  const summary = await importByHand(community, directory);
  expect(summary).toMatchObject({ isMove: true, remarks: dryRun.remarks });
  expect(summary.remarks.filter((remark) => remark.includes('link'))).toEqual([
    '1 links now lead to the imported posts and members, or to the old site',
  ]);
  const { q, content, revision, bio, ada, ben, about } = await readLinks(community);
  expect({ q, ben }).toEqual({ q: '7', ben: '2' });
  const [question] = await readRows(directory, 'questions');
  expect(content).toBe(String(question?.['content']).replace('/profile/1', `/profile/${ada}`));
  expect(revision).toBe(`[@Ada](/profile/${ada})`);
  expect(bio).toBe('Friend of [@Ben](/profile/2)');
  expect(about).toBe(`Ask [@Ada](/profile/${ada})`);
});

it('stores equal pictures of a member once, and shows them also in posts of a later import', async () => {
  const community = await createTestCommunity();
  const picture = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const names = ['a.png', 'b.png', 'of-ben.png', 'of-no-one.png', 'not-shown.png', 'ada.png', 'ben.png'];
  const write = async (count: number) => {
    const directory = await writeJsonLines({
      members: [
        { id: 1, name: 'Ada', avatar: 'ada.png' },
        { id: 2, name: 'Ben', avatar: 'ben.png' },
      ],
      pictures: names.map((name) => ({
        name,
        ...(/^[ab]\./u.test(name) && { memberId: 1 }),
        ...(name === 'of-ben.png' && { memberId: 2 }),
      })),
      questions: Array.from({ length: count }, (_, index) => ({
        id: index + 1,
        title: 'T',
        content: names
          .slice(0, 4)
          .map((name) => `![](pictures/${name})`)
          .join(' '),
      })),
    });
    await mkdir(path.join(directory, 'pictures'));
    for (const name of names) await writeFile(path.join(directory, 'pictures', name), picture);
    return directory;
  };
  const expectShown = async (questions: number) => {
    // Of 'a' and 'b', 'of-ben', and 'of-no-one'.
    expect(
      await community.rows(`
        select display_name, count(distinct upload.id)::int as pictures, count(upload_reference)::int as shown
        from upload left join member on member.id = member_id left join upload_reference on upload_id = upload.id
        where kind = 'picture' group by 1 order by 1`),
    ).toEqual(['Ada', 'Ben', null].map((name) => ({ display_name: name, pictures: 1, shown: questions })));
    expect(
      await community.rows(`
        select count(*)::int as links, count(upload.id)::int as stored from question
        cross join regexp_matches(content, '/uploads/([^/]+)/20x10.webp', 'g') link (names)
        left join upload on name = names[1]`),
    ).toEqual([{ links: 4 * questions, stored: 4 * questions }]);
  };
  const { files } = await importByHand(community, await write(1));
  expect(files.find(({ file }) => file === 'pictures.jsonl')).toMatchObject({
    imported: 5,
    skipped: [{ reason: 'the same file as another picture', rows: 2 }],
  });
  await expectShown(1);
  expect((await community.rows('select distinct avatar from member where avatar is not null')).length).toBe(
    2,
  );
  expect(await importByHand(community, await write(1))).toMatchObject({ isUnchanged: true });
  expect(await importByHand(community, await write(2))).toMatchObject({
    added: { questions: 1, pictures: 0 },
  });
  await expectShown(2);
});

it('leaves out pictures that are missing in an export, and those of a member who has the same file here', async () => {
  const directory = await exportTo(await createCommunity(), true);
  await rm(path.join(directory, 'pictures', avatarName), { recursive: true });
  // Two files whose pixels were equal.
  const twin = 'cccccccccccccccccccccc';
  await cp(path.join(directory, 'pictures', pictureName), path.join(directory, 'pictures', twin), {
    recursive: true,
  });
  const pictures = await readRows(directory, 'pictures');
  const shown = pictures.find(({ name }) => name === pictureName);
  const questions = await readRows(directory, 'questions');
  const lines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeFile(
    path.join(directory, 'pictures.jsonl'),
    lines([...pictures, { ...shown, name: twin }, { ...shown, name: twin }]),
  );
  await writeFile(
    path.join(directory, 'questions.jsonl'),
    lines([...questions, { id: 9000, title: 'Twin', content: `![](/uploads/${twin}/40x30.webp)` }]),
  );
  const other = await createTestCommunity();
  const { files } = await importFrom(other, directory);
  expect(files.find(({ file: name }) => name === 'pictures.jsonl')).toMatchObject({
    imported: 2,
    skipped: [
      { reason: 'the file is missing', rows: 1 },
      { reason: 'the same file as another picture', rows: 1 },
    ],
  });
  expect(
    await other.rows(`
      select name, member_id is not null as owned, (select count(*)::int from upload_file where upload_id = upload.id) as files,
        (select count(*)::int from upload_reference where upload_id = upload.id) as shown
      from upload order by name`),
  ).toEqual([
    { name: pictureName, owned: true, files: 1, shown: 1 },
    { name: twin, owned: false, files: 1, shown: 1 },
  ]);
});

it('leaves out links that lead out of the pictures, directories, pipes, and files that are too large', async () => {
  const names = [
    'own.png',
    'link.png',
    'out.png',
    'outer/out.png',
    'zero.png',
    'pipe.png',
    'folder',
    'large.png',
  ];
  const directory = await writeJsonLines({
    pictures: names.map((name) => ({ name })),
    questions: [{ id: 1, title: 'T', content: names.map((name) => `![](pictures/${name})`).join(' ') }],
  });
  const draw = (width: number) =>
    sharp({ create: { width, height: 10, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
  const pictures = path.join(directory, 'pictures');
  // Its name starts like that of the directory of the pictures.
  const outer = path.join(directory, 'pictures-outside');
  for (const each of [pictures, outer, path.join(pictures, 'folder')]) await mkdir(each);
  await writeFile(path.join(outer, 'out.png'), await draw(30));
  await writeFile(path.join(pictures, 'own.png'), await draw(20));
  await symlink('own.png', path.join(pictures, 'link.png'));
  await symlink(path.join(outer, 'out.png'), path.join(pictures, 'out.png'));
  await symlink(outer, path.join(pictures, 'outer'));
  await symlink('/dev/zero', path.join(pictures, 'zero.png'));
  execFileSync('mkfifo', [path.join(pictures, 'pipe.png')]);
  await writeFile(path.join(pictures, 'large.png'), '');
  await truncate(path.join(pictures, 'large.png'), limits.uploadBytes + 1);
  const community = await createTestCommunity();
  const { files } = await importByHand(community, directory);
  expect(files.find(({ file }) => file === 'pictures.jsonl')).toMatchObject({
    imported: 1,
    skipped: [
      { reason: 'the same file as another picture', rows: 1 },
      { reason: 'a link that leads out of pictures/', rows: 3 },
      { reason: 'not a file', rows: 2 },
      { reason: 'larger than 10 MB', rows: 1 },
    ],
  });
  expect(await community.rows('select width from upload')).toEqual([{ width: 20 }]);
});

it('reads back the export of posts with long addresses', async () => {
  const community = await createTestCommunity();
  const own = await writeJsonLines({ questions: [{ id: 1, title: 'Here', content: 'C' }] });
  await importFrom(community, own, { site: 'old.example.org' });
  const url = `https://forum.example.org/${encodeURIComponent('発酵'.repeat(80))}`;
  const questions = [{ id: 7, title: 'T', content: 'C', url }];
  await importByHand(community, await writeJsonLines({ questions }));
  const exported = await exportTo(community, true);
  const other = await createTestCommunity();
  expect(await importFrom(other, exported)).toMatchObject({ added: { questions: 2 } });
  const tooLong = [{ id: 7, title: 'T', content: 'C', url: `https://forum.example.org/${'発'.repeat(700)}` }];
  await expect(importByHand(other, await writeJsonLines({ questions: tooLong }))).rejects.toThrow(
    'questions.jsonl, line 1: url: has more than 2000 bytes.',
  );
});

it('recognizes the posts of a forum in its files and in an export of another community, in any order', async () => {
  const forum = {
    members: [{ id: 3, name: 'Ada', url: 'https://forum.example.org/u/ada' }],
    questions: [
      { id: 7, title: 'With a page', content: 'C', authorId: 3, url: 'https://forum.example.org/t/7' },
      { id: 8, title: 'Without', content: 'C' },
    ],
    answers: [{ id: 9, questionId: 8, content: 'C' }],
    replies: [{ id: 10, questionId: 8, answerId: 9, content: 'C' }],
  };
  const addOwn = async () => {
    const community = await createTestCommunity();
    const questions = [{ id: 1, title: 'Here', content: 'C' }];
    await importFrom(community, await writeJsonLines({ questions }), { site: 'old.example.org' });
    return community;
  };
  const count = async (community: TestCommunity) =>
    community.rows(`
      select (select count(*)::int from question) as questions, (select count(*)::int from answer) as answers,
        (select count(*)::int from reply) as replies, (select count(*)::int from member) as members`);
  const files = await writeJsonLines(forum);
  const first = await addOwn();
  await importByHand(first, files);
  const exported = await exportTo(first, true);

  const second = await addOwn();
  await importByHand(second, files);
  expect(await importFrom(second, exported)).toMatchObject({
    added: { questions: 1, answers: 0, members: 0 },
  });
  expect(await count(second)).toEqual([{ questions: 4, answers: 1, replies: 1, members: 1 }]);

  const third = await addOwn();
  await importFrom(third, exported);
  expect(await importByHand(third, files)).toMatchObject({ isUnchanged: true });
  expect(await count(third)).toEqual([{ questions: 4, answers: 1, replies: 1, members: 1 }]);
  await expectCountsToEqualRows(third);
});

it('does not restore follows and bookmarks that members with an account removed', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  await importFrom(other, directory);
  await other.rows('delete from question_follow; delete from tag_follow; delete from bookmark');
  await other.rows('update tag set followers_count = 0');
  expect(await importFrom(other, directory)).toMatchObject({ isUnchanged: true });
});

const question = { id: 1, title: 'There', content: 'Text', authorName: 'Cat' };
const writeHere = (community: TestCommunity) =>
  community.rows(`
    insert into question (title, content, excerpt, excerpt_cut, imported_author_name, created_at, active_at)
    values ('Here', 'Text', 'Text', false, 'Ann', now(), now())`);
const sourcesOf = (community: TestCommunity) =>
  community.rows(`
    select title, site from question left join import_source on import_source.id = source_id order by title`);

it('shows the source of posts that are imported again after their import was undone', async () => {
  const community = await createTestCommunity();
  await writeHere(community);
  const directory = await writeJsonLines({
    members: [{ id: 1, name: 'Ada', email: 'ada@example.org' }],
    questions: [{ ...question, authorId: 1 }],
  });
  await importByHand(community, directory);
  // She has set a password, so she stays.
  await community.rows(`
    insert into account (member_id, account_id, provider_id) select id, 'ada', 'credential' from member where email is not null`);
  const [run] = await community.rows('select id::int from import_run');
  await undoImport(community.client, run?.['id'] as number);
  expect(await importByHand(community, directory)).toMatchObject({ added: { members: 0, questions: 1 } });
  expect(await sourcesOf(community)).toEqual([
    { title: 'Here', site: null },
    { title: 'There', site: 'forum.example.org' },
  ]);
});

it('moves a community again after the move was undone', async () => {
  const directory = await exportTo(await createCommunity(), true);
  const other = await createTestCommunity();
  await importFrom(other, directory);
  const [run] = await other.rows('select id::int from import_run');
  await undoImport(other.client, run?.['id'] as number);
  expect(await importFrom(other, directory)).toMatchObject({ isMove: true, added: { questions: 3 } });
  const ids = async () => (await readRows(directory, 'questions')).map(({ id }) => String(id)).toSorted();
  expect((await other.rows('select id from question order by id')).map(({ id }) => id)).toEqual(await ids());
  await expectCountsToEqualRows(other);
});

it.for([
  {
    title: 'an old address of an earlier import named',
    first: {
      questions: [{ ...question, id: 9 }],
      redirects: [{ from: '/t/1', questionId: 9, site: 'forum.example.org' }],
    },
    site: 'https://other.example.org',
  },
  {
    title: 'an earlier import without rows named',
    first: { questions: '' },
    site: 'https://forum.example.org',
  },
])('does not take posts of a site as own ones that $title', async ({ first, site }) => {
  const community = await createTestCommunity();
  await importFrom(community, await writeJsonLines(first), { site, license: 'CC BY 4.0' });
  await writeHere(community);
  const directory = await writeJsonLines({ questions: [question] });
  await expect(importFrom(community, directory, { site: 'forum.example.org' })).rejects.toThrow('--license');
  await importByHand(community, directory);
  expect(await sourcesOf(community)).toContainEqual({ title: 'There', site: 'forum.example.org' });
});

it('gives members who register while a community moves here other ids', async () => {
  const community = await createTestCommunity();
  await community.rows(`insert into member (display_name, email) values ('Here', 'here@example.org')`);
  const [here] = await community.rows('select id::int from member');
  const id = here?.['id'] as number;
  const members = [id, id + 1, id + 2].map((each) => ({ id: each, name: `Member ${each}` }));
  await importByHand(
    community,
    await writeJsonLines({ members, questions: [{ ...question, authorId: id }] }),
  );
  expect(await community.rows('select id::int, display_name as name from member order by id')).toEqual([
    { id, name: 'Here' },
    ...members.slice(1),
    { id: expect.any(Number) as number, name: `Member ${id}` },
  ]);
  await community.rows(`insert into member (display_name, email) values ('Next', 'next@example.org')`);
});

it.for([
  { title: 'shown with its source', isMove: false },
  { title: 'that was moved', isMove: true },
])(
  'brings a post $title up to date with a newer archive of the site that it came from',
  async ({ isMove }) => {
    const [edited, again] = ['2016-01-01T10:00:00.000', '2017-01-01T10:00:00.000'];
    const versions = [
      versionRow(1, 1, 'Version 1'),
      versionRow(2, 1, 'Version 2', { PostHistoryTypeId: 5, CreationDate: edited }),
    ];
    const content = {
      Users: [userRow(1)],
      Posts: [questionRow(1, { LastEditDate: edited })],
      PostHistory: versions,
    };
    const community = await createTestCommunity();
    await community.import(await writeArchive(content));
    const other = await createTestCommunity();
    if (!isMove) await writeHere(other);
    expect(await importFrom(other, await exportTo(community, false))).toMatchObject({ isMove });
    const newer = { ...content, Posts: [questionRow(1, { LastEditDate: again, Title: 'A better title' })] };
    await other.import(await writeArchive(newer));
    expect(await other.rows(`select title from question where title <> 'Here'`)).toEqual([
      { title: 'A better title' },
    ]);
  },
);

it('moves into a community without posts again after its import was undone, without what was deleted there', async () => {
  const { client, rows } = await createTestCommunity();
  const directory = await writeJsonLines({
    questions: [{ id: 7, title: 'T', content: 'C' }],
    answers: [8, 9].map((id) => ({ id, questionId: 7, content: 'C' })),
  });
  const importLines = () => importJsonLines({ directory, client, site: 'forum.example.org' });
  await importLines();
  await client.query('delete from base_answer where id = 8');
  await undoImport(client, Number((await rows('select id from import_run'))[0]?.['id']));
  expect(await importLines()).toMatchObject({ isMove: true, added: { questions: 1, answers: 1 } });
  expect(await rows('select id from question union all select id from answer order by id')).toEqual([
    { id: '7' },
    { id: '9' },
  ]);
});

it('takes the time of the import for times in the future', async () => {
  const community = await createTestCommunity();
  const createdAt = '9999-01-01T00:00:00Z';
  await importByHand(
    community,
    await writeJsonLines({ questions: [{ id: 1, title: 'T', content: 'C', createdAt }] }),
  );
  expect(
    await community.rows('select created_at <= now() as created, active_at <= now() as active from question'),
  ).toEqual([{ created: true, active: true }]);
});
