import { z } from 'zod';
import { id } from '#shared/core/fields.ts';

/** Members that a text can mention, for the list after an '@'. */
export const mentionableMembers = z.object({
  items: z.array(
    z.object({
      id,
      displayName: z.string(),
      /** Whether they wrote the question, or an answer or reply to it. */
      inThread: z.boolean(),
    }),
  ),
});
export type MentionableMembers = z.infer<typeof mentionableMembers>;
