import { countCodePoints } from './text.ts';

/**
 * The business constants of docs/product.md, in one place.
 * Lengths are counted in Unicode code points (see `text.ts`), in the browser and on the server alike.
 */
export const limits = {
  title: 200,
  details: 2000,
  answer: 30_000,
  reply: 1000,
  tagsPerQuestion: 5,
  tag: 35,
  displayNameMin: 2,
  displayNameMax: 80,
  passwordMin: 6,
  passwordMax: 128,
  email: 254,
  bio: 1000,
  /** Other members' email addresses that one member may open in an hour (docs/product.md 3.4). */
  emailViewsPerHour: 60,
  searchQuery: 200,
  /** Parts of one search: plain words, quoted phrases, everything left out with `-`, and conditions such as `[tag]`. */
  searchWords: 40,
  searchPhrases: 5,
  searchExclusions: 10,
  searchConditions: 10,
  /** A shorter phrase is searched for as a word: the text indexes need three characters in a row. */
  searchPhraseMin: 3,
  /** Bookmarks, lists of them and muted topics one member can have. */
  bookmarks: 5000,
  bookmarkLists: 100,
  bookmarkListName: 60,
  bookmarkNote: 500,
  mutedTags: 100,
  /** Passkeys of one member. */
  passkeys: 20,
  passkeyName: 80,
  /** Members that one post can mention, and that a new member can mention in a day. */
  mentionsPerPost: 10,
  mentionsPerDay: 50,
  /** Days for which somebody is a new member. */
  newMemberDays: 3,
  /** Accounts whose activity one removal takes. */
  removalAccounts: 5000,
  /** Questions a feed loads at a time. */
  feedPage: 20,
  /** Questions whose titles one request may ask for. */
  questionTitles: 100,
  /** Answers a question page loads at a time. */
  answersPage: 50,
  /** Replies loaded at a time below one answer or one question. */
  repliesPage: 100,
  /** Notifications the bell lists; the link to all of them appears when there are more (docs/product.md 12.4). */
  notificationsMenu: 10,
  /** Earlier versions kept of one post: the first and the latest ones. */
  revisions: 100,
  /** Versions of a post listed at a time. */
  revisionsPage: 20,
  /** Deepest level a reply can have; the first is level 0. */
  replyLevel: 3,
} as const;

/** Strength by docs/product.md 2.3: under 6 is Weak, 6 to 9 is Medium, 10 or more is Strong. */
export function getPasswordStrength(password: string): 'Weak' | 'Medium' | 'Strong' {
  const length = countCodePoints(password);
  if (length < 6) return 'Weak';
  return length < 10 ? 'Medium' : 'Strong';
}

/** The name above what members who have left wrote. */
export const formerMemberName = 'Former member';
