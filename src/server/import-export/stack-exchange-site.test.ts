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

/** Returns what the import infers about the site of an archive with these texts and three questions. */
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

describe('the site of an archive', () => {
  it('is the host whose links to questions have the right number and title', async () => {
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

  it('must be given if there is too little evidence', async () => {
    await expect(inferred([link('beer.stackexchange.com', 1)])).rejects.toThrow(
      'The site of the archive cannot be inferred from its links (1 link to beer.stackexchange.com). ' +
        'Give it with "--site NAME.stackexchange.com".',
    );
    await expect(inferred([])).rejects.toThrow('(no link leads to a question of this archive)');
  });

  it("is the directory's name if that is a host name, and the given name before all", async () => {
    expect(await inferred([], 'Meta.Beer.StackExchange.com')).toBe('beer.meta.stackexchange.com');
    expect(await inferred([], 'beer.stackexchange.com', 'wine.stackexchange.com')).toBe(
      'wine.stackexchange.com',
    );
    await expect(inferred([], 'x', 'not a host')).rejects.toThrow('not a host is not a host name such as');
  });
});
