import { setTimeout as delay } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { saveUploadReferences, storeImportedPicture } from '#server/posts/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import type { Progress } from '#server/core/progress.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { getUploadPath } from '#shared/core/uploads.ts';
import { type Download, DownloadError } from './imported-pictures-download.ts';
import { findPictureAddresses, replacePictures } from './imported-pictures-markdown.ts';
import {
  countPostsWithPictures,
  listKnownPictures,
  listPostsWithPictures,
  lockPosts,
  type PostWithPictures,
  saveImportedPicture,
  updateContent,
} from './imported-pictures-queries.ts';

export type PictureImport = {
  db: Database;
  download: Download;
  /** Pictures that are fetched at the same time, of all hosts. */
  concurrency: number;
  progress?: Progress;
  /** Receives messages for the operator. */
  log?: (message: string) => void;
  /** Stops the import. What is stored stays. */
  signal: AbortSignal;
};

export type PictureImportSummary = {
  /** Stored before, for other posts. */
  known: number;
  fetched: { pictures: number; bytes: number };
  /** Posts that show a picture of this site, or another one, since this run. */
  posts: number;
  /** Counts by reason. Those that are refused for their file are not fetched again. */
  refused: Map<string, number>;
  /** Likewise. A later run tries them again. */
  failed: Map<string, number>;
};

/** What one host is asked for at the same time, and how often it may not respond in a row until it is left alone. */
const perHost = { concurrency: 2, unreachable: 5, attempts: 3, maxPauseMs: 60_000 } as const;

const maxAddressLength = 2000;

/** Posts that are read at once, and whose pictures are in memory. */
const readBatchSize = 500;

const kinds = ['question', 'answer', 'reply'] as const;

/**
 * Fetches the pictures that visible imported posts link to, stores them, and shows them in the texts. Each picture is
 * stored and shown on its own: after an interruption, another run continues.
 */
export async function importPictures(options: PictureImport): Promise<PictureImportSummary> {
  const { db, concurrency, progress, log = () => {}, signal } = options;
  const summary: PictureImportSummary = {
    known: 0,
    fetched: { pictures: 0, bytes: 0 },
    posts: 0,
    refused: new Map(),
    failed: new Map(),
  };
  const total = await countPostsWithPictures(db);
  log(`${total.toLocaleString('en')} imported posts have pictures.`);
  const ending = new AbortController();
  const run: Run = {
    ...options,
    signal: AbortSignal.any([signal, ending.signal]),
    summary,
    all: pLimit(concurrency),
    hosts: new Map(),
    given: new Set(),
    onPicture: (host) => progress?.update(host, readPosts, ++pictures),
  };
  let [readPosts, pictures] = [0, 0];
  progress?.start(total);
  try {
    for (const kind of kinds) {
      let after: number | undefined = 0;
      while (after !== undefined && !run.signal.aborted) {
        const batch = await listPostsWithPictures(db, { kind, after, limit: readBatchSize });
        await importPicturesOf(run, kind, batch);
        readPosts += batch.length;
        progress?.update(kind, readPosts, pictures);
        after = batch.at(-1)?.id;
      }
    }
  } finally {
    // After an error of the database, the others stop as well.
    ending.abort();
    progress?.stop();
  }
  return summary;
}

/** `pausedUntil`: in the time of `performance.now()`. `unreachable`: failures in a row. */
type Host = { queue: LimitFunction; pausedUntil: number; unreachable: number };

/** `given`: the addresses that were refused or failed, so that each is tried and counted once. */
type Run = PictureImport & {
  summary: PictureImportSummary;
  all: LimitFunction;
  hosts: Map<string, Host>;
  given: Set<string>;
  onPicture: (host: string) => void;
};

/** A picture, and the posts that show it. */
type ShownPicture = { address: string; kind: PostKind; ids: readonly number[] };

async function importPicturesOf(run: Run, kind: PostKind, posts: readonly PostWithPictures[]): Promise<void> {
  const found = new Map<string, number[]>();
  for (const { id, content } of posts)
    for (const address of findPictureAddresses(content))
      found.set(address, [...(found.get(address) ?? []), id]);
  const changed = new Set<number>();
  const onShown = (ids: readonly number[]) => {
    for (const id of ids) changed.add(id);
  };
  const missing: ShownPicture[] = [];
  for (const { picture, path } of await findKnown(run, kind, found))
    if (path === null) missing.push(picture);
    else {
      run.summary.known++;
      onShown(await showPicture(run, picture, path));
    }
  await Promise.all(
    missing.map((picture) => {
      const { host } = new URL(picture.address);
      const state = run.hosts.get(host) ?? {
        queue: pLimit(perHost.concurrency),
        pausedUntil: 0,
        unreachable: 0,
      };
      run.hosts.set(host, state);
      return state.queue(() =>
        run.all(async () => {
          if (run.signal.aborted) return;
          onShown(await importPicture(run, picture, state));
          run.onPicture(host);
        }),
      );
    }),
  );
  run.summary.posts += changed.size;
}

/**
 * Finds out which pictures are stored already: `path` is null for those to fetch. Counts and leaves out those that are
 * refused.
 */
async function findKnown(
  { db, given, summary }: Run,
  kind: PostKind,
  found: ReadonlyMap<string, number[]>,
): Promise<{ picture: ShownPicture; path: string | null }[]> {
  const addresses = [...found.keys()].filter((address) => !given.has(address));
  const known = new Map((await listKnownPictures(db, addresses)).map((each) => [each.address, each]));
  return addresses.flatMap((address) => {
    const { path = null, refusal = null } = known.get(address) ?? {};
    const reason =
      address.length > maxAddressLength
        ? `an address with more than ${maxAddressLength} characters`
        : refusal;
    if (reason === null) return [{ picture: { address, kind, ids: found.get(address) ?? [] }, path }];
    given.add(address);
    count(summary.refused, reason);
    return [];
  });
}

/** Returns the posts that show it now. */
async function importPicture(run: Run, picture: ShownPicture, host: Host): Promise<readonly number[]> {
  const { db, summary } = run;
  const { address } = picture;
  const giveUp = (reasons: Map<string, number>, reason: string) => {
    run.given.add(address);
    count(reasons, reason);
    return [];
  };
  try {
    const bytes = await downloadPolitely(run, address, host);
    const upload = await storeImportedPicture(db, {
      bytes,
      save: (tx, { name }) => saveImportedPicture(tx, { address, upload: name }),
    });
    summary.fetched.pictures++;
    summary.fetched.bytes += bytes.length;
    return await showPicture(run, picture, getUploadPath(upload));
  } catch (error) {
    if (run.signal.aborted) return [];
    if (error instanceof DownloadError)
      return giveUp(error.kind === 'refused' ? summary.refused : summary.failed, error.message);
    const refusal = error instanceof ProblemError ? refusals[error.code] : undefined;
    if (refusal === undefined) throw error;
    // The decoder may have needed too much because this machine is busy.
    if (error instanceof ProblemError && error.code === 'upload-too-expensive')
      return giveUp(summary.failed, refusal);
    await saveImportedPicture(db, { address, refusal });
    return giveUp(summary.refused, refusal);
  }
}

/** Why a picture cannot be decoded, by the code of the error. */
export const refusals: Readonly<Record<string, string>> = {
  'upload-not-picture': 'not a JPEG, PNG, WebP or GIF picture',
  'upload-damaged': 'damaged',
  'upload-too-many-pixels': 'too many pixels',
  'upload-too-expensive': 'takes too long to process',
};

/** Leaves a host alone while it asks for that, and for the rest of the run if it does not respond. */
async function downloadPolitely(run: Run, address: string, host: Host): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    if (host.unreachable >= perHost.unreachable)
      throw new DownloadError('failed', 'the host did not respond to the requests before');
    const pauseMs = host.pausedUntil - performance.now();
    if (pauseMs > 0) await delay(pauseMs, undefined, { signal: run.signal });
    try {
      const bytes = await run.download(address, run.signal);
      host.unreachable = 0;
      return bytes;
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      host.unreachable = error.kind === 'unreachable' ? host.unreachable + 1 : 0;
      if (error.retryAfterMs === undefined || attempt === perHost.attempts) throw error;
      host.pausedUntil = performance.now() + Math.min(error.retryAfterMs, perHost.maxPauseMs);
    }
  }
}

/** Shows a picture in the posts that link to it. Returns the changed ones. */
function showPicture(
  { db }: Run,
  { address, kind, ids }: ShownPicture,
  path: string,
): Promise<readonly number[]> {
  const paths = new Map([[address, path]]);
  return transaction(db, (tx) => showInPosts(tx, { kind, ids, paths }));
}

/** Returns the changed posts. The excerpts on cards stay: they have the alternative texts. */
async function showInPosts(
  tx: Tx,
  { kind, ids, paths }: { kind: PostKind; ids: readonly number[]; paths: ReadonlyMap<string, string> },
): Promise<number[]> {
  const changed: number[] = [];
  const events: TopicEvent[] = [];
  for (const { id, question_id: questionId, content } of await lockPosts(tx, { kind, ids })) {
    const text = replacePictures(content, paths);
    if (text === content) continue;
    const post = { kind, id };
    await updateContent(tx, post, text);
    await saveUploadReferences(tx, { post, text, ownerIds: [null] });
    changed.push(id);
    events.push({ topic: `question:${questionId}`, event: editEvents[kind](id) });
  }
  await publishAll(tx, events);
  return changed;
}

const editEvents = {
  question: () => ({ kind: 'edited' }) as const,
  answer: (answerId: number) => ({ kind: 'answer-edited', answerId, imported: true }) as const,
  reply: (replyId: number) => ({ kind: 'reply-edited', replyId, imported: true }) as const,
};

function count(reasons: Map<string, number>, reason: string): void {
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}
