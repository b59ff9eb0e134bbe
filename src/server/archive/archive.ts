import type { Client, ClientBase } from 'pg';
import { basename, resolve } from 'node:path';
import { sqlState } from '#server/platform/database.ts';
import type { Progress } from '#server/platform/progress.ts';
import { messageOf } from '#server/platform/startup-error.ts';
import { accountForStaged, remarks, type Added, type Tallies } from './accounting.ts';
import {
  archiveFileNames,
  findArchive,
  type ArchiveFile,
  type ArchiveFileKind,
  type ArchiveFolder,
} from './folder.ts';
import { findKnown, findLocked } from './known.ts';
import { stagePosts } from './posts.ts';
import { ArchiveProblem, BrokenConnection } from './problem.ts';
import * as queries from './queries.ts';
import { publish, recount } from './recount.ts';
import { readRows } from './rows.ts';
import * as session from './session.ts';
import { inferSite, refuseOtherSite, siteName } from './site.ts';
import { chooseSource, findSource, isHeldBy, overlaps, type Wanted } from './sources.ts';
import * as staging from './staging.ts';
import { Tally, type FileAccount } from './tally.ts';

export { ArchiveProblem, BrokenConnection };
export type { FileAccount };

export interface ImportOptions {
  folder: string;
  /** A connection that nobody else uses meanwhile. It is left as it was found. */
  client: Client;
  /** Host name of the site the archive is from; absent: the folder's name if it is a host name, else told from links. */
  site?: string;
  /** The name that the site had when its posts were imported, where it has another one now. */
  continues?: string;
  /** Reads and accounts for everything, then takes all of it back. */
  dryRun?: boolean;
  /** For an archive that is this community's own, such as the demo: its posts look as if they had been written here. */
  own?: OwnArchive;
  progress?: Progress;
  /** Gets sentences for the operator. */
  log?: (sentence: string) => void;
  /** Ends the import; nothing of it stays. */
  signal?: AbortSignal;
}

export interface OwnArchive {
  /** Remembered, so that it is imported once: a second import changes nothing. */
  name: string;
  /** All times are moved so that the newest post has this one. */
  newest: Date;
  /**
   * Runs in the import's transaction when everything is in place, to give a member a way to sign in.
   * @param memberId leads from the number of a user in the archive to the member; throws where there is none
   */
  settle?: (client: ClientBase, memberId: (user: number) => Promise<number>) => Promise<void>;
}

export interface ImportSummary {
  site: string;
  /** The import was only tried. */
  dryRun: boolean;
  /** Nothing was added, because all of it is here already. */
  unchanged: boolean;
  /** The name that the site had here until now, where it has another one from this import on. */
  renamed: string | null;
  added: Added;
  files: FileAccount[];
  remarks: string[];
}

/**
 * Imports a Stack Exchange archive: all of it or nothing. Members come without an address, an account
 * or a password. Importing again, also a newer archive of the same site, adds what is new and leaves everything else as
 * it is. Throws an `ArchiveProblem` where the archive cannot be imported, a `BrokenConnection` where the database went
 * away, and the signal's reason where it was aborted.
 */
export async function importStackExchange(options: ImportOptions): Promise<ImportSummary> {
  const { client, dryRun = false, signal } = options;
  const files = await findArchive(options.folder);
  signal?.throwIfAborted();
  // PostgreSQL rolls back when the connection ends, also in the middle of a long statement.
  const leave = () => void client.end();
  signal?.addEventListener('abort', leave, { once: true });
  let broken = false;
  const breaks = () => void (broken = true);
  client.on('error', breaks).on('end', breaks);
  try {
    await session.prepareSession(client);
    const summary = await importPrepared(options, files);
    if (!dryRun && !summary.unchanged) await queries.analyze(client);
    return summary;
  } catch (error) {
    signal?.throwIfAborted();
    if (lacksResources(error)) {
      throw new ArchiveProblem(`The database has no room for the archive: ${messageOf(error)}.`, {
        cause: error,
      });
    }
    throw broken || endsConnection(error) ? new BrokenConnection(undefined, { cause: error }) : error;
  } finally {
    signal?.removeEventListener('abort', leave);
    // A connection that is gone has taken all of this with it.
    await session.leaveSession(client).catch(ignore);
    client.off('error', breaks).off('end', breaks);
  }
}

/** Class 53 is a full disk, or memory that is used up. */
function lacksResources(error: unknown): boolean {
  return sqlState(error)?.startsWith('53') === true;
}

function ignore(): void {}

/** PostgreSQL says why it ends a connection before it does; class 57P is an operator's intervention. */
function endsConnection(error: unknown): boolean {
  return sqlState(error)?.startsWith('57P') === true;
}

/**
 * Reads into tables that only this connection sees, each chunk in a transaction of its own; then adds everything in one.
 * Reading takes most of the time, and a long transaction would hold back the stream of events for every member.
 */
async function importPrepared(options: ImportOptions, files: ArchiveFolder): Promise<ImportSummary> {
  const { client, dryRun = false, own, log = () => {} } = options;
  if (!(await session.lockImports(client))) {
    throw new ArchiveProblem('Another import is running in this community. Wait until it is done.');
  }
  if (own !== undefined && (await findSource(client, own.name)) !== null) {
    return { site: own.name, dryRun, unchanged: true, renamed: null, added: nothing, files: [], remarks: [] };
  }
  for (const sentence of missing(files)) log(sentence);
  await session.createStaging(client);
  const tallies = await readFiles(options, files);
  for (const [kind, table] of stagedTables) {
    tallies[kind]?.leaveOut('repeated', await session.dropRepeated(client, table));
  }
  const wanted = own === undefined ? await decideSite(options, log) : ownSource(own);
  if (own !== undefined) await session.moveTimes(client, own.newest);
  log('Adding what was read…');
  await client.query('begin');
  try {
    const summary = await addStaged(options, wanted, tallies, files.votes !== undefined);
    await client.query(dryRun ? 'rollback' : 'commit');
    return summary;
  } catch (error) {
    await client.query('rollback').catch(ignore);
    throw error;
  }
}

async function addStaged(
  { client, own, dryRun = false }: ImportOptions,
  wanted: Wanted,
  tallies: Tallies,
  byVotes: boolean,
): Promise<ImportSummary> {
  const { source, renamed } = await chooseSource(client, wanted);
  const added = await addAll(client, source.id, own === undefined ? `https://${source.site}` : '', byVotes);
  await accountForStaged(client, tallies, added);
  const notes = await remarks(client);
  if (own !== undefined) await adopt(client, source.id, own);
  const files = Object.values(tallies).map((tally) => tally.account());
  const unchanged = !renamed && Object.values(added).every((rows) => rows === 0);
  if (!unchanged) await publish(client);
  return {
    site: source.site,
    dryRun,
    unchanged,
    renamed: renamed ? (source.former.at(-1) ?? null) : null,
    added,
    files,
    remarks: notes,
  };
}

const nothing: Added = {
  members: 0,
  nameless: 0,
  named: 0,
  questions: 0,
  answers: 0,
  replies: 0,
  accepted: 0,
  follows: 0,
};

/** The history comes before the posts, which take their text from it. */
const stages: readonly (readonly [ArchiveFileKind, staging.Stage])[] = [
  ['users', staging.stageUsers],
  ['posthistory', staging.stageHistory],
  ['posts', stagePosts],
  ['comments', staging.stageComments],
  ['votes', staging.stageVotes],
  ['tags', staging.stageTags],
  ['badges', staging.passBadges],
  ['postlinks', staging.passLinks],
];

const stagedTables = [
  ['users', 'archive_user'],
  ['posts', 'archive_post'],
  ['comments', 'archive_comment'],
  ['votes', 'archive_vote'],
  ['tags', 'archive_tag'],
] as const;

async function readFiles(options: ImportOptions, files: ArchiveFolder): Promise<Tallies> {
  const { client, progress, signal } = options;
  const tallies: Tallies = {};
  const total = { bytes: 0, rows: 0 };
  progress?.start(Object.values(files).reduce((sum, file) => sum + file.bytes, 0));
  try {
    for (const [kind, stage] of stages) {
      if (kind === 'posts') await session.indexHistory(client);
      const file = files[kind];
      if (file === undefined) continue;
      const tally = new Tally(file);
      tallies[kind] = tally;
      await readFile(file, stage, tally);
    }
  } finally {
    progress?.stop();
  }
  return tallies;

  async function readFile(file: ArchiveFile, stage: staging.Stage, tally: Tally): Promise<void> {
    for await (const { rows, bytes } of readRows(file, signal)) {
      tally.read += rows.length;
      await stage(client, rows, tally);
      total.bytes += bytes;
      total.rows += rows.length;
      progress?.update(file.name, total.bytes, total.rows);
    }
  }
}

function ownSource({ name }: OwnArchive): Wanted {
  return { site: name, continues: undefined, overlaps: [], posts: 0 };
}

async function decideSite(
  { client, folder, site, continues }: ImportOptions,
  log: (sentence: string) => void,
): Promise<Wanted> {
  const held = { overlaps: await overlaps(client), posts: await queries.countPosts(client) };
  const wanted = {
    ...held,
    continues: continues === undefined ? undefined : hostName(continues),
  };
  const fromFolder = site === undefined ? siteName(basename(resolve(folder))) : null;
  const named = site === undefined ? fromFolder : hostName(site);
  if (named === null) {
    const inferred = await inferSite(client);
    log(`The archive is from ${inferred.site}: ${inferred.evidence}. Otherwise name it with --site.`);
    return { ...wanted, site: inferred.site };
  }
  // What is here already from that site tells more than links, which may have a name from before.
  const source = await findSource(client, named);
  if (!isHeldBy(source, held)) {
    const before = wanted.continues === undefined ? [] : [wanted.continues];
    await refuseOtherSite(client, [
      named,
      ...before,
      ...(source?.former ?? []),
      ...(source === null ? [] : [source.site]),
    ]);
  }
  if (fromFolder !== null) log(`The archive is from ${fromFolder}, by the name of its folder.`);
  return { ...wanted, site: named };
}

function hostName(text: string): string {
  const named = siteName(text);
  if (named === null)
    throw new ArchiveProblem(`${text} is not a host name such as cooking.stackexchange.com.`);
  return named;
}

async function addAll(
  client: ClientBase,
  source: string,
  siteAddress: string,
  votes: boolean,
): Promise<Added> {
  await queries.stageNamelessAuthors(client);
  await findKnown(client, source);
  const { members, nameless, named } = await queries.addMembers(client, source);
  await queries.countVotes(client, votes);
  const questions = await queries.addQuestions(client, source, siteAddress);
  await findLocked(client);
  const answers = await queries.addAnswers(client, source, siteAddress);
  const replies = await queries.addReplies(client, source);
  const accepted = await queries.acceptAnswers(client);
  const follows = await queries.addFollows(client);
  await queries.addTags(client);
  await recount(client);
  return { members, nameless, named, questions, answers, replies, accepted, follows };
}

async function adopt(client: ClientBase, source: string, own: OwnArchive): Promise<void> {
  await queries.forgetSource(client, source);
  await own.settle?.(client, async (user) => {
    const member = await queries.importedMember(client, user);
    if (member === null) throw new ArchiveProblem(`The archive has no user ${user}.`);
    return member;
  });
}

function missing(files: ArchiveFolder): string[] {
  const effects: Partial<Record<ArchiveFileKind, string>> = {
    users: 'authors are shown by the name or number that their posts have',
    posthistory: 'texts are converted from HTML',
    comments: 'there are no comments',
    votes: 'up and down votes are shown as their difference, the score',
  };
  return Object.entries(effects)
    .filter(([kind]) => !Object.hasOwn(files, kind))
    .map(([kind, effect]) => `There is no ${archiveFileNames[kind as ArchiveFileKind]}: ${effect}.`);
}
