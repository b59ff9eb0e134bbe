import { queueLetter } from '#server/mailing/mailing.ts';
import { careLetter } from '#server/mailing/letters.ts';
import { type Database, type Reader, transaction, type Tx } from '#server/platform/database.ts';
import { publish } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { Jobs } from '#server/platform/jobs/jobs.ts';
import { mailableAddress } from '#server/preferences/preferences.ts';
import type { Notice } from '#shared/care.ts';
import type { MailedNotice } from './members.ts';
import { noteSeen, unseenNotices } from './notice-queries.ts';

/** Notices shown at once; more come when these are seen. */
const shown = 20;

/** What the operators told the viewer and they have not seen yet, the first first. */
export async function readNotices(db: Reader, viewer: Viewer): Promise<Notice[]> {
  const rows = await unseenNotices(db, { memberId: viewer.id, limit: shown });
  return rows.map(({ id, kind, reason, until, title, created_at: createdAt }) => ({
    id,
    kind,
    reason,
    until: until?.toISOString() ?? null,
    title,
    createdAt: createdAt.toISOString(),
  }));
}

/** The viewer has seen what they were told, up to `upTo`. */
export async function seeNotices(
  db: Database,
  { viewer, upTo }: { viewer: Viewer; upTo: number },
): Promise<void> {
  await transaction(db, async (tx) => {
    if (await noteSeen(tx, { memberId: viewer.id, upTo }))
      await publish(tx, `member:${viewer.id}`, { kind: 'standing-changed' });
  });
}

/** Mails a warning or a suspension, where the member has confirmed an address. */
export async function mailNotice(
  tx: Tx,
  { jobs, site, notice }: { jobs: Jobs; site: string; notice: MailedNotice },
): Promise<void> {
  const address = await mailableAddress(tx, notice.memberId);
  if (address === undefined) return;
  const letter = careLetter({ ...notice, site });
  const until = Date.now() + 14 * 24 * 60 * 60 * 1_000;
  await queueLetter(tx, jobs, {
    key: `notice ${notice.id}`,
    letter: { ...letter, to: address.email, until },
  });
}
