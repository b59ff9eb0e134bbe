import type { ClientBase } from 'pg';
import { listTagTextChanges } from './stack-exchange-tag-texts.ts';
import { isChangedHere } from './stack-exchange-profiles.ts';

/** What an import changed of earlier imports of the site, by kind, and what it kept because of a change here. */
export interface ImportedChanges {
  /** The kinds that occur, such as 'titles', with the number of rows. */
  counts: Readonly<Record<string, number>>;
  /** Some of the changes, each as a line. */
  examples: readonly string[];
  /** Changes on the site that were not taken, because of a change here. */
  conflicts: { total: number; lines: readonly string[] };
}

export const noChanges: ImportedChanges = { counts: {}, examples: [], conflicts: { total: 0, lines: [] } };

/** Lines that are listed at most, and as many examples of texts of tags. */
const limits = { examples: 20, conflicts: 50 } as const;

/** The names of the counts, in the order of the report. */
export const changeNames = {
  titles: 'titles',
  tags: 'questions with other tags',
  texts: 'texts of questions and answers',
  comments: 'texts of comments',
  scores: 'scores',
  views: 'view counts',
  acceptances: 'accepted answers',
  duplicates: 'marks of duplicates',
  closings: 'closings',
  unlocked: 'unlocked questions',
  notes: 'posts with other bounties or marks of community wikis',
  histories: 'posts with other earlier versions',
  authors: 'authors',
  sources: 'licences and times of edits',
  names: 'names of members',
  bios: 'profiles of members',
  places: 'locations and websites of members',
  reputation: 'reputations',
  badges: 'badges of members',
  tagTexts: 'texts of tags',
  emptied: 'profiles without an account on the site',
  follows: 'removed follows',
  shown: 'posts shown again',
  removedQuestions: 'removed questions',
  removedAnswers: 'removed answers',
  removedComments: 'removed comments',
} as const;

type Counts = Partial<Record<keyof typeof changeNames, number>>;

/** Counts and lists the changes. Runs after all of them. */
export async function describeChanges(
  client: ClientBase,
  others: { follows: number; shown: number; unlocked: number; badges: number; tagTexts: number },
): Promise<ImportedChanges> {
  const text = 'applied and not edited_here and';
  const { rows } = await client.query<Record<string, string>>(`
    select posts.*, members.*, gone.*,
      (select count(*) from archive_acceptance where applied)
        + (select count(*) from archive_accepted where question_id not in (select question_id from archive_acceptance))
        as acceptances,
      (select count(*) from archive_remark where applied) as duplicates,
      (select count(*) from archive_reclosed) as closings,
      (select count(*) from archive_noted) as notes,
      (select count(*) from archive_reversioned) as histories,
      (select count(*) from archive_gone_user) as emptied
    from (
      select count(*) filter (where ${text} title) as titles, count(*) filter (where ${text} tags) as tags,
        count(*) filter (where ${text} content and kind <> 'reply') as texts,
        count(*) filter (where ${text} content and kind = 'reply') as comments,
        count(*) filter (where applied and score) as scores, count(*) filter (where applied and views) as views,
        count(*) filter (where applied and author) as authors, count(*) filter (where ${text} source) as sources
      from archive_changed) posts,
    (
      select count(*) filter (where name and not name_here) as names, count(*) filter (where bio and not bio_here) as bios,
        count(*) filter (where location and not location_here or website and not website_here) as places,
        count(*) filter (where points <> 0) as reputation
      from archive_changed_user) members,
    (
      select count(*) filter (where kind = 'question') as "removedQuestions",
        count(*) filter (where kind = 'answer') as "removedAnswers",
        count(*) filter (where kind = 'reply') as "removedComments"
      from archive_gone where reason is null) gone`);
  const found: Record<string, string | number> = { ...rows[0], ...others };
  const counts: Counts = {};
  for (const name of Object.keys(changeNames) as (keyof typeof changeNames)[]) {
    const number = Number(found[name]);
    if (number > 0) counts[name] = number;
  }
  const [examples, conflicts] = [await listExamples(client), await listConflicts(client)];
  const tagTexts = await listTagTextChanges(client, limits.examples);
  return {
    counts,
    examples: [...examples, ...tagTexts.changes],
    conflicts: {
      total: conflicts.total + tagTexts.conflicts.total,
      lines: [...conflicts.lines, ...tagTexts.conflicts.lines],
    },
  };
}

/** The address of a post here, and the title of its question. */
const line = (where: string, what: string) =>
  `/question/${where} ${what}`.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();

type ChangeRow = { kind: string; question_id: string; id: string; title: string | null; what: string };

const toLine = ({ kind, question_id: question, id, title, what }: ChangeRow) =>
  line(question, `'${(title ?? '').slice(0, 80)}'${kind === 'question' ? '' : `, ${kind} ${id}`}: ${what}`);

async function listExamples(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<ChangeRow>(`
    select changed.kind, question_id, changed.id, question.title, what from (
      select kind, question_id, id, concat_ws(', ',
          case when title and not edited_here then 'title' end, case when tags and not edited_here then 'tags' end,
          case when content and not edited_here then 'text' end, case when author then 'author' end,
          case when score then format('score %s', to_char(up - down, 'SG999999999FM')) end,
          case when views then format('%s views', to_char(added_views, 'SG999999999FM')) end) as what,
        case when title or tags then 0 when content then 1 when score then 3 else 4 end as place
      from archive_changed where applied
      union all select kind, question_id, id, 'deleted on the site', 0 from archive_gone where reason is null
      union all select 'question', question_id, question_id, 'accepted answer', 2 from archive_acceptance where applied
      union all select 'question', question_id, question_id, 'mark of a duplicate', 2 from archive_remark where applied
      union all select 'question', question_id, question_id, 'closing', 2 from archive_reclosed
    ) changed left join base_question question on question.id = question_id
    where what <> '' order by row_number() over (partition by place order by question_id, changed.id), place
    limit ${limits.examples}`);
  return rows.map(toLine);
}

async function listConflicts(client: ClientBase): Promise<ImportedChanges['conflicts']> {
  const { rows } = await client.query<ChangeRow & { total: string }>(`
    select conflicts.kind, question_id, conflicts.id, question.title, what, count(*) over () as total from (
      select kind, question_id, id, 'edited here' as what from archive_changed
        where applied and edited_here and (title or tags or content)
      union all select kind, question_id, id, 'the question is locked here' from archive_changed where locked
      union all select 'question', question_id, question_id, 'another answer was accepted here'
        from archive_acceptance where not applied
      union all select 'question', question_id, question_id, 'marked as a duplicate otherwise here'
        from archive_remark where not applied
      union all select kind, question_id, id, 'deleted on the site, kept: ' || reason from archive_gone
        where reason is not null
      union all select 'member', null, id, 'profile changed here' from archive_changed_user
        where ${isChangedHere}
    ) conflicts left join base_question question on question.id = question_id
    order by conflicts.kind = 'member', question_id, conflicts.kind, conflicts.id limit ${limits.conflicts}`);
  const lines = rows.map((row) => (row.kind === 'member' ? `/profile/${row.id} ${row.what}` : toLine(row)));
  return { total: Number(rows[0]?.total ?? 0), lines };
}
