import { z } from 'zod';

/** `membersWithPasswordOnly`: they cannot sign in while passwords are off. */
export const passwordSignInState = z.object({ membersWithPasswordOnly: z.int().nonnegative() });
