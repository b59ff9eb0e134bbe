import { expect, it } from 'vitest';
import { readInsertHeader, readRow, readTableColumns, SqlValueError } from './sql-values.ts';

const read = (text: string, hasEscapes = false) => readRow(text, 0, { hasEscapes, isWanted: () => true });

it.each<[string, (string | null)[]]>([
  [`(1,-2.5,1e+20,NULL,null,true)`, ['1', '-2.5', '1e+20', null, null, 'true']],
  [String.raw`('a\'b','\\','\0\n\r\t\Z\"\%')`, ["a'b", '\\', '\0\n\r\t\u001A"%']],
  [`('it''s',"say ""hi""",'')`, ["it's", 'say "hi"', '']],
  [String.raw`('ends with \\',2)`, ['ends with \\', '2']],
  [String.raw`('\\\'',2)`, ["\\'", '2']],
  [`(0x48690A,X'4869',_binary 'a\xFF',_utf8mb4'b',N'c')`, ['Hi\n', 'Hi', 'a\xFF', 'b', 'c']],
  [`( 'a' , 'b),(' , '-- c' )`, ['a', 'b),(', '-- c']],
])('reads a row of MySQL: %s', (text, values) => {
  expect(read(`${text};`, true)).toEqual({ values, end: text.length });
});

it.each<[string, (string | null)[]]>([
  [String.raw`('C:\',E'a\nb\'c','\n')`, ['C:\\', "a\nb'c", '\\n']],
  [
    String.raw`(replace('a\nb','\n',char(10)),replace(replace('a\r\nb','\r',char(13)),'\n',char(10)))`,
    ['a\nb', 'a\r\nb'],
  ],
  [String.raw`(unistr('a\u000ab\\c\u00e9'))`, ['a\nb\\c\xC3\xA9']],
  [`('{}'::text[],'2020-01-01'::timestamp without time zone,1::numeric(10,2))`, ['{}', '2020-01-01', '1']],
])('reads a row of SQLite or PostgreSQL: %s', (text, values) => {
  expect(read(`${text};`)).toEqual({ values, end: text.length });
});

it('returns null for every beginning of a row, so that more can be read', () => {
  const row = String.raw`(1,'it''s \'x\'',0xFF,_binary 'a',replace('a','b',char(10)),NULL)`;
  for (let length = 1; length < row.length; length++) expect(read(row.slice(0, length), true)).toBeNull();
  expect(read(`${row};`, true)?.values).toHaveLength(6);
});

it.each([
  [`(1,)`, '")" begins no value'],
  [`(1 2)`, 'value 1 of the row is followed by "2"'],
  [`(load_file('/etc/passwd'))`, 'the function load_file() is not known'],
  [String.raw`(unistr('\UFFFFFFFF'))`, 'unistr() has a character above U+10FFFF'],
  [`(foo 'x')`, '"foo" stands before a string'],
  [`(${'replace('.repeat(20)}'a'`, 'functions are nested too deep'],
  ['x', 'a row does not begin with "("'],
])('refuses %s', (text, problem) => {
  expect(() => read(`${text} `)).toThrow(new SqlValueError(problem));
});

it.each([
  ['INSERT INTO `qa_posts` VALUES (1)', { table: 'qa_posts', columns: null }],
  ['INSERT INTO "a""b" (id, "key", `x`) VALUES\n(1)', { table: 'a"b', columns: ['id', 'key', 'x'] }],
  ['INSERT IGNORE INTO public.posts VALUES (1)', { table: 'posts', columns: null }],
  ['REPLACE INTO [posts] VALUES(1)', { table: 'posts', columns: null }],
])('reads the header %j', (text, header) => {
  expect(readInsertHeader(text)).toEqual({ ...header, length: text.lastIndexOf('(') });
});

it('reads the columns of a table, and no keys and constraints', () => {
  const text =
    "CREATE TABLE IF NOT EXISTS `t` (\n  `id` int NOT NULL COMMENT 'a, b);',\n  `key` varchar(10) DEFAULT '(',\n" +
    "  `type` enum('Q','A''s'),\n  PRIMARY KEY (`id`),\n  KEY `key` (`key`),\n  CONSTRAINT `c` CHECK (`id` > 0)\n) ENGINE=InnoDB;\n";
  expect(readTableColumns(text, { hasEscapes: true })).toEqual({
    table: 't',
    columns: ['id', 'key', 'type'],
    end: text.length - 1,
  });
  expect(readTableColumns(text.slice(0, -2), { hasEscapes: true })).toBeNull();
});
