import { sql } from 'kysely';
import type { Queryable } from '#server/core/database.ts';
import { invalidFieldError } from '#server/core/errors.ts';

/**
 * Refuses a name that looks like that of a moderator, or like the role. Names with the same skeleton look alike (UTS
 * 39, section 4), regardless of letters, case and punctuation.
 * @throws ProblemError 'invalid' at `displayName`
 */
export async function refuseImpersonation(
  db: Queryable,
  name: string,
  memberId: number | null,
): Promise<void> {
  if (await isImpersonation(db, name, memberId)) throw invalidFieldError('displayName', 'name-too-similar');
}

/** @param memberId the member who wants the name; null for a new member */
export async function isImpersonation(
  db: Queryable,
  name: string,
  memberId: number | null,
): Promise<boolean> {
  const moderators = await listModeratorNames(db);
  if (moderators.some(({ id }) => id === memberId)) return false;
  // Loaded when it is needed: its table of letters takes a twentieth of a start.
  const { getNameSkeletons, isRoleName } = await import('./name-skeletons.ts');
  const skeletons = getNameSkeletons(name);
  const isLike = (other: string) => getNameSkeletons(other).some((key) => skeletons.includes(key));
  if (moderators.some((moderator) => moderator.name !== null && isLike(moderator.name))) return true;
  return isRoleName(name);
}

/** The index member_moderator serves the query. */
async function listModeratorNames(db: Queryable): Promise<{ id: number; name: string | null }[]> {
  const { rows } = await sql<{ id: number; name: string | null }>`
    select id, display_name as name from member where role <> 'member'`.execute(db);
  return rows;
}
