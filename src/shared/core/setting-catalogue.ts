import { z } from 'zod';
import { withCode } from './coded-error.ts';
import { cssVariablePattern } from './css-variables.ts';
import { languageNames } from './languages.ts';
import { sitePicturePattern } from './site-pictures.ts';
import { countCodePoints, hasControlCharacters, hasForbiddenCharacters } from './text.ts';

/** The groups in which the admin page and docs/settings.md show the settings. */
export const settingCategoryNames = [
  'general',
  'appearance',
  'pages',
  'access',
  'posts',
  'moderation',
] as const;
export type SettingCategory = (typeof settingCategoryNames)[number];

type Common = {
  category: SettingCategory;
  label: string;
  description: string;
  /** The first version with the setting. */
  since: string;
};

export type SettingDefinition = Common &
  (
    | { type: 'boolean'; default: boolean }
    | { type: 'integer'; default: number; min: number; max: number }
    /** One line. Lengths in characters; an empty text needs no format. */
    | { type: 'text'; default: string; min?: number; max: number; format?: keyof typeof textFormats }
    /** Several lines of Markdown. */
    | { type: 'markdown'; default: string; max: number }
    /** A picture that was uploaded (site-pictures.ts); empty: none. */
    | { type: 'picture'; default: '' }
    | { type: 'choice'; default: string; options: Readonly<Record<string, string>> }
    /** Lines of text. */
    | {
        type: 'list';
        default: readonly string[];
        maxItems: number;
        max: number;
        format?: keyof typeof textFormats;
      }
  );

/** Formats of texts, with the code of the error for other texts. */
const textFormats = {
  colour: { pattern: /^#[\da-f]{6}$/iu, code: 'setting-not-colour', words: 'a colour such as #0f766e' },
  cssVariable: {
    pattern: cssVariablePattern,
    code: 'setting-not-css-variable',
    words: 'a variable and its value, such as --radius: 12px',
  },
  domain: {
    pattern: /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/u,
    code: 'setting-not-domain',
    words: 'a domain such as example.org',
  },
  link: {
    pattern: /^[^|]{1,60}\|\s*(?:https?:\/\/\S+|mailto:\S+|\/\S*)$/u,
    code: 'setting-not-link',
    words: 'a label and an address, such as Status | https://status.example.org',
  },
  signUpQuestion: {
    // Read by parseSignUpQuestions (shared/identity/sign-up-questions.ts).
    pattern: /^[^|]{1,200}(?:\|\s*(?:required|optional)\s*)?(?:\|\s*(?:[1-9]\d{0,2}|1\d{3}|2000)\s*)?$/u,
    code: 'setting-not-sign-up-question',
    words: 'a question, such as Why do you want to join? | required | 500',
  },
} as const;

/**
 * All site settings that admins change while Parley runs (docs/decisions/054, 064). The admin page, the API, `parley
 * settings`, docs/settings.md and validation are made from this catalogue.
 */
export const settingCatalogue = {
  siteName: {
    category: 'general',
    type: 'text',
    default: 'Parley',
    min: 1,
    max: 40,
    label: 'Name',
    description: 'The name of the community, in page titles, emails and previews of links.',
    since: '1.0',
  },
  siteDescription: {
    category: 'general',
    type: 'text',
    default: '',
    max: 200,
    label: 'Purpose',
    description: 'One sentence about the community, for visitors, search engines and previews of links.',
    since: '1.0',
  },
  language: {
    category: 'general',
    type: 'choice',
    default: 'en',
    options: languageNames,
    label: 'Language of the community',
    description:
      'The language of pages and emails for people who have not chosen one and whose browser has no language of the interface.',
    since: '1.0',
  },
  logo: {
    category: 'appearance',
    type: 'picture',
    default: '',
    label: 'Logo',
    description: 'In the top bar beside the name, up to 28 pixels high. Without a logo: two speech bubbles.',
    since: '1.0',
  },
  icon: {
    category: 'appearance',
    type: 'picture',
    default: '',
    label: 'Icon',
    description:
      'In tabs of the browser, in bookmarks and for the installed app. A square of at least 512 pixels is best; of other pictures, the middle is used.',
    since: '1.0',
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
    since: '1.0',
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
    since: '1.0',
  },
  welcomeText: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 2_000,
    label: 'Welcome text',
    description: 'For visitors, on the home page and the sign-in page. Markdown.',
    since: '1.0',
  },
  aboutPage: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 30_000,
    label: 'Page “About”',
    description: 'The page /about, for everyone. Markdown. Empty: no page.',
    since: '1.0',
  },
  rulesPage: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 30_000,
    label: 'Page “Rules”',
    description:
      'The page /rules, for everyone, with a link where people register and ask. Markdown. Empty: no page.',
    since: '1.0',
  },
  privacyPage: {
    category: 'pages',
    type: 'markdown',
    default: '',
    max: 30_000,
    label: 'Page “Privacy”',
    description: 'The page /privacy, for everyone. Markdown. Empty: no page.',
    since: '1.0',
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
    since: '1.0',
  },
  joining: {
    category: 'access',
    type: 'choice',
    default: 'open',
    options: {
      open: 'Anyone',
      approval: 'People whom a moderator approves',
      invitation: 'People with an invitation',
      closed: 'Nobody',
    },
    label: 'Who may join',
    description:
      'Who may register. Members who have joined are not affected. Accounts that need approval wait in a queue of the moderators; people with an invitation do not wait.',
    since: '1.0',
  },
  signUpQuestions: {
    category: 'access',
    type: 'list',
    default: [],
    maxItems: 5,
    max: 230,
    format: 'signUpQuestion',
    label: 'Questions for people who register',
    description:
      'One in each line: question | required or optional | longest answer in characters. Without the last two: optional, 500 characters. Moderators see the answers.',
    since: '1.0',
  },
  allowedEmailDomains: {
    category: 'access',
    type: 'list',
    default: [],
    maxItems: 500,
    max: 100,
    format: 'domain',
    label: 'Allowed email domains',
    description:
      'Only addresses of these domains and their subdomains can be used for an account. Empty: all. Members who have joined keep theirs.',
    since: '1.0',
  },
  refusedEmailDomains: {
    category: 'access',
    type: 'list',
    default: [],
    maxItems: 500,
    max: 100,
    format: 'domain',
    label: 'Refused email domains',
    description: 'Addresses of these domains and their subdomains cannot be used for an account.',
    since: '1.0',
  },
  passwordSignIn: {
    category: 'access',
    type: 'boolean',
    default: true,
    label: 'Password sign-in',
    description:
      'Members register and sign in with an email address and a password. Without it, only passkeys and sign-in providers remain. The operator can also switch it off, with PASSWORD_SIGN_IN=off.',
    since: '1.0',
  },
  hideSignInReason: {
    category: 'access',
    type: 'boolean',
    default: false,
    label: 'Hide the reason of a failed sign-in',
    description:
      'The error does not say whether the address or the password was wrong, so that it does not reveal who has an account.',
    since: '1.0',
  },
  publicReading: {
    category: 'access',
    type: 'boolean',
    default: false,
    label: 'Public reading',
    description: 'Visitors read questions, topics, profiles and search results without signing in.',
    since: '1.0',
  },
  apiTokens: {
    category: 'access',
    type: 'boolean',
    default: true,
    label: 'Allow API tokens',
    description:
      'Members create tokens with which programs use the API in their name. If it is switched off, existing tokens are refused.',
    since: '1.0',
  },
  signInDays: {
    category: 'access',
    type: 'integer',
    default: 90,
    min: 0,
    max: 365,
    label: 'Days to store sign-ins',
    description:
      'How long time, browser and network address of sign-ins are stored, for moderators who look for several accounts of one person. 0: not at all.',
    since: '1.0',
  },
  formulas: {
    category: 'posts',
    type: 'boolean',
    default: false,
    label: 'Formulas',
    description: 'Posts show formulas: $…$ in a line and $$…$$ as a block, in the notation of LaTeX.',
    since: '1.0',
  },
  tagCreation: {
    category: 'posts',
    type: 'choice',
    default: 'everyone',
    options: {
      everyone: 'Everyone',
      experienced: 'Members with enough reputation',
      moderators: 'Moderators',
    },
    label: 'Who creates topics',
    description: 'Who may use a tag that does not exist yet.',
    since: '1.0',
  },
  tagCreationReputation: {
    category: 'posts',
    type: 'integer',
    default: 50,
    min: 1,
    max: 1_000_000,
    label: 'Reputation for new topics',
    description: 'The reputation from which members create new topics, if that depends on it.',
    since: '1.0',
  },
  tagProposalsPerDay: {
    category: 'posts',
    type: 'integer',
    default: 5,
    min: 0,
    max: 100,
    label: 'Proposed topics a day',
    description:
      'How many new topics a member who may not create them can propose in a day. Moderators decide in the review queue. 0: none.',
    since: '1.0',
  },
  requiredTags: {
    category: 'posts',
    type: 'list',
    default: [],
    maxItems: 20,
    max: 35,
    label: 'Required topics',
    description: 'A new question needs at least one of these tags. Empty: none.',
    since: '1.0',
  },
  editSuggestionsPerDay: {
    category: 'posts',
    type: 'integer',
    default: 20,
    min: 0,
    max: 1_000,
    label: 'Suggested edits a day',
    description: 'How many edits to posts of others a member may suggest in a day. 0: none.',
    since: '1.0',
  },
  editApprovalReputation: {
    category: 'posts',
    type: 'integer',
    default: 1_000,
    min: 1,
    max: 1_000_000,
    label: 'Reputation for approving edits',
    description:
      'The reputation from which members approve or reject suggested edits. The author of the post and moderators always can.',
    since: '1.0',
  },
  directEditing: {
    category: 'posts',
    type: 'choice',
    default: 'nobody',
    options: {
      nobody: 'No one, every edit needs approval',
      moderators: 'Moderators only',
      experienced: 'Moderators and members with enough reputation',
    },
    label: 'Who edits posts of others without approval',
    description:
      'Others suggest edits. The author of the post is notified, and its versions name the editor.',
    since: '1.0',
  },
  directEditReputation: {
    category: 'posts',
    type: 'integer',
    default: 5_000,
    min: 1,
    max: 1_000_000,
    label: 'Reputation for editing without approval',
    description: 'The reputation from which members edit posts of others, if that depends on it.',
    since: '1.0',
  },
  closeVoteReputation: {
    category: 'moderation',
    type: 'integer',
    default: 500,
    min: 1,
    max: 1_000_000,
    label: 'Reputation for closing duplicates',
    description:
      'The reputation from which members vote to close a question as a duplicate, or to reopen it. One vote of a moderator is enough, and the agreement of the author.',
    since: '1.0',
  },
  closeVotesNeeded: {
    category: 'moderation',
    type: 'integer',
    default: 3,
    min: 1,
    max: 20,
    label: 'Votes for closing',
    description: 'How many votes for the same original question close a question, and how many reopen it.',
    since: '1.0',
  },
  closeVoteDays: {
    category: 'moderation',
    type: 'integer',
    default: 14,
    min: 1,
    max: 365,
    label: 'Days for closing',
    description: 'After how many days a vote for closing or reopening no longer counts.',
    since: '1.0',
  },
  moderationReasons: {
    category: 'moderation',
    type: 'list',
    default: [
      'Spam or advertising.',
      'Rude or abusive.',
      'Off topic in this community.',
      'Not an answer to the question.',
      'Copied from another site without naming it.',
      'Personal data of other people.',
    ],
    maxItems: 30,
    max: 500,
    label: 'Reasons of moderators',
    description: 'Reasons that moderators can choose in every dialog that asks for one, and then change.',
    since: '1.0',
  },
  reviewFirstPosts: {
    category: 'moderation',
    type: 'integer',
    default: 0,
    min: 0,
    max: 50,
    label: 'Review of first posts',
    description: 'How many first posts of a member wait in the review queue, visible to everyone. 0: none.',
    since: '1.0',
  },
  reviewLinksOfFirstPosts: {
    category: 'moderation',
    type: 'integer',
    default: 3,
    min: 0,
    max: 50,
    label: 'Review of links',
    description:
      'Of how many first posts of a member those with links to other sites wait in the review queue, visible to everyone. 0: none.',
    since: '1.0',
  },
  spamRulesOfFirstPosts: {
    category: 'moderation',
    type: 'integer',
    default: 10,
    min: 0,
    max: 50,
    label: 'Review by spam rules',
    description:
      'Of how many first posts of a member those that match one of the following rules wait in the review queue, visible to everyone. 0: none.',
    since: '1.0',
  },
  blockedWords: {
    category: 'moderation',
    type: 'list',
    default: [],
    maxItems: 1_000,
    max: 100,
    label: 'Blocked words',
    description: 'Words and phrases, one in each line, in capital or small letters.',
    since: '1.0',
  },
  blockedDomains: {
    category: 'moderation',
    type: 'list',
    default: [],
    maxItems: 1_000,
    max: 100,
    format: 'domain',
    label: 'Blocked domains',
    description: 'Domains that posts must not name, with their subdomains.',
    since: '1.0',
  },
  newMemberLinks: {
    category: 'moderation',
    type: 'integer',
    default: 3,
    min: 0,
    max: 100,
    label: 'Links in a post',
    description: 'A post with more links to other sites matches. 0: no limit.',
    since: '1.0',
  },
  newMemberPosts: {
    category: 'moderation',
    type: 'integer',
    default: 0,
    min: 0,
    max: 49,
    label: 'Posts in a short time',
    description: 'A member’s post after this many others within the following minutes matches. 0: no limit.',
    since: '1.0',
  },
  newMemberPostsMinutes: {
    category: 'moderation',
    type: 'integer',
    default: 10,
    min: 1,
    max: 1_440,
    label: 'Minutes for these posts',
    description: 'The time in which posts count as written in a short time.',
    since: '1.0',
  },
  spamProbability: {
    category: 'moderation',
    type: 'integer',
    default: 0,
    min: 0,
    max: 99,
    label: 'Spam probability',
    description:
      'A post with at least this estimated spam probability, in percent, matches. Parley estimates it once moderators have decided about 20 spam posts and 20 others. 0: no limit.',
    since: '1.0',
  },
  holdForApproval: {
    category: 'moderation',
    type: 'boolean',
    default: false,
    label: 'Hold posts for approval',
    description:
      'New posts that wait in the review queue are shown to others only once a moderator has approved them. Edits are shown at once.',
    since: '1.0',
  },
} as const satisfies Record<string, SettingDefinition>;

type Catalogue = typeof settingCatalogue;
export type SettingName = keyof Catalogue;
export const settingNames = Object.keys(settingCatalogue) as SettingName[];

type ValueOf<Definition> = Definition extends { type: 'boolean' }
  ? boolean
  : Definition extends { type: 'integer' }
    ? number
    : Definition extends { type: 'choice'; options: infer Options }
      ? keyof Options
      : Definition extends { type: 'list' }
        ? readonly string[]
        : string;

export type SettingValues = { [Name in SettingName]: ValueOf<Catalogue[Name]> };
export type SettingValue = boolean | number | string | readonly string[];

export function findSetting(name: string): SettingDefinition | undefined {
  return Object.hasOwn(settingCatalogue, name) ? settingCatalogue[name as SettingName] : undefined;
}

/** Accepts the values that a setting can have, and trims texts. Issues name error codes. */
export function settingSchema(definition: SettingDefinition): z.ZodType<SettingValue> {
  switch (definition.type) {
    case 'boolean':
      return z.boolean(withCode('setting-not-boolean'));
    case 'integer': {
      const { min, max } = definition;
      const isInRange = (value: number) => Number.isSafeInteger(value) && value >= min && value <= max;
      return z
        .number(withCode('setting-not-number'))
        .refine(isInRange, withCode('setting-not-in-range', { min, max }));
    }
    case 'text':
      return lineSchema(definition);
    case 'markdown': {
      const { max } = definition;
      return z
        .string(withCode('setting-not-text'))
        .trim()
        .refine((text) => countCodePoints(text) <= max, withCode('text-too-long', { max }))
        .refine((text) => !hasForbiddenCharacters(text), withCode('characters-not-allowed'));
    }
    case 'choice':
      return z.enum(Object.keys(definition.options), withCode('setting-not-an-option'));
    case 'picture':
      return z
        .string(withCode('setting-not-picture'))
        .refine((name) => name === '' || sitePicturePattern.test(name), withCode('setting-not-picture'));
    case 'list': {
      const { maxItems: max } = definition;
      return z
        .array(lineSchema({ ...definition, min: 1 }), withCode('setting-not-text'))
        .refine((lines) => lines.length <= max, withCode('setting-list-too-long', { max }));
    }
  }
}

type LineRules = { min?: number; max: number; format?: keyof typeof textFormats };

function lineSchema({ min = 0, max, format }: LineRules) {
  const line = z
    .string(withCode('setting-not-text'))
    .trim()
    .refine((text) => countCodePoints(text) >= min, withCode('setting-required'))
    .refine((text) => countCodePoints(text) <= max, withCode('text-too-long', { max }))
    .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'));
  if (format === undefined) return line;
  const { pattern, code } = textFormats[format];
  return line.refine((text) => text === '' || pattern.test(text), withCode(code));
}

/** What a setting accepts, in a few words. */
export function describeValues(definition: SettingDefinition): string {
  switch (definition.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number from ${definition.min} to ${definition.max}`;
    case 'text':
      return `${definition.format === undefined ? 'text' : textFormats[definition.format].words}, up to ${definition.max} characters`;
    case 'markdown':
      return `Markdown, up to ${definition.max} characters`;
    case 'picture':
      return 'a picture that was uploaded in the browser, or empty';
    case 'choice':
      return Object.keys(definition.options).join(', ');
    case 'list':
      return `up to ${definition.maxItems} lines${definition.format === undefined ? '' : `, each ${textFormats[definition.format].words}`}`;
  }
}
