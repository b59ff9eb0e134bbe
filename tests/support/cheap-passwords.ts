import type { PasswordCost } from '#server/identity/passwords.ts';

/** Thousands are registered, and each would cost what stands in the way of whoever guesses passwords. */
export const cheapPasswordCost: PasswordCost = { memoryKib: 64, passes: 1 };
