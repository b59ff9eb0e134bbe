/** '12', '/question/12' or a full address; null if it is not a question. */
export function parseQuestionNumber(text: string): number | null {
  const [, number] = /^(?:.*\/question\/)?#?(\d{1,15})(?:[/?#].*)?$/u.exec(text.trim()) ?? [];
  return number === undefined || Number(number) === 0 ? null : Number(number);
}
