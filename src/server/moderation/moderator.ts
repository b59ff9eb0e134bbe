import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { createMiddleware } from 'hono/factory';
import type { SignedInEnv, Viewer } from '#server/core/http.ts';
import { createMemberLimit } from '#server/core/rate-limits.ts';

/** A member who may moderate. Only `requireModerator` creates the value. */
export type Moderator = Viewer & { readonly [moderatorBrand]: true };
declare const moderatorBrand: unique symbol;

/** A member who may change site settings and roles. Only `requireAdmin` creates the value. */
export type Admin = Moderator & { readonly [adminBrand]: true };
declare const adminBrand: unique symbol;

/** @throws ProblemError 'not-found' for all other members, as if the address did not exist. */
export function requireModerator(viewer: Viewer): Moderator {
  if (!canModerate(viewer.memberStatus.role)) throw new ProblemError('page-not-found');
  return viewer as Moderator;
}

/** @throws ProblemError 'not-found' for all other members, as if the address did not exist. */
export function requireAdmin(viewer: Viewer): Admin {
  if (viewer.memberStatus.role !== 'admin') throw new ProblemError('page-not-found');
  return viewer as Admin;
}

/** The context of the routes behind `moderatorsOnly`. */
export type ModeratorEnv = { Variables: SignedInEnv['Variables'] & { moderator: Moderator } };

/** Runs before validation, so that an invalid request of another member is a 404 too. */
export const moderatorsOnly = createMiddleware<ModeratorEnv>(async (c, next) => {
  c.set('moderator', requireModerator(c.get('viewer')));
  await next();
});

/**
 * Returns a function that does what `requireAdmin` does and counts the request of the admin.
 * @param rule.points requests in an hour. More throw ProblemError 'too-often'.
 */
export function createAdminLimit(
  db: Database,
  rule: { name: string; points: number },
): (viewer: Viewer) => Promise<Admin> {
  const limit = createMemberLimit(db, { ...rule, seconds: 60 * 60, code: 'too-often' });
  return async (viewer) => {
    const admin = requireAdmin(viewer);
    await limit(admin.id);
    return admin;
  };
}
