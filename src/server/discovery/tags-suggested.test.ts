import { afterAll, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { expectOk } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import type { FollowedTagsSummary } from '#shared/discovery/tags.ts';

const server = await startTestServer();
afterAll(() => server.stop());

test('suggests each of the default tags once, as the site has it, and only those that the member can follow', async () => {
  const ann = await server.register('Ann');
  const zoe = await server.register('Zoe');
  const moderator = await server.register('Moe');
  await setRole(server.db, { email: moderator.email, role: 'moderator' });
  const suggested = async () => (await zoe.get<FollowedTagsSummary>('/following')).body.suggested;
  // There are no questions about it.
  await zoe.put('/tags/career/mute', { muted: true });
  expect((await suggested()).map(({ name }) => name)).not.toContain('Career');

  await ann.ask({ tags: ['reactjs', 'python'] });
  expectOk(await moderator.put('/moderation/tags/reactjs/synonyms/react'));
  expectOk(await moderator.put('/moderation/tags/python', { description: 'The snake.', about: '' }));
  const names = (await suggested()).map(({ name }) => name);
  expect(names.filter((name) => name.toLowerCase().startsWith('react'))).toEqual(['reactjs']);
  expect(await suggested()).toContainEqual({ name: 'Python', description: 'The snake.' });

  await setSiteSetting(server.db, 'tagCreation', 'moderators');
  await server.siteSettings.refresh();
  expect((await suggested()).map(({ name }) => name)).toEqual(['reactjs', 'Python']);
});
