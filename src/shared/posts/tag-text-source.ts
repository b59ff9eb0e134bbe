import { z } from 'zod';

/** The source of an imported text of a tag, as its licence requires; null for texts written here. */
export const tagTextSource = z
  .object({
    site: z.string(),
    /** URL of the tag's page there. */
    url: z.string(),
    license: z.string(),
    /** Whether moderators changed the text here. */
    isAdapted: z.boolean(),
  })
  .nullable();
export type TagTextSource = z.infer<typeof tagTextSource>;
