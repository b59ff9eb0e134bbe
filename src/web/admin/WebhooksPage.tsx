import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '#shared/integrations/webhooks.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { CopyField } from '#web/ui/CopyField.tsx';
import { ConfirmDialog, Dialog } from '#web/ui/Dialog.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { AdminMenu } from './AdminMenu.tsx';
import { WebhookCard } from './WebhookCard.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { deleteWebhook, webhooksQuery } from './webhooks.ts';
import page from '#web/ui/page.module.css';
import classes from './admin.module.css';

/** The web hooks of the community, for admins. */
export function WebhooksPage() {
  usePageTitle(t`Web hooks`);
  const query = useQuery(webhooksQuery);
  const { data } = query;
  const [secret, setSecret] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  return (
    <>
      <div className={page.header}>
        <PageHeading className={page.heading}>{t`Web hooks`}</PageHeading>
        <AdminMenu />
      </div>
      <p className={classes.intro}>
        {t`Other programs and chats receive what happens here, such as new questions with a topic.`}
      </p>
      {secret !== null && <NewSecret secret={secret} onClose={() => setSecret(null)} />}
      {query.isError && data === undefined && (
        <LoadError text={t`The web hooks could not be loaded.`} query={query} />
      )}
      {query.isPending && (
        <LoadingRegion label={t`Loading the web hooks`}>
          <SkeletonLines widths={['40%', '70%', '50%']} />
        </LoadingRegion>
      )}
      {data !== undefined && <WebhookList items={data.items} onSecret={setSecret} />}
      {data !== undefined && (
        <section className={classes.section} aria-labelledby="add-webhook">
          <h2 id="add-webhook">{t`Add a web hook`}</h2>
          {adding ? (
            <WebhookForm webhook={null} onSecret={setSecret} onClose={() => setAdding(false)} />
          ) : (
            <Button onClick={() => setAdding(true)}>{t`Add web hook`}</Button>
          )}
        </section>
      )}
    </>
  );
}

function WebhookList({ items, onSecret }: { items: Webhook[]; onSecret: (secret: string) => void }) {
  const client = useQueryClient();
  const [editing, setEditing] = useState<number | null>(null);
  const [deleting, setDeleting] = useState<Webhook | null>(null);
  const remove = useMutation({
    mutationFn: (id: number) => deleteWebhook(client, id),
    onSuccess: () => toast(t`Saved to the moderation log`),
    onError: (error) => toastError(error.message),
    onSettled: () => setDeleting(null),
  });
  if (items.length === 0)
    return <EmptyState title={t`No web hooks`} text={t`Add the address of a program or of a chat.`} />;
  return (
    <>
      <ul className={classes.cards} aria-label={t`Web hooks`}>
        {items.map((webhook) => (
          <li key={webhook.id} className={classes.card}>
            {editing === webhook.id ? (
              <WebhookForm webhook={webhook} onSecret={onSecret} onClose={() => setEditing(null)} />
            ) : (
              <WebhookCard
                webhook={webhook}
                onEdit={() => setEditing(webhook.id)}
                onDelete={() => setDeleting(webhook)}
                onSecret={onSecret}
              />
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog
        opened={deleting !== null}
        title={t`Delete web hook`}
        text={t`“${deleting?.name ?? ''}” receives no more events. Its list of deliveries is deleted, and queued events are not sent.`}
        busy={remove.isPending}
        onConfirm={() => deleting !== null && remove.mutate(deleting.id)}
        onCancel={() => setDeleting(null)}
      />
    </>
  );
}

/** The only place where a secret is shown. */
function NewSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog
      title={t`Secret of the web hook`}
      opened
      closeButton={false}
      // Only its button closes it, because the secret is not shown again.
      onClose={() => {}}
    >
      <CopyField
        label={t`Secret of the web hook`}
        description={t`Copy it now to the receiver. It is not shown again.`}
        text={secret}
        onSaved={onClose}
      />
    </Dialog>
  );
}
