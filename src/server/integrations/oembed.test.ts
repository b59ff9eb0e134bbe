import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer } from '#tests/support/server.ts';

const origin = 'https://ask.example.org';
const server = await startTestServer({ publicUrl: origin });
afterAll(() => server.stop());
let ann: Member;

type Embedded = { type: string; title: string; html: string; width: number; thumbnail_url?: string };

async function get(query: Record<string, string>) {
  const response = await fetch(`${server.address}/oembed?${new URLSearchParams(query).toString()}`);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Embedded) : null,
  };
}

async function setPublicReading(on: boolean): Promise<void> {
  await setSiteSetting(server.db, 'publicReading', on);
  await eventually(
    async () => (await (await fetch(`${server.address}/robots.txt`)).text()).includes('Sitemap') === on,
  );
}

beforeAll(async () => {
  ann = await server.register('Ann & <b>');
  await setPublicReading(true);
});

describe('oEmbed', () => {
  test('describes a question by its address, with escaped texts', async () => {
    const id = await ann.ask({ title: 'Is 1 < 2 & "so"? <script>alert(1)</script>' });
    const { status, headers, body } = await get({ url: `${origin}/question/${id}/is-1-2` });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toMatchObject({ version: '1.0', type: 'rich', width: 600, provider_name: 'Parley' });
    expect(body?.html).toContain(`href="${origin}/question/${id}"`);
    expect(body?.html).not.toContain('<script');
    expect(body?.html).toContain('Ann &amp; &lt;b&gt;');
    const picture = await fetch(body?.thumbnail_url?.replace(origin, server.address) ?? '');
    expect(picture.headers.get('content-type')).toBe('image/png');
  });

  test('keeps to the size that the other site wants', async () => {
    const id = await ann.ask();
    const { body } = await get({ url: `${origin}/question/${id}`, maxwidth: '300', maxheight: '200' });
    expect(body?.width).toBe(300);
    expect(body?.thumbnail_url).toBeUndefined();
  });

  test.each([
    ['of another site', 'https://evil.example/question/1'],
    ['of another page', `${origin}/topics`],
    ['that is no address', 'question/1'],
    ['of a question that does not exist', `${origin}/question/999999999`],
  ])('responds 404 for an address %s', async (_, url) => {
    expect((await get({ url })).status).toBe(404);
  });

  test('responds 501 for XML, and as for a missing question once a question is hidden', async () => {
    const id = await ann.ask();
    const url = `${origin}/question/${id}`;
    expect((await get({ url, format: 'xml' })).status).toBe(501);
    const moderator = await server.register('Maud');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    expectOk(await actOnPost(moderator, 'hide', 'question', id));
    expect((await get({ url })).status).toBe(404);
  });

  test('reveals nothing while public reading is off', async () => {
    const id = await ann.ask({ title: 'A secret title' });
    await setPublicReading(false);
    const existing = await get({ url: `${origin}/question/${id}` });
    const missing = await get({ url: `${origin}/question/999999999` });
    expect(existing.body).toEqual(missing.body);
    expect(existing.status).toBe(missing.status);
    await setPublicReading(true);
  });
});
