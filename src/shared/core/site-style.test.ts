import { expect, test } from 'vitest';
import { settingCatalogue } from './setting-catalogue.ts';
import { settingSchema } from './settings/setting-schema.ts';
import { buildSiteStyle } from './site-style.ts';

const accepts = (line: string) => settingSchema(settingCatalogue.cssVariables).safeParse([line]).success;

const accepted = [
  '--radius: 0px',
  '--radius-large:24px',
  '--column: 36rem',
  '--measure: 80ch',
  "--sans: 'Noto Sans', system-ui, sans-serif",
  '--serif: Georgia, serif',
  '--mono: monospace',
];

test('CSS variables replace those of the theme that the list has', () => {
  expect(accepted.filter((line) => !accepts(line))).toEqual([]);
  expect(buildSiteStyle({ accentColor: '', cssVariables: ['--radius: 0px', '--serif: Georgia'] })).toBe(
    ':root{--radius: 0px;--serif: Georgia}',
  );
  expect(buildSiteStyle({ accentColor: '', cssVariables: [] })).toBe('');
});

test('CSS variables are refused outside the list, and with values that load, end a rule or cannot be read', () => {
  const refused = [
    '--paper: #ffffff',
    '--accent: #ffffff',
    '--radius: 25px',
    '--radius: 2em',
    '--radius: 2px;color:red',
    '--column: 10rem',
    '--measure: 200ch',
    '--sans: url(https://example.org/x)',
    '--sans: Arial;}body{display:none',
    '--sans: </style><script>',
    '--sans: "Arial"',
    '--sans: var(--mono)',
    "--sans: 'Arial",
    '--radius: 2px\n--radius: 3px',
    'radius: 2px',
    'color: red',
  ];
  expect(refused.filter((line) => accepts(line))).toEqual([]);
});
