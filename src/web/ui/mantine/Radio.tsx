import { Radio as MantineRadio } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const Radio = withMantine(MantineRadio);
export const RadioGroup = withMantine(MantineRadio.Group);
