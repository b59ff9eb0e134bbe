import { sql } from 'kysely';
import webPush from 'web-push';
import { createConfirmationToken, createUnsubscribeToken } from '#server/notifications/preferences.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { type EndpointCall, findId, post, put, remove, type CallContext } from './endpoint-calls.ts';
import { signInAtProvider } from './oidc-provider.ts';
import { createLinkToken } from './email-links.ts';
import {
  addPasskey,
  SoftwareAuthenticator,
  type PasskeyOptions,
  createPasskeySignIn,
} from './webauthn-authenticator.ts';
import { moderationCalls, setupCalls } from './endpoint-calls-moderation.ts';
import { expectOk, type Member, password, register } from './member.ts';
import { createPngPicture } from './pictures.ts';
import { generateTotpCode, startTwoFactorSetup, enableTwoFactor } from './two-factor.ts';
import { defaultSettings } from './server.ts';
import { followUpRequests } from './sign-in-requests.ts';

/** Calls that write. */
export const writeCalls: Readonly<Record<string, (stage: CallContext) => Promise<EndpointCall[]>>> = {
  writing: postCalls,
  'voting, following, bookmarking and muting': voteAndFollowCalls,
  'setting the community up': setupCalls,
  moderation: moderationCalls,
  accounts: accountCalls,
};

async function postCalls({
  busy,
  hotQuestionId,
  hotAnswerId,
  hugeTag,
}: CallContext): Promise<EndpointCall[]> {
  const hot = `/questions/${hotQuestionId}`;
  const followers = { maxRows: 4500, reason: 'notifies each follower of the question' };
  const tags = [hugeTag, 'topic 77', 'another topic'];
  const asked = await busy.ask({ tags });
  const answered = await busy.answer(hotQuestionId);
  const replied = await busy.replyToAnswer(hotAnswerId);
  const commented = await busy.replyToQuestion(hotQuestionId);
  return [
    post(busy, '/questions', { title: 'What else?', content: 'So.', tags }),
    post(busy, `${hot}/answers`, { content: `As @Member said: so.` }, followers),
    post(busy, `${hot}/replies`, { content: 'So.', parentReplyId: null }),
    post(busy, `${hot}/replies`, { content: 'So.', parentReplyId: commented.id }),
    post(busy, `/answers/${hotAnswerId}/replies`, { content: 'So.', parentReplyId: replied.id }),
    put(
      busy,
      hot,
      { title: 'Question 1', content: 'What about it?', tags: [hugeTag, 'topic 78'] },
      {
        maxRows: 4500,
        reason: 'moves the answers of the question from the counts of old tags to those of new ones',
      },
    ),
    put(busy, `/answers/${answered.id}`, { content: 'It is so.' }),
    put(busy, `/replies/${replied.id}`, { content: 'It is.' }),
    put(busy, `${hot}/accepted-answer`, { answerId: answered.id }, followers),
    put(busy, `${hot}/accepted-answer`, { answerId: null }),
    put(busy, '/drafts/ask', {
      key: 'a-key-of-a-draft',
      fields: { content: 'So far.' },
      basedOn: null,
      clientId: 'a-browser',
      sequence: 1,
    }),
    post(busy, '/uploads', undefined, { file: createPngPicture() }),
    put(busy, '/settings/avatar', undefined, { file: createPngPicture() }),
    remove(busy, '/settings/avatar'),
    remove(busy, '/drafts/ask'),
    remove(busy, `/replies/${replied.id}`),
    remove(busy, `/replies/${commented.id}`),
    remove(busy, `/answers/${answered.id}`, {
      maxRows: 2100,
      reason: 'deletes the notification of each follower',
    }),
    remove(busy, `/questions/${asked}`),
  ];
}

async function voteAndFollowCalls({
  busy,
  rareFollower,
  db,
  hotQuestionId,
  hotAnswerId,
  hugeTag,
}: CallContext): Promise<EndpointCall[]> {
  const [question, answer] = [hotQuestionId, hotAnswerId];
  const reply = await findId(db, sql`select id from reply where answer_id = ${answer}`);
  const bookmark = await rareFollower.bookmark('questions', 2);
  const list = expectOk(await rareFollower.post<{ id: number }>('/bookmark-lists', { name: 'Later' })).id;
  const votes = ['up', 'down', null];
  return [
    ...[`/questions/${question}`, `/answers/${answer}`, `/replies/${reply}`].flatMap((path) =>
      votes.map((vote) => put(rareFollower, `${path}/vote`, { vote })),
    ),
    put(rareFollower, `/questions/${question}/view`),
    put(rareFollower, `/questions/${question}/view`),
    ...[true, false].flatMap((state) => [
      put(rareFollower, `/questions/${question}/follow`, { following: state }),
      put(rareFollower, `/tags/${hugeTag}/follow`, { following: state }),
      put(rareFollower, `/questions/${question}/mute`, { muted: state }),
      put(rareFollower, `/tags/${hugeTag}/mute`, { muted: state }),
      put(
        busy,
        `/questions/1999/bookmark`,
        { bookmarked: state },
        {
          maxRows: serverLimits.bookmarks,
          reason: 'counts up to the maximum of bookmarks',
        },
      ),
      put(rareFollower, `/questions/${question}/bookmark`, { bookmarked: state }),
      put(rareFollower, `/answers/${answer}/bookmark`, { bookmarked: state }),
    ]),
    put(rareFollower, `/bookmarks/${bookmark}/note`, { note: 'So.' }),
    post(rareFollower, '/bookmark-lists', { name: 'Sooner' }),
    put(rareFollower, `/bookmark-lists/${list}`, { name: 'Never' }),
    put(rareFollower, `/bookmarks/${bookmark}/lists`, { listIds: [list] }),
    remove(rareFollower, `/bookmark-lists/${list}`),
  ];
}

async function accountCalls({ busy, muting, rareFollower, db }: CallContext): Promise<EndpointCall[]> {
  const notification = await findId(
    db,
    sql`select id from notification where recipient_id = ${busy.id} and read_at is null`,
  );
  const session = await findId(
    db,
    sql`select id from session where member_id = ${busy.id} and token like 'token of%'`,
  );
  const device = {
    endpoint: 'https://fcm.googleapis.com/fcm/send/1',
    p256dh: webPush.generateVAPIDKeys().publicKey,
    auth: 'A'.repeat(22),
  };
  const address = { memberId: busy.id, email: busy.email };
  const scope = { ...address, scope: 'answers' } as const;
  const waiting = {
    maxRows: 4000,
    reason: 'reads the unsent notifications of the member, and time zones',
  };
  return [
    put(busy, '/notifications/seen', undefined, waiting),
    put(busy, `/notifications/${notification}/read`),
    put(busy, '/notifications/read', { upTo: null }, { maxRows: 5000, reason: 'marks all as read' }),
    put(
      busy,
      '/notification-preferences/answers',
      { inApp: true, email: 'daily', push: false, timeZone: 'Europe/Berlin' },
      waiting,
    ),
    post(busy, '/notification-preferences/confirmation'),
    post(busy, '/email/confirmation', { token: createConfirmationToken(defaultSettings, address) }),
    post(busy, '/email/unsubscribe', { token: createUnsubscribeToken(defaultSettings, scope) }, waiting),
    put(busy, '/push-subscription', device),
    remove(busy, '/push-subscription'),
    put(busy, '/settings', { displayName: 'Busy', bio: 'Writes.', showEmail: true }),
    remove(busy, `/sessions/${session}`),
    put(busy, '/password', { currentPassword: password, newPassword: password }),
    ...(await twoFactorCalls(busy)),
    ...(await passkeyCalls(busy)),
    ...(await apiTokenCalls(busy)),
    ...(await providerCalls(busy)),
    remove(busy, '/sessions'),
    put(busy, '/email-address', { email: 'busier@example.org', password }),
    put(busy, '/email-address/language', { language: 'de' }),
    put(busy, '/email-address/delivery', { enabled: true }),
    remove(busy, '/email-address/change'),
    post(busy, '/password-resets', { email: busy.email }),
    post(rareFollower, '/email/change', {
      token: await createLinkToken(db, { memberId: rareFollower.id, purpose: 'change_email' }),
    }),
    post(rareFollower, '/email/revert', {
      token: await createLinkToken(db, { memberId: rareFollower.id, purpose: 'revert_email' }),
    }),
    post(muting, '/email/password-reset', {
      token: await createLinkToken(db, { memberId: muting.id, purpose: 'reset_password' }),
      newPassword: password,
    }),
    post(busy, '/session', { email: busy.email, password }),
    remove(busy, '/session'),
    post(busy, '/members', { displayName: 'Newcomer', email: 'newcomer@example.org', password }),
    // The new member, who is signed in after registering.
    post(busy, '/account-deletion', { password, posts: 'delete' }),
  ];
}

async function twoFactorCalls(busy: Member): Promise<EndpointCall[]> {
  const careful = await register(busy.address, 'Careful');
  const key = await enableTwoFactor(careful);
  const half = await register(busy.address, 'Half');
  expectOk(await half.signIn(careful.email, password));
  const { setup, code } = await startTwoFactorSetup(busy);
  return [
    post(busy, '/two-factor/setup', { password }),
    put(busy, '/two-factor', { setup, code }),
    post(busy, '/two-factor/recovery-codes', { password }),
    post(busy, '/two-factor/removal', { password }),
    post(half, '/session/two-factor', { code: generateTotpCode(key, 1) }),
  ];
}

async function apiTokenCalls(busy: Member): Promise<EndpointCall[]> {
  const draft = { name: 'Script', scopes: ['read'], expiresInDays: 30, password };
  const { id } = expectOk(await busy.post<{ id: number }>('/api-tokens', draft));
  return [post(busy, '/api-tokens', draft), remove(busy, `/api-tokens/${id}`)];
}

async function passkeyCalls(busy: Member): Promise<EndpointCall[]> {
  const { authenticator, id } = await addPasskey(busy);
  const browser = await register(busy.address, 'Keyed');
  const signIn = await createPasskeySignIn(browser, authenticator);
  const options = expectOk(await busy.post<PasskeyOptions>('/passkeys/options', { password }));
  const credential = new SoftwareAuthenticator().create(options, busy.address);
  return [
    post(browser, '/session/passkey', signIn),
    post(browser, '/session/passkey/options'),
    post(busy, '/passkeys', { name: 'Phone', credential }),
    post(busy, '/passkeys/options', { password }),
    put(busy, `/passkeys/${id}`, { name: 'Key' }),
    post(busy, `/passkeys/${id}/removal`, { password }),
  ];
}

async function providerCalls(busy: Member): Promise<EndpointCall[]> {
  const begin = { provider: 'oidc', next: '/topics' };
  /** A browser that returns from the sign-in provider. */
  async function back(name: string, path: string, body: object, email: string) {
    const browser = name === 'Busy' ? busy : await register(busy.address, name);
    const { url } = expectOk(await browser.post<{ url: string }>(path, body));
    return { browser, body: { query: await signInAtProvider(url, email) } };
  }
  const visitor = await back('Visitor', '/session/provider', begin, 'visitor@example.net');
  const known = await back('Known', '/session/provider', begin, busy.email);
  expectOk(await known.browser.post('/session/provider/callback', known.body));
  const own = await back('Busy', '/provider-accounts/oidc', { password }, 'busy@example.net');
  expectOk(await busy.post('/session/provider/callback', own.body));
  const keyed = await register(busy.address, 'Linker');
  const newcomer = await register(busy.address, 'Newcomer');
  await followUpRequests['POST /session/provider/registration']?.(newcomer);
  return [
    post(visitor.browser, '/session/provider/callback', visitor.body),
    post(visitor.browser, '/session/provider', begin),
    post(busy, '/provider-accounts/oidc/removal', { password }),
    post(known.browser, '/session/provider/link', { password }),
    post(newcomer, '/session/provider/registration', { signUpAnswers: [] }),
    post(keyed, '/provider-accounts/oidc', { password }),
  ];
}
