import { answerOnce } from '#server/core/limited-process.ts';
import { parseBounceMessage } from './email-bounce-message.ts';
import { parseReplyMessage } from './email-replies-message.ts';

// The program of `takeReceivedMessage`.
answerOnce(async ({ raw, sender }: { raw: Uint8Array; sender: string }) => ({
  message: await parseReplyMessage(raw, sender),
  report: await parseBounceMessage(raw),
}));
