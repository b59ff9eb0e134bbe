import type { PasswordCost } from '#server/identity/passwords.ts';

/** Tests register thousands of members; the full password cost would take most of their time. */
export const cheapPasswordCost: PasswordCost = { memoryKib: 64, passes: 1 };
