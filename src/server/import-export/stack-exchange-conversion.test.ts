import { expect, it, onTestFinished } from 'vitest';
import { TextConverter } from './stack-exchange-conversion.ts';

function createConverter(): TextConverter {
  const converter = new TextConverter();
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

it('rejects a batch if a thread cannot convert it', async () => {
  const broken = { typed: null, html: null as unknown as string };
  const fine = { typed: null, html: '<p>Text</p>' };
  const texts = Array.from({ length: 400 }, (_, index) => (index === 201 ? broken : fine));
  await expect(createConverter().convert(texts)).rejects.toThrow(TypeError);
});
