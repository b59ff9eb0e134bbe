import { expect, test } from 'vitest';
import { runInTurns } from './steps.ts';

test('continues long works in turns, and the others after one that fails', async () => {
  const done: string[] = [];
  const work = (name: string, parts: number) => {
    let left = parts;
    return async () => {
      done.push(name);
      if (name === 'broken') throw new Error('It is broken');
      return --left > 0;
    };
  };
  const works = [work('long', 3), work('broken', 2), work('short', 1), work('second', 2)];
  await expect(runInTurns(works, Infinity, 0)).rejects.toThrow('It is broken');
  expect(done).toEqual(['long', 'broken', 'short', 'second', 'long', 'second', 'long']);
});
