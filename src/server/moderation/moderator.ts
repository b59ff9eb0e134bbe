import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';

/** A member who may moderate. Only `requireModerator` creates the value. */
export type Moderator = Viewer & { readonly [moderatorBrand]: true };
declare const moderatorBrand: unique symbol;

/** @throws ProblemError 'not-found' for all other members, as if the address did not exist. */
export function requireModerator(viewer: Viewer): Moderator {
  if (viewer.memberStatus.role !== 'moderator') throw new ProblemError('page-not-found');
  return viewer as Moderator;
}
