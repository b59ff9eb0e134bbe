import type { ClientBase } from 'pg';
import type { LineKind } from './jsonl-format.ts';
import { applyOutcomes, describeCounts, type RowTally } from './stack-exchange-tally.ts';

export type LineTallies = Partial<Record<LineKind, RowTally>>;

/** What the import added, by table of the community. */
export type LineCounts = {
  members: number;
  badges: number;
  tags: number;
  questions: number;
  answers: number;
  replies: number;
  revisions: number;
  votes: number;
  follows: number;
  bookmarks: number;
  pictures: number;
  redirects: number;
};

/** Assigns an outcome to every staged row. Runs after the last row was added. */
export async function classifyLines(
  client: ClientBase,
  tallies: LineTallies,
  added: LineCounts,
): Promise<void> {
  for (const [kind, outcomes] of Object.entries(outcomesByKind)) {
    const tally = tallies[kind as keyof typeof outcomesByKind];
    if (tally !== undefined) await applyOutcomes(client, tally, outcomes);
  }
  takeCounted(tallies.badges, added.badges);
  takeCounted(tallies.follows, added.follows);
  takeCounted(tallies.bookmarks, added.bookmarks);
}

/** Each query returns an outcome for every row: 'taken', 'known', or the reason why the row is skipped. */
const outcomesByKind = {
  members: `
    select case when is_new then 'taken' when is_deleted then 'deleted here' else 'known' end as outcome from line_member`,
  tags: `
    select case when not exists (select from line_known_tag known where known.key = staged.key) then 'taken' else 'known' end
      as outcome
    from line_tag staged`,
  questions: postOutcomes(1),
  answers: postOutcomes(2),
  replies: postOutcomes(3),
  revisions: `
    select case when post.id is null or post.new_id is null then 'of posts that are not here'
      when post.is_new then 'taken' else 'known' end as outcome
    from line_revision revision left join line_post post on post.kind = revision.kind and post.id = revision.post`,
  votes: `
    select case when post.id is null or post.is_skipped is not null then 'on posts that are not here'
      when not post.is_new then 'known' else 'taken' end as outcome
    from line_vote vote left join line_post post on post.kind = vote.kind and post.id = vote.post`,
  pictures: `
    select case when is_new then 'taken' when new_id is not null then 'known' else 'shown by no new post or member' end
      as outcome
    from line_picture`,
  redirects: `
    select case when is_new then 'taken' when new_id is null then 'to posts, members or topics that are not here'
      else 'known' end as outcome
    from line_redirect`,
};

function postOutcomes(kind: number): string {
  return `
    select case when is_new then 'taken' when is_skipped is not null then is_skipped else 'known' end as outcome
    from line_post where kind = ${kind}`;
}

/** Rows of members or posts that are not here, and those that exist, have no row of their own to tell them apart. */
function takeCounted(tally: RowTally | undefined, added: number): void {
  if (tally === undefined) return;
  tally.imported += added;
  tally.skip('existed before, or of members or posts that are not here', tally.read - added);
}

export async function countAddedPosts(
  client: ClientBase,
): Promise<{ questions: number; answers: number; replies: number }> {
  const { rows } = await client.query<Record<'questions' | 'answers' | 'replies', string>>(`
    select count(*) filter (where kind = 1) as questions, count(*) filter (where kind = 2) as answers,
      count(*) filter (where kind = 3) as replies
    from line_post where is_new`);
  const [row] = rows;
  return { questions: Number(row?.questions), answers: Number(row?.answers), replies: Number(row?.replies) };
}

/** What the outcomes of the rows do not show. */
export async function listRemarks(
  client: ClientBase,
  { takenAddresses, links }: { takenAddresses: number; links: number },
): Promise<string[]> {
  const { rows } = await client.query<Record<'roles' | 'addresses' | 'nameless', string>>(`
    select count(*) filter (where has_role) as roles, count(email) as addresses from line_member where is_new`);
  return describeCounts([
    [
      rows[0]?.roles ?? 0,
      "members were moderators or admins there. Give them roles with 'parley member role'",
    ],
    [
      rows[0]?.addresses ?? 0,
      'members have their email address. They sign in after they set a password with "Forgot password?"',
    ],
    [takenAddresses, 'members got no email address, because an account here has it'],
    [links, 'links now lead to the imported posts and members, or to the old site'],
  ]);
}
