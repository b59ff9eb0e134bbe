/** Somebody who can be mentioned. */
export type Person = { id: number; name: string };

/** Those one of whose names begins with what is typed, whatever the accents; all of them without it. */
export function findPeople(people: readonly Person[], query: string): Person[] {
  const typed = plain(query.trim());
  return people.filter(({ name }) => {
    const known = plain(name);
    return known.startsWith(typed) || known.includes(` ${typed}`);
  });
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
