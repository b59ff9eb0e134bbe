import type { Client, ClientBase } from 'pg';
import { basename, resolve } from 'node:path';
import { type Progress, runWithProgress } from '#server/core/progress.ts';
import { addWithPendingLists } from '#server/discovery/index.ts';
import {
  classifyStagedRows,
  collectRemarks,
  type ImportedCounts,
  type RowTallies,
} from './stack-exchange-accounting.ts';
import {
  archiveFileNames,
  findArchiveFiles,
  type ArchiveFileKind,
  type ArchiveFiles,
} from './stack-exchange-files.ts';
import { skipBadges, stageBadges } from './stack-exchange-badges.ts';
import { lockAgain } from './stack-exchange-closings.ts';
import { stageLinks } from './stack-exchange-duplicates.ts';
import { mergeStaged } from './stack-exchange-merge.ts';
import { findNewerRun, finishRun, forgetRun, type NewestTimes, startRun } from './import-runs.ts';
import { runInImportSession, runInTransaction } from './import-session.ts';
import { type ImportedChanges, noChanges } from './stack-exchange-changes-report.ts';
import { NewestTimesReader } from './stack-exchange-newest.ts';
import { TextConverter } from './stack-exchange-conversion.ts';
import { findPostTexts, stagePosts } from './stack-exchange-stage-posts.ts';
import { createStageHistory } from './stack-exchange-stage-history.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import * as queries from './stack-exchange-queries.ts';
import { publishImportEvents } from './stack-exchange-recount.ts';
import { readRows } from './stack-exchange-xml.ts';
import * as session from './stack-exchange-staging-tables.ts';
import { inferSite, assertSameSite, parseSiteName } from './stack-exchange-site.ts';
import {
  chooseSource,
  findSource,
  isArchiveOf,
  findOverlaps,
  type ImportSource,
  type SourceRequest,
} from './stack-exchange-sources.ts';
import * as staging from './stack-exchange-stage.ts';
import { RowTally, type FileReport } from './stack-exchange-tally.ts';

export interface ImportOptions {
  /** The directory of the archive. */
  directory?: string;
  /** Instead of `directory`: the directory, or the .7z files as they were downloaded. */
  paths?: readonly string[];
  /** A dedicated connection. The import restores its settings. */
  client: Client;
  /**
   * Host name of the archive's site. Default: the directory's name if it is a host name, otherwise inferred from links.
   */
  site?: string;
  /** The former name of the site, under which its posts were imported, if it has been renamed. */
  continues?: string;
  /** Reads and reports everything, then rolls back. */
  dryRun?: boolean;
  /** Adds what is new, and changes nothing of earlier imports of the site. */
  addOnly?: boolean;
  /** Removes the posts that the archive does not have any more, also if they are so many that it looks incomplete. */
  allowRemovals?: boolean;
  /** Whether posts get their earlier versions. Default: true. */
  withHistory?: boolean;
  /** Set for the community's own archive, such as the demo: its posts look as if they were written here. */
  ownArchive?: OwnArchive;
  progress?: Progress;
  /** Receives messages for the operator. */
  log?: (message: string) => void;
  /** Aborts the import; nothing of it stays. */
  signal?: AbortSignal;
}

export interface OwnArchive {
  /** Stored, so that the archive is imported once. A second import changes nothing. */
  name: string;
  /** Shifts all times so that the newest post has this one. */
  newest: Date;
  /**
   * Runs in the import's transaction after all rows were added, to give a member a way to sign in.
   * @param memberId returns the member of a user number in the archive; throws if there is none
   */
  onImported?: (client: ClientBase, memberId: (user: number) => Promise<number>) => Promise<void>;
}

export interface ImportSummary {
  site: string;
  /** The import was a dry run. */
  isDryRun: boolean;
  /** Nothing was added, because all of it exists already. */
  isUnchanged: boolean;
  /** The former name of the site, if this import renamed it. */
  renamed: string | null;
  added: ImportedCounts;
  changes: ImportedChanges;
  files: FileReport[];
  remarks: string[];
}

/**
 * Imports a Stack Exchange archive completely or not at all. Members get no address, account or password. Importing a
 * newer archive of the site brings what was imported up to date, and keeps what happened here.
 * @throws ArchiveError if the archive cannot be imported, ConnectionLostError if the connection broke, and the signal's
 * reason if it was aborted
 */
export async function importStackExchange(options: ImportOptions): Promise<ImportSummary> {
  const files = await findArchiveFiles(listPaths(options));
  return runInImportSession(options, async () => {
    const summary = await runImport(options, files);
    if (!summary.isDryRun && !summary.isUnchanged) await queries.analyzeTables(options.client);
    return summary;
  });
}

const listPaths = ({ directory, paths = [] }: ImportOptions): readonly string[] =>
  directory === undefined ? paths : [directory];

/** The site by the name of the directory, or of a downloaded file such as `stackoverflow.com-Posts.7z`. */
const parseSiteOfPath = (path: string) =>
  parseSiteName(basename(resolve(path)).replace(/(?:-[A-Za-z]+)?\.7z$/iu, ''));

/**
 * Reads the files into temporary tables of this connection, each batch in its own transaction, and then adds everything
 * in one. Reading takes most of the time, and a long transaction would delay events for every member.
 */
async function runImport(options: ImportOptions, files: ArchiveFiles): Promise<ImportSummary> {
  const { client, dryRun: isDryRun = false, ownArchive, log = () => {} } = options;
  if (ownArchive !== undefined && (await findSource(client, ownArchive.name)) !== null) {
    return {
      site: ownArchive.name,
      isDryRun,
      isUnchanged: true,
      renamed: null,
      added: nothingImported,
      changes: noChanges,
      files: [],
      remarks: [],
    };
  }
  for (const message of describeMissingFiles(files)) log(message);
  await session.createStagingTables(client);
  const { tallies, newest } = await readFiles(options, files);
  for (const [kind, table] of stagedTables) {
    tallies[kind]?.skip('repeated', await session.deleteDuplicates(client, table));
  }
  const wanted = ownArchive === undefined ? await resolveSite(options, log) : ownSourceRequest(ownArchive);
  if (ownArchive !== undefined) await session.shiftTimes(client, ownArchive.newest);
  log('Adding the rows…');
  return addWithPendingLists(client, () =>
    runInTransaction(client, isDryRun ? 'rollback' : 'commit', () =>
      addStaged(options, { wanted, tallies, newest }),
    ),
  );
}

/** What was read from the archive, beside the staged rows. */
type ReadArchive = { wanted: SourceRequest; tallies: RowTallies; newest: NewestTimes };

async function addStaged(
  options: ImportOptions,
  { wanted, tallies, newest }: ReadArchive,
): Promise<ImportSummary> {
  const { client, ownArchive, dryRun: isDryRun = false, addOnly = false } = options;
  const { allowRemovals = false, withHistory = true } = options;
  const { source, renamed } = await chooseSource(client, wanted);
  if (!addOnly) await refuseOlder(client, source, newest);
  const file = listPaths(options)
    .map((path) => resolve(path))
    .join(' ');
  // The community's own archive belongs to no import.
  const runId =
    ownArchive === undefined ? await startRun(client, { sourceId: source.id, file, newest }) : null;
  const { added, changes, refreshed } = await mergeStaged(client, {
    source,
    siteAddress: ownArchive === undefined ? `https://${source.site}` : '',
    has: (kind) => tallies[kind] !== undefined,
    isRefresh: ownArchive === undefined && !addOnly,
    withHistory: tallies.posthistory !== undefined && withHistory,
    allowRemovals,
    runId,
  });
  await classifyStagedRows(client, tallies, { added, refreshed, withHistory });
  await lockAgain(client);
  const notes = await collectRemarks(client);
  if (ownArchive !== undefined) await adoptAsOwn(client, source.id, ownArchive);
  const files = Object.values(tallies).map((tally) => tally.toReport());
  const isUnchanged =
    !renamed && [...Object.values(added), ...Object.values(changes.counts)].every((rows) => rows === 0);
  if (!isUnchanged) await publishImportEvents(client);
  if (runId !== null)
    await (isUnchanged
      ? forgetRun(client, runId)
      : finishRun(client, runId, { files, added: { ...added }, changed: changes.counts }));
  return {
    site: source.site,
    isDryRun,
    isUnchanged,
    renamed: renamed ? (source.formerSites.at(-1) ?? null) : null,
    added,
    changes,
    files,
    remarks: notes,
  };
}

async function refuseOlder(client: ClientBase, source: ImportSource, newest: NewestTimes): Promise<void> {
  const newer = await findNewerRun(client, { sourceId: source.id, newest });
  if (newer === null) return;
  const time = (at: string) => at.slice(0, 16).replace('T', ' ');
  throw new ArchiveError(
    `This archive ends at ${time(newer.archiveAt)}, but one of ${source.site} that ends at ${time(newer.newestAt)} was ` +
      `imported on ${newer.importedAt.slice(0, 10)}. An older archive would take back what changed since. ` +
      'To add only what is missing here, import it with --add-only.',
  );
}

const nothingImported: ImportedCounts = {
  members: 0,
  namelessMembers: 0,
  duplicates: 0,
  closings: 0,
  badges: 0,
  tagTexts: 0,
  wikis: 0,
  bounties: 0,
  versions: 0,
  renamedMembers: 0,
  questions: 0,
  answers: 0,
  replies: 0,
  accepted: 0,
  follows: 0,
  links: 0,
};

/** The history comes before the posts, because they take their text from it. */
const listStageSteps = ({
  withHistory = true,
  ownArchive,
}: ImportOptions): readonly (readonly [ArchiveFileKind, staging.StageRows, staging.FindTexts?])[] => [
  ['users', staging.stageUsers, staging.findBios],
  ['posthistory', createStageHistory(withHistory)],
  ['posts', stagePosts, findPostTexts],
  ['comments', staging.stageComments],
  ['votes', staging.stageVotes],
  ['tags', staging.stageTags],
  ['badges', ownArchive === undefined ? stageBadges : skipBadges],
  ['postlinks', stageLinks],
];

const stagedTables = [
  ['users', 'archive_user'],
  ['posts', 'archive_post'],
  ['posts', 'archive_tag_text'],
  ['comments', 'archive_comment'],
  ['votes', 'archive_vote'],
  ['votes', 'archive_bounty'],
  ['tags', 'archive_tag'],
  ['badges', 'archive_badge'],
  ['postlinks', 'archive_duplicate'],
] as const;

async function readFiles(
  options: ImportOptions,
  files: ArchiveFiles,
): Promise<Pick<ReadArchive, 'tallies' | 'newest'>> {
  const { client, signal } = options;
  const tallies: RowTallies = {};
  const newest = new NewestTimesReader();
  const converter = new TextConverter(signal);
  const total = Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
  try {
    await runWithProgress(options, total, async (report) => {
      for (const [kind, stage, findTexts] of listStageSteps(options)) {
        if (kind === 'posts') await session.indexHistory(client);
        const file = files[kind];
        if (file === undefined) continue;
        const tally = new RowTally(file);
        tallies[kind] = tally;
        const batches = converter.convertAhead(file.path, readRows(file, signal), async (rows) =>
          findTexts === undefined ? [] : findTexts(client, rows),
        );
        for await (const { rows, bytes, texts } of batches) {
          tally.read += rows.length;
          newest.read(kind, rows);
          await stage(client, rows, tally, await texts);
          report(file.name, bytes, rows.length);
        }
      }
    });
  } finally {
    await converter.close();
  }
  return { tallies, newest: newest.times };
}

function ownSourceRequest({ name }: OwnArchive): SourceRequest {
  return { site: name, continues: undefined, overlaps: [], posts: 0 };
}

async function resolveSite(options: ImportOptions, log: (message: string) => void): Promise<SourceRequest> {
  const { client, site, continues } = options;
  const held = { overlaps: await findOverlaps(client), posts: await queries.countStagedPosts(client) };
  const wanted = {
    ...held,
    continues: continues === undefined ? undefined : parseHostName(continues),
  };
  const fromDirectoryName = site === undefined ? parseSiteOfPath(listPaths(options)[0] ?? '') : null;
  const named = site === undefined ? fromDirectoryName : parseHostName(site);
  if (named === null) {
    const inferred = await inferSite(client);
    log(
      `The archive is from ${inferred.site}: ${inferred.evidence}. If that is wrong, give the site with --site.`,
    );
    return { ...wanted, site: inferred.site };
  }
  // Existing posts of the site are better evidence than links, which can have a former name.
  const source = await findSource(client, named);
  if (!isArchiveOf(source, held)) {
    const before = wanted.continues === undefined ? [] : [wanted.continues];
    await assertSameSite(client, [
      named,
      ...before,
      ...(source?.formerSites ?? []),
      ...(source === null ? [] : [source.site]),
    ]);
  }
  if (fromDirectoryName !== null)
    log(`The archive is from ${fromDirectoryName}, according to the name of its directory or file.`);
  return { ...wanted, site: named };
}

function parseHostName(text: string): string {
  const named = parseSiteName(text);
  if (named === null) throw new ArchiveError(`${text} is not a host name such as cooking.stackexchange.com.`);
  return named;
}

async function adoptAsOwn(client: ClientBase, source: string, own: OwnArchive): Promise<void> {
  await queries.detachSource(client, source);
  await own.onImported?.(client, async (user) => {
    const member = await queries.findImportedMember(client, user);
    if (member === null) throw new ArchiveError(`The archive has no user ${user}.`);
    return member;
  });
}

function describeMissingFiles(files: ArchiveFiles): string[] {
  const effects: Partial<Record<ArchiveFileKind, string>> = {
    users: 'authors are shown by the name or number that their posts have',
    posthistory: 'texts are converted from HTML',
    comments: 'there are no comments',
    votes: 'votes are shown as one score',
  };
  return Object.entries(effects)
    .filter(([kind]) => !Object.hasOwn(files, kind))
    .map(([kind, effect]) => `There is no ${archiveFileNames[kind as ArchiveFileKind]}: ${effect}.`);
}
