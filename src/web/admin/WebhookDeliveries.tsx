import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery } from '#shared/integrations/webhooks.ts';
import { formatDateTime } from '#web/core/format.ts';
import { toastError } from '#web/core/toast.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadMore } from '#web/ui/LoadMore.tsx';
import { Time } from '#web/ui/Time.tsx';
import {
  describeOutcome,
  describeState,
  refreshMs,
  repeatDelivery,
  webhookDeliveriesQuery,
} from './webhooks.ts';
import classes from './admin.module.css';

/** The deliveries of a web hook, the newest first, each with its last request and response. */
export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const query = useInfiniteQuery({
    ...webhookDeliveriesQuery(webhook.id),
    refetchInterval: ({ state: { data: read } }) =>
      webhook.enabled &&
      read?.pages.some(({ items }) => items.some(({ state }) => state === 'pending')) === true
        ? refreshMs
        : false,
  });
  const { data } = query;
  if (data === undefined)
    return query.isError ? <LoadError text={t`The deliveries could not be loaded.`} query={query} /> : null;
  const deliveries = data.pages.flatMap(({ items }) => items);
  if (deliveries.length === 0) return <p className={classes.description}>{t`No deliveries yet.`}</p>;
  return (
    <>
      <ul className={classes.cards} aria-label={t`Deliveries`}>
        {deliveries.map((delivery) => (
          <li key={delivery.id} className={classes.card}>
            <Delivery webhook={webhook} delivery={delivery} />
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <LoadMore
          name={t`Load more`}
          failure={query.isFetchNextPageError ? t`The deliveries could not be loaded.` : null}
          isLoading={query.isFetchingNextPage}
          load={() => void query.fetchNextPage()}
        />
      )}
    </>
  );
}

function Delivery({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { eventType, state, attempts, durationMs, requestBody, responseBody, nextAttemptAt } = delivery;
  const client = useQueryClient();
  const repeat = useMutation({
    mutationFn: () => repeatDelivery(client, webhook.id, delivery.id),
    onError: (error) => toastError(error.message),
  });
  const outcome = describeOutcome(delivery);
  const when = nextAttemptAt === null ? '' : formatDateTime(nextAttemptAt);
  return (
    <>
      <div className={classes.cardHead}>
        <code dir="ltr">{eventType}</code>
        <span className={state === 'delivered' ? classes.active : classes.state}>{describeState(state)}</span>
        <Time at={delivery.occurredAt} />
      </div>
      <p className={classes.facts}>
        {outcome !== null && <span>{outcome}</span>}
        {attempts > 0 && <span>{plural(attempts, { one: '# attempt', other: '# attempts' })}</span>}
        {durationMs !== null && <span>{t`${durationMs} ms`}</span>}
        {state === 'pending' && nextAttemptAt !== null && attempts > 0 && (
          <span>{t`Next attempt: ${when}`}</span>
        )}
        <span dir="ltr">{delivery.messageId}</span>
      </p>
      {(requestBody !== null || (responseBody ?? '') !== '') && (
        <details className={classes.more}>
          <summary>{t`Request and response`}</summary>
          {requestBody !== null && <pre dir="ltr">{formatJson(requestBody)}</pre>}
          {responseBody !== null && responseBody !== '' && <pre dir="ltr">{responseBody}</pre>}
        </details>
      )}
      {webhook.enabled && (
        <div className={classes.buttons}>
          <Button size="xs" variant="default" loading={repeat.isPending} onClick={() => repeat.mutate()}>
            {t`Send again`}
          </Button>
        </div>
      )}
    </>
  );
}

function formatJson(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
