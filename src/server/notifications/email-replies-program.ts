import { answerOnce } from '#server/core/limited-process.ts';
import { parseReplyMessage } from './email-replies-message.ts';

// The program of `readReplyMessage`.
answerOnce(async ({ raw }: { raw: Uint8Array }) => ({ message: await parseReplyMessage(raw) }));
