/** From the fewest rights to the most: each role may do what those before it may. */
export const roleNames = ['member', 'moderator', 'admin'] as const;
export type Role = (typeof roleNames)[number];

/** Whether a change of role gives or takes the rights of an admin. It needs the password of the admin who makes it. */
export const changesAdmins = (from: Role, to: Role): boolean =>
  from !== to && (from === 'admin' || to === 'admin');

export const canModerate = (role: Role): boolean => role !== 'member';
