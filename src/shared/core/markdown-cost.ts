/**
 * For some inputs, the Markdown parser takes quadratic time (many `[` in a paragraph), makes far more elements than the
 * text has characters (tables whose short rows are filled), or drops text (100 elements in each other). A text beyond
 * these bounds is shown as it was typed, because members' browsers parse it. Real texts stay far below: of 250,000
 * posts, fewer than one in ten thousand exceeds the bounds.
 */
const bounds = {
  /** UTF-16 units. */
  length: 120_000,
  /** List items, quotes and footnotes opened on one line. */
  containersPerLine: 16,
  /** Sum of the squares of the numbers of `[` in all paragraphs. */
  bracketsSquared: 1_000_000,
  /** Cells of tables, including those that fill short rows: columns of the widest line times lines. */
  cells: 8000,
} as const;

/** Whether any text can be parsed as Markdown within a few frames. */
export function isCheapToParse(text: string): boolean {
  if (text.length > bounds.length) return false;
  let brackets = 0;
  let bracketsSquared = 0;
  let columns = 0;
  let cells = 0;
  const isCode = fences();
  for (const line of text.split(lineEnd)) {
    if (isCode(line) || line.trim() === '') {
      brackets = 0;
      columns = 0;
      continue;
    }
    const added = count(line, '[');
    bracketsSquared += added * (2 * brackets + added);
    brackets += added;
    columns = Math.max(columns, count(line, '|'));
    cells += columns;
    if (bracketsSquared > bounds.bracketsSquared || cells > bounds.cells) return false;
    if (countContainers(line) > bounds.containersPerLine) return false;
  }
  return true;
}

const lineEnd = /\r\n|\n|\r/u;

/** Returns a function that says, line by line, whether a line is inside a fenced code block. */
function fences(): (line: string) => boolean {
  let fence: string | null = null;
  return (line) => {
    if (fence === null) {
      fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/u.exec(line)?.[1] ?? null;
      return fence !== null;
    }
    const closing: string | undefined = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u.exec(line)?.[1];
    if (closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length) fence = null;
    return true;
  };
}

function countContainers(line: string): number {
  const opening = /^(?:[ \t]*(?:>|\[\^[^\]]{1,99}\]:|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))+/u.exec(line)?.[0];
  return opening?.match(/>|\]:|[-+*]|\d+[.)]/gu)?.length ?? 0;
}

function count(line: string, character: string): number {
  let occurrences = 0;
  for (let at = line.indexOf(character); at !== -1; at = line.indexOf(character, at + 1)) occurrences++;
  return occurrences;
}
