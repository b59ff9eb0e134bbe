import { IconPencil, IconTrash, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './PostActions.module.css';
import { t } from '@lingui/core/macro';

/** The row of what can be done with a post. */
export function PostActions({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}

export function PostAction(props: {
  label: string;
  Icon?: TablerIcon;
  onPress: () => void;
  /** The key that presses it on the focused post. */
  shortcut?: 'r' | 'e' | 'b';
  /** Whose action it is, where it stands outside of its post. */
  postAnchor?: string;
  busy?: boolean;
  active?: boolean;
  /** On phones the icon stands alone. */
  short?: boolean;
  /** In a row of many, its icon says enough in any window. */
  minor?: boolean;
  /** On phones the icon stands alone where the row has no room for both. */
  yields?: boolean;
  /** The id of the element that says whose action it is, where its name alone does not. */
  describedBy?: string;
  /** For one that stays pressed: says to screen readers, too, whether it is on. */
  pressed?: boolean;
}) {
  const { label, Icon } = props;
  return (
    <button
      type="button"
      className={classes.action}
      data-key={props.shortcut}
      data-for={props.postAnchor}
      data-active={props.active || props.pressed || undefined}
      aria-describedby={props.describedBy}
      aria-disabled={props.busy || undefined}
      aria-pressed={props.pressed}
      title={props.short === true || props.yields === true ? label : undefined}
      data-short={props.short || undefined}
      data-minor={props.minor || undefined}
      data-yields={props.yields || undefined}
      onClick={props.onPress}
    >
      {Icon !== undefined && <Icon size={17} stroke={1.6} aria-hidden="true" />}
      <span>{label}</span>
    </button>
  );
}

/** What only its author can do with a post. @param deleteName where 'Delete' is not its name. */
export function AuthorPostActions(props: { onEdit: () => void; onDelete: () => void; deleteName?: string }) {
  return (
    <>
      <PostAction label={t`Edit`} Icon={IconPencil} shortcut="e" short minor onPress={props.onEdit} />
      <PostAction
        label={props.deleteName ?? t`Delete`}
        Icon={IconTrash}
        short
        minor
        onPress={props.onDelete}
      />
    </>
  );
}
