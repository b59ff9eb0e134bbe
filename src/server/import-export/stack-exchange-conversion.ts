import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { chooseContent, type ConvertedText } from './stack-exchange-content.ts';
import type { RowBatch } from './stack-exchange-xml.ts';

/** A text of the archive: what its author typed, if the history has it, and its page. */
export type ArchiveText = { typed: string | null; html: string };

/** Rows whose texts are being converted. */
type ConvertedBatch = RowBatch & { texts: Promise<ConvertedText[]> };

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
  readonly #signal: AbortSignal | undefined;

  /** @param signal ends the conversion, whose promise is then rejected with its reason */
  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', () => void this.close(), { once: true });
  }

  /** Returns the converted texts, in the same order. */
  async convert(texts: readonly ArchiveText[]): Promise<ConvertedText[]> {
    this.#signal?.throwIfAborted();
    if (texts.length < minShared || availableParallelism() === 1) return convertTexts(texts);
    const threads = (this.#threads ??= startThreads());
    const tasks = Array.from({ length: Math.ceil(texts.length / textsPerTask) }, (_, index) =>
      threads.run(texts.slice(index * textsPerTask, (index + 1) * textsPerTask)),
    );
    try {
      return (await Promise.all(tasks)).flat();
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error;
    }
  }

  /** Reads one batch ahead, so that its texts are converted while the batch before is staged. */
  async *convertAhead(
    batches: AsyncIterable<RowBatch>,
    findTexts: (rows: RowBatch['rows']) => Promise<ArchiveText[]>,
  ): AsyncGenerator<ConvertedBatch> {
    let before: ConvertedBatch | null = null;
    for await (const batch of batches) {
      const texts = this.convert(await findTexts(batch.rows));
      // Awaited when the batch is staged. Until then, a failure must not count as an unhandled rejection.
      texts.catch(() => {});
      if (before !== null) yield before;
      before = { ...batch, texts };
    }
    if (before !== null) yield before;
  }

  async close(): Promise<void> {
    await this.#threads?.destroy();
  }
}

function startThreads(): Piscina<readonly ArchiveText[], ConvertedText[]> {
  const threads = new Piscina<readonly ArchiveText[], ConvertedText[]>({
    filename: fileURLToPath(new URL('stack-exchange-conversion-worker.ts', import.meta.url)),
    minThreads: 2,
    maxThreads: 2,
    // While this thread stages rows, it cannot give a thread its next task. Tasks with a signal would have none.
    concurrentTasksPerWorker: 2,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // An ended thread can have sent a result, which Piscina reports here. The errors of tasks reject their promises.
  threads.on('error', () => {});
  return threads;
}

export function convertTexts(texts: readonly ArchiveText[]): ConvertedText[] {
  return texts.map(({ typed, html }) => chooseContent(typed, html));
}
