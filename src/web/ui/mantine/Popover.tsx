import { Popover as MantinePopover } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const Popover = withMantine(MantinePopover);
