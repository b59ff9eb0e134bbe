import { z } from 'zod';

/** Every error of the API: RFC 9457 problem details with a stable `code`. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  /** Stable; what programs decide on. */
  code: z.string(),
  /** A sentence for people. */
  detail: z.string(),
  /** What is wrong with which field, where the request was not valid. */
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  /** Names the log entry of an unexpected error: its request's id. */
  errorId: z.string().optional(),
  /** What the log names in every line of this request. */
  requestId: z.string().optional(),
});
export type Problem = z.infer<typeof problem>;
