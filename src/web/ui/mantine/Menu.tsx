import { Menu as MantineMenu } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const Menu = withMantine(MantineMenu);

/** Renders the menus of a page in its main landmark, where screen readers announce what belongs to the page. */
export const menuPortal = { target: '#main' };
