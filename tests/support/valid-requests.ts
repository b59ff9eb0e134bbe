import { addProfileClaim } from './imported-profile.ts';
import { eventually } from './eventually.ts';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import webPush from 'web-push';
import { beginRemoval } from '#server/moderation/removals.ts';
import { runActivityRemovals } from '#server/moderation/activity-removal.ts';
import type { Database } from '#server/core/database.ts';
import { createConfirmationToken, createUnsubscribeToken } from '#server/notifications/preferences.ts';
import { createLinkToken, type EmailLinkPurpose } from './email-links.ts';
import { createPngPicture } from './pictures.ts';
import { addPasskey } from './webauthn-authenticator.ts';
import { expectOk, type Member, password, register } from './member.ts';
import type { Operation } from './openapi.ts';
import { signToken } from '#server/core/signed-tokens.ts';
import { changeSetting } from '#server/admin/settings.ts';
import { createInvitation } from '#server/identity/invitations.ts';
import { findId } from './endpoint-calls.ts';
import { defaultSettings } from './server.ts';
import { unreachableEmailServer } from './server-with-provider.ts';
import { followUpRequests } from './sign-in-requests.ts';

/** A request that the API must accept from the member it was created for. */
export type ValidRequest = {
  path: string;
  body: Record<string, unknown> | undefined;
  file?: Uint8Array | undefined;
  headers: Record<string, string>;
};

/** Creates a request for an operation, sent by `sender`, about data of `owner`. */
export type CreateValidRequest = (
  operation: Operation,
  sender: Member,
  owner: Member,
) => Promise<ValidRequest>;

/**
 * Creates valid requests for every operation of the API. Throws for unknown paths and fields, so that new endpoints
 * need an example. `ann` and `bob` write the posts that requests need.
 */
export function createValidRequests({
  ann,
  bob,
  db,
}: {
  ann: Member;
  bob: Member;
  db: Database;
}): CreateValidRequest {
  /** Creates data of `owner` for the parameter of each path; the longest matching prefix is used. */
  const places: Record<string, (owner: Member, sender: Member) => Promise<number | string>> = {
    '/questions/{id}': (owner) => owner.ask({ tags: ['bread'] }),
    '/answers/{id}': async (owner) => (await owner.answer(await ann.ask())).id,
    '/replies/{id}': async (owner) => (await owner.replyToAnswer((await ann.answer(await ann.ask())).id)).id,
    '/sessions/{id}': async (owner) =>
      (await itemsOf(await owner.signInElsewhere(), '/sessions'))[0]?.id ?? 0,
    '/notifications/{id}': async (owner) => {
      await (owner === ann ? bob : ann).replyToQuestion(await owner.ask());
      return (await itemsOf(owner, '/notifications'))[0]?.id ?? 0;
    },
    '/drafts/{target}': async () => 'ask',
    '/bookmarks/{id}': async (owner) => {
      const path = `/questions/${await ann.ask()}/bookmark`;
      return expectOk(await owner.put<{ id: number }>(path, { bookmarked: true })).id;
    },
    '/bookmark-lists/{id}': async (owner) =>
      expectOk(await owner.post<{ id: number }>('/bookmark-lists', { name: `For later ${next()}` })).id,
    '/api-tokens/{id}': async (owner) =>
      expectOk(await owner.post<{ id: number }>('/api-tokens', apiTokenDraft())).id,
    '/passkeys/{id}': async (owner) => (await addPasskey(owner)).id,
    // Nothing listens at the port.
    '/members/{id}/claim': async (_, sender) => {
      const claim = { memberId: sender.id, isRequested: false, site: '127.0.0.1:1', key: String(next()) };
      return (await addProfileClaim(db, claim)).profileId;
    },
    '/members/{id}': async (owner) => owner.id,
    '/moderation/members/{id}': async (owner) => owner.id,
    '/moderation/sign-ins/{id}': async (owner) =>
      findId(db, sql`select max(id) as id from sign_in where member_id = ${owner.id}`),
    // Moderators change their own notes only.
    '/moderation/notes/{id}': async (_, sender) => {
      await sql`insert into member_note (member_id, author_id, text)
        values (${bob.id}, ${sender.id}, 'Ask before you suspend.')`.execute(db);
      return findId(db, sql`select max(id) as id from member_note`);
    },
    '/held-posts/{id}': async (owner) => {
      await sql`insert into held_post (post_kind, post_id, member_id, question_id, content)
        values ('answer', nextval('answer_id_seq'), ${owner.id}, ${await ann.ask()}, 'Three days.')`.execute(
        db,
      );
      return findId(db, sql`select max(id) as id from held_post`);
    },
    '/hidden-posts/{id}': async (owner) => {
      const questionId = await owner.ask();
      await sql`insert into hidden_post (post_kind, post_id, question_id, author_id, status, reason)
        values ('question', ${questionId}, ${questionId}, ${owner.id}, 'hidden', 'Off topic.')`.execute(db);
      const hidden = await findId(db, sql`select max(id) as id from hidden_post`);
      await sql`update base_question set hidden_by = ${hidden} where id = ${questionId}`.execute(db);
      return hidden;
    },
    '/edit-suggestions/{id}': async (owner, sender) => {
      const others = owner === bob ? ann : bob;
      const questionId = await (owner === ann && sender !== others ? sender : others).ask();
      await sql`insert into edit_suggestion (question_id, member_id, summary, title, content, tags, base_title, base_content, base_tags)
        select id, ${owner.id}, 'Clearer', 'Better?', content, '{bread}', title, content, '{}'
        from question where id = ${questionId}`.execute(db);
      return findId(db, sql`select max(id) as id from edit_suggestion`);
    },
    '/moderation/tag-proposals/{id}': async () => {
      const name = `rye ${next()}`;
      await sql`with proposal as (insert into tag_proposal (name, key) values (${name}, ${name}) returning id),
        queued as (insert into review_item (tag_proposal_id, open_reports, other_cause) select id, 0, 'tag_proposal' from proposal)
        insert into tag_proposal_question (proposal_id, question_id, member_id)
        select id, ${await ann.ask()}, ${ann.id} from proposal`.execute(db);
      return findId(db, sql`select max(id) as id from tag_proposal`);
    },
    '/moderation/queue/{id}': async () => {
      expectOk(await bob.put(`/questions/${await ann.ask()}/report`, { reason: 'spam', note: '' }));
      return findId(db, sql`select max(id) as id from review_item`);
    },
    // A member to merge, with two-factor authentication to reset.
    '/admin/members/{id}/': async () => {
      const { id } = await register(ann.address, 'Twin');
      await sql`insert into two_factor (member_id, encrypted_key) values (${id}, 'key')`.execute(db);
      return id;
    },
    '/admin/settings/{name}': async () => 'tagCreation',
    '/provider-accounts/{id}': async () => 'oidc',
    '/admin/sign-in-providers/{id}': async () => {
      await sql`insert into sign_in_provider
          (id, name, issuer, client_id, encrypted_client_secret, scopes, trusts_email, position)
        values ('example', 'Example', 'https://id.example.org', 'parley', 'unreadable', 'openid', false, 0)
        on conflict (id) do update set name = excluded.name`.execute(db);
      return 'example';
    },
    '/admin/webhooks/{id}': async () => {
      const hooks = await sql<{ id: number }>`
        insert into webhook (name, address, format, events, encrypted_secret, paused_until)
        values (${`Hook ${next()}`}, 'https://example.invalid/', 'standard', '{question.restored}', 'unreadable',
          now() + interval '1 day')
        returning id`.execute(db);
      const id = hooks.rows[0]?.id ?? 0;
      await sql`delete from webhook where id < ${id} - 10`.execute(db);
      await sql`
        insert into webhook_delivery (webhook_id, message_id, resource, event_type, occurred_at)
        values (${id}, ${`msg_0123456789abcdef${next()}`}, 'test', 'webhook.test', now())`.execute(db);
      return id;
    },
    '/admin/service-accounts/{id}': async () => {
      await sql`delete from service_account where member_id <> all(array(
        select member_id from service_account order by member_id desc limit 10))`.execute(db);
      const id = await findId(
        db,
        sql`with added as (insert into member (display_name, is_bot) values (${`Bot ${next()}`}, true) returning id),
          account as (insert into service_account (member_id, requests_per_minute, posts_per_hour)
            select id, 300, 30 from added returning member_id as id)
          select id from account`,
      );
      await sql`
        insert into api_token (member_id, name, hash, scopes, expires_at)
        values (${id}, 'CI', decode(md5(${String(id)}) || md5(${`second ${id}`}), 'hex'), '{read}', now() + interval '1 day')`.execute(
        db,
      );
      return id;
    },
    '/admin/pictures/{name}': async () => 'logo',
    '/admin/emails/{kind}': async () => 'warning',
    '/admin/invitations/{id}': async () => (await createInvitation(db, invitationBy(ann))).id,
    '/moderation/applications/{id}': async () => {
      const id = await newcomer();
      await sql`update member set application = 'waiting' where id = ${id}`.execute(db);
      return id;
    },
    '/moderation/claims/{id}': async () => {
      const claim = {
        memberId: await newcomer(),
        isRequested: true,
        site: 'old.example.org',
        key: String(next()),
      };
      return (await addProfileClaim(db, claim)).claimId;
    },
    '/moderation/removals/{id}': async () => {
      const selection = { memberIds: [await newcomer()], network: null, from: null, to: null };
      const remover = { moderatorId: null };
      const removalId = await beginRemoval(db, { selection, reason: 'Advertisements.', remover });
      await runActivityRemovals(db, Date.now() + 60_000);
      return removalId;
    },
    '/moderation/tags/{tag}': async () => {
      await ann.ask({ tags: ['bread', 'loaf'] });
      await sql`insert into tag (name, key, synonym_of) select 'toast', 'toast', id from tag where key = 'bread'
        on conflict (key) do update set synonym_of = excluded.synonym_of`.execute(db);
      return 'bread';
    },
    '/moderation/announcements/{id}': async () =>
      findId(
        db,
        sql`with posted as (insert into announcement (text) values (${`News ${next()}`}) returning id)
        select id from posted`,
      ),
    '/site-pages/{name}': async () => {
      await changeSetting(db, { adminId: null, name: 'rulesPage', value: `Rule ${next()}.` });
      await eventually(async () => (await ann.get('/site-pages/rules')).status === 200);
      return 'rules';
    },
    '/tags/{tag}': async () => 'bread',
    '/feeds/{feed}': async () => 'recent',
    '/notification-preferences/{category}': async () => 'answers',
  };

  /** Whole bodies whose fields depend on each other. */
  const bodies: Record<string, () => Promise<Record<string, unknown>>> = {
    'POST /moderation/post-actions': async () => {
      const more = { reason: 'Cooling down.', duplicateOf: null, queueItemId: null };
      return { action: 'lock', kind: 'question', id: await ann.ask(), ...more };
    },
    'POST /moderation/member-actions': async () => {
      return { action: 'warn', memberId: ann.id, reason: 'Please link your sources.', until: null };
    },
    'PUT /edit-suggestions/{id}/decision': async () => ({
      decision: 'approve',
      basedOn: null,
      reason: '',
      texts: null,
    }),
    'PUT /moderation/applications/{id}/decision': async () => ({ decision: 'approve', reason: '' }),
    'PUT /moderation/tag-proposals/{id}/decision': async () => ({
      decision: 'approve',
      synonymOf: '',
      reason: '',
    }),
    'PUT /questions/{id}/close-votes': async () => ({ vote: 'close', duplicateOf: await bob.ask() }),
    'POST /setup': async () => {
      const token = signToken({ secret: defaultSettings.secret, purpose: 'setup' }, 'setup');
      const account = { displayName: `Owner ${next()}`, email: `owner${next()}@example.org`, password };
      const chosen = { siteName: 'Baking', siteDescription: 'Bread.', joining: 'open', publicReading: false };
      return { token, ...chosen, account };
    },
    'POST /api-tokens': async () => apiTokenDraft(),
    'POST /invitation': async () => {
      // The link of a member would not work.
      const { rows } = await sql<{ id: number }>`
        insert into member (display_name, email, role)
        values ('Inviter', ${`inviter${next()}@example.org`}, 'moderator') returning id`.execute(db);
      return { token: (await createInvitation(db, invitationBy(rows[0] ?? ann))).token };
    },
    'POST /admin/invitations': async () => invitationBy(ann).draft,
    'POST /admin/emails/tests': async () => ({ kind: 'test', language: 'de' }),
    'PUT /admin/members/{id}/role': async () => ({ role: 'member' }),
    'POST /admin/members/{id}/merge': async () => ({ into: bob.id, name: 'Twin' }),
    'PUT /admin/settings/{name}': async () => ({ value: 'everyone' }),
    'POST /admin/settings/undo': async () => {
      await changeSetting(db, { adminId: null, name: 'siteDescription', value: `Purpose ${next()}` });
      return { entryId: await findId(db, sql`select max(id) as id from moderation_log`) };
    },
    'POST /session/provider': async () => ({ provider: 'oidc' }),
    'POST /admin/sign-in-providers': async () => ({
      id: `provider-${next()}`,
      ...providerValues(`https://id${next()}.example.org`),
      clientSecret: 'of the client',
    }),
    'PUT /admin/sign-in-providers/{id}': async () => ({
      ...providerValues('https://id.example.org'),
      clientSecret: null,
    }),
    // Nothing listens at the port.
    'POST /admin/sign-in-providers/checks': async () => ({ issuer: 'http://127.0.0.1:1' }),
    'PUT /admin/sign-in-provider-order': async () => ({
      ids: (await sql<{ id: string }>`select id from sign_in_provider order by id`.execute(db)).rows.map(
        ({ id }) => id,
      ),
    }),
    'POST /admin/sign-in-providers/undo': async () => {
      await places['/admin/sign-in-providers/{id}']?.(ann, ann);
      await sql`insert into moderation_log (action, reason, subject, before, after)
        values ('change_sign_in_provider', '', 'example', '{"name":"Before"}', '{"name":"Example"}')`.execute(
        db,
      );
      return { entryId: await findId(db, sql`select max(id) as id from moderation_log`) };
    },
    'POST /admin/webhooks': async () => webhookValues,
    'PUT /admin/webhooks/{id}': async () => webhookValues,
    'POST /admin/service-accounts': async () => serviceAccountValues,
    'PUT /admin/service-accounts/{id}': async () => serviceAccountValues,
    'POST /admin/service-accounts/{id}/tokens': async () => ({
      name: 'Release script',
      scopes: ['read', 'write'],
      expiresInDays: 90,
      password,
    }),
    'POST /admin/service-accounts/{id}/deletion': async () => ({ posts: 'keep', password }),
    'PUT /moderator-messages/seen': async () => ({ upTo: 1 }),
    'POST /moderation/tag-changes': async () => {
      const tag = `brot ${next()}`;
      await ann.ask({ tags: [tag, 'loaf'] });
      return { kind: 'merge', tag, to: 'loaf', reason: 'The same thing.', keepSynonym: true };
    },
    'POST /moderation/announcements': async () => {
      const tag = `news ${next()}`;
      await ann.ask({ tags: [tag] });
      return { questionId: null, text: 'We meet on Friday.', link: '/search', tag, until: null };
    },
    'PUT /moderation/notes/{id}/deletion': async () => ({ deleted: true }),
    'POST /moderation/approvals': async () => {
      const id = await newcomer();
      await sql`insert into registration (member_id, pending_step) values (${id}, 'moderator')
        on conflict (member_id) do update set pending_step = 'moderator'`.execute(db);
      return { memberIds: [id] };
    },
    'PUT /members/{id}/claim/request': async () => ({ message: 'My address there is this one.' }),
    'PUT /moderation/claims/{id}/decision': async () => ({
      decision: 'approve',
      reason: 'The same address.',
    }),
    'POST /moderation/removals/preview': async () => selected(await newcomer()),
    'POST /moderation/removals': async () => ({ ...selected(await newcomer()), reason: 'Advertisements.' }),
  };
  const findToken = (memberId: number) =>
    findId(db, sql`select max(id) as id from api_token where member_id = ${memberId}`);
  const newcomer = async () => (await register(ann.address, 'Seller')).id;
  const selected = (id: number) => ({ memberIds: [id], network: null, from: null, to: null });

  return async ({ name, path, body }, sender, owner) => {
    const owned = path.replace(/^\/viewer/, '');
    const place = Object.keys(places).find((beginning) => owned.startsWith(beginning));
    if (path.includes('{') && place === undefined) throw new Error(`no example for the path ${path}`);
    // Members cannot report their own posts, suggest edits to them, or decide about their own suggestions. Moderators have
    // no notes on themselves.
    const from =
      /\/(?:report|edit-suggestions|decision|notes)$/u.test(path) && owner === sender ? ann : owner;
    const value = place === undefined ? '' : await places[place]?.(from, sender);
    const right = { ...(await bodies[name]?.()), ...(await followUpRequests[name]?.(sender)) };
    for (const field of Object.keys(body?.properties ?? {}).filter((known) => !(known in right))) {
      const purpose = field === 'token' ? linkPurposes[name] : undefined;
      right[field] = purpose
        ? await createLinkToken(db, { memberId: sender.id, purpose })
        : fieldOf(name, field, sender);
    }
    const named = path
      .replace('{synonym}', 'toast')
      .replace(
        '{deliveryId}',
        `${await findId(db, sql`select coalesce(max(id), 1) as id from webhook_delivery`)}`,
      )
      .replace('{tokenId}', `${path.includes('{tokenId}') ? await findToken(Number(value)) : ''}`)
      .replace(/\{\w+\}/, `${value}`)
      .replace('{number}', '1');
    const query = path.endsWith('/merge-preview')
      ? `?into=${bob.id}`
      : path.endsWith('/answers/position')
        ? `?kind=answer&post=${(await bob.answer(Number(value))).id}`
        : '';
    return {
      path: `${named}${query}`,
      body: body && right,
      file: files[name]?.(),
      headers: headers[name] ?? {},
    };
  };
}

async function itemsOf(member: Member, path: string) {
  return expectOk(await member.get<{ items: { id: number }[] }>(path)).items;
}

function fieldOf(operation: string, field: string, { id: memberId, email }: Member): unknown {
  if (operation === 'POST /email/unsubscribe')
    return createUnsubscribeToken(defaultSettings, { memberId, email, scope: 'answers' });
  if (operation === 'POST /email/confirmation')
    return createConfirmationToken(defaultSettings, { memberId, email });
  // Signing in needs an existing address.
  if (operation === 'POST /session' && field === 'email') return email;
  if (!(field in fields)) throw new Error(`no example for the field ${field} of ${operation}`);
  return exampleValue(field, operation);
}

const apiTokenDraft = () => ({ name: 'Script', scopes: ['read'], expiresInDays: 30, password });

/** Bodies that are files. */
const files: Record<string, () => Uint8Array> = {
  'POST /uploads': createPngPicture,
  'PUT /settings/avatar': createPngPicture,
  'PUT /admin/pictures/{name}': createPngPicture,
  'POST /received-emails': () => Buffer.from('From: ann@example.org\nTo: info@example.org\n\nHello\n'),
};

/** Headers beyond those of every request. */
const headers: Record<string, Record<string, string>> = {
  'POST /received-emails': { authorization: `Bearer ${unreachableEmailServer.replySecret}` },
};

/** The purposes of the email links of these operations. */
const linkPurposes: Record<string, EmailLinkPurpose> = {
  'POST /email/password-reset': 'reset_password',
  'POST /email/change': 'change_email',
  'POST /email/revert': 'revert_email',
};

/** A valid value for a field of any body, unique where needed; undefined for unknown fields. */
export function exampleValue(field: string, operation: string): unknown {
  // Elsewhere `email` is an address.
  if (field === 'email' && operation.startsWith('PUT /notification-preferences/')) return 'daily';
  return fields[field]?.();
}

const fields: Record<string, () => unknown> = {
  displayName: () => 'Newcomer',
  email: () => `newcomer${next()}@example.org`,
  password: () => password,
  confirmPassword: () => password,
  currentPassword: () => password,
  newPassword: () => password,
  language: () => 'de',
  enabled: () => true,
  active: () => true,
  // Optional while anyone may join.
  invitation: () => undefined,
  // There are no questions.
  signUpAnswers: () => [],
  title: () => 'Is this right?',
  content: () => 'It is.',
  tags: () => ['bread'],
  proposedTags: () => undefined,
  description: () => 'Baked from dough',
  about: () => 'Of *flour* and water.',
  parentReplyId: () => null,
  answerId: () => null,
  vote: () => 'up',
  following: () => true,
  upTo: () => null,
  bio: () => 'Bakes.',
  location: () => 'Bonn',
  website: () => 'https://example.org/',
  showEmail: () => true,
  basedOn: () => null,
  key: () => 'a-draft-and-what-it-posts',
  fields: () => ({ content: 'So far.' }),
  clientId: () => 'a-browser-of-bobs',
  sequence: () => 1,
  bookmarked: () => true,
  takeOver: () => false,
  text: () => 'It is on topic.',
  note: () => 'Try this on Sunday.',
  summary: () => 'Clearer.',
  listIds: () => [],
  bookmarkedAt: () => '2026-01-01T00:00:00.000Z',
  name: () => `To read ${next()}`,
  muted: () => true,
  inApp: () => true,
  push: () => false,
  timeZone: () => 'Europe/Berlin',
  endpoint: () => `https://fcm.googleapis.com/fcm/send/${next()}`,
  p256dh: () => webPush.generateVAPIDKeys().publicKey,
  reason: () => 'spam',
  posts: () => 'keep',
  next: () => '/topics',
  auth: () => randomBytes(16).toString('base64url'),
};

const serviceAccountValues = {
  displayName: 'Release notes',
  bio: 'Posts what is new.',
  requestsPerMinute: 300,
  postsPerHour: 30,
};

const webhookValues = {
  name: 'Bridge',
  address: 'https://example.invalid/hook',
  format: 'standard',
  events: ['question.restored'],
  tags: [],
};

const providerValues = (issuer: string) => {
  const more = { scopes: 'openid email', trustsEmail: false };
  return { name: 'Example', issuer, clientId: 'parley', ...more };
};

let used = 0;
const next = () => ++used;

const invitationBy = ({ id }: Pick<Member, 'id'>) => ({
  createdBy: id,
  draft: { note: '', maxUses: 1, expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
});
