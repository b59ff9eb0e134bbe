import { tagKey } from '#shared/core/text.ts';
import { reputationPoints } from '#shared/engagement/votes.ts';
import { formatTimestamp } from './copy.ts';
import { heavyTail, type Random, zipf } from './random.ts';
import { communityAgeMs, type Shape } from './shape.ts';
import type { TextGenerator } from './corpus.ts';
import type { Answer, Chunk, Question, Reply } from './threads.ts';
import { isCountable, type WordCounts } from './word-counts.ts';

/**
 * All tables and columns that the generator writes. Triggers are off during COPY; derived columns are written here or
 * computed by `derivedTables`.
 */
export const columns = {
  base_question:
    'id, author_id, title, content, excerpt, excerpt_cut, upvotes, downvotes, views, answer_count, accepted_answer_id, tag_text, created_at, active_at',
  base_question_tag: 'question_id, tag_id, position, question_created_at',
  base_answer: 'id, question_id, author_id, content, upvotes, downvotes, created_at',
  base_reply:
    'id, question_id, answer_id, parent_reply_id, level, author_id, content, upvotes, downvotes, created_at, updated_at',
  vote: 'member_id, question_id, answer_id, reply_id, direction, created_at',
  question_view: 'question_id, member_id, viewed_at',
  question_follow: 'question_id, member_id, created_at, question_created_at',
  base_notification: 'recipient_id, sender_id, kind, question_id, answer_id, reply_id, created_at, read_at',
  tag: 'id, name, key, questions_count, active_at',
  tag_follow: 'tag_id, member_id, created_at',
  member:
    'id, display_name, email, email_verified, reputation, questions_count, answers_count, created_at, updated_at',
  account: 'member_id, account_id, provider_id, password, created_at, updated_at',
  search_word: 'word, uses',
} as const;

const pointsBy = (kind: Voted['kind']) => `
  case direction when 'up' then ${reputationPoints[kind].up} else ${reputationPoints[kind].down} end
  from vote join ${kind} post on post.id = vote.${kind}_id where author_id <> member_id`;

/** Daily and weekly statistics are stored for about a year. */
const statisticsFrom = `now() - interval '380 days'`;

/**
 * The rows that writes and jobs derive, computed from the rows above in this order while there are no
 * indexes; limited to tables of the schema. `fills`: the table has no other rows.
 */
export const derivedTables: readonly Derived[] = [
  {
    column: 'answer_score.answer_id',
    fills: true,
    statement: `insert into answer_score (answer_id, question_id, score, created_at)
      select id, question_id, upvotes - downvotes, created_at from answer`,
  },
  {
    column: 'question_sort_key.question_id',
    fills: true,
    statement: `insert into question_sort_key (question_id, created_at, active_at, upvotes, answer_count)
      select id, created_at, active_at, upvotes, answer_count from question`,
  },
  {
    column: 'tag_question_sort_key.question_id',
    fills: true,
    statement: `insert into tag_question_sort_key (question_id, tag_id, active_at)
      select question_id, tag_id, active_at from question join question_tag on question_id = question.id
      where active_at > now() - interval '8 days'`,
  },
  {
    column: 'question.popularity',
    fills: false,
    statement: `update question set popularity = 0
      from (select id, row_number() over (order by upvotes desc, id desc) as rank from question
        order by upvotes desc, id desc limit 5000) known
      where known.id = question.id and (select count(*) from question) >= 20000`,
  },
  {
    column: 'tag.followers_count',
    fills: false,
    statement: `update tag set followers_count = followed.followers
      from (select tag_id, count(*) as followers from tag_follow group by tag_id) followed
      where followed.tag_id = tag.id`,
  },
  {
    column: 'answer.popularity',
    fills: false,
    statement: `update answer set popularity = 0
      from (select answer_id, row_number() over (order by score desc, answer_id desc) as rank from answer_score
        order by score desc, answer_id desc limit 10000) known
      where answer_id = id and (select count(*) from answer) >= 50000`,
  },
  {
    column: 'member_statistics.member_id',
    fills: true,
    statement: `insert into member_statistics (member_id, upvotes, views)
      select author_id, sum(upvotes), sum(views) from (
        select author_id, upvotes, views from question
        union all select author_id, upvotes, 0 from answer
        union all select author_id, upvotes, 0 from reply
      ) post group by author_id`,
  },
  {
    column: 'member_daily_statistics.member_id',
    fills: true,
    statement: `insert into member_daily_statistics (member_id, day, questions, answers, replies, points)
      select author_id, utc_day(at), sum(questions), sum(answers), sum(replies), sum(points) from (
        select author_id, created_at as at, 1 as questions, 0 as answers, 0 as replies, 0 as points from question
        union all select author_id, created_at, 0, 1, 0, 0 from answer
        union all select author_id, created_at, 0, 0, 1, 0 from reply
        union all select author_id, vote.created_at, 0, 0, 0, ${pointsBy('question')}
        union all select author_id, vote.created_at, 0, 0, 0, ${pointsBy('answer')}
        union all select author_id, vote.created_at, 0, 0, 0, ${pointsBy('reply')}
      ) each
      where at >= ${statisticsFrom} group by 1, 2`,
  },
  {
    column: 'tag_weekly_statistics.tag_id',
    fills: true,
    statement: `insert into tag_weekly_statistics (tag_id, week, questions, answers)
      select tag_id, utc_week(at), sum(questions), sum(answers) from (
        select tag_id, question_created_at as at, 1 as questions, 0 as answers from question_tag
        union all
        select tag_id, created_at, 0, 1 from question_tag link join answer on answer.question_id = link.question_id
      ) each
      where at >= ${statisticsFrom} group by 1, 2`,
  },
  {
    // Words of titles and tags that were not counted while writing them.
    column: 'search_word.word',
    fills: false,
    statement: `insert into search_word (word, uses)
      select word, ndoc from ts_stat($$
        select search_words(title || ' ' || tag_text) from question where title || ' ' || tag_text ~ '[^ -~]|[+#]'
      $$) found
      where char_length(word) between 3 and 200
        and not exists (select from search_word known where known.word = found.word)`,
  },
];

export type Derived = { column: string; fills: boolean; statement: string };

export type Table = keyof typeof columns;

/** Receives complete rows in the text format of COPY. */
export type WriteRows = (table: Table, rows: string) => void;

/** Counts per member and tag of the threads so far: members and tags are written last, with these counts. */
export type Totals = ReturnType<typeof createTotals>;

export function createTotals(shape: Shape) {
  return {
    questions: new Int32Array(shape.members + 1),
    answers: new Int32Array(shape.members + 1),
    reputation: new Int32Array(shape.members + 1),
    tagged: new Int32Array(shape.tags + 1),
    tagActive: new Float64Array(shape.tags + 1),
  };
}

export type WriterParts = {
  shape: Shape;
  random: Random;
  writer: TextGenerator;
  tags: readonly string[];
  totals: Totals;
  words: WordCounts;
  writeRows: WriteRows;
};

/** Writes threads whose posts have ids, and adds them to the totals. */
export function writeChunk(chunk: Chunk, parts: WriterParts): void {
  for (const question of chunk.questions) writeQuestion(question, parts);
  for (const answer of chunk.answers) writeAnswer(answer, parts);
  for (const reply of chunk.replies) writeReply(reply, parts);
}

function writeQuestion(question: Question, parts: WriterParts): void {
  const { random, writer, tags, totals, words, writeRows } = parts;
  const { id, author, at } = question;
  const names = question.tags.map((tag) => tags[tag - 1] ?? '');
  const { content, excerpt, cut } = writer.details();
  const title = writer.title(names);
  const heading = `${title} ${names.join(', ')}`;
  words.add(isCountable(heading) ? `${heading} ${content}` : content);
  const time = formatTimestamp(at);
  const line = row(id, author, title, text(content), excerpt, cut);
  const counts = row(
    question.up.length,
    question.down.length,
    question.viewers.length,
    question.answers.length,
  );
  const rest = row(question.accepted?.id ?? none, names.join(', '), time, formatTimestamp(question.activeAt));
  writeRows('base_question', `${line}\t${counts}\t${rest}\n`);
  for (const [position, tag] of question.tags.entries())
    writeRows('base_question_tag', `${row(id, tag, position, time)}\n`);
  for (const viewer of question.viewers)
    writeRows('question_view', `${id}\t${viewer}\t${formatTimestamp(at + 60_000 + random.below(4e8))}\n`);
  for (const follower of question.followers)
    writeRows('question_follow', `${id}\t${follower}\t${formatTimestamp(at + 90_000)}\t${time}\n`);
  writeVotes(parts, question, { kind: 'question', place: row(id, none, none) });
  countQuestion(question, totals);
}

function countQuestion({ author, at, tags, answers }: Question, totals: Totals): void {
  add(totals.questions, author, 1);
  const latest = Math.max(at, ...answers.map((answer) => answer.at));
  for (const tag of tags) {
    add(totals.tagged, tag, 1);
    totals.tagActive[tag] = Math.max(totals.tagActive[tag] ?? 0, latest);
  }
}

function writeAnswer(answer: Answer, parts: WriterParts): void {
  const { id, author, at, question, up, down } = answer;
  const content = parts.writer.answer();
  parts.words.add(content);
  parts.writeRows(
    'base_answer',
    `${row(id, question.id, author, text(content), up.length, down.length, formatTimestamp(at))}\n`,
  );
  const postIds = row(question.id, id, none);
  notify(parts, { kind: 'answer', to: question.author, from: author, postIds, at });
  if (question.accepted === answer)
    notify(parts, { kind: 'accepted', to: author, from: question.author, postIds, at: at + 60_000 });
  writeVotes(parts, answer, { kind: 'answer', place: postIds });
  add(parts.totals.answers, author, 1);
}

function writeReply(reply: Reply, parts: WriterParts): void {
  const { id, author, at, question, answer, parent, level, up, down } = reply;
  const time = formatTimestamp(at);
  const where = row(id, question.id, answer?.id ?? none, parent?.id ?? none, level, author);
  parts.writeRows(
    'base_reply',
    `${where}\t${row(text(parts.writer.reply()), up.length, down.length, time, time)}\n`,
  );
  const postIds = row(question.id, answer?.id ?? none, id);
  if (parts.random.chance(notificationShares.replies)) {
    const above = parent ?? answer ?? question;
    const kind = parent ? 'reply_to_reply' : answer ? 'reply_to_answer' : 'reply_to_question';
    notify(parts, { kind, to: above.author, from: author, postIds, at });
  }
  writeVotes(parts, reply, { kind: 'reply', place: postIds });
}

type Voted = { kind: 'question' | 'answer' | 'reply'; place: string };

/** A vote has only the id of its post; a notification also has those of the parents. */
function writeVotes(
  parts: WriterParts,
  post: Question | Answer | Reply,
  { kind, place: postIds }: Voted,
): void {
  const { random, totals, writeRows } = parts;
  const on = row(
    ...(['question', 'answer', 'reply'] as const).map((each) => (each === kind ? post.id : none)),
  );
  for (const direction of ['up', 'down'] as const)
    for (const voter of post[direction]) {
      const at = post.at + 60_000 + random.below(2e8);
      writeRows('vote', `${voter}\t${on}\t${direction}\t${formatTimestamp(at)}\n`);
      if (voter === post.author) continue;
      add(totals.reputation, post.author, reputationPoints[kind][direction]);
      if (direction === 'up' && random.chance(notificationShares.votes))
        notify(parts, { kind: `vote_${kind}`, to: post.author, from: voter, postIds, at });
    }
}

/** Probability that the notification of a reply or a vote exists, and that it is read. */
const notificationShares = { replies: 0.3, votes: 0.1, read: 0.85 };

type NewNotification = { kind: string; to: number; from: number; postIds: string; at: number };

function notify({ random, writeRows }: WriterParts, { kind, to, from, postIds, at }: NewNotification): void {
  if (to === from) return;
  const time = formatTimestamp(at);
  const read = random.chance(notificationShares.read) ? formatTimestamp(at + 3_600_000) : none;
  writeRows('base_notification', `${row(to, from, kind, postIds, time, read)}\n`);
}

/**
 * Writes members, tags, follows and the words of all texts, after the last chunk. Every member signs in with the
 * password of this hash.
 */
export function* writeRest(parts: WriterParts, passwordHash: string): Generator<number> {
  const { shape, random, writer, tags, totals, words, writeRows } = parts;
  const draw = {
    tag: zipf(random, shape.tags, 0.9),
    tags: heavyTail({ mean: 3, none: 0.4, tail: 1.8, most: 50 }),
  };
  for (let id = 1; id <= shape.members; id++) {
    const time = formatTimestamp(shape.newest - communityAgeMs);
    const counts = row(totals.reputation[id] ?? 0, totals.questions[id] ?? 0, totals.answers[id] ?? 0);
    writeRows('member', `${row(id, writer.name(), memberEmail(id), true, counts, time, time)}\n`);
    writeRows('account', `${row(id, id, 'credential', passwordHash, time, time)}\n`);
    const followed = new Set(Array.from({ length: draw.tags(random.next()) }, () => draw.tag() + 1));
    for (const tag of followed)
      writeRows(
        'tag_follow',
        `${row(tag, id, formatTimestamp(shape.newest - random.below(communityAgeMs)))}\n`,
      );
    if (id % 1_000 === 0) yield id;
  }
  for (const [index, name] of tags.entries()) {
    const active = totals.tagActive[index + 1] ?? 0;
    writeRows(
      'tag',
      `${row(index + 1, name, tagKey(name), totals.tagged[index + 1] ?? 0, active === 0 ? none : formatTimestamp(active))}\n`,
    );
  }
  let written = 0;
  for (const counted of words.rows()) {
    writeRows('search_word', counted);
    if (++written % 10_000 === 0) yield shape.members;
  }
  yield shape.members;
}

/** The email address of a member of a filled community. */
export const memberEmail = (id: number) => `member${id}@bench.example`;

const none = '\\N';

function row(...cells: readonly (string | number | boolean)[]): string {
  return cells.join('\t');
}

/** Escapes text for COPY: texts contain no tabs or backslashes, so only line breaks remain. */
function text(content: string): string {
  return content.replaceAll('\n', String.raw`\n`);
}

function add(counts: Int32Array, index: number, more: number): void {
  counts[index] = (counts[index] ?? 0) + more;
}
