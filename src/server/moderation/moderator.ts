import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';

/** A member who takes care of the community; only `operatorOf` makes one. */
export type Moderator = Viewer & { readonly [moderatorBrand]: true };
declare const moderatorBrand: unique symbol;

/** @throws ProblemError 'not-found' for everybody else: for them there is nothing at these addresses. */
export function requireModerator(viewer: Viewer): Moderator {
  if (viewer.memberStatus.role !== 'operator')
    throw new ProblemError('not-found', 'There is nothing at this address.');
  return viewer as Moderator;
}
