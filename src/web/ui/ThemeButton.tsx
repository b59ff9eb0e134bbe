import { t } from '@lingui/core/macro';
import { IconButton } from './Button.tsx';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useEffect } from 'react';
import { setColorScheme, useColorScheme } from '#web/core/color-scheme.ts';
import { afterPaint } from '#web/core/timing.ts';

export function ThemeButton() {
  const current = useColorScheme();
  const other = current === 'dark' ? 'light' : 'dark';
  useEffect(updateThemeColor, [current]);
  const label = other === 'dark' ? t`Switch to dark theme` : t`Switch to light theme`;
  return (
    <IconButton size={44} aria-label={label} title={label} onClick={() => setColorScheme(other)}>
      {current === 'dark' ? <IconSun size={20} stroke={1.6} /> : <IconMoon size={20} stroke={1.6} />}
    </IconButton>
  );
}

/** Sets the color of the browser's toolbar. */
function updateThemeColor() {
  return afterPaint(() => {
    const color = getComputedStyle(document.documentElement).getPropertyValue('--toolbar').trim();
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', color);
  });
}
