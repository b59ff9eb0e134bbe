import { cssVariablePattern } from '#shared/core/css-variables.ts';

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
export const textFormats = {
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

export type SettingValue = boolean | number | string | readonly string[];
