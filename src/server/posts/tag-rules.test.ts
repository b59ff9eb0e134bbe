import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import type { TagRules } from '#shared/posts/tag-rules.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startModeration } from '#tests/support/moderation.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';

const { server, ann, bob, moderator } = await startModeration();
await ann.ask({ tags: ['known', 'help'] });
expectOk(await moderator.put('/moderation/tags/known/synonyms/familiar'));

const rules = async (member: Member) => expectOk(await member.get<TagRules>('/tag-rules'));

/** Sets who may create tags, and waits until the server knows. */
async function allow(creation: 'everyone' | 'experienced' | 'moderators', required: string[] = []) {
  await setSiteSetting(server.db, 'tagCreation', creation);
  await setSiteSetting(server.db, 'requiredTags', required);
  await eventually(async () => {
    const seen = await rules(bob);
    return seen.canCreate === (creation === 'everyone') && seen.required.join() === required.join();
  });
}

afterEach(() => allow('everyone'));

const ask = async (member: Member, tags: string[]) => {
  const { status, errors } = await member.post('/questions', { title: 'What?', content: 'This.', tags });
  return `${status} ${errors?.map(({ field, code, message }) => `${field} ${code}: ${message}`).join() ?? ''}`;
};

test('only moderators create tags if the site says so, by asking, editing, following or muting', async () => {
  await allow('moderators');
  expect(await rules(bob)).toEqual({
    canCreate: false,
    canPropose: true,
    minReputation: null,
    required: [],
  });
  expect(await rules(moderator)).toMatchObject({ canCreate: true });
  expect(await ask(bob, ['Known', 'familiar'])).toBe('201 ');
  expect(await ask(bob, [])).toBe('201 ');
  expect(await ask(bob, ['known', 'brand new'])).toBe(
    '400 tags new-tag-by-moderators: There is no tag “brand new”. Only moderators create new tags.',
  );
  expect(await bob.put('/tags/brand%20new/follow', { following: true })).toMatchObject({ status: 400 });
  expect(await bob.put('/tags/brand%20new/mute', { muted: true })).toMatchObject({ status: 400 });
  expect(await bob.put('/tags/brand%20new/follow', { following: false })).toMatchObject({ status: 200 });
  const id = await bob.ask({ tags: ['known'] });
  const edit = { title: 'What?', content: 'This.', tags: ['known', 'brand new'] };
  expect(await bob.put(`/questions/${id}`, edit)).toMatchObject({ status: 400 });
  expect(await ask(moderator, ['brand new'])).toBe('201 ');
  expect(await bob.put(`/questions/${id}`, edit)).toMatchObject({ status: 200 });
});

test('members create tags from the reputation that the site sets', async () => {
  await allow('experienced');
  await setSiteSetting(server.db, 'tagCreationReputation', 30);
  await eventually(async () => (await rules(bob)).minReputation === 30);
  expect(await ask(bob, ['by bob'])).toBe(
    '400 tags new-tag-needs-reputation: There is no tag “by bob”. Members create new tags from 30 reputation on.',
  );
  await sql`update member set reputation = 30 where id = ${bob.id}`.execute(server.db);
  expect(await rules(bob)).toMatchObject({ canCreate: true });
  expect(await ask(bob, ['by bob'])).toBe('201 ');
  await sql`update member set reputation = 0 where id = ${bob.id}`.execute(server.db);
});

test('a question needs one of the required tags, or a synonym of one, and older questions stay editable', async () => {
  const older = await ann.ask({ tags: ['other'] });
  await allow('moderators', ['Known', 'announcement']);
  const missing = '400 tags required-tag-missing: Add at least one of these tags: Known, announcement';
  expect(await ask(ann, [])).toBe(missing);
  expect(await ask(ann, ['help'])).toBe(missing);
  expect(await ask(ann, ['help', 'familiar'])).toBe('201 ');
  // A required tag exists for everyone, also before its first question.
  expect(await ask(ann, ['Announcement'])).toBe('201 ');
  const edit = { title: 'What?', content: 'Changed.', tags: ['other'] };
  expect(await ann.put(`/questions/${older}`, edit)).toMatchObject({ status: 200 });
  expect(await ann.put(`/questions/${older}`, { ...edit, tags: ['help'] })).toMatchObject({ status: 400 });
});
