import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorCode } from '#server/core/startup-error.ts';
import { ArchiveError, getFileSize, unreadableError } from './stack-exchange-errors.ts';
import { chunkBytes, isPacked, listPackedFiles } from './stack-exchange-packed.ts';

/** The files of a Stack Exchange archive: the name of their root element, and the usual file name. */
export const archiveFileNames = {
  users: 'Users.xml',
  posthistory: 'PostHistory.xml',
  posts: 'Posts.xml',
  comments: 'Comments.xml',
  votes: 'Votes.xml',
  tags: 'Tags.xml',
  badges: 'Badges.xml',
  postlinks: 'PostLinks.xml',
} as const;

export type ArchiveFileKind = keyof typeof archiveFileNames;

export interface ArchiveFile {
  kind: ArchiveFileKind;
  path: string;
  /** File name in the directory. */
  name: string;
  bytes: number;
  open: (signal?: AbortSignal) => AsyncIterable<Buffer>;
}

export type ArchiveFiles = Partial<Record<ArchiveFileKind, ArchiveFile>>;

/**
 * Finds the files of an archive, in any letter case: in a directory, or in one or more .7z files. Only Posts.xml is
 * required.
 * @throws ArchiveError if the directory or the .7z files are not an archive
 */
export async function findArchiveFiles(paths: readonly string[]): Promise<ArchiveFiles> {
  const [directory = ''] = paths;
  if (paths.every(isPacked) && paths.length > 0) return findPackedArchiveFiles(paths);
  if (paths.length !== 1) throw new ArchiveError('Give either one directory, or one or more .7z files.');
  return findUnpackedArchiveFiles(directory);
}

async function findPackedArchiveFiles(paths: readonly string[]): Promise<ArchiveFiles> {
  const files: ArchiveFiles = {};
  for (const path of paths) {
    for (const { name, bytes, open } of await listPackedFiles(path)) {
      const kind = parseFileKind(name);
      if (kind === undefined) continue;
      const other = files[kind];
      if (other !== undefined)
        throw new ArchiveError(`Both ${other.path} and ${path} contain ${name}. Give only one of them.`);
      files[kind] = { kind, path, name, bytes, open };
    }
  }
  if (files.posts === undefined)
    throw new ArchiveError(
      `${paths.join(', ')}: there is no Posts.xml, so it is not a Stack Exchange archive.`,
    );
  return files;
}

async function findUnpackedArchiveFiles(directory: string): Promise<ArchiveFiles> {
  const names = await listDirectory(directory);
  const files: ArchiveFiles = {};
  for (const name of names.toSorted()) {
    const kind = parseFileKind(name);
    if (kind === undefined) continue;
    const path = join(directory, name);
    const bytes = await getFileSize(path);
    const other = files[kind];
    if (other !== undefined) {
      throw new ArchiveError(`${directory} contains both ${other.name} and ${name}. Keep only one of them.`);
    }
    files[kind] = { kind, path, name, bytes, open: (signal) => readUnpacked(path, signal) };
  }
  if (files.posts === undefined) throw new ArchiveError(describeMissingPosts(directory, names));
  return files;
}

function readUnpacked(path: string, signal?: AbortSignal): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: chunkBytes, ...(signal && { signal }) });
}

async function listDirectory(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT') throw new ArchiveError(`The directory ${directory} does not exist.`);
    if (code === 'ENOTDIR')
      throw new ArchiveError(
        `${directory} is a file. Give the directory that the archive was unpacked into.`,
      );
    throw unreadableError(directory, error);
  }
}

function parseFileKind(name: string): ArchiveFileKind | undefined {
  const match = /^([a-z]+)\.xml$/iu.exec(name);
  const stem = match?.[1]?.toLowerCase() ?? '';
  return isKind(stem) ? stem : undefined;
}

function isKind(stem: string): stem is ArchiveFileKind {
  return Object.hasOwn(archiveFileNames, stem);
}

function describeMissingPosts(directory: string, names: readonly string[]): string {
  const packed = names.find((name) => /\.(?:7z|zip|gz|bz2|xz)$/iu.test(name));
  const hint =
    packed === undefined ? '' : isPacked(packed) ? ` Give ${packed} itself.` : ` Unpack ${packed} first.`;
  return `${directory} contains no Posts.xml, so it is not a Stack Exchange archive.${hint}`;
}
