import type { ErrorKind } from '#shared/core/error-kinds.ts';
import { apiTokenScopes } from '#server/integrations/api-token-scopes.ts';
import type { Operation } from './openapi.ts';

/**
 * The callers: a signed-out visitor, an unrelated member, the author or owner, the same while suspended, an account that
 * waits for approval, an unrelated moderator and an unrelated admin.
 */
export const callerKinds = [
  'signed out',
  'another member',
  'author or owner',
  'the same, suspended',
  'waiting account',
  'moderator',
  'admin',
] as const;
export type CallerKind = (typeof callerKinds)[number];

/** The expected response: success; success for the caller's own data only; or the code of the refusal. */
export type ExpectedAnswer = 'yes' | 'own' | ErrorKind;

export type PermissionRule = { readonly [column in CallerKind]: ExpectedAnswer };

/** The responses to the first three callers. They determine the others, with the exceptions below. */
type BaseRule = readonly [visitor: ExpectedAnswer, other: ExpectedAnswer, author: ExpectedAnswer];

const rule = (...asked: BaseRule): BaseRule => asked;

const everyone = rule('yes', 'yes', 'yes');
const members = rule('signed-out', 'yes', 'yes');
const author = rule('signed-out', 'not-author', 'yes');
/** Private data with an id: it does not exist for others. */
const owner = rule('signed-out', 'not-found', 'yes');
/** Without an id: every caller gets their own data. */
const self = rule('signed-out', 'own', 'own');
/** For moderators only: the endpoint does not exist for others. */
const moderatorsOnly = rule('signed-out', 'not-found', 'not-found');

/** Data of a member that moderators decide about: it does not exist for others. */
const ownerAndModerators = rule('signed-out', 'not-found', 'yes');
/** The same, but the member does not decide. */
const moderatorsNotOwner = rule('signed-out', 'not-found', 'not-allowed');

/** For admins only, in the same way. */
const adminsOnly = rule('signed-out', 'not-found', 'not-found');

/** Needs reputation, which the members of the tests do not have. */
const moderatorsAlone = rule('signed-out', 'not-allowed', 'not-allowed');

/** For accounts that wait for approval: it does not exist for others. */
const applicantsOnly = rule('signed-out', 'not-found', 'not-found');

/** The rules that let moderators through. */
const forModerators: ReadonlySet<BaseRule> = new Set([
  moderatorsOnly,
  ownerAndModerators,
  moderatorsNotOwner,
  moderatorsAlone,
]);

/** Who may call each endpoint. The paths are those of the OpenAPI document. */
const endpointRules: Readonly<Record<string, BaseRule>> = {
  'POST /members': everyone,
  'POST /session': everyone,
  'GET /sign-in': everyone,
  // The state between two requests of one sign-in is encrypted in a cookie of that browser.
  'POST /session/two-factor': everyone,
  'POST /session/passkey/options': everyone,
  'POST /session/passkey': everyone,
  'POST /session/provider': everyone,
  'POST /session/provider/callback': everyone,
  'POST /session/provider/registration': everyone,
  'POST /session/provider/link': everyone,
  // The community of the test has an admin.
  'POST /setup': rule('already-handled', 'already-handled', 'already-handled'),
  'GET /setup': everyone,
  // The token of the link is the right.
  'POST /invitation': everyone,
  'GET /site-pages/{name}': everyone,
  'GET /session': rule('yes', 'own', 'own'),
  'DELETE /session': rule('yes', 'own', 'own'),
  // For links in emails: the token in the body identifies the member.
  'POST /email/unsubscribe': everyone,
  'POST /email/confirmation': everyone,
  // The secret in the header is that of the mail provider.
  'POST /received-emails': everyone,
  'POST /email/password-reset': everyone,
  'POST /email/change': everyone,
  'POST /email/revert': everyone,
  'GET /password-resets': everyone,
  'POST /password-resets': everyone,

  'GET /sessions': self,
  'DELETE /sessions': self,
  'DELETE /sessions/{id}': owner,
  'PUT /password': self,
  'GET /two-factor': self,
  'PUT /two-factor': self,
  'POST /two-factor/setup': self,
  'POST /two-factor/recovery-codes': self,
  'POST /two-factor/removal': self,
  'GET /passkeys': self,
  'POST /passkeys': self,
  'POST /passkeys/options': self,
  'PUT /passkeys/{id}': owner,
  'POST /passkeys/{id}/removal': owner,
  'GET /api-tokens': self,
  'POST /api-tokens': self,
  'DELETE /api-tokens/{id}': owner,
  'GET /provider-accounts': self,
  'POST /provider-accounts/{id}': self,
  'POST /provider-accounts/{id}/removal': self,
  'GET /settings': self,
  'PUT /settings': self,
  'GET /email-address': self,
  'PUT /email-address': self,
  'PUT /email-address/language': self,
  'PUT /email-address/delivery': self,
  'DELETE /email-address/change': self,
  'GET /data-export': self,
  'POST /account-deletion': self,
  'GET /application': applicantsOnly,
  'PUT /application': applicantsOnly,

  'GET /feeds/{feed}': members,
  'GET /announcements': members,
  'GET /tags': members,
  'GET /tags/{tag}': members,
  'GET /tags/{tag}/questions': members,
  'GET /tags/{tag}/activity': members,
  'GET /viewer/feeds/{feed}': self,
  'GET /viewer/tags': self,
  'GET /viewer/tags/{tag}': self,
  'GET /viewer/tags/{tag}/questions': self,
  'GET /search': members,
  'GET /search/instant': members,
  'GET /audience': members,
  'GET /changes': members,

  'GET /members': members,
  'GET /members/{id}': members,
  'GET /members/{id}/claim': members,
  'PUT /members/{id}/claim': members,
  'DELETE /members/{id}/claim': members,
  'POST /members/{id}/claim/proof': members,
  'POST /members/{id}/claim/identity': members,
  'PUT /members/{id}/claim/request': members,
  'GET /members/{id}/questions': members,
  'GET /members/{id}/answers': members,
  'GET /members/{id}/activity': members,
  'GET /members/{id}/reputation': members,

  'POST /questions': members,
  'POST /questions/similar': members,
  'GET /question-titles': members,
  'GET /imported-posts': members,
  'GET /questions/{id}': members,
  'GET /viewer/questions/{id}': self,
  'PUT /questions/{id}': author,
  'DELETE /questions/{id}': author,
  'GET /questions/{id}/revisions': members,
  'GET /questions/{id}/revisions/{number}': members,
  'GET /questions/{id}/related': members,
  'GET /questions/{id}/members': members,
  'GET /questions/{id}/answers': members,
  'GET /questions/{id}/answers/position': members,
  'POST /questions/{id}/answers': members,
  'GET /questions/{id}/replies': members,
  'POST /questions/{id}/replies': members,
  'PUT /questions/{id}/accepted-answer': author,

  'PUT /answers/{id}': author,
  'DELETE /answers/{id}': author,
  'GET /answers/{id}/revisions': members,
  'GET /answers/{id}/revisions/{number}': members,
  'GET /answers/{id}/replies': members,
  'POST /answers/{id}/replies': members,

  'PUT /replies/{id}': author,
  'DELETE /replies/{id}': author,
  'GET /replies/{id}/revisions': members,
  'GET /replies/{id}/revisions/{number}': members,

  'PUT /questions/{id}/vote': members,
  'PUT /answers/{id}/vote': members,
  'PUT /replies/{id}/vote': members,
  'PUT /questions/{id}/view': members,
  'PUT /questions/{id}/follow': members,
  'GET /tag-rules': self,
  'PUT /tags/{tag}/follow': members,
  'GET /following': self,
  'GET /following/questions': self,
  'GET /following/activity': self,
  'GET /following/tags': self,
  'GET /follows': self,

  'PUT /questions/{id}/bookmark': members,
  'PUT /answers/{id}/bookmark': members,
  'GET /bookmarks': self,
  'PUT /bookmarks/{id}/note': owner,
  'PUT /bookmarks/{id}/lists': owner,
  'GET /bookmark-lists': self,
  'POST /bookmark-lists': self,
  'PUT /bookmark-lists/{id}': owner,
  'DELETE /bookmark-lists/{id}': owner,

  'PUT /questions/{id}/mute': members,
  'PUT /tags/{tag}/mute': members,
  'GET /mutes/tags': self,
  'GET /mutes/questions': self,

  'GET /drafts': self,
  'GET /drafts/{target}': self,
  'PUT /drafts/{target}': self,
  'DELETE /drafts/{target}': self,
  'POST /uploads': self,
  'PUT /settings/avatar': self,
  'DELETE /settings/avatar': self,

  'GET /notifications': self,
  'PUT /notifications/read': self,
  'PUT /notifications/seen': self,
  'PUT /notifications/{id}/read': owner,
  'GET /notification-preferences': self,
  'PUT /notification-preferences/{category}': self,
  'POST /notification-preferences/confirmation': self,
  'PUT /push-subscription': self,
  'DELETE /push-subscription': self,

  'PUT /questions/{id}/report': rule('signed-out', 'yes', 'not-allowed'),
  'PUT /answers/{id}/report': rule('signed-out', 'yes', 'not-allowed'),
  'PUT /replies/{id}/report': rule('signed-out', 'yes', 'not-allowed'),
  'GET /questions/{id}/report': self,
  'GET /answers/{id}/report': self,
  'GET /replies/{id}/report': self,
  'GET /questions/{id}/hidden': self,
  'GET /moderator-messages': self,
  'GET /removed-posts': self,
  'DELETE /held-posts/{id}': rule('signed-out', 'not-found', 'yes'),
  'PUT /hidden-posts/{id}/objection': rule('signed-out', 'not-found', 'yes'),
  'PUT /moderator-messages/seen': self,
  'POST /questions/{id}/edit-suggestions': rule('signed-out', 'yes', 'not-allowed'),
  'POST /answers/{id}/edit-suggestions': rule('signed-out', 'yes', 'not-allowed'),
  'POST /replies/{id}/edit-suggestions': rule('signed-out', 'yes', 'not-allowed'),
  'GET /edit-suggestions': members,
  'GET /edit-suggestions/count': members,
  'GET /edit-suggestions/{id}': ownerAndModerators,
  'PUT /edit-suggestions/{id}/decision': moderatorsNotOwner,
  'DELETE /edit-suggestions/{id}': owner,
  'GET /abilities': self,
  'GET /questions/{id}/close-votes': members,
  'PUT /questions/{id}/close-votes': moderatorsAlone,
  'GET /moderation/log': members,
  'GET /moderation/queue': moderatorsOnly,
  'GET /moderation/queue/counts': moderatorsOnly,
  'GET /moderation/queue/{id}/history': moderatorsOnly,
  'GET /moderation/reasons': moderatorsOnly,
  'PUT /moderation/queue/{id}/claim': moderatorsOnly,
  'DELETE /moderation/queue/{id}/claim': moderatorsOnly,
  'POST /moderation/post-actions': moderatorsOnly,
  'POST /moderation/member-actions': moderatorsOnly,
  'GET /moderation/members': moderatorsOnly,
  'GET /moderation/members/{id}': moderatorsOnly,
  'GET /moderation/members/{id}/posts': moderatorsOnly,
  'GET /moderation/members/{id}/reports': moderatorsOnly,
  'GET /moderation/members/{id}/log': moderatorsOnly,
  'GET /moderation/members/{id}/sign-ins': moderatorsOnly,
  'GET /moderation/sign-ins/{id}/accounts': moderatorsOnly,
  'GET /moderation/members/{id}/notes': moderatorsOnly,
  'POST /moderation/members/{id}/notes': moderatorsOnly,
  'PUT /moderation/notes/{id}': moderatorsOnly,
  'PUT /moderation/notes/{id}/deletion': moderatorsOnly,
  'GET /moderation/registrations': moderatorsOnly,
  'GET /moderation/registrations/accounts': moderatorsOnly,
  'GET /moderation/tags/{tag}': moderatorsOnly,
  'PUT /moderation/tags/{tag}': moderatorsOnly,
  'PUT /moderation/tags/{tag}/synonyms/{synonym}': moderatorsOnly,
  'DELETE /moderation/tags/{tag}/synonyms/{synonym}': moderatorsOnly,
  'PUT /moderation/tag-proposals/{id}/decision': moderatorsOnly,
  'POST /moderation/tag-changes': moderatorsOnly,
  'GET /moderation/announcements': moderatorsOnly,
  'POST /moderation/announcements': moderatorsOnly,
  'DELETE /moderation/announcements/{id}': moderatorsOnly,
  'POST /moderation/approvals': moderatorsOnly,
  'GET /moderation/applications': moderatorsOnly,
  'GET /moderation/applications/count': moderatorsOnly,
  'PUT /moderation/applications/{id}/decision': moderatorsOnly,
  'PUT /moderation/applications/{id}/claim': moderatorsOnly,
  'DELETE /moderation/applications/{id}/claim': moderatorsOnly,
  'GET /moderation/claims': moderatorsOnly,
  'PUT /moderation/claims/{id}/decision': moderatorsOnly,
  'POST /moderation/removals/preview': moderatorsOnly,
  'POST /moderation/removals': moderatorsOnly,
  'GET /moderation/removals': moderatorsOnly,
  'GET /moderation/removals/{id}': moderatorsOnly,
  'GET /admin/invitations': moderatorsOnly,
  'POST /admin/invitations': moderatorsOnly,
  'DELETE /admin/invitations/{id}': moderatorsOnly,
  'GET /admin/statistics': moderatorsOnly,
  'GET /admin/statistics/tags': moderatorsOnly,
  'GET /admin/statistics/searches': moderatorsOnly,
  'GET /admin/statistics.csv': moderatorsOnly,
  'GET /admin/statistics/tags.csv': moderatorsOnly,
  'GET /admin/statistics/searches.csv': moderatorsOnly,
  'POST /moderation/removals/{id}/restoration': moderatorsOnly,

  'PUT /admin/members/{id}/role': adminsOnly,
  'GET /admin/members/{id}/merge-preview': adminsOnly,
  'POST /admin/members/{id}/merge': adminsOnly,
  'POST /admin/members/{id}/two-factor-removal': adminsOnly,
  'GET /admin/members.csv': adminsOnly,
  'GET /admin/settings': adminsOnly,
  'GET /admin/password-sign-in': adminsOnly,
  'GET /admin/system': adminsOnly,
  'PUT /admin/settings/{name}': adminsOnly,
  'PUT /admin/pictures/{name}': adminsOnly,
  'GET /admin/emails': adminsOnly,
  'GET /admin/emails/{kind}': adminsOnly,
  'GET /admin/emails/{kind}/html': adminsOnly,
  'POST /admin/emails/tests': adminsOnly,
  'POST /admin/settings/undo': adminsOnly,
  'GET /admin/sign-in-providers': adminsOnly,
  'POST /admin/sign-in-providers': adminsOnly,
  'PUT /admin/sign-in-providers/{id}': adminsOnly,
  'DELETE /admin/sign-in-providers/{id}': adminsOnly,
  'PUT /admin/sign-in-providers/{id}/enabled': adminsOnly,
  'GET /admin/sign-in-providers/{id}/members': adminsOnly,
  'POST /admin/sign-in-providers/checks': adminsOnly,
  'POST /admin/sign-in-providers/undo': adminsOnly,
  'PUT /admin/sign-in-provider-order': adminsOnly,
  'GET /admin/webhooks': adminsOnly,
  'POST /admin/webhooks': adminsOnly,
  'PUT /admin/webhooks/{id}': adminsOnly,
  'DELETE /admin/webhooks/{id}': adminsOnly,
  'PUT /admin/webhooks/{id}/enabled': adminsOnly,
  'POST /admin/webhooks/{id}/secret': adminsOnly,
  'POST /admin/webhooks/{id}/tests': adminsOnly,
  'GET /admin/webhooks/{id}/deliveries': adminsOnly,
  'POST /admin/webhooks/{id}/deliveries/{deliveryId}/attempts': adminsOnly,
  'GET /admin/service-accounts': adminsOnly,
  'POST /admin/service-accounts': adminsOnly,
  'PUT /admin/service-accounts/{id}': adminsOnly,
  'PUT /admin/service-accounts/{id}/active': adminsOnly,
  'POST /admin/service-accounts/{id}/deletion': adminsOnly,
  'POST /admin/service-accounts/{id}/tokens': adminsOnly,
  'DELETE /admin/service-accounts/{id}/tokens/{tokenId}': adminsOnly,
};

/** Data that concerns only the member, above all their security: allowed while suspended. */
const whileSuspended: ReadonlySet<string> = new Set([
  'DELETE /sessions',
  'DELETE /sessions/{id}',
  'PUT /password',
  'PUT /two-factor',
  'POST /two-factor/setup',
  'POST /two-factor/recovery-codes',
  'POST /two-factor/removal',
  'POST /passkeys',
  'POST /passkeys/options',
  'PUT /passkeys/{id}',
  'POST /passkeys/{id}/removal',
  'POST /api-tokens',
  'DELETE /api-tokens/{id}',
  'POST /provider-accounts/{id}',
  'POST /provider-accounts/{id}/removal',
  'PUT /email-address',
  'PUT /email-address/language',
  'PUT /email-address/delivery',
  'DELETE /email-address/change',
  'POST /account-deletion',
  'PUT /notifications/read',
  'PUT /notifications/seen',
  'PUT /notifications/{id}/read',
  'PUT /moderator-messages/seen',
  'PUT /hidden-posts/{id}/objection',
  'PUT /application',
  'PUT /notification-preferences/{category}',
  'POST /notification-preferences/confirmation',
  'PUT /push-subscription',
  'DELETE /push-subscription',
  'PUT /questions/{id}/view',
]);

/** What an account that waits for approval may do besides what everyone may. */
export const forApplicants: ReadonlySet<string> = new Set([
  'GET /application',
  'PUT /application',
  'GET /data-export',
  'POST /account-deletion',
]);

/** The expected response of each endpoint for each caller. */
export const permissions: Readonly<Record<string, PermissionRule>> = Object.fromEntries(
  Object.entries(endpointRules).map(([name, three]) => [name, expandRule(name, three)]),
);

function expandRule(name: string, three: BaseRule): PermissionRule {
  const [visitor, other, owner] = three;
  const isAllowedWhileSuspended =
    visitor !== 'signed-out' || name.startsWith('GET ') || whileSuspended.has(name);
  return {
    'signed out': visitor,
    'another member': other,
    'author or owner': owner,
    'the same, suspended': isAllowedWhileSuspended ? owner : 'suspended',
    'waiting account': answerToApplicant(name, three),
    moderator: forModerators.has(three) ? 'yes' : other,
    admin: forModerators.has(three) || three === adminsOnly ? 'yes' : other,
  };
}

function answerToApplicant(name: string, [visitor, other]: BaseRule): ExpectedAnswer {
  if (visitor !== 'signed-out') return other === 'own' ? 'own' : visitor;
  return forApplicants.has(name) ? 'own' : 'not-approved';
}

/** An account that waits has no live updates. */
const topicRule = (name: string, three: BaseRule): PermissionRule => ({
  ...expandRule(name, three),
  'waiting account': 'signed-out',
});

/** What visitors may read while public reading is on (docs/product.md 1.8). */
export const publicReads: ReadonlySet<string> = new Set([
  'GET /feeds/{feed}',
  'GET /viewer/feeds/{feed}',
  'GET /question-titles',
  'GET /questions/{id}',
  'GET /viewer/questions/{id}',
  'GET /questions/{id}/answers',
  'GET /questions/{id}/answers/position',
  'GET /questions/{id}/replies',
  'GET /questions/{id}/related',
  'GET /questions/{id}/revisions',
  'GET /questions/{id}/revisions/{number}',
  'GET /answers/{id}/replies',
  'GET /answers/{id}/revisions',
  'GET /answers/{id}/revisions/{number}',
  'GET /replies/{id}/revisions',
  'GET /replies/{id}/revisions/{number}',
  'GET /announcements',
  'GET /tags',
  'GET /tags/{tag}',
  'GET /tags/{tag}/questions',
  'GET /tags/{tag}/activity',
  'GET /viewer/tags',
  'GET /viewer/tags/{tag}',
  'GET /viewer/tags/{tag}/questions',
  'GET /search',
  'GET /search/instant',
  'GET /members/{id}',
  'GET /members/{id}/questions',
  'GET /members/{id}/answers',
  'GET /members/{id}/activity',
  'GET /members/{id}/reputation',
  'GET /imported-posts',
  'GET /changes',
]);

/** Writes that no other member may see, in addition to those that answer 'own'. */
export const privateWrites: ReadonlySet<string> = new Set([
  'PUT /questions/{id}/bookmark',
  'PUT /answers/{id}/bookmark',
  'PUT /questions/{id}/mute',
  'PUT /tags/{tag}/mute',
  'PUT /questions/{id}/report',
  'PUT /answers/{id}/report',
  'PUT /replies/{id}/report',
]);

/**
 * Writes of the member's own data that everyone sees: name, bio, optionally the email address, and the account
 * deletion.
 */
export const publicWrites: ReadonlySet<string> = new Set([
  'PUT /settings',
  'PUT /settings/avatar',
  'DELETE /settings/avatar',
  'POST /account-deletion',
  // The approved edit.
  'PUT /edit-suggestions/{id}/decision',
]);

/** The topics that a live socket may subscribe to; `{id}` is the author's question or the author. */
export const topicRules: Readonly<Record<string, PermissionRule>> = {
  feeds: topicRule('GET feeds', members),
  answers: topicRule('GET answers', members),
  activity: topicRule('GET activity', members),
  tags: topicRule('GET tags', members),
  'question:{id}': topicRule('GET question', members),
  'profile:{id}': topicRule('GET profile', members),
  'member:{id}': topicRule('GET member', rule('signed-out', 'not-allowed', 'yes')),
  moderation: {
    ...topicRule('GET moderation', rule('signed-out', 'not-allowed', 'not-allowed')),
    moderator: 'yes',
    admin: 'yes',
  },
};

/** Renders docs/permissions.md. */
export function renderPermissionsDocument(operations: readonly Operation[]): string {
  const endpoints = operations.map(({ name, summary }) =>
    row([`\`${name}\``, summary], permissions[name], {
      isPublicRead: publicReads.has(name),
      scope: apiTokenScopes.get(name) ?? '–',
    }),
  );
  const sockets = Object.entries(topicRules).map(([topic, rule]) => row([`\`${topic}\``], rule));
  const heads = callerKinds.map((column) => ` ${column} |`).join('');
  const lines = callerKinds.map(() => ' --- |').join('');
  return `# Permissions

The response of every API endpoint (\`/api/openapi.json\`) to each kind of caller, for a request about data of a member, its
author or owner. This page is generated from \`tests/support/permissions.ts\`. \`tests/integration/permissions.test.ts\` checks
each cell over HTTP on a real database, and fails when an endpoint has no row. \`npm run documents\` writes this page.

- **yes**: the request succeeds. **own**: it succeeds with the caller's own data only; data of others is neither shown nor changed.
- A word such as \`not-author\` is the kind of error (\`/api/docs\`); a refused request changes nothing. \`not-found\` is also the response
  for data that does not exist.
- A GET request changes nothing.
- **if public**: signed out, or with an account that waits for approval, it succeeds while public reading is on; otherwise the request
  is refused with \`signed-out\` or \`not-approved\`.
- **API token**: the scope that a token needs; the response is then as for the member who made it, except that a token reads and
  replaces only drafts that it saved itself. \`–\`: a token is refused, or has no effect where nobody needs to sign in. \`tests/integration/api-token-permissions.test.ts\` checks this column.

Bookmarks, mutes, drafts, visits and settings of a member change no response to other members and no event that they can
receive. Responses and events also never show who voted or followed. The tests check both with every endpoint.

## Endpoints

| endpoint | effect |${heads} API token |
| --- | --- |${lines} --- |
${endpoints.join('\n')}

## Topics of live sockets

| topic |${heads}
| --- |${lines}
${sockets.join('\n')}
`;
}

function row(
  first: readonly string[],
  rule: PermissionRule | undefined,
  { isPublicRead = false, scope }: { isPublicRead?: boolean; scope?: string } = {},
): string {
  const cells = callerKinds.map((column) =>
    isPublicRead && (column === 'signed out' || column === 'waiting account')
      ? 'if public'
      : (rule?.[column] ?? ''),
  );
  return `| ${[...first, ...cells, ...(scope === undefined ? [] : [scope])].join(' | ')} |`;
}
