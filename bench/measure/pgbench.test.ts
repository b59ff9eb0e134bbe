import { expect, test } from 'vitest';
import { createMergedScript, createScript } from './pgbench.ts';

test('turns the statements of a request into a script that other members can run', () => {
  const statements = [
    { text: 'begin', values: [] },
    {
      text: 'select $2::bigint[], $1 from "vote" where member_id = $3 and note = $4 limit $5;',
      values: ['it\'s {"at":true}', [7, 9], 7, null, 7.5],
    },
    { text: 'select $1::bytea, $2', values: [{ type: 'Buffer', data: [1, 255] }, ['a"b', 'c\\d']] },
  ];
  const variables = [{ name: 'member', value: 7, from: 1, to: 50 }];
  expect(createScript(statements, variables).split('\n')).toEqual([
    String.raw`\set member random(1, 50)`,
    'begin;',
    String.raw`select array[:member, E'9']::bigint[], E'it''s {"at"\x3atrue}' from "vote" where member_id = :member and note = null limit E'7.5';`,
    String.raw`select E'\\x01ff'::bytea, E'{"a\\"b","c\\\\d"}';`,
    '',
  ]);
});

test('turns the statements of many requests into one script that draws one of them', () => {
  const request = (answer: number, note: string) => [
    { text: 'select $1, $2, $3', values: [answer, 7, note] },
    { text: 'select $1::bigint[]', values: [[answer, 7]] },
  ];
  const variables = [{ name: 'member', value: 7, from: 1, to: 50 }];
  const other = [{ text: 'select 1', values: [] }];
  expect(createMergedScript([request(3, 'a'), request(4, 'b'), other], variables).split('\n')).toEqual([
    String.raw`\set member random(1, 50)`,
    String.raw`\set drawn random(0, 1)`,
    String.raw`\set v1 case when :drawn = 0 then 3 when :drawn = 1 then 4 end`,
    String.raw`\set v2 case when :drawn = 0 then 3 when :drawn = 1 then 4 end`,
    "select :v1, :member, E'a';",
    'select array[:v2, :member]::bigint[];',
    '',
  ]);
});
