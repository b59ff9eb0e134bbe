import { Progress as MantineProgress } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const Progress: typeof MantineProgress = withMantine(MantineProgress);
