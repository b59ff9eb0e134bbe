import { randomInt, randomUUID } from 'node:crypto';
import type { Member, ApiResponse } from '#tests/support/member.ts';

/** The posts that all clients use at the same time: the newest few of each kind. */
export type SharedItems = {
  /** Questions that stay, and questions that are asked and deleted again. */
  readonly permanentQuestions: readonly number[];
  readonly questions: number[];
  readonly answers: number[];
  readonly replies: number[];
};

/** How many of the newest posts of each kind are voted on, answered, edited and deleted. */
const newestCount = 6;

/** Maximum of answers and replies per question: large pages are not tested here. */
const maxPostsPerQuestion = 40;

const tags = ['bread', 'rye', 'oven'];

/** Actions with their relative frequency. */
const actions: Readonly<Record<string, { weight: number; act: (client: Client) => Promise<Done | null> }>> = {
  vote: { weight: 30, act: (client) => client.vote() },
  follow: { weight: 10, act: (client) => client.follow() },
  bookmark: { weight: 10, act: (client) => client.bookmark() },
  mute: { weight: 8, act: (client) => client.mute() },
  view: { weight: 6, act: (client) => client.view() },
  ask: { weight: 2, act: (client) => client.ask() },
  answer: { weight: 6, act: (client) => client.answer() },
  reply: { weight: 8, act: (client) => client.reply() },
  edit: { weight: 6, act: (client) => client.edit() },
  accept: { weight: 3, act: (client) => client.accept() },
  'delete question': { weight: 2, act: (client) => client.remove('questions') },
  'delete answer': { weight: 4, act: (client) => client.remove('answers') },
  'delete reply': { weight: 5, act: (client) => client.remove('replies') },
  'read notifications': { weight: 4, act: (client) => client.readNotifications() },
  draft: { weight: 3, act: (client) => client.draft() },
  read: { weight: 10, act: (client) => client.read() },
};

type Done = ApiResponse;
type Kind = 'questions' | 'answers' | 'replies';

/** Responses by action and status, and the duration of each in milliseconds. */
export type Tally = { responses: Map<string, number>; unexpected: string[]; times: number[] };

/** Expected for posts that were deleted or changed meanwhile, and for rate limits. */
const expectedStatuses = new Set([404, 409, 410, 429]);

/** One browser of a member that acts without a pause. */
export class Client {
  readonly #member: Member;
  readonly #common: SharedItems;
  /** The member's own posts that still exist, as far as the client knows. */
  readonly #own: Record<Kind, number[]> = { questions: [], answers: [], replies: [] };

  constructor(member: Member, common: SharedItems, asked: readonly number[]) {
    this.#member = member;
    this.#common = common;
    this.#own.questions.push(...asked);
  }

  /** Acts repeatedly until `isOver`. */
  async act(tally: Tally, isOver: () => boolean): Promise<void> {
    const names = Object.keys(actions).flatMap((name) =>
      Array.from({ length: actions[name]?.weight ?? 0 }, () => name),
    );
    while (!isOver()) {
      const name = one(names) ?? 'vote';
      const began = performance.now();
      const response = await actions[name]?.act(this).catch((error: unknown) => String(error));
      if (response === null || response === undefined) continue;
      tally.times.push(performance.now() - began);
      const status = typeof response === 'string' ? 'broken' : response.status;
      const key = `${name}: ${status}`;
      tally.responses.set(key, (tally.responses.get(key) ?? 0) + 1);
      if (typeof status === 'number' && (status < 300 || expectedStatuses.has(status))) continue;
      const text = typeof response === 'string' ? response : `${response.code} ${response.detail}`;
      tally.unexpected.push(`${new Date().toISOString()} ${key} ${text}`);
    }
  }

  vote() {
    const [kind, id] = this.#any();
    return this.#put(id && `/${kind}/${id}/vote`, { vote: one(['up', 'up', 'down', null]) });
  }

  follow() {
    const following = randomInt(2) === 0;
    const target = randomInt(2) === 0 ? `questions/${this.#question()}` : `tags/${one(tags)}`;
    return this.#put(`/${target}/follow`, { following });
  }

  mute() {
    const muted = randomInt(2) === 0;
    const target = randomInt(2) === 0 ? `questions/${this.#question()}` : `tags/${one(tags)}`;
    return this.#put(`/${target}/mute`, { muted });
  }

  bookmark() {
    const answer = one(this.#common.answers.slice(-newestCount));
    const target =
      answer === undefined || randomInt(2) === 0 ? `questions/${this.#question()}` : `answers/${answer}`;
    return this.#put(`/${target}/bookmark`, { bookmarked: randomInt(2) === 0 });
  }

  view() {
    return this.#put(`/questions/${this.#question()}/view`);
  }

  async ask() {
    const some = tags.slice(0, 1 + randomInt(tags.length));
    const body = { title: 'Is this there?', content: 'For a while.', tags: some };
    return this.#posted(
      'questions',
      await this.#member.post<{ id: number }>('/questions', body, randomUUID()),
    );
  }

  async answer() {
    if (this.#common.answers.length > maxPostsPerQuestion) return this.remove('answers');
    const path = `/questions/${this.#question()}/answers`;
    return this.#posted(
      'answers',
      await this.#member.post<{ id: number }>(path, { content: 'So.' }, randomUUID()),
    );
  }

  async reply() {
    if (this.#common.replies.length > maxPostsPerQuestion) return this.remove('replies');
    const answer = one(this.#common.answers.slice(-newestCount));
    const place =
      answer === undefined || randomInt(4) === 0 ? `questions/${this.#question()}` : `answers/${answer}`;
    const parent = randomInt(2) === 0 ? null : (one(this.#common.replies.slice(-newestCount)) ?? null);
    const body = { content: 'Well.', parentReplyId: parent };
    const response = await this.#member.post<{ id: number }>(`/${place}/replies`, body, randomUUID());
    // A parent of another thread, or at the maximum level: not tested here.
    if (response.status === 400) return null;
    return this.#posted('replies', response);
  }

  edit() {
    const kind = one(['questions', 'answers', 'replies'] as const) ?? 'answers';
    const id = one(this.#own[kind].slice(-newestCount));
    const content = `Edited ${randomInt(1_000)}.`;
    const whole = { title: 'Is this there?', content, tags: tags.slice(randomInt(tags.length)) };
    return this.#put(id && `/${kind}/${id}`, kind === 'questions' ? whole : { content });
  }

  async accept() {
    const id = one(this.#own.questions.slice(-newestCount));
    if (id === undefined) return null;
    const page = await this.#member.get<{ answers?: { items: { id: number }[] } }>(`/questions/${id}`);
    const answers = page.status === 200 ? (page.body.answers?.items ?? []) : [];
    return this.#put(`/questions/${id}/accepted-answer`, {
      answerId: one([...answers.map((each) => each.id), null]),
    });
  }

  async remove(kind: Kind) {
    const own = this.#own[kind].filter(
      (id) => !this.#common.permanentQuestions.includes(id) || kind !== 'questions',
    );
    const id = one(own.slice(-newestCount));
    if (id === undefined) return null;
    forget(this.#own[kind], id);
    forget(this.#common[kind], id);
    return this.#member.send('DELETE', `/${kind}/${id}`);
  }

  readNotifications() {
    return this.#put('/notifications/read', { upTo: null });
  }

  draft() {
    const body = {
      key: randomUUID(),
      fields: { content: 'So far.' },
      basedOn: null,
      clientId: randomUUID(),
      sequence: 1,
    };
    return this.#put('/drafts/ask', body);
  }

  read() {
    return this.#member.get(
      one([`/questions/${this.#question()}`, '/feeds/recent', '/tags/bread', '/notifications']) ?? '',
    );
  }

  async #put(path: string | undefined | 0, body?: unknown): Promise<Done | null> {
    return path ? this.#member.put(path, body) : null;
  }

  #posted(kind: Kind, response: ApiResponse<{ id: number }>): Done {
    if (response.status >= 300) return response;
    this.#own[kind].push(response.body.id);
    this.#common[kind].push(response.body.id);
    return response;
  }

  #question(): number {
    const { permanentQuestions, questions } = this.#common;
    return one([...permanentQuestions, ...questions.slice(-newestCount)]) ?? 0;
  }

  #any(): readonly [Kind, number | undefined] {
    const kind = one(['questions', 'answers', 'replies'] as const) ?? 'questions';
    return [kind, kind === 'questions' ? this.#question() : one(this.#common[kind].slice(-newestCount))];
  }
}

function one<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : items[randomInt(items.length)];
}

function forget(ids: number[], id: number): void {
  const at = ids.indexOf(id);
  if (at >= 0) ids.splice(at, 1);
}
