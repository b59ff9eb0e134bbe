import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveContent, writeArchive } from './stack-exchange-archive.ts';

/** A row of an archive as a line, with its attributes. */
type Row = { line: string; get: (name: string) => string | null };

/** Numbers that no archive here has. */
const deleted = { question: 99_000_001, answers: [99_000_002, 99_000_003], comment: 99_000_004 } as const;

/**
 * Writes the state that a real archive may have had at this time: later rows are missing, later edits have not happened,
 * scores are those of the votes until then, views, names and reputation are smaller, some comments had another text, and
 * there are posts that the site deleted since. Returns the directory.
 */
export async function writeEarlierState(directory: string, time: string): Promise<string> {
  const files = new Map<string, Row[]>();
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.xml')) continue;
    const rows = parseRows(await readFile(join(directory, name), 'utf8'));
    const kind = name.toLowerCase().replace('.xml', '');
    files.set(
      kind,
      rows.filter((row) => (row.get('CreationDate') ?? row.get('Date') ?? '') <= time),
    );
  }
  const votes = files.get('votes') ?? [];
  const scores = new Map<string, number>();
  for (const vote of votes) {
    const by = { 2: 1, 3: -1 }[vote.get('VoteTypeId') ?? ''] ?? 0;
    scores.set(vote.get('PostId') ?? '', (scores.get(vote.get('PostId') ?? '') ?? 0) + by);
  }
  const accepted = new Set(
    votes.filter((vote) => vote.get('VoteTypeId') === '1').map((vote) => vote.get('PostId')),
  );
  const posts = files.get('posts') ?? [];
  const first = posts.find((post) => post.get('PostTypeId') === '1')?.get('Id') ?? '';
  const state: Record<string, string[]> = {
    Posts: [
      ...posts.map((post) =>
        makeEarlierPost(post, { time, accepted, score: scores.get(post.get('Id') ?? '') ?? 0 }),
      ),
      `<row Id="${deleted.question}" PostTypeId="1" CreationDate="${time}" Score="0" ViewCount="3" Body="&lt;p&gt;Spam.&lt;/p&gt;" OwnerUserId="2" Title="Spam" Tags="&lt;spam&gt;" />`,
      ...[deleted.question, first].map(
        (parent, index) =>
          `<row Id="${deleted.answers[index]}" PostTypeId="2" ParentId="${parent}" CreationDate="${time}" Score="0" Body="&lt;p&gt;Spam too.&lt;/p&gt;" OwnerUserId="2" />`,
      ),
    ],
    Comments: [
      ...(files.get('comments') ?? []).map((comment, index) =>
        index % 40 === 0 ? comment.line.replace(' Text="', ' Text="Earlier: ') : comment.line,
      ),
      `<row Id="${deleted.comment}" PostId="${first}" Score="1" Text="Spam." CreationDate="${time}" UserId="2" />`,
    ],
    Users: (files.get('users') ?? []).map((user, index) =>
      makeEarlierUser(user, { time, isRenamed: index % 20 === 7 }),
    ),
  };
  for (const [kind, name] of [
    ['votes', 'Votes'],
    ['badges', 'Badges'],
    ['posthistory', 'PostHistory'],
    ['postlinks', 'PostLinks'],
    ['tags', 'Tags'],
  ] as const)
    if (files.has(kind)) state[name] = (files.get(kind) ?? []).map(({ line }) => line);
  const content: ArchiveContent = Object.fromEntries(
    Object.entries(state).map(([name, lines]) => [
      name,
      `<${name.toLowerCase()}>\n${lines.join('\n')}\n</${name.toLowerCase()}>\n`,
    ]),
  );
  return writeArchive(content, time.slice(0, 10));
}

function parseRows(xml: string): Row[] {
  return xml.split('\n').flatMap((line) => {
    if (!line.includes('<row ')) return [];
    const attributes = new Map(
      [...line.matchAll(/(\w+)="([^"]*)"/gu)].map(([, name = '', value = '']) => [name, value]),
    );
    return [{ line: line.trim(), get: (name: string) => attributes.get(name) ?? null }];
  });
}

const set = (line: string, name: string, value: string | number) =>
  line.replace(new RegExp(` ${name}="[^"]*"`, 'u'), () => ` ${name}="${value}"`);

const remove = (line: string, name: string) => line.replace(new RegExp(` ${name}="[^"]*"`, 'u'), '');

function makeEarlierPost(
  post: Row,
  { time, accepted, score }: { time: string; accepted: ReadonlySet<string | null>; score: number },
): string {
  let { line } = post;
  line = set(line, 'Score', score);
  line = set(line, 'ViewCount', Math.floor(Number(post.get('ViewCount') ?? 0) * 0.8));
  if ((post.get('LastActivityDate') ?? '') > time) line = set(line, 'LastActivityDate', time);
  if (!accepted.has(post.get('AcceptedAnswerId'))) line = remove(line, 'AcceptedAnswerId');
  if ((post.get('ClosedDate') ?? '') > time) line = remove(line, 'ClosedDate');
  if ((post.get('CommunityOwnedDate') ?? '') > time) line = remove(line, 'CommunityOwnedDate');
  if ((post.get('LastEditDate') ?? '') <= time) return line;
  line = remove(line, 'LastEditDate');
  line = line
    .replace(' Title="', ' Title="Earlier: ')
    .replace(' Body="', ' Body="&lt;p&gt;Earlier.&lt;/p&gt;');
  return line.replace(/ Tags="&lt;([^&]*)&gt;(?:&lt;[^&]*&gt;)*"/u, ' Tags="&lt;earlier&gt;&lt;$1&gt;"');
}

function makeEarlierUser(user: Row, { time, isRenamed }: { time: string; isRenamed: boolean }): string {
  let { line } = user;
  if ((user.get('LastAccessDate') ?? '') > time) line = set(line, 'LastAccessDate', time);
  line = set(line, 'Reputation', Math.max(1, Math.floor(Number(user.get('Reputation')) * 0.7)));
  if (!isRenamed) return line;
  line = line
    .replace(' DisplayName="', ' DisplayName="Earlier ')
    .replace(' Location="', ' Location="Earlier ');
  return remove(line, 'WebsiteUrl');
}
