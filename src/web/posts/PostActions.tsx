import { IconPencil, IconTrash, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { SignInReason } from '#web/core/sign-in-prompt.ts';
import classes from './PostActions.module.css';
import { t } from '@lingui/core/macro';

/**
 * The row of actions of a post.
 * @param quiet whether a mouse sees the less frequent ones only over the post.
 */
export function PostActions({ quiet = false, children }: { quiet?: boolean; children: ReactNode }) {
  return (
    <div className={classes.actions} data-quiet={quiet || undefined}>
      {children}
    </div>
  );
}

export function PostButton(props: {
  label: string;
  /** The label in the other state of a toggle: its width is reserved, so that the buttons beside it do not move. */
  otherLabel?: string;
  /** What pressing it does, instead of the label as a tooltip. */
  hint?: string;
  Icon?: TablerIcon;
  onPress: () => void;
  /** The shortcut that presses the button on the focused post. */
  shortcut?: 'r' | 'e' | 'b';
  /** The anchor of the post, if the button is outside its article. */
  postAnchor?: string;
  busy?: boolean;
  active?: boolean;
  /** Shows only the icon on phones. */
  short?: boolean;
  /** Shows only the icon in any window, for rows with many actions. */
  minor?: boolean;
  /** Shows only the icon in any window. */
  bare?: boolean;
  /** Shows only the icon on phones if the row has no space for the label. */
  yields?: boolean;
  /** The id of an element that describes which post the action is for, if the name alone does not. */
  describedBy?: string;
  /** The state of a toggle button, also for screen readers. */
  pressed?: boolean;
  /** Why a visitor must sign in for it; absent if visitors may use it. */
  signIn?: SignInReason;
}) {
  const { label, Icon } = props;
  return (
    <button
      type="button"
      className={classes.action}
      data-sign-in={props.signIn}
      data-shortcut-key={props.shortcut}
      data-shortcut-post={props.postAnchor}
      data-active={props.active || props.pressed || undefined}
      aria-describedby={props.describedBy}
      aria-disabled={props.busy || undefined}
      aria-pressed={props.pressed}
      title={props.hint ?? (props.short === true || props.yields === true ? label : undefined)}
      data-short={props.short || undefined}
      data-secondary={props.minor || undefined}
      data-bare={props.bare || undefined}
      data-collapsible={props.yields || undefined}
      onClick={props.onPress}
    >
      {Icon !== undefined && <Icon size={17} stroke={1.6} aria-hidden="true" />}
      <span data-other={props.otherLabel}>{label}</span>
    </button>
  );
}

/**
 * The actions of a post's author.
 * @param deleteName replaces the name 'Delete'.
 */
export function AuthorPostActions(props: { onEdit: () => void; onDelete: () => void; deleteName?: string }) {
  return (
    <>
      <PostButton label={t`Edit`} Icon={IconPencil} shortcut="e" short minor onPress={props.onEdit} />
      <PostButton
        label={props.deleteName ?? t`Delete`}
        Icon={IconTrash}
        short
        minor
        onPress={props.onDelete}
      />
    </>
  );
}
