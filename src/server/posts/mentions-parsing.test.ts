import { describe, expect, test } from 'vitest';
import { findMentions } from './mentions.ts';

const site = 'https://ask.example.org';

describe('a text names', () => {
  test.each([
    ['a member by a link to their profile', 'Ask [@Ann](/profile/12).', [12]],
    ['them by the whole address of this community', `[@Ann](${site}/profile/12)`, [12]],
    ['each once, in the order of the text', '[@B](/profile/2) [@A](/profile/1) [@B](/profile/2)', [2, 1]],
    [
      'those in lists, quotes, tables and emphasis',
      '- > **[@A](/profile/1)**\n\n|a|\n|-|\n|[@B](/profile/2)|',
      [1, 2],
    ],
    ['who has brackets in the name', '[@Ann \\[the baker\\]](/profile/3)', [3]],
    ['nobody in code', '`[@A](/profile/1)`\n\n```\n[@B](/profile/2)\n```\n\n    [@C](/profile/3)', []],
    ['nobody by a link that is not written as a mention', '[Ann](/profile/12) /profile/12 @Ann', []],
    ['nobody elsewhere', '[@A](https://evil.example/profile/1) [@B](//x/profile/2) [@C](/question/3)', []],
    ['nobody by what is no id', '[@A](/profile/0) [@B](/profile/-1) [@C](/profile/1e3) [@D](/profile/)', []],
    ['nobody by escaped marks', '\\[@A](/profile/1)', []],
  ])('%s', (_, text, ids) => {
    expect(findMentions(text, site)).toEqual(ids);
  });

  test('members by this community’s address only where it is known', () => {
    expect(findMentions(`[@Ann](${site}/profile/12)`, null)).toEqual([]);
    expect(findMentions(`[@Ann](${site}/profile/12)`, `${site}/`)).toEqual([12]);
    expect(findMentions('[@Ann](/profile/12)', null)).toEqual([12]);
  });
});

test('a text that parsers take minutes for names nobody, at once', () => {
  const before = performance.now();
  for (const trap of [']'.repeat(30_000), '*a_ '.repeat(7500), '>'.repeat(30_000)])
    expect(findMentions(`${trap}\n\n[@Ann](/profile/12)`, null)).toEqual([]);
  // A hundredth of what parsing one of them takes.
  expect(performance.now() - before).toBeLessThan(2000);
});
