import { sql } from 'kysely';
import type { MailChoice, NotificationAbout } from '#shared/notification-settings.ts';
import { type ArrivedMail, startMailServer } from './mail-server.ts';
import { done, type Member } from './member.ts';
import { eventually } from './parley.ts';
import { startTestServer, type TestParley } from './server.ts';

/** The address of the community as its mails name it, and whom they are from. */
export const site = 'https://ask.example.org';
export const from = 'Parley <parley@example.org>';

/** A Parley that mails, with a mail server that takes it; both real. */
export async function startMailing() {
  const post = await startMailServer();
  const server = await startTestServer();
  const mailer = await server.beside({ publicUrl: site }, { mail: { url: post.url, from } });
  const node: TestParley = { ...mailer, register: registerQuietly };
  return {
    post,
    server,
    node,
    choose,

    /** Lets somebody be mailed about something: they choose it and open the link. */
    mailed: async (member: Member, about: NotificationAbout, mail: MailChoice): Promise<void> => {
      await choose(member, about, mail);
      const [confirmation] = await post.mailsTo(member.email, 1);
      const token = linkIn(confirmation, 'confirm-mail');
      done(await server.visitor().post('/mail/confirmation', { token }));
    },

    letTimePass,

    /** Everything that waits is due. */
    sendDue: async (at: TestParley = node): Promise<void> => {
      await letTimePass();
      await at.background?.queueDue();
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
    const here = member.at(mailer.address);
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

async function choose(member: Member, about: NotificationAbout, mail: MailChoice, timeZone = 'UTC') {
  done(await member.put(`/notification-settings/${about}`, { mail, timeZone }));
}

/** The token of a link in a mail, as a person would find it; '' where there is none. */
export function linkIn(mail: ArrivedMail | undefined, page: 'confirm-mail' | 'unsubscribe'): string {
  return new RegExp(`${site}/${page}/(\\S+)`).exec(mail?.text ?? '')?.[1] ?? '';
}
