import type { Logger } from 'pino';
import {
  pageStyleId,
  positionAttribute,
  renderedAtAttribute,
  responseAttribute,
} from '#shared/core/protocol.ts';
import { buildSiteStyle, type SiteLook } from '#shared/core/site-style.ts';
import type { Language } from '#shared/core/languages.ts';
import { escapeMarkup, escapeScript } from './core/markup.ts';
import { extractStyles } from './core/page-styles.ts';
import { hashInlineCode, type InlineCode } from './core/security-headers.ts';
import { openWebBuild, type WebBuild } from './core/web-build.ts';
import {
  addIcon,
  colorToolbar,
  nameApplication,
  nameLanguage,
  renderStyle,
  setLanguage,
} from './site-files.ts';
import type { PageResponse } from './page-addresses.ts';
import type { PagePreloads } from './page-preloads.ts';

/** A response of the API that a page needs first. */
export type PreloadedResponse = PageResponse & { position: string | null; cookies: string[] };

/** A page that is requested, with the responses to its `preloads`. */
export type RequestedPage = {
  language: Language;
  /** The setting `language`. */
  siteLanguage: Language;
  /** The scheme and host of the site. */
  origin: string;
  siteName: string;
  look: SiteLook & { icon: string };
  /** The title and what search engines and link previews read. */
  head: string;
  preloads: PagePreloads;
  responses: readonly PreloadedResponse[];
};

/**
 * `inlineCode`: what the content security policy of the response must allow (`allowInlineCode`). `isComplete`: false if
 * the content is missing, because it failed or too many pages waited; the next request may get it.
 */
export type RenderedPage = { html: string; inlineCode: InlineCode; isComplete: boolean };

export type HtmlDeps = {
  /** The directory of the web build. */
  directory: string;
  log: Logger;
};

export type HtmlRenderer = {
  /**
   * Makes the HTML of a page: its content as the web app renders it, the styles of its first paint, its scripts, and
   * the API responses that the scripts would request first.
   */
  render: (page: RequestedPage) => Promise<RenderedPage>;
};

export function createHtmlRenderer(deps: HtmlDeps): HtmlRenderer {
  const openBuild = openWebBuild(deps.directory);
  return { render };

  async function render(page: RequestedPage): Promise<RenderedPage> {
    const build = await openBuild();
    const { language } = page;
    // The browser requests what failed itself and shows the error.
    const responses = page.responses.filter(({ status }) => status === 200);
    const time = Date.now();
    const isRendered = canRender(build, page, responses);
    const content = isRendered ? await renderContent(build, { ...page, responses }, deps, time) : null;
    const { html, css: elementCss } = extractStyles(content ?? '');
    const { css, headTags, scriptTags } = build.getPageFiles({
      programs: [page.preloads.layout, page.preloads.module],
      language: language === 'en' ? undefined : language,
    });
    const siteStyle = buildSiteStyle(page.look);
    const styles = `<style>${css}</style>${renderStyle(siteStyle)}<style id="${pageStyleId}">${elementCss}</style>`;
    const root =
      content === null ? '<div id="root">' : `<div id="root" ${renderedAtAttribute}="${time}">${html}`;
    const text = addIcon(
      colorToolbar(
        nameLanguage(nameApplication(setLanguage(build.shell, language), page.siteName), page.siteLanguage),
        page.look.accentColor,
      ),
      page.look.icon,
    )
      .replace(/<title>[^<]*<\/title>/u, () => page.head)
      .replace('</head>', () => `<script>${build.themeScript}</script>${styles}${headTags}</head>`)
      .replace('<div id="root">', () => root)
      .replace('</body>', () => `${scriptTags}${responses.map(renderPreload).join('')}</body>`);
    const sheets = [css, elementCss, ...(siteStyle === '' ? [] : [siteStyle])];
    const inlineCode = hashInlineCode({ scripts: [build.themeScript], styles: sheets });
    return { html: text, inlineCode, isComplete: content !== null || !isRendered };
  }
}

/**
 * The length of all responses up to which a page is rendered, in UTF-16 code units. A rendering takes some 1.5 ms per
 * 1,000 of them, and other pages of the node wait for it.
 */
const maxRenderedLength = 400_000;

/** Whether the server renders the content of this page. Otherwise the browser does. */
function canRender(
  { renderPage }: WebBuild,
  { preloads }: RequestedPage,
  responses: readonly PreloadedResponse[],
): boolean {
  const isWhole = responses.length === preloads.requests.length;
  const length = responses.reduce((sum, { body }) => sum + body.length, 0);
  return renderPage !== null && preloads.isRendered && isWhole && length <= maxRenderedLength;
}

/** The content of `#root`; null if it failed or too many pages wait, and the browser renders it. */
async function renderContent(
  { renderPage }: WebBuild,
  { origin, language, preloads, responses }: RequestedPage,
  { log }: HtmlDeps,
  time: number,
): Promise<string | null> {
  if (renderPage === null) return null;
  const { path } = preloads;
  try {
    return await renderPage({
      origin,
      path,
      language,
      time,
      responses: new Map(responses.map((response) => [response.url, response.body])),
    });
  } catch (error) {
    log.error({ err: error, path }, 'A page could not be rendered on the server. The browser renders it.');
    return null;
  }
}

function renderPreload({ url, position, body }: PreloadedResponse): string {
  const positionAttributeText = position === null ? '' : ` ${positionAttribute}="${escapeMarkup(position)}"`;
  return `<script type="application/json" ${responseAttribute}="${escapeMarkup(url)}"${positionAttributeText}>${escapeScript(body)}</script>`;
}
