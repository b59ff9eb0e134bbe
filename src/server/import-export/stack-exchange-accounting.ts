import type { ClientBase } from 'pg';
import { badgeOutcomes } from './stack-exchange-badges.ts';
import { closedKind, closingOutcome, lockKinds } from './stack-exchange-closings.ts';
import { duplicateOutcomes } from './stack-exchange-duplicates.ts';
import type { ArchiveFileKind } from './stack-exchange-files.ts';
import { isChangedHere } from './stack-exchange-profiles.ts';
import { bountyOutcomes } from './stack-exchange-site-history.ts';
import { textKinds } from './stack-exchange-staging-tables.ts';
import { titlesAndTagsReason } from './stack-exchange-stage-history.ts';
import {
  applyOutcomes,
  conflictReason,
  describeCounts,
  lockedReason,
  newerReason,
  type RowTally,
} from './stack-exchange-tally.ts';

export type RowTallies = Partial<Record<ArchiveFileKind, RowTally>>;

/** What the import added, by table of the community. */
export interface ImportedCounts {
  members: number;
  /** Members that the archive has posts of but no entry in Users.xml. Their number is their name. */
  namelessMembers: number;
  /** Members that an earlier import named by their number, and that now have their name. */
  renamedMembers: number;
  questions: number;
  /** Of the questions: how many are marked as duplicates. */
  duplicates: number;
  answers: number;
  replies: number;
  /** Of the questions: how many are closed on the site for another reason. */
  closings: number;
  /** Earlier versions of new posts. */
  versions: number;
  /** Existing questions that now have an accepted answer. */
  accepted: number;
  follows: number;
  /** Badges of members, each once. */
  badges: number;
  /** Descriptions and texts of tags. */
  tagTexts: number;
  /** New posts that are community wikis on the site, and bounties of new posts. */
  wikis: number;
  bounties: number;
  /** Links that now lead to imported questions and answers. */
  links: number;
}

/** What an import did with rows of earlier imports. */
export interface Refreshed {
  /** Whether they changed to what the archive has; otherwise their changes are only counted. */
  isRefresh: boolean;
  /** Rows of earlier imports that were removed, by the file that has them no more. */
  removed: Readonly<Partial<Record<ArchiveFileKind, number>>>;
}

/** Assigns an outcome to every staged row. Runs after the last row was added. */
export async function classifyStagedRows(
  client: ClientBase,
  tallies: RowTallies,
  { added, refreshed, withHistory }: { added: ImportedCounts; refreshed: Refreshed; withHistory: boolean },
): Promise<void> {
  const { users, posts, comments, votes, tags, posthistory, postlinks, badges } = tallies;
  const { isRefresh } = refreshed;
  await setOutcomes(client, isRefresh);
  if (users !== undefined) {
    await applyOutcomes(client, users, userOutcomes);
    // This import changed them to what the archive has.
    users.imported += added.renamedMembers;
    users.alreadyImported -= added.renamedMembers;
  }
  if (posts !== undefined) {
    await applyOutcomes(client, posts, postOutcomes);
    await applyOutcomes(client, posts, 'select outcome from archive_described');
  }
  if (comments !== undefined) await applyOutcomes(client, comments, commentOutcomes);
  if (votes !== undefined) {
    await classifyVotes(client, votes, { follows: added.follows, isRefresh });
    const missing = { hidden: onHiddenPosts, absent: onMissingPosts };
    await applyOutcomes(client, votes, bountyOutcomes(isRefresh, missing));
  }
  if (tags !== undefined) await applyOutcomes(client, tags, tagOutcomes);
  if (posthistory !== undefined)
    await applyOutcomes(client, posthistory, historyOutcomes({ isRefresh, withHistory }));
  if (postlinks !== undefined) await applyOutcomes(client, postlinks, duplicateOutcomes(isRefresh));
  if (badges !== undefined) await applyOutcomes(client, badges, badgeOutcomes(isRefresh));
  for (const [kind, rows] of Object.entries(refreshed.removed)) {
    const tally = tallies[kind as ArchiveFileKind];
    if (tally !== undefined) tally.removed += rows;
  }
}

/** Stores the outcome of rows of earlier imports that changed on the site; null stays for the others. */
async function setOutcomes(client: ClientBase, isRefresh: boolean): Promise<void> {
  const outcome = (since: string, conflict: string) =>
    isRefresh
      ? `case when changed.locked then '${lockedReason}' when ${conflict} else 'updated' end`
      : `'${newerReason(since)}'`;
  const edited = `changed.edited_here and (title or tags or content) then '${conflictReason('edited here')}'`;
  await client.query(`
    update archive_known known set outcome = ${outcome('posts that changed since', edited)}
    from archive_changed changed
    where changed.kind = case known.kind when 1 then 'question' else 'answer' end and changed.id = known.id;
    update archive_known known set outcome = case
      when changed.applied then coalesce(outcome, 'updated')
      when coalesce(outcome, 'updated') = 'updated' then '${conflictReason('another answer was accepted here')}'
      else outcome end
    from archive_acceptance changed where known.kind = 1 and known.id = changed.question_id;
    update archive_known known set outcome = coalesce(outcome, 'updated')
    from archive_noted noted where noted.key = known.key and noted.wiki;
    update archive_known_reply known set outcome = ${outcome('comments that changed since', edited)}
    from archive_changed changed where changed.kind = 'reply' and changed.id = known.id;
    update archive_known_user known set outcome = ${
      isRefresh
        ? `case when ${isChangedHere} then '${conflictReason('changed here')}' else 'updated' end`
        : `'${newerReason('profiles that changed since')}'`
    }
    from archive_changed_user changed where changed.key = known.key`);
}

/** Each query returns an outcome for every row: 'taken', 'known', or the reason why the row is skipped. */
const hiddenHere = 'hidden or deleted here';
const onHiddenPosts = 'on posts that were hidden or deleted here';
const onMissingPosts = 'on posts that are not in the archive or were skipped';

const userOutcomes = `
  select case
      when known.key is null then 'taken'
      else coalesce(known.outcome, case when known.visible then 'known' else 'deleted here' end) end as outcome
  from archive_user
  left join archive_known_user known on known.key = archive_user.id
  where not archive_user.nameless`;

const postOutcomes = `
  select case
      when known.kind <> post.kind then 'another post here has the number'
      when not known.visible then '${hiddenHere}'
      when known.key is not null then coalesce(known.outcome, 'known')
      when location.key is not null then 'taken'
      when parent_hidden.key is not null then 'answers to questions that were hidden or deleted here'
      when parent.id is not null then 'answers to questions that are locked here'
      else 'answers to questions that are not in the archive' end as outcome
  from archive_post post
  left join archive_known known on known.key = post.id
  left join archive_location location on location.key = post.id
  left join archive_hidden parent_hidden on parent_hidden.key = post.parent
  left join archive_question parent on parent.key = post.parent`;

const commentOutcomes = `
  select case
      when not known.visible then '${hiddenHere}'
      when known.key is not null then coalesce(known.outcome, 'known')
      when new_reply.key is not null then 'taken'
      when hidden.key is not null then '${onHiddenPosts}'
      when location.key is not null then 'on questions that are locked here'
      else '${onMissingPosts}' end as outcome
  from archive_comment comment
  left join archive_known_reply known on known.key = comment.id
  left join archive_new_reply new_reply on new_reply.key = comment.id
  left join archive_hidden hidden on hidden.key = comment.post_id
  left join archive_location location on location.key = comment.post_id`;

const voteOutcomes = (isRefresh: boolean) => `
  select case
      when location.key is null and hidden.key is not null then '${onHiddenPosts}'
      when location.key is null then '${onMissingPosts}'
      when vote.kind = 1 then case
        when question.accepted_answer_id = location.answer_id then
          case when location.is_new or accepted.question_id is not null then 'taken' else 'known' end
        when asked.accepted = vote.post_id and not location.is_new then '${
          isRefresh ? conflictReason('another answer was accepted here') : newerReason('newer acceptances')
        }'
        else 'acceptances that were withdrawn' end
      when vote.kind in (2, 3) then case when location.is_new then 'taken' else 'counted' end
      when location.answer_id is not null then 'favourites of answers'
      when member.key is null then 'favourites without a member'
      else 'follow' end as outcome
  from archive_vote vote
  left join archive_location location on location.key = vote.post_id
  left join archive_hidden hidden on hidden.key = vote.post_id
  left join question on vote.kind = 1 and question.id = location.question_id
  left join archive_accepted accepted on accepted.question_id = location.question_id
  left join archive_post post on vote.kind = 1 and post.id = vote.post_id
  left join archive_post asked on asked.id = post.parent
  left join archive_member member on member.key = vote.member`;

async function classifyVotes(
  client: ClientBase,
  tally: RowTally,
  { follows, isRefresh }: { follows: number; isRefresh: boolean },
): Promise<void> {
  await applyOutcomes(client, tally, voteOutcomes(isRefresh), {
    async follow(rows) {
      const different = await count(
        client,
        `select count(*) from (
           select distinct vote.post_id, vote.member from archive_vote vote
           join archive_question question on question.key = vote.post_id
           join archive_member member on member.key = vote.member
           where vote.kind = 5) favourite`,
      );
      tally.imported += follows;
      tally.alreadyImported += different - follows;
      tally.skip('favourites of the same member and question', rows - different);
    },
    async counted(rows) {
      // Only the number of an earlier archive's votes is stored, not the single votes.
      const more = await client.query<Record<'taken' | 'locked' | 'left' | 'fewer', string>>(`
        select coalesce(sum(more) filter (where applied), 0) as taken,
          coalesce(sum(more) filter (where locked), 0) as locked,
          coalesce(sum(more) filter (where not applied and not locked), 0) as left,
          coalesce(sum(fewer) filter (where applied), 0) as fewer
        from (
          select applied, locked, greatest(up, 0) + greatest(down, 0) as more, greatest(-up, 0) + greatest(-down, 0) as fewer
          from archive_changed where kind <> 'reply') changed`);
      const { taken = 0, locked = 0, left = 0, fewer = 0 } = more.rows[0] ?? {};
      tally.imported += Number(taken);
      tally.alreadyImported += rows - Number(taken) - Number(locked) - Number(left);
      tally.skip(isRefresh ? lockedReason : newerReason('newer votes'), Number(locked));
      tally.skip(newerReason('newer votes'), Number(left));
      tally.removed += Number(fewer);
    },
  });
}

const tagOutcomes = `
  with known as (
    select distinct unnest(post.tag_keys) as key from archive_post post join archive_known on archive_known.key = post.id)
  select case
      when exists (select from archive_tag_name used where used.key = staged.key) then 'taken'
      when exists (
        select from tag join question_tag on question_tag.tag_id = coalesce(tag.synonym_of, tag.id)
        join archive_question question on question.id = question_tag.question_id
        where tag.key = staged.key) then 'known'
      when exists (select from known where key = staged.key) then 'on no visible question'
      else 'on no question' end as outcome
  from archive_tag staged`;

const isText = `kind in (${textKinds.join(', ')})`;

const historyOutcomes = ({ isRefresh, withHistory }: { isRefresh: boolean; withHistory: boolean }) => `
  with history as (
    select history.*, not ${String(isRefresh)} and not location.is_new and history.kind between 4 and 9
      and history.created > coalesce(known.edited, known.created) as newer,
      location.key is not null as has_post, hidden.key is not null as is_hidden
    from archive_history history
    left join archive_location location on location.key = history.post_id
    left join archive_known known on known.key = history.post_id
    left join archive_hidden hidden on hidden.key = history.post_id),
  shown as (
    select distinct on (post_id) line from history where ${isText} and newer is not true
    order by post_id, created desc, id desc, line desc)
  select case
      when not has_post and is_hidden then 'of posts that were hidden or deleted here'
      when exists (select from archive_described where id = history.post_id) then 'of texts of tags, which have no history here'
      when not has_post then 'of posts that are not in the archive or were skipped'
      when history.kind between ${closedKind} and ${lockKinds.unlocked} then ${closingOutcome}
      when newer then '${newerReason('newer edits')}'
      when ${String(withHistory)} and shown.line is null then case
        when new_post.key is not null then 'taken' when reversioned.key is not null then 'updated' else 'known' end
      when not (${isText.replace('kind', 'history.kind')}) then '${titlesAndTagsReason}'
      when shown.line is null then 'earlier versions of a text'
      when post.origin <> 'markdown' then 'texts for which the HTML page was imported'
      when new_post.key is not null then 'taken'
      when ${String(isRefresh)} and changed.content
        then case when changed.applied and not changed.edited_here then 'updated' else coalesce(known.outcome, 'known') end
      else 'known' end as outcome
  from history
  left join archive_known known on known.key = history.post_id
  left join archive_changed changed on changed.id = known.id
    and changed.kind = case known.kind when 1 then 'question' else 'answer' end
  left join shown on shown.line = history.line
  left join archive_location new_post on new_post.key = history.post_id and new_post.is_new
  left join archive_post post on post.id = history.post_id
  left join archive_question placed on history.kind >= ${closedKind} and placed.key = history.post_id
  left join question on question.id = placed.id
  left join archive_closing closing on closing.question_id = placed.id
  left join archive_reversioned reversioned on reversioned.key = history.post_id
  left join archive_reclosed reclosed on reclosed.question_id = placed.id`;

/** Returns remarks on the posts that the outcomes of the rows do not cover. */
export async function collectRemarks(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<Record<'typed' | 'pages' | 'tags' | 'accepted', string>>(`
    select count(*) filter (where origin = 'markdown') as typed,
      count(*) filter (where origin = 'html') as pages,
      coalesce(sum(tags_left_out), 0) as tags,
      count(*) filter (where kind = 1 and accepted is not null
        and not exists (select from archive_answer where key = post.accepted)) as accepted
    from archive_post post join archive_location location on location.key = post.id and location.is_new`);
  const [row] = rows;
  if (row === undefined) return [];
  return describeCounts([
    [row.typed, 'texts are as their authors typed them'],
    [row.pages, 'texts were converted from HTML'],
    [row.tags, 'tags were skipped: more than 5 on a question, or longer than 35 characters'],
    [row.accepted, 'questions have an accepted answer that is not in the archive'],
  ]);
}

async function count(client: ClientBase, sql: string): Promise<number> {
  const { rows } = await client.query<{ count: string }>(sql);
  return Number(rows[0]?.count ?? 0);
}
