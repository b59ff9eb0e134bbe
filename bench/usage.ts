/** Prints the usage and ends the process if a parameter is --help. */
export function answerHelp(usage: string): void {
  if (!process.argv.includes('--help')) return;
  console.log(usage);
  process.exit(0);
}

/** Reads a parameter that is a whole number of at least 1. Anything else prints the usage and ends with exit code 2. */
export function readCount(text: string, usage: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  console.error(`'${text}' is not a whole number of at least 1.\n\n${usage}`);
  process.exit(2);
}
