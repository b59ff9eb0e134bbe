import type { PopoverProps } from '@mantine/core';
import type { ComponentType } from 'react';
import { baseTheme, withProvider } from '#web/core/with-mantine.tsx';
import fields from '#web/ui/fields.module.css';

/** The files of this directory are the only ones of the web app that import Mantine's components. */
export const withMantine = <Component extends ComponentType<never>>(Component: Component) =>
  withProvider(Component, theme);

/** Three items: a menu whose button leaves the window becomes no lower. */
const minMenuHeightPx = 132;

/** A menu scrolls if the window is too low for it. */
const menuMiddlewares: NonNullable<PopoverProps['middlewares']> = {
  size: {
    padding: 8,
    apply: ({ availableHeight, elements }) => {
      const maxHeight = `${Math.max(availableHeight, minMenuHeightPx)}px`;
      Object.assign(elements.floating.style, { maxHeight, overflowY: 'auto' });
    },
  },
};

const fieldProps = { size: 'md', errorProps: { role: 'alert' } };

const theme = {
  ...baseTheme,
  components: {
    Input: { classNames: { wrapper: fields.field, input: fields.input } },
    InputWrapper: { classNames: { label: fields.label, description: fields.hint, error: fields.error } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'lg',
        offset: 6,
        transitionProps: { duration: 120 },
        middlewares: menuMiddlewares,
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
    NumberInput: { defaultProps: fieldProps },
    Popover: { defaultProps: { shadow: 'md', radius: 'lg', transitionProps: { duration: 120 } } },
    Textarea: { defaultProps: fieldProps },
    TextInput: { defaultProps: fieldProps },
  },
};
