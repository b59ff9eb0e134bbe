import { z } from 'zod';

/**
 * A spam rule that a post matches. `value`: the blocked word or domain, the number of links, the number of posts
 * within the minutes of the setting, or the probability in percent that the classifier estimated.
 */
export const matchedRule = z.object({
  rule: z.enum(['word', 'domain', 'links', 'speed', 'probability']),
  value: z.string(),
});
export type MatchedRule = z.infer<typeof matchedRule>;

/**
 * How probable it is that a post is spam, in percent from 1 to 99, by what moderators decided about other posts.
 * `tokens`: the features that speak most for it from 50 percent, against it below: `word:casino`, `domain:spam.example`,
 * `links:4` (4 or more), `account:hour` (or day, month, older), `posts:0` (earlier posts; 1, 3 and 10 begin ranges),
 * `kind:answer`.
 */
export const spamEstimate = z.object({ percent: z.int().min(1).max(99), tokens: z.array(z.string()) });
export type SpamEstimate = z.infer<typeof spamEstimate>;
