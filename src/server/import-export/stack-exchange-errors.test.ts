import { mkdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ArchiveError, ConnectionLostError } from './stack-exchange-errors.ts';
import {
  answerRow,
  commentRow,
  createTestCommunity,
  questionRow,
  userRow,
  writeArchive,
  archiveXml,
  type ArchiveContent,
  setupTestDatabase,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const whole = { Users: [userRow(1)], Posts: [questionRow(1), answerRow(2, 1)], Comments: [commentRow(1, 1)] };
const posts = archiveXml('Posts', whole.Posts);

describe('refuses a damaged archive with the file and the line, and stores nothing of it', () => {
  const damages: Record<string, [ArchiveContent, RegExp]> = {
    'a file that is cut in the middle of a row': [
      { ...whole, Comments: archiveXml('Comments', whole.Comments).slice(0, -40) },
      /^Comments\.xml, line 3: the file is damaged or cut off \(/u,
    ],
    'a file that is cut after a row': [
      { ...whole, Posts: posts.slice(0, posts.lastIndexOf('</posts>')) },
      /^Posts\.xml, line 5: the file is damaged or cut off \(unclosed tag: posts\)/u,
    ],
    'a file that is cut, although nothing of it would be taken': [
      { ...whole, Badges: '<badges>\n<row Id="1" />\n' },
      /^Badges\.xml, line 3: .*unclosed tag: badges/u,
    ],
    'an empty file': [
      { ...whole, Votes: '' },
      /^Votes\.xml, line 1: .*\(document must contain a root element\)/u,
    ],
    'a file with another one in its place': [
      { ...whole, Votes: archiveXml('Users', [userRow(1)]) },
      /^Votes\.xml, line 2: .*\(expected <votes>, found <users>\)/u,
    ],
    'rows of something else': [
      { ...whole, Votes: '<votes><row><vote/></row></votes>' },
      /^Votes\.xml, line 1: .*\(expected <row>, found <vote>\)/u,
    ],
    'a sign that is not escaped': [
      { ...whole, Posts: posts.replace('Question 1', 'Question < 1') },
      /^Posts\.xml, line 3: .*disallowed character/u,
    ],
    'entities of its own': [
      { ...whole, Posts: `<!DOCTYPE posts [<!ENTITY a "aaaa">]>${posts.slice(posts.indexOf('<posts>'))}` },
      /^Posts\.xml, line 1: .*\(a document type is not expected here\)/u,
    ],
  };

  it.for(Object.entries(damages))('%s', async ([, [files, message]]) => {
    const community = await createTestCommunity();
    const before = await community.everything();
    const directory = await writeArchive(files);
    const refusal = await community.import(directory).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ArchiveError);
    expect(String(refusal)).toMatch(new RegExp(message.source.replace('^', '^ArchiveError: '), 'u'));
    expect(await community.everything()).toEqual(before);
    // The connection still works: the whole archive can be imported next.
    expect((await community.import(await writeArchive(whole))).added.questions).toBe(1);
  });

  it('a file that is not UTF-8', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive(whole);
    await writeFile(join(directory, 'Votes.xml'), Buffer.from('<votes>\n<row Id="\xE9"/></votes>', 'latin1'));
    await expect(community.import(directory)).rejects.toThrow(
      /^Votes\.xml, line 1: .*\(the text is not UTF-8\)/u,
    );
    expect(await community.rows('select * from member')).toEqual([]);
  });
});

describe('refuses a directory that is not an archive', () => {
  it('if it does not exist, is a file, has no posts, or is still packed', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive({ Users: [] });
    await expect(community.import(join(directory, 'none'))).rejects.toThrow(
      /^The directory .*none does not exist\.$/u,
    );
    await expect(community.import(join(directory, 'Users.xml'))).rejects.toThrow(
      /Users\.xml is a file\. Give the directory/u,
    );
    await expect(community.import(directory)).rejects.toThrow(
      /contains no Posts\.xml, so it is not a Stack Exchange archive\.$/u,
    );
    await writeFile(join(directory, 'beer.7z'), '');
    await expect(community.import(directory)).rejects.toThrow(/Give .*beer\.7z itself\.$/u);
    await mkdir(join(directory, 'Posts.xml'));
    await expect(community.import(directory)).rejects.toThrow(/Posts\.xml is not a file\.$/u);
  });

  it.skipIf(process.platform !== 'linux')('if a file cannot be found or read', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive({ Users: [] });
    const path = join(directory, 'Posts.xml');
    const refusal = () => community.import(directory).catch(String);
    await symlink('/nowhere', path);
    expect(await refusal()).toBe(
      `ArchiveError: ${path} cannot be read: it does not exist, or is a broken link.`,
    );
    await unlink(path);
    // Reading it fails for every user, including root.
    await symlink('/proc/self/mem', path);
    expect(await refusal()).toBe(`ArchiveError: ${path} cannot be read: EIO: i/o error, read.`);
  });

  it('if it has the same file twice in different letter case', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive({ Posts: [questionRow(1)], posts: [questionRow(1)] });
    await expect(community.import(directory)).rejects.toThrow(/contains both Posts\.xml and posts\.xml/u);
  });
});

/** Long enough to be interrupted in the middle. */
const long = {
  Posts: Array.from({ length: 3000 }, (_, id) =>
    questionRow(id + 1, { Body: `<p>${'word '.repeat(100)}</p>` }),
  ),
};

it('refuses an archive that does not fit on the disk', async () => {
  const community = await createTestCommunity();
  await community.client.query(`
    create function no_space() returns trigger language plpgsql as $$
    begin raise exception sqlstate '53100' using message = 'could not extend file: No space left on device'; end $$;
    create trigger no_space before insert on base_question execute function no_space();`);
  const refusal = await community.import(await writeArchive(whole)).catch(String);
  await community.client.query('drop function no_space cascade');
  expect(refusal).toBe(
    'ArchiveError: The database has not enough space: could not extend file: No space left on device.',
  );
});

describe('stores nothing of an unfinished import', () => {
  it('when the operator interrupts it', async () => {
    const community = await createTestCommunity();
    const interruption = new AbortController();
    const importing = community.import(await writeArchive(long), {
      signal: interruption.signal,
      progress: { start: () => {}, update: () => interruption.abort(), stop: () => {} },
    });
    await expect(importing).rejects.toThrow('aborted');
    expect(await community.rows('select * from question')).toEqual([]);
  });

  it('when the connection breaks while files are read', async () => {
    const community = await createTestCommunity();
    const { rows } = await community.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const importing = community.import(await writeArchive(long), {
      progress: {
        start: () => {},
        update: () => void community.rows(`select pg_terminate_backend(${rows[0]?.pid})`),
        stop: () => {},
      },
    });
    await expect(importing).rejects.toThrow('The connection to the database broke.');
    expect(await community.rows('select * from question')).toEqual([]);
    expect(await community.rows('select * from import_source')).toEqual([]);
  });

  it('when the connection breaks while rows are added', async () => {
    const community = await createTestCommunity();
    const { rows } = await community.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const blocker = await community.connect();
    await blocker.query('begin; lock table reply in access exclusive mode');
    const importing = community.import(await writeArchive(whole));
    const outcome = importing.catch((error: unknown) => error);
    await waitFor(async () => {
      const waiting = await community.rows(
        `select from pg_stat_activity where pid = ${rows[0]?.pid} and wait_event_type = 'Lock'`,
      );
      return waiting.length === 1;
    });
    await community.rows(`select pg_terminate_backend(${rows[0]?.pid})`);
    await blocker.query('rollback');
    expect(await outcome).toBeInstanceOf(ConnectionLostError);
    expect(await community.rows('select * from question')).toEqual([]);
    expect(await community.rows('select * from member')).toEqual([]);
  });
});

it('refuses a second import while one is running, which continues', async () => {
  const community = await createTestCommunity();
  const directory = await writeArchive(whole);
  const blocker = await community.connect();
  await blocker.query('begin; lock table question in access exclusive mode');
  const first = community.import(directory);
  await waitFor(async () => {
    // Other databases have advisory locks as well.
    const locks = await community.rows(`select from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`);
    return locks.length > 0;
  });
  const second = community.import(directory, { client: await community.connect() });
  await expect(second).rejects.toThrow(
    'Another import is running on this database. Wait until it has finished.',
  );
  await blocker.query('rollback');
  expect((await first).added.questions).toBe(1);
});

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await later(20);
}
