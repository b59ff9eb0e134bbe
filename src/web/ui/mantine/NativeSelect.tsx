import { NativeSelect as MantineNativeSelect } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const NativeSelect = withMantine(MantineNativeSelect);
