import { sql } from 'kysely';
import unhomoglyph from 'unhomoglyph';
import type { Queryable } from '#server/core/database.ts';
import { invalidFieldError } from '#server/core/errors.ts';

/** Words for moderators and admins in the languages of the interface. */
const roleWords = `
  admin admins administrator administrators administratorin moderator moderators moderatorin modteam
  administrateur administratrice modérateur modératrice administrador administradora moderador moderadora
`
  .trim()
  .split(/\s+/u);

/** Words of scripts without spaces, or that are also names: refused only as the whole name. */
const wholeNames = ['مشرف', 'المشرف', 'مدير', '管理员', '版主', '管理者', '管理人', 'モデレーター'];

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
  const skeletons = getNameSkeletons(name);
  const isLike = (other: string) => getNameSkeletons(other).some((key) => skeletons.includes(key));
  if (moderators.some((moderator) => moderator.name !== null && isLike(moderator.name))) return true;
  return wholeNames.some(isLike) || name.split(/[^\p{L}\p{N}\p{M}]+/u).some(isRoleWord) || isRoleWord(name);
}

const isRoleWord = (word: string) =>
  word !== '' && getNameSkeletons(word).some((key) => roleSkeletons.has(key));

const roleSkeletons = new Set(roleWords.flatMap(getNameSkeletons));

/**
 * Returns the skeletons of a name, which are equal for names that look alike. Case is folded before and after, because
 * a capital I looks like a small l and is also an i.
 */
function getNameSkeletons(name: string): string[] {
  const plain = name.normalize('NFKC');
  return [skeleton(plain.toLowerCase()), skeleton(plain).toLowerCase()].map((drawn) => {
    const letters = drawn.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '');
    return letters === '' ? drawn : letters;
  });
}

function skeleton(text: string): string {
  const seen = text.normalize('NFD').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return unhomoglyph(seen).normalize('NFD');
}

/** The index member_moderator serves the query. */
async function listModeratorNames(db: Queryable): Promise<{ id: number; name: string | null }[]> {
  const { rows } = await sql<{ id: number; name: string | null }>`
    select id, display_name as name from member where role <> 'member'`.execute(db);
  return rows;
}
