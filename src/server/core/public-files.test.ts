import { expect, test } from 'vitest';
import { createPublicFiles, type PublicFile } from './public-files.ts';

const build = () => Promise.resolve(null);

test('refuses more than ten waiting files of one network, so that it does not delay others', async () => {
  const files = createPublicFiles({ maxBytes: 1_000, maxAgeSeconds: 60 });
  const first = Promise.withResolvers<PublicFile | null>();
  const requested = Array.from({ length: 10 }, (_, n) =>
    files('192.0.2.1', `file ${n}`, n === 0 ? () => first.promise : build),
  );
  const again = files('192.0.2.1', 'file 3', build);
  expect(() => files('192.0.2.1', 'file 10', build)).toThrow(expect.objectContaining({ code: 'too-fast' }));
  const other = files('192.0.2.2', 'file 10', build);
  const unknown = Array.from({ length: 11 }, (_, n) => files(null, `file ${n + 20}`, build));
  first.resolve(null);
  expect(await Promise.all([...requested, again, other, ...unknown])).toEqual(
    Array.from({ length: 23 }, () => null),
  );
  await expect(files('192.0.2.1', 'file 10', build)).resolves.toBeNull();
});
