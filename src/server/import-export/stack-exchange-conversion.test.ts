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
  const pages = Array.from({ length: 8 }, (_, batch) =>
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
  // The interruption can come after the two next batches are converted.
  expect(found.slice(0, 2)).toEqual(['Text **0** 249', 'Text **1** 249']);
  expect(found.length).toBeLessThan(5);
});

it('names the text at which a thread fails', async () => {
  const texts = Array.from({ length: 400 }, (_, index) => ({ typed: null, html: `<p>Text ${index}</p>` }));
  // Messages to threads are not typed.
  const broken = texts.with(120, JSON.parse('{"typed":null,"html":null}'));
  await expect(createConverter().convert(broken)).rejects.toMatchObject({
    name: 'TextConversionError',
    index: 120,
    cause: expect.any(TypeError),
  });
});

it('rejects the texts that are not converted when it is closed', async () => {
  const texts = Array.from({ length: 1_000 }, (_, index) => ({ typed: null, html: `<p>Text ${index}</p>` }));
  const converter = createConverter();
  // Starts the threads.
  await converter.convert(texts);
  const outcome = converter.convert(texts).catch(String);
  await converter.close();
  expect(await outcome).toBe('Error: The converter is closed.');
  await expect(converter.convert(texts)).rejects.toThrow('The converter is closed.');
});

it('ignores results that arrive after it is closed', async () => {
  const texts = Array.from({ length: 1_000 }, (_, index) => ({ typed: null, html: `<p>Text ${index}</p>` }));
  for (let round = 0; round < 4; round++) {
    const converter = createConverter();
    // Starts the threads.
    await converter.convert(texts);
    const outcome = converter.convert(texts).catch(String);
    await new Promise((resolve) => setImmediate(resolve));
    // Meanwhile, each thread sends results, which nothing has read when the converter is closed.
    const until = performance.now() + 200;
    while (performance.now() < until);
    await converter.close();
    expect(await outcome).toBe('Error: The converter is closed.');
  }
});
