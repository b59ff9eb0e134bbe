import { type ParamsArgument, readIssue } from '#shared/core/coded-error.ts';
import type { ErrorKind } from '#shared/core/error-kinds.ts';
import type { Problem } from '#shared/core/problem.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { formatDateTime } from './format.ts';
import { toastError } from './toast.ts';
import { i18n } from '@lingui/core';
import type { z } from 'zod';

/** An error response of the server: an RFC 9457 problem. `message` is its text in the current language. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The stable kind of error. Base decisions on it, not on the message. */
  readonly kind: ErrorKind;
  /** The stable error code: exactly what is wrong. */
  readonly code: ErrorCode;
  readonly errors: readonly { field: string; message: string }[];
  /** Identifies the log entry of an unexpected error. */
  readonly errorId: string | null;
  /** The whole response, with the extension members of some problems. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds to wait before a retry, if the server sends them (429, 503). */
  readonly retryAfterSeconds: number | null;

  constructor(problem: Problem & { until?: string }, retryAfter: number | null) {
    super(translateCodedError(problem, problem.detail));
    this.status = problem.status;
    // A server of another version may send ones that are unknown here: they match nothing and are shown in English.
    this.kind = problem.kind as ErrorKind;
    this.code = problem.code as ErrorCode;
    this.errors = (problem.errors ?? []).map(({ field, message, ...error }) => ({
      field,
      message: translateCodedError(error, message),
    }));
    this.errorId = problem.errorId ?? null;
    this.body = { ...problem };
    this.retryAfterSeconds = retryAfter;
  }

  /** The message for one field of a form, or null if the server sent none. */
  messageForField(field: string): string | null {
    return this.errors.find((error) => error.field === field)?.message ?? null;
  }
}

/** There was no response: no network, no server, or a broken connection. The request may have taken effect. */
export class UnreachableError extends Error {
  override readonly name = 'Unreachable';
}

export function hasStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** Whether the same request may succeed later: there was no response, or the server is restarting or busy. */
export function isTransient(error: unknown): error is ApiError | UnreachableError {
  return error instanceof UnreachableError || (error instanceof ApiError && isRetryableStatus(error.status));
}

/** The server sends 503. A proxy sends 502 and 504 when its server does not respond. */
export function isRetryableStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** Failures of follows of tags, notification actions and searches are only logged (docs/product.md 16.4). */
export function logFailure(what: string, error: unknown): void {
  console.error(`${what} failed:`, error);
}

/**
 * For votes, bookmarks, mutes and follows of questions: also shows a message if a rule refused the request, since a
 * retry would not help, or if the member has been replaced.
 */
export function logFailureAndToastRefusal(what: string, error: unknown): void {
  logFailure(what, error);
  if (!(error instanceof ApiError)) return;
  if ([403, 404, 429].includes(error.status) || error.code === 'other-member-signed-in')
    toastError(error.message);
}

/** The text of an error that the browser finds itself, in the language shown. */
export function translateError<Code extends ErrorCode>(
  code: Code,
  ...[params]: ParamsArgument<Code>
): string {
  return translateCodedError({ code, params });
}

/** The first error that a schema found, in the language shown. */
export function translateSchemaError(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? '' : translateCodedError(readIssue(issue));
}

type AnyCodedError = {
  code: string;
  params?: Readonly<Record<string, string | number>> | undefined;
  /** The parameter of the same name in ISO 8601, to be shown in local time. */
  until?: string;
};

/**
 * Translates an error into the current language. The catalogue of another language has the texts of all codes; that of
 * English has those that the loaded modules name (vite.config.texts.ts).
 * @param fallback the English text of the response
 */
export function translateCodedError(
  { code, params = {}, until }: AnyCodedError,
  fallback: string = code,
): string {
  const id = `error.${code}`;
  if (!(id in i18n.messages)) return fallback;
  const values = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'number' ? i18n.number(value) : value,
  ]);
  return i18n._(id, { ...Object.fromEntries(values), ...(until && { until: formatDateTime(until) }) });
}
