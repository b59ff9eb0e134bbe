import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { findFreePort } from '#tests/support/free-port.ts';
import { expectOk, type Member, register } from '#tests/support/member.ts';
import { restartCommunity, runUnderLoad } from '#tests/support/under-load.ts';
import { runFault } from './fault-run.ts';

/**
 * Milliseconds during which the email server is down, and the maximum until emails arrive afterwards: the delay between
 * retries grows.
 */
const downMs = 20_000;
const timeoutMs = 240_000;

/**
 * Members cause emails while the email server is down, and Parley is killed as well: each email is sent once the server
 * is back.
 */
export async function emailServerDown(directory: string): Promise<string> {
  const port = await findFreePort();
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    EMAIL_FROM: 'Parley <parley@example.org>',
    PUBLIC_URL: 'http://127.0.0.1',
  };
  const arrived = new Map<string, number>();
  let foreign = 0;
  const server = startEmailServer((recipients, text) => {
    for (const recipient of recipients) {
      arrived.set(recipient, (arrived.get(recipient) ?? 0) + 1);
      const others = [...asked].filter((email) => email !== recipient && text.includes(email));
      foreign += others.length;
    }
  });
  const asked = new Set<string>();
  try {
    return await runFault({ data: path.join(directory, 'data'), env }, async (community) => {
      const members: Member[] = [];
      for (let number = 1; number <= 20; number++)
        members.push(await register(community.address, `Reader ${number}`));
      await runUnderLoad(community, {
        before: () => delay(500),
        async fault() {
          for (const member of members) {
            const choice = { email: 'instant', timeZone: 'UTC' };
            expectOk(
              await member.onServer(community.address).put('/notification-preferences/answers', choice),
            );
            asked.add(member.email);
          }
          await delay(downMs / 2);
          community.parley.signal('SIGKILL');
          await community.parley.ended;
          await restartCommunity(community);
          await delay(downMs / 2);
        },
      });
      if (arrived.size > 0) throw new Error('an email arrived while the server was down');
      server.listen(port, '127.0.0.1');
      await once(server.server, 'listening');
      const since = performance.now();
      while ([...asked].some((email) => !arrived.has(email))) {
        if (performance.now() - since > timeoutMs)
          throw new Error(`${asked.size - arrived.size} emails never arrived`);
        await delay(100);
      }
      const twice = [...arrived.values()].filter((times) => times > 1).length;
      if (foreign > 0) throw new Error(`${foreign} emails named another member`);
      const seconds = ((performance.now() - since) / 1_000).toFixed(0);
      return `${asked.size} emails requested while the server was down (and Parley was killed) arrived within ${seconds} s, ${twice} of them twice.`;
    });
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

function startEmailServer(arrive: (recipients: string[], text: string) => void): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, answer) {
      let text = '';
      stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      stream.on('end', () => {
        arrive(
          envelope.rcptTo.map(({ address }) => address),
          text,
        );
        answer();
      });
    },
  });
  server.on('error', () => {});
  return server;
}
