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
  listKnownPictures,
  listPostsWithPictures,
  lockPosts,
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
  /** Pictures that imported posts link to. */
  found: number;
  /** Stored by an earlier run, for other posts. */
  known: number;
  fetched: { pictures: number; bytes: number };
  /** Posts that show a picture of this site, or another one, since this run: 'answer 7'. */
  posts: Set<string>;
  /** Counts by reason. Those that are refused for their file are not fetched again. */
  refused: Map<string, number>;
  /** Likewise. A later run tries them again. */
  failed: Map<string, number>;
};

/** What one host is asked for at the same time, and how often it may not respond in a row until it is left alone. */
const perHost = { concurrency: 2, unreachable: 5, attempts: 3, maxPauseMs: 60_000 } as const;

const maxAddressLength = 2000;

/** Posts that are written in one transaction, and addresses that are looked up at once. */
const batchSize = 200;

/** Posts that are read at once. */
const readBatchSize = 2000;

const kinds = ['question', 'answer', 'reply'] as const;

/**
 * Fetches the pictures that visible imported posts link to, stores them, and shows them in the texts. Each picture is
 * stored and shown on its own: after an interruption, another run continues.
 */
export async function importPictures(options: PictureImport): Promise<PictureImportSummary> {
  const { db, concurrency, progress, log = () => {}, signal } = options;
  const summary: PictureImportSummary = {
    found: 0,
    known: 0,
    fetched: { pictures: 0, bytes: 0 },
    posts: new Set(),
    refused: new Map(),
    failed: new Map(),
  };
  const posts = await findPictures(db, signal);
  summary.found = posts.size;
  log(`Imported posts link to ${posts.size.toLocaleString('en')} pictures on other sites.`);
  const missing = await showKnownPictures(db, posts, summary);
  const hosts = new Map<string, Host>();
  const all = pLimit(concurrency);
  const ending = new AbortController();
  const run = { ...options, signal: AbortSignal.any([signal, ending.signal]), summary, posts };
  let done = 0;
  progress?.start(missing.length);
  try {
    await Promise.all(
      missing.map((address) => {
        const { host } = new URL(address);
        const state = hosts.get(host) ?? {
          queue: pLimit(perHost.concurrency),
          pausedUntil: 0,
          unreachable: 0,
        };
        hosts.set(host, state);
        return state.queue(() =>
          all(async () => {
            if (run.signal.aborted) return;
            await importPicture(run, address, state);
            progress?.update(host, ++done, done);
          }),
        );
      }),
    );
  } finally {
    // After an error of the database, the others stop as well.
    ending.abort();
    progress?.stop();
  }
  return summary;
}

/** `pausedUntil`: in the time of `performance.now()`. `unreachable`: failures in a row. */
type Host = { queue: LimitFunction; pausedUntil: number; unreachable: number };

/** The posts that show each picture, by its address. */
type PostsByAddress = Map<string, Record<PostKind, number[]>>;

type Run = PictureImport & { summary: PictureImportSummary; posts: PostsByAddress };

async function findPictures(db: Database, signal: AbortSignal): Promise<PostsByAddress> {
  const found: PostsByAddress = new Map();
  for (const kind of kinds) {
    let after: number | undefined = 0;
    while (after !== undefined && !signal.aborted) {
      const batch = await listPostsWithPictures(db, { kind, after, limit: readBatchSize });
      for (const { id, content } of batch)
        for (const address of findPictureAddresses(content)) {
          const shown = found.get(address) ?? { question: [], answer: [], reply: [] };
          shown[kind].push(id);
          found.set(address, shown);
        }
      after = batch.at(-1)?.id;
    }
  }
  return found;
}

/** Shows what earlier runs have stored. Returns the addresses to fetch. */
async function showKnownPictures(
  db: Database,
  posts: PostsByAddress,
  summary: PictureImportSummary,
): Promise<string[]> {
  const missing: string[] = [];
  const addresses = [...posts.keys()];
  for (let from = 0; from < addresses.length; from += batchSize) {
    const batch = addresses.slice(from, from + batchSize);
    const known = new Map((await listKnownPictures(db, batch)).map((each) => [each.address, each]));
    for (const address of batch) {
      const { path = null, refusal = null } = known.get(address) ?? {};
      if (address.length > maxAddressLength)
        count(summary.refused, `an address with more than ${maxAddressLength} characters`);
      else if (refusal !== null) count(summary.refused, refusal);
      else if (path === null) missing.push(address);
      else {
        summary.known++;
        await showPicture({ db, posts, summary }, { address, path });
      }
    }
  }
  return missing;
}

async function importPicture(run: Run, address: string, host: Host): Promise<void> {
  const { db, summary } = run;
  try {
    const bytes = await downloadPolitely(run, address, host);
    const upload = await storeImportedPicture(db, {
      bytes,
      save: (tx, { name }) => saveImportedPicture(tx, { address, upload: name }),
    });
    summary.fetched.pictures++;
    summary.fetched.bytes += bytes.length;
    await showPicture(run, { address, path: getUploadPath(upload) });
  } catch (error) {
    if (run.signal.aborted) return;
    if (error instanceof DownloadError)
      return count(error.kind === 'refused' ? summary.refused : summary.failed, error.message);
    const refusal = error instanceof ProblemError ? refusals[error.code] : undefined;
    if (refusal === undefined) throw error;
    // The decoder may have needed too much because this machine is busy.
    if (error instanceof ProblemError && error.code === 'upload-too-expensive')
      return count(summary.failed, refusal);
    await saveImportedPicture(db, { address, refusal });
    count(summary.refused, refusal);
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

/** Shows a picture in the posts that link to it. */
async function showPicture(
  { db, posts, summary }: Pick<Run, 'db' | 'posts' | 'summary'>,
  { address, path }: { address: string; path: string },
): Promise<void> {
  const paths = new Map([[address, path]]);
  for (const kind of kinds) {
    const ids = posts.get(address)?.[kind] ?? [];
    for (let from = 0; from < ids.length; from += batchSize) {
      const batch = { kind, ids: ids.slice(from, from + batchSize), paths };
      for (const id of await transaction(db, (tx) => showInPosts(tx, batch)))
        summary.posts.add(`${kind} ${id}`);
    }
  }
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
    await saveUploadReferences(tx, { post, text });
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
