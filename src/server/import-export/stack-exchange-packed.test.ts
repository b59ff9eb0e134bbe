import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  answerRow,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  userRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { listPackedFiles } from './stack-exchange-packed.ts';

const run = promisify(execFile);

setupTestDatabase();

beforeAll(async () => {
  const isThere = await run('7zz', ['i']).then(
    () => true,
    () => false,
  );
  if (!isThere) await run('sh', ['-c', 'apt-get update && apt-get install -y 7zip']);
}, 120_000);

const whole = { Users: [userRow(1)], Posts: [questionRow(1), questionRow(2), answerRow(3, 1)] };

/** Packs files of a directory into a .7z file beside them. Returns its path. */
async function pack(directory: string, name: string, files: string[], ...options: string[]): Promise<string> {
  const packed = path.join(directory, name);
  await run('7zz', ['a', '-bd', ...options, packed, ...files], { cwd: directory });
  return packed;
}

describe('.7z files', () => {
  test('are imported like the directory that they were made of', async () => {
    const directory = await writeArchive(whole);
    const packed = await pack(directory, 'beer.stackexchange.com.7z', ['Users.xml', 'Posts.xml']);
    const unpacked = await (await createTestCommunity()).import(directory);
    expect(await (await createTestCommunity()).importPaths([packed])).toEqual(unpacked);
    expect(unpacked.added).toMatchObject({ questions: 2, answers: 1 });
  });

  test('may be one for each file of the archive, as those of Stack Overflow are', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive(whole);
    const paths = [
      await pack(directory, 'stackoverflow.com-Posts.7z', ['Posts.xml']),
      await pack(directory, 'stackoverflow.com-Users.7z', ['Users.xml']),
    ];
    const { site, added } = await community.importPaths(paths);
    expect({ site, ...added }).toMatchObject({
      site: 'stackoverflow.com',
      questions: 2,
      answers: 1,
      members: 1,
    });
  });

  test('may have their files in a directory', async () => {
    const directory = await writeArchive(whole, 'inner');
    const packed = await pack(path.dirname(directory), 'beer.stackexchange.com.7z', ['inner']);
    const names = (await listPackedFiles(packed)).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['Posts.xml', 'Users.xml']);
    const community = await createTestCommunity();
    expect((await community.importPaths([packed])).added).toMatchObject({ questions: 2 });
  });

  test('are refused if they are cut off, also in the middle of the import, and nothing is imported', async () => {
    const community = await createTestCommunity();
    const rows = Array.from({ length: 300 }, (_, index) =>
      questionRow(index + 1, { Body: `<p>${randomBytes(400).toString('hex')}</p>` }),
    );
    const directory = await writeArchive({ Posts: rows });
    const packed = await pack(directory, 'beer.stackexchange.com.7z', ['Posts.xml']);
    const bytes = await readFile(packed);
    const damaged = Buffer.from(bytes);
    damaged.fill(0, 60_000, 60_400);
    await writeFile(packed, damaged);
    await expect(community.importPaths([packed])).rejects.toThrow(
      /^(?:.*com\.7z is|Posts\.xml, line \d+: the file is) damaged or cut off \(/u,
    );
    await truncate(packed, 50_000);
    await expect(community.importPaths([packed])).rejects.toThrow(
      /com\.7z is damaged, cut off, or not a \.7z file\.$/u,
    );
    await writeFile(packed, bytes);
    expect((await community.importPaths([packed])).added).toMatchObject({ questions: 300 });
  });

  test('are refused with a clear message if they cannot be read', async () => {
    const community = await createTestCommunity();
    const directory = await writeArchive(whole);
    const secret = await pack(directory, 'secret.7z', ['Posts.xml'], '-psecret');
    const [one, two] = [
      await pack(directory, 'one.7z', ['Posts.xml']),
      await pack(directory, 'two.7z', ['Posts.xml']),
    ];
    const users = await pack(directory, 'users.7z', ['Users.xml']);
    const refusals: [string[], RegExp][] = [
      [[path.join(directory, 'none.7z')], /none\.7z cannot be read: it does not exist/u],
      [[secret], /secret\.7z is encrypted\.$/u],
      [[one, two], /Both .*one\.7z and .*two\.7z contain Posts\.xml\./u],
      [[users], /there is no Posts\.xml/u],
      [[directory, one], /either one directory, or one or more \.7z files/u],
    ];
    for (const [paths, message] of refusals)
      await expect(community.importPaths(paths)).rejects.toThrow(message);
  });

  test('need the program 7-Zip, and say so', async () => {
    const directory = await writeArchive(whole);
    const packed = await pack(directory, 'beer.stackexchange.com.7z', ['Posts.xml']);
    const before = process.env['PATH'];
    process.env['PATH'] = directory;
    try {
      await expect(listPackedFiles(packed)).rejects.toThrow(/install the program 7-Zip/u);
    } finally {
      process.env['PATH'] = before;
    }
  });

  test('are read in pieces of at least a megabyte, so that each has enough texts to convert them in threads', async () => {
    const directory = await writeArchive(whole);
    const content = randomBytes(1_700_000).toString('base64');
    await writeFile(path.join(directory, 'Posts.xml'), content);
    const [file] = await listPackedFiles(await pack(directory, 'beer.stackexchange.com.7z', ['Posts.xml']));
    const pieces: Buffer[] = [];
    for await (const piece of file?.open() ?? []) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(content);
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces.slice(0, -1)) expect(piece.length).toBeGreaterThanOrEqual(1024 * 1024);
  });

  test('are no longer unpacked once the import is interrupted', async () => {
    const directory = await writeArchive(whole);
    await writeFile(path.join(directory, 'Posts.xml'), '<row/>'.repeat(10_000_000));
    const packed = await pack(directory, 'beer.stackexchange.com.7z', ['Posts.xml']);
    const [file] = await listPackedFiles(packed);
    const interruption = new AbortController();
    let bytes = 0;
    const read = async () => {
      for await (const chunk of file?.open(interruption.signal) ?? []) {
        bytes += chunk.length;
        interruption.abort();
      }
    };
    await expect(read()).rejects.toThrow(/abort/iu);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(60_000_000);
  });
});
