import PostalMime from 'postal-mime';

/** A report that an email could not be delivered. */
export type BounceMessage = {
  /** The addresses to which the report was delivered, by its headers. */
  recipients: string[];
  /** Of the failed delivery, such as '5.1.1'. */
  status: string;
  /** The words of the mail server that failed; empty if unknown. */
  explanation: string;
};

/** The first part of a longer message contains the report; the rest is the email that came back. */
const maxReadBytes = 1024 * 1024;

/**
 * Reads a delivery status notification (RFC 3464). Null for every other message, such as automatic replies, and for
 * reports about delays and successes.
 */
export async function parseBounceMessage(raw: Uint8Array): Promise<BounceMessage | null> {
  const message = await PostalMime.parse(raw.subarray(0, maxReadBytes), { attachmentEncoding: 'utf8' }).catch(
    () => null,
  );
  if (message === null) return null;
  const header = (name: string) =>
    message.headers.filter(({ key }) => key === name).map(({ value }) => value);
  if (!/^multipart\/report\b[^]*report-type="?delivery-status/iu.test(header('content-type')[0] ?? ''))
    return null;
  const status = message.attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  if (typeof status?.content !== 'string') return null;
  const failure = findFailure(status.content);
  if (failure === null) return null;
  const delivered = ['x-original-to', 'delivered-to', 'envelope-to', 'to'].flatMap(header);
  const recipients = delivered.flatMap((value) => value.match(/[^\s<>,;:"]+@[^\s<>,;:"]+/gu) ?? []);
  return { recipients: [...new Set(recipients)], ...failure };
}

/** The first group of fields about a recipient with a failed delivery. */
function findFailure(report: string): { status: string; explanation: string } | null {
  for (const group of report.replaceAll('\r\n', '\n').split(/\n\s*\n/u)) {
    const fields = new Map<string, string>();
    for (const line of group.replaceAll(/\n[ \t]+/gu, ' ').split('\n')) {
      const [, name, value] = /^([\w-]+):\s*(.*)$/u.exec(line) ?? [];
      if (name !== undefined && value !== undefined) fields.set(name.toLowerCase(), value.trim());
    }
    const status = /^([45]\.\d{1,3}\.\d{1,3})/u.exec(fields.get('status') ?? '')?.[1];
    if (status === undefined || fields.get('action')?.toLowerCase() !== 'failed') continue;
    const explanation = (fields.get('diagnostic-code') ?? '').replace(/^smtp;\s*/iu, '');
    return { status, explanation };
  }
  return null;
}
