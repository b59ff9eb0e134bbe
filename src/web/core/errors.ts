import type { Problem } from '#shared/core/problem.ts';
import { toast } from './toast.ts';
import { i18n } from '@lingui/core';

/** The server answered, and refused: an RFC 9457 problem. `message` is its sentence for people, in the language shown. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Stable; decide on this one. */
  readonly code: string;
  readonly errors: readonly { field: string; message: string }[];
  /** Names the log entry of an unexpected error. */
  readonly errorId: string | null;
  /** The whole answer, with the members that only some problems have. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds to wait before trying again, where the server says so (429, 503). */
  readonly retryAfterSeconds: number | null;

  constructor(problem: Problem, retryAfter: number | null) {
    super(translateServerMessage(problem.detail));
    this.status = problem.status;
    this.code = problem.code;
    this.errors = (problem.errors ?? []).map(({ field, message }) => ({
      field,
      message: translateServerMessage(message),
    }));
    this.errorId = problem.errorId ?? null;
    this.body = { ...problem };
    this.retryAfterSeconds = retryAfter;
  }

  /** The message for one field of a form, where the server named it. */
  messageForField(field: string): string | null {
    return this.errors.find((error) => error.field === field)?.message ?? null;
  }
}

/** No answer came: no network, no server, or the request was cut off. Whether it took effect is unknown. */
export class UnreachableError extends Error {
  override readonly name = 'Unreachable';
}

export function hasStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** Worth trying again without changing anything: no answer, or a server that is restarting or busy. */
export function isTransient(error: unknown): error is ApiError | UnreachableError {
  return error instanceof UnreachableError || (error instanceof ApiError && isRetryableStatus(error.status));
}

/** 503 by the server itself; 502 and 504 by a proxy whose server does not answer. */
export function isRetryableStatus(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** Failures of votes, follows, notifications and searches are only logged (docs/product.md 16.4). */
export function logFailure(what: string, error: unknown): void {
  console.error(`${what} failed:`, error);
}

/** The same; but a rule of the community that refused it is said, since trying again would not help. */
export function logFailureAndToastRefusal(what: string, error: unknown): void {
  logFailure(what, error);
  if (error instanceof ApiError && [403, 404, 429].includes(error.status)) toast(error.message);
}

/**
 * A sentence that the server or shared code says in English, in the language shown; as it is where the catalogue does
 * not have it, and in English. These sentences stand in the catalogues under their own words (lingui.config.ts).
 */
export function translateServerMessage(message: string): string {
  return message in i18n.messages ? i18n._(message) : message;
}
