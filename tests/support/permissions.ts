import type { ProblemCode } from '#server/core/errors.ts';
import type { Operation } from './openapi.ts';

/**
 * Who asks: somebody signed out, a member who has nothing to do with it, whoever wrote it or whose it is, the same while they
 * are suspended, and an operator who has nothing to do with it.
 */
export const callerKinds = [
  'signed out',
  'another member',
  'author or owner',
  'the same, suspended',
  'operator',
] as const;
export type CallerKind = (typeof callerKinds)[number];

/** What is answered: it is done; it is done for whoever asks, with what is theirs alone; or the code of the refusal. */
export type ExpectedAnswer = 'yes' | 'own' | ProblemCode;

export type PermissionRule = { readonly [column in CallerKind]: ExpectedAnswer };

/** What the first three are answered decides the others, but for what is said below. */
type BaseRule = readonly [visitor: ExpectedAnswer, other: ExpectedAnswer, author: ExpectedAnswer];

const rule = (...asked: BaseRule): BaseRule => asked;

const everyone = rule('yes', 'yes', 'yes');
const members = rule('signed-out', 'yes', 'yes');
const author = rule('signed-out', 'not-author', 'yes');
/** What has an id and is private: for others it is not there. */
const owner = rule('signed-out', 'not-found', 'yes');
/** What has no id: everybody asks about themselves. */
const self = rule('signed-out', 'own', 'own');
/** For operators alone; for all others there is nothing at these addresses. */
const moderatorsOnly = rule('signed-out', 'not-found', 'not-found');

/** What an endpoint may be asked by whom. The paths are those of the API's description. */
const endpointRules: Readonly<Record<string, BaseRule>> = {
  'POST /members': everyone,
  'POST /session': everyone,
  'GET /sign-in': everyone,
  // What lies between two requests of one sign-in is sealed in the browser that makes them.
  'POST /session/second-factor': everyone,
  'POST /session/passkey/options': everyone,
  'POST /session/passkey': everyone,
  'POST /session/provider': everyone,
  'POST /session/provider/return': everyone,
  'POST /session/provider/link': everyone,
  'GET /session': rule('yes', 'own', 'own'),
  'DELETE /session': rule('yes', 'own', 'own'),
  // What the links in mails lead to: the token in the body says whose mails are meant.
  'POST /mail/unsubscribe': everyone,
  'POST /mail/confirmation': everyone,
  'POST /mail/password': everyone,
  'POST /mail/address': everyone,
  'POST /mail/old-address': everyone,
  'GET /password-resets': everyone,
  'POST /password-resets': everyone,

  'GET /sessions': self,
  'DELETE /sessions': self,
  'DELETE /sessions/{id}': owner,
  'PUT /password': self,
  'GET /second-factor': self,
  'PUT /second-factor': self,
  'POST /second-factor/setup': self,
  'POST /second-factor/recovery-codes': self,
  'POST /second-factor/removal': self,
  'GET /passkeys': self,
  'POST /passkeys': self,
  'POST /passkeys/options': self,
  'PUT /passkeys/{id}': owner,
  'POST /passkeys/{id}/removal': owner,
  'GET /provider-account': self,
  'POST /provider-account': self,
  'POST /provider-account/removal': self,
  'GET /settings': self,
  'PUT /settings': self,
  'GET /address': self,
  'PUT /address': self,
  'DELETE /address/change': self,
  'GET /download': self,
  'POST /departure': self,

  'GET /feeds/{feed}': members,
  'GET /topics': members,
  'GET /topics/{tag}': members,
  'GET /topics/{tag}/questions': members,
  'GET /topics/{tag}/activity': members,
  'GET /search': members,
  'GET /search/instant': members,
  'GET /audience': members,

  'GET /members': members,
  'GET /members/{id}': members,
  'GET /members/{id}/questions': members,
  'GET /members/{id}/answers': members,
  'GET /members/{id}/activity': members,
  'GET /members/{id}/reputation': members,

  'POST /questions': members,
  'POST /questions/similar': members,
  'GET /question-titles': members,
  'GET /questions/{id}': members,
  'PUT /questions/{id}': author,
  'DELETE /questions/{id}': author,
  'GET /questions/{id}/revisions': members,
  'GET /questions/{id}/revisions/{number}': members,
  'GET /questions/{id}/related': members,
  'GET /questions/{id}/members': members,
  'GET /questions/{id}/answers': members,
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
  'PUT /topics/{tag}/follow': members,
  'GET /following': self,
  'GET /following/questions': self,
  'GET /following/activity': self,
  'GET /following/topics': self,
  'GET /following/marks': self,

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
  'PUT /topics/{tag}/mute': members,
  'GET /mutes/topics': self,
  'GET /mutes/questions': self,

  'GET /drafts': self,
  'GET /drafts/{target}': self,
  'PUT /drafts/{target}': self,
  'DELETE /drafts/{target}': self,

  'GET /notifications': self,
  'PUT /notifications/read': self,
  'PUT /notifications/seen': self,
  'PUT /notifications/{id}/read': owner,
  'GET /notification-settings': self,
  'PUT /notification-settings/{category}': self,
  'POST /notification-settings/confirmation': self,
  'PUT /push-subscription': self,
  'DELETE /push-subscription': self,

  'PUT /questions/{id}/flag': rule('signed-out', 'yes', 'not-allowed'),
  'PUT /answers/{id}/flag': rule('signed-out', 'yes', 'not-allowed'),
  'PUT /replies/{id}/flag': rule('signed-out', 'yes', 'not-allowed'),
  'GET /questions/{id}/flag': self,
  'GET /answers/{id}/flag': self,
  'GET /replies/{id}/flag': self,
  'GET /questions/{id}/hidden': self,
  'GET /notices': self,
  'PUT /notices/seen': self,
  'GET /care/log': members,
  'GET /care/queue': moderatorsOnly,
  'POST /care/post-actions': moderatorsOnly,
  'POST /care/member-actions': moderatorsOnly,
  'GET /care/members/{id}': moderatorsOnly,
  'GET /moderation/registrations': moderatorsOnly,
  'GET /moderation/registrations/accounts': moderatorsOnly,
  'POST /moderation/approvals': moderatorsOnly,
  'POST /moderation/removals/preview': moderatorsOnly,
  'POST /moderation/removals': moderatorsOnly,
  'GET /moderation/removals': moderatorsOnly,
  'GET /moderation/removals/{id}': moderatorsOnly,
  'POST /moderation/removals/{id}/restoration': moderatorsOnly,
};

/** What concerns nobody but the member, their safety above all, goes on while they are suspended. */
const whileSuspended: ReadonlySet<string> = new Set([
  'DELETE /sessions',
  'DELETE /sessions/{id}',
  'PUT /password',
  'PUT /second-factor',
  'POST /second-factor/setup',
  'POST /second-factor/recovery-codes',
  'POST /second-factor/removal',
  'POST /passkeys',
  'POST /passkeys/options',
  'PUT /passkeys/{id}',
  'POST /passkeys/{id}/removal',
  'POST /provider-account',
  'POST /provider-account/removal',
  'PUT /address',
  'DELETE /address/change',
  'POST /departure',
  'PUT /notifications/read',
  'PUT /notifications/seen',
  'PUT /notifications/{id}/read',
  'PUT /notices/seen',
  'PUT /notification-settings/{category}',
  'POST /notification-settings/confirmation',
  'PUT /push-subscription',
  'DELETE /push-subscription',
]);

/** What each endpoint answers to whom. */
export const permissions: Readonly<Record<string, PermissionRule>> = Object.fromEntries(
  Object.entries(endpointRules).map(([name, three]) => [name, expandRule(name, three)]),
);

function expandRule(name: string, three: BaseRule): PermissionRule {
  const [visitor, other, owner] = three;
  const goesOn = visitor !== 'signed-out' || name.startsWith('GET ') || whileSuspended.has(name);
  return {
    'signed out': visitor,
    'another member': other,
    'author or owner': owner,
    'the same, suspended': goesOn ? owner : 'suspended',
    operator: three === moderatorsOnly ? 'yes' : other,
  };
}

/** What changes something that nobody else may ever learn of, besides what is said to be the member's own. */
export const privateWrites: ReadonlySet<string> = new Set([
  'PUT /questions/{id}/bookmark',
  'PUT /answers/{id}/bookmark',
  'PUT /questions/{id}/mute',
  'PUT /topics/{tag}/mute',
  'PUT /questions/{id}/flag',
  'PUT /answers/{id}/flag',
  'PUT /replies/{id}/flag',
]);

/** The member's own, and shown to everybody: name, bio and, if they like, address; and that they have left. */
export const publicWrites: ReadonlySet<string> = new Set(['PUT /settings', 'POST /departure']);

/** Which topics a live socket may listen to; `{id}` is that of the author's question or of the author. */
export const topicRules: Readonly<Record<string, PermissionRule>> = {
  feeds: expandRule('GET feeds', members),
  answers: expandRule('GET answers', members),
  activity: expandRule('GET activity', members),
  topics: expandRule('GET topics', members),
  'question:{id}': expandRule('GET question', members),
  'profile:{id}': expandRule('GET profile', members),
  'member:{id}': expandRule('GET member', rule('signed-out', 'not-allowed', 'yes')),
  care: { ...expandRule('GET care', rule('signed-out', 'not-allowed', 'not-allowed')), operator: 'yes' },
};

/** docs/permissions.md, whole. */
export function renderPermissionsDocument(operations: readonly Operation[]): string {
  const endpoints = operations.map(({ name, summary }) => row([`\`${name}\``, summary], permissions[name]));
  const sockets = Object.entries(topicRules).map(([topic, rule]) => row([`\`${topic}\``], rule));
  const heads = callerKinds.map((column) => ` ${column} |`).join('');
  const lines = callerKinds.map(() => ' --- |').join('');
  return `# Who may do what

Every endpoint of the API (\`/api/openapi.json\`), asked by each kind of caller about something of a member, its author or
owner. This page is written from \`tests/support/permissions.ts\` and each of its cells is tried over HTTP, on a real
database, by \`tests/integration/permissions.test.ts\`, which also fails where an endpoint has no row. After a change of rows:
\`npx node node_modules/vitest/vitest.mjs run tests/integration/permissions.test.ts --update\`.

- **yes**: it is done. **own**: it is done, about the caller's own things alone; those of others are neither told nor changed.
- A code is that of the refusal (\`/api/docs\`); what is refused has changed nothing. \`not-found\` is what is answered as well
  where there is nothing at all.
- No answer to a GET changes anything.

What a member keeps, mutes, drafts, reads and sets for themselves leaves every answer to others, and every event they can
hear, as it was; whose vote or follow it is that was counted is in none of them either. Both are tried with every
endpoint as well.

## Endpoints

| endpoint | what it does |${heads}
| --- | --- |${lines}
${endpoints.join('\n')}

## Topics of live sockets

| topic |${heads}
| --- |${lines}
${sockets.join('\n')}
`;
}

function row(first: readonly string[], rule: PermissionRule | undefined): string {
  return `| ${[...first, ...callerKinds.map((column) => rule?.[column] ?? '')].join(' | ')} |`;
}
