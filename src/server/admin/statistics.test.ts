import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { setRole } from './roles.ts';
import { countStatistics } from './statistics.ts';
import {
  addPeriods,
  type EmptySearches,
  getPeriodStart,
  type PeriodStatistics,
  type Statistics,
  statisticsUnit,
  type StatisticsUnit,
  type TagStatistics,
} from '#shared/admin/statistics.ts';
import { addDays } from '#shared/discovery/activity.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnMember, actOnPost, report } from '#tests/support/moderation.ts';
import { createSeededRandom } from '#tests/support/seeded-random.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const { db } = server;
const [ann, bob, eve, maud] = await server.registerAll('Ann', 'Bob', 'Eve', 'Maud');
await setRole(db, { email: maud.email, role: 'moderator' });
beforeEach(() => server.resetRateLimits());

const today = () => new Date().toISOString().slice(0, 10);
const count = () => countStatistics(db, Number.POSITIVE_INFINITY);
const read = async (query: string) => expectOk(await maud.get<Statistics>(`/admin/statistics?${query}`));
const readCurrent = async (unit: StatisticsUnit) => (await read(`unit=${unit}`)).periods.at(-1)!;
const download = async (path: string) => (await maud.send<string>('GET', path)).body;

// Other tables repeat the time of a question, in foreign keys. Without these, a question can get another time.
await sql`
  do $$
  declare key record;
  begin
    for key in
      select conrelid::regclass as child, conname from pg_constraint
      where contype = 'f' and confrelid = 'base_question'::regclass and cardinality(confkey) = 2 and confdeltype = 'c'
    loop
      execute format('alter table %s drop constraint %I', key.child, key.conname);
    end loop;
  end $$`.execute(db);

async function ageQuestion(id: number, at: string): Promise<void> {
  await sql`
    with changed as (update base_question set created_at = ${at} where id = ${id}),
    tags as (update base_question_tag set question_created_at = ${at} where question_id = ${id})
    update question_sort_key set created_at = ${at} where question_id = ${id}`.execute(db);
}

const ageAnswer = (id: number, at: string) =>
  sql`
    with changed as (update base_answer set created_at = ${at} where id = ${id})
    update answer_score set created_at = ${at} where answer_id = ${id}`.execute(db);

/** Forgets everything counted, so that the next run counts all days. */
const forget = () =>
  sql`with counts as (delete from community_statistics), tags as (delete from community_tag_statistics)
    delete from setting where name = 'community-statistics'`.execute(db);

type Post = { author: number | null; at: Date };
type Rows = {
  questions: (Post & { id: number; solved: boolean; tags: string[] })[];
  answers: (Post & { question: number })[];
  replies: Post[];
  members: Date[];
  reports: { at: Date; closed: Date | null; outcome: string | null }[];
  actions: Date[];
};

async function readRows(): Promise<Rows> {
  const { rows } = await sql<{ all: Rows }>`
    select jsonb_build_object(
      'questions', (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'author', author_id, 'at', created_at,
        'solved', accepted_answer_id is not null, 'tags', array(
          select name from base_question_tag join tag on tag.id = tag_id where question_id = base_question.id))), '[]')
        from base_question where hidden_by is null),
      'answers', (select coalesce(jsonb_agg(jsonb_build_object('question', question_id, 'author', author_id,
        'at', created_at)), '[]') from base_answer where hidden_by is null),
      'replies', (select coalesce(jsonb_agg(jsonb_build_object('author', author_id, 'at', created_at)), '[]')
        from base_reply where hidden_by is null and deleted_at is null),
      'members', (select jsonb_agg(created_at) from member where source_id is null and not is_bot),
      'reports', (select coalesce(jsonb_agg(jsonb_build_object('at', created_at, 'closed', closed_at,
        'outcome', outcome)), '[]') from report),
      'actions', (select coalesce(jsonb_agg(created_at), '[]') from moderation_log
        where moderator_id is not null and action <> 'role')
    ) as all`.execute(db);
  const revive = (_: string, value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value) : value;
  return JSON.parse(JSON.stringify(rows[0]?.all), revive) as Rows;
}

function median(values: number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2);
}

/** The statistics of a period, counted from all rows. */
function expectedPeriod(rows: Rows, unit: StatisticsUnit, start: string, tag?: string): PeriodStatistics {
  const within = (at: Date | null) =>
    at !== null && getPeriodStart(unit, at.toISOString().slice(0, 10)) === start;
  const isTagged = (id: number) =>
    tag === undefined || rows.questions.some((each) => each.id === id && each.tags.includes(tag));
  const asked = rows.questions.filter(({ id, at }) => within(at) && isTagged(id));
  const given = rows.answers.filter(({ question, at }) => within(at) && isTagged(question));
  const answersTo = (id: number) => rows.answers.filter(({ question }) => question === id);
  const waits = asked.flatMap(({ id, author, at }) => {
    const times = answersTo(id)
      .filter((each) => each.author !== author)
      .map((each) => each.at.getTime());
    return times.length === 0 ? [] : [Math.max(0, Math.min(...times) - at.getTime()) / 1_000];
  });
  const handled = rows.reports.filter(
    ({ closed, outcome }) => within(closed) && ['dismissed', 'resolved'].includes(outcome ?? ''),
  );
  const posts = [...asked, ...given, ...rows.replies.filter(({ at }) => within(at))];
  return {
    start,
    questions: asked.length,
    answeredQuestions: asked.filter(({ id }) => answersTo(id).length > 0).length,
    solvedQuestions: asked.filter(({ solved }) => solved).length,
    firstAnswerSeconds: median(waits),
    answers: given.length,
    community:
      tag === undefined
        ? {
            activeMembers: new Set(posts.map(({ author }) => author)).size,
            newMembers: rows.members.filter(within).length,
            reports: rows.reports.filter(({ at }) => within(at)).length,
            handledReports: handled.length,
            handlingSeconds: median(
              handled.map(({ at, closed }) => ((closed?.getTime() ?? 0) - at.getTime()) / 1_000),
            ),
            moderationActions: rows.actions.filter(within).length,
          }
        : null,
  };
}

async function expectEqualToRows(tags: readonly string[]): Promise<void> {
  const rows = await readRows();
  for (const unit of statisticsUnit.options) {
    const { periods } = await read(`unit=${unit}`);
    expect(periods).toEqual(periods.map(({ start }) => expectedPeriod(rows, unit, start)));
    for (const tag of tags) {
      const ofTag = (await read(`unit=${unit}&tag=${tag}`)).periods;
      expect(ofTag).toEqual(periods.map(({ start }) => expectedPeriod(rows, unit, start, tag)));
    }
  }
}

test('responds with zeros before the first count and in an empty community', async () => {
  const { countedAt, periods } = await read('unit=month');
  expect([countedAt, periods.length, periods.at(-1)]).toEqual([
    null,
    25,
    {
      ...expectedPeriod(
        { questions: [], answers: [], replies: [], members: [], reports: [], actions: [] },
        'month',
        `${today().slice(0, 7)}-01`,
      ),
    },
  ]);
  expect(expectOk(await maud.get<TagStatistics>('/admin/statistics/tags')).items).toEqual([]);
  await count();
  // The four members and nothing else: the appointment of a moderator on the command line is no action.
  expect((await readCurrent('day')).community).toMatchObject({
    newMembers: 4,
    activeMembers: 0,
    moderationActions: 0,
  });
});

describe('after random activity, all statistics equal a count over the rows', () => {
  const seed = Number(process.env['PARLEY_PROPERTY_SEED'] ?? Date.now() % 1_000_000_000);
  test('with posts of 400 days and changes to them later', async () => {
    console.log(`PARLEY_PROPERTY_SEED=${seed}`);
    const random = createSeededRandom(seed);
    const chance = (share: number) => random() < share;
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
    const writers = [ann, bob, eve];
    const tags = [`bread${seed}`, `cake${seed}`, `oven${seed}`];
    const someTags = () => tags.filter(() => chance(0.5)).slice(0, 3);
    const randomTime = () => {
      const day = addDays(today(), -Math.floor(random() ** 2 * 400));
      // Midnight belongs to the day that begins.
      return pick([
        `${day}T00:00:00.000Z`,
        `${addDays(day, -1)}T23:59:59.999Z`,
        `${addDays(day, -1)}T12:34:56.789Z`,
      ]);
    };
    const questions: { id: number; author: Member }[] = [];
    const answers: { id: number; question: number; author: Member }[] = [];
    for (let n = 0; n < 14; n++) {
      await server.resetRateLimits();
      const author = pick(writers);
      const used = someTags();
      const id = await author.ask({ tags: used.length === 0 ? [pick(tags)] : used });
      const at = randomTime();
      await ageQuestion(id, at);
      questions.push({ id, author });
      if (!chance(0.6)) continue;
      const answer = { question: id, author: pick(writers), id: 0 };
      answer.id = (await answer.author.answer(id)).id;
      await ageAnswer(answer.id, new Date(Date.parse(at) + random() * 9e8).toISOString());
      answers.push(answer);
    }
    await forget();
    await count();
    await expectEqualToRows(tags);
    const hidden: { kind: 'question' | 'answer'; id: number }[] = [];
    for (let round = 0; round < 2; round++) {
      for (let step = 0; step < 14; step++) {
        await server.resetRateLimits();
        const question = pick(questions);
        const action = pick([
          'answer',
          'answer',
          'accept',
          'accept',
          'unaccept',
          'hide',
          'restore',
          'delete',
          'retag',
          'reply',
          'report',
          'handle',
          'withdraw',
          'warn',
        ]);
        const author = pick(writers);
        const answer = pick(answers);
        // Some are refused, such as an answer to a hidden question: then nothing changes.
        if (action === 'answer') {
          const posted = await author.post<{ id: number }>(`/questions/${question.id}/answers`, {
            content: 'Yes.',
          });
          if (posted.status === 201) answers.push({ id: posted.body.id, question: question.id, author });
        }
        const own = questions.find(({ id }) => id === answer.question);
        if (action === 'accept')
          await own?.author.put(`/questions/${answer.question}/accepted-answer`, { answerId: answer.id });
        if (action === 'unaccept')
          await question.author.put(`/questions/${question.id}/accepted-answer`, { answerId: null });
        if (action === 'reply')
          await author.post(`/questions/${question.id}/replies`, { content: 'Why?', parentReplyId: null });
        if (action === 'hide') {
          const post = chance(0.5)
            ? { kind: 'question' as const, id: question.id }
            : { kind: 'answer' as const, id: answer.id };
          if ((await actOnPost(maud, 'hide', post.kind, post.id)).status < 300) hidden.push(post);
        }
        if (action === 'restore' && hidden.length > 0) {
          const post = pick(hidden);
          await actOnPost(maud, 'restore', post.kind, post.id);
        }
        if (action === 'delete')
          await (chance(0.3)
            ? question.author.send('DELETE', `/questions/${question.id}`)
            : answer.author.send('DELETE', `/answers/${answer.id}`));
        if (action === 'retag')
          await question.author.put(`/questions/${question.id}`, {
            title: 'Is this right?',
            content: 'It is.',
            tags: [pick(tags)],
            basedOn: null,
          });
        if (action === 'report') await report(author, 'question', question.id);
        if (action === 'withdraw') await report(author, 'question', question.id, null);
        if (action === 'handle') await actOnPost(maud, 'dismiss', 'question', question.id);
        if (action === 'warn') await actOnMember(maud, 'warn', eve.id);
      }
      // Some reports become older, so that withdrawing and handling one changes an earlier day.
      await sql`with old as (update report set created_at = created_at - interval '40 days' where random() < 0.3 returning created_at)
        insert into stale_statistics_day select utc_day(at) from old, unnest(array[created_at, created_at + interval '40 days']) at`.execute(
        db,
      );
      await count();
      await expectEqualToRows(tags);
    }
    const byTag = expectOk(await maud.get<TagStatistics>('/admin/statistics/tags?unit=month')).items;
    const rows = await readRows();
    const month = getPeriodStart('month', today());
    for (const tag of tags) {
      const { questions: asked, answers: given } = expectedPeriod(rows, 'month', month, tag);
      const shown = byTag.find((each) => each.tag === tag);
      expect([shown?.questions ?? 0, shown?.answers ?? 0]).toEqual([asked, given]);
    }
  }, 60_000);
});

test('counts nothing twice, and catches up after days without a run', async () => {
  await count();
  const before = await read('unit=day');
  await count();
  expect((await read('unit=day')).periods).toEqual(before.periods);
  // As if the job had not run for five days.
  await sql`delete from community_statistics where start > utc_day(now()) - 5`.execute(db);
  await sql`
    update setting set value = jsonb_build_object('countedAt', now() - interval '5 days', 'tookMs', 1)
    where name = 'community-statistics'`.execute(db);
  await count();
  expect((await read('unit=day')).periods).toEqual(before.periods);
});

test('compares the tags of a period with the period before, and drops old periods of tags', async () => {
  const tag = `flour-${ann.id}`;
  const lastWeek = addPeriods('week', getPeriodStart('week', today()), -1);
  await ageQuestion(await ann.ask({ tags: [tag] }), `${lastWeek}T12:00:00.000Z`);
  await ann.ask({ tags: [tag] });
  const old = await ann.ask({ tags: [tag] });
  await ageQuestion(old, `${addDays(today(), -900)}T12:00:00.000Z`);
  await forget();
  await count();
  const { items } = expectOk(await maud.get<TagStatistics>('/admin/statistics/tags'));
  expect(items.find((each) => each.tag === tag)).toMatchObject({ questions: 1, questionsBefore: 1 });
  const { rows } = await sql<{ starts: number }>`
    select count(*) as starts from community_tag_statistics join tag on tag.id = tag_id
    where name = ${tag} and unit = 'month' and start < now() - interval '800 days'`.execute(db);
  expect(rows[0]?.starts).toBe(0);
  expect(await download('/admin/statistics.csv?unit=month')).toContain(
    `${addDays(today(), -900).slice(0, 7)}-01,1,`,
  );
});

describe('downloads', () => {
  test('have a line per period, tag or search, and no formulas', async () => {
    await ann.ask({ tags: [`salt-${ann.id}`] });
    await sql`update tag set name = '=cmd("x"), "y"' where name = ${`salt-${ann.id}`}`.execute(db);
    await count();
    const periods = (await download('/admin/statistics.csv?unit=day')).split('\r\n');
    expect(periods[0]).toBe(
      'day,questions,answered_questions,solved_questions,median_seconds_to_first_answer,answers,active_members,new_members,reports,handled_reports,median_seconds_to_handle_a_report,moderation_actions',
    );
    const current = await readCurrent('day');
    expect(periods.at(-2)).toMatch(new RegExp(`^${today()},${current.questions},`));
    const { headers } = await maud.send('GET', '/admin/statistics/tags.csv?unit=day');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toBe('attachment; filename="tags-day.csv"');
    expect((await download('/admin/statistics/tags.csv?unit=day')).split('\n')).toContain(
      `"'=cmd(""x""), ""y""",1,0,0,,0,0\r`,
    );
  });
});

describe('searches without results', () => {
  const readSearches = async () =>
    expectOk(await maud.get<EmptySearches>('/admin/statistics/searches')).items;
  const search = (member: Member, q: string, more = '') =>
    member.get(`/search?q=${encodeURIComponent(q)}${more}`);
  beforeEach(() => sql`delete from empty_search`.execute(db));

  test('are counted once per member and minute, without case, and never with who searched', async () => {
    for (const q of ['Zyzzyva  traps', 'zyzzyva traps', 'zyzzyva traps']) await search(ann, q);
    await search(bob, 'zyzzyva traps', '&in=answers');
    await search(eve, 'quokka');
    await server.emptySearches.store();
    await search(eve, 'quokka');
    await server.emptySearches.store();
    expect(await readSearches()).toEqual([
      { query: 'quokka', searches: 2, lastDay: today() },
      { query: 'zyzzyva traps', searches: 2, lastDay: today() },
    ]);
    expect(await download('/admin/statistics/searches.csv')).toBe(
      `query,searches,last_day\r\nquokka,2,${today()}\r\nzyzzyva traps,2,${today()}\r\n`,
    );
  });

  test('leave out results, later pages, suggestions while typing, names, operators and email addresses', async () => {
    await ann.ask({ title: 'How do I trap a heffalump?' });
    await search(ann, 'heffalump');
    await search(ann, 'axolotl', `&cursor=${Buffer.from('[20,0]').toString('base64url')}`);
    await ann.get('/search/instant?q=capybara');
    await search(ann, 'Nobody', '&in=users');
    await search(ann, 'user:me narwhal');
    await search(ann, 'ann@example.org');
    await search(ann, 'x'.repeat(150));
    await server.emptySearches.store();
    expect(await readSearches()).toEqual([]);
  });

  test('are limited per day, and deleted after 90 days', async () => {
    await sql`insert into empty_search select utc_day(now()), 'w' || n, 1 from generate_series(1, 500) n`.execute(
      db,
    );
    await sql`insert into empty_search values (utc_day(now()) - 90, 'old', 1), (utc_day(now()) - 89, 'newer', 1)`.execute(
      db,
    );
    server.emptySearches.count('w7', ann.id);
    server.emptySearches.count('one more', ann.id);
    await server.emptySearches.store();
    await count();
    const { rows } = await sql<{ query: string; searches: number }>`
      select query, searches from empty_search where query !~ '^w' or searches > 1 order by query`.execute(
      db,
    );
    expect(rows).toEqual([
      { query: 'newer', searches: 1 },
      { query: 'w7', searches: 2 },
    ]);
  });
});

test('refuses members, unknown units, days and tags', async () => {
  for (const path of ['', '/tags', '/searches', '.csv', '/tags.csv', '/searches.csv'])
    expect(await ann.get(`/admin/statistics${path}`)).toMatchObject({ status: 404 });
  for (const query of [
    '?unit=year',
    '?unit=',
    '/tags?day=2026-02-30',
    '/tags?day=x',
    '/searches?days=0',
    '/searches?days=91',
    '/searches?days=x',
  ])
    expect(await maud.get(`/admin/statistics${query}`)).toMatchObject({ status: 400 });
  expect(await maud.get('/admin/statistics?tag=never-used')).toMatchObject({ status: 404 });
  expect(await maud.get('/admin/statistics.csv?tag=never-used')).toMatchObject({ status: 404 });
});
