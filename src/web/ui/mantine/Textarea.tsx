import { Textarea as MantineTextarea } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const Textarea = withMantine(MantineTextarea);
