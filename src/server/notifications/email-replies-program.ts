import { answerOnce } from '#server/core/limited-process.ts';
import { parseBounceMessage } from './email-bounce-message.ts';
import { parseReplyMessage } from './email-replies-message.ts';

// The program of `takeReceivedMessage`.
answerOnce(async ({ raw }: { raw: Uint8Array }) => ({
  message: await parseReplyMessage(raw),
  report: await parseBounceMessage(raw),
}));
