import type { Language } from '#shared/core/languages.ts';

/** What an admin chooses for the widget of other sites (docs/widget.md). */
export type WidgetChoice = {
  subject: 'tag' | 'related';
  tag: string;
  count: string;
  /** 'page': the colors of the page around the widget. */
  theme: 'page' | 'light' | 'dark';
  /** 'site': the language of the community. */
  language: Language | 'site';
};

/** The path of the script, with the language unless it is that of the community. */
export const getWidgetScriptPath = ({ language }: Pick<WidgetChoice, 'language'>): string =>
  language === 'site' ? '/widget.js' : `/widget.js?language=${language}`;

/** The data attributes of the script element. Those with the usual value are left out. */
export function getWidgetAttributes({ subject, tag, count, theme }: WidgetChoice): Record<string, string> {
  return {
    ...(subject === 'tag' ? { tag: tag.trim() } : { related: '' }),
    ...(count !== usualCount && { count }),
    ...(theme !== 'page' && { theme }),
  };
}

/** The number of questions of a widget that names none. */
export const usualCount = '5';

/** The HTML that an admin pastes into another site. */
export function buildWidgetSnippet(origin: string, choice: WidgetChoice): string {
  const attributes = [
    format('src', origin + getWidgetScriptPath(choice)),
    ...Object.entries(getWidgetAttributes(choice)).map(([name, value]) => format(`data-${name}`, value)),
    'async',
  ];
  return `<script ${attributes.join(' ')}></script>`;
}

const format = (name: string, value: string) => (value === '' ? name : `${name}="${escapeAttribute(value)}"`);

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
