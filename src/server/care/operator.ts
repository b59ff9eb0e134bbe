import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';

/** A member who takes care of the community; only `operatorOf` makes one. */
export type Operator = Viewer & { readonly [isOperator]: true };
declare const isOperator: unique symbol;

/** @throws ProblemError 'not-found' for everybody else: for them there is nothing at these addresses. */
export function operatorOf(viewer: Viewer): Operator {
  if (viewer.standing.role !== 'operator')
    throw new ProblemError('not-found', 'There is nothing at this address.');
  return viewer as Operator;
}
