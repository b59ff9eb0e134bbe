import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { memberRateLimitKey } from '#server/core/rate-limits.ts';
import { programOf } from '#tests/support/api-tokens.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { draftHeader, type DraftState, type DraftSummary, type DraftSave } from '#shared/posts/drafts.ts';

const server = await startTestServer();
afterAll(() => server.stop());
let ann: Member;
let bob: Member;
beforeEach(async () => {
  await server.resetRateLimits();
  [ann, bob] = [await server.register('Ann'), await server.register('Bob')];
});

/** A simulated browser. Each text is a later change of the same draft. */
function browser(member: Member, writer: string, key = 'draft-of-one-post') {
  let step = 0;
  return {
    write: (content: string) => ({ key, fields: { content }, clientId: writer, sequence: ++step }),
    save(target: string, draft: Omit<DraftSave, 'basedOn'>, basedOn: number | null) {
      return member.put<DraftState & { draft: DraftState }>(`/drafts/${target}`, { ...draft, basedOn });
    },
    async type(target: string, content: string, basedOn: number | null) {
      return expectOk(await this.save(target, this.write(content), basedOn));
    },
  };
}

const stateAt = async (member: Member, target: string) =>
  expectOk(await member.get<DraftState>(`/drafts/${target}`));
const listOf = async (member: Member) => {
  const { items } = expectOk(await member.get<{ items: DraftSummary[] }>('/drafts'));
  return items;
};

describe('a draft', () => {
  test('is stored for its member on every device, and for no one else', async () => {
    const phone = browser(ann, 'anns-phone');
    expect(await stateAt(ann, 'ask')).toMatchObject({ version: null, fields: null, ended: null });
    const { version } = await phone.type('ask', ' How long? ', null);
    expect(await stateAt(await ann.signInElsewhere(), 'ask')).toMatchObject({
      target: 'ask',
      version,
      key: 'draft-of-one-post',
      fields: { content: ' How long? ' },
      clientId: 'anns-phone',
    });
    expect(await stateAt(bob, 'ask')).toMatchObject({ version: null, fields: null });
    expect(await listOf(bob)).toEqual([]);
    expect(await server.visitor().get('/drafts/ask')).toMatchObject({ status: 401 });
    expect(await bob.delete('/drafts/ask')).toMatchObject({ status: 204 });
    expect(await stateAt(ann, 'ask')).toMatchObject({ version });
  });

  test('of another device is not overwritten, and the response contains its text', async () => {
    const [phone, laptop] = [browser(ann, 'anns-phone'), browser(ann, 'anns-laptop')];
    const first = await phone.type('ask', 'One', null);
    const second = await laptop.type('ask', 'One and two', first.version);
    const refused = await phone.save('ask', phone.write('One or the other'), first.version);
    expect(refused).toMatchObject({
      status: 409,
      kind: 'draft-changed',
      body: { draft: { version: second.version, fields: { content: 'One and two' } } },
    });
    expect(await stateAt(ann, 'ask')).toMatchObject({ fields: { content: 'One and two' } });
    // A device that has seen it may replace it.
    await phone.type('ask', 'One or the other', second.version);
    expect(await stateAt(ann, 'ask')).toMatchObject({ fields: { content: 'One or the other' } });
  });

  test('of a browser is never replaced or discarded with an API token', async () => {
    const [phone, program] = [browser(ann, 'anns-phone'), await programOf(ann, ['drafts'])];
    const { version } = await phone.type('ask', 'Written by Ann', null);
    // As the browser, with the version that it has.
    for (const basedOn of [version, null]) {
      const draft = { key: 'draft-of-one-post', clientId: 'anns-phone', sequence: 99, basedOn };
      const refused = await program.put('/drafts/ask', { ...draft, fields: { content: 'Swapped' } });
      expect(refused).toMatchObject({ status: 409, kind: 'draft-changed' });
    }
    expect(await program.delete('/drafts/ask')).toMatchObject({
      status: 403,
      code: 'api-token-not-accepted',
    });
    expect(await stateAt(ann, 'ask')).toMatchObject({ version, fields: { content: 'Written by Ann' } });
  });

  test('of a program has the token as its client, and each token replaces only its own', async () => {
    const [program, other] = [await programOf(ann, ['drafts']), await programOf(ann, ['drafts'])];
    const draft = { key: 'draft-of-one-post', clientId: 'anns-phone', basedOn: null };
    const save = (by: typeof program, content: string, sequence: number) =>
      by.put<DraftState>('/drafts/ask', {
        ...draft,
        key: `key-of-${content}`,
        sequence,
        fields: { content },
      });
    const first = expectOk(await save(program, 'One', 1));
    expect(first.clientId).toMatch(/^token-\d+$/);
    expect(await save(other, 'Other', 2)).toMatchObject({ status: 409, kind: 'draft-changed' });
    expect(expectOk(await save(program, 'Two', 2))).toMatchObject({
      clientId: first.clientId,
      fields: { content: 'Two' },
    });
    const phone = browser(ann, 'anns-phone');
    expect(await phone.save('ask', phone.write('Mine'), null)).toMatchObject({ kind: 'draft-changed' });
  });

  test('of a browser or another token is not shown to an API token, which sees its own', async () => {
    const [program, other] = [await programOf(ann, ['drafts']), await programOf(ann, ['drafts'])];
    await browser(ann, 'anns-phone').type('ask', 'Typed by Ann', null);
    const draft = { key: 'key-of-a-program', clientId: 'program-1', basedOn: null, sequence: 1 };
    const [own, others] = [`answer:${await bob.ask()}`, `answer:${await bob.ask()}`];
    for (const [by, target] of [
      [program, own],
      [other, others],
    ] as const)
      expectOk(await by.put(`/drafts/${target}`, { ...draft, fields: { content: `For ${target}` } }));

    const list = expectOk(await program.get<{ items: DraftSummary[] }>('/drafts'));
    expect(list.items.map(({ target }) => target)).toEqual([own]);
    expect(expectOk(await program.get<DraftState>(`/drafts/${own}`)).fields?.['content']).toBe(`For ${own}`);
    for (const target of ['ask', others, 'answer:999999'])
      expect(await program.get(`/drafts/${target}`)).toMatchObject({ status: 404, code: 'draft-not-found' });
    const refused = await program.put('/drafts/ask', { ...draft, fields: { content: 'Swapped' } });
    expect(refused).toMatchObject({ status: 409, kind: 'draft-changed' });
    expect(refused.body).not.toHaveProperty('draft');
    expect(await listOf(ann)).toHaveLength(3);
  });

  test('of a program is refused for an answer that its member cannot post', async () => {
    const program = await programOf(ann, ['drafts']);
    const [removed, locked] = [await bob.ask(), await bob.ask()];
    await bob.remove('questions', removed);
    await sql`update base_question set lock_reason = 'Settled.' where id = ${locked}`.execute(server.db);
    const draft = { key: 'key-of-a-program', clientId: 'program-1', basedOn: null, sequence: 1 };
    for (const [id, code] of [
      [999_999, 'question-not-found'],
      [removed, 'question-not-found'],
      [locked, 'question-locked'],
    ] as const)
      expect(
        await program.put(`/drafts/answer:${id}`, { ...draft, fields: { content: 'Mine' } }),
      ).toMatchObject({ code });
    expect(await listOf(ann)).toEqual([]);
    // A browser keeps what the member has typed.
    await browser(ann, 'anns-phone').type(`answer:${locked}`, 'Typed by Ann', null);
  });

  test('is stored once when two devices start it at the same time, and the other gets a conflict', async () => {
    const [phone, laptop] = [browser(ann, 'anns-phone'), browser(ann, 'anns-laptop')];
    const saved = await Promise.all([
      phone.save('ask', phone.write('From the phone'), null),
      laptop.save('ask', laptop.write('From the laptop'), null),
    ]);
    expect(saved.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  test('continues from a saved version even if the browser did not receive the response', async () => {
    const phone = browser(ann, 'anns-phone');
    const first = await phone.type('ask', 'One', null);
    await phone.type('ask', 'One, two', first.version);
    const third = await phone.type('ask', 'One, two, three', first.version);
    expect(third).toMatchObject({ fields: { content: 'One, two, three' } });
  });

  test('is not overwritten by another draft of the same browser that is not based on it', async () => {
    await browser(ann, 'anns-phone').type('answer:9', 'Written by Ann', null);
    const typed = {
      ...browser(ann, 'anns-phone', 'key-of-the-visitor').write('Typed signed out'),
      sequence: 9,
    };
    const refused = await ann.put('/drafts/answer:9', { ...typed, basedOn: null });
    expect(refused).toMatchObject({ status: 409, kind: 'draft-changed' });
    expect(await stateAt(ann, 'answer:9')).toMatchObject({ fields: { content: 'Written by Ann' } });
  });

  test('keeps the later change when two requests arrive in reverse order', async () => {
    const phone = browser(ann, 'anns-phone');
    const [early, late] = [phone.write('One'), phone.write('One, two')];
    const { version } = expectOk(await phone.save('ask', late, null));
    expect(await phone.save('ask', early, null)).toMatchObject({
      status: 200,
      body: { version, sequence: late.sequence, fields: { content: 'One, two' } },
    });
    expect(await stateAt(ann, 'ask')).toMatchObject({ version, fields: { content: 'One, two' } });
  });

  test('causes no conflict when both devices have the same text', async () => {
    const [phone, laptop] = [browser(ann, 'anns-phone'), browser(ann, 'anns-laptop')];
    const { version } = await phone.type('ask', 'The same', null);
    expect(await laptop.type('ask', 'The same', null)).toMatchObject({ version });
  });

  test('that is discarded does not come back by a late save, but by a later one', async () => {
    const phone = browser(ann, 'anns-phone');
    const late = phone.write('Not for l');
    const { version } = await phone.type('answer:8', 'Not for long', null);
    expect(await ann.delete(`/drafts/answer:8?basedOn=${version}`)).toMatchObject({ status: 204 });
    expect(expectOk(await phone.save('answer:8', late, null))).toMatchObject({ fields: null });
    expect(await stateAt(ann, 'answer:8')).toMatchObject({ fields: null, ended: 'discarded' });
    await phone.type('answer:8', 'Restored', null);
    expect(await stateAt(ann, 'answer:8')).toMatchObject({ fields: { content: 'Restored' } });
  });

  test('is discarded once, unless another device has changed it since', async () => {
    const [phone, laptop] = [browser(ann, 'anns-phone'), browser(ann, 'anns-laptop')];
    const first = await phone.type('answer:7', 'One', null);
    const second = await laptop.type('answer:7', 'Two', first.version);
    expect(await ann.delete(`/drafts/answer:7?basedOn=${first.version}`)).toMatchObject({
      status: 409,
      kind: 'draft-changed',
    });
    for (let n = 0; n < 2; n++)
      expect((await ann.delete(`/drafts/answer:7?basedOn=${second.version}`)).status).toBe(204);
    expect(await stateAt(ann, 'answer:7')).toMatchObject({ fields: null, ended: 'discarded' });
    expect(await listOf(ann)).toEqual([]);
    // Undo: the same text again.
    await laptop.type('answer:7', 'Two', null);
    expect(await stateAt(ann, 'answer:7')).toMatchObject({ fields: { content: 'Two' } });
  });

  test('is refused above the size limit and keeps the previous text', async () => {
    const phone = browser(ann, 'anns-phone');
    const long = await phone.type('answer:7', '饅'.repeat(30_000), null);
    const longer = await phone.save('answer:7', phone.write('饅'.repeat(70_000)), long.version);
    expect(longer).toMatchObject({ status: 413, kind: 'too-large' });
    expect((await stateAt(ann, 'answer:7')).fields?.['content']).toHaveLength(30_000);
    for (const fields of [{ content: 'a\0b' }, { content: '\ud800' }, { content: 7 }, { 'a.b': 'c' }])
      expect(await ann.put('/drafts/ask', { ...phone.write(''), fields, basedOn: null })).toMatchObject({
        status: 400,
      });
  });

  test('is deleted when the member has more than a hundred newer ones, without affecting other members', async () => {
    const [phone, other] = [browser(ann, 'anns-phone'), browser(bob, 'bobs-phone')];
    await other.type('ask', 'Mine', null);
    for (let n = 1; n <= 101; n++) await phone.type(`answer:${n}`, `Draft ${n}`, null);
    const places = (await listOf(ann)).map(({ target }) => target);
    expect(places).toHaveLength(100);
    expect(places[0]).toBe('answer:101');
    expect(places).not.toContain('answer:1');
    expect(await listOf(bob)).toHaveLength(1);
  });

  test('can be saved at typing speed, but not without limit', async () => {
    const phone = browser(ann, 'anns-phone');
    await phone.type('ask', 'Two hundred times before this one', null);
    // Points are counted with a delay.
    await expect
      .poll(async () => {
        const { numAffectedRows } = await sql`
          update rate_limit set points = 200 where key = ${memberRateLimitKey('draft', ann.id)}`.execute(
          server.db,
        );
        return Number(numAffectedRows);
      })
      .toBe(1);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => phone.save('ask', phone.write(String(n)), null)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(20);
    for (const { status, kind, headers } of refused) {
      expect({ status, kind }).toEqual({ status: 429, kind: 'too-many' });
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    await browser(bob, 'bobs-phone').type('ask', 'Still here', null);
  });
});

test('are listed with what they belong to, latest first', async () => {
  const phone = browser(ann, 'anns-phone');
  const [id, gone] = [await bob.ask({ title: 'Does bread freeze?' }), await bob.ask()];
  const answer = await bob.answer(id);
  const reply = await bob.replyToAnswer(answer.id);
  await bob.remove('questions', gone);
  await ann.put('/drafts/ask', { ...phone.write(''), fields: { title: 'Why?', content: '' }, basedOn: null });
  await phone.type(`answer:${id}`, 'x'.repeat(250), null);
  await phone.type(`reply:question:${id}`, 'A comment', null);
  await phone.type(`reply:answer:${answer.id}`, 'A reply', null);
  await phone.type(`edit:reply:${reply.id}`, 'An edit', null);
  await phone.type(`answer:${gone}`, 'Too late', null);
  const question = { id, title: 'Does bread freeze?' };
  expect(await listOf(ann)).toMatchObject([
    { target: `answer:${gone}`, question: null, excerpt: 'Too late' },
    { target: `edit:reply:${reply.id}`, question, excerpt: 'An edit' },
    { target: `reply:answer:${answer.id}`, question },
    { target: `reply:question:${id}`, question },
    { target: `answer:${id}`, question, excerpt: 'x'.repeat(200), title: null },
    { target: 'ask', question: null, title: 'Why?', excerpt: '' },
  ]);
});

describe('posting', () => {
  /** The posts of every kind: the target of the draft, and a function that posts it with the draft's key. */
  async function forms() {
    const id = await ann.ask();
    const answer = await ann.answer(id);
    const reply = await ann.replyToAnswer(answer.id);
    const edit = (path: string, body: object) => (key: string) =>
      ann.send('PUT', path, { body, headers: { [draftHeader]: key } });
    const question = { title: 'Once more?', content: 'Posted.', tags: [] };
    const content = 'Posted.';
    return [
      { target: 'ask', post: (key: string) => ann.post('/questions', question, key) },
      {
        target: `answer:${id}`,
        post: (key: string) => ann.post(`/questions/${id}/answers`, { content }, key),
      },
      {
        target: `reply:question:${id}`,
        post: (key: string) => ann.post(`/questions/${id}/replies`, { content }, key),
      },
      {
        target: `reply:answer:${answer.id}`,
        post: (key: string) => ann.post(`/answers/${answer.id}/replies`, { content }, key),
      },
      {
        target: `reply:reply:${reply.id}`,
        post: (key: string) =>
          ann.post(`/answers/${answer.id}/replies`, { content, parentReplyId: reply.id }, key),
      },
      { target: `edit:question:${id}`, post: edit(`/questions/${id}`, question) },
      { target: `edit:answer:${answer.id}`, post: edit(`/answers/${answer.id}`, { content }) },
      { target: `edit:reply:${reply.id}`, post: edit(`/replies/${reply.id}`, { content }) },
    ];
  }
  const fieldsOf = (target: string) =>
    /question|ask/.test(target) && !target.startsWith('reply')
      ? { title: 'Once more?', content: 'Posted. ', tags: '' }
      : { content: 'Posted. ' };

  test('ends its draft, so that another device cannot save the same text again', async () => {
    for (const [n, { target, post }] of (await forms()).entries()) {
      const key = `key-of-post-${n}`;
      const [phone, laptop] = [browser(ann, 'anns-phone', key), browser(ann, 'anns-laptop', key)];
      const { version } = await phone.type(target, 'Post', null);
      await browser(bob, 'bobs-phone', key).type(target, 'Mine', null);
      expect((await post(key)).status).toBeLessThan(300);
      expect(await stateAt(ann, target)).toMatchObject({ target, fields: null, ended: 'posted' });
      expect(await stateAt(bob, target)).toMatchObject({ fields: { content: 'Mine' } });
      for (const basedOn of [null, version]) {
        const draft = { ...laptop.write(''), fields: fieldsOf(target) };
        expect(await laptop.save(target, draft, basedOn)).toMatchObject({
          status: 410,
          kind: 'draft-posted',
        });
      }
      // Text typed after it is not lost.
      await laptop.type(target, 'Posted. And more', version);
      expect(await stateAt(ann, target)).toMatchObject({ fields: { content: 'Posted. And more' } });
    }
  });

  test('refuses to save a posted text that reaches the server later', async () => {
    const id = await bob.ask();
    const phone = browser(ann, 'anns-phone', 'key-of-the-answer');
    await ann.post(`/questions/${id}/answers`, { content: 'Three days.' }, 'key-of-the-answer');
    expect(await phone.save(`answer:${id}`, phone.write('Three days.\n'), null)).toMatchObject({
      status: 410,
      kind: 'draft-posted',
    });
    // The same words again, as a different answer.
    await browser(ann, 'anns-phone', 'key-of-another').type(`answer:${id}`, 'Three days.', null);
  });

  test('keeps another draft of the same target', async () => {
    const id = await bob.ask();
    const { version } = await browser(ann, 'anns-phone', 'key-of-the-draft').type(
      `answer:${id}`,
      'Something else',
      null,
    );
    await ann.post(`/questions/${id}/answers`, { content: 'Three days.' }, 'key-of-the-answer');
    await ann.answer(id, 'By a program that sends no key.');
    expect(await stateAt(ann, `answer:${id}`)).toMatchObject({ version });
    await ann.answer(id, 'Something else');
    expect(await stateAt(ann, `answer:${id}`)).toMatchObject({ ended: 'posted' });
  });

  test('keeps the draft when the post is refused', async () => {
    const phone = browser(ann, 'anns-phone', 'key-of-the-answer');
    const { version } = await phone.type('answer:999999999', 'Too late', null);
    const refused = await ann.post(
      '/questions/999999999/answers',
      { content: 'Too late' },
      'key-of-the-answer',
    );
    expect(refused.status).toBe(404);
    expect(await stateAt(ann, 'answer:999999999')).toMatchObject({ version });
  });
});

test('publishes draft events without texts, to their member only', async () => {
  const phone = browser(ann, 'anns-phone');
  const { version } = await phone.type('ask', 'A secret', null);
  await ann.delete('/drafts/ask');
  const { rows } = await sql<{ topic: string; event: Record<string, unknown> }>`
    select topic, event from event where event ->> 'kind' = 'draft-changed' and topic = ${`member:${ann.id}`}
    order by id`.execute(server.db);
  expect(rows.map(({ event }) => event)).toMatchObject([
    { target: 'ask', version, ended: null, clientId: 'anns-phone' },
    { target: 'ask', ended: 'discarded' },
  ]);
  expect(JSON.stringify(rows)).not.toContain('secret');
});
