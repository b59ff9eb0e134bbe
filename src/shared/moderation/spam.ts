import { z } from 'zod';

/**
 * A spam rule that a post matches. `value`: the blocked word or domain, the number of links, or the number of posts
 * within the minutes of the setting.
 */
export const matchedRule = z.object({
  rule: z.enum(['word', 'domain', 'links', 'speed']),
  value: z.string(),
});
export type MatchedRule = z.infer<typeof matchedRule>;
