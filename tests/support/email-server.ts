import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

/** A mail as it arrived: read as a mail program does, and as it was sent. */
export type ReceivedEmail = Email & { recipients: string[]; raw: string };

/** A real mail server on this machine that keeps what it takes over. */
export type TestEmailServer = {
  url: string;
  emails: ReceivedEmail[];
  /** Those to one address, once there are so many. */
  waitForEmails: (address: string, count: number) => Promise<ReceivedEmail[]>;
  /** Answers every recipient with this code until it is undefined again. */
  rejectWith: (code: number | undefined) => void;
  /** Called when a mail has been received and before that is said. */
  onEmail: (hook: (mail: ReceivedEmail) => Promise<void> | void) => void;
  /** Addresses that somebody tried to mail while they were refused. */
  rejectedRecipients: string[];
  /** Nothing listens at its address, until it comes back. */
  goDown: () => Promise<void>;
  comeBack: () => Promise<void>;
  stop: () => Promise<void>;
};

export async function startEmailServer(): Promise<TestEmailServer> {
  const emails: ReceivedEmail[] = [];
  const rejectedRecipients: string[] = [];
  let refusal: number | undefined;
  let hook: (mail: ReceivedEmail) => Promise<void> | void = () => {};
  let server = create();
  const port = await listen(0);
  return {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    rejectedRecipients,
    async waitForEmails(address, count) {
      const found = () => emails.filter(({ recipients }) => recipients.includes(address));
      await eventually(() => found().length >= count);
      return found();
    },
    rejectWith: (code) => (refusal = code),
    onEmail: (given) => (hook = given),
    goDown: stop,
    async comeBack() {
      server = create();
      await listen(port);
    },
    stop,
  };

  function create(): SMTPServer {
    const made = new SMTPServer({
      authOptional: true,
      closeTimeout: 100,
      disabledCommands: ['STARTTLS'],
      onRcptTo({ address }, _, answer) {
        if (refusal === undefined) return answer();
        rejectedRecipients.push(address);
        answer(Object.assign(new Error('not now'), { responseCode: refusal }));
      },
      onData(stream, { envelope }, answer) {
        const recipients = envelope.rcptTo.map(({ address }) => address);
        void takeOver(stream, recipients).then(() => answer(), answer);
      },
    });
    made.on('error', () => {});
    return made;
  }

  async function listen(wanted: number): Promise<number> {
    await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
    return (server.server.address() as AddressInfo).port;
  }

  function stop(): Promise<void> {
    return new Promise((resolve) => server.close(() => resolve()));
  }

  async function takeOver(stream: NodeJS.ReadableStream, recipients: string[]): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    const raw = Buffer.concat(chunks);
    const mail = { ...(await PostalMime.parse(raw)), recipients, raw: raw.toString('utf8') };
    await hook(mail);
    emails.push(mail);
  }
}
