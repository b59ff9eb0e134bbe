import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '#shared/integrations/webhooks.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { Time } from '#web/ui/Time.tsx';
import { WebhookDeliveries } from './WebhookDeliveries.tsx';
import { getFormatLabel, replaceWebhookSecret, sendTestEvent, setWebhookEnabled } from './webhooks.ts';
import classes from './admin.module.css';

/** A web hook with its state, and what an admin can do with it. */
export function WebhookCard({
  webhook,
  onEdit,
  onDelete,
  onSecret,
}: {
  webhook: Webhook;
  onEdit: () => void;
  onDelete: () => void;
  onSecret: (secret: string) => void;
}) {
  const { id, name, enabled, format, tags } = webhook;
  const client = useQueryClient();
  const [replacing, setReplacing] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const onError = (error: Error) => toastError(error.message);
  const enable = useMutation({
    mutationFn: () => setWebhookEnabled(client, id, !enabled),
    onSuccess: () => toast(t`Saved to the moderation log`),
    onError,
  });
  const test = useMutation({
    mutationFn: () => sendTestEvent(client, id),
    onSuccess: () => {
      setOpen(true);
      toast(t`The test event is being sent`);
    },
    onError,
  });
  const replace = useMutation({
    mutationFn: () => replaceWebhookSecret(client, id),
    onSuccess: ({ secret }) => onSecret(secret),
    onError,
    onSettled: () => setReplacing(false),
  });
  const button = (label: string, text: string, onClick: () => void, isBusy = false) => (
    <Button size="xs" variant="default" aria-label={label} loading={isBusy} onClick={onClick}>
      {text}
    </Button>
  );
  return (
    <>
      <div className={classes.cardHead}>
        <bdi className={classes.strong}>{name}</bdi>
        <span className={enabled ? classes.active : classes.state}>{enabled ? t`Enabled` : t`Disabled`}</span>
        <WebhookProblem webhook={webhook} />
      </div>
      <p className={classes.facts}>
        <span dir="ltr">{webhook.address}</span>
        <span>{getFormatLabel(format)}</span>
        {tags.length > 0 && <bdi>{tags.map((tag) => `#${tag}`).join(', ')}</bdi>}
      </p>
      <p className={classes.facts}>
        <span>
          {webhook.deliveredAt === null ? (
            t`Nothing delivered yet`
          ) : (
            <Trans>
              Last delivery <Time at={webhook.deliveredAt} />
            </Trans>
          )}
        </span>
        {webhook.waiting > 0 && (
          <span>{plural(webhook.waiting, { one: '# event waits', other: '# events wait' })}</span>
        )}
        {webhook.failingSince !== null && (
          <span className={classes.wrong}>
            <Trans>
              Failing since <Time at={webhook.failingSince} />
            </Trans>
          </span>
        )}
      </p>
      <div className={classes.buttons}>
        {button(t`Edit: ${name}`, t`Edit`, onEdit)}
        {enabled &&
          button(t`Send test event: ${name}`, t`Send test event`, () => test.mutate(), test.isPending)}
        {enabled
          ? button(t`Switch off: ${name}`, t`Switch off`, () => enable.mutate(), enable.isPending)
          : button(t`Switch on: ${name}`, t`Switch on`, () => enable.mutate(), enable.isPending)}
        {format === 'standard' &&
          button(t`Replace secret: ${name}`, t`Replace secret`, () => setReplacing(true))}
        <Button size="xs" variant="default" color="red" aria-label={t`Delete: ${name}`} onClick={onDelete}>
          {t`Delete`}
        </Button>
      </div>
      <details className={classes.more} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t`Deliveries`}</summary>
        {isOpen && <WebhookDeliveries webhook={webhook} />}
      </details>
      <ConfirmDialog
        title={t`Replace secret`}
        opened={replacing}
        text={t`For a day, requests are signed with the old and the new secret. Enter the new one at the receiver until then.`}
        label={t`Replace secret`}
        isHarmless
        busy={replace.isPending}
        onConfirm={() => replace.mutate()}
        onCancel={() => setReplacing(false)}
      />
    </>
  );
}

function WebhookProblem({ webhook: { stopReason, hasReadableSecret } }: { webhook: Webhook }) {
  const problem = !hasReadableSecret
    ? t`The secret cannot be read. Replace it.`
    : stopReason === 'failures'
      ? t`Switched off after three days of failures`
      : stopReason === 'gone'
        ? t`Switched off: the receiver no longer exists (410)`
        : null;
  return problem === null ? null : <strong className={classes.wrong}>{problem}</strong>;
}
