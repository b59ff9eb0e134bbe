import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'hono';
import { neutralColors } from '#shared/core/accent.ts';
import type { Language } from '#shared/core/languages.ts';
import { siteStyleId } from '#shared/core/protocol.ts';
import { getTextDirection } from '#shared/core/text.ts';
import { escapeMarkup } from './core/markup.ts';
import { getSitePicturePath, iconFiles } from '#shared/core/site-pictures.ts';
import { buildSiteStyle, getToolbarColor, isColor } from '#shared/core/site-style.ts';
import type { SiteSettings } from './core/site-settings.ts';
import { allowInlineCode, hashInlineCode } from './core/security-headers.ts';
import { translate } from './notifications/index.ts';

/** Serves the files of the web build that have the name of the site in them. Browsers ask for them at every visit. */
export function createSiteFiles(directory: string, { get }: Pick<SiteSettings, 'get'>) {
  const read = (name: string) => readFile(path.join(directory, name), 'utf8');
  return { sendManifest, sendShell };

  /** The web app manifest: name and description of the installed app. */
  async function sendManifest(c: Context): Promise<Response> {
    const manifest = JSON.parse(await read('manifest.webmanifest')) as { description?: string };
    const name = get('siteName');
    const description = get('siteDescription') || manifest.description;
    const colors = getManifestColors(get('accentColor'));
    const icons = getManifestIcons(get('icon'));
    return c.body(
      JSON.stringify({ ...manifest, name, short_name: name, description, ...colors, ...icons }),
      200,
      {
        'content-type': 'application/manifest+json',
        'cache-control': 'no-cache',
      },
    );
  }

  /** The page without content, for visitors and for the service worker. */
  async function sendShell(c: Context): Promise<Response> {
    const accentColor = get('accentColor');
    const style = buildSiteStyle({ accentColor, cssVariables: get('cssVariables') });
    const language = get('language');
    const named = nameLanguage(nameSite(await read('index.html'), get('siteName')), language);
    const shell = colorToolbar(setLanguage(named, language), accentColor);
    if (style !== '') allowInlineCode(c, hashInlineCode({ scripts: [], styles: [style] }));
    return c.html(addStyle(addIcon(shell, get('icon')), style), 200, { 'cache-control': 'no-cache' });
  }
}

/** Replaces the name in the title of index.html, and where the web app reads it before it knows the session. */
function nameSite(html: string, siteName: string): string {
  const name = escapeMarkup(siteName);
  return nameApplication(html, siteName).replace(/<title>[^<]*<\/title>/u, () => `<title>${name}</title>`);
}

/** The colors of the title bar of the installed app; none for those of the build. */
function getManifestColors(accentColor: string) {
  if (!isColor(accentColor)) return {};
  const dark = {
    theme_color: getToolbarColor(accentColor, 'dark'),
    background_color: neutralColors.dark.paper,
  };
  return {
    theme_color: getToolbarColor(accentColor, 'light'),
    user_preferences: { color_scheme: { dark } },
  };
}

/** Adds the style sheet of the site (shared/core/site-style.ts) after all others. */
const addStyle = (html: string, style: string) =>
  html.replace('</head>', () => `${renderStyle(style)}</head>`);

/** The element with the style sheet of the site. Its content needs no escaping. */
export const renderStyle = (style: string) =>
  style === '' ? '' : `<style id="${siteStyleId}">${style}</style>`;

/** Replaces the icons of the build. */
export function addIcon(html: string, icon: string): string {
  if (icon === '') return html;
  const favicon = `<link rel="icon" href="${getSitePicturePath(icon, 'favicon.png')}" type="image/png">`;
  const touch = `<link rel="apple-touch-icon" href="${getSitePicturePath(icon, 'apple-touch-icon.png')}">`;
  return html
    .replace(/<link rel="icon"[^>]*>/u, favicon)
    .replace(/<link rel="apple-touch-icon"[^>]*>/u, touch);
}

/** The icons of the installed app; none for those of the build. */
function getManifestIcons(icon: string) {
  if (icon === '') return {};
  const icons = iconFiles
    .filter(({ file }) => /^(?:icon|maskable)-/u.test(file))
    .map(({ file, width, isMaskable }) => ({
      src: getSitePicturePath(icon, file),
      sizes: `${width}x${width}`,
      type: 'image/png',
      purpose: isMaskable ? 'maskable' : 'any',
    }));
  return { icons };
}

/** Sets the colors of the browser's toolbar in both themes, of which public/theme.js takes one. */
export function colorToolbar(html: string, accentColor: string): string {
  if (!isColor(accentColor)) return html;
  const [light, dark] = [getToolbarColor(accentColor, 'light'), getToolbarColor(accentColor, 'dark')];
  return html.replace(
    /<meta name="theme-color"[^>]*>/u,
    `<meta name="theme-color" content="${light}" data-light="${light}" data-dark="${dark}">`,
  );
}

/** Sets the language in `<meta name="site-language">`, for browsers that have no language of the interface. */
export function nameLanguage(html: string, language: Language): string {
  return html.replace(/(<meta name="site-language" content=")[^"]*/u, `$1${language}`);
}

/** Sets the language of the page, and its text for browsers without scripts. */
export function setLanguage(html: string, language: Language): string {
  return html
    .replace(/<html lang="[^"]*"/u, `<html lang="${language}" dir="${getTextDirection(language)}"`)
    .replace(
      /(<noscript>)[^<]*/u,
      (_, tag: string) => tag + escapeMarkup(translate(language, 'page.noscript')),
    );
}

/** Replaces the name in `<meta name="application-name">`. */
export function nameApplication(html: string, siteName: string): string {
  return html.replace(
    /(<meta name="application-name" content=")[^"]*/u,
    (_, tag: string) => tag + escapeMarkup(siteName),
  );
}
