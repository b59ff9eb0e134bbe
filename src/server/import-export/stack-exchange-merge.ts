import type { ClientBase } from 'pg';
import type { ImportedCounts, Refreshed } from './stack-exchange-accounting.ts';
import { findAlreadyImported, findLockedQuestions } from './stack-exchange-already-imported.ts';
import { applyBadges } from './stack-exchange-badges.ts';
import { findChanges } from './stack-exchange-changes.ts';
import { describeChanges, type ImportedChanges, noChanges } from './stack-exchange-changes-report.ts';
import { applyClosings, lockNewQuestions, unlockImported } from './stack-exchange-closings.ts';
import { markDuplicates } from './stack-exchange-duplicates.ts';
import type { ArchiveFileKind } from './stack-exchange-files.ts';
import { createGoneTable, findGonePosts, hideGonePosts, showReappeared } from './stack-exchange-gone.ts';
import { rewritePostLinks } from './stack-exchange-links-queries.ts';
import {
  createGoneUserTable,
  emptyGoneProfiles,
  refreshProfiles,
  removeFollows,
} from './stack-exchange-profiles.ts';
import * as queries from './stack-exchange-queries.ts';
import {
  recountImported,
  recountOldQuestions,
  recountQuestions,
  rescoreAnswers,
} from './stack-exchange-recount.ts';
import { refreshAcceptances, refreshDuplicates, rememberMarks } from './stack-exchange-refresh-marks.ts';
import { applySiteHistory } from './stack-exchange-site-history.ts';
import { applyTagTexts, describedTags, findDescribedTags } from './stack-exchange-tag-texts.ts';
import { addVersions } from './stack-exchange-versions.ts';
import { refreshPosts, rememberArchive, restatePosts } from './stack-exchange-refresh.ts';
import type { ImportSource } from './stack-exchange-sources.ts';

/** How the staged rows of an archive become rows of the community. */
export interface Merge {
  source: ImportSource;
  siteAddress: string;
  /** Whether the archive has this file. */
  has: (kind: ArchiveFileKind) => boolean;
  /** Whether rows of earlier imports change to what the archive has. */
  isRefresh: boolean;
  allowRemovals: boolean;
  /** Whether posts get their earlier versions. */
  withHistory: boolean;
  runId: string | null;
}

export interface Merged {
  added: ImportedCounts;
  changes: ImportedChanges;
  refreshed: Refreshed;
}

/**
 * Adds the staged rows that are new, and brings rows of earlier imports up to date. Runs in one transaction. At its end,
 * `lockAgain` locks the questions that are locked on the site.
 */
export async function mergeStaged(client: ClientBase, merge: Merge): Promise<Merged> {
  const { source, siteAddress, has, isRefresh, withHistory, runId } = merge;
  const sourceId = source.id;
  const target = { sourceId, siteAddress, runId };
  await queries.stageNamelessAuthors(client);
  await queries.completeBios(client, siteAddress);
  const unlocked = await unlockImported(client, { source, isRefresh });
  const shown = isRefresh ? await showReappeared(client, sourceId) : 0;
  const renamedMembers = isRefresh ? await queries.nameMembers(client, sourceId) : 0;
  await findAlreadyImported(client, sourceId);
  const { members, nameless: namelessMembers } = await queries.addMembers(client, target);
  const badges = await applyBadges(client, { sourceId, runId, isRefresh: isRefresh && has('badges') });
  await queries.createScores(client, has('votes'));
  await findChanges(client, { sourceId, isRefresh, byVotes: has('votes') });
  const restateAgain = await restatePosts(client);
  await queries.nameTags(client);
  await queries.reserveAnswerIds(client);
  const questions = await queries.addQuestions(client, target);
  await findLockedQuestions(client);
  const duplicates = await markDuplicates(client, isRefresh);
  const answers = await queries.addAnswers(client, target);
  const replies = await queries.addReplies(client, target);
  const accepted = await queries.acceptAnswers(client, isRefresh);
  const follows = await queries.addFollows(client, queries.favourites);
  await refreshPosts(client, siteAddress);
  await refreshAcceptances(client, { sourceId, isRefresh });
  await refreshDuplicates(client, { sourceId, hasMarks: isRefresh && has('postlinks') });
  const closings = await applyClosings(client, isRefresh);
  const siteHistory = await applySiteHistory(client, { sourceId, isRefresh, hasVotes: has('votes') });
  const versions = await addVersions(client, { isRefresh, withHistory });
  const removedFollows = isRefresh && has('votes') ? await removeFollows(client, sourceId) : 0;
  await recountOldQuestions(client);
  await rescoreAnswers(client);
  const links = await rewritePostLinks(client, source);
  await queries.addTags(client, runId);
  await restateAgain();
  await findDescribedTags(client, { source, siteAddress });
  await recountImported(client, describedTags(sourceId));
  const tagTexts = await applyTagTexts(client, { sourceId, runId, isRefresh, hasTags: has('tags') });
  await lockNewQuestions(client, source.site);
  const removed = await removeGone(client, merge);
  await refreshProfiles(client, { sourceId, isRefresh });
  await createGoneUserTable(client);
  const emptied =
    isRefresh && has('users')
      ? await emptyGoneProfiles(client, { sourceId, allowMany: merge.allowRemovals })
      : 0;
  if (isRefresh) {
    await rememberArchive(client, sourceId);
    await rememberMarks(client, sourceId);
  } else if (runId !== null) await rememberMarks(client, sourceId);
  return {
    added: {
      members,
      namelessMembers,
      renamedMembers,
      questions,
      duplicates,
      closings,
      versions,
      answers,
      replies,
      accepted,
      follows,
      badges: badges.added,
      tagTexts: tagTexts.added,
      ...siteHistory,
      links,
    },
    changes: isRefresh
      ? await describeChanges(client, {
          follows: removedFollows,
          shown,
          unlocked,
          badges: badges.changed + badges.removed,
          tagTexts: tagTexts.updated + tagTexts.removed,
        })
      : noChanges,
    refreshed: {
      isRefresh,
      removed: {
        ...removed,
        posts: removed.posts + tagTexts.removed,
        users: emptied,
        votes: removedFollows,
        badges: badges.removedRows,
      },
    },
  };
}

/** Hides what the site deleted. Returns the numbers of posts and comments. */
async function removeGone(
  client: ClientBase,
  { source, has, isRefresh, allowRemovals, runId }: Merge,
): Promise<{ posts: number; comments: number }> {
  await createGoneTable(client);
  if (!isRefresh || runId === null) return { posts: 0, comments: 0 };
  const removed = await findGonePosts(client, {
    sourceId: source.id,
    hasComments: has('comments'),
    allowMany: allowRemovals,
  });
  await hideGonePosts(client, { sourceId: source.id, site: source.site, runId });
  await recountQuestions(
    client,
    `select question_id from archive_gone where reason is null and kind <> 'question'`,
  );
  return removed;
}
