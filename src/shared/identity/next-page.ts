/** Whether a sign-in page says that asking needs an account: after it, the visitor goes to the ask form. */
export const isAskPath = (next: string | null | undefined): boolean =>
  next === '/ask' || next?.startsWith('/ask?') === true;
