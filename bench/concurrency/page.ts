import { randomInt } from 'node:crypto';
import { io, type Socket } from 'socket.io-client';
import { expectOk, type Member } from '#tests/support/member.ts';
import type { Answer } from '#shared/posts/answers.ts';
import {
  type EventBatch,
  type LiveEvent,
  type Position,
  positionHeader,
  type SubscribeResult,
  type Topic,
} from '#shared/core/events.ts';
import type { FeedPage } from '#shared/engagement/mutes.ts';
import type { QuestionCard } from '#shared/posts/questions.ts';
import type { RepliesPage, Reply } from '#shared/posts/replies.ts';
import type { Tag } from '#shared/discovery/tags.ts';

type Connection = Socket<
  { events: (batch: EventBatch) => void; gap: (position: Position) => void },
  { subscribe: (wanted: object, answer: (subscribed: SubscribeResult) => void) => void }
>;

/** Entries such as 'answer 7 votes' with a value such as '3 up, 1 down'. */
export type PageState = Map<string, unknown>;

/** What all pages of a run show. */
export type ObservedItems = { questions: readonly number[]; tags: readonly string[] };

/**
 * A page that a member keeps open for the whole run: it loads once, then only applies events. From time to time its
 * connection breaks and resumes from its position.
 */
export class Page {
  readonly member: Member;
  breaks = 0;
  gaps = 0;
  receivedEvents = 0;
  #shown: PageState = new Map();
  readonly #watched: ObservedItems;
  readonly #topics: readonly Topic[];
  readonly #since = new Map<Topic, Position>();
  readonly #socket: Connection;

  static async open(member: Member, watched: ObservedItems): Promise<Page> {
    const page = new Page(member, watched);
    await page.#read();
    page.#socket.connect();
    return page;
  }

  private constructor(member: Member, watched: ObservedItems) {
    this.member = member;
    this.#watched = watched;
    this.#topics = [
      'feeds',
      'tags',
      `member:${member.id}`,
      ...watched.questions.map((id) => `question:${id}` as const),
    ];
    this.#socket = io(member.address, {
      path: '/api/live',
      transports: ['websocket'],
      extraHeaders: { cookie: [...member.cookies].map((pair) => pair.join('=')).join('; ') },
      forceNew: true,
      autoConnect: false,
      reconnectionDelay: 100,
    });
    this.#socket.on('connect', () => this.#topics.forEach((topic) => this.#subscribe(topic)));
    this.#socket.on('events', ({ topic, events, position }) => {
      this.#since.set(topic, position);
      for (const event of events) this.#apply(topic, event);
    });
    this.#socket.on('gap', () => this.#readAgain());
  }

  get shown(): PageState {
    return this.#shown;
  }

  /** Breaks the connection, which reconnects a moment later. */
  break(): void {
    this.breaks++;
    this.#socket.disconnect();
    setTimeout(() => this.#socket.connect(), randomInt(2_000));
  }

  close(): void {
    this.#socket.disconnect();
  }

  #subscribe(topic: Topic): void {
    // Sent synchronously: after a promise, messages that follow the acknowledgement could arrive first.
    this.#socket.emit('subscribe', { topic, since: this.#since.get(topic) ?? '' }, (answer) => {
      if (!answer.ok) throw new Error(`a page may not subscribe to ${topic}: ${answer.reason}`);
      this.#since.set(topic, answer.position);
      if (answer.gap) this.#readAgain();
      else for (const event of answer.events) this.#apply(topic, event);
    });
  }

  #readAgain(): void {
    this.gaps++;
    this.#socket.disconnect();
    void this.#read().then(() => this.#socket.connect());
  }

  async #read(): Promise<void> {
    const { shown, position } = await readPageState(this.member, this.#watched);
    this.#shown = shown;
    for (const topic of this.#topics) this.#since.set(topic, position);
  }

  #apply(topic: Topic, event: LiveEvent): void {
    this.receivedEvents++;
    apply(this.#shown, topic, event);
  }
}

/** The differences between an open page and a page loaded now. */
export function listDifferences(shown: PageState, fresh: PageState): string[] {
  const keys = new Set([...shown.keys(), ...fresh.keys()]);
  return [...keys]
    .filter((key) => shown.get(key) !== fresh.get(key))
    .map((key) => `${key}: ${String(shown.get(key))} instead of ${String(fresh.get(key))}`);
}

/** Loads everything a page shows, and the position up to which it is complete. */
export async function readPageState(member: Member, { questions, tags }: ObservedItems) {
  const shown: PageState = new Map();
  const { headers } = await member.get('/session');
  const position = headers.get(positionHeader) ?? '';
  let cursor: string | null = null;
  do {
    const page: FeedPage = await member.feed('recent', cursor, 'show');
    for (const card of page.items) showCard(shown, card);
    cursor = page.nextCursor;
  } while (cursor !== null);
  for (const tag of tags) {
    const isMissing = (await member.get(`/tags/${tag}`)).status === 404;
    if (!isMissing) showTag(shown, await member.readTag(tag));
  }
  for (const id of questions) await showQuestion(shown, member, id);
  return { shown, position };
}

async function* items<Item>(
  member: Member,
  path: string,
  first?: { items: Item[]; nextCursor: string | null },
) {
  let page = first ?? expectOk(await member.get<{ items: Item[]; nextCursor: string | null }>(path));
  yield* page.items;
  while (page.nextCursor !== null) {
    const next = `${path}${path.includes('?') ? '&' : '?'}cursor=${page.nextCursor}`;
    page = expectOk(await member.get<{ items: Item[]; nextCursor: string | null }>(next));
    yield* page.items;
  }
}

function showCard(shown: PageState, card: QuestionCard): void {
  const { id, upvotes, downvotes, views, answerCount } = card;
  shown.set(`card ${id}`, true);
  shown.set(`card ${id} counts`, countsOf({ upvotes, downvotes, views, answerCount }));
}

function showTag(shown: PageState, { name, questionsCount, followersCount, following, muted }: Tag): void {
  shown.set(`tag ${name} questions`, questionsCount);
  shown.set(`tag ${name} followers`, followersCount);
  shown.set(`following tag ${name}`, following);
  shown.set(`muted tag ${name}`, muted);
}

async function showQuestion(shown: PageState, member: Member, id: number): Promise<void> {
  const { question, answers, replies } = await member.read(id);
  shown.set(`question ${id} votes`, votesOf(question));
  shown.set(`question ${id} views`, question.views);
  shown.set(`question ${id} accepted`, question.acceptedAnswerId);
  shown.set(`following question ${id}`, question.following);
  shown.set(`bookmarked question ${id}`, question.bookmarked);
  shown.set(`muted question ${id}`, question.muted);
  for await (const reply of items<Reply>(member, `/questions/${id}/replies`, replies))
    showReply(shown, reply);
  for await (const answer of items<Answer>(member, `/questions/${id}/answers`, answers)) {
    shown.set(`answer ${answer.id}`, true);
    shown.set(`answer ${answer.id} votes`, votesOf(answer));
    const below: RepliesPage = answer.replies;
    for await (const reply of items<Reply>(member, `/answers/${answer.id}/replies`, below))
      showReply(shown, reply);
  }
}

function showReply(shown: PageState, reply: Reply): void {
  if (reply.deleted) return;
  shown.set(`reply ${reply.id}`, `below ${reply.answerId}`);
  shown.set(`reply ${reply.id} votes`, votesOf(reply));
}

type Voted = { upvotes: number; downvotes: number };
const votesOf = ({ upvotes, downvotes }: Voted) => `${upvotes} up, ${downvotes} down`;
const none = votesOf({ upvotes: 0, downvotes: 0 });

const countsOf = ({
  upvotes,
  downvotes,
  views,
  answerCount,
}: Voted & { views: number; answerCount: number }) =>
  `${upvotes} up, ${downvotes} down, ${views} views, ${answerCount} answers`;

const kinds = [
  'question-posted',
  'question-counted',
  'question-deleted',
  'tag-questions-changed',
  'tag-followers-changed',
  'voted',
  'viewed',
  'accepted',
  'answer-posted',
  'answer-deleted',
  'reply-posted',
  'reply-deleted',
] as const;
type Shared = Extract<LiveEvent, { kind: (typeof kinds)[number] }>;
const isShared = (event: LiveEvent): event is Shared => kinds.some((kind) => kind === event.kind);

/** Applies an event as a browser does, without a request. */
function apply(shown: PageState, topic: Topic, event: LiveEvent): void {
  if (!isShared(event)) return applyOwn(shown, event);
  const question = topic.split(':')[1];
  const isFeeds = topic === 'feeds';
  switch (event.kind) {
    case 'question-posted':
      shown.set(`card ${event.questionId}`, true);
      shown.set(`card ${event.questionId} counts`, `${none}, 0 views, 0 answers`);
      return;
    case 'question-counted':
      shown.set(`card ${event.questionId} counts`, countsOf(event));
      return;
    case 'question-deleted':
      if (isFeeds) forget(shown, `card ${event.questionId}`);
      return;
    case 'tag-questions-changed':
      shown.set(`tag ${event.tag} questions`, event.questionsCount);
      return;
    case 'tag-followers-changed':
      shown.set(`tag ${event.tag} followers`, event.followersCount);
      return;
    case 'voted':
      shown.set(`${event.post} ${event.id} votes`, votesOf(event));
      return;
    case 'viewed':
      shown.set(`question ${question} views`, event.views);
      return;
    case 'accepted':
      shown.set(`question ${question} accepted`, event.acceptedAnswerId);
      return;
    case 'answer-posted':
      shown.set(`answer ${event.answerId}`, true);
      shown.set(`answer ${event.answerId} votes`, none);
      return;
    case 'answer-deleted':
      forget(shown, `answer ${event.answerId}`);
      for (const [key, place] of shown) if (place === `below ${event.answerId}`) forget(shown, key);
      return;
    case 'reply-posted':
      shown.set(`reply ${event.replyId}`, `below ${event.answerId}`);
      shown.set(`reply ${event.replyId} votes`, none);
      return;
    case 'reply-deleted':
      forget(shown, `reply ${event.replyId}`);
  }
}

/** Applies the member's own actions, in this browser or another one. */
function applyOwn(shown: PageState, event: LiveEvent): void {
  const set = (key: string, value: boolean) => shown.has(key) && shown.set(key, value);
  if (event.kind === 'follows-changed')
    set(
      'tag' in event ? `following tag ${event.tag}` : `following question ${event.questionId}`,
      event.following,
    );
  if (event.kind === 'mutes-changed')
    set('tag' in event ? `muted tag ${event.tag}` : `muted question ${event.questionId}`, event.muted);
  if (event.kind === 'bookmarked' && !('answerId' in event))
    set(`bookmarked question ${event.questionId}`, event.bookmarked);
}

function forget(shown: PageState, key: string): void {
  shown.delete(key);
  shown.delete(`${key} votes`);
  shown.delete(`${key} counts`);
}
