import { TextInput as MantineTextInput } from '@mantine/core';
import { withFieldDirection } from './with-field-direction.tsx';
import { withMantine } from './with-mantine.tsx';

export const TextInput = withMantine(withFieldDirection(MantineTextInput));
