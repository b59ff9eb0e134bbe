/** The name above what members who have left wrote. */
export const formerMemberName = 'Former member';
