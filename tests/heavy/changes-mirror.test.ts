import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { runAccountMerges } from '#server/admin/account-merge.ts';
import { setRole } from '#server/admin/roles.ts';
import { runActivityRemovals } from '#server/moderation/activity-removal.ts';
import { programOf } from '#tests/support/api-tokens.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member, password } from '#tests/support/member.ts';
import { compareMirror, Mirror } from '#tests/support/mirror.ts';
import { actOnMember, actOnPost, type Kind, paths } from '#tests/support/moderation.ts';
import { createSeededRandom } from '#tests/support/seeded-random.ts';
import { startTestServer } from '#tests/support/server.ts';

// Two nodes, and members who do everything that changes public content, on both at the same time. A mirror that reads
// meanwhile must equal the database after each round, whatever was committed in which order.
const server = await startTestServer({}, { changes: { pollMs: 30 } });
const other = await server.startSecondNode({}, { changes: { pollMs: 30 } });
afterAll(async () => {
  await other.stop();
  await server.stop();
});
const [ann, bob, cy, dee] = await server.registerAll('Ann', 'Bob', 'Cy', 'Dee');
const members = [ann, bob, cy, dee];
const admin = await server.register('Adele');
await setRole(server.db, { email: admin.email, role: 'admin' });
const program = await programOf(ann, ['read']);
const there = await programOf(bob, ['read']);
const programs = [program, Object.assign(there, { address: other.address })];

const random = createSeededRandom(Number(process.env['SEED'] ?? 7));
const pick = <Each>(list: readonly Each[]): Each | undefined => list[Math.floor(random() * list.length)];
const tags = ['bread', 'Rye', 'salt', 'yeast', 'crumb', 'oven'];
const someTags = () => tags.filter(() => random() < 0.3);
let names = 0;

/** Ids of posts of a kind, hidden ones too. */
async function idOf(kind: Kind): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(`base_${kind}`)} order by id desc limit 30`.execute(server.db);
  return pick(rows)?.id ?? 1;
}
const kindOf = () => pick<Kind>(['question', 'answer', 'answer', 'reply', 'reply']) ?? 'question';

/** What members and moderators do. Refused requests change nothing. */
const actions: Record<string, (member: Member) => Promise<unknown>> = {
  ask: (member) =>
    member.post('/questions', { title: `Why ${++names}?`, content: 'Tell me.', tags: someTags() }),
  answer: async (member) =>
    member.post(`/questions/${await idOf('question')}/answers`, { content: `So ${++names}.` }),
  reply: async (member) =>
    member.post(`/answers/${await idOf('answer')}/replies`, { content: `Hm ${++names}.` }),
  comment: async (member) =>
    member.post(`/questions/${await idOf('question')}/replies`, { content: `Oh ${++names}.` }),
  replyToReply: async (member) => {
    const parentReplyId = await idOf('reply');
    const { rows } = await sql<{ answer_id: number | null; question_id: number }>`
      select answer_id, question_id from base_reply where id = ${parentReplyId}`.execute(server.db);
    const [parent] = rows;
    if (parent === undefined) return;
    const { answer_id: answerId, question_id: questionId } = parent;
    const path = answerId === null ? `/questions/${questionId}` : `/answers/${answerId}`;
    await member.post(`${path}/replies`, { content: `Below ${++names}.`, parentReplyId });
  },
  vote: async (member) => {
    const kind = kindOf();
    const vote = pick(['up', 'down', null]);
    await member.put(`/${paths[kind]}/${await idOf(kind)}/vote`, { vote });
  },
  edit: async (member) => {
    const kind = kindOf();
    const content = `Anew ${++names}.`;
    const body = kind === 'question' ? { title: `How ${names}?`, content, tags: someTags() } : { content };
    await member.put(`/${paths[kind]}/${await idOf(kind)}`, body);
  },
  delete: async (member) => {
    const kind = kindOf();
    if (kind !== 'question' || random() < 0.3) await member.delete(`/${paths[kind]}/${await idOf(kind)}`);
  },
  accept: async (member) => {
    const answerId = await idOf('answer');
    const { rows } = await sql<{ question_id: number }>`
      select question_id from base_answer where id = ${answerId}`.execute(server.db);
    await member.put(`/questions/${rows[0]?.question_id ?? 1}/accepted-answer`, {
      answerId: random() < 0.7 ? answerId : null,
    });
  },
  view: async (member) => member.put(`/questions/${await idOf('question')}/view`),
  follow: (member) => member.put(`/tags/${pick(tags)}/follow`, { following: random() < 0.6 }),
  rename: (member) =>
    member.put('/settings', { displayName: `Name ${++names}`, bio: `Bio ${names}`, showEmail: true }),
  moderate: async () => {
    const kind = kindOf();
    const action = pick(['hide', 'hide', 'restore', 'restore', 'restore', 'delete']) ?? 'hide';
    await actOnPost(admin, action, kind, await idOf(kind));
  },
  lock: async () => actOnPost(admin, pick(['lock', 'unlock']) ?? 'lock', 'question', await idOf('question')),
  duplicate: async () => {
    const duplicateOf = random() < 0.6 ? await idOf('question') : null;
    const action = duplicateOf === null ? 'not_duplicate' : 'duplicate';
    await actOnPost(admin, action, 'question', await idOf('question'), { duplicateOf });
  },
  describeTag: () =>
    admin.put(`/moderation/tags/${pick(tags)}`, { description: `About ${++names}.`, about: null }),
  renameTag: () =>
    admin.post('/moderation/tag-changes', { kind: 'rename', tag: pick(tags), to: `tag ${++names}` }),
  mergeTag: () => admin.post('/moderation/tag-changes', { kind: 'merge', tag: pick(tags), to: pick(tags) }),
};

/** What happens once in a round: an account comes, posts, and goes in one of several ways. */
const departures: ((guest: Member) => Promise<unknown>)[] = [
  async (guest) => {
    await guest.post('/account-deletion', { password, posts: pick(['keep', 'delete']) });
  },
  async (guest) => {
    // A guest may have changed their name.
    const { displayName: name } = await guest.me();
    expectOk(await admin.post(`/admin/members/${guest.id}/merge`, { into: cy.id, name, password }));
    await runAccountMerges(
      { db: server.db, settings: { allowsSelfVotes: true } },
      { until: Date.now() + 60_000, waitSeconds: -1 },
    );
  },
  async (guest) => {
    await actOnMember(admin, 'remove_activity', guest.id);
    await runActivityRemovals(server.db, Date.now() + 60_000);
  },
  async (guest) => {
    await actOnMember(admin, 'remove_activity', guest.id);
    await runActivityRemovals(server.db, Date.now() + 60_000);
    await actOnMember(admin, 'restore_activity', guest.id);
    await runActivityRemovals(server.db, Date.now() + 60_000);
  },
];

test('a mirror equals the public content after any changes, on two nodes', async () => {
  await eventually(async () => (await program.get('/changes')).status === 200);
  for (let each = 0; each < 6; each++) await actions['ask']?.(members[each % 4] ?? ann);
  const mirror = new Mirror();
  let read = 0;
  for (let round = 0; round < 8; round++) {
    await server.resetRateLimits();
    const guest = await server.register(`Guest ${round}`);
    const everybody = [...members, guest];
    const work = everybody.map(async (member, index) => {
      const node = member.onServer(index % 2 === 0 ? server.address : other.address);
      for (let each = 0; each < 14; each++) await actions[pick(Object.keys(actions)) ?? 'ask']?.(node);
    });
    const reading = (async () => {
      for (let each = 0; each < 5; each++) read += (await mirror.read(programs[each % 2] ?? program)).length;
    })();
    await Promise.all([...work, reading]);
    const answer = await guest.answer(await ann.ask({ tags: someTags() }));
    await guest.replyToAnswer(answer.id);
    await departures[round % departures.length]?.(guest);
    const deadline = Date.now() + 20_000;
    await eventually(async () => {
      read += (await mirror.read(programs[round % 2] ?? program)).length;
      return (await compareMirror(mirror, server.db)).length === 0 || Date.now() > deadline;
    });
    expect({ round, differences: await compareMirror(mirror, server.db) }).toEqual({
      round,
      differences: [],
    });
  }
  // Many items were reported gone, and the mirror never read everything again.
  expect(mirror.gone.size).toBeGreaterThan(20);
  expect(read).toBeGreaterThan(300);
  const { rows } = await sql<{ merges: number; synonyms: number; duplicates: number }>`
    select (select count(*) from account_merge) as merges, (select count(*) from base_question where duplicate_of is not null) as duplicates,
      (select count(*) from tag where synonym_of is not null) as synonyms`.execute(server.db);
  for (const count of Object.values(rows[0] ?? {})) expect(count).toBeGreaterThan(0);
  const fresh = new Mirror();
  await fresh.read(program);
  expect(fresh.items).toEqual(mirror.items);
}, 180_000);
