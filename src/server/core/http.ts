import type { Position } from '#shared/core/events.ts';
import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { PendingStep } from '#shared/identity/accounts.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import type { Role } from '#shared/identity/roles.ts';
import { codedError, readIssue, withCode } from '#shared/core/coded-error.ts';
import { problem } from '#shared/core/problem.ts';
import { isErrorCode } from '#shared/errors.ts';
import type { Database, Reader } from './database.ts';
import { type FieldError, invalidFieldsError } from './errors.ts';
import type { SiteSettings } from './site-settings.ts';
import type { OperatorSettings } from './operator-settings.ts';

/**
 * The signed-in member who makes a request. Only `findViewer` creates one; approving a held post and the demo derive
 * one that acts as the author (`posts/held-posts-approval.ts`, `import-export/demo-activity.ts`).
 */
export type Viewer = {
  readonly id: number;
  /** 0 for a request with an API token, and for a reply by email. */
  readonly sessionId: number;
  /** The API token of the request; null for a session, and for a reply by email. */
  readonly tokenId: number | null;
  readonly memberStatus: MemberStatus;
  readonly [signedIn]: true;
};
declare const signedIn: unique symbol;

/** The state of a member's account. The suspension may have ended already. */
export type MemberStatus = {
  readonly role: Role;
  readonly suspension: { readonly until: Date; readonly reason: string } | null;
  /** What a new account must complete before it can post. */
  readonly pendingStep: PendingStep | null;
  /** Null for a member. Otherwise the account sees only its own application (docs/decisions/086). */
  readonly application: ApplicationStatus | null;
};

/**
 * The context of a signed-in route. A GET reads from `reader`, which may be a streaming replica. Routes that need the
 * current state (sessions, settings, notifications) read from the primary.
 */
export type SignedInEnv = { Variables: { viewer: Viewer; reader: Reader } };

/** A visitor who reads (docs/decisions/053). No member has the id 0, so statements find no rows of the viewer. */
export type SignedOutViewer = { readonly id: 0 };
export const signedOutViewer: SignedOutViewer = { id: 0 };

export const isMember = (viewer: Viewer | SignedOutViewer): viewer is Viewer => viewer.id !== 0;

/**
 * The context of a route that visitors may read too, while public reading is on. `application`: the viewer reads as a
 * visitor because the account is not a member's yet.
 */
export type PublicEnv = {
  Variables: { viewer: Viewer | SignedOutViewer; reader: Reader; application?: ApplicationStatus };
};

/** The context of a visitor's route: the id of a member who has just registered. */
export type VisitorEnv = { Variables: { registered?: number } };

/** The dependencies of every feature's routes. */
export type RouteDeps = { db: Database; settings: OperatorSettings; siteSettings: SiteSettings };

/** Creates an API router. Requests that do not match their schema get an error per field. */
export function createRouter<Env extends { Variables: object } = SignedInEnv>() {
  return new OpenAPIHono<Env>({
    defaultHook: (result) => {
      if (result.success) return;
      throw invalidFieldsError(result.error.issues.map(toFieldError));
    },
  });
}

/**
 * Describes in the OpenAPI document how the routes so far are authenticated, except those that describe it themselves.
 * @param security the alternatives; none if nothing is needed, and `{}` for requests without authentication
 */
export function documentSecurity(
  router: Pick<OpenAPIHono, 'openAPIRegistry'>,
  security: Record<string, string[]>[],
): void {
  for (const definition of router.openAPIRegistry.definitions)
    if (definition.type === 'route') definition.route.security ??= security;
}

/**
 * Checks a value that the schema of the route cannot, because it depends on stored data.
 * @throws ProblemError 'invalid' with an error per field
 */
export function parseFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (!result.success) throw invalidFieldsError(result.error.issues.map(toFieldError));
  return result.data;
}

/** If the schema names no code, the explanation is zod's message. */
function toFieldError(issue: z.core.$ZodIssue): FieldError {
  const field = issue.path.join('.');
  if (isErrorCode(issue.message)) return { field, ...readIssue(issue) };
  return { field, ...codedError('value-not-valid', { explanation: issue.message }) };
}

/** A JSON request body. Unknown fields are refused, so that a misspelled one is not ignored. */
export const jsonBody = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) => ({
  required: true as const,
  content: { 'application/json': { schema: schema.strict() } },
});

/** A JSON response. */
export const jsonResponse = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/**
 * The errors that any route may return. Only for the API description: handlers throw them and the typed client turns
 * them into exceptions, so they are not part of a route's return type.
 */
export const problemResponses: object = {
  default: {
    description: 'Problem details (RFC 9457)',
    content: { 'application/problem+json': { schema: problem } },
  },
};

/** Makes a POST safe to repeat: the same key posts once (docs/product.md 6.6). */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\w-]{8,100}$/, withCode('idempotency-key-not-valid'))
    .optional(),
});

/**
 * The stream position up to which the chosen replica shows everything. The browser receives it and continues from
 * there. Null if it is unknown, absent if the primary was read.
 */
export type ReplicaPositionEnv = { Variables: { replicaPosition?: Position | null } };

/**
 * Returns the token of an Authorization header (RFC 6750, section 2.1), also one that cannot be valid; null without one
 * or for another scheme, such as the password of a proxy.
 */
export function readBearerToken(authorization: string | undefined): string | null {
  const [scheme, ...parts] = (authorization ?? '').trim().split(/ +/u);
  return scheme?.toLowerCase() === 'bearer' ? parts.join(' ') : null;
}
