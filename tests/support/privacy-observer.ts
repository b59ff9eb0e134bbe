import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expectOk, type Member } from './member.ts';

/** What a member alone may see: whatever else is on a page, these of others are not. */
type PrivateMarkers = { email: string; private: string };

/** Pages of a member's own, and what of theirs must be on each. */
const pages: readonly { path: string; shows?: keyof PrivateMarkers }[] = [
  { path: '/session', shows: 'email' },
  { path: '/settings' },
  { path: '/drafts/ask', shows: 'private' },
  { path: '/bookmarks', shows: 'private' },
  { path: '/drafts' },
  { path: '/notifications' },
  { path: '/notification-settings' },
  { path: '/sessions' },
  { path: '/feeds/recent' },
];

/** One member who looks at what is theirs alone, without pause, and notes where it is gone, or somebody else's. */
export class PrivacyObserver {
  looks = 0;
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
        const onlooker = new PrivacyObserver(member, all);
        const note = onlooker.#marks.private;
        await member.bookmark('questions', await member.ask(), { note });
        const draft = {
          key: randomUUID(),
          fields: { content: note },
          basedOn: null,
          clientId: randomUUID(),
          sequence: 1,
        };
        expectOk(await member.put('/drafts/ask', draft));
        return onlooker;
      }),
    );
  }

  async look(address: () => string, isOver: () => boolean): Promise<void> {
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
    // Whoever is refused for the moment, or cut off, sees nothing.
    if (response === undefined || response.status === 503 || response.status === 429) return;
    this.looks++;
    const text = JSON.stringify(response.body);
    const who = `${this.#member.name} at ${path}`;
    if (response.status !== 200) this.violations.push(`${who} was answered with ${response.status}`);
    else if (shows !== undefined && !text.includes(this.#marks[shows]))
      this.violations.push(`${who} misses their own`);
    for (const marks of this.#all)
      if (marks !== this.#marks && (text.includes(marks.email) || text.includes(marks.private)))
        this.violations.push(`${who} saw what is ${marks.email}'s`);
  }
}
