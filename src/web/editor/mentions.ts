/** Somebody who can be mentioned. */
export type MentionableMember = { id: number; name: string };

/** Those one of whose names begins with what is typed, whatever the accents; all of them without it. */
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
