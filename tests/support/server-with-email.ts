import { sql } from 'kysely';
import type { EmailFrequency, NotificationCategory } from '#shared/notifications/preferences.ts';
import { type ReceivedEmail, startEmailServer } from './email-server.ts';
import { expectOk, type Member } from './member.ts';
import { eventually } from './parley.ts';
import { startTestServer, type TestServer } from './server.ts';

/** The site address in emails, and their sender. */
export const siteUrl = 'https://ask.example.org';
export const senderAddress = 'Parley <parley@example.org>';

export const bounceAddress = 'bounce@example.org';
export const replyAddress = 'reply@example.org';

/** Starts a server that sends email to a real SMTP server. `replyAddress`: members can reply; `replySecret`: by HTTP too. */
export async function startServerWithEmail(replies: { replyAddress?: string; replySecret?: string } = {}) {
  const post = await startEmailServer();
  const server = await startTestServer();
  const mailer = await server.startSecondNode(
    { publicUrl: siteUrl },
    { email: { url: post.url, from: senderAddress, bounceAddress, ...replies } },
  );
  const node: TestServer = { ...mailer, register: registerQuietly };
  return {
    post,
    server,
    node,
    choose: chooseEmailFrequency,

    /** Enables emails of a category for a member, who confirms the address with the link. */
    enableEmail: async (
      member: Member,
      category: NotificationCategory,
      frequency: EmailFrequency,
    ): Promise<void> => {
      await chooseEmailFrequency(member, category, frequency);
      const [confirmation] = await post.waitForEmails(member.email, 1);
      const token = findLinkToken(confirmation, 'confirm-email');
      expectOk(await server.visitor().post('/email/confirmation', { token }));
    },

    letTimePass,

    /** Makes all waiting emails due and queues their jobs. */
    sendDue: async (at: TestServer = node): Promise<void> => {
      await letTimePass();
      await at.backgroundJobs?.enqueueDueJobs();
    },

    /** Waits until no email job is queued or running. Failed jobs may still be retried later. */
    untilQuiet: async (): Promise<void> => {
      await eventually(async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from parley_jobs.job
          where state in ('created', 'active') and name in ('email', 'account-email', 'instant-email', 'email-digest')`.execute(
          server.db,
        );
        return rows[0]?.count === 0;
      });
    },

    async stop(): Promise<void> {
      await node.stop();
      await server.stop();
      await post.stop();
    },
  };

  /** Registers on a server without email, so that no confirmation is sent, and signs in here. */
  async function registerQuietly(name: string): Promise<Member> {
    const member = await server.register(name);
    const here = member.onServer(mailer.address);
    // Cookies of a site with TLS have this prefix.
    for (const [cookie, value] of member.cookies) here.cookies.set(`__Host-${cookie}`, value);
    return here;
  }

  /** Ages the data by the delay of instant emails and the minimum time between two. */
  async function letTimePass(): Promise<void> {
    await sql`update notification set created_at = created_at - interval '3 minutes'`.execute(server.db);
    await sql`update email_schedule set instant_after = now() - interval '1 second'`.execute(server.db);
  }
}

async function chooseEmailFrequency(
  member: Member,
  category: NotificationCategory,
  frequency: EmailFrequency,
  timeZone = 'UTC',
) {
  expectOk(await member.put(`/notification-preferences/${category}`, { email: frequency, timeZone }));
}

/** The token of a link in an email; '' without one. */
export function findLinkToken(
  email: ReceivedEmail | undefined,
  page: 'confirm-email' | 'unsubscribe',
): string {
  return new RegExp(`${siteUrl}/${page}/(\\S+)`).exec(email?.text ?? '')?.[1] ?? '';
}
