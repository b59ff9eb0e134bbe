import { z } from 'zod';

/** What the viewer may do with tags when asking (docs/product.md 9.10). */
export const tagRules = z.object({
  /** Whether the viewer may use a tag that does not exist yet. */
  canCreate: z.boolean(),
  /** Whether the viewer may propose one to the moderators instead. */
  canPropose: z.boolean(),
  /** The reputation from which members may; null if it does not depend on it. */
  minReputation: z.int().nullable(),
  /** A question needs at least one of these tags; none if empty. */
  required: z.array(z.string()),
});
export type TagRules = z.infer<typeof tagRules>;
