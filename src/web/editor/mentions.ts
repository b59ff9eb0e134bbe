/** A member who can be mentioned. */
export type MentionableMember = { id: number; name: string };

/** The members with a name that starts with the typed text, ignoring accents; all members without a text. */
export function findMembers(members: readonly MentionableMember[], query: string): MentionableMember[] {
  const typed = normalizeName(query.trim());
  return members.filter(({ name }) => {
    const known = normalizeName(name);
    return known.startsWith(typed) || known.includes(` ${typed}`);
  });
}

function normalizeName(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
