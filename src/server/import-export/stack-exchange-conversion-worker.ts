import { parentPort } from 'node:worker_threads';
import { type ArchiveText, convertTexts } from './stack-exchange-conversion.ts';

// The program of the thread that converts every other text (stack-exchange-conversion.ts starts it).

parentPort?.on('message', (texts: ArchiveText[]) => parentPort?.postMessage(convertTexts(texts), []));
