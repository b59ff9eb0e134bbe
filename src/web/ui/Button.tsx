import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import classes from './Button.module.css';

type Colors = {
  /** Without one: the main action of a form or page. */
  variant?: 'filled' | 'light' | 'default' | 'outline' | 'subtle';
  /** `red` is for destructive actions. Without one: the accent. */
  color?: 'red' | 'gray';
};

/** What `renderRoot` passes on to its element. */
type RootProps = { className: string; children: ReactNode };

type ButtonProps = Omit<ComponentProps<'button'>, 'color' | 'className'> &
  Colors & {
    className?: string | undefined;
    size?: 'xs' | 'sm' | 'md' | 'compact-sm' | 'compact-md';
    fullWidth?: boolean;
    /** Ignores presses, but keeps the focus. */
    loading?: boolean;
    leftSection?: ReactNode;
    rightSection?: ReactNode;
    /** Another element than `button`, such as a link. */
    renderRoot?: (props: RootProps) => ReactNode;
  };

/**
 * A button with a text. It is our own because every page needs it first: the library's would load 15 KB of its core
 * before a page handles input (docs/decisions/052).
 */
export function Button({
  variant = 'filled',
  size = 'md',
  color,
  className,
  fullWidth = false,
  loading = false,
  leftSection,
  rightSection,
  children,
  ...props
}: ButtonProps) {
  return (
    <Root
      {...props}
      loading={loading}
      className={`${classes.control} ${classes.button} ${className ?? ''}`}
      data-variant={variant}
      data-size={size}
      data-color={color}
      data-wide={fullWidth || undefined}
      data-left={Boolean(leftSection) || undefined}
      data-right={Boolean(rightSection) || undefined}
    >
      {loading && <span className={classes.loader} aria-hidden="true" />}
      <span className={classes.inner}>
        {leftSection !== undefined && <span className={classes.section}>{leftSection}</span>}
        <span className={classes.label}>{children}</span>
        {rightSection !== undefined && <span className={classes.section}>{rightSection}</span>}
      </span>
    </Root>
  );
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'color' | 'className'> &
  Colors & {
    className?: string | undefined;
    /** Width and height in pixels. */
    size: 30 | 32 | 36 | 44;
    round?: boolean;
    renderRoot?: (props: RootProps) => ReactNode;
  };

/** A button with an icon only. It needs an accessible name. */
export function IconButton({
  variant = 'subtle',
  size,
  color = 'gray',
  round = false,
  className,
  ...props
}: IconButtonProps) {
  return (
    <Root
      {...props}
      className={`${classes.control} ${classes.icon} ${className ?? ''}`}
      data-variant={variant}
      data-size={size}
      data-color={color}
      data-round={round || undefined}
    />
  );
}

type RootElementProps = ComponentProps<'button'> & {
  className: string;
  loading?: boolean;
  renderRoot?: ((props: RootProps) => ReactNode) | undefined;
};

/**
 * A loading button ignores presses but keeps the focus: browsers take it from a disabled button, and keyboard users
 * would start again at the top of the page.
 */
function Root({ loading = false, disabled = false, renderRoot, onClick, ...props }: RootElementProps) {
  const isLoading = loading && !disabled;
  const root = {
    ...props,
    children: props.children,
    'data-loading': isLoading || undefined,
    ...(disabled && { 'data-disabled': true }),
    ...(isLoading && { 'aria-disabled': true, 'aria-busy': true }),
    onClick: isLoading ? doNothing : onClick,
  };
  return renderRoot === undefined ? <button type="button" disabled={disabled} {...root} /> : renderRoot(root);
}

const doNothing = (event: MouseEvent) => event.preventDefault();
