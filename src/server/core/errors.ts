import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import type { Problem } from '#shared/core/problem.ts';
import { getSqlState } from './database.ts';
import { getRequestId } from './request-id.ts';

/** Every error the API answers with: its stable code, HTTP status and title. */
const problemKinds = {
  invalid: { status: 400, title: 'The request is not valid' },
  'signed-out': { status: 401, title: 'Sign in first' },
  'unknown-email': { status: 401, title: 'Sign-in failed' },
  'wrong-password': { status: 401, title: 'Sign-in failed' },
  'wrong-credentials': { status: 401, title: 'Sign-in failed' },
  'wrong-code': { status: 401, title: 'Sign-in failed' },
  'step-ended': { status: 401, title: 'Begin to sign in again' },
  'passkey-refused': { status: 401, title: 'Sign-in failed' },
  'provider-refused': { status: 401, title: 'Sign-in failed' },
  'sign-in-again': { status: 403, title: 'Sign in again first' },
  'not-author': { status: 403, title: 'Only the author may do this' },
  'not-allowed': { status: 403, title: 'Not allowed' },
  suspended: { status: 403, title: 'Suspended' },
  'not-approved': { status: 403, title: 'Not approved yet' },
  locked: { status: 403, title: 'Locked' },
  'foreign-origin': { status: 403, title: 'Requests from other sites are refused' },
  disabled: { status: 403, title: 'Switched off' },
  'not-found': { status: 404, title: 'Not found' },
  'email-taken': { status: 409, title: 'Already registered' },
  'done-already': { status: 409, title: 'Done already' },
  'edited-meanwhile': { status: 409, title: 'Edited meanwhile' },
  'done-meanwhile': { status: 409, title: 'Done meanwhile' },
  'draft-changed': { status: 409, title: 'The draft was changed meanwhile' },
  'draft-posted': { status: 410, title: 'The draft was posted' },
  'key-reused': { status: 422, title: 'The idempotency key was used for another request' },
  gone: { status: 410, title: 'Gone' },
  'too-large': { status: 413, title: 'The request is too large' },
  'not-json': { status: 415, title: 'The request must be JSON' },
  'too-many': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong' },
  unavailable: { status: 503, title: 'Not available for a moment' },
  busy: { status: 503, title: 'Too busy for a moment' },
} as const;

export type ProblemCode = keyof typeof problemKinds;
export type FieldError = { field: string; message: string };

/** An error with a sentence for people; answered as problem details (RFC 9457). */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined;
  /** Further members of the answer (RFC 9457 section 3.2). */
  readonly extension: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      errors?: readonly FieldError[];
      retryAfter?: number;
      extension?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors;
    this.retryAfter = more.retryAfter;
    this.extension = more.extension;
  }
}

export const invalidFieldError = (field: string, message: string) =>
  new ProblemError('invalid', message, { errors: [{ field, message }] });

/**
 * Turns whatever a handler threw into the answer; unknown errors are logged under the request's id, which the answer
 * names.
 * @param onRejected told of each request that is put off (429, 503), by its code
 */
export function toErrorResponse(
  error: unknown,
  c: Context,
  log: Logger,
  onRejected: (code: ProblemCode) => void = () => {},
): Response {
  const problem = toProblem(error);
  if (problem !== null) {
    const { status } = problemKinds[problem.code];
    if (status === 429 || status === 503) onRejected(problem.code);
    return toProblemResponse(problem);
  }
  // By its route: an address may hold what a member looked for.
  log.error({ err: error, method: c.req.method, route: routePath(c) }, 'request failed');
  const detail = 'Something went wrong on our side. Please try again.';
  return toProblemResponse(new ProblemError('internal', detail), getRequestId());
}

export function toProblemResponse(error: ProblemError, errorId?: string): Response {
  const kind = problemKinds[error.code];
  const id = getRequestId();
  const body: Problem = {
    ...error.extension,
    type: `/api/docs#problem-${error.code}`,
    title: kind.title,
    status: kind.status,
    code: error.code,
    detail: error.message,
    ...(error.errors && { errors: [...error.errors] }),
    ...(errorId !== undefined && { errorId }),
    ...(id !== undefined && { requestId: id }),
  };
  const headers = new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  // The rest of the request is not read, so that no other can follow on this connection.
  if (error.code === 'too-large') headers.set('connection', 'close');
  if (error.retryAfter !== undefined) headers.set('retry-after', String(error.retryAfter));
  return new Response(JSON.stringify(body), { status: kind.status, headers });
}

/** What whoever asked is told of an error; null for what nobody foresaw. */
export function toProblem(error: unknown): ProblemError | null {
  if (error instanceof ProblemError) return error;
  if (error instanceof HTTPException) return toProblemFromHttp(error);
  // What a post would hang on was deleted while it was being written.
  if (getSqlState(error) === '23503') return new ProblemError('not-found', 'What this belongs to is gone.');
  if (isOverloadError(error)) return overloadedError();
  if (isUnavailableError(error))
    return new ProblemError(
      'unavailable',
      'Parley is restarting its database. Please try again in a moment.',
      {
        retryAfter: 2,
      },
    );
  return null;
}

/** For whoever asks while more is asked than can be done. */
export function overloadedError(): ProblemError {
  return new ProblemError('busy', 'Parley is very busy at the moment. Please try again in a few seconds.', {
    retryAfter: 3,
  });
}

function toProblemFromHttp(error: HTTPException): ProblemError {
  if (error.status === 413) return new ProblemError('too-large', 'The request is too large.');
  if (error.status === 415) return new ProblemError('not-json', 'Send the request as application/json.');
  if (error.status === 400) return new ProblemError('invalid', 'The request body is not valid JSON.');
  return new ProblemError('not-allowed', error.message);
}

/**
 * Whether too much is asked of the database: no connection free in time (53300 and the pool's own message), statements
 * over their time (57014), lock waits (55P03) or transactions that wait for nothing (25P03).
 */
export function isOverloadError(error: unknown): boolean {
  const state = getSqlState(error);
  if (state !== undefined) return /^(53300|57014|55P03|25P03)/.test(state);
  if (!(error instanceof Error)) return false;
  // better-auth wraps what its queries threw.
  return isOverloadError(error.cause) || error.message.includes('timeout exceeded when trying to connect');
}

/** Whether the database could not be asked, or gave up: refused or lost connections, restarts (57P01 to 57P03), or busy. */
export function isUnavailableError(error: unknown): boolean {
  if (isOverloadError(error)) return true;
  const state = getSqlState(error);
  if (state !== undefined) return /^(08|57P0[1-5]|53)/.test(state);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  // better-auth wraps what its queries threw.
  if (isUnavailableError(error.cause)) return true;
  if (typeof code === 'string' && /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/.test(code))
    return true;
  return /Connection terminated|Client has encountered a connection error|driver has already been destroyed|Client was closed/.test(
    error.message,
  );
}
