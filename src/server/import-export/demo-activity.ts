import { sql } from 'kysely';
import { createVoteBatcher, followTag, setBookmark } from '#server/engagement/index.ts';
import { readSiteSettings } from '#server/core/site-settings.ts';
import { setReport } from '#server/moderation/index.ts';
import { postReply, saveDraft } from '#server/posts/index.ts';
import { markNotificationRead, readNotifications } from '#server/notifications/index.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import type { Database } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';

/**
 * Adds what an archive does not contain, so that no page of the demo is empty: followed tags, bookmarks, a draft, read
 * and unread notifications, and reports for the moderator. It calls the same functions as members' requests do. A
 * repetition, after an interruption, adds what is missing.
 */
export async function addDemoActivity({
  db,
  settings,
  member,
  moderator,
}: {
  db: Database;
  settings: OperatorSettings;
  /** Email addresses of the demo member and the demo moderator. */
  member: string;
  moderator: string;
}): Promise<void> {
  const demo = createViewer(await findMemberId(db, member));
  const { rows } = await sql<{ id: number }>`
    select id from member where id not in (${demo.id}, ${await findMemberId(db, moderator)}) order by id limit 4`.execute(
    db,
  );
  const others = rows.map(({ id }) => createViewer(id));
  for (const tag of await popularTags(db)) await followTag(db, { tag, viewer: demo, following: true });
  await addDemoBookmarks(db, demo);
  await addDemoNotifications(db, { demo, others, settings });
  await addDemoReports(db, { demo, others });
}

/** Whether all of it was added: the reports come last. */
export async function hasDemoActivity(db: Database): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from report`.execute(db);
  return (rows[0]?.count ?? 0) >= reportNotes.length;
}

async function addDemoBookmarks(db: Database, demo: Viewer): Promise<void> {
  const { rows } = await sql<{ id: number; accepted_answer_id: number | null }>`
    select id, accepted_answer_id from question where author_id <> ${demo.id} order by upvotes desc, id limit 4`.execute(
    db,
  );
  const [first, second, third, fourth] = rows;
  const draft = { bookmarked: true };
  if (first !== undefined)
    await setBookmark(db, {
      target: { kind: 'question', id: first.id },
      viewer: demo,
      draft: { ...draft, note: 'Try this at the weekend.' },
    });
  if (second !== undefined)
    await setBookmark(db, { target: { kind: 'question', id: second.id }, viewer: demo, draft });
  if (third?.accepted_answer_id != null)
    await setBookmark(db, { target: { kind: 'answer', id: third.accepted_answer_id }, viewer: demo, draft });
  if (fourth === undefined) return;
  await saveDraft(db, {
    viewer: demo,
    target: draftTargets.answer(fourth.id),
    draft: {
      key: draftKey,
      clientId: draftKey,
      basedOn: null,
      sequence: 1,
      fields: { content: 'I had the same problem last year. What helped in the end was ' },
    },
  });
}

/** The same each time, so that a repetition saves the same draft. */
const draftKey = 'b1f6f2f0-6b52-4d0e-9a53-4b3f3f1c9d10';

/** Adds votes on the demo member's posts and replies to them, and marks the older half of the notifications as read. */
async function addDemoNotifications(
  db: Database,
  { demo, others, settings }: { demo: Viewer; others: readonly Viewer[]; settings: OperatorSettings },
): Promise<void> {
  const vote = createVoteBatcher({ db, settings });
  const values = await readSiteSettings(db);
  const { rows: questions } = await sql<{ id: number }>`
    select id from question where author_id = ${demo.id} order by id desc limit 3`.execute(db);
  for (const [index, { id }] of questions.entries()) {
    const viewer = others[index];
    if (viewer !== undefined) await vote({ target: { kind: 'question', id }, viewer, vote: 'up' });
  }
  const { rows: answers } = await sql<{ id: number; question_id: number }>`
    select id, question_id from answer where author_id = ${demo.id} order by id desc limit 3`.execute(db);
  for (const [index, { id, question_id: questionId }] of answers.entries()) {
    const viewer = others[index];
    const content = thanks[index];
    if (viewer === undefined || content === undefined) continue;
    const on = { questionId, answerId: id };
    const draft = { content, parentReplyId: null };
    await postReply(db, {
      on,
      viewer,
      key: `demo-reply-${index}`,
      draft,
      publicUrl: settings.publicUrl,
      settings: { get: (name) => values[name] },
    });
  }
  const { items } = await readNotifications(db, { viewer: demo, filter: 'all', cursor: undefined });
  for (const { id } of items.slice(Math.ceil(items.length / 2)))
    await markNotificationRead(db, { id, viewer: demo });
}

const thanks = [
  'Thank you, that was the part I had overlooked.',
  'Tried it this morning, and it works here as well.',
  'Could you say a little more about the second step?',
];

const reportNotes = ['Answers another question, I think. Please have a look.', 'Has this been asked before?'];

/** Adds two posts to the review queue. */
async function addDemoReports(
  db: Database,
  { demo, others }: { demo: Viewer; others: readonly Viewer[] },
): Promise<void> {
  const [reporter] = others;
  if (reporter === undefined) return;
  const { rows } = await sql<{ id: number }>`
    select id from answer where author_id not in (${demo.id}, ${reporter.id}) order by id desc limit 1`.execute(
    db,
  );
  const { rows: questions } = await sql<{ id: number }>`
    select id from question where author_id not in (${demo.id}, ${reporter.id}) order by id desc limit 1`.execute(
    db,
  );
  const posts = [
    ...rows.map(({ id }) => ({ kind: 'answer' as const, id })),
    ...questions.map(({ id }) => ({ kind: 'question' as const, id })),
  ];
  for (const [index, post] of posts.entries())
    await setReport(db, {
      post,
      viewer: reporter,
      draft: { reason: 'other', note: reportNotes[index] ?? '' },
    });
}

async function popularTags(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from tag order by questions_count desc, id limit 4`.execute(db);
  return rows.map(({ name }) => name);
}

async function findMemberId(db: Database, email: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from member where email = ${email}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error(`The demo community has no member ${email}.`);
  return row.id;
}

/** Acts for a member before anyone can sign in. */
function createViewer(id: number): Viewer {
  return { id, sessionId: 0, tokenId: null, memberStatus: { role: 'member', suspension: null } } as Viewer;
}
