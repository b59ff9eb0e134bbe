import { t } from '@lingui/core/macro';
import classes from './DraftIndicator.module.css';

/** Says that what was typed is kept. */
export function DraftIndicator({ state }: { state: DraftStatus }) {
  return (
    <output className={classes.note}>
      {state === 'saved' && t`Draft saved`}
      {state === 'device' && t`Saved on this device`}
      {state === 'unsaved' && t`Draft not saved: this browser keeps nothing`}
    </output>
  );
}

/**
 * What a member types is kept as they type, in local storage at once and on the server a moment later, for each member and
 * form, so that it survives a reload, a killed tab or server, a sign-out and a dead session, and goes on on another device.
 * A draft carries the idempotency key of what it will post.
 */
export type DraftStatus =
  /** Nothing was typed. */
  | 'empty'
  /** On its way to the server for the first time. */
  | 'pending'
  /** Every device of the member has it. */
  | 'saved'
  /** The server does not have it yet. */
  | 'device'
  /** It lives as long as the page: the browser keeps nothing, and the server cannot be reached. */
  | 'unsaved';
