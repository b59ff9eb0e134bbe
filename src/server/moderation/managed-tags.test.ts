import { expect, test } from 'vitest';
import type { TagDocument } from '#shared/discovery/tags.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { expectOk } from '#tests/support/member.ts';
import { getModerationLog, startModeration } from '#tests/support/moderation.ts';

const { server, ann, moderator, other } = await startModeration();

test('a moderator describes a tag, every node shows it, and the log has the earlier and the new texts', async () => {
  const node = await startCachingNode(server.database);
  const reader = node.browserOf(ann);
  await ann.ask({ tags: ['javascript'] });
  const read = async () => expectOk(await reader.get<TagDocument>('/tags/javascript'));
  expect(await read()).toMatchObject({
    description: 'The language of the web, in the browser and on the server',
    about: null,
  });
  const texts = {
    description: 'Everything that runs in a browser',
    about: '## Before you ask\n\nTry it twice.',
  };
  expectOk(
    await node
      .browserOf(moderator)
      .put('/moderation/tags/JavaScript', { ...texts, description: ` ${texts.description}` }),
  );
  expect(await read()).toMatchObject({ name: 'javascript', ...texts });
  const listed = expectOk(await reader.get<{ items: TagDocument[] }>('/tags')).items;
  expect(listed.find(({ name }) => name === 'javascript')).toMatchObject({ description: texts.description });
  expect(listed[0]).not.toHaveProperty('about');

  // The same texts again change nothing.
  expectOk(await moderator.put('/moderation/tags/javascript', texts));
  expectOk(await moderator.put('/moderation/tags/javascript', { ...texts, description: '' }));
  const [second, first] = await getModerationLog(moderator);
  expect(first).toMatchObject({
    action: 'tag_texts',
    subject: 'javascript',
    before: { description: '', about: '' },
    after: texts,
  });
  expect(second).toMatchObject({ before: texts, after: { description: '', about: texts.about } });
  const [seen] = await getModerationLog(ann);
  expect(seen).toMatchObject({ action: 'tag_texts', subject: 'javascript', before: null, after: null });
  await node.stop();
});

test('refuses texts that are based on others than those of the tag, and lets a retry pass', async () => {
  await ann.ask({ tags: ['conflict'] });
  const put = (member: typeof moderator, texts: object) => member.put('/moderation/tags/conflict', texts);
  const [none, first, second] = ['', 'First', 'Second'].map((description) => ({ description, about: '' }));
  expectOk(await put(moderator, { ...first, basedOn: none }));
  expectOk(await put(moderator, { ...first, basedOn: none }));
  expect(await put(other, { ...second, basedOn: none })).toMatchObject({
    status: 409,
    code: 'tag-texts-conflict',
  });
  expect(await other.get('/moderation/tags/conflict')).toMatchObject({ body: first });
  expectOk(await put(other, { ...second, basedOn: first }));
});

test('refuses texts that are too long, unknown tags, and other members', async () => {
  await ann.ask({ tags: ['texts'] });
  const put = (body: object, member = moderator, tag = 'texts') =>
    member.put(`/moderation/tags/${tag}`, { description: '', about: '', ...body });
  expect(await put({ description: 'x'.repeat(201) })).toMatchObject({ status: 400, kind: 'invalid' });
  expect(await put({ about: '😀'.repeat(10_001) })).toMatchObject({ status: 400, kind: 'invalid' });
  expect(await put({ description: 'two\nlines' })).toMatchObject({ status: 400, kind: 'invalid' });
  expect(await put({ more: 1 })).toMatchObject({ status: 400, kind: 'invalid' });
  expect(await put({ about: '😀'.repeat(10_000) })).toMatchObject({ status: 200 });
  expect(await put({}, moderator, 'no-such-tag')).toMatchObject({ status: 404, kind: 'not-found' });
  expect(await put({ description: 1 }, ann)).toMatchObject({ status: 404, kind: 'not-found' });
});
