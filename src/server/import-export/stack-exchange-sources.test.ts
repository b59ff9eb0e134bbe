import { describe, expect, it } from 'vitest';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  setupTestDatabase,
  questionRow,
  userRow,
  writeArchive,
  type Attributes,
  type TestCommunity,
} from '#tests/support/stack-exchange-archive.ts';
import { undoImport } from './import-undo.ts';

setupTestDatabase();

const beer = 'beer.stackexchange.com';
const alcohol = 'alcohol.stackexchange.com';
const wine = 'wine.stackexchange.com';

const old = {
  Users: [userRow(1), userRow(2)],
  Posts: [questionRow(1), answerRow(2, 1), questionRow(3), answerRow(4, 3)],
  Comments: [commentRow(1, 1), commentRow(2, 4)],
};
const renamed = {
  Users: [...old.Users, userRow(3)],
  Posts: [...old.Posts.slice(0, 3), questionRow(5), answerRow(6, 3)],
  Comments: [...old.Comments, commentRow(3, 6)],
};

/** An archive of another site: other posts with the same numbers. */
const other = {
  Posts: [questionRow(2), questionRow(4), answerRow(1, 2), answerRow(3, 2)].map((post) => ({
    ...post,
    CreationDate: '2012-05-05T05:05:05.005',
  })),
};

/** Returns comments with three links from this host to questions of the archive. */
const linked = (host: string): Attributes[] =>
  [1, 3, 1].map((id, index) =>
    commentRow(index + 10, 1, { Text: `See https://${host}/questions/${id}/title-of-${id}.` }),
  );

async function expectRefusal(community: TestCommunity, importing: Promise<unknown>, message: string) {
  // The import can be refused while the rows are being read.
  const refusal = importing.catch((reason: unknown) => reason);
  const before = await community.everything();
  const error: unknown = await refusal;
  expect(String(error)).toBe(`ArchiveError: ${message}`);
  expect(await community.everything()).toEqual(before);
}

const counts = `select (select count(*) from question)::int as questions, (select count(*) from answer)::int as answers,
  (select count(*) from reply)::int as replies, (select count(*) from member)::int as members`;

describe('refuses a wrong site and names the right one', () => {
  it('if the archive links to itself by another name, given by --site or by its directory', async () => {
    const community = await createTestCommunity();
    const files = { ...old, Comments: linked(alcohol) };
    const message =
      `The archive is from ${alcohol}, not from ${wine}: 3 links to ${alcohol} lead to questions of this archive ` +
      `by number and title. Import it with "--site ${alcohol}".`;
    await expectRefusal(community, community.import(await writeArchive(files), { site: wine }), message);
    const { importStackExchange } = await import('./stack-exchange-import.ts');
    const directory = await writeArchive(files, wine);
    await expectRefusal(community, importStackExchange({ directory, client: community.client }), message);
    expect(await community.import(directory, { site: alcohol })).toMatchObject({ site: alcohol });
  });

  it('if other posts have its numbers here and no link helps', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old));
    await expectRefusal(
      community,
      community.import(await writeArchive(other)),
      `The archive is not from ${beer}: 4 of its posts have the numbers of other existing posts of ${beer}. ` +
        'Give its site with "--site NAME.stackexchange.com".',
    );
    expect(await community.import(await writeArchive(other), { site: wine })).toMatchObject({
      added: { questions: 2, answers: 2 },
    });
  });

  it('skips a post whose number another post has here, and counts it', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old));
    const { files } = await community.import(
      await writeArchive({ ...old, Posts: [...old.Posts.slice(0, 3), questionRow(4)] }),
    );
    expect(files.find(({ file }) => file === 'Posts.xml')).toMatchObject({
      imported: 0,
      alreadyImported: 3,
      skipped: [{ reason: 'another post here has the number', rows: 1 }],
    });
  });
});

describe('an archive of a renamed site', () => {
  const message =
    `3 of the 5 posts of this archive were already imported from ${beer}: import it with "--site ${beer}", ` +
    `or with "--continues ${beer}" if that site is now called ${alcohol}.`;

  it('is refused under its new name, which would duplicate the community', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old));
    const directory = await writeArchive(renamed);
    await expectRefusal(community, community.import(directory, { site: alcohol }), message);
  });

  it('is also refused if all of its posts were deleted here', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old));
    await community.rows('delete from question');
    const directory = await writeArchive(renamed);
    await expectRefusal(community, community.import(directory, { site: alcohol }), message);
  });

  it('continues the existing posts with --continues, without duplicating any, and hides what it has no more', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old));
    const before = await community.rows('select id, source_key, source_id from question order by id');
    await community.rows(`delete from answer where source_key = '2'`);
    await community.rows('delete from event');
    const directory = await writeArchive(renamed);
    const trial = await community.import(directory, { site: alcohol, continues: beer, dryRun: true });
    expect(await community.rows('select site from import_source')).toEqual([{ site: beer }]);
    const summary = await community.import(directory, { site: alcohol, continues: beer });
    expect(summary).toMatchObject({
      site: alcohol,
      renamed: beer,
      isUnchanged: false,
      added: { members: 1, questions: 1, answers: 1, replies: 1 },
    });
    expect(trial.added).toEqual(summary.added);
    expect(await community.rows(counts)).toEqual([{ questions: 3, answers: 1, replies: 2, members: 3 }]);
    expect(
      (await community.rows('select id, source_key, source_id from question order by id')).slice(0, 2),
    ).toEqual(before);
    expect(await community.rows('select site, former_sites from import_source')).toEqual([
      { site: alcohol, former_sites: [beer] },
    ]);
    // Cached pages contain the site's name.
    expect(await community.rows(`select from event where event ->> 'kind' = 'imported'`)).not.toEqual([]);
  });

  it('is then recognised by each of its names', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old));
    await community.import(await writeArchive(renamed), { site: alcohol, continues: beer });
    const before = await community.everything();
    const again = [
      { site: alcohol },
      { site: beer },
      { site: alcohol, continues: beer },
      { site: beer, continues: alcohol },
    ];
    for (const names of again) {
      const summary = await community.import(await writeArchive(renamed), names);
      expect(summary).toMatchObject({ isUnchanged: true, renamed: null, site: alcohol });
    }
    const linking = await writeArchive({ ...old, Comments: linked(beer) });
    expect(await community.import(linking, { site: alcohol, dryRun: true })).toMatchObject({ site: alcohol });
    expect(await community.everything()).toEqual(before);
  });

  it('is recognised by its posts if all of its links have the old name', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old), { site: alcohol });
    const linking = await writeArchive({ ...renamed, Comments: linked(beer) });
    expect(await community.import(linking, { site: alcohol })).toMatchObject({ added: { questions: 1 } });
  });

  it('renames everything even if it has no new post', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive({ ...old, Comments: linked(beer) });
    await community.import(directory);
    expect(await community.import(directory, { site: alcohol, continues: beer })).toMatchObject({
      isUnchanged: false,
      renamed: beer,
      added: { questions: 0 },
    });
  });

  it('must contain existing posts for --continues', async () => {
    const community = await createTestCommunity();
    await community.import(await writeArchive(old));
    const directory = await writeArchive(renamed);
    await expectRefusal(
      community,
      community.import(directory, { site: alcohol, continues: wine }),
      `No archive of ${wine} was imported here, only of ${beer}.`,
    );
    await expectRefusal(
      community,
      community.import(await writeArchive(other), { site: wine, continues: beer }),
      `The archive does not continue ${beer}: none of its posts were imported from that site.`,
    );
    await community.import(await writeArchive(other), { site: wine });
    await expectRefusal(
      community,
      community.import(await writeArchive(other), { site: wine, continues: beer }),
      `Archives of ${beer} and of ${wine} were both imported here: one cannot continue the other.`,
    );
    await expectRefusal(
      community,
      community.import(directory, { site: alcohol, continues: 'not a host' }),
      'not a host is not a host name such as cooking.stackexchange.com.',
    );
  });
});

it('imports a site under its right name after an import under a wrong one was undone, despite deleted posts', async () => {
  const community = await createTestCommunity();
  await community.import(await writeArchive(old), { site: wine });
  await community.rows('delete from base_question');
  const [run] = await community.rows('select id from import_run');
  await undoImport(community.client, Number(run?.['id']));
  expect(await community.rows(`select count(*)::int as rows from imported_row where id = 0`)).toEqual([
    { rows: 6 },
  ]);
  expect(await community.import(await writeArchive(old), { site: beer })).toMatchObject({
    added: { questions: 2, answers: 2 },
  });
});
