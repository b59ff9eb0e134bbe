import { expect, test } from 'vitest';
import { colorThemes, deriveAccent, neutralColors } from '#shared/core/accent.ts';
import { getContrast as contrast, type HexColor } from '#shared/core/colors.ts';
import css from './theme.css?raw';

const ofLight = tokens(
  css.slice(css.indexOf(':root {'), css.indexOf(":root[data-mantine-color-scheme='dark']")),
);
const ofDark = tokens(
  css.slice(css.indexOf(":root[data-mantine-color-scheme='dark']"), css.indexOf('@media print')),
);

/** Text on its backgrounds: 4.5:1 (WCAG 2.2, 1.4.3). */
const texts = {
  ink: ['paper', 'raised', 'sunken'],
  'ink-soft': ['paper', 'raised', 'sunken'],
  'ink-faint': ['paper', 'raised', 'sunken'],
  accent: ['paper', 'raised', 'sunken', 'accent-wash'],
  'accent-strong': ['paper', 'accent-wash'],
  'on-accent': ['accent-fill', 'accent-fill-strong'],
  amber: ['paper', 'raised', 'amber-wash'],
  danger: ['paper', 'raised', 'danger-wash'],
  'on-danger': ['danger', 'danger-strong'],
  medium: ['paper'],
  strong: ['paper', 'amber-wash'],
};
/** Borders of fields, focus rings and icons: 3:1 (WCAG 2.2, 1.4.11). */
const edges = {
  'line-strong': ['paper', 'raised'],
  accent: ['paper', 'raised', 'sunken'],
  'chart-low': ['paper'],
  'chart-some': ['paper'],
  'chart-more': ['paper'],
  'chart-most': ['paper'],
};

test.each([
  ['light', ofLight],
  ['dark', { ...ofLight, ...ofDark }],
])('gives all text of the %s theme enough contrast on every background', (_, theme) => {
  expect(pairsBelow(4.5, texts, theme)).toEqual([]);
  expect(pairsBelow(3, edges, theme)).toEqual([]);
});

test('knows the colors beside the accent that the settings compute with, and replaces only existing colors', () => {
  expect(ofLight).toMatchObject(neutralColors.light);
  expect(ofDark).toMatchObject(neutralColors.dark);
  for (const theme of colorThemes)
    expect(Object.keys({ ...ofLight, ...deriveAccent('#aa3300', theme) }).toSorted()).toEqual(
      Object.keys(ofLight).toSorted(),
    );
});

test('has the variables that admins may set', () => {
  for (const name of ['radius', 'radius-large', 'column', 'measure', 'sans', 'serif', 'mono'])
    expect(css).toContain(`  --${name}: `);
});

test('uses neither pure black nor pure white in the dark theme', () => {
  expect(ofDark['paper']).not.toBe('#000000');
  expect(ofDark['ink']).not.toBe('#ffffff');
});

function pairsBelow(
  least: number,
  pairs: Record<string, string[]>,
  theme: Record<string, HexColor>,
): string[] {
  return Object.entries(pairs).flatMap(([text, grounds]) =>
    grounds
      .map((ground) => ({ ground, ratio: contrast(theme[text] ?? '#', theme[ground] ?? '#') }))
      .filter(({ ratio }) => !(ratio >= least))
      .map(({ ground, ratio }) => `${text} on ${ground}: ${ratio.toFixed(2)}`),
  );
}

function tokens(block: string): Record<string, HexColor> {
  return Object.fromEntries(
    [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/gu)].map(([, name = '', value = '']) => [
      name,
      value as HexColor,
    ]),
  );
}
