import { describe, expect, it } from 'vitest';
import {
  commentRow,
  createTestCommunity,
  questionRow,
  writeArchive,
  type Attributes,
  setupTestDatabase,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

/** What the import says of the site of an archive with these texts beside three questions. */
async function inferred(texts: readonly string[], name?: string, site?: string): Promise<string> {
  const community = await createTestCommunity();
  const posts = [1, 2, 3].map((id) => questionRow(id, { Title: `How much is number ${id}?` }));
  const comments: Attributes[] = texts.map((text, index) =>
    commentRow(index + 1, 1, { Text: text, CreationDate: `2015-01-${index + 10}T00:00:00` }),
  );
  const directory = await writeArchive({ Posts: posts, Comments: comments }, name);
  const { client } = community;
  const named = site === undefined ? {} : { site };
  const { importStackExchange } = await import('./stack-exchange-import.ts');
  return (await importStackExchange({ directory, client, ...named })).site;
}

function link(host: string, id: number, slug = `how-much-is-number-${id}`): string {
  return `See http://${host}/questions/${id}/${slug}.`;
}

describe('the site an archive is from', () => {
  it('is the host whose links to questions have their number and title', async () => {
    const own = [1, 2, 3].map((id) => link('meta.beer.stackexchange.com', id));
    const others = [1, 2, 3, 1, 2].map((id) =>
      link('beer.stackexchange.com', id, 'something-else-altogether'),
    );
    expect(await inferred([...own, ...others, link('example.org', 1)])).toBe('beer.meta.stackexchange.com');
  });

  it('is the name that later links use, after a site was renamed', async () => {
    const early = Array.from({ length: 10 }, () => link('beer.stackexchange.com', 1));
    const late = Array.from({ length: 11 }, () => link('alcohol.stackexchange.com', 2));
    expect(await inferred([...early, ...late])).toBe('alcohol.stackexchange.com');
  });

  it('is asked for when there is too little to tell it from', async () => {
    await expect(inferred([link('beer.stackexchange.com', 1)])).rejects.toThrow(
      'Which site the archive is from cannot be told from its own links (1 link to beer.stackexchange.com). ' +
        'Name it with "--site NAME.stackexchange.com".',
    );
    await expect(inferred([])).rejects.toThrow('(no link leads to a question of this archive)');
  });

  it('is the name of the folder when that is a host name, and the named one before all', async () => {
    expect(await inferred([], 'Meta.Beer.StackExchange.com')).toBe('beer.meta.stackexchange.com');
    expect(await inferred([], 'beer.stackexchange.com', 'wine.stackexchange.com')).toBe(
      'wine.stackexchange.com',
    );
    await expect(inferred([], 'x', 'not a host')).rejects.toThrow('not a host is not a host name such as');
  });
});
