import { expect, it, onTestFinished } from 'vitest';
import { TextConverter } from './stack-exchange-conversion.ts';

function createConverter(signal?: AbortSignal, memoryMb?: number): TextConverter {
  const converter = new TextConverter(signal, memoryMb);
  onTestFinished(() => converter.close());
  return converter;
}

it('converts large batches in threads, each text in its place', async () => {
  const converter = createConverter();
  const texts = Array.from({ length: 401 }, (_, index) => ({
    typed: index % 3 === 0 ? `Typed *${index}*` : null,
    html: `<p>${index % 3 === 0 ? 'Typed' : 'Page'} <em>${index}</em></p>`,
  }));
  const expected = texts.map(({ typed }, index) => ({
    content: `${typed === null ? 'Page' : 'Typed'} *${index}*`,
    source: typed === null ? 'html' : 'markdown',
  }));
  const both = await Promise.all([converter.convert(texts), converter.convert(texts.toReversed())]);
  expect(both).toEqual([expected, expected.toReversed()]);
});

it('names the row whose text exhausts the memory of a thread', async () => {
  const html = (id: number) => (id === 337 ? '<b>a</b>'.repeat(200_000) : `<p>Text ${id}</p>`);
  const rows = Array.from({ length: 400 }, (_, index) => ({ Id: String(index + 1) }));
  const batches = createConverter(undefined, 64).convertAhead(
    'Posts.xml',
    (async function* () {
      yield { rows, bytes: 1 };
    })(),
    async (batch) => batch.map(({ Id = '' }) => ({ typed: null, html: html(Number(Id)) })),
  );
  const read = async () => {
    for await (const { texts } of batches) await texts;
  };
  await expect(read()).rejects.toThrow(/^Posts\.xml: the text of the row with Id="337" .*memory/u);
});

it('reads one batch ahead, in order, and ends with an interruption', async () => {
  const interruption = new AbortController();
  const converter = createConverter(interruption.signal);
  const pages = Array.from({ length: 4 }, (_, batch) =>
    Array.from({ length: 250 }, (_, at) => `<p>Text <b>${batch}</b> ${at}</p>`),
  );
  const found: string[] = [];
  const batches = converter.convertAhead(
    'Posts.xml',
    (async function* () {
      for (const page of pages) yield { rows: page.map((Body) => ({ Body })), bytes: 1 };
    })(),
    async (rows) => rows.map((row) => ({ typed: null, html: row['Body'] ?? '' })),
  );
  const read = async () => {
    for await (const { texts } of batches) {
      if (found.length === 2) interruption.abort();
      found.push((await texts)[249]?.content ?? '');
    }
  };
  await expect(read()).rejects.toThrow(/abort/iu);
  expect(found).toEqual(['Text **0** 249', 'Text **1** 249']);
});

it('ignores results that arrive after it is closed', async () => {
  const texts = Array.from({ length: 1_000 }, (_, index) => ({ typed: null, html: `<p>Text ${index}</p>` }));
  const broken = texts.map((text) => ({ ...text, html: null as unknown as string }));
  for (let round = 0; round < 4; round++) {
    const converter = createConverter();
    // Starts the threads.
    await converter.convert(texts);
    const closed = converter
      .convert(broken)
      .catch(() => converter.close())
      .then(() => 'closed');
    await new Promise((resolve) => setImmediate(resolve));
    // Meanwhile, each thread sends two results, of which the first closes the converter.
    const until = performance.now() + 200;
    while (performance.now() < until);
    await expect(closed).resolves.toBe('closed');
  }
});
