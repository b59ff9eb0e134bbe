import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import { sql } from 'kysely';
import { extract } from 'tar-stream';
import { afterAll, expect, test } from 'vitest';
import { memberColumns } from './account-deletion-columns.ts';
import { setRole } from '#server/admin/roles.ts';
import { parseUploadPath } from '#shared/core/uploads.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { startTestServer } from '#tests/support/server.ts';
import { listSources, postSources, uploadSource } from './data-export-sources.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const [ann, bob] = [await server.register('Ann Own'), await server.register('Bob Other')];
const moderator = await server.register('Guard');
await setRole(server.db, { email: moderator.email, role: 'moderator' });

/** Returns the files of an export by name. */
async function download(member: Member): Promise<Map<string, string>> {
  const cookie = [...member.cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(`${server.address}/api/data-export`, { headers: { cookie } });
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="parley-[\d-]+\.tar\.gz"$/,
  );
  const files = new Map<string, string>();
  const tar = Readable.fromWeb(response.body as ReadableStream)
    .pipe(createGunzip())
    .pipe(extract());
  for await (const entry of tar) files.set(entry.header.name.replace('parley/', ''), await text(entry));
  return files;
}

const list = (files: Map<string, string>, name: string) =>
  JSON.parse(files.get(`data/${name}.json`) ?? 'null') as Record<string, unknown>[];

test('exports everything of the member as text and as JSON, and nothing of others', async () => {
  const own = await ann.ask({ title: 'My question', content: 'At **first**.', tags: ['bread'] });
  expectOk(
    await ann.put(`/questions/${own}`, { title: 'My question', content: 'In the end.', tags: ['bread'] }),
  );
  const theirs = await bob.ask({ title: 'A title of theirs', content: 'A text of theirs.', tags: ['salt'] });
  const answer = await ann.answer(theirs, 'My answer.');
  const reply = await ann.replyToAnswer(answer.id, { content: 'My reply.' });
  await bob.answer(own, 'Their answer.');
  await ann.vote('questions', theirs, 'down');
  expectOk(await ann.put(`/questions/${theirs}/view`));
  expectOk(await ann.put(`/questions/${theirs}/follow`, { following: true }));
  expectOk(await ann.put('/tags/salt/follow', { following: true }));
  await ann.mute('tags/bread');
  await ann.mute(`questions/${theirs}`);
  const listId = expectOk(await ann.post<{ id: number }>('/bookmark-lists', { name: 'Later' })).id;
  await ann.bookmark('questions', theirs, { note: 'My note.', listIds: [listId] });
  const fields = { title: 'My draft', content: '', tags: '' };
  const draft = { key: 'a-key-of-a-draft', fields, basedOn: null, clientId: 'a-browser', sequence: 1 };
  expectOk(await ann.put('/drafts/ask', draft));
  const picture = parseUploadPath(await ann.upload(createPngPicture()));
  const files = await download(ann);
  expect(list(files, 'pictures')).toMatchObject([picture]);
  expect(files.get(`pictures/${picture?.name}.webp`)).toMatch(/^RIFF[^]{4}WEBP/);
  expect(JSON.parse(files.get('data/profile.json') ?? '')).toMatchObject({
    displayName: 'Ann Own',
    email: ann.email,
  });
  expect(list(files, 'questions')).toMatchObject([
    { id: own, content: 'In the end.', tags: ['bread'], earlierVersions: [{ content: 'At **first**.' }] },
  ]);
  expect(list(files, 'answers')).toMatchObject([
    { id: answer.id, questionId: theirs, content: 'My answer.' },
  ]);
  expect(list(files, 'replies')).toMatchObject([{ id: reply.id, answerId: answer.id, content: 'My reply.' }]);
  expect(list(files, 'votes-on-questions')).toMatchObject([{ questionId: theirs, direction: 'down' }]);
  expect(list(files, 'views')).toMatchObject([{ questionId: theirs }]);
  expect(list(files, 'followed-questions')).toMatchObject([{ questionId: theirs }]);
  expect(list(files, 'followed-tags')).toMatchObject([{ tag: 'salt' }]);
  expect(list(files, 'bookmarks')).toMatchObject([
    { questionId: theirs, note: 'My note.', lists: ['Later'] },
  ]);
  expect(list(files, 'muted-tags')).toMatchObject([{ tag: 'bread' }]);
  expect(list(files, 'muted-questions')).toMatchObject([{ questionId: theirs }]);
  expect(list(files, 'drafts')).toMatchObject([{ target: 'ask', fields }]);
  expect(list(files, 'notifications')).toMatchObject([{ kind: 'answer', questionId: own }]);
  expect(list(files, 'sessions')).toHaveLength(1);
  expect(list(files, 'security-events')).toMatchObject([{ event: 'data-exported' }]);
  expect(files.get(`markdown/questions/${own}.md`)).toMatch(
    /^# My question\n\n[^]*- Tags: bread\n[^]*\n\nIn the end\.\n$/,
  );
  expect(files.get(`markdown/replies/${reply.id}.md`)).toContain(`/question/${theirs}#reply-${reply.id}\n`);
  for (const { file } of [...Object.values(postSources), uploadSource, ...listSources]) {
    expect(files.get('README.md')).toContain(`| \`data/${file}.json\` |`);
    expect(files.has(`data/${file}.json`)).toBe(true);
  }
  expect([...files.values()].join('\n')).not.toMatch(/theirs|Their|Bob Other|member2@|argon2/);
});

test('has the answers and replies of the member below a hidden post, and nothing of that post', async () => {
  const [lea, tom, max] = await server.registerAll('Lea', 'Tom', 'Max');
  const question = await tom.ask({ title: 'A question to hide', content: 'Its text.' });
  const answer = await lea.answer(question, 'An answer of Lea.');
  const hiddenBefore = await lea.answer(question, 'Another answer of Lea.');
  await tom.replyToAnswer(answer.id, { content: 'A reply of Tom.' });
  const reply = await lea.replyToAnswer(answer.id, { content: 'A reply of Lea.' });
  await max.replyToAnswer(reply.answerId ?? 0, { content: 'A reply of Max.' });
  expectOk(await actOnPost(moderator, 'hide', 'answer', hiddenBefore.id));
  expectOk(await actOnPost(moderator, 'hide', 'question', question));
  const files = await download(lea);
  expect(list(files, 'hidden-answers')).toMatchObject([{ id: answer.id, content: 'An answer of Lea.' }]);
  expect(list(files, 'hidden-replies')).toMatchObject([{ id: reply.id, content: 'A reply of Lea.' }]);
  expect(list(files, 'hidden-posts')).toMatchObject([
    { post: 'answer', title: null, content: 'Another answer of Lea.' },
  ]);
  expect(list(files, 'moderator-messages')).toMatchObject([{ kind: 'hidden', title: null }]);
  expect([...files.values()].join('\n')).not.toMatch(/A question to hide|Its text|of Tom|of Max/);
});

test('has the earlier versions, tags and places of posts that are hidden or below a hidden post', async () => {
  const [kim, tom] = await server.registerAll('Kim', 'Tim');
  const edit = async (path: string, text: object) => expectOk(await kim.put(path, text));
  const tags = ['rye', 'wheat'];
  const question = await kim.ask({ title: 'Which grain?', content: 'First.', tags });
  await edit(`/questions/${question}`, { title: 'Which grain?', content: 'Second.', tags });
  const theirs = await tom.ask({ title: 'Which oven?' });
  const answer = await kim.answer(theirs, 'First answer.');
  await edit(`/answers/${answer.id}`, { content: 'Second answer.' });
  const reply = await kim.replyToAnswer(answer.id, { content: 'First reply.' });
  await edit(`/replies/${reply.id}`, { content: 'Second reply.' });
  const nested = await kim.replyToAnswer(answer.id, { to: reply, content: 'Nested.' });
  expectOk(await actOnPost(moderator, 'hide', 'question', question));
  expectOk(await actOnPost(moderator, 'hide', 'reply', nested.id));
  expectOk(await actOnPost(moderator, 'hide', 'answer', answer.id));
  const ofReply = { questionId: theirs, answerId: answer.id };
  const files = await download(kim);
  expect(list(files, 'hidden-posts')).toMatchObject([
    { postId: question, questionId: question, tags, earlierVersions: [{ content: 'First.', tags }] },
    { postId: nested.id, ...ofReply, parentReplyId: reply.id, tags: null, earlierVersions: [] },
    {
      postId: answer.id,
      questionId: theirs,
      answerId: null,
      earlierVersions: [{ content: 'First answer.' }],
    },
  ]);
  expect(list(files, 'hidden-replies')).toMatchObject([
    { id: reply.id, ...ofReply, parentReplyId: null, earlierVersions: [{ content: 'First reply.' }] },
  ]);
  expectOk(await actOnPost(moderator, 'restore', 'answer', answer.id));
  expectOk(await actOnPost(moderator, 'hide', 'question', theirs));
  expect(list(await download(kim), 'hidden-answers')).toMatchObject([
    { id: answer.id, questionId: theirs, earlierVersions: [{ content: 'First answer.' }] },
  ]);
});

test('has the texts of suggested edits only while the post is visible', async () => {
  const [lea, tom] = await server.registerAll('Lea', 'Tom');
  const hidden = await tom.ask({ title: 'A secret title', content: 'A secret text.', tags: ['bread'] });
  const visible = await tom.ask({ title: 'Which flour?', content: 'For bread.', tags: ['bread'] });
  const answer = await tom.answer(visible, 'A secret answer.');
  const reply = await tom.replyToAnswer(answer.id, { content: 'A secret reply.' });
  await sql`
    insert into edit_suggestion (
      question_id, answer_id, reply_id, member_id, summary, title, content, tags, base_title, base_content, base_tags
    ) values
      (${hidden}, null, null, ${lea.id}, 'Clearer', 'A secret title!', 'A secret text!', '{bread}', '', '', '{}'),
      (${visible}, null, null, ${lea.id}, 'Clearer', 'Which flour for bread?', 'Rye?', '{bread}', '', '', '{}'),
      (null, ${answer.id}, null, ${lea.id}, 'Clearer', null, 'A secret answer!', null, null, '', null),
      (null, null, ${reply.id}, ${lea.id}, 'Clearer', null, 'A secret reply!', null, null, '', null)`.execute(
    server.db,
  );
  const getTexts = async () =>
    list(await download(lea), 'suggested-edits').map(({ summary, title, tags, content }) => [
      summary,
      title,
      tags,
      content,
    ]);
  const ofVisible = ['Clearer', 'Which flour for bread?', ['bread'], 'Rye?'];
  expect(await getTexts()).toEqual([
    ['Clearer', 'A secret title!', ['bread'], 'A secret text!'],
    ofVisible,
    ['Clearer', null, null, 'A secret answer!'],
    ['Clearer', null, null, 'A secret reply!'],
  ]);
  expectOk(await actOnPost(moderator, 'hide', 'question', hidden));
  expectOk(await actOnPost(moderator, 'hide', 'answer', answer.id));
  const none = ['Clearer', null, null, null];
  expect(await getTexts()).toEqual([none, ofVisible, none, none]);
});

test('leaves out followed and muted tags whose questions are all hidden', async () => {
  const [lea, tom] = await server.registerAll('Lea', 'Tom');
  const spam = await tom.ask({ tags: ['SchnappsShop', 'SchnappsSale'] });
  await tom.ask({ tags: ['cheese', 'wine'] });
  for (const tag of ['schnappsshop', 'cheese'])
    expectOk(await lea.put(`/tags/${tag}/follow`, { following: true }));
  for (const tag of ['schnappssale', 'wine'] as const) await lea.mute(`tags/${tag}`);
  const getTags = async () => {
    const files = await download(lea);
    return ['followed-tags', 'muted-tags'].map((name) => list(files, name).map(({ tag }) => tag));
  };
  expect(await getTags()).toEqual([
    ['SchnappsShop', 'cheese'],
    ['SchnappsSale', 'wine'],
  ]);
  expectOk(await actOnPost(moderator, 'hide', 'question', spam));
  expect(await getTags()).toEqual([['cheese'], ['wine']]);
});

test('splits a long list into several files, and writes empty lists for a member without content', async () => {
  const [eve, kim] = [await server.register('Eve'), await server.register('Kim')];
  const question = await bob.ask();
  await sql`
    insert into answer (question_id, author_id, content)
    select ${question}, ${eve.id}, n || repeat(' long', 6000) from generate_series(1, 120) n`.execute(
    server.db,
  );
  const files = await download(eve);
  const answers = ['answers', 'answers-2', 'answers-3', 'answers-4'].map((name) => list(files, name));
  expect(answers.flat().map(({ content }) => String(content).split(' ')[0])).toEqual(
    Array.from({ length: 120 }, (_, index) => String(index + 1)),
  );
  expect([...files.keys()].filter((name) => name.startsWith('markdown/answers/'))).toHaveLength(120);
  expect(list(await download(kim), 'answers')).toEqual([]);
});

test('has a file, or a reason for none, for every column that refers to a member', () => {
  const files: Record<string, string | { none: string }> = {
    'account.member_id': 'sign-in-methods',
    'email_link.member_id': { none: 'a wanted address is in the profile; links are secrets' },
    'email_bounce.member_id': 'email-bounces',
    'passkey.member_id': 'passkeys',
    'api_token.member_id': 'api-tokens',
    'imported_identity.member_id': { none: 'of an imported profile; deleted when it is claimed' },
    'service_account.member_id': { none: 'an account of a program, which no person owns' },
    'two_factor.member_id': 'two-factor',
    'push_subscription.member_id': 'push-devices',
    'session.member_id': 'sessions',
    'registration.member_id': 'registration',
    'sign_in.member_id': 'sign-ins',
    'member_note.member_id': { none: 'notes of moderators; operators answer requests (docs/security.md)' },
    'member_note.author_id': { none: 'notes on other members' },
    'report.author_id': { none: 'reports by others' },
    'bookmark.member_id': 'bookmarks',
    'bookmark_list.member_id': 'bookmark-lists',
    'draft.member_id': 'drafts',
    'idempotency_key.member_id': { none: 'random keys of requests, for a day' },
    'email_schedule.member_id': { none: 'the time zone is in the profile' },
    'member_last_write.member_id': { none: 'a place in the log of the database' },
    'base_notification.recipient_id': 'notifications',
    'base_notification.sender_id': { none: "others' notifications" },
    'notification_preference.member_id': 'notification-preferences',
    'question_follow.member_id': 'followed-questions',
    'question_mute.member_id': 'muted-questions',
    'tag_mute.member_id': 'muted-tags',
    'tag_follow.member_id': 'followed-tags',
    'question_view.member_id': 'views',
    'base_question.author_id': 'questions',
    'base_answer.author_id': 'answers',
    'base_reply.author_id': 'replies',
    'vote.member_id': 'votes-on-questions',
    'invited_member.member_id': 'invitation',
    'sign_up_answer.member_id': 'sign-up-answers',
    'membership_application.member_id': 'application',
    'membership_application.claimed_by': { none: 'a claim ends within minutes' },
    'membership_application.refused_by': { none: 'decisions of moderators are in their log' },
    'invitation.created_by': { none: 'the invitations of moderators are of the community' },
    'security_event.member_id': 'security-events',
    'report.member_id': 'reports',
    'moderator_message.member_id': 'moderator-messages',
    'hidden_post.author_id': 'hidden-posts',
    'held_post.member_id': 'held-posts',
    'close_vote.member_id': 'votes-to-close',
    'question_closer.member_id': 'closed-questions',
    'edit_suggestion.member_id': 'suggested-edits',
    'edit_suggestion.post_author_id': { none: 'the suggestion belongs to the member who made it' },
    'profile_claim.member_id': 'profile-claims',
    'imported_badge.member_id': 'imported-badges',
    'profile_claim.profile_id': { none: 'the claim belongs to the member who made it' },
    'revision.imported_editor_id': {
      none: 'edits on the site that a post was imported from are public there',
    },
    'revision.imported_approver_id': { none: 'likewise' },
    'tag_proposal_question.member_id': 'proposed-topics',
    'tag_proposal.decided_by': { none: 'the proposal belongs to the member who made it' },
    'edit_suggestion.decided_by': { none: 'the suggestion belongs to the member who made it' },
    'upload.member_id': 'pictures',
    'review_item.claimed_by': { none: 'a claim ends within minutes' },
    'activity_removal.member_id': { none: 'what operators did is in their log' },
    'member_daily_statistics.member_id': { none: 'sums of what is in the other files' },
    'member_statistics.member_id': { none: 'sums of what is in the other files' },
    'account_merge.member_id': { none: 'who was merged cannot sign in' },
    'account_merge.into_id': { none: 'what was merged is in the other files' },
    'webhook_delivery.member_id': { none: 'it says that the member joined, which the profile has' },
    'account_deletion.member_id': { none: 'who has one cannot sign in' },
  };
  expect(Object.keys(files).toSorted()).toEqual(Object.keys(memberColumns).toSorted());
  const there = new Set<unknown>(
    [...Object.values(postSources), uploadSource, ...listSources].map(({ file }) => file),
  );
  expect(Object.values(files).filter((file) => typeof file === 'string' && !there.has(file))).toEqual([]);
});
