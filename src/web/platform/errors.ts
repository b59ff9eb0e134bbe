import type { Problem } from '#shared/problem.ts';
import { said } from './said.ts';

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
  readonly retryAfter: number | null;

  constructor(problem: Problem, retryAfter: number | null) {
    super(said(problem.detail));
    this.status = problem.status;
    this.code = problem.code;
    this.errors = (problem.errors ?? []).map(({ field, message }) => ({ field, message: said(message) }));
    this.errorId = problem.errorId ?? null;
    this.body = { ...problem };
    this.retryAfter = retryAfter;
  }

  /** The message for one field of a form, where the server named it. */
  forField(field: string): string | null {
    return this.errors.find((error) => error.field === field)?.message ?? null;
  }
}

/** No answer came: no network, no server, or the request was cut off. Whether it took effect is unknown. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export function isStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}

/** Worth trying again without changing anything: no answer, or a server that is restarting or busy. */
export function isTransient(error: unknown): error is ApiError | Unreachable {
  return error instanceof Unreachable || (error instanceof ApiError && saysLater(error.status));
}

/** 503 by the server itself; 502 and 504 by a proxy whose server does not answer. */
export function saysLater(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}
