import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { getErrorMessage } from '#server/core/startup-error.ts';
import { chooseContent, type ConvertedText } from './stack-exchange-content.ts';
import { ArchiveError } from './stack-exchange-errors.ts';
import type { RowBatch } from './stack-exchange-xml.ts';

/** A text of the archive: what its author typed, if the history has it, and its page. */
export type ArchiveText = { typed: string | null; html: string };

/** Rows whose texts are being converted. */
type ConvertedBatch = RowBatch & { texts: Promise<ConvertedText[]> };

/** One of the converted texts cannot be converted. `index`: its place among them. */
export class TextConversionError extends Error {
  override readonly name = 'TextConversionError';
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(getErrorMessage(cause), { cause });
    this.index = index;
  }
}

/** Below this number of texts, starting the threads takes longer than their conversion. */
const minShared = 200;

/** Texts that a thread gets at once. */
const textsPerTask = 50;

/**
 * Converts texts: large batches in two threads, which start with the first one, so that this thread can read and stage
 * other rows meanwhile.
 */
export class TextConverter {
  #threads: Piscina<readonly ArchiveText[], ConvertedText[]> | null = null;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #memoryMb: number;

  /**
   * @param signal ends the conversion, whose promise is then rejected with its reason
   * @param memoryMb the limit of each thread
   */
  constructor(signal: AbortSignal | undefined, memoryMb = 256) {
    this.#signal = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    this.#memoryMb = memoryMb;
    signal?.addEventListener('abort', () => void this.close(), { once: true });
  }

  /**
   * Returns the converted texts, in the same order.
   * @throws TextConversionError if a thread fails or runs out of memory at one of them
   */
  async convert(texts: readonly ArchiveText[]): Promise<ConvertedText[]> {
    this.#signal.throwIfAborted();
    if (texts.length < minShared || availableParallelism() === 1) return convertTexts(texts);
    const threads = (this.#threads ??= startThreads(2, this.#memoryMb));
    const parts = Array.from({ length: Math.ceil(texts.length / textsPerTask) }, (_, index) =>
      texts.slice(index * textsPerTask, (index + 1) * textsPerTask),
    );
    const results = await Promise.allSettled(parts.map((part) => threads.run(part)));
    // Closing the threads rejects their tasks, whose texts must not be converted again.
    this.#signal.throwIfAborted();
    const converted: ConvertedText[] = [];
    for (const [index, part] of parts.entries()) {
      const result = results[index];
      if (result?.status === 'fulfilled') converted.push(...result.value);
      else converted.push(...(await this.#convertEach(part, converted.length)));
    }
    return converted;
  }

  /**
   * Converts the texts of a failed task again, one after the other in a thread of its own: a thread that runs out of
   * memory fails all its tasks.
   * @param start the index of the first text
   */
  async #convertEach(texts: readonly ArchiveText[], start: number): Promise<ConvertedText[]> {
    const thread = startThreads(1, this.#memoryMb);
    const converted: ConvertedText[] = [];
    try {
      for (const text of texts) converted.push(...(await thread.run([text], { signal: this.#signal })));
      return converted;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw new TextConversionError(start + converted.length, error);
    } finally {
      await thread.destroy();
    }
  }

  /**
   * Reads one batch ahead, so that its texts are converted while the batch before is staged. The promise of its texts is
   * rejected with an ArchiveError that names the row whose text cannot be converted.
   * @param path of the file with the rows
   */
  async *convertAhead(
    path: string,
    batches: AsyncIterable<RowBatch>,
    findTexts: (rows: RowBatch['rows']) => Promise<ArchiveText[]>,
  ): AsyncGenerator<ConvertedBatch> {
    let before: ConvertedBatch | null = null;
    for await (const batch of batches) {
      const texts = this.convert(await findTexts(batch.rows)).catch((error: unknown) => {
        throw error instanceof TextConversionError
          ? describeError(path, batch.rows[error.index], error)
          : error;
      });
      // Awaited when the batch is staged. Until then, a failure must not count as an unhandled rejection.
      texts.catch(() => {});
      if (before !== null) yield before;
      before = { ...batch, texts };
    }
    if (before !== null) yield before;
  }

  /** Rejects the promises of texts that are not converted yet. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The converter is closed.'));
    await this.#threads?.destroy();
  }
}

function describeError(path: string, row: RowBatch['rows'][number] | undefined, cause: Error): ArchiveError {
  return new ArchiveError(
    `${path}: the text of the row with Id="${row?.['Id'] ?? ''}" cannot be converted (${cause.message}). Shorten or remove it, and report it.`,
    { cause },
  );
}

function startThreads(number: number, memoryMb: number) {
  const threads = new Piscina<readonly ArchiveText[], ConvertedText[]>({
    filename: fileURLToPath(new URL('stack-exchange-conversion-worker.ts', import.meta.url)),
    minThreads: number,
    maxThreads: number,
    // While this thread stages rows, it cannot give a thread its next task. Tasks with a signal would have none.
    concurrentTasksPerWorker: 2,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  // An ended thread can have sent a result, which Piscina reports here. The errors of tasks reject their promises.
  threads.on('error', () => {});
  return threads;
}

export function convertTexts(texts: readonly ArchiveText[]): ConvertedText[] {
  return texts.map(({ typed, html }) => chooseContent(typed, html));
}
