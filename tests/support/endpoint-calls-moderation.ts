import { addProfileClaim } from './imported-profile.ts';
import { type Member, password, register } from './member.ts';
import { type RawBuilder, sql } from 'kysely';
import { beginRemoval } from '#server/moderation/removals.ts';
import { changeSetting } from '#server/admin/settings.ts';
import { findSetupLink } from '#server/admin/setup.ts';
import { createInvitation } from '#server/identity/invitations.ts';
import { setRole } from '#server/admin/roles.ts';
import { runActivityRemovals } from '#server/moderation/activity-removal.ts';
import type { Database } from '#server/core/database.ts';
import type { PostAction } from '#shared/moderation/moderation.ts';
import { defaultSettings } from './server.ts';
import { createPngPicture } from './pictures.ts';
import { encodeCursor } from '#server/core/cursor.ts';
import { type EndpointCall, get, findId, post, put, remove, type CallContext } from './endpoint-calls.ts';

/** The set-up by a member, while there is no admin. */
export async function setupCalls({ rareFollower, db }: CallContext): Promise<EndpointCall[]> {
  await sql`update member set role = 'member' where role = 'admin'`.execute(db);
  await sql`delete from setting where name = 'set_up_at'`.execute(db);
  const link = await findSetupLink(db, { ...defaultSettings, address: rareFollower.address });
  const chosen = { siteName: 'Baking', siteDescription: 'Bread.', joining: 'open', publicReading: false };
  return [
    get(rareFollower, '/setup'),
    post(rareFollower, '/setup', { token: link?.split('#')[1], ...chosen, account: null }),
  ];
}

/** Calls for reports by members and for actions of moderators. */
export async function moderationCalls({
  busy,
  rareFollower,
  db,
  hotQuestionId,
  hotAnswerId,
}: CallContext): Promise<EndpointCall[]> {
  await setRole(db, { email: rareFollower.email, role: 'admin' });
  const asked = await busy.ask({ tags: ['topic 77'] });
  await busy.ask({ tags: ['merged topic', 'renamed topic', 'abusive topic'] });
  const answered = await busy.answer(asked);
  const replied = await busy.replyToAnswer(answered.id);
  const reply = await findId(db, sql`select id from reply where answer_id = ${hotAnswerId}`);
  await sql`with twin as (insert into member (display_name) values ('Twin') returning id)
    insert into two_factor (member_id, encrypted_key) select id, 'key' from twin`.execute(db);
  const twin = await findId(db, sql`select id from member where display_name = 'Twin'`);
  const inactive = await findId(
    db,
    // One who can sign in, and so have a role.
    sql`select id from member
      where questions_count = 0 and answers_count = 0 and role = 'member' and email is not null order by id`,
  );
  const [other, waiting, removed] = await idsOf(
    db,
    sql`select id from member where questions_count = 0 and answers_count = 0 and role = 'member' and id <> ${inactive}
      order by id limit 3`,
  );
  await sql`insert into registration (member_id, network, pending_step)
    values (${other}, '192.0.2.1', null), (${waiting}, '192.0.2.1', 'moderator')
    on conflict (member_id) do update set network = excluded.network, pending_step = excluded.pending_step`.execute(
    db,
  );
  const selection = { memberIds: [removed], network: null, from: null, to: null };
  const done = await beginRemoval(db, { selection, reason: 'So.', remover: { moderatorId: null } });
  await runActivityRemovals(db, Date.now() + 60_000);
  await changeSetting(db, { adminId: null, name: 'rulesPage', value: 'Be kind.' });
  await changeSetting(db, { adminId: null, name: 'siteDescription', value: 'Cakes.' });
  const claimed = await addProfileClaim(db, {
    memberId: other,
    isRequested: true,
    site: '127.0.0.1:1',
    key: '5',
  });
  const [applicant, refused] = [await addApplicant(busy.address, db), await addApplicant(busy.address, db)];
  const invitation = { note: '', maxUses: 5, expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
  const open = await createInvitation(db, { createdBy: rareFollower.id, draft: invitation });
  const changed = await findId(db, sql`select max(id) as id from moderation_log`);
  await sql`with added as (
      insert into sign_in_provider (id, name, issuer, client_id, encrypted_client_secret, scopes, trusts_email, position)
      values ('first', 'Example', 'https://first.example.org', 'parley', 'unreadable', 'openid', false, 0)
    )
    insert into moderation_log (action, reason, subject, before, after)
    values ('change_sign_in_provider', '', 'first', '{"name":"Before"}', '{"name":"Example"}')`.execute(db);
  const changedProvider = await findId(db, sql`select max(id) as id from moderation_log`);
  const webhookDelivery = await findId(
    db,
    sql`with hook as (
        insert into webhook (name, address, format, events, encrypted_secret)
        values ('Hook', 'https://example.invalid/', 'standard', '{question.restored}', 'unreadable') returning id
      ), delivered as (
        insert into webhook_delivery (webhook_id, message_id, resource, event_type, occurred_at)
        select id, 'msg_0123456789abcdef', 'test', 'webhook.test', now() from hook returning id
      )
      select id from delivered`,
  );
  const webhookId = await findId(db, sql`select max(id) as id from webhook`);
  const webhook = {
    name: 'Hook',
    address: 'https://example.invalid/hook',
    format: 'standard',
    events: ['question.restored'],
    tags: [],
  };
  const serviceTokenId = await findId(
    db,
    sql`with added as (
        insert into member (display_name, is_bot) values ('Robot', true) returning id
      ), account as (
        insert into service_account (member_id, requests_per_minute, posts_per_hour)
        select id, 300, 30 from added returning member_id
      ), token as (
        insert into api_token (member_id, name, hash, scopes, expires_at)
        select member_id, 'CI', sha256('token of the robot'), '{read}', now() + interval '1 day' from account
        returning id
      )
      select id from token`,
  );
  const serviceAccountId = await findId(db, sql`select max(member_id) as id from service_account`);
  const serviceAccount = { displayName: 'Robot', bio: '', requestsPerMinute: 300, postsPerHour: 30 };
  const provider = { name: 'Example', clientId: 'parley', scopes: 'openid email', trustsEmail: true };
  const second = { ...provider, issuer: 'https://second.example.org' };
  const announcementId = await findId(
    db,
    sql`with posted as (insert into announcement (text) values ('Meeting') returning id) select id from posted`,
  );
  const about = (action: PostAction, more: object = {}) =>
    post(rareFollower, '/moderation/post-actions', {
      action,
      kind: 'question',
      id: asked,
      reason: 'So.',
      ...more,
    });
  const member = (action: string, until: string | null = null) =>
    post(rareFollower, '/moderation/member-actions', { action, memberId: inactive, reason: 'So.', until });
  await sql`insert into review_item (post_kind, post_id, open_reports, other_cause)
    values ('reply', ${replied.id}, 0, 'links')`.execute(db);
  const item = await findId(
    db,
    sql`select id from review_item where post_kind = 'reply' and post_id = ${replied.id}`,
  );
  const objected = await busy.ask();
  await rareFollower.post('/moderation/post-actions', {
    action: 'hide',
    kind: 'question',
    id: objected,
    reason: 'So.',
  });
  const ownHidden = await findId(
    db,
    sql`select id from hidden_post where post_kind = 'question' and post_id = ${objected}`,
  );
  const discussed = await busy.ask({ tags: ['topic 77'] });
  const hold = async () => {
    await sql`insert into held_post (post_kind, post_id, member_id, question_id, content)
      values ('answer', nextval('answer_id_seq'), ${busy.id}, ${discussed}, 'Wait.')`.execute(db);
    return findId(db, sql`select max(post_id) as id from held_post`);
  };
  const propose = async (name: string) => {
    await sql`
      with proposal as (insert into tag_proposal (name, key) values (${name}, ${name}) returning id), queued as (
        insert into review_item (tag_proposal_id, open_reports, other_cause) select id, 0, 'tag_proposal' from proposal
      )
      insert into tag_proposal_question (proposal_id, question_id, member_id, reason)
      select proposal.id, question.id, author_id, 'So.' from proposal, (
        select id, author_id from question where author_id = ${busy.id} order by id desc limit 20
      ) question`.execute(db);
    return findId(db, sql`select max(id) as id from tag_proposal`);
  };
  const [approvedTag, synonymTag, rejectedTag] = [
    await propose('kombucha'),
    await propose('sauerkraut'),
    await propose('miso paste'),
  ];
  await propose('kefir');
  const proposalItem = await findId(db, sql`select max(id) as id from review_item`);
  const [approved, rejected] = [await hold(), await hold()];
  await hold();
  const ownHeld = await findId(db, sql`select max(id) as id from held_post`);
  const suggest = async (memberId: number) => {
    await sql`insert into edit_suggestion (answer_id, post_author_id, member_id, summary, content, base_content)
      select id, author_id, ${memberId}, 'Clearer', 'Better.', content from answer where id = ${hotAnswerId}`.execute(
      db,
    );
    return findId(db, sql`select max(id) as id from edit_suggestion`);
  };
  const [approvedEdit, rejectedEdit] = [await suggest(inactive), await suggest(other ?? inactive)];
  const ownEdit = await suggest(busy.id);
  const edit = { content: 'Better.', summary: 'Clearer' };
  const seen = await findEditedAt(db, hotAnswerId);
  await sql`
    insert into sign_in (member_id, method, address, network)
    select id, 'password', '192.0.2.1', '192.0.2.0/24' from member, generate_series(1, 3) where email is not null`.execute(
    db,
  );
  const signIn = await findId(db, sql`select max(id) as id from sign_in where member_id = ${busy.id}`);
  await sql`
    insert into member_note (member_id, author_id, text)
    select ${busy.id}::bigint, ${rareFollower.id}, 'So.' from generate_series(1, 100)`.execute(db);
  const note = await findId(db, sql`select max(id) as id from member_note`);
  const lastRow = encodeCursor({ after: 0, id: 1_000_000 });
  const laterPost = encodeCursor({ after: Date.now() - 60_000, id: 1_000_000, score: 1 });
  const flags = [`/questions/${hotQuestionId}`, `/answers/${hotAnswerId}`, `/replies/${reply}`];
  const suggestions = { maxRows: 10_000, reason: 'reads the tags of all suggested edits that are open' };
  return [
    ...flags.flatMap((path) => [
      put(rareFollower, `${path}/report`, { reason: 'spam', note: '' }),
      get(rareFollower, `${path}/report`),
    ]),
    get(rareFollower, '/abilities'),
    get(busy, `/questions/${hotQuestionId}/close-votes`),
    put(rareFollower, `/questions/${discussed}/close-votes`, { vote: 'close', duplicateOf: hotQuestionId }),
    put(rareFollower, `/questions/${discussed}/close-votes`, { vote: 'reopen' }),
    ...['review', 'own'].flatMap((list) => [
      get(rareFollower, `/edit-suggestions?list=${list}`),
      get(busy, `/edit-suggestions?list=${list}`),
      get(busy, `/edit-suggestions?list=${list}&cursor=${encodeCursor({ after: 0, id: 50 })}`),
    ]),
    get(rareFollower, '/edit-suggestions/count'),
    get(busy, '/edit-suggestions/count'),
    get(rareFollower, `/edit-suggestions/${approvedEdit}`),
    put(rareFollower, `/edit-suggestions/${rejectedEdit}/decision`, { decision: 'reject', reason: 'So.' }),
    put(rareFollower, `/edit-suggestions/${approvedEdit}/decision`, { decision: 'approve', basedOn: seen }),
    remove(busy, `/edit-suggestions/${ownEdit}`),
    post(rareFollower, `/questions/${hotQuestionId}/edit-suggestions`, {
      title: 'Better?',
      tags: [],
      ...edit,
    }),
    post(rareFollower, `/answers/${hotAnswerId}/edit-suggestions`, { ...edit, content: 'Best.' }),
    post(rareFollower, `/replies/${reply}/edit-suggestions`, edit),
    get(rareFollower, '/moderation/queue'),
    get(rareFollower, '/moderation/queue?cause=links'),
    get(rareFollower, '/moderation/queue?cause=tag_proposal'),
    get(rareFollower, `/moderation/queue/${proposalItem}/history`),
    put(rareFollower, `/moderation/tag-proposals/${approvedTag}/decision`, { decision: 'approve' }),
    put(rareFollower, `/moderation/tag-proposals/${synonymTag}/decision`, {
      decision: 'synonym',
      synonymOf: 'topic 77',
    }),
    put(rareFollower, `/moderation/tag-proposals/${rejectedTag}/decision`, {
      decision: 'reject',
      reason: 'So.',
    }),
    put(rareFollower, `/moderation/queue/${item}/claim`, { takeOver: false }),
    remove(rareFollower, `/moderation/queue/${item}/claim`),
    get(rareFollower, '/moderation/queue/counts'),
    get(rareFollower, `/moderation/queue/${item}/history`),
    get(rareFollower, '/moderation/reasons'),
    get(rareFollower, `/moderation/queue?cursor=${encodeCursor({ after: 1, id: 2 })}`),
    about('lock'),
    about('unlock'),
    about('duplicate', { duplicateOf: hotQuestionId }),
    about('not_duplicate'),
    about('hide', { kind: 'reply', id: replied.id }),
    about('restore', { kind: 'reply', id: replied.id }),
    about('delete', { kind: 'answer', id: answered.id }),
    about('restore', { kind: 'answer', id: answered.id }),
    about('hide'),
    get(busy, `/questions/${asked}/hidden`),
    get(rareFollower, `/questions/${asked}/hidden`),
    get(
      rareFollower,
      `/questions/${asked}/hidden?cursor=${encodeCursor({ after: Date.now() + 60_000, id: 1 })}`,
    ),
    get(busy, '/moderator-messages'),
    put(busy, '/moderator-messages/seen', { upTo: 1 }),
    remove(busy, `/held-posts/${ownHeld}`),
    about('approve', { kind: 'answer', id: approved }),
    about('reject', { kind: 'answer', id: rejected }),
    put(busy, `/hidden-posts/${ownHidden}/objection`, { text: 'It is on topic.' }),
    get(busy, '/removed-posts'),
    get(busy, `/removed-posts?cursor=${encodeCursor({ after: 0, id: 5 })}`),
    get(rareFollower, '/moderation/queue?cause=objection'),
    about('decline_objection', { id: objected }),
    about('restore'),
    about('dismiss', { id: hotQuestionId }),
    get(rareFollower, '/moderation/log'),
    get(rareFollower, `/moderation/log?cursor=${encodeCursor({ after: 0, id: 5 })}`),
    member('warn'),
    member('suspend', '2100-01-01T00:00:00.000Z'),
    member('lift_suspension'),
    ...['all', 'team', 'suspended', 'waiting', 'removed', 'profile_links'].flatMap((show) => [
      get(rareFollower, `/moderation/members?show=${show}`),
      get(rareFollower, `/moderation/members?show=${show}&q=someb`),
    ]),
    get(
      rareFollower,
      `/moderation/members?cursor=${encodeCursor({ after: Date.now() - 60_000, id: other ?? 1 })}`,
    ),
    get(rareFollower, `/moderation/members?q=${encodeURIComponent(rareFollower.email)}`),
    get(rareFollower, '/admin/members.csv', { maxRows: 600, reason: 'reads members in batches of 500' }),
    get(rareFollower, `/moderation/members/${inactive}`),
    ...['visible', 'hidden', 'held'].flatMap((show) => [
      get(rareFollower, `/moderation/members/${busy.id}/posts?show=${show}`),
      get(rareFollower, `/moderation/members/${busy.id}/posts?show=${show}&cursor=${laterPost}`),
    ]),
    ...['about', 'by'].flatMap((show) => [
      get(rareFollower, `/moderation/members/${busy.id}/reports?show=${show}`),
      get(rareFollower, `/moderation/members/${busy.id}/reports?show=${show}&cursor=${lastRow}`),
    ]),
    ...['log', 'sign-ins', 'notes'].flatMap((list) => [
      get(rareFollower, `/moderation/members/${busy.id}/${list}`),
      get(rareFollower, `/moderation/members/${busy.id}/${list}?cursor=${lastRow}`),
    ]),
    get(rareFollower, `/moderation/sign-ins/${signIn}/accounts`),
    get(rareFollower, `/moderation/sign-ins/${signIn}/accounts?cursor=${lastRow}`),
    post(rareFollower, `/moderation/members/${busy.id}/notes`, { text: 'So.' }),
    put(rareFollower, `/moderation/notes/${note}`, { text: 'So so.' }),
    put(rareFollower, `/moderation/notes/${note}/deletion`, { deleted: true }),
    put(rareFollower, `/admin/members/${inactive}/role`, { role: 'moderator' }),
    put(rareFollower, `/admin/members/${inactive}/role`, { role: 'member' }),
    get(rareFollower, '/admin/settings'),
    get(rareFollower, '/admin/emails'),
    get(rareFollower, '/admin/emails/warning?language=de'),
    get(rareFollower, '/admin/emails/warning/html?language=ar&theme=dark'),
    post(rareFollower, '/admin/emails/tests', { kind: 'test', language: 'de' }),
    get(rareFollower, '/admin/sign-in-providers'),
    post(rareFollower, '/admin/sign-in-providers', { id: 'second', ...second, clientSecret: 'So.' }),
    put(rareFollower, '/admin/sign-in-providers/second', { ...second, name: 'New', clientSecret: null }),
    put(rareFollower, '/admin/sign-in-providers/second/enabled', { enabled: false }),
    put(rareFollower, '/admin/sign-in-provider-order', { ids: ['second', 'first'] }),
    get(rareFollower, '/admin/sign-in-providers/second/members'),
    post(rareFollower, '/admin/sign-in-providers/checks', { issuer: 'http://127.0.0.1:1' }),
    post(rareFollower, '/admin/sign-in-providers/undo', { entryId: changedProvider }),
    remove(rareFollower, '/admin/sign-in-providers/second'),
    get(rareFollower, '/admin/webhooks'),
    post(rareFollower, '/admin/webhooks', { ...webhook, name: 'Second' }),
    put(rareFollower, `/admin/webhooks/${webhookId}`, { ...webhook, name: 'New' }),
    put(rareFollower, `/admin/webhooks/${webhookId}/enabled`, { enabled: true }),
    post(rareFollower, `/admin/webhooks/${webhookId}/secret`, {}),
    post(rareFollower, `/admin/webhooks/${webhookId}/tests`, {}),
    get(rareFollower, `/admin/webhooks/${webhookId}/deliveries`),
    post(rareFollower, `/admin/webhooks/${webhookId}/deliveries/${webhookDelivery}/attempts`, {}),
    remove(rareFollower, `/admin/webhooks/${webhookId}`),
    get(rareFollower, '/admin/service-accounts'),
    post(rareFollower, '/admin/service-accounts', { ...serviceAccount, displayName: 'Second' }),
    put(rareFollower, `/admin/service-accounts/${serviceAccountId}`, { ...serviceAccount, bio: 'New.' }),
    put(rareFollower, `/admin/service-accounts/${serviceAccountId}/active`, { active: false }),
    post(rareFollower, `/admin/service-accounts/${serviceAccountId}/tokens`, {
      name: 'Script',
      scopes: ['read'],
      expiresInDays: 30,
      password,
    }),
    remove(rareFollower, `/admin/service-accounts/${serviceAccountId}/tokens/${serviceTokenId}`),
    post(rareFollower, `/admin/service-accounts/${serviceAccountId}/deletion`, { posts: 'keep', password }),
    get(rareFollower, '/admin/password-sign-in', {
      maxRows: 20_000,
      reason: 'counts all members with a password, when an admin is about to switch passwords off',
      scannedTable: 'account',
    }),
    get(rareFollower, '/admin/system', {
      reason: 'has a row for each scheduled backup of the last 400 days',
      scannedTable: 'backup_run',
    }),
    get(rareFollower, `/admin/members/${twin}/merge-preview?into=${busy.id}`),
    post(rareFollower, `/admin/members/${twin}/two-factor-removal`, { password }),
    post(rareFollower, `/admin/members/${twin}/merge`, { into: busy.id, name: 'Twin', password }),
    post(rareFollower, '/admin/settings/undo', { entryId: changed }),
    put(rareFollower, '/admin/pictures/logo', undefined, { file: createPngPicture() }),
    put(rareFollower, '/admin/settings/siteDescription', { value: 'Bread.' }),
    member('remove_activity'),
    get(rareFollower, '/moderation/registrations?hours=720'),
    get(rareFollower, '/moderation/registrations/accounts?network=192.0.2.1&hours=720'),
    get(
      rareFollower,
      `/moderation/registrations/accounts?network=192.0.2.1&cursor=${encodeCursor({ after: 0, id: other })}`,
    ),
    get(rareFollower, '/moderation/tags/topic%2077'),
    put(rareFollower, '/moderation/tags/topic%2077', { description: 'So.', about: 'So.' }),
    put(rareFollower, '/moderation/tags/topic%2077/synonyms/topic-77'),
    remove(rareFollower, '/moderation/tags/topic%2077/synonyms/topic-77'),
    put(rareFollower, '/moderation/tags/topic%2078/synonyms/topic%20seventy'),
    remove(rareFollower, '/moderation/tags/topic%2078/synonyms/topic%20seventy?keepName=false', suggestions),
    get(rareFollower, '/site-pages/rules'),
    get(rareFollower, '/announcements'),
    get(rareFollower, '/announcements?tag=topic%2077'),
    get(rareFollower, '/moderation/announcements'),
    post(rareFollower, '/moderation/announcements', { questionId: asked, tag: 'topic 77' }),
    remove(rareFollower, `/moderation/announcements/${announcementId}`),
    post(rareFollower, '/moderation/tag-changes', { kind: 'merge', tag: 'merged topic', to: 'topic 77' }),
    post(rareFollower, '/moderation/tag-changes', { kind: 'rename', tag: 'renamed topic', to: 'new topic' }),
    post(
      rareFollower,
      '/moderation/tag-changes',
      { kind: 'rename', tag: 'abusive topic', to: 'kind topic', keepSynonym: false },
      suggestions,
    ),
    get(applicant, '/application'),
    put(applicant, '/application', { signUpAnswers: [] }),
    get(rareFollower, '/moderation/applications'),
    get(rareFollower, '/moderation/applications?status=refused'),
    get(rareFollower, `/moderation/applications?cursor=${encodeCursor({ after: 0, id: 5 })}`),
    get(rareFollower, '/moderation/applications/count'),
    put(rareFollower, `/moderation/applications/${applicant.id}/claim`, {}),
    remove(rareFollower, `/moderation/applications/${applicant.id}/claim`),
    put(rareFollower, `/moderation/applications/${applicant.id}/decision`, { decision: 'approve' }),
    put(rareFollower, `/moderation/applications/${refused.id}/decision`, {
      decision: 'refuse',
      reason: 'So.',
    }),
    post(rareFollower, '/moderation/approvals', { memberIds: [waiting] }),
    get(rareFollower, `/members/${claimed.profileId}/claim`),
    put(rareFollower, `/members/${claimed.profileId}/claim`),
    put(rareFollower, `/members/${claimed.profileId}/claim/request`, { message: 'So.' }),
    post(rareFollower, `/members/${claimed.profileId}/claim/proof`, {}),
    post(rareFollower, `/members/${claimed.profileId}/claim/identity`, {}),
    remove(rareFollower, `/members/${claimed.profileId}/claim`),
    get(rareFollower, '/moderation/claims'),
    get(rareFollower, `/moderation/claims?cursor=${encodeCursor({ after: 0, id: 0 })}`),
    put(rareFollower, `/moderation/claims/${claimed.claimId}/decision`, {
      decision: 'decline',
      reason: 'So.',
    }),
    post(rareFollower, '/moderation/removals/preview', { memberIds: [other] }),
    post(rareFollower, '/moderation/removals/preview', {
      network: '192.0.2.1',
      from: '2020-01-01T00:00:00.000Z',
    }),
    post(rareFollower, '/moderation/removals', { memberIds: [other], reason: 'So.' }),
    get(rareFollower, '/moderation/removals'),
    get(rareFollower, `/moderation/removals/${done}`),
    get(rareFollower, '/admin/invitations'),
    get(rareFollower, `/admin/invitations?cursor=${encodeCursor({ after: 0, id: 5 })}`),
    post(rareFollower, '/admin/invitations', invitation),
    post(rareFollower, '/invitation', { token: open.token }),
    remove(rareFollower, `/admin/invitations/${open.id}`),
    get(rareFollower, '/admin/statistics?unit=day'),
    get(rareFollower, `/admin/statistics?unit=month&tag=${encodeURIComponent('topic 77')}`),
    get(rareFollower, '/admin/statistics/tags?unit=month'),
    // All searches of the last days, of which there are about 500 a day at most.
    { ...get(rareFollower, '/admin/statistics/searches?days=20'), maxRows: 10_000 },
    get(rareFollower, '/admin/statistics.csv?unit=day'),
    get(rareFollower, '/admin/statistics/tags.csv?unit=month'),
    { ...get(rareFollower, '/admin/statistics/searches.csv?days=20'), maxRows: 10_000 },
    post(rareFollower, `/moderation/removals/${done}/restoration`, { reason: 'So.' }),
  ];
}

/** Registers an account that waits for approval. */
async function addApplicant(address: string, db: Database): Promise<Member> {
  const applicant = await register(address, 'Applicant');
  await sql`update member set application = 'waiting' where id = ${applicant.id}`.execute(db);
  return applicant;
}

async function idsOf(db: Database, query: RawBuilder<unknown>): Promise<[number, number, number]> {
  const { rows } = await (query as RawBuilder<{ id: number }>).execute(db);
  const [first, second, third] = rows.map(({ id }) => id);
  if (first === undefined || second === undefined || third === undefined) throw new Error('too few members');
  return [first, second, third];
}

/** The version of an answer on which a decision about an edit is based. */
async function findEditedAt(db: Database, answerId: number): Promise<string | null> {
  const { rows } = await sql<{ edited_at: Date | null }>`
    select edited_at from answer where id = ${answerId}`.execute(db);
  return rows[0]?.edited_at?.toISOString() ?? null;
}
