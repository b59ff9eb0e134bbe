import { z } from 'zod';
import { time } from '#shared/core/fields.ts';

/** What the site of an imported post showed with it; null for nothing. It has no effect here. */
export const siteHistory = z
  .object({
    /** Since when it is a community wiki; null if it is none. */
    communityWikiAt: time.nullable(),
    /** Offered for a question, or awarded to an answer; the day in UTC. */
    bounties: z.array(z.object({ amount: z.int().positive(), day: z.iso.date() })),
  })
  .nullable();
export type SiteHistory = NonNullable<z.infer<typeof siteHistory>>;
