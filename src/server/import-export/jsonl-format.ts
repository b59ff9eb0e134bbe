import { z } from 'zod';
import { email } from '#shared/identity/accounts.ts';
import { limits, serverLimits } from '#shared/core/limits.ts';
import { badgeClasses } from '#shared/identity/imported-badges.ts';
import { closingReasons } from '#shared/posts/closing-reasons.ts';
import { parseWebsite } from '#server/core/websites.ts';
import { countCodePoints } from '#shared/core/text.ts';
import { normalizeTags } from '#shared/posts/tags.ts';
import { formatOldAddress, parseOldAddress } from './old-addresses.ts';
import { cleanDescription, cleanLine, cleanText } from './stack-exchange-characters.ts';

/*
 * The rows of the JSON lines, as `parley export` writes them and as others write them by hand (docs/importing.md). Each
 * object is strict: a misspelled field is an error, not a lost value.
 */

const id = z.int().positive();
const count = z.int().nonnegative().optional();
const latest = Date.now() + 24 * 60 * 60 * 1000;
/** ISO 8601. A time without a zone is in UTC. */
const anyTime = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], 'is not a time of ISO 8601')
  .transform(
    (text) =>
      new Date(
        /T.*(?:Z|[+-]\d\d:?\d\d)$/u.test(text) ? text : `${text}${text.includes('T') ? 'Z' : 'T00:00:00Z'}`,
      ),
  )
  .refine((date) => !Number.isNaN(date.getTime()) && date.getUTCFullYear() >= 1, 'is not a time');
/** When something happened. A time later than tomorrow becomes now: it is damaged. */
const time = anyTime.transform((date) => (date.getTime() > latest ? new Date() : date).toISOString());
const line = z.string().transform(cleanLine);
const requiredLine = line.pipe(z.string().min(1, 'is empty'));
const name = z
  .string()
  .transform(cleanLine)
  .transform((text) => Array.from(text).slice(0, limits.displayNameMax).join(''))
  .pipe(z.string().min(1, 'is empty'));
const text = z.string().transform((raw) => cleanText(raw));
/** Limits count code points, as those of the schema and of archives do. */
const atMost = (max: number) =>
  z.string().refine((content) => countCodePoints(content) <= max, `has more than ${max} characters`);
/** The path of a file. */
const withoutNul = z.string().transform((path) => path.replaceAll('\0', ''));
const format = z.enum(['markdown', 'html']).default('markdown');
/** A row of an index has at most 2.7 kB. */
const maxAddressBytes = 2000;
const isShort = (address: string) => Buffer.byteLength(address) <= maxAddressBytes;
const longReason = `has more than ${maxAddressBytes} bytes`;

/** The page of a post or member on its old site. */
const url = z
  .url({ protocol: /^https?$/u })
  .transform(cleanLine)
  .refine(isShort, longReason)
  .optional();

/** Where an exported row had been imported from: the site and the number or path there. */
const source = z
  .strictObject({
    site: z.string().min(1).max(253),
    id: requiredLine.refine(isShort, longReason),
    license: line.pipe(atMost(serverLimits.importedLicense)).optional(),
  })
  .optional();

const tags = z
  .array(z.string())
  .default([])
  .transform((raw) => normalizeTags(raw.map(cleanLine)))
  .refine((names) => names.length <= limits.tagsPerQuestion, `has more than ${limits.tagsPerQuestion} tags`)
  .refine(
    (names) => names.every((tag) => countCodePoints(tag) <= limits.tag),
    `has a tag with more than ${limits.tag} characters`,
  );

const post = {
  id,
  authorId: id.optional(),
  authorName: name.optional(),
  format,
  upvotes: count,
  downvotes: count,
  // Of the votes: how many had been imported already. Only the sum matters here.
  importedUpvotes: count,
  importedDownvotes: count,
  createdAt: time.optional(),
  editedAt: time.optional(),
  license: requiredLine.pipe(atMost(serverLimits.importedLicense)).optional(),
  url,
  source,
};

/** The post that a row belongs to. */
const ofPost = { post: z.enum(['question', 'answer', 'reply']), postId: id };

/** What the site of an imported question or answer showed with it. */
const siteHistory = {
  communityWikiAt: time.optional(),
  bounties: z
    .array(z.strictObject({ amount: z.int().positive().max(serverLimits.bounty), day: time }))
    .optional(),
};

/** An account at a sign-in provider: the issuer and the subject of OpenID Connect (private data). */
const identity = z.strictObject({
  issuer: z
    .url({ protocol: /^https?$/u })
    .max(500)
    .transform(cleanLine),
  subject: requiredLine.pipe(z.string().max(255)),
});

const member = z.strictObject({
  id,
  name,
  bio: text.optional(),
  location: line.pipe(atMost(limits.location)).optional(),
  website: z
    .string()
    .refine((address) => parseWebsite(address) !== null, 'is not an address such as https://example.org')
    .optional(),
  format,
  reputation: z.int().optional(),
  role: z.enum(['moderator', 'admin']).optional(),
  avatar: withoutNul.pipe(z.string().max(200)).optional(),
  email: email.optional(),
  emailVerified: z.boolean().optional(),
  /** Whether other members see the address. Kept in a move only. */
  showEmail: z.boolean().default(false),
  /** Kept in a move only. */
  suspendedUntil: anyTime.transform((date) => date.toISOString()).optional(),
  suspensionReason: text.pipe(atMost(500)).default(''),
  isBot: z.boolean().optional(),
  identities: z.array(identity).max(20).optional(),
  /** Profiles of other sites that were merged into this account. Kept in a move only. */
  claimed: z.array(source.unwrap().omit({ license: true })).default([]),
  createdAt: time.optional(),
  url,
  source,
});

/** A badge of a member on another site. */
const badge = z
  .strictObject({
    memberId: id,
    name: requiredLine.pipe(atMost(serverLimits.importedBadgeName)),
    class: z.enum(badgeClasses).optional(),
    tagBased: z.boolean().default(false),
    awards: z.int().positive().max(1_000_000).default(1),
    firstAt: time,
    lastAt: time.optional(),
    source,
  })
  .refine(({ firstAt, lastAt = firstAt }) => lastAt >= firstAt, 'lastAt is before firstAt');

const question = z.strictObject({
  ...post,
  ...siteHistory,
  title: requiredLine.pipe(atMost(serverLimits.importedTitle)),
  content: text,
  tags,
  views: count,
  acceptedAnswerId: id.optional(),
  duplicateOf: id.optional(),
  closedReason: z.enum(closingReasons).optional(),
  closedAt: time.optional(),
  closedBy: z.array(id).optional(),
  lockReason: requiredLine.pipe(atMost(500)).optional(),
});

const answer = z.strictObject({ ...post, ...siteHistory, questionId: id, content: text });

const reply = z.strictObject({
  ...post,
  questionId: id,
  answerId: id.optional(),
  parentReplyId: id.optional(),
  deleted: z.boolean().default(false),
  content: text.default(''),
});

/** Where an exported text of a tag had been imported from; `adapted` if it was changed since. */
const tagTextSource = z
  .strictObject({
    site: z.string().min(1).max(253),
    id: requiredLine.pipe(z.string().max(500)),
    url: z
      .url({ protocol: /^https?$/u })
      .max(1000)
      .transform(cleanLine),
    license: requiredLine.pipe(atMost(serverLimits.importedLicense)),
    adapted: z.boolean().default(false),
  })
  .optional();

const tag = z.strictObject({
  id: id.optional(),
  name: requiredLine.refine(
    (each) => countCodePoints(each) <= limits.tag,
    `has more than ${limits.tag} characters`,
  ),
  description: z.string().transform(cleanDescription).pipe(atMost(limits.tagDescription)).optional(),
  about: text.pipe(atMost(limits.tagAbout)).optional(),
  descriptionSource: tagTextSource,
  aboutSource: tagTextSource,
  synonymOf: requiredLine.optional(),
});

const revision = z.strictObject({
  ...ofPost,
  number: z.int().positive(),
  title: requiredLine.optional(),
  content: text,
  format,
  tags: z.array(line).optional(),
  createdAt: time,
  replacedAt: time.optional(),
  editorId: id.optional(),
  editorName: name.optional(),
  approverId: id.optional(),
  summary: line.pipe(atMost(500)).optional(),
  imported: z.boolean().optional(),
});

const vote = z.strictObject({
  ...ofPost,
  vote: z.enum(['up', 'down']),
  day: time.optional(),
  memberId: id.optional(),
  createdAt: time.optional(),
});

const follow = z
  .strictObject({
    memberId: id,
    questionId: id.optional(),
    tag: requiredLine.optional(),
    createdAt: time.optional(),
  })
  .refine(
    (row) => (row.questionId === undefined) !== (row.tag === undefined),
    'needs either questionId or tag',
  );

const bookmark = z
  .strictObject({
    memberId: id,
    questionId: id.optional(),
    answerId: id.optional(),
    note: text.pipe(atMost(limits.bookmarkNote)).default(''),
    createdAt: time.optional(),
  })
  .refine(
    (row) => row.questionId !== undefined || row.answerId !== undefined,
    'needs questionId or answerId',
  );

const picture = z.strictObject({
  /** Of an export: the name in the addresses of its files. Otherwise the path of the file below `pictures/`. */
  name: withoutNul.pipe(
    z
      .string()
      .min(1)
      .max(300)
      .regex(
        /^(?!\.\.?(?:\/|$))(?!.*\/\.\.?(?:\/|$))[^/\\][^\\]*$/su,
        'is not the path of a file below pictures/',
      ),
  ),
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  memberId: id.optional(),
});

/** An address on the old site, as old-addresses.ts compares it. */
const oldAddress = z.string().transform((address, context) => {
  const parsed = /^\/(?!\/)/u.test(address) ? parseOldAddress(address) : null;
  const formatted = parsed === null ? null : formatOldAddress(parsed);
  if (formatted !== null && isShort(formatted)) return formatted;
  context.addIssue('is not a path such as /viewtopic.php?t=12');
  return z.NEVER;
});

const redirect = z
  .strictObject({
    from: oldAddress,
    questionId: id.optional(),
    answerId: id.optional(),
    replyId: id.optional(),
    memberId: id.optional(),
    tag: requiredLine.optional(),
    /** The old site, if it is not that of the files. */
    site: z.string().min(1).max(253).optional(),
  })
  .refine(
    ({ questionId, answerId, replyId, memberId, tag: name }) =>
      [questionId, answerId, replyId, memberId, name].filter((target) => target !== undefined).length === 1,
    'needs one of questionId, answerId, replyId, memberId and tag',
  );

export const rowSchemas = {
  members: member,
  badges: badge,
  tags: tag,
  questions: question,
  answers: answer,
  replies: reply,
  revisions: revision,
  votes: vote,
  follows: follow,
  bookmarks: bookmark,
  pictures: picture,
  redirects: redirect,
};
export type LineKind = keyof typeof rowSchemas;
export type LineRow<Kind extends LineKind> = z.infer<(typeof rowSchemas)[Kind]>;
/** A row as it is written in a file. */
export type LineInput<Kind extends LineKind> = z.input<(typeof rowSchemas)[Kind]>;

/** The kinds of files in the order of exports and imports: rows refer to rows of earlier files, texts to pictures. */
export const lineKinds = [
  'members',
  'badges',
  'pictures',
  'tags',
  'questions',
  'answers',
  'replies',
  'revisions',
  'votes',
  'follows',
  'bookmarks',
  'redirects',
] as const satisfies readonly LineKind[];

/** Kinds that belong to single members and are exported with private data only. */
export const privateKinds: readonly LineKind[] = ['follows', 'bookmarks'];

/** `export.json`, which only exports of Parley have. */
export const manifestSchema = z.looseObject({
  format: z.literal('parley-export'),
  version: z.int(),
  name: z.string().optional(),
  origin: z.url(),
  exportedAt: z.string().optional(),
  license: z.string().trim().min(1).max(200).optional(),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Describes the first problem of a row: 'tags: has more than 5 tags'. */
export function describeIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue === undefined) return 'is not valid';
  if (issue.code === 'unrecognized_keys')
    return `unknown field ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  const field = issue.path.map(String).join('.');
  return field === '' ? issue.message : `${field}: ${issue.message}`;
}
