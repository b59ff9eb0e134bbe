import type { ClientBase } from 'pg';
import type { ArchiveFileKind } from './folder.ts';
import type { Tally } from './tally.ts';

export type Tallies = Partial<Record<ArchiveFileKind, Tally>>;

/** What the import added, by the tables of the community. */
export interface Added {
  members: number;
  /** Members known by their number only, because the archive has posts of them but no entry. */
  nameless: number;
  questions: number;
  answers: number;
  replies: number;
  follows: number;
}

/** Says of every staged row what became of it. Comes after the last row was added. */
export async function accountForStaged(client: ClientBase, tallies: Tallies, added: Added): Promise<void> {
  const one = (sql: string) => count(client, sql);
  const { users, posts, comments } = tallies;
  if (users !== undefined) {
    users.taken = added.members;
    users.known = (await one('select count(*) from archive_user where not nameless')) - added.members;
  }
  if (posts !== undefined) {
    const lost = await one(`
      select count(*) from archive_post post
      where kind = 2 and not exists (select from archive_question where key = post.parent)`);
    posts.leaveOut('answers to questions that are not in the archive', lost);
    posts.taken = added.questions + added.answers;
    posts.known = (await one('select count(*) from archive_post')) - posts.taken - lost;
  }
  if (comments !== undefined) {
    const lost = await one(`
      select count(*) from archive_comment comment
      where not exists (select from archive_place where key = comment.post_id)`);
    comments.leaveOut('on posts that are not in the archive or were left out', lost);
    comments.taken = added.replies;
    comments.known = (await one('select count(*) from archive_comment')) - added.replies - lost;
  }
  if (tallies.votes !== undefined) await accountForVotes(client, tallies.votes, added.follows);
  if (tallies.tags !== undefined) await accountForTags(client, tallies.tags);
  if (tallies.posthistory !== undefined) await accountForHistory(client, tallies.posthistory);
}

async function accountForVotes(client: ClientBase, tally: Tally, follows: number): Promise<void> {
  await sortOut(
    client,
    tally,
    `select case
         when place.key is null then 'on posts that are not in the archive or were left out'
         when vote.kind = 1 and not exists (
           select from question where id = place.question_id and accepted_answer_id = place.answer_id)
           then 'acceptances that were taken back'
         when vote.kind in (1, 2, 3) then case when place.fresh then 'taken' else 'known' end
         when place.answer_id is not null then 'favourites of answers'
         when member.key is null then 'favourites without a member'
         else 'follow' end as fate
     from archive_vote vote
     left join archive_place place on place.key = vote.post_id
     left join archive_member member on member.key = vote.member`,
    async (rows) => {
      const different = await count(
        client,
        `select count(*) from (
           select distinct vote.post_id, vote.member from archive_vote vote
           join archive_question question on question.key = vote.post_id
           join archive_member member on member.key = vote.member
           where vote.kind = 5) favourite`,
      );
      tally.taken += follows;
      tally.known += different - follows;
      tally.leaveOut('favourites of the same member and question', rows - different);
    },
  );
}

async function accountForTags(client: ClientBase, tally: Tally): Promise<void> {
  await sortOut(
    client,
    tally,
    `select case
         when exists (select from archive_question_tag used where used.key = staged.key) then 'taken'
         when exists (
           select from tag join question_tag on question_tag.tag_id = tag.id
           join archive_question question on question.id = question_tag.question_id
           where tag.key = staged.key) then 'known'
         else 'on no question' end as fate
     from archive_tag staged`,
  );
}

async function accountForHistory(client: ClientBase, tally: Tally): Promise<void> {
  await sortOut(
    client,
    tally,
    `select case
         when place.key is null then 'of posts that are not in the archive or were left out'
         when not place.fresh then 'known'
         when newest.line <> history.line then 'earlier versions of a text'
         when post.origin = 'markdown' then 'taken'
         else 'texts that need the page made of them to look the same' end as fate
     from archive_history history
     join archive_newest newest on newest.post_id = history.post_id
     left join archive_place place on place.key = history.post_id
     left join archive_post post on post.id = history.post_id`,
  );
}

async function sortOut(
  client: ClientBase,
  tally: Tally,
  fates: string,
  follow: (rows: number) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { rows } = await client.query<{ fate: string; rows: string }>(
    `select fate, count(*) as rows from (${fates}) sorted group by fate order by rows desc, fate`,
  );
  for (const { fate, rows: number } of rows) {
    if (fate === 'taken') tally.taken += Number(number);
    else if (fate === 'known') tally.known += Number(number);
    else if (fate === 'follow') await follow(Number(number));
    else tally.leaveOut(fate, Number(number));
  }
}

/** What is worth knowing about the posts beyond what became of their rows. */
export async function remarks(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ [name in 'typed' | 'pages' | 'tags' | 'accepted']: string }>(`
    select count(*) filter (where origin = 'markdown') as typed,
      count(*) filter (where origin = 'html') as pages,
      coalesce(sum(tags_left_out), 0) as tags,
      count(*) filter (where kind = 1 and accepted is not null
        and not exists (select from archive_answer where key = post.accepted)) as accepted
    from archive_post post join archive_place place on place.key = post.id and place.fresh`);
  const [row] = rows;
  if (row === undefined) return [];
  const said = [
    [row.typed, 'texts are as their authors typed them'],
    [row.pages, 'texts were converted from HTML'],
    [row.tags, 'tags were left out: more than 5 on a question, or longer than 35 characters'],
    [row.accepted, 'questions have an accepted answer that is not in the archive'],
  ] as const;
  return said
    .filter(([number]) => Number(number) !== 0)
    .map(([number, words]) => `${Number(number).toLocaleString('en')} ${words}`);
}

async function count(client: ClientBase, sql: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(sql);
  return Number(rows[0]?.count ?? 0);
}
