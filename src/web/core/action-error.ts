import { t } from '@lingui/core/macro';
import { ApiError } from './errors.ts';

// Not in errors.ts, which a question page loads before it handles input.

/** The message for a failed action. */
export function getActionErrorMessage(error: Error): string {
  return error instanceof ApiError
    ? error.message
    : t`The server could not be reached. Please check your connection and try again.`;
}
