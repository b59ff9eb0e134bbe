import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';

export function ThemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = current === 'dark' ? 'light' : 'dark';
  const label = `Switch to ${other} theme`;
  return (
    <ActionIcon size={44} aria-label={label} title={label} onClick={() => setColorScheme(other)}>
      {current === 'dark' ? <IconSun size={20} stroke={1.6} /> : <IconMoon size={20} stroke={1.6} />}
    </ActionIcon>
  );
}
