import { TextInput as MantineTextInput } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const TextInput = withMantine(MantineTextInput);
