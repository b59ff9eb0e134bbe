import { languageNames } from '#shared/core/languages.ts';
import type { SettingDefinition } from './setting-definition.ts';

/** The name, the appearance and the pages of the community. */
export const siteDefinitions = {
  siteName: {
    category: 'general',
    type: 'text',
    default: 'Parley',
    min: 1,
    max: 40,
    label: 'Name',
    description: 'The name of the community, in page titles, emails and previews of links.',
  },
  siteDescription: {
    category: 'general',
    type: 'text',
    default: '',
    max: 200,
    label: 'Purpose',
    description: 'One sentence about the community, for visitors, search engines and previews of links.',
  },
  language: {
    category: 'general',
    type: 'choice',
    default: 'en',
    options: languageNames,
    label: 'Language of the community',
    description:
      'The language of pages and emails for people who have not chosen one and whose browser has no language of the interface.',
  },
  logo: {
    category: 'appearance',
    type: 'picture',
    default: '',
    label: 'Logo',
    description: 'In the top bar beside the name, up to 28 pixels high. Without a logo: two speech bubbles.',
  },
  icon: {
    category: 'appearance',
    type: 'picture',
    default: '',
    label: 'Icon',
    description:
      'In tabs of the browser, in bookmarks and for the installed app. A square of at least 512 pixels is best; of other pictures, the middle is used.',
  },
  accentColor: {
    category: 'appearance',
    type: 'text',
    default: '',
    max: 7,
    format: 'colour',
    label: 'Accent colour',
    description:
      'The colour of links and buttons, in pages, emails and the installed app. It is made darker or lighter in each theme where text needs more contrast. Empty: the default colour.',
  },
  cssVariables: {
    category: 'appearance',
    type: 'list',
    default: [],
    maxItems: 20,
    max: 200,
    format: 'cssVariable',
    label: 'CSS variables',
    description:
      'One in each line: --radius and --radius-large (corners, 0px to 24px), --column (width of the text column, 36rem to 60rem), --measure (longest line, 50ch to 80ch), --sans, --serif and --mono (fonts of the device, such as Georgia, serif).',
  },
  welcomeText: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 2_000,
    label: 'Welcome text',
    description: 'For visitors, on the home page and the sign-in page. Markdown.',
  },
  aboutPage: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 30_000,
    label: 'Page “About”',
    description: 'The page /about, for everyone. Markdown. Empty: no page.',
  },
  rulesPage: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 30_000,
    label: 'Page “Rules”',
    description:
      'The page /rules, for everyone, with a link where people register and ask. Markdown. Empty: no page.',
  },
  privacyPage: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 30_000,
    label: 'Page “Privacy”',
    description: 'The page /privacy, for everyone. Markdown. Empty: no page.',
  },
  footerLinks: {
    category: 'pages',
    type: 'list',
    default: [],
    maxItems: 10,
    max: 300,
    format: 'link',
    label: 'Footer links',
    description: 'Further links beside those to the pages, one in each line: label | address.',
  },
} as const satisfies Record<string, SettingDefinition>;
