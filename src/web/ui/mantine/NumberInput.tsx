import { NumberInput as MantineNumberInput } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const NumberInput = withMantine(MantineNumberInput);
