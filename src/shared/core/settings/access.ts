import type { SettingDefinition } from './setting-definition.ts';

/** Who may join, sign in and read. */
export const accessDefinitions = {
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
      'Only addresses of these domains and their subdomains can be used for an account. Empty: all. Members who have joined keep theirs. This does not check who joins: an account can read and post before its address is confirmed. For that, set “Who may join” to “People whom a moderator approves”.',
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
  },
  passwordSignIn: {
    category: 'access',
    type: 'boolean',
    default: true,
    label: 'Password sign-in',
    description:
      'Members register and sign in with an email address and a password. Without it, only passkeys and sign-in providers remain. The operator can also switch it off, with PASSWORD_SIGN_IN=off.',
  },
  hideSignInReason: {
    category: 'access',
    type: 'boolean',
    default: false,
    label: 'Hide the reason of a failed sign-in',
    description:
      'The error does not say whether the address or the password was wrong, so that it does not reveal who has an account.',
  },
  publicReading: {
    category: 'access',
    type: 'boolean',
    default: false,
    label: 'Public reading',
    description: 'Visitors read questions, topics, profiles and search results without signing in.',
  },
  apiTokens: {
    category: 'access',
    type: 'boolean',
    default: true,
    label: 'Allow API tokens',
    description:
      'Members create tokens with which programs use the API in their name. If it is switched off, existing tokens are refused.',
  },
  signInDays: {
    category: 'access',
    type: 'integer',
    default: 90,
    min: 0,
    max: 365,
    label: 'Days to store sign-ins',
    description:
      'For how many days the time, browser and network address of each sign-in are stored, for moderators who look for several accounts of one person. 0: not at all.',
  },
} as const satisfies Record<string, SettingDefinition>;
