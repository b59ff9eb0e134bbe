import { t } from '@lingui/core/macro';
import classes from './fields.module.css';

/** Says whether the draft is saved. */
export function DraftIndicator({ state }: { state: DraftStatus }) {
  return (
    <output className={classes.draftStatus}>
      {state === 'saved' && t`Draft saved`}
      {state === 'device' && t`Saved on this device`}
      {state === 'unsaved' && t`Draft not saved: browser storage is unavailable`}
    </output>
  );
}

/**
 * The status of a draft. Drafts are stored while the member types, immediately in local storage and soon after on the
 * server, per member and form. They survive a reload, a crashed tab or server, a sign-out and an expired session, and
 * continue on other devices. A draft carries the idempotency key of its post.
 */
export type DraftStatus =
  /** Nothing was typed. */
  | 'empty'
  /** Being sent to the server for the first time. */
  | 'pending'
  /** Stored on the server for all devices. */
  | 'saved'
  /** Not on the server yet. */
  | 'device'
  /** Only in memory: local storage and the server both failed. */
  | 'unsaved';
