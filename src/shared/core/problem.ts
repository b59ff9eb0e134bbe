import { z } from 'zod';

/** The values that the text of an error is filled with. */
const params = z.record(z.string(), z.union([z.string(), z.number()]));

/** Every error of the API: RFC 9457 problem details with a stable `code`. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  /** Stable; the kind of error, such as 'not-found', for programs. */
  kind: z.string(),
  /** Stable; the exact error, such as 'question-not-found', for translation. */
  code: z.string(),
  params,
  /** The code and its parameters as an English sentence. */
  detail: z.string(),
  /** Errors by field, if the request was invalid. */
  errors: z.array(z.object({ field: z.string(), code: z.string(), params, message: z.string() })).optional(),
  /** The request id of an unexpected error, to find it in the log. */
  errorId: z.string().optional(),
  /** The request id that every log line of this request has. */
  requestId: z.string().optional(),
});
export type Problem = z.infer<typeof problem>;
