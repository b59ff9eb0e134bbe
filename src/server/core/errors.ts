import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import { codedError, type ParamsArgument } from '#shared/core/coded-error.ts';
import { errorKinds, type ErrorKind } from '#shared/core/error-kinds.ts';
import type { Problem } from '#shared/core/problem.ts';
import {
  type CodedError,
  type ErrorCode,
  type ErrorCodeWith,
  type ErrorParams,
  formatError,
  getErrorKind,
} from '#shared/errors.ts';
import { getSqlState } from './database.ts';
import { isResponseTimeout } from './database-pool.ts';
import { getRequestId } from './request-id.ts';

/** What is wrong with one field of a request. */
export type FieldError = { field: string } & CodedError;

type ProblemDetails = {
  errors?: readonly FieldError[];
  /** Seconds after which to retry. */
  retryAfter?: number;
  /** Additional members of the problem details (RFC 9457 section 3.2). */
  extension?: Readonly<Record<string, unknown>>;
};

/** The details may be left out where the text of the code has no parameters. */
type ProblemArguments<Code extends ErrorCode> = [Code] extends [ErrorCodeWith<never>]
  ? [details?: ProblemDetails]
  : [details: ProblemDetails & { params: ErrorParams<Code> }];

/** An error that the API responds with, as problem details (RFC 9457). Its message is the English text of the code. */
export class ProblemError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly params: Params;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  readonly extension: Readonly<Record<string, unknown>> | undefined;

  constructor(code: Code, ...rest: ProblemArguments<Code>) {
    const [details = {}] = rest as [details?: ProblemDetails & { params?: Params }];
    const { errors, retryAfter, extension, params = {} } = details;
    super(formatError({ code, params }));
    this.code = code;
    this.kind = getErrorKind(code);
    this.params = params;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.extension = extension;
  }
}

type Params = NonNullable<CodedError['params']>;

/** An error in one field of the request. */
export function invalidFieldError<Code extends ErrorCode>(
  field: string,
  code: Code,
  ...params: ParamsArgument<Code>
): ProblemError {
  return invalidFieldsError([{ field, ...codedError(code, ...params) }]);
}

/** The errors in the fields of a request. The code of the whole is that of the first. */
export function invalidFieldsError(errors: readonly FieldError[]): ProblemError {
  const { code = 'request-not-valid', params = {} } = errors[0] ?? {};
  return createProblem({ code, params }, { errors });
}

/** Where only a value names the code, so that the compiler cannot compare its parameters. */
function createProblem({ code, params = {} }: CodedError, details: ProblemDetails): ProblemError {
  const create = ProblemError as new (
    code: ErrorCode,
    details: ProblemDetails & { params: Params },
  ) => ProblemError;
  return new create(code, { ...details, params });
}

/**
 * Converts an error of a handler to a response. Unknown errors are logged with the request id, which the response
 * contains.
 * @param onRejected called for each rejected request (429, 503) with the kind of its error
 */
export function toErrorResponse(
  error: unknown,
  c: Context,
  log: Logger,
  onRejected: (kind: ErrorKind) => void = () => {},
): Response {
  const problem = toProblem(error);
  if (problem !== null) {
    const { status } = errorKinds[problem.kind];
    if (status === 429 || status === 503) onRejected(problem.kind);
    const response = toProblemResponse(problem);
    // Node would go on to read the body of a GET or HEAD, of any length. Of others, the HTTP library discards a part.
    if (status === 413 && ['GET', 'HEAD'].includes(c.req.method)) response.headers.set('connection', 'close');
    return response;
  }
  // Logs the route, because the URL may contain search terms.
  log.error({ err: error, method: c.req.method, route: routePath(c) }, 'request failed');
  return toProblemResponse(new ProblemError('internal'), getRequestId());
}

export function toProblemResponse(error: ProblemError, errorId?: string): Response {
  const { status, title } = errorKinds[error.kind];
  const id = getRequestId();
  const body: Problem = {
    ...error.extension,
    type: `/api/docs#problem-${error.kind}`,
    title,
    status,
    kind: error.kind,
    code: error.code,
    params: error.params,
    detail: error.message,
    ...(error.errors && { errors: error.errors.map(toFieldProblem) }),
    ...(errorId !== undefined && { errorId }),
    ...(id !== undefined && { requestId: id }),
  };
  const headers = new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  // RFC 6750, section 3.
  if (error.kind === 'token-refused') headers.set('www-authenticate', 'Bearer error="invalid_token"');
  if (error.retryAfter !== undefined) headers.set('retry-after', String(error.retryAfter));
  return new Response(JSON.stringify(body), { status, headers });
}

const toFieldProblem = ({ field, code, params = {} }: FieldError) => ({
  field,
  code,
  params,
  message: formatError({ code, params }),
});

/** The problem that the client receives. Null for unexpected errors. */
export function toProblem(error: unknown): ProblemError | null {
  if (error instanceof ProblemError) return error;
  if (error instanceof HTTPException) return toProblemFromHttp(error);
  // A foreign key violation: the parent was deleted while the post was being written.
  if (getSqlState(error) === '23503') return new ProblemError('parent-not-found');
  if (isOverloadError(error)) return overloadedError();
  if (isUnavailableError(error))
    return new ProblemError('database-restarting', {
      retryAfter: 2,
    });
  return null;
}

/** The error for requests refused because of overload. */
export function overloadedError(): ProblemError {
  return new ProblemError('busy', {
    retryAfter: 3,
  });
}

function toProblemFromHttp(error: HTTPException): ProblemError {
  if (error.status === 413) return new ProblemError('request-too-large');
  if (error.status === 415) return new ProblemError('not-json');
  if (error.status === 400) return new ProblemError('json-not-valid');
  return new ProblemError('request-refused', { params: { explanation: error.message } });
}

/**
 * Whether the database is overloaded: no free connection (53300 and the pool's own message), statement timeout (57014),
 * lock timeout (55P03) or idle transaction timeout (25P03).
 */
export function isOverloadError(error: unknown): boolean {
  const state = getSqlState(error);
  if (state !== undefined) return /^(53300|57014|55P03|25P03)/.test(state);
  if (!(error instanceof Error)) return false;
  // better-auth wraps the errors of its queries.
  return isOverloadError(error.cause) || error.message.includes('timeout exceeded when trying to connect');
}

/**
 * Whether the database is unreachable or overloaded: refused or lost connections, restarts (57P01 to 57P03), or busy.
 */
export function isUnavailableError(error: unknown): boolean {
  if (isOverloadError(error)) return true;
  const state = getSqlState(error);
  if (state !== undefined) return /^(08|57P0[1-5]|53)/.test(state);
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  // better-auth wraps the errors of its queries.
  if (isUnavailableError(error.cause) || isResponseTimeout(error)) return true;
  if (typeof code === 'string' && /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/.test(code))
    return true;
  return /Connection terminated|Client has encountered a connection error|driver has already been destroyed|Client was closed/.test(
    error.message,
  );
}
