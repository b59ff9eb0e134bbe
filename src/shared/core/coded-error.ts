import type { z } from 'zod';
import type { CodedError, ErrorCode, ErrorCodeWith, ErrorParams } from '#shared/errors.ts';

/** The parameters of a code as an argument; it is left out where the text has none. */
export type ParamsArgument<Code extends ErrorCode> = [Code] extends [ErrorCodeWith<never>]
  ? []
  : [params: ErrorParams<Code>];

/**
 * The error of a check of zod: the code, and the parameters that its text needs. Only `refine` passes parameters on.
 */
export function withCode<Code extends ErrorCode>(
  code: Code,
  ...[params]: ParamsArgument<Code>
): { message: string; params: Record<string, string | number> } {
  return { message: code, params: { ...params } };
}

/** The same as a value. */
export function codedError<Code extends ErrorCode>(
  code: Code,
  ...[params]: ParamsArgument<Code>
): CodedError {
  return { code, ...(params !== undefined && { params }) };
}

/**
 * The code and the parameters of an issue that zod found. If the schema names no code, it is zod's
 * message: the caller checks it.
 */
export function readIssue(issue: z.core.$ZodIssue) {
  const params = (issue.code === 'custom' ? issue.params : undefined) as CodedError['params'];
  return { code: issue.message as ErrorCode, params };
}
