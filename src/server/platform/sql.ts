/** A LIKE pattern for texts that contain `part`, whatever characters it has. */
export function likeContains(part: string): string {
  return `%${part.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}
