import { describe, expect, test } from 'vitest';
import { findMentions } from './mentions.ts';

const site = 'https://ask.example.org';

describe('the mentions of a text', () => {
  test.each([
    ['include links to profiles', 'Ask [@Ann](/profile/12).', [12]],
    ["include links with the site's address", `[@Ann](${site}/profile/12)`, [12]],
    [
      'are listed once each, in the order of the text',
      '[@B](/profile/2) [@A](/profile/1) [@B](/profile/2)',
      [2, 1],
    ],
    [
      'include those in lists, quotes, tables and emphasis',
      '- > **[@A](/profile/1)**\n\n|a|\n|-|\n|[@B](/profile/2)|',
      [1, 2],
    ],
    ['include names with brackets', '[@Ann \\[the baker\\]](/profile/3)', [3]],
    ['exclude code', '`[@A](/profile/1)`\n\n```\n[@B](/profile/2)\n```\n\n    [@C](/profile/3)', []],
    ['exclude links and names without the form of a mention', '[Ann](/profile/12) /profile/12 @Ann', []],
    [
      'exclude links to other sites and pages',
      '[@A](https://evil.example/profile/1) [@B](//x/profile/2) [@C](/question/3)',
      [],
    ],
    ['exclude invalid ids', '[@A](/profile/0) [@B](/profile/-1) [@C](/profile/1e3) [@D](/profile/)', []],
    ['exclude escaped brackets', '\\[@A](/profile/1)', []],
  ])('%s', (_, text, ids) => {
    expect(findMentions(text, site)).toEqual(ids);
  });

  test("include links with the site's address only if PUBLIC_URL is set", () => {
    expect(findMentions(`[@Ann](${site}/profile/12)`, null)).toEqual([]);
    expect(findMentions(`[@Ann](${site}/profile/12)`, `${site}/`)).toEqual([12]);
    expect(findMentions('[@Ann](/profile/12)', null)).toEqual([12]);
  });
});

test.each(['[', '![', '>'])('finds no mentions in a text that is shown as it was typed: %s', (trap) => {
  expect(findMentions(`${trap.repeat(30_000 / trap.length)}\n\n[@Ann](/profile/12)`, null)).toEqual([]);
});
