import { randomUUID } from 'node:crypto';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { readNewEvents, startEventReader, stopEventReader } from '#server/core/event-reader.ts';
import { tagKey } from '#shared/core/text.ts';
import {
  type EnabledWebhook,
  forgetRequestsOf,
  hasEnabledWebhooks,
  insertDeliveries,
  listEnabledWebhooks,
  listReachedWebhooks,
  listTagsOfQuestions,
} from './webhooks-delivery-queries.ts';
import { noticedKinds, toWebhookNotice, type WebhookNotice } from './webhooks-events.ts';

/** The reader of the event stream. It exists while a web hook is on. */
const readerName = 'webhooks';

/** Starts or stops reading events, after a web hook was added, switched or deleted in the transaction. */
export async function updateWebhookReader(tx: Tx): Promise<void> {
  if (await hasEnabledWebhooks(tx)) await startEventReader(tx, readerName);
  else await stopEventReader(tx, readerName);
}

/**
 * Adds a delivery for each new event and each web hook that chose it, in the transaction that moves the position of the
 * reader. So each event leads to one delivery, whichever node runs this and whenever it is killed.
 */
export async function queueWebhookDeliveries(db: Database): Promise<void> {
  await transaction(db, async (tx) => {
    const events = await readNewEvents(tx, { name: readerName, kinds: noticedKinds });
    // After a backup was restored, the reader is missing.
    if (events === null && (await hasEnabledWebhooks(tx))) await startEventReader(tx, readerName);
    const notices = (events ?? []).flatMap((event) => toWebhookNotice(event) ?? []);
    if (notices.length === 0) return;
    const webhooks = await listEnabledWebhooks(tx);
    const chosen = {
      tags: await readTags(tx, { notices, webhooks }),
      reached: await readReached(tx, { notices, webhooks }),
    };
    const deliveries = notices.flatMap((notice) =>
      webhooks
        .filter((webhook) => isWanted(webhook, notice, chosen))
        .map(({ id: webhookId }) => ({
          ...notice,
          webhookId,
          messageId: createMessageId(),
          resource: getResource(notice),
        })),
    );
    if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
    // After the queue, which the sender locks first, too.
    await forgetRequestsOf(tx, notices.filter(isRemoval));
  });
}

/** Reads the present tags of the questions if a web hook chose tags. */
async function readTags(
  tx: Tx,
  { notices, webhooks }: { notices: readonly WebhookNotice[]; webhooks: readonly EnabledWebhook[] },
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (webhooks.every(({ tags }) => tags.length === 0)) return new Map();
  const unknown = notices.flatMap(({ tags, questionId }) => (tags === null ? (questionId ?? []) : []));
  return listTagsOfQuestions(tx, [...new Set(unknown)]);
}

/**
 * Reads which web hooks with tags have a delivery of a question with a removal. They are told of it whatever its tags
 * are now, because they may have stored the content.
 */
async function readReached(
  tx: Tx,
  { notices, webhooks }: { notices: readonly WebhookNotice[]; webhooks: readonly EnabledWebhook[] },
): Promise<ReadonlySet<string>> {
  const webhookIds = webhooks.filter(({ tags }) => tags.length > 0).map(({ id }) => id);
  const questionIds = notices.filter(isRemoval).flatMap(({ questionId }) => questionId ?? []);
  if (webhookIds.length === 0 || questionIds.length === 0) return new Set();
  const rows = await listReachedWebhooks(tx, { webhookIds, questionIds: [...new Set(questionIds)] });
  return new Set(rows.map((row) => `${row.webhook_id} ${row.question_id}`));
}

const isRemoval = ({ type }: WebhookNotice) => type.endsWith('.removed');

function isWanted(
  { id, events, tags, enabled_at: enabledAt }: EnabledWebhook,
  notice: WebhookNotice,
  { tags: present, reached }: { tags: ReadonlyMap<number, readonly string[]>; reached: ReadonlySet<string> },
): boolean {
  if (!events.includes(notice.type) || notice.at < enabledAt) return false;
  // Tags choose among questions.
  if (tags.length === 0 || notice.questionId === null) return true;
  if (isRemoval(notice) && reached.has(`${id} ${notice.questionId}`)) return true;
  const ofQuestion = notice.tags ?? present.get(notice.questionId) ?? [];
  return ofQuestion.some((tag) => tags.includes(tagKey(tag)));
}

/** Events of one resource are sent in order. */
const getResource = ({ questionId, memberId }: WebhookNotice) =>
  questionId === null ? `member:${memberId}` : `question:${questionId}`;

/** Receivers recognize repetitions by it. */
export const createMessageId = () => `msg_${randomUUID().replaceAll('-', '')}`;
