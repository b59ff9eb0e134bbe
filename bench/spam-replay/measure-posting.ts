import { sql } from 'kysely';
import type { Database } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { askQuestion } from '#server/posts/questions.ts';
import { settingCatalogue, type SettingName, type SettingValues } from '#shared/core/setting-catalogue.ts';

const rounds = 300;

/** Features of the classifier, as many as Parley stores at most. */
const features = 50_000;

const words = Array.from({ length: 1_000 }, (_, index) => `blocked phrase ${index}`);

/** What is compared. Each question is the first one of a new member. */
const ways: Readonly<Record<string, { settings: Partial<SettingValues>; link: boolean }>> = {
  'rules off': { settings: { spamRulesOfFirstPosts: 0 }, link: false },
  'default rules': { settings: {}, link: false },
  '1,000 blocked words and domains': {
    settings: { blockedWords: words, blockedDomains: words.map((_, index) => `spam${index}.example`) },
    link: true,
  },
  'rule on posts in a short time': { settings: { newMemberPosts: 3 }, link: true },
  'default rules and the estimate': { settings: { spamProbability: 99 }, link: true },
};

/**
 * Measures how long it takes to store a question, in milliseconds, with the text of real questions. The ways take turns,
 * so that what else runs on the machine affects all of them.
 */
export async function measurePosting(db: Database): Promise<void> {
  const { rows: texts } = await sql<{ title: string; content: string }>`
    select title, content from question where char_length(content) <= 20000 and char_length(title) <= 200
    order by id limit ${rounds}`.execute(db);
  await sql`
    insert into spam_token (token, spam, ham)
    select token, count(*), count(*) from (
      select 'word:' || left(lower(word), 40) as token from question, regexp_split_to_table(content, '\\W+') word
    ) each group by token limit ${features}`.execute(db);
  await sql`insert into spam_token (token, spam, ham) values ('', 500, 1000)`.execute(db);
  await sql`analyze spam_token`.execute(db);
  const times = new Map(Object.keys(ways).map((way) => [way, [] as number[]]));
  for (let round = -20; round < rounds; round += 1) {
    const text = texts[Math.abs(round) % texts.length] ?? { title: 'Why?', content: 'Why?' };
    for (const [way, { settings, link }] of Object.entries(ways)) {
      const viewer = await createAccount(db);
      const content = link ? `${text.content} https://example.org/${round}` : text.content;
      const get = <Name extends SettingName>(name: Name) =>
        (settings[name] ?? settingCatalogue[name].default) as SettingValues[Name];
      const started = performance.now();
      await askQuestion(db, {
        viewer,
        key: undefined,
        draft: { title: text.title, content, tags: ['measured'] },
        publicUrl: null,
        settings: { get },
      });
      if (round >= 0) times.get(way)?.push(performance.now() - started);
    }
  }
  console.log(`${rounds} questions each, taking turns.\n`);
  console.log('| | median ms | p95 ms |\n|---|---|---|');
  for (const [way, measured] of times) {
    const sorted = measured.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2);
    console.log(`| ${way} | ${at(0.5)} | ${at(0.95)} |`);
  }
}

async function createAccount(db: Database): Promise<Viewer> {
  const { rows } = await sql<{ id: number }>`
    insert into member (display_name, email, email_verified)
    values ('Measured', gen_random_uuid() || '@example.org', true) returning id`.execute(db);
  const memberStatus = { role: 'member', suspension: null, pendingStep: null };
  return { id: rows[0]?.id ?? 0, sessionId: 0, memberStatus } as Viewer;
}
