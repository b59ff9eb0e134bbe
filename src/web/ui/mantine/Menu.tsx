import { Menu as MantineMenu } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const Menu = withMantine(MantineMenu);
