import { createTheme, type VariantColorsResolver } from '@mantine/core';
import type { ComponentProps, MouseEvent } from 'react';
import fields from '#web/ui/fields.module.css';

/** Mantine settings beyond the variables of theme.css. */
export const theme = createTheme({
  primaryColor: 'teal',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'var(--sans)',
  variantColorResolver: colorsOf,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 40 } },
    // An explicit variant makes Mantine call `variantColorResolver` even without a color.
    Button: { defaultProps: { size: 'md', variant: 'filled', renderRoot: ButtonRoot } },
    Input: { classNames: { wrapper: fields.field, input: fields.input } },
    InputWrapper: { classNames: { label: fields.label, description: fields.hint, error: fields.error } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'lg',
        offset: 6,
        transitionProps: { duration: 120 },
        // Puts the focus on the first item, as screen readers and arrow keys expect.
        withInitialFocusPlaceholder: false,
      },
    },
    Modal: {
      defaultProps: {
        radius: 'lg',
        centered: true,
        overlayProps: { color: 'var(--shade)' },
        transitionProps: { duration: 150 },
      },
    },
    Popover: { defaultProps: { shadow: 'md', radius: 'lg', transitionProps: { duration: 120 } } },
    Textarea: { defaultProps: { size: 'md', errorProps: { role: 'alert' } } },
    TextInput: { defaultProps: { size: 'md', errorProps: { role: 'alert' } } },
    Tooltip: { defaultProps: { openDelay: 400, transitionProps: { duration: 120 } } },
  },
});

/**
 * Three roles instead of a palette: the accent for actions, red for destructive actions, ink for everything else.
 * `color="red"` and `color="gray"` select the latter two.
 */
function colorsOf({
  color,
  variant,
}: Parameters<VariantColorsResolver>[0]): ReturnType<VariantColorsResolver> {
  const destructive = color === 'red';
  const text = destructive ? 'var(--danger)' : color === 'gray' ? 'var(--ink-soft)' : 'var(--accent)';
  const wash = destructive ? 'var(--danger-wash)' : color === 'gray' ? 'var(--sunken)' : 'var(--accent-wash)';
  const transparent = '1px solid transparent';

  switch (variant) {
    case 'filled':
      return {
        background: destructive ? 'var(--danger)' : 'var(--accent-fill)',
        hover: destructive ? 'var(--danger-strong)' : 'var(--accent-fill-strong)',
        color: destructive ? 'var(--on-danger)' : 'var(--on-accent)',
        border: transparent,
      };
    case 'light':
      return { background: wash, hover: wash, color: text, border: transparent };
    case 'default':
    case 'outline':
      return {
        background: 'transparent',
        hover: wash,
        color: variant === 'default' ? 'var(--ink)' : text,
        border: '1px solid var(--line-strong)',
      };
    default:
      return { background: 'transparent', hover: wash, color: text, border: transparent };
  }
}

/**
 * The element of every button. A loading button ignores presses but keeps the focus: browsers take it from a disabled
 * button, and keyboard users would start again at the top of the page.
 */
function ButtonRoot({ disabled, onClick, ...props }: ComponentProps<'button'> & LoadingProps) {
  const isLoading = props['data-loading'] === true && props['data-disabled'] !== true;
  return (
    <button
      {...props}
      disabled={disabled === true && !isLoading}
      {...(isLoading && { 'aria-disabled': true, 'aria-busy': true })}
      onClick={isLoading ? doNothing : onClick}
    />
  );
}

type LoadingProps = { 'data-loading'?: boolean; 'data-disabled'?: boolean };

const doNothing = (event: MouseEvent) => event.preventDefault();
