import type { Position } from '#shared/core/events.ts';
import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { PendingStep, Role } from '#shared/identity/accounts.ts';
import { problem } from '#shared/core/problem.ts';
import type { Database, Reader } from './database.ts';
import { ProblemError } from './errors.ts';
import type { SiteSettings } from './site-settings.ts';

/** The signed-in member a request is made by; only the session check makes one. */
export type Viewer = {
  readonly id: number;
  readonly sessionId: number;
  readonly memberStatus: MemberStatus;
  readonly [signedIn]: true;
};
declare const signedIn: unique symbol;

/** What a member is in the community. A suspension that is over may still be named. */
export type MemberStatus = {
  readonly role: Role;
  readonly suspension: { readonly until: Date; readonly reason: string } | null;
  /** What a new account waits for before it can post. */
  readonly pendingStep: PendingStep | null;
};

/**
 * What a signed-in route finds in its context. A GET reads from `reading`, which may be a streaming replica, unless what
 * it tells must be as it is at this moment (sessions, settings, notifications).
 */
export type SignedInEnv = { Variables: { viewer: Viewer; reader: Reader } };

/** What a visitor's route leaves in its context: the member who has registered just now. */
export type VisitorEnv = { Variables: { registered?: number } };

/** What every feature's routes are made with. */
export type RouteDeps = { db: Database; settings: SiteSettings };

/** A router of the API: requests that do not fit their schema are answered with what is wrong, field by field. */
export function createRouter<Env extends { Variables: object } = SignedInEnv>() {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return;
      const errors = result.error.issues.map((issue) => ({
        field: issue.path.join('.'),
        message: issue.message,
      }));
      throw new ProblemError('invalid', errors[0]?.message ?? 'The request is not valid', { errors });
    },
  });
}

/** A JSON body of a request. Fields it does not know are refused, so that a misspelt one is not lost in silence. */
export const jsonBody = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) => ({
  required: true as const,
  content: { 'application/json': { schema: schema.strict() } },
});

/** A JSON answer. */
export const jsonResponse = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/**
 * The errors any route may answer with. For the API's description only: handlers throw them, and the typed client turns
 * them into exceptions, so they are no part of what a route returns.
 */
export const problemResponses: object = {
  default: {
    description: 'Problem details (RFC 9457)',
    content: { 'application/problem+json': { schema: problem } },
  },
};

/** Lets a POST be repeated safely: the same key posts once (docs/product.md 6.6). */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\w-]{8,100}$/, 'An idempotency key has 8 to 100 letters, digits, - or _')
    .optional(),
});

/**
 * Up to which position of the stream of events the replica that was chosen shows everything: the browser is told that one,
 * because it listens from there on. Null where none is known, absent where the primary was read.
 */
export type ReplicaPositionEnv = { Variables: { replicaPosition?: Position | null } };
