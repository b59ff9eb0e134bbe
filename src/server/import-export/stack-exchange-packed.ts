import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename, extname, posix } from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '#server/core/startup-error.ts';
import { ArchiveError, unreadableError } from './stack-exchange-errors.ts';

const run = promisify(execFile);

/** Names of the program 7-Zip, in the order in which they are tried. */
const programs = ['7zz', '7z', '7za', '7zr'];

/** Options of every call: no questions, no colours, names in UTF-8, and no password. */
const options = ['-y', '-bd', '-scsUTF-8', '-sccUTF-8', '-p'];

/** Bytes of a file that are read at once. */
export const chunkBytes = 1024 * 1024;

/** A file in a .7z file. */
export interface PackedFile {
  /** Its name without directories. */
  name: string;
  /** The size of its content. */
  bytes: number;
  open: (signal?: AbortSignal) => AsyncIterable<Buffer>;
}

export const isPacked = (path: string): boolean => extname(path).toLowerCase() === '.7z';

/**
 * Lists the files in a .7z file. Their content is unpacked while it is read, by 7-Zip in a process of its own, so that
 * nothing is written to the disk.
 * @throws ArchiveError if 7-Zip is missing, or the file is missing, damaged or encrypted
 */
export async function listPackedFiles(archive: string): Promise<PackedFile[]> {
  await stat(archive).catch((error: unknown) => {
    throw unreadableError(archive, error);
  });
  const { program, output } = await list(archive);
  return output
    .split(/\r?\n\r?\n/u)
    .map(
      (block) => new Map([...block.matchAll(/^(\w[\w ]*) = (.*)$/gmu)].map(([, key, value]) => [key, value])),
    )
    .filter((entry) => entry.has('Path') && !entry.get('Attributes')?.startsWith('D'))
    .map((entry) => {
      const path = entry.get('Path') ?? '';
      if (entry.get('Encrypted') === '+') throw new ArchiveError(`${archive} is encrypted.`);
      return {
        name: posix.basename(path.replaceAll('\\', '/')),
        bytes: Number(entry.get('Size') ?? 0),
        open: (signal) => unpack(program, { archive, path, signal }),
      };
    });
}

async function list(archive: string): Promise<{ program: string; output: string }> {
  for (const program of programs) {
    try {
      const { stdout } = await run(program, ['l', '-slt', '-ba', ...options, '--', archive], {
        maxBuffer: 16 * 1024 * 1024,
      });
      return { program, output: stdout };
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') continue;
      throw new ArchiveError(`${archive} is damaged, cut off, or not a .7z file.`, { cause: error });
    }
  }
  throw new ArchiveError(
    `To read ${basename(archive)}, install the program 7-Zip (on Debian and Ubuntu: apt install 7zip), or unpack the file and give the directory.`,
  );
}

async function* unpack(
  program: string,
  { archive, path, signal }: { archive: string; path: string; signal: AbortSignal | undefined },
): AsyncGenerator<Buffer> {
  // -spd: the path is a name, not a pattern.
  const parameters = ['x', '-so', '-spd', ...options, `-i!${path}`, '--', archive];
  const child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = exitOf(child);
  const stop = () => child.kill();
  signal?.addEventListener('abort', stop, { once: true });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  try {
    yield* joinChunks(child.stdout as AsyncIterable<Buffer>);
    const code = await ended;
    signal?.throwIfAborted();
    if (code !== 0) {
      const reason = /^ERROR: *(.*)$/mu.exec(complaint)?.[1] ?? `7-Zip ended with the code ${code}`;
      throw new ArchiveError(`${archive} is damaged or cut off (${reason}). Download it again.`);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // The reader may have stopped before the end.
    child.kill();
  }
}

/** Joins chunks, which a pipe has of 64 kB, so that the texts of one are enough to convert them in threads. */
async function* joinChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let joined: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    joined.push(chunk);
    bytes += chunk.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(joined);
    [joined, bytes] = [[], 0];
  }
  yield Buffer.concat(joined);
}

/** The exit code; null after a signal or if the program did not start. */
const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    child.once('close', resolve).once('error', () => resolve(null));
  });
