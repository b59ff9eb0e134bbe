import unhomoglyph from 'unhomoglyph';

/** Words for moderators and admins in the languages of the interface. */
const roleWords = `
  admin admins administrator administrators administratorin moderator moderators moderatorin modteam
  administrateur administratrice modérateur modératrice administrador administradora moderador moderadora
`
  .trim()
  .split(/\s+/u);

/** Words of scripts without spaces, or that are also names: refused only as the whole name. */
const wholeNames = ['مشرف', 'المشرف', 'مدير', '管理员', '版主', '管理者', '管理人', 'モデレーター'];

/** Whether a name looks like a word for moderators or admins, or contains one. */
export function isRoleName(name: string): boolean {
  const skeletons = getNameSkeletons(name);
  const isLike = (other: string) => getNameSkeletons(other).some((key) => skeletons.includes(key));
  return wholeNames.some(isLike) || name.split(/[^\p{L}\p{N}\p{M}]+/u).some(isRoleWord) || isRoleWord(name);
}

const isRoleWord = (word: string) =>
  word !== '' && getNameSkeletons(word).some((key) => roleSkeletons.has(key));

const roleSkeletons = new Set(roleWords.flatMap(getNameSkeletons));

/**
 * Returns the skeletons of a name, which are equal for names that look alike. Case is folded before and after, because
 * a capital I looks like a small l and is also an i.
 */
export function getNameSkeletons(name: string): string[] {
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
