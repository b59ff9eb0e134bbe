import { formatError } from '#shared/errors.ts';
import { sql } from 'kysely';
import { one } from '#server/core/sql.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Member, register } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import type { Question, QuestionTitles } from '#shared/posts/questions.ts';

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const bob = await server.register('Bob');
const eve = await server.register('Eve');

const draft = { title: 'How long does bread keep?', content: 'In a bag, on the table.' };

describe('asking', () => {
  test('shows the question to every member, and counts it for its author only', async () => {
    const author = await server.register('Asker');
    const bobsBefore = await bob.me();
    const id = await author.ask({ ...draft, tags: ['Bread', 'kitchen'] });
    const { question, answers, replies } = await bob.read(id);
    expect(question).toEqual({
      id,
      ...draft,
      excerpt: draft.content,
      tags: ['Bread', 'kitchen'],
      authorId: author.id,
      authorName: 'Asker',
      authorAvatar: null,
      authorIsBot: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      editedAt: null,
      upvotes: 0,
      downvotes: 0,
      myVote: null,
      views: 0,
      answerCount: 0,
      acceptedAnswerId: null,
      lockReason: null,
      duplicateOf: null,
      closing: null,
      closedBy: [],
      following: false,
      bookmarked: false,
      siteHistory: null,
      muted: false,
      source: null,
    });
    expect([answers, replies]).toEqual([
      { items: [], nextCursor: null },
      { items: [], nextCursor: null },
    ]);
    expect((await author.me()).questionsCount).toBe(1);
    expect(await bob.me()).toEqual(bobsBefore);
  });

  test.each([
    ['no title', { title: ' \n ' }, formatError({ code: 'question-fields-required' })],
    ['no details', { content: '\t' }, formatError({ code: 'question-fields-required' })],
    [
      'a title of invisible characters',
      { title: '\u200B \u3164' },
      formatError({ code: 'question-fields-required' }),
    ],
    [
      'details of invisible characters',
      { content: '\u2060\n\u00AD' },
      formatError({ code: 'question-fields-required' }),
    ],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, 'Title must be 200 characters or fewer'],
    [
      'details of 2001 characters',
      { content: 'x'.repeat(2001) },
      'Details must be 2,000 characters or fewer',
    ],
    ['six tags', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'You can add up to 5 tags'],
    ['a tag of 36 characters', { tags: ['x'.repeat(36)] }, 'Tag must be 35 characters or fewer'],
    ['a comma in a tag', { tags: ['salt, sweet'] }, 'Enter a name without commas.'],
    ['a control character in a tag', { tags: ['a\u0001b'] }, 'A tag cannot contain control characters'],
  ])('is refused for %s and counts nothing', async (_, wrong, detail) => {
    const before = (await ann.me()).questionsCount;
    const refused = await ann.post('/questions', { ...draft, ...wrong });
    expect(refused).toMatchObject({ status: 400, kind: 'invalid', detail });
    expect((await ann.me()).questionsCount).toBe(before);
  });

  test('accepts a title of 200 and details of 2,000 four-byte characters', async () => {
    const long = { title: '🍞'.repeat(200), content: '🥖'.repeat(2000) };
    expect((await ann.read(await ann.ask(long))).question).toMatchObject(long);
  });

  test('accepts letters of any script and emoji, and leaves out tags without visible characters', async () => {
    const id = await ann.ask({
      title: '\u0646\u0645\u06CC\u200C\u062F\u0627\u0646\u0645',
      content: '👩‍🚀',
      tags: ['\u200B', '# \u2060', 'ok'],
    });
    expect((await ann.read(id)).question).toMatchObject({ content: '👩‍🚀', tags: ['ok'] });
  });

  test('trims title and details, and keeps inner white space', async () => {
    const id = await ann.ask({ title: '  A  title ', content: '\n\tone\r\n\r\n    code\n ' });
    expect((await ann.read(id)).question).toMatchObject({
      title: 'A  title',
      content: 'one\r\n\r\n    code',
    });
  });

  test('works without tags', async () => {
    const { body } = await ann.post<{ id: number }>('/questions', draft);
    expect((await ann.read(body.id)).question.tags).toEqual([]);
  });

  test('is refused without a session', async () => {
    expect(await server.visitor().post('/questions', draft)).toMatchObject({
      status: 401,
      kind: 'signed-out',
    });
  });
});

describe('the titles of questions that a text links to', () => {
  test('are returned together, without questions that do not exist', async () => {
    const first = await ann.ask({ ...draft, title: 'The first' });
    const second = await bob.ask({ ...draft, title: 'The second' });
    const { status, body } = await eve.get<QuestionTitles>(
      `/question-titles?ids=${second},987654321,${first},${first}`,
    );
    expect(status).toBe(200);
    expect(body.items.toSorted((a, b) => a.id - b.id)).toEqual([
      { id: first, title: 'The first' },
      { id: second, title: 'The second' },
    ]);
  });

  test('are an empty list without ids', async () => {
    expect((await eve.get<QuestionTitles>('/question-titles?ids=')).body).toEqual({ items: [] });
  });

  test.each(['1,', 'a', '0', '-1', '1,,2', '9'.repeat(17), Array.from({ length: 101 }, () => 1).join()])(
    'are refused for %j',
    async (ids) => {
      expect((await eve.get(`/question-titles?ids=${ids}`)).status).toBe(400);
    },
  );
});

describe('tags', () => {
  test('are compared without case, shown as first written, and folded', async () => {
    await ann.ask({ tags: ['Sour Dough'] });
    const id = await bob.ask({ tags: ['#sour   dough', 'SOUR DOUGH', ' ', 'rye'] });
    expect((await ann.read(id)).question.tags).toEqual(['Sour Dough', 'rye']);
    expect(await questionsTagged('sour dough')).toBe(2);
  });

  test('are the same with composed and decomposed accents', async () => {
    await ann.ask({ tags: ['cre\u0300me'] });
    const id = await bob.ask({ tags: ['CR\u00c8ME'] });
    expect((await ann.read(id)).question.tags).toEqual(['cr\u00e8me']);
  });

  test('become one tag with all questions when many members use it at the same time', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => ann.ask({ tags: [index % 2 ? 'Rush' : 'rush', 'Hour'] })),
    );
    expect(await questionsTagged('rush')).toBe(20);
    expect(await questionsTagged('hour')).toBe(20);
  });

  test('count their questions through edits and deletion', async () => {
    const remaining = await ann.ask({ tags: ['count'] });
    const id = await ann.ask({ tags: ['count', 'other'] });
    expect(await questionsTagged('count')).toBe(2);
    await ann.put(`/questions/${id}`, { ...draft, tags: ['other', 'third'] });
    expect([await questionsTagged('count'), await questionsTagged('third')]).toEqual([1, 1]);
    await ann.remove('questions', id);
    expect([await questionsTagged('other'), await questionsTagged('third')]).toEqual([0, 0]);
    expect(await questionsTagged('count')).toBe(1);
    expect((await ann.read(remaining)).question.tags).toEqual(['count']);
  });
});

describe('a view', () => {
  test('counts once per member, including the author, and once for two tabs at the same time', async () => {
    const id = await ann.ask();
    const bobsPhone = await bob.signInElsewhere();
    const tabs = [ann, ann, bob, bob, bobsPhone, bobsPhone, eve];
    const answers = await Promise.all(tabs.map((tab) => tab.put(`/questions/${id}/view`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(204));
    await eve.put(`/questions/${id}/view`);
    expect((await ann.read(id)).question.views).toBe(3);
  });

  test('is not counted by reading through the API, nor on other questions', async () => {
    const [id, beside] = [await ann.ask(), await ann.ask()];
    await bob.read(id);
    await bob.put(`/questions/${beside}/view`);
    expect((await bob.read(id)).question.views).toBe(0);
  });

  test("stores the time of the member's own last visit, and updates it each time", async () => {
    const id = await ann.ask();
    const visit = async (member: typeof bob) => (await member.read(id)).visitedAt;
    expect(await visit(bob)).toBeNull();
    await bob.put(`/questions/${id}/view`);
    const first = await visit(bob);
    expect(first).not.toBeNull();
    const answer = await eve.answer(id);
    expect(Date.parse(answer.createdAt)).toBeGreaterThanOrEqual(Date.parse(first ?? ''));
    expect(await visit(bob)).toBe(first);
    await bob.put(`/questions/${id}/view`);
    expect(Date.parse((await visit(bob)) ?? '')).toBeGreaterThan(Date.parse(first ?? ''));
    expect(await visit(eve)).toBeNull();
  });

  test('that is repeated does not wait for a lock on the question', async () => {
    const id = await ann.ask();
    await bob.put(`/questions/${id}/view`);
    await server.db.transaction().execute(async (tx) => {
      await sql`select id from question where id = ${id} for update`.execute(tx);
      expect(await bob.put(`/questions/${id}/view`)).toMatchObject({ status: 204 });
    });
  });

  test('is refused for a question that does not exist', async () => {
    expect(await bob.put('/questions/999999999/view')).toMatchObject({ status: 404, kind: 'not-found' });
  });
});

describe('editing a question', () => {
  test('shows the new text and the time, and the earlier versions to every member', async () => {
    const id = await ann.ask({ ...draft, tags: ['edited'] });
    const first = { ...draft, title: 'How long does rye bread keep?', tags: ['edited', 'twice'] };
    const second = { ...first, content: 'In a tin.' };
    await ann.put(`/questions/${id}`, first);
    await server.ageEdits(6);
    const { status, body } = await ann.put<Question>(`/questions/${id}`, second);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...second, excerpt: 'In a tin.', editedAt: expect.any(String) });
    const items = await bob.revisions(`/questions/${id}`);
    expect(items).toMatchObject([
      { number: 3, ...second, createdAt: body.editedAt },
      { number: 2, ...first },
      { number: 1, ...draft, tags: ['edited'], createdAt: body.createdAt },
    ]);
  });

  test('creates no revision without a change, or with tags in another case', async () => {
    await bob.ask({ tags: ['Rye Bread'] });
    const same = { ...draft, tags: ['rye bread', 'oven'] };
    const id = await ann.ask(same);
    expect((await ann.put<Question>(`/questions/${id}`, same)).body.editedAt).toBeNull();
    const items = await bob.revisions(`/questions/${id}`);
    expect(items).toHaveLength(1);
  });

  test('changes neither votes, views, answers nor the position in Recent', async () => {
    const id = await ann.ask();
    await bob.vote('questions', id, 'up');
    await bob.put(`/questions/${id}/view`);
    await bob.answer(id);
    const before = (await bob.read(id)).question;
    await ann.put(`/questions/${id}`, { ...draft, content: 'Another.' });
    const { question: after } = await bob.read(id);
    const edited = { content: 'Another.', excerpt: 'Another.', editedAt: after.editedAt };
    expect(after).toEqual({ ...before, ...edited });
  });

  test('is refused for other members and changes nothing', async () => {
    const id = await ann.ask();
    const refused = await bob.put(`/questions/${id}`, { ...draft, title: 'Mine now' });
    expect(refused).toMatchObject({ status: 403, kind: 'not-author' });
    expect((await bob.read(id)).question).toMatchObject({ title: draft.title, editedAt: null });
  });

  test('creates one revision for many concurrent edits, and keeps the original', async () => {
    const id = await ann.ask();
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        ann.put(`/questions/${id}`, { ...draft, content: `Version ${index}` }),
      ),
    );
    const items = await bob.revisions(`/questions/${id}`);
    expect(items).toMatchObject([
      { number: 2, content: expect.stringMatching(/^Version \d$/) },
      { number: 1, content: draft.content },
    ]);
  });
});

describe('deleting a question', () => {
  test('deletes its answers, replies, votes, views and follows, and corrects every count', async () => {
    const [author, answerer, replier] = await newcomers('Asker', 'Answerer', 'Replier');
    const id = await author.ask({ tags: ['gone'] });
    const answer = await answerer.answer(id);
    await author.answer(id);
    const reply = await replier.replyToAnswer(answer.id);
    await answerer.replyToAnswer(answer.id, { to: reply });
    await replier.replyToQuestion(id);
    for (const voter of [ann, bob]) {
      await voter.vote('questions', id, 'up');
      await voter.vote('answers', answer.id, 'up');
      await voter.vote('replies', reply.id, 'up');
    }
    await bob.put(`/questions/${id}/view`);
    await bob.put(`/questions/${id}/follow`, { following: true });
    expect([(await author.me()).reputation, (await answerer.me()).reputation]).toEqual([10, 20]);

    await author.remove('questions', id);

    for (const path of [
      `/questions/${id}`,
      `/questions/${id}/answers`,
      `/questions/${id}/replies`,
      `/answers/${answer.id}/replies`,
    ])
      expect(await bob.get(path)).toMatchObject({ status: 404 });
    for (const member of [author, answerer, replier])
      expect(await member.me()).toMatchObject({ questionsCount: 0, answersCount: 0, reputation: 0 });
    for (const table of ['vote', 'question_view', 'question_follow', 'question_tag', 'reply', 'revision']) {
      const { rows } = await sql`select from ${sql.table(table)} where question_id = ${id}`.execute(
        server.db,
      );
      expect(rows).toEqual([]);
    }
  });

  test('does not affect other questions and their counts', async () => {
    const [author, answerer] = await newcomers('Asker', 'Answerer');
    const [gone, remaining] = [await author.ask(), await author.ask()];
    await answerer.answer(gone);
    const answer = await answerer.answer(remaining);
    await bob.vote('answers', answer.id, 'up');
    await author.remove('questions', gone);
    expect(await author.me()).toMatchObject({ questionsCount: 1 });
    expect(await answerer.me()).toMatchObject({ answersCount: 1, reputation: 10 });
    expect((await bob.read(remaining)).question.answerCount).toBe(1);
  });

  test('is refused for other members and changes nothing', async () => {
    const id = await ann.ask();
    const refused = await bob.delete(`/questions/${id}`);
    expect(refused).toMatchObject({
      status: 403,
      kind: 'not-author',
      detail: 'You can only delete your own questions.',
    });
    expect((await bob.read(id)).question.id).toBe(id);
  });

  test('reports not found the second time, and counts once', async () => {
    const [author] = await newcomers('Asker');
    await author.ask();
    const id = await author.ask();
    const both = await Promise.all([author.delete(`/questions/${id}`), author.delete(`/questions/${id}`)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404]);
    expect(await author.delete(`/questions/${id}`)).toMatchObject({
      detail: 'Question not found or already deleted.',
    });
    expect((await author.me()).questionsCount).toBe(1);
  });
});

test('renames a member on every post, and never shows an email address as a name', async () => {
  const member = await server.register('Before');
  const id = await ann.ask();
  const answer = await member.answer(id);
  await member.replyToAnswer(answer.id);
  const rename = (name: string | null) =>
    sql`update member set display_name = ${name} where id = ${member.id}`.execute(server.db);
  await rename('After');
  const shown = async () => {
    const [item] = (await bob.read(id)).answers.items;
    return [item?.authorName, item?.replies.items[0]?.authorName];
  };
  expect(await shown()).toEqual(['After', 'After']);
  await rename(null);
  expect(await shown()).toEqual(['Member', 'Member']);
});

test.each(['999999999', '9007199254740991'])(
  'responds not found for a question that does not exist (%s)',
  async (id) => {
    expect(await ann.get(`/questions/${id}`)).toMatchObject({ status: 404, detail: 'Question not found' });
  },
);

test.each(['0', '-1', '1.5', '1e0', '0x1', '%201', '01', 'abc', '9007199254740993', '%00', '%ff'])(
  'responds not found for the id %s',
  async (id) => {
    await ann.ask();
    expect(await ann.get(`/questions/${id}`)).toMatchObject({ status: 400, kind: 'invalid' });
  },
);

async function questionsTagged(key: string) {
  const { rows } = await sql<{ questions_count: number }>`
    select questions_count from tag where key = ${key}`.execute(server.db);
  return one(rows).questions_count;
}

async function newcomers<Names extends string[]>(...names: Names) {
  return (await Promise.all(names.map((name) => register(server.address, name)))) as {
    [Index in keyof Names]: Member;
  };
}
