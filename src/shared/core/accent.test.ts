import { expect, test } from 'vitest';
import { colorThemes, deriveAccent, neutralColors } from './accent.ts';
import { fromOklch, getContrast, type HexColor, toOklch } from './colors.ts';

/** 512 colors: eight values of red, green and blue each. */
const values = [0, 36, 73, 109, 146, 182, 219, 255];
const colors = values.flatMap((red) =>
  values.flatMap((green) => values.map((blue): HexColor => toHex([red, green, blue]))),
);

test.each(colorThemes)('has enough contrast in the %s theme for every color that admins choose', (theme) => {
  const { paper, raised, sunken, ink } = neutralColors[theme];
  const failures = colors.flatMap((color) => {
    const derived = deriveAccent(color, theme);
    const { accent, 'accent-wash': wash, 'accent-fill': fill, 'on-accent': onFill } = derived;
    const charts = (['low', 'some', 'more', 'most'] as const).map((each) => derived[`chart-${each}`]);
    const pairs: [number, HexColor, HexColor[]][] = [
      [4.5, accent, [paper, raised, sunken, wash]],
      [4.5, derived['accent-strong'], [paper, raised, sunken, wash]],
      [4.5, onFill, [fill, derived['accent-fill-strong']]],
      [4.5, ink, [wash]],
      [3, fill, [paper, raised, sunken]],
      ...charts.map((chart): [number, HexColor, HexColor[]] => [3, chart, [paper]]),
    ];
    return pairs.flatMap(([least, one, others]) =>
      others.filter((other) => !(getContrast(one, other) >= least)).map((other) => ({ color, one, other })),
    );
  });
  expect(failures).toEqual([]);
});

test('keeps a color that is legible, and otherwise changes only its lightness', () => {
  expect(deriveAccent('#0f5f5c', 'light')).toMatchObject({ accent: '#0f5f5c', 'accent-fill': '#0f5f5c' });
  expect(deriveAccent('#fff59d', 'dark')).toMatchObject({ accent: '#fff59d', 'accent-fill': '#fff59d' });
  const yellow = toOklch('#ffd500');
  const darker = toOklch(deriveAccent('#ffd500', 'light').accent);
  expect(darker.lightness).toBeLessThan(yellow.lightness - 0.2);
  expect(darker.hue).toBeCloseTo(yellow.hue, 1);
});

test('converts colors to Oklch and back without a change', () => {
  expect(colors.filter((color) => fromOklch(toOklch(color)) !== color)).toEqual([]);
  expect(getContrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
});

function toHex(channels: readonly number[]): HexColor {
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
