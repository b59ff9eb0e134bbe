import { countCodePoints } from './text.ts';

/**
 * The limits of docs/product.md. Lengths are counted in Unicode code points (see text.ts), in the browser and on the
 * server.
 */
export const limits = {
  title: 200,
  details: 2000,
  answer: 30_000,
  reply: 1000,
  /** What a suggested edit improves. */
  editSummary: 200,
  tagsPerQuestion: 5,
  tag: 35,
  /** Why a member proposes a new tag. */
  tagProposalReason: 200,
  /** What moderators write about a tag: the line that is shown with it, and the text of its page. */
  tagDescription: 200,
  tagAbout: 10_000,
  displayNameMin: 2,
  displayNameMax: 80,
  passwordMin: 6,
  passwordMax: 128,
  email: 254,
  bio: 1000,
  location: 100,
  website: 200,
  searchQuery: 200,
  /** Parts of one search: plain words, quoted phrases, exclusions with `-`, and conditions such as `[tag]`. */
  searchWords: 40,
  searchPhrases: 5,
  searchExclusions: 10,
  searchConditions: 10,
  /** A shorter phrase is searched as a word, because the text indexes need three characters in a row. */
  searchPhraseMin: 3,
  /** Bookmark lists per member. */
  bookmarkLists: 100,
  bookmarkListName: 60,
  bookmarkNote: 500,
  passkeyName: 80,
  apiTokenName: 80,
  /** Bytes of a picture's file. */
  uploadBytes: 10_000_000,
  /** Accounts per removal of activity. */
  removalAccounts: 5000,
  /** Questions whose titles one request may read. */
  questionTitles: 100,
  /**
   * Notifications in the notification menu; the link to all of them appears if there are more (docs/product.md 12.4).
   */
  notificationsMenu: 10,
  /** Versions stored per post: the first and the latest ones (docs/product.md 4.5). */
  revisions: 100,
  /** Deepest level of a reply; the first is 0 (docs/product.md 6.2). */
  replyLevel: 3,
} as const;

/** Limits of docs/product.md that the browser does not need, so that pages do not load them. */
export const serverLimits = {
  /** Titles and names of licences of imported posts. */
  importedTitle: 1000,
  importedLicense: 200,
  /** Points of a bounty of an imported post. */
  bounty: 1_000_000,
  /** The name of a badge of an imported profile, and the badges of a site that a profile lists. */
  importedBadgeName: 100,
  importedBadges: 100,
  /** Other members' email addresses that one member may view in an hour (docs/product.md 3.4). */
  emailViewsPerHour: 60,
  /** Bookmarks, muted and followed tags, passkeys, and API tokens per member. */
  bookmarks: 5000,
  mutedTags: 100,
  followedTags: 1000,
  passkeys: 20,
  apiTokens: 20,
  /** Accounts of programs. */
  serviceAccounts: 50,
  /** Pixels of a picture. */
  uploadMegapixels: 50,
  /** Pictures that one member may upload in an hour, and the size of all of them as they are stored. */
  uploadsPerHour: 120,
  uploadsPerHourOfNewMember: 20,
  uploadQuotaMegabytes: 500,
  /** Members that one post can mention, and that a new member can mention in a day (docs/product.md 17.4). */
  mentionsPerPost: 10,
  mentionsPerDay: 50,
  /** Days for which a member is new. */
  newMemberDays: 3,
  /** Questions per page of a feed. */
  feedPage: 20,
  /** Answers per page of a question. */
  answersPage: 50,
  /** Replies per page below one answer or one question. */
  repliesPage: 100,
  /** Versions per page of the history. */
  revisionsPage: 20,
} as const;

/** Password strength by docs/product.md 2.3: below 6 characters Weak, 6 to 9 Medium, from 10 Strong. */
export function getPasswordStrength(password: string): 'Weak' | 'Medium' | 'Strong' {
  const length = countCodePoints(password);
  if (length < 6) return 'Weak';
  return length < 10 ? 'Medium' : 'Strong';
}

/** The author name of posts of deleted accounts (docs/product.md 15.2). */
export const formerMemberName = 'Former member';
