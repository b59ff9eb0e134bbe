/** From the fewest rights to the most: each role may do what those before it may. */
export const roleNames = ['member', 'moderator', 'admin'] as const;
export type Role = (typeof roleNames)[number];

export const canModerate = (role: Role): boolean => role !== 'member';
