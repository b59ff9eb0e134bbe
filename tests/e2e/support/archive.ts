import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runCommand } from '#tests/support/command.ts';
import type { Community } from './community.ts';

type Row = Readonly<Record<string, string | number>>;

/** Imports an archive of a site into a community: rows by the name of their file, such as 'Posts'. */
export async function importArchive(
  community: Community,
  { site, files }: { site: string; files: Readonly<Record<string, readonly Row[]>> },
): Promise<void> {
  const archive = await mkdtemp(path.join(os.tmpdir(), 'parley-archive-'));
  try {
    for (const [file, rows] of Object.entries(files)) {
      const lines = rows.map((row) => `<row ${Object.entries(row).map(toAttribute).join(' ')} />`);
      const name = file.toLowerCase();
      await writeFile(path.join(archive, `${file}.xml`), `<${name}>\n${lines.join('\n')}\n</${name}>\n`);
    }
    await runCommand(community.dataDirectory, 'import', 'stackexchange', archive, '--site', site);
  } finally {
    await rm(archive, { recursive: true });
  }
}

const toAttribute = ([name, value]: [string, string | number]) =>
  `${name}="${String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')}"`;

const createdAt = { CreationDate: '2015-01-01T00:00:00.000' };

export const userRow = (id: number, name: string): Row => ({
  Id: id,
  DisplayName: name,
  Reputation: 120,
  ...createdAt,
});

export const questionRow = (id: number, title: string, more: Row = {}): Row => ({
  Id: id,
  PostTypeId: 1,
  Title: title,
  Body: `<p>${title}</p>`,
  Tags: '',
  Score: 0,
  ...createdAt,
  ...more,
});

export const answerRow = (id: number, questionId: number, more: Row = {}): Row => ({
  Id: id,
  PostTypeId: 2,
  ParentId: questionId,
  Body: '<p>Because of the hops.</p>',
  Score: 0,
  ...createdAt,
  ...more,
});

/** The excerpt (kind 4) or the wiki (kind 5) of a tag. */
const tagText = (id: number, kind: 4 | 5, body: string): Row => ({
  Id: id,
  PostTypeId: kind,
  Body: body,
  ContentLicense: 'CC BY-SA 4.0',
  ...createdAt,
});

/** A site whose tag 'malt' has an excerpt and a wiki, and whose tag 'yeast' has an excerpt. */
export const taggedQuestion = {
  site: 'beer.stackexchange.com',
  files: {
    Tags: [
      { Id: 1, TagName: 'malt', Count: 1, ExcerptPostId: 10, WikiPostId: 11 },
      { Id: 2, TagName: 'yeast', Count: 1, ExcerptPostId: 12 },
    ],
    Posts: [
      questionRow(1, 'Which malt makes a beer red?', { Tags: '<malt><yeast>' }),
      tagText(10, 4, 'Grain that sprouted and was dried.'),
      tagText(11, 5, '<p>Maltsters know many kinds:</p><ul><li>Pale malt</li><li>Crystal malt</li></ul>'),
      tagText(12, 4, 'Turns sugar into alcohol.'),
    ],
  },
};
