import { ApiError } from './errors.ts';
import { toast } from './toast.ts';

/** Failures of votes, follows, notifications and searches are only logged (docs/product.md 16.4). */
export function logFailure(what: string, error: unknown): void {
  console.error(`${what} failed:`, error);
}

/** The same; but a rule of the community that refused it is said, since trying again would not help. */
export function logFailureAndToastRefusal(what: string, error: unknown): void {
  logFailure(what, error);
  if (error instanceof ApiError && [403, 404, 429].includes(error.status)) toast(error.message);
}
