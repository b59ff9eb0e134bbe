import { sql } from 'kysely';
import type { EmailFrequency, NotificationCategory } from '#shared/notifications/preferences.ts';
import { type ReceivedEmail, startEmailServer } from './email-server.ts';
import { expectOk, type Member } from './member.ts';
import { eventually } from './parley.ts';
import { startTestServer, type TestServer } from './server.ts';

/** The address of the community as its mails name it, and whom they are from. */
export const siteUrl = 'https://ask.example.org';
export const senderAddress = 'Parley <parley@example.org>';

/** A Parley that mails, with a mail server that takes it; both real. */
export async function startServerWithEmail() {
  const post = await startEmailServer();
  const server = await startTestServer();
  const mailer = await server.startBeside(
    { publicUrl: siteUrl },
    { email: { url: post.url, from: senderAddress } },
  );
  const node: TestServer = { ...mailer, register: registerQuietly };
  return {
    post,
    server,
    node,
    choose: chooseEmailFrequency,

    /** Lets somebody be mailed about something: they choose it and open the link. */
    mailed: async (
      member: Member,
      category: NotificationCategory,
      frequency: EmailFrequency,
    ): Promise<void> => {
      await chooseEmailFrequency(member, category, frequency);
      const [confirmation] = await post.waitForEmails(member.email, 1);
      const token = findLinkToken(confirmation, 'confirm-mail');
      expectOk(await server.visitor().post('/mail/confirmation', { token }));
    },

    letTimePass,

    /** Everything that waits is due. */
    sendDue: async (at: TestServer = node): Promise<void> => {
      await letTimePass();
      await at.backgroundJobs?.enqueueDueJobs();
    },

    /** All jobs that mail are done, to be tried again later, or given up. */
    untilQuiet: async (): Promise<void> => {
      await eventually(async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*) as count from parley_jobs.job
          where state in ('created', 'active') and name in ('letter', 'account-mail', 'mail-news', 'mail-digest')`.execute(
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

  /** Registered where nothing is mailed, so that no mail asks them whether the address is theirs, and signed in here. */
  async function registerQuietly(name: string): Promise<Member> {
    const member = await server.register(name);
    const here = member.onServer(mailer.address);
    // As cookies of a site with TLS are named.
    for (const [cookie, value] of member.cookies) here.cookies.set(`__Host-${cookie}`, value);
    return here;
  }

  /** Lets the time pass that a mail at once waits, and after which the next may come. */
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
  expectOk(await member.put(`/notification-settings/${category}`, { email: frequency, timeZone }));
}

/** The token of a link in a mail, as a person would find it; '' where there is none. */
export function findLinkToken(mail: ReceivedEmail | undefined, page: 'confirm-mail' | 'unsubscribe'): string {
  return new RegExp(`${siteUrl}/${page}/(\\S+)`).exec(mail?.text ?? '')?.[1] ?? '';
}
