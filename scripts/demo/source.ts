/**
 * Parses the source files of the demo data. `demo/README.md` describes the format. Lengths are in Unicode code points.
 */

export type DemoMember = {
  handle: string;
  displayName: string;
  /** UTC. */
  joined: Date;
  location: string;
  website: string;
  /** Markdown. */
  about: string;
};

export type DemoComment = { author: DemoMember; date: Date; up: number; text: string };

export type DemoAnswer = {
  author: DemoMember;
  date: Date;
  up: number;
  down: number;
  accepted: boolean;
  /** Markdown. */
  body: string;
  comments: DemoComment[];
};

export type DemoQuestion = {
  file: string;
  title: string;
  author: DemoMember;
  date: Date;
  tags: string[];
  up: number;
  down: number;
  views: number;
  followers: DemoMember[];
  /** Markdown. */
  body: string;
  comments: DemoComment[];
  answers: DemoAnswer[];
};

const limits = {
  title: [15, 200],
  body: [1, 2000],
  answer: [1, 30_000],
  comment: [1, 1000],
  tag: [1, 35],
} as const;
const maxTags = 5;

type Section = { line: number; head: string[]; text: string };

/**
 * Parses one section per member; the order gives the ids, from 1.
 * @throws an Error with the file and the line.
 */
export function parseMembers(file: string, text: string): DemoMember[] {
  const members = sections(text).map((section) => {
    const where = `${file}:${section.line}`;
    const [handle = '', displayName = ''] = section.head;
    if (handle === '' || displayName === '') throw new Error(`${where}: a member needs a handle and a name`);
    const { fields, body } = headed(section.text);
    return {
      handle,
      displayName,
      joined: parseDate(where, `${required(where, fields, 'joined')} 08:00`),
      location: fields.get('location') ?? '',
      website: fields.get('website') ?? '',
      about: body,
    };
  });
  const handles = new Set(members.map((member) => member.handle));
  if (handles.size !== members.length) throw new Error(`${file}: two members have the same handle`);
  return members;
}

/**
 * Parses one question with its answers and comments.
 * @throws an Error with the file and, below the question, the line.
 */
export function parseQuestion(file: string, text: string, members: DemoMember[]): DemoQuestion {
  const start = text.search(sectionStart);
  const { fields, body } = headed(start < 0 ? text : text.slice(0, start));
  const question: DemoQuestion = {
    file,
    title: within(file, 'title', required(file, fields, 'title')),
    author: member(file, members, required(file, fields, 'author')),
    date: parseDate(file, required(file, fields, 'date')),
    tags: parseTags(file, required(file, fields, 'tags')),
    ...parseVotes(file, required(file, fields, 'votes')),
    views: Number(required(file, fields, 'views')),
    followers: list(fields.get('followers') ?? '').map((handle) => member(file, members, handle)),
    body: within(file, 'body', body),
    comments: [],
    answers: [],
  };
  for (const section of sections(text)) addSection(question, section, members);
  return question;
}

function addSection(question: DemoQuestion, section: Section, members: DemoMember[]): void {
  const where = `${question.file}:${section.line}`;
  const [kind, handle = '', date = '', votes = '', mark = ''] = section.head;
  const common = { author: member(where, members, handle), date: parseDate(where, date) };
  const { up, down } = parseVotes(where, votes);
  if (kind === 'answer') {
    const body = within(where, 'answer', section.text.trim());
    question.answers.push({
      ...common,
      up,
      down,
      accepted: mark === 'accepted',
      body,
      comments: [],
    });
    return;
  }
  if (kind !== 'comment') throw new Error(`${where}: '${kind}' is neither answer nor comment`);
  if (down > 0) throw new Error(`${where}: comments in archives have no downvotes`);
  const post = question.answers.at(-1) ?? question;
  post.comments.push({ ...common, up, text: within(where, 'comment', section.text.trim()) });
}

const sectionStart = /^=== /m;

/** The sections of a text. Each starts with a line '=== a | b | c', whose cells are its head. */
function sections(text: string): Section[] {
  const parsed: Section[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const current = parsed.at(-1);
    if (line.startsWith('=== ')) {
      parsed.push({
        line: index + 1,
        head: line
          .slice(4)
          .split('|')
          .map((cell) => cell.trim()),
        text: '',
      });
    } else if (current) {
      current.text += `${line}\n`;
    }
  }
  return parsed;
}

/** Parses 'name: value' lines up to the first empty line, then the body. */
function headed(text: string): { fields: Map<string, string>; body: string } {
  const [head = '', ...rest] = text.trim().split(/\n\n/);
  const fields = new Map<string, string>();
  for (const line of head.split('\n')) {
    const colon = line.indexOf(':');
    fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  return { fields, body: rest.join('\n\n').trim() };
}

function required(where: string, fields: Map<string, string>, name: string): string {
  const value = fields.get(name);
  if (!value) throw new Error(`${where}: '${name}' is missing`);
  return value;
}

function member(where: string, members: DemoMember[], handle: string): DemoMember {
  const matching = members.find((candidate) => candidate.handle === handle);
  if (!matching) throw new Error(`${where}: no member has the handle '${handle}'`);
  return matching;
}

/** Parses '2026-11-18 09:12' as UTC. */
function parseDate(where: string, text: string): Date {
  const date = new Date(`${text.replace(' ', 'T')}:00Z`);
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(text) || Number.isNaN(date.getTime())) {
    throw new Error(`${where}: '${text}' is not a date like 2026-11-18 09:12`);
  }
  return date;
}

/** Parses '+12 -1', '+3' or nothing. */
function parseVotes(where: string, text: string): { up: number; down: number } {
  const match = /^(?:\+(\d+))? ?(?:-(\d+))?$/.exec(text);
  if (!match) throw new Error(`${where}: '${text}' is not a vote count like '+12 -1'`);
  return { up: Number(match[1] ?? 0), down: Number(match[2] ?? 0) };
}

function parseTags(where: string, text: string): string[] {
  const tags = list(text).map((tag) => within(where, 'tag', tag));
  if (tags.length > maxTags || new Set(tags).size !== tags.length) {
    throw new Error(`${where}: at most ${maxTags} different tags`);
  }
  return tags;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function within(where: string, name: keyof typeof limits, text: string): string {
  const [least, most] = limits[name];
  const length = Array.from(text).length;
  if (length < least || length > most) {
    throw new Error(`${where}: ${name} has ${length} characters, allowed are ${least} to ${most}`);
  }
  return text;
}
