import { fromOklch, getContrast, type HexColor, toOklch } from './colors.ts';

export const colorThemes = ['light', 'dark'] as const;
export type ColorTheme = (typeof colorThemes)[number];

/** The colors that an accent is shown on or beside, as in src/web/app/theme.css. */
export const neutralColors = {
  light: { paper: '#fbf9f4', raised: '#fffefb', sunken: '#f3efe6', ink: '#1f1c18' },
  dark: { paper: '#191815', raised: '#24221e', sunken: '#211f1b', ink: '#e6e0d5' },
} as const satisfies Record<ColorTheme, Record<string, HexColor>>;

/** The colors of theme.css that follow the accent color of the site. The charts have them from low to high values. */
export type AccentColors = Record<
  | 'accent'
  | 'accent-strong'
  | 'accent-wash'
  | 'accent-fill'
  | 'accent-fill-strong'
  | 'on-accent'
  | 'chart-low'
  | 'chart-some'
  | 'chart-more'
  | 'chart-most',
  HexColor
>;

/** Text on its background, and borders, icons and fills beside it (WCAG 2.2, 1.4.3 and 1.4.11). */
const leastTextContrast = 4.5;
const leastEdgeContrast = 3;

/** The lightness of the colors that do not depend on that of the accent, as the default colors have it (Oklch). */
const lightnessOf = {
  light: { wash: 0.94, charts: [0.63, 0.54, 0.47, 0.36] },
  dark: { wash: 0.31, charts: [0.52, 0.62, 0.75, 0.88] },
} as const;

/** On buttons of any color one of the two has the contrast of text, or nearly so. */
const textsOnFill: readonly HexColor[] = ['#ffffff', neutralColors.light.ink];

/**
 * Derives the accent colors of a theme from the color that the admins chose. Where that is too light or too dark, its
 * lightness changes as little as text on every background needs; the hue stays.
 */
export function deriveAccent(chosen: HexColor, theme: ColorTheme): AccentColors {
  const color = chosen.toLowerCase() as HexColor;
  const { paper, raised, sunken } = neutralColors[theme];
  const { chroma, hue } = toOklch(color);
  const { wash, charts } = lightnessOf[theme];
  const accentWash = fromOklch({ lightness: wash, chroma: Math.min(chroma, 0.03), hue });
  const away = theme === 'light' ? -1 : 1;
  const grounds = [paper, raised, sunken, accentWash];
  const accent = changeLightness(color, away, isLegible(grounds));
  const { fill, text } = deriveFill(color, away, [paper, raised, sunken]);
  const [low, some, more, most] = charts.map((lightness) =>
    changeLightness(fromOklch({ lightness, chroma: Math.min(chroma, 0.1), hue }), away, isVisible([paper])),
  ) as [HexColor, HexColor, HexColor, HexColor];
  return {
    accent,
    'accent-strong': changeLightness(shift(accent, away * 0.08), away, isLegible(grounds)),
    'accent-wash': accentWash,
    'accent-fill': fill,
    // Away from the color of the text, so that it stays legible.
    'accent-fill-strong': shift(fill, text === '#ffffff' ? -0.06 : 0.06),
    'on-accent': text,
    'chart-low': low,
    'chart-some': some,
    'chart-more': more,
    'chart-most': most,
  };
}

/** The color of filled buttons, visible beside the page, with the color of the text on it. */
function deriveFill(
  color: HexColor,
  away: 1 | -1,
  grounds: readonly HexColor[],
): { fill: HexColor; text: HexColor } {
  const findText = (fill: HexColor) => textsOnFill.find((text) => isLegible([text])(fill));
  const fill = changeLightness(
    color,
    away,
    (each) => isVisible(grounds)(each) && findText(each) !== undefined,
  );
  return { fill, text: findText(fill) ?? '#ffffff' };
}

const isLegible = (grounds: readonly HexColor[]) => hasContrast(leastTextContrast, grounds);
const isVisible = (grounds: readonly HexColor[]) => hasContrast(leastEdgeContrast, grounds);
const hasContrast = (least: number, grounds: readonly HexColor[]) => (color: HexColor) =>
  grounds.every((ground) => getContrast(color, ground) >= least);

/** Makes a color darker (-1) or lighter (1) until it is suitable. Black or white is the last one. */
function changeLightness(
  color: HexColor,
  towards: 1 | -1,
  isSuitable: (color: HexColor) => boolean,
): HexColor {
  if (isSuitable(color)) return color;
  const { lightness, chroma, hue } = toOklch(color);
  const step = 0.005;
  const steps = Math.ceil((towards === 1 ? 1 - lightness : lightness) / step);
  for (let count = 1; count <= steps; count++) {
    const next = fromOklch({ lightness: lightness + towards * step * count, chroma, hue });
    if (isSuitable(next)) return next;
  }
  return towards === 1 ? '#ffffff' : '#000000';
}

function shift(color: HexColor, by: number): HexColor {
  const { lightness, chroma, hue } = toOklch(color);
  return fromOklch({ lightness: Math.min(1, Math.max(0, lightness + by)), chroma, hue });
}
