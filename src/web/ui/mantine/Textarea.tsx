import { Textarea as MantineTextarea } from '@mantine/core';
import { withFieldDirection } from './with-field-direction.tsx';
import { withMantine } from './with-mantine.tsx';

export const Textarea = withMantine(withFieldDirection(MantineTextarea));
