/**
 * Converts the demo data into the files of a Stack Exchange data dump. Values that the source leaves open (who voted
 * when, seconds, revision ids) are derived from a hash of the surrounding text, so that every build is identical.
 */
import { createHash } from 'node:crypto';
import { renderMarkdown } from '#shared/core/markdown.ts';
import { formatXmlFile, type Row } from './xml.ts';
import type { DemoAnswer, DemoComment, DemoMember, DemoQuestion } from './source.ts';

/** The latest time in the archive. */
export const archiveEnd = new Date('2026-11-20T00:00:00Z');

const licence = 'Apache-2.0';
const dayMs = 24 * 60 * 60 * 1000;
/** All votes on a post are cast within this time. */
const votingDays = 90;
/** The reputation for a vote by another member (docs/product.md 7.4). */
const points = { questionUp: 5, answerUp: 10, commentUp: 2, down: -2 };

type MemberTotals = { reputation: number; up: number; down: number; lastSeen: Date };
type Post = {
  id: number;
  key: string;
  date: Date;
  question: DemoQuestion;
  answer: DemoAnswer | undefined;
};

/** The complete XML files by name. */
export function buildArchive(members: DemoMember[], questions: DemoQuestion[]): Map<string, string> {
  const posts = numberedPosts(questions);
  const userIds = new Map(members.map((member, index) => [member.handle, index + 1]));
  const userId = (member: DemoMember) => userIds.get(member.handle);
  const votes = posts.flatMap((post) => voteRows(post, members, userId));
  votes.sort((a, b) => a.CreationDate.localeCompare(b.CreationDate) || a.PostId - b.PostId);
  return new Map([
    ['Users.xml', formatXmlFile('users', userRows(members, posts))],
    [
      'Posts.xml',
      formatXmlFile(
        'posts',
        posts.map((post) => postRow(post, posts, userId)),
      ),
    ],
    ['Comments.xml', formatXmlFile('comments', commentRows(posts, userId))],
    ['Tags.xml', formatXmlFile('tags', tagRows(questions))],
    ['Votes.xml', formatXmlFile('votes', numbered(votes))],
    [
      'PostHistory.xml',
      formatXmlFile('posthistory', numbered(posts.flatMap((post) => historyRows(post, userId)))),
    ],
  ]);
}

/** Questions and answers together, numbered by time as on a real site. */
function numberedPosts(questions: DemoQuestion[]): Post[] {
  const posts: Post[] = questions.flatMap((question) => [
    {
      id: 0,
      key: question.file,
      date: exactDate(question.date, question.title),
      question,
      answer: undefined,
    },
    ...question.answers.map((answer, index) => ({
      id: 0,
      key: `${question.file}#${index}`,
      date: exactDate(answer.date, answer.body),
      question,
      answer,
    })),
  ]);
  posts.sort((a, b) => a.date.getTime() - b.date.getTime());
  for (const [index, post] of posts.entries()) post.id = index + 1;
  return posts;
}

function postRow(post: Post, posts: Post[], userId: (member: DemoMember) => number | undefined): Row {
  const { question, answer } = post;
  const common = (content: DemoQuestion | DemoAnswer): Row => ({
    CreationDate: stamp(post.date),
    Score: content.up - content.down,
    Body: renderMarkdown(content.body) ?? '',
    OwnerUserId: userId(content.author),
  });
  const end: Row = { ContentLicense: licence };
  const siblings = posts.filter((other) => other.question === question);
  if (answer) {
    const parent = siblings.find((other) => !other.answer);
    return {
      Id: post.id,
      PostTypeId: 2,
      ParentId: parent?.id,
      ...common(answer),
      LastActivityDate: stamp(post.date),
      CommentCount: answer.comments.length,
      ...end,
    };
  }
  return {
    Id: post.id,
    PostTypeId: 1,
    AcceptedAnswerId: siblings.find((other) => other.answer?.accepted)?.id,
    ...common(question),
    ViewCount: question.views,
    LastActivityDate: stamp(latest(siblings.map((other) => other.date))),
    Title: question.title,
    Tags: tagList(question),
    AnswerCount: question.answers.length,
    CommentCount: question.comments.length,
    FavoriteCount: question.followers.length || undefined,
    ...end,
  };
}

function commentRows(posts: Post[], userId: (member: DemoMember) => number | undefined): Row[] {
  const rows = posts.flatMap((post) =>
    (post.answer ?? post.question).comments.map((comment) => ({
      PostId: post.id,
      Score: comment.up,
      Text: comment.text,
      CreationDate: stamp(exactDate(comment.date, comment.text)),
      UserId: userId(comment.author),
      ContentLicense: licence,
    })),
  );
  rows.sort((a, b) => a.CreationDate.localeCompare(b.CreationDate));
  return numbered(rows);
}

function tagRows(questions: DemoQuestion[]): Row[] {
  const counts = new Map<string, number>();
  for (const tag of questions.flatMap((question) => question.tags))
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return numbered([...counts].map(([TagName, Count]) => ({ TagName, Count })));
}

function voteRows(post: Post, members: DemoMember[], userId: (member: DemoMember) => number | undefined) {
  const { up, down, accepted } = { accepted: false, ...(post.answer ?? post.question) };
  const days = Math.min(votingDays, Math.floor((archiveEnd.getTime() - post.date.getTime()) / dayMs));
  const row = (type: number, day: number, member?: DemoMember) => ({
    PostId: post.id,
    VoteTypeId: type,
    UserId: member && userId(member),
    CreationDate: `${stamp(new Date(post.date.getTime() + day * dayMs)).slice(0, 10)}T00:00:00.000`,
  });
  const cast = Array.from({ length: up + down }, (_, index) =>
    // Cubed, so that most votes come soon after the post.
    row(index < up ? 2 : 3, Math.floor(days * ((index + 1) / (up + down + 1)) ** 3)),
  );
  const favourites = post.answer
    ? []
    : post.question.followers.map((follower) => {
        const age = Math.max(0, Math.ceil((follower.joined.getTime() - post.date.getTime()) / dayMs));
        return row(
          5,
          age + (hash(post.key, follower.handle) % Math.max(1, Math.min(days - age, 14))),
          follower,
        );
      });
  return [...cast, ...(accepted ? [row(1, Math.min(days, hash(post.key) % 3))] : []), ...favourites];
}

function historyRows(post: Post, userId: (member: DemoMember) => number | undefined): Row[] {
  const { question, answer } = post;
  const content = answer ?? question;
  const row = (type: number, text: string): Row => ({
    PostHistoryTypeId: type,
    PostId: post.id,
    RevisionGUID: revisionId(post.key),
    CreationDate: stamp(post.date),
    UserId: userId(content.author),
    Text: text,
    ContentLicense: licence,
  });
  if (answer) return [row(2, answer.body)];
  return [row(2, question.body), row(1, question.title), row(3, tagList(question))];
}

function userRows(members: DemoMember[], posts: Post[]): Row[] {
  const totalsByMember = new Map<DemoMember, MemberTotals>(
    members.map((member) => [member, { reputation: 1, up: 0, down: 0, lastSeen: lastVisit(member) }]),
  );
  for (const post of posts) {
    const content = post.answer ?? post.question;
    credit(totalsByMember, post.key, content, post.answer ? points.answerUp : points.questionUp);
    for (const comment of content.comments) credit(totalsByMember, post.key, comment, points.commentUp);
  }
  return members.map((member, index) => {
    const totals = totalsByMember.get(member) ?? {
      reputation: 1,
      up: 0,
      down: 0,
      lastSeen: member.joined,
    };
    return {
      Id: index + 1,
      Reputation: Math.max(1, totals.reputation),
      CreationDate: stamp(exactDate(member.joined, member.handle)),
      DisplayName: member.displayName,
      LastAccessDate: stamp(totals.lastSeen),
      WebsiteUrl: member.website || undefined,
      Location: member.location || undefined,
      AboutMe: member.about === '' ? undefined : (renderMarkdown(member.about) ?? ''),
      Views: Math.round(totals.reputation / 7) + (hash(member.handle) % 40),
      UpVotes: totals.up,
      DownVotes: totals.down,
      AccountId: index + 1,
    };
  });
}

/** Assigns votes to other members and adds their points to the author. */
function credit(
  totalsByMember: Map<DemoMember, MemberTotals>,
  key: string,
  content: DemoQuestion | DemoAnswer | DemoComment,
  pointsUp: number,
): void {
  const down = 'down' in content ? content.down : 0;
  const author = totalsByMember.get(content.author);
  if (author) {
    author.reputation += content.up * pointsUp + down * points.down;
    author.lastSeen = latest([author.lastSeen, exactDate(content.date, 'seen')]);
  }
  const voters = [...totalsByMember]
    .filter(([member]) => member !== content.author)
    .toSorted(([a], [b]) => hash(key, a.handle) - hash(key, b.handle))
    .map(([, totals]) => totals);
  if (content.up + down > voters.length) throw new Error(`${key}: more votes than members who can vote`);
  for (const voter of voters.slice(0, content.up)) voter.up += 1;
  for (const voter of voters.slice(content.up, content.up + down)) voter.down += 1;
}

/** Most members have visited during the last month of the archive. */
function lastVisit(member: DemoMember): Date {
  const age = (hash('visit', member.handle) % (30 * 24 * 60)) * 60 * 1000 + dayMs / 4;
  return latest([member.joined, new Date(archiveEnd.getTime() - age)]);
}

function tagList(question: DemoQuestion): string {
  return question.tags.map((tag) => `<${tag}>`).join('');
}

function numbered<T extends object>(rows: T[]): (T & { Id: number })[] {
  return rows.map((row, index) => ({ Id: index + 1, ...row }));
}

/** The source has minutes; an archive has milliseconds. */
function exactDate(minute: Date, seed: string): Date {
  return new Date(minute.getTime() + (hash(seed) % 60_000));
}

function stamp(date: Date): string {
  return date.toISOString().slice(0, -1);
}

function latest(dates: Date[]): Date {
  return new Date(Math.max(...dates.map((date) => date.getTime())));
}

function hash(...parts: string[]): number {
  return createHash('sha256').update(parts.join('\n')).digest().readUInt32BE(0);
}

function revisionId(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
