/**
 * For some inputs, the Markdown parser takes quadratic time (many `[` in a paragraph) or makes far more elements than the
 * text has characters (tables whose short rows are filled). Of 45,782 texts of Stack Exchange, none exceeds these bounds.
 */
const bounds = {
  /** UTF-16 units. */
  length: 120_000,
  /** Sum of the squares of the numbers of `[` in all paragraphs. */
  bracketsSquared: 10_000_000,
  /** Cells of tables, including those that fill short rows. `parseMarkdown` refuses the elements of more. */
  cells: 7000,
} as const;

/** Nested elements. markdown-it drops what is below 100. */
export const maxLevel = 90;

/** Whether the parser can be given a text. `parseMarkdown` asks. */
export function isCheapToParse(text: string): boolean {
  if (text.length > bounds.length) return false;
  let brackets = 0;
  let bracketsSquared = 0;
  let columns = 0;
  let cells = 0;
  const isCode = fences(text);
  for (const line of text.split(lineEnd)) {
    if (isCode(line) || /^[ \t]*$/u.test(line)) {
      brackets = 0;
      columns = 0;
      continue;
    }
    const added = count(line, '[');
    bracketsSquared += added * (2 * brackets + added);
    brackets += added;
    if (delimiterRow.test(line)) columns = Math.max(columns, count(line, '|') + 1);
    cells += columns;
    if (bracketsSquared > bounds.bracketsSquared || cells > bounds.cells) return false;
  }
  return true;
}

/** The line below the head of a table. */
const delimiterRow = /^[ \t>]*[-:|][-:| \t]*$/u;

const lineEnd = /\r\n|\n|\r/u;

/**
 * Returns a function that says, line by line, whether a line is inside a fenced code block. A fence that is indented may
 * belong to a list, and end with it; then no line counts as code.
 */
function fences(text: string): (line: string) => boolean {
  if (/^[ \t]+(?:`{3,}|~{3,})/mu.test(text)) return () => false;
  let fence: string | null = null;
  return (line) => {
    if (fence === null) {
      fence = /^(`{3,}(?=[^`]*$)|~{3,})/u.exec(line)?.[1] ?? null;
      return fence !== null;
    }
    const closing: string | undefined = /^(`{3,}|~{3,})[ \t]*$/u.exec(line)?.[1];
    if (closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length) fence = null;
    return true;
  };
}

function count(line: string, character: string): number {
  let occurrences = 0;
  for (let at = line.indexOf(character); at !== -1; at = line.indexOf(character, at + 1)) occurrences++;
  return occurrences;
}
