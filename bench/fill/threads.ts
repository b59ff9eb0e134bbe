import { createRandom, heavyTail, type Random, scatter, zipf } from './random.ts';
import { communityAgeMs, type Shape } from './shape.ts';

/** A post with its voters and children; ids count from 1, times are milliseconds. */
type Post = { id: number; author: number; at: number; up: number[]; down: number[] };
export type Question = Post & {
  tags: number[];
  viewers: number[];
  followers: number[];
  answers: Answer[];
  /** All replies to the question and to its answers, in order of time. */
  replies: Reply[];
  accepted: Answer | null;
  /** The time of the latest question, answer or reply in the thread. */
  activeAt: number;
};
export type Answer = Post & { question: Question };
export type Reply = Post & { question: Question; answer: Answer | null; parent: Reply | null; level: number };

export type Chunk = { questions: Question[]; answers: Answer[]; replies: Reply[] };

const hour = 60 * 60 * 1_000;
const day = 24 * hour;

/**
 * Questions generated together: they are in memory at the same time, and the ids of their posts are in order of time.
 */
const questionsPerChunk = 2_000;

/** The ids of members and tags start at 1 as well. */
export function* generateThreads(shape: Shape): Generator<Chunk> {
  const maker = createMaker(shape);
  const next = { answer: 1, reply: 1 };
  for (let first = 0; first < shape.questions; first += questionsPerChunk) {
    const count = Math.min(questionsPerChunk, shape.questions - first);
    const questions = Array.from({ length: count }, (_, index) => maker(first + index));
    const answers = questions.flatMap((question) => question.answers).toSorted(byTime);
    for (const answer of answers) answer.id = next.answer++;
    const replies = questions.flatMap((question) => question.replies).toSorted(byTime);
    for (const reply of replies) reply.id = next.reply++;
    yield { questions, answers, replies };
  }
}

const byTime = (one: Post, other: Post) => one.at - other.at;

function createMaker(shape: Shape): (index: number) => Question {
  const random = createRandom(shape.seed);
  const draw = drawers(random, shape);

  return function make(index) {
    // Popular questions have more of everything, but not in proportion.
    const fame = random.next();
    const near = () => (random.chance(0.7) ? fame : random.next());
    const at = timeOf(index + random.next());
    const question: Question = {
      ...post(index + 1, at),
      tags: distinct(draw.tagsOf(random.next()), draw.tag, shape.tags),
      viewers: distinct(draw.views(near()), draw.member, shape.members),
      followers: distinct(draw.followers(near()), draw.member, shape.members),
      answers: [],
      replies: [],
      accepted: null,
      activeAt: at,
    };
    for (let count = draw.answers(near()); count > 0; count--)
      question.answers.push({ ...post(0, later(at, 2 * day)), question });
    for (let count = draw.replies(near()); count > 0; count--) addReply(question);
    question.replies.sort(byTime);
    castVotes(question, draw.votes(near()));
    if (question.answers.length > 0 && random.chance(0.45)) question.accepted = random.of(question.answers);
    question.activeAt = Math.max(
      at,
      ...question.answers.map((answer) => answer.at),
      question.replies.at(-1)?.at ?? 0,
    );
    return question;
  };

  function post(id: number, at: number): Post {
    return { id, at, author: draw.member(), up: [], down: [] };
  }

  /** Communities grow: questions per day increase over time. */
  function timeOf(place: number): number {
    return Math.floor(
      shape.newest - communityAgeMs + communityAgeMs * (place / (shape.questions + 1)) ** 0.6,
    );
  }

  /** Soon after, or much later; never after the newest time. */
  function later(at: number, mean: number): number {
    const after = -Math.log(1 - random.next()) * mean * (random.chance(0.1) ? 40 : 1);
    return Math.min(shape.newest, Math.floor(at + 30_000 + after));
  }

  /** Adds a reply to the question, an answer or another reply. */
  function addReply(question: Question): void {
    const { replies, answers } = question;
    const parent = replies.length > 0 && random.chance(0.35) ? random.of(replies) : null;
    if (parent !== null && parent.level < 3) {
      const at = Math.max(parent.at + 1, later(parent.at, 6 * hour));
      replies.push({ ...post(0, at), question, answer: parent.answer, parent, level: parent.level + 1 });
      return;
    }
    const answer = answers.length > 0 && random.chance(0.6) ? random.of(answers) : null;
    replies.push({
      ...post(0, later((answer ?? question).at, day)),
      question,
      answer,
      parent: null,
      level: 0,
    });
  }

  /**
   * Distributes votes over the question, its answers (more for the first ones) and its replies; no member votes twice
   * on a post.
   */
  function castVotes(question: Question, count: number): void {
    const shares = new Map<Post, number>();
    for (let vote = 0; vote < count; vote++) {
      const target = targetOf(question);
      shares.set(target, (shares.get(target) ?? 0) + 1);
    }
    for (const [target, votes] of shares)
      for (const voter of distinct(votes, draw.member, shape.members)) {
        if (voter === target.author) continue;
        (random.chance(0.9) ? target.up : target.down).push(voter);
      }
  }

  function targetOf(question: Question): Post {
    const { answers, replies } = question;
    const share = random.next();
    if (share < 0.55 && answers.length > 0)
      return answers[Math.floor(random.next() ** 2 * answers.length)] ?? question;
    return share > 0.9 && replies.length > 0 ? random.of(replies) : question;
  }

  /** Draws `count` different numbers from 1 on; a number already drawn is replaced by the next free one. */
  function distinct(count: number, drawOne: () => number, all: number): number[] {
    const chosen = new Set<number>();
    const wanted = Math.min(count, Math.floor(all / 2));
    while (chosen.size < wanted) {
      let one = drawOne();
      while (chosen.has(one)) one = (one % all) + 1;
      chosen.add(one);
    }
    return [...chosen];
  }
}

function drawers(random: Random, shape: Shape) {
  const memberPlace = scatter(shape.members);
  const [memberRank, tagRank] = [zipf(random, shape.members, 0.7), zipf(random, shape.tags, 0.9)];
  return {
    member: () => memberPlace(memberRank()) + 1,
    tag: () => tagRank() + 1,
    tagsOf: (share: number) => 1 + Math.floor(share ** 1.3 * 4.2),
    answers: heavyTail({ mean: shape.answers, none: 0.12, tail: 1.8, most: 2_000 }),
    replies: heavyTail({ mean: shape.replies, none: 0.35, tail: 1.7, most: 2_000 }),
    votes: heavyTail({ mean: shape.votes, none: 0.15, tail: 1.5, most: 20_000 }),
    views: heavyTail({ mean: shape.views, none: 0.02, tail: 1.5, most: 40_000 }),
    followers: heavyTail({ mean: 0.5, none: 0.75, tail: 1.5, most: 5_000 }),
  };
}
