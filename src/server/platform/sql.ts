/** A LIKE pattern for texts that contain `part`, whatever characters it has. */
export function likeContains(part: string): string {
  return `%${likeBeginning(part)}`;
}

/** A LIKE pattern for texts that begin with `part`, whatever characters it has. */
export function likeBeginning(part: string): string {
  return `${part.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** A LIKE pattern for texts that begin with `part`. */
export function likeStarts(part: string): string {
  return likeContains(part).slice(1);
}
