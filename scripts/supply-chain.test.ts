import { projectRoot } from '#server/core/paths.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkSupplyChain } from './lib/supply-chain.mjs';

const read = (name: string) => readFileSync(path.join(projectRoot, name), 'utf8');
const wishes = () => JSON.parse(read('package.json')) as Parameters<typeof checkSupplyChain>[0];
const lock = () => JSON.parse(read('package-lock.json')) as Parameters<typeof checkSupplyChain>[1];
const settings = read('.npmrc');

test('uses exact versions with checksums and known licences, and no install scripts', () => {
  expect(checkSupplyChain(wishes(), lock(), settings)).toEqual([]);
});

test('reports version ranges, missing checksums, other sources and unknown licences', () => {
  const [wanted, locked] = [wishes(), lock()];
  wanted.dependencies = { ...wanted.dependencies, hono: '^4.0.0' };
  const zod = locked.packages['node_modules/zod'] ?? {};
  locked.packages['node_modules/zod'] = {
    ...zod,
    integrity: 'sha1-x',
    license: 'Proprietary',
    resolved: 'git+ssh://x',
  };
  const wrong = checkSupplyChain(wanted, locked, 'audit=false');
  for (const name of [
    'hono has the range ^4.0.0',
    'zod has no checksum',
    'zod is from git',
    'zod is under Proprietary',
    'lets packages run install scripts',
  ])
    expect(wrong).toContainEqual(expect.stringContaining(name));
});
