import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorCode } from '#server/core/startup-error.ts';
import { ArchiveError, unreadableError } from './stack-exchange-errors.ts';

/** The files of a Stack Exchange archive, by the name of their root element, with the name people know them by. */
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
  /** As it is written in the folder. */
  name: string;
  bytes: number;
}

export type ArchiveFiles = Partial<Record<ArchiveFileKind, ArchiveFile>>;

/**
 * Finds the files of an archive, in whatever letter case they are written. Only Posts.xml must be there.
 * Throws an `ArchiveProblem` when the folder is not an archive.
 */
export async function findArchiveFiles(folder: string): Promise<ArchiveFiles> {
  const names = await listDirectory(folder);
  const found: ArchiveFiles = {};
  for (const name of names.toSorted()) {
    const kind = parseFileKind(name);
    if (kind === undefined) continue;
    const path = join(folder, name);
    const status = await stat(path).catch((error: unknown) => {
      throw unreadableError(path, error);
    });
    if (!status.isFile()) throw new ArchiveError(`${path} is not a file.`);
    const other = found[kind];
    if (other !== undefined) {
      throw new ArchiveError(`${folder} holds both ${other.name} and ${name}. Leave only one of them there.`);
    }
    found[kind] = { kind, path, name, bytes: status.size };
  }
  if (found.posts === undefined) throw new ArchiveError(describeMissingPosts(folder, names));
  return found;
}

async function listDirectory(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT') throw new ArchiveError(`There is no folder ${folder}.`);
    if (code === 'ENOTDIR')
      throw new ArchiveError(`${folder} is a file. Name the folder that the archive was unpacked into.`);
    throw unreadableError(folder, error);
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

function describeMissingPosts(folder: string, names: readonly string[]): string {
  const packed = names.find((name) => /\.(?:7z|zip|gz|bz2|xz)$/iu.test(name));
  const hint = packed === undefined ? '' : ` Unpack ${packed} first.`;
  return `${folder} holds no Posts.xml, so it is not a Stack Exchange archive.${hint}`;
}
