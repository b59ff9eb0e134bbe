import type { ClientBase } from 'pg';
import { finishRun, forgetRun, startRun } from './import-runs.ts';
import { deleteUnusedSources } from './import-undo-queries.ts';
import {
  classifyLines,
  countAddedPosts,
  type LineCounts,
  type LineTallies,
  listRemarks,
} from './jsonl-accounting.ts';
import {
  addBadges,
  addIdentities,
  addClosings,
  addFollowsAndBookmarks,
  addRedirects,
  addRevisions,
  addSiteHistory,
  addTagTexts,
  addVotes,
  rememberKnownTags,
} from './jsonl-details.ts';
import { listRenumberedMembers, rewriteLineLinks } from './jsonl-links.ts';
import { addPictures } from './jsonl-pictures.ts';
import * as queries from './jsonl-queries.ts';
import { findLockedQuestions } from './stack-exchange-already-imported.ts';
import { createNoChanges } from './stack-exchange-changes.ts';
import { markDuplicates } from './stack-exchange-duplicates.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import { addTags, analyzeAdded, nameTags } from './stack-exchange-queries.ts';
import { publishImportEvents, recountImported, recountOldQuestions } from './stack-exchange-recount.ts';
import { findSource, hasKeys, insertSource } from './stack-exchange-sources.ts';

type Request = {
  /** The directory, as a record of the import. */
  file: string;
  site: string;
  /** The address of the source without a trailing slash. */
  origin: string;
  license: string | null;
  isDryRun: boolean;
  tallies: LineTallies;
};

/** Adds the staged rows, in the caller's transaction. */
export async function addLines(
  client: ClientBase,
  { file, site, origin, license, isDryRun, tallies }: Request,
): Promise<{ added: LineCounts; isMove: boolean; remarks: string[] }> {
  const chosen = await chooseTarget(client, site, license);
  const runId = await startRun(client, { sourceId: chosen.source, file, newest: {} });
  const target = { ...chosen, runId };
  await addInnerSources(client, target);
  // Sequences are not rolled back.
  const keepsMemberIds = target.keepsIds && !isDryRun;
  if (keepsMemberIds) await queries.advanceMemberSequence(client);
  await queries.resolveRows(client, target, { keepsMemberIds });
  if (target.keepsIds && !isDryRun) await queries.advancePostSequences(client);
  const renumbered = target.keepsIds ? await listRenumberedMembers(client) : null;
  const { members, takenAddresses } = await queries.addMembers(client, target);
  await queries.addClaimedProfiles(client, target);
  await analyzeAdded(client, 'members');
  await addIdentities(client);
  const badges = await addBadges(client, target);
  await queries.placePosts(client);
  await queries.countVotes(client);
  await queries.createArchiveViews(client);
  await createNoChanges(client);
  await rememberKnownTags(client);
  await nameTags(client);
  await queries.addPosts(client, target);
  for (const posts of ['questions', 'answers', 'replies'] as const) await analyzeAdded(client, posts);
  await queries.describeAddedPosts(client);
  await findLockedQuestions(client);
  await markDuplicates(client, false);
  await addClosings(client);
  await addSiteHistory(client);
  const votes = await addVotes(client);
  const revisions = await addRevisions(client, target);
  await recountOldQuestions(client);
  const links = await rewriteLineLinks(client, { site, origin, renumbered });
  await addTags(client, runId);
  const tags = await addTagTexts(client, runId);
  const { follows, bookmarks } = await addFollowsAndBookmarks(client);
  const pictures = await addPictures(client);
  const redirects = await addRedirects(client, target);
  await recountImported(client);
  const added = {
    ...(await countAddedPosts(client)),
    members,
    badges,
    tags,
    revisions,
    votes,
    follows,
    bookmarks,
    pictures,
    redirects,
  };
  await classifyLines(client, tallies, added);
  if (Object.values(added).some((rows) => rows > 0)) {
    await publishImportEvents(client);
    const files = Object.values(tallies).map((tally) => tally.toReport());
    await finishRun(client, runId, { files, added: { ...added }, changed: {} });
  } else {
    await forgetRun(client, runId);
    await deleteUnusedSources(client);
  }
  return {
    added,
    isMove: target.keepsIds,
    remarks: await listRemarks(client, { takenAddresses, links }),
  };
}

/**
 * Into a community without posts, everything moves: the posts become its own, with their ids. Otherwise they show their
 * source, as other imports do. What was moved once stays so.
 */
async function chooseTarget(
  client: ClientBase,
  site: string,
  license: string | null,
): Promise<Omit<queries.LineTarget, 'runId'>> {
  const known = await findSource(client, site);
  if (known !== null && (await hasKeys(client, known, 'numbers')))
    throw new ArchiveError(
      `An archive of ${known.site} was imported before, in another format. Import its newer archives, or give another name with "--site".`,
    );
  const isMove = known?.isOwn !== true && (await queries.lockIfEmpty(client, known?.id));
  const isOwn = isMove || known?.isOwn === true;
  if (!isOwn) requireLicense(license);
  const { id: source } = known ?? (await insertSource(client, site));
  if (isMove) await queries.markAsOwn(client, source);
  return { source, isOwn, keepsIds: isMove, license };
}

function requireLicense(license: string | null): void {
  if (license === null)
    throw new ArchiveError(
      'Imported posts show their source and their licence. Give the licence with "--license NAME", such as "CC BY-SA 4.0".',
    );
}

/** The sites that rows were imported from before they were exported. */
async function addInnerSources(client: ClientBase, target: queries.LineTarget): Promise<void> {
  for (const site of await queries.listInnerSites(client, target))
    if ((await findSource(client, site)) === null) await insertSource(client, site);
}
