import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import type { VoteDirection } from '#shared/core/fields.ts';
import type { Member, ApiResponse } from './member.ts';

type Table = 'question' | 'answer' | 'reply';
type Posted = { table: Table; id: number; content: string };

/** Posts of all members, to answer and to vote on; the newest are the busiest. */
const sharedPosts: Record<Table, number[]> = { question: [], answer: [], reply: [] };

/** Maximum time until a write is acknowledged, in milliseconds. */
const timeoutMs = 60_000;

/** A member who writes repeatedly, retries every write until it is acknowledged, and records acknowledged writes. */
export class WriteLedger {
  acknowledged = 0;
  repeated = 0;
  refused = 0;
  brokenConnections = 0;
  readonly #member: Member;
  readonly #random: () => number;
  readonly #posted = new Map<string, Posted>();
  readonly #deleted: Posted[] = [];
  readonly #votes = new Map<number, VoteDirection | null>();

  constructor(member: Member, random: () => number) {
    this.#member = member;
    this.#random = random;
  }

  /** Writes until `isOver` and the last write is acknowledged. */
  async write(address: () => string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const choice = this.#random();
      if (choice < 0.2) await this.#post(address, 'question', '/questions', { title: 'Is this kept?' });
      else if (choice < 0.4) await this.#postBelow(address, 'answer', 'question', 'questions', 'answers');
      else if (choice < 0.6) await this.#postBelow(address, 'reply', 'answer', 'answers', 'replies');
      else if (choice < 0.95) await this.#vote(address);
      else await this.#delete(address);
    }
  }

  /** Returns a sentence for each acknowledged write that is missing or stored more than once. */
  async findMissing(db: Database): Promise<string[]> {
    const problems: string[] = [];
    for (const table of ['question', 'answer', 'reply'] as const) {
      const { rows } = await sql<{ id: number; content: string }>`
        select id, content from ${sql.table(table)} where author_id = ${this.#member.id}`.execute(db);
      const stored = Map.groupBy(rows, (row) => row.content);
      for (const [content, copies] of stored)
        if (copies.length > 1) problems.push(`${table} '${content}' is stored ${copies.length} times`);
      const ids = new Map(rows.map((row) => [row.id, row.content]));
      for (const { id, content } of [...this.#posted.values()].filter((post) => post.table === table))
        if (ids.get(id) !== content) problems.push(`${table} ${id} was acknowledged and is missing`);
      for (const { id } of this.#deleted.filter((post) => post.table === table))
        if (ids.has(id)) problems.push(`${table} ${id} was deleted and exists again`);
    }
    return [...problems, ...(await this.#wrongVotes(db))];
  }

  async #wrongVotes(db: Database): Promise<string[]> {
    const { rows } = await sql<{ id: number; direction: VoteDirection }>`
      select question_id as id, direction from vote
      where member_id = ${this.#member.id} and question_id is not null`.execute(db);
    const stored = new Map(rows.map((row) => [row.id, row.direction]));
    return [...this.#votes]
      .filter(([id, vote]) => (stored.get(id) ?? null) !== vote)
      .map(([id, vote]) => `the vote ${vote} on question ${id} was acknowledged and is ${stored.get(id)}`);
  }

  async #postBelow(
    address: () => string,
    table: Table,
    on: Table,
    collection: string,
    posts: string,
  ): Promise<void> {
    const id = this.#pick(sharedPosts[on]);
    if (id !== undefined) await this.#post(address, table, `/${collection}/${id}/${posts}`, {});
  }

  async #post(address: () => string, table: Table, path: string, more: object): Promise<void> {
    const key = randomUUID();
    const body = { ...more, content: key };
    const response = await this.#retryUntilAcknowledged(() =>
      this.#member.onServer(address()).post<{ id: number }>(path, body, key),
    );
    const { id } = response.body;
    this.#posted.set(key, { table, id, content: key });
    sharedPosts[table].push(id);
  }

  async #vote(address: () => string): Promise<void> {
    const id = this.#pick(sharedPosts.question);
    if (id === undefined) return;
    const vote = this.#random() < 0.4 ? 'up' : this.#random() < 0.7 ? 'down' : null;
    await this.#retryUntilAcknowledged(() =>
      this.#member.onServer(address()).put(`/questions/${id}/vote`, { vote }),
    );
    this.#votes.set(id, vote);
  }

  /** Deletes a reply of the member, since no other posts depend on it. */
  async #delete(address: () => string): Promise<void> {
    const own = [...this.#posted.values()].filter((post) => post.table === 'reply');
    const post = own[Math.floor(this.#random() * own.length)];
    if (post === undefined) return;
    // If the first response was lost, the retry responds not-found.
    await this.#retryUntilAcknowledged(
      () => this.#member.onServer(address()).delete(`/replies/${post.id}`),
      [404],
    );
    this.#posted.delete(post.content);
    this.#deleted.push(post);
  }

  #pick(ids: readonly number[]): number | undefined {
    const newest = ids.slice(-12);
    return newest[Math.floor(this.#random() * newest.length)];
  }

  /**
   * Sends until the response is an acknowledgement.
   * @throws when the response is an unexpected error
   */
  async #retryUntilAcknowledged<Body>(
    send: () => Promise<ApiResponse<Body>>,
    acceptedStatuses: number[] = [],
  ): Promise<ApiResponse<Body>> {
    const deadline = Date.now() + timeoutMs;
    for (let tries = 1; Date.now() < deadline; tries++) {
      const response = await send().catch(() => undefined);
      if (response === undefined) this.brokenConnections++;
      else if (response.status === 503 || response.status === 429) this.refused++;
      else if (response.status < 300 || (tries > 1 && acceptedStatuses.includes(response.status))) {
        this.acknowledged++;
        if (tries > 1) this.repeated++;
        return response;
      } else throw new Error(`responded ${response.status} ${response.code}: ${response.detail}`);
      await delay(20);
    }
    throw new Error(`a write was not acknowledged in ${timeoutMs / 1000} s`);
  }
}
