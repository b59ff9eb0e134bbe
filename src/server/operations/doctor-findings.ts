/** Nothing to do; good to know; should be fixed; must be fixed. */
export const findingLevels = ['ok', 'hint', 'warning', 'problem'] as const;
type Level = (typeof findingLevels)[number];

/** The result of a check: the fact, why it matters, and what to do. */
export type Finding = {
  /** Name of the check, such as 'disk'. */
  check: string;
  level: Level;
  what: string;
  why?: string;
  action?: string;
};

export const okFinding = (check: string, what: string): Finding => ({ check, level: 'ok', what });

/** Creates findings of one check: `found('warning', 'what', 'why', 'what to do')`. */
export const createFinding =
  (check: string) =>
  (level: Exclude<Level, 'ok'>, what: string, why: string, action: string): Finding => ({
    check,
    level,
    what,
    why,
    action,
  });

export const formatMegabytes = (bytes: number) =>
  `${Math.round(bytes / 1024 / 1024).toLocaleString('en')} MB`;

const width = Math.max(...findingLevels.map((level) => level.length)) + 2;

/** The level comes first, so that lines can be searched for it. */
export function formatFinding({ check, level, what, why, action }: Finding): string {
  const indent = ' '.repeat(width);
  const lines = [`${level.padEnd(width)}${check}: ${what.replaceAll('\n', `\n${indent}`)}`];
  if (why !== undefined) lines.push(`${indent}${why}`);
  if (action !== undefined) lines.push(`${indent}To do: ${action}`);
  return `${lines.join('\n')}\n`;
}
