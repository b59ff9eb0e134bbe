import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

/** An email as it arrived: parsed and raw. */
export type ReceivedEmail = Email & { envelopeSender: string; recipients: string[]; raw: string };

/** A real SMTP server on this machine that stores received emails. */
export type TestEmailServer = {
  url: string;
  emails: ReceivedEmail[];
  /** Waits until an address has received `count` emails. Returns them. */
  waitForEmails: (address: string, count: number) => Promise<ReceivedEmail[]>;
  /** Rejects every recipient with this code until set to undefined. */
  rejectWith: (code: number | undefined, explanation?: string) => void;
  /** Rejects the sender of every email with this code until set to undefined. */
  rejectSenderWith: (code: number | undefined) => void;
  /** Senders that were rejected. */
  rejectedSenders: string[];
  /** Called when an email was received, before it is acknowledged. */
  onEmail: (hook: (email: ReceivedEmail) => Promise<void> | void) => void;
  /** Recipients that were rejected. */
  rejectedRecipients: string[];
  /** Stops listening until `start`. */
  goDown: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export async function startEmailServer(): Promise<TestEmailServer> {
  const emails: ReceivedEmail[] = [];
  const rejectedRecipients: string[] = [];
  const rejectedSenders: string[] = [];
  let senderRefusal: number | undefined;
  let refusal: number | undefined;
  let explanation = '';
  let hook: (email: ReceivedEmail) => Promise<void> | void = () => {};
  let server = create();
  const port = await listen(0);
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    rejectedRecipients,
    rejectedSenders,
    rejectSenderWith: (code) => (senderRefusal = code),
    async waitForEmails(address, count) {
      const received = () => emails.filter(({ recipients }) => recipients.includes(address));
      await eventually(() => received().length >= count);
      return received();
    },
    rejectWith(code, words = 'not now') {
      refusal = code;
      explanation = words;
    },
    onEmail: (given) => (hook = given),
    goDown: stop,
    async start() {
      server = create();
      await listen(port);
    },
    stop,
  };

  function create(): SMTPServer {
    const created = new SMTPServer({
      authOptional: true,
      closeTimeout: 100,
      disabledCommands: ['STARTTLS'],
      onMailFrom({ address }, _, answer) {
        if (senderRefusal === undefined) return answer();
        rejectedSenders.push(address);
        answer(Object.assign(new Error('authentication required'), { responseCode: senderRefusal }));
      },
      onRcptTo({ address }, _, answer) {
        if (refusal === undefined) return answer();
        rejectedRecipients.push(address);
        answer(Object.assign(new Error(explanation), { responseCode: refusal }));
      },
      onData(stream, { envelope }, answer) {
        const recipients = envelope.rcptTo.map(({ address }) => address);
        const from = Reflect.get(envelope, 'mailFrom') as { address: string } | false;
        const sender = from === false ? '' : from.address;
        void receive(stream, { sender, recipients }).then(() => answer(), answer);
      },
    });
    created.on('error', () => {});
    return created;
  }

  async function listen(wanted: number): Promise<number> {
    await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
    return (server.server.address() as AddressInfo).port;
  }

  function stop(): Promise<void> {
    return new Promise((resolve) => server.close(() => resolve()));
  }

  async function receive(
    stream: NodeJS.ReadableStream,
    { sender: envelopeSender, recipients }: { sender: string; recipients: string[] },
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    const raw = Buffer.concat(chunks);
    const email = { ...(await PostalMime.parse(raw)), envelopeSender, recipients, raw: raw.toString('utf8') };
    await hook(email);
    emails.push(email);
  }
}
