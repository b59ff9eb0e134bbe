import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expectOk, type Member } from './member.ts';

/** Texts that only the member may see. */
type PrivateMarkers = { email: string; private: string };

/** A member's own pages, and which of their markers each must show. */
const pages: readonly { path: string; shows?: keyof PrivateMarkers }[] = [
  { path: '/session', shows: 'email' },
  { path: '/settings' },
  { path: '/drafts/ask', shows: 'private' },
  { path: '/bookmarks', shows: 'private' },
  { path: '/drafts' },
  { path: '/notifications' },
  { path: '/notification-preferences' },
  { path: '/sessions' },
  { path: '/feeds/recent' },
];

/** A member who reads their private pages repeatedly and records missing own data and visible data of others. */
export class PrivacyObserver {
  privateReads = 0;
  readonly violations: string[] = [];
  readonly #member: Member;
  readonly #marks: PrivateMarkers;
  readonly #all: PrivateMarkers[];

  private constructor(member: Member, all: PrivateMarkers[]) {
    this.#member = member;
    this.#marks = { email: member.email, private: `only ${member.name} may see ${randomUUID()}` };
    this.#all = all;
    all.push(this.#marks);
  }

  /** Gives each member a draft and a bookmark with a note. */
  static async prepare(members: readonly Member[]): Promise<PrivacyObserver[]> {
    const all: PrivateMarkers[] = [];
    return Promise.all(
      members.map(async (member) => {
        const observer = new PrivacyObserver(member, all);
        const note = observer.#marks.private;
        await member.bookmark('questions', await member.ask(), { note });
        const draft = {
          key: randomUUID(),
          fields: { content: note },
          basedOn: null,
          clientId: randomUUID(),
          sequence: 1,
        };
        expectOk(await member.put('/drafts/ask', draft));
        return observer;
      }),
    );
  }

  async readPrivatePages(address: () => string, isOver: () => boolean): Promise<void> {
    for (let turn = 0; !isOver(); turn++) {
      const page = pages[turn % pages.length];
      if (page !== undefined) await this.#lookAt(address(), page);
      await delay(10);
    }
  }

  async #lookAt(address: string, { path, shows }: (typeof pages)[number]): Promise<void> {
    const response = await this.#member
      .onServer(address)
      .get(path)
      .catch(() => undefined);
    // A temporary refusal or a broken connection shows nothing.
    if (response === undefined || response.status === 503 || response.status === 429) return;
    this.privateReads++;
    const text = JSON.stringify(response.body);
    const who = `${this.#member.name} at ${path}`;
    if (response.status !== 200) this.violations.push(`${who} got ${response.status}`);
    else if (shows !== undefined && !text.includes(this.#marks[shows]))
      this.violations.push(`${who} does not see their own data`);
    for (const marks of this.#all)
      if (marks !== this.#marks && (text.includes(marks.email) || text.includes(marks.private)))
        this.violations.push(`${who} saw data of ${marks.email}`);
  }
}
