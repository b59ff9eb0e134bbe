/**
 * For some inputs, micromark takes quadratic time or worse: runs of `]`, of `*a_ `, of `>` or `1. `, of setext headings,
 * wide tables. Imports use it to find the positions of links and pictures; a text beyond these bounds stays as it is. Of
 * 250,000 real posts, fewer than one in ten thousand exceeds them.
 */
const bounds = {
  /** UTF-16 units. */
  length: 120_000,
  lines: 2000,
  /** List items, quotes and footnotes opened on one line. */
  containersPerLine: 16,
  /** The same on all lines together. */
  containers: 1500,
  /** Characters in one paragraph that can open or close an element. */
  marksPerParagraph: 800,
  /** Sum of the squares of that number over all paragraphs. */
  marksSquared: 1_500_000,
  /** The same for words, because each word can start an autolink. */
  wordsSquared: 8_000_000,
  /** Columns of a table. */
  pipesPerLine: 120,
  /** Lines that can belong to a table. */
  tableLines: 800,
  /** Cells of tables, including those that fill short rows: columns of the widest line times lines. */
  cells: 8000,
  /** Lines that turn the line above into a heading, or define a link or a footnote. */
  structuralLines: 600,
} as const;

/** Whether micromark parses a text within a fraction of a second. */
export function isCheapForMicromark(text: string): boolean {
  if (text.length > bounds.length) return false;
  const work = {
    lines: 0,
    containers: 0,
    structural: 0,
    tableLines: 0,
    cells: 0,
    columns: 0,
    words: 0,
    wordsSquared: 0,
    marks: 0,
    marksSquared: 0,
  };
  const isCode = fences(text);
  for (const line of text.split(lineEnd)) {
    if (isCode(line)) {
      work.marks = 0;
      work.columns = 0;
      work.words = 0;
      continue;
    }
    if (++work.lines > bounds.lines) return false;
    const opened = containersOf(line);
    work.containers += opened;
    if (opened > bounds.containersPerLine || work.containers > bounds.containers) return false;
    if (structural.test(line) && ++work.structural > bounds.structuralLines) return false;

    const pipes = count(line, '|');
    if (pipes > bounds.pipesPerLine || (pipes > 0 && ++work.tableLines > bounds.tableLines)) return false;
    work.columns = Math.max(work.columns, pipes);
    work.cells += work.columns;
    if (work.cells > bounds.cells) return false;

    if (line.trim() === '') {
      work.marks = 0;
      work.columns = 0;
      work.words = 0;
      continue;
    }
    const { marks, words } = inlineWork(line);
    work.marksSquared += squareGrowth(work.marks, marks);
    work.wordsSquared += squareGrowth(work.words, words);
    work.marks += marks;
    work.words += words;
    if (work.marks > bounds.marksPerParagraph || work.marksSquared > bounds.marksSquared) return false;
    if (work.wordsSquared > bounds.wordsSquared) return false;
  }
  return true;
}

const lineEnd = /\r\n|\n|\r/u;

/**
 * Returns a function that says, line by line, whether a line is inside a fenced code block, which the parser takes as
 * it is. HTML at the start of a line could hide a fence from the parser; then no line counts as code.
 */
function fences(text: string): (line: string) => boolean {
  if (/^[ \t]*</mu.test(text)) return () => false;
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

const structural = /^[ \t>]*(?:[-=|:+* \t]+|\[[^\]]*\]:.*)$/u;

function containersOf(line: string): number {
  const opening = /^(?:[ \t]*(?:>|\[\^[^\]]{1,99}\]:|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))+/u.exec(line)?.[0];
  return opening === undefined ? 0 : (opening.match(/>|\]:|[-+*]|\d+[.)]/gu)?.length ?? 0);
}

/** By how much the square of a paragraph's count grows when a line is added: (a + b)² − a². */
function squareGrowth(paragraph: number, line: number): number {
  return line * (2 * paragraph + line);
}

function inlineWork(line: string): { marks: number; words: number } {
  let marks = 0;
  let words = 0;
  let inWord = false;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (isMark(code)) marks++;
    const wordly = isWordly(code);
    if (wordly && !inWord) words++;
    inWord = wordly;
  }
  return { marks, words };
}

const markCodes = new Set(Array.from('[]*_~<!@`', (mark) => mark.charCodeAt(0)));

function isMark(code: number): boolean {
  return code < 0x80 && markCodes.has(code);
}

/** `a-z A-Z 0-9 . + -` */
function isWordly(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2e ||
    code === 0x2b ||
    code === 0x2d
  );
}

function count(line: string, character: string): number {
  let occurrences = 0;
  for (let at = line.indexOf(character); at !== -1; at = line.indexOf(character, at + 1)) occurrences++;
  return occurrences;
}
