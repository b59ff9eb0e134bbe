import { colorThemes, type ColorTheme, deriveAccent, neutralColors } from './accent.ts';
import type { HexColor } from './colors.ts';
import type { SettingValues } from './setting-catalogue.ts';

/** The settings that change the look of the pages. */
export type SiteLook = Pick<SettingValues, 'accentColor' | 'cssVariables'>;

/**
 * The style sheet that replaces variables of src/web/app/theme.css with those of the site; empty if the site has the
 * default look. It follows theme.css in the page, and its values contain nothing that could end a rule or an element
 * (setting-catalogue.ts).
 */
export function buildSiteStyle({ accentColor, cssVariables }: SiteLook): string {
  const variables = cssVariables.length === 0 ? '' : `:root{${cssVariables.join(';')}}`;
  return (isColor(accentColor) ? buildAccentRules(accentColor) : '') + variables;
}

function buildAccentRules(accentColor: HexColor): string {
  const [light, dark] = colorThemes.map((theme) => {
    const colors = { ...deriveAccent(accentColor, theme), toolbar: getToolbarColor(accentColor, theme) };
    return Object.entries(colors)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';');
  });
  return `:root{${light}}@media screen{:root[data-mantine-color-scheme='dark']{${dark}}}`;
}

/** The color of the browser's toolbar and of the title bar of the installed app. */
export function getToolbarColor(accentColor: string, theme: ColorTheme): HexColor {
  return isColor(accentColor) ? deriveAccent(accentColor, theme)['accent-fill'] : neutralColors[theme].paper;
}

/** The accent of the light theme in src/web/app/theme.css, on which texts are white. */
export const defaultAccent = '#0f5f5c';

/** The colors of buttons on a light background, where there is no style sheet: emails and preview pictures. */
export function getButtonColors(accentColor: string): { 'accent-fill': HexColor; 'on-accent': HexColor } {
  return isColor(accentColor)
    ? deriveAccent(accentColor, 'light')
    : { 'accent-fill': defaultAccent, 'on-accent': '#ffffff' };
}

/** False for the empty text, which stands for the default color. */
export const isColor = (text: string): text is HexColor => /^#[\da-f]{6}$/iu.test(text);
