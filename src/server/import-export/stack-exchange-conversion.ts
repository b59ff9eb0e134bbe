import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { chooseContent, type ConvertedText } from './stack-exchange-content.ts';

/** A text of the archive: what its author typed, if the history has it, and its page. */
export type ArchiveText = { typed: string | null; html: string };

/** Below this number of texts, starting the worker takes longer than their conversion. */
const minShared = 200;

/**
 * Converts texts in this thread and, for large batches, in a worker at the same time. The worker starts with the first
 * large batch.
 */
export class TextConverter {
  #worker: Worker | null = null;

  /** Returns the converted texts, in the same order. */
  async convert(texts: readonly ArchiveText[]): Promise<ConvertedText[]> {
    if (texts.length < minShared || availableParallelism() === 1) return convertTexts(texts);
    this.#worker ??= new Worker(new URL('stack-exchange-conversion-worker.ts', import.meta.url));
    // Every other text, because long ones are often neighbours.
    const inWorker = convertIn(
      this.#worker,
      texts.filter((_text, index) => index % 2 === 1),
    );
    // Awaited below. Until then, a failure must not count as an unhandled rejection.
    inWorker.catch(() => {});
    const here = convertTexts(texts.filter((_text, index) => index % 2 === 0));
    const there = await inWorker;
    return here.flatMap((text, index) => [text, ...there.slice(index, index + 1)]);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}

/** @throws the error of the worker */
async function convertIn(worker: Worker, texts: readonly ArchiveText[]): Promise<ConvertedText[]> {
  const reply = once(worker, 'message') as Promise<[ConvertedText[]]>;
  worker.postMessage(texts, []);
  const [converted] = await reply;
  return converted;
}

export function convertTexts(texts: readonly ArchiveText[]): ConvertedText[] {
  return texts.map(({ typed, html }) => chooseContent(typed, html));
}
