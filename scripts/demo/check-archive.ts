/**
 * Reads a finished archive and checks the invariants of a complete data dump: scores, counts and accepted answers match
 * the rows, every reference exists, and nothing is older than its parent. It only uses the written XML, so that errors
 * of the writer are found.
 */
import { SaxesParser } from 'saxes';
import { archiveEnd } from './build-archive.ts';

type Row = Record<string, string | undefined>;

/** Returns a message for each inconsistency. */
export function checkArchive(files: Map<string, string>): string[] {
  const rows = (name: string) => readRows(files.get(name) ?? '');
  const [users, posts, comments] = [rows('Users.xml'), rows('Posts.xml'), rows('Comments.xml')];
  const [tags, votes, history] = [rows('Tags.xml'), rows('Votes.xml'), rows('PostHistory.xml')];
  return [
    ...checkPosts(posts, comments, votes),
    ...checkAcceptedAnswers(posts, votes),
    ...checkTags(tags, posts),
    ...checkReferences(users, posts, [...comments, ...votes, ...history]),
    ...checkOrder(users, posts, comments),
    ...checkHistory(posts, history),
    ...[users, posts, comments, tags, votes, history].flatMap(checkIds),
  ];
}

function checkPosts(posts: Row[], comments: Row[], votes: Row[]): string[] {
  const commentCounts = countBy(comments, (comment) => comment['PostId']);
  const answerCounts = countBy(posts, (post) => post['ParentId']);
  const voteCounts = countBy(votes, (vote) => `${vote['PostId']}/${vote['VoteTypeId']}`);
  const cast = (post: Row, type: number) => voteCounts.get(`${post['Id']}/${type}`) ?? 0;
  return posts.flatMap((post) => [
    ...differs(post, 'Score', cast(post, 2) - cast(post, 3)),
    ...differs(post, 'CommentCount', commentCounts.get(post['Id']) ?? 0),
    ...differs(post, 'AnswerCount', answerCounts.get(post['Id']) ?? 0),
    ...differs(post, 'FavoriteCount', cast(post, 5)),
  ]);
}

function checkAcceptedAnswers(posts: Row[], votes: Row[]): string[] {
  const byId = new Map(posts.map((post) => [post['Id'], post]));
  const accepted = posts.flatMap((post) => post['AcceptedAnswerId'] ?? []);
  const acceptVotes = votes.filter((vote) => vote['VoteTypeId'] === '1').map((vote) => vote['PostId'] ?? '');
  const strangers = posts.filter(
    (post) => post['AcceptedAnswerId'] && byId.get(post['AcceptedAnswerId'])?.['ParentId'] !== post['Id'],
  );
  return [
    ...strangers.map((post) => `post ${post['Id']} accepts an answer to something else`),
    ...accepted
      .filter((id) => !acceptVotes.includes(id))
      .map((id) => `answer ${id} is accepted without a vote that says so`),
    ...acceptVotes
      .filter((id) => !accepted.includes(id))
      .map((id) => `answer ${id} has an accepting vote, but its question accepts another or none`),
  ];
}

function checkTags(tags: Row[], posts: Row[]): string[] {
  const used = countBy(
    posts.flatMap((post) => (post['Tags'] ?? '').match(/[^<>]+/g) ?? []),
    (tag) => tag,
  );
  const listed = new Map(tags.map((tag) => [tag['TagName'] ?? '', Number(tag['Count'])]));
  return [...new Set([...used.keys(), ...listed.keys()])]
    .filter((tag) => used.get(tag) !== listed.get(tag))
    .map((tag) => `tag ${tag} counts ${listed.get(tag)}, ${used.get(tag)} questions carry it`);
}

function checkReferences(users: Row[], posts: Row[], others: Row[]): string[] {
  const userIds = new Set(users.map((user) => user['Id']));
  const postIds = new Set(posts.map((post) => post['Id']));
  const questionIds = new Set(posts.filter((post) => post['PostTypeId'] === '1').map((post) => post['Id']));
  return [
    ...posts
      .filter((post) => !userIds.has(post['OwnerUserId']))
      .map((post) => `post ${post['Id']} has no author`),
    ...posts
      .filter((post) => post['PostTypeId'] === '2' && !questionIds.has(post['ParentId']))
      .map((post) => `answer ${post['Id']} has no question`),
    ...others.filter((row) => !postIds.has(row['PostId'])).map((row) => `row ${row['Id']} names no post`),
    ...others
      .filter((row) => row['UserId'] !== undefined && !userIds.has(row['UserId']))
      .map((row) => `row ${row['Id']} names no user`),
  ];
}

function checkOrder(users: Row[], posts: Row[], comments: Row[]): string[] {
  const end = archiveEnd.toISOString().slice(0, -1);
  const at = (row: Row | undefined) => row?.['CreationDate'] ?? '';
  const joined = new Map(users.map((user) => [user['Id'], at(user)]));
  const byId = new Map(posts.map((post) => [post['Id'], post]));
  const early = (row: Row, parent: string | undefined, author: string | undefined) =>
    at(row) < at(byId.get(parent)) || at(row) < (joined.get(author) ?? '') || at(row) >= end;
  return [
    ...posts
      .filter((post) => early(post, post['ParentId'], post['OwnerUserId']))
      .map((post) => `post ${post['Id']} of ${at(post)} precedes its question or its author, or is too late`),
    ...comments
      .filter((comment) => early(comment, comment['PostId'], comment['UserId']))
      .map(
        (comment) =>
          `comment ${comment['Id']} of ${at(comment)} precedes its post or its author, or is too late`,
      ),
  ];
}

/** Every post needs a revision of its text, and every question also of its title and tags. */
function checkHistory(posts: Row[], history: Row[]): string[] {
  const texts = new Map(history.map((row) => [`${row['PostId']}/${row['PostHistoryTypeId']}`, row['Text']]));
  return posts
    .filter((post) => {
      const text = (type: number) => texts.get(`${post['Id']}/${type}`);
      if (!text(2)) return true;
      return post['PostTypeId'] === '1' && (text(1) !== post['Title'] || text(3) !== post['Tags']);
    })
    .map((post) => `post ${post['Id']} differs from its history`);
}

function checkIds(rows: Row[]): string[] {
  return rows.flatMap((row, index) =>
    Number(row['Id']) === index + 1 ? [] : [`id ${row['Id']} is out of order`],
  );
}

function differs(post: Row, name: string, counted: number): string[] {
  const written = Number(post[name] ?? 0);
  return written === counted ? [] : [`post ${post['Id']} says ${name} ${written}, its rows say ${counted}`];
}

function countBy<T, K>(items: T[], key: (item: T) => K): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/** @throws if the XML is not well formed. */
function readRows(xml: string): Row[] {
  const rows: Row[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    if (tag.name === 'row') rows.push(tag.attributes);
  });
  parser.write(xml).close();
  return rows;
}
