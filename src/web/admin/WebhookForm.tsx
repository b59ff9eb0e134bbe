import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import {
  chatEvents,
  type WebhookEvent,
  webhookEvents,
  type WebhookFormat,
  webhookFormats,
  webhookLimits,
} from '#shared/integrations/webhook-events.ts';
import type { Webhook } from '#shared/integrations/webhooks.ts';
import { toast } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { useMutationForm } from '#web/ui/useMutationForm.ts';
import { addWebhook, changeWebhook, describeEvent, getFormatLabel } from './webhooks.ts';
import fields from '#web/ui/fields.module.css';
import classes from './admin.module.css';

/** Adds a web hook, or changes one. */
export function WebhookForm({
  webhook,
  onSecret,
  onClose,
}: {
  webhook: Webhook | null;
  onSecret: (secret: string) => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [name, setName] = useState(webhook?.name ?? '');
  const [address, setAddress] = useState(webhook?.address ?? '');
  const [format, setFormat] = useState<WebhookFormat>(webhook?.format ?? 'standard');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? ['question.posted']);
  const [tags, setTags] = useState(webhook?.tags.join(', ') ?? '');
  const offered = format === 'standard' ? webhookEvents : chatEvents;
  const save = useMutation({
    mutationFn: async () => {
      const chosen = offered.filter((event) => events.includes(event));
      const names = tags.split(',').map((tag) => tag.trim().replace(/^#/u, ''));
      const draft = { name, address, format, events: chosen, tags: names.filter((tag) => tag !== '') };
      if (webhook !== null) return changeWebhook(client, webhook.id, draft);
      const { secret } = await addWebhook(client, draft);
      if (format === 'standard') onSecret(secret);
    },
    onSuccess: () => {
      // Not above the dialog with the secret.
      if (webhook !== null || format !== 'standard') toast(t`Saved to the moderation log`);
      onClose();
    },
  });
  const { form, errorOf, formError } = useMutationForm(save, ['name', 'address', 'events', 'tags']);
  const firstField = useRef<HTMLInputElement>(null);
  useEffect(() => firstField.current?.focus(), []);

  return (
    <form {...form} className={classes.form}>
      <TextInput
        ref={firstField}
        label={t`Name of the web hook`}
        dir="auto"
        autoComplete="off"
        maxLength={webhookLimits.name * 2}
        value={name}
        error={errorOf('name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <fieldset className={classes.picture}>
        <legend className={classes.strong}>{t`Receiver`}</legend>
        <div className={classes.choices}>
          {webhookFormats.map((each) => (
            <label key={each} className={classes.choice}>
              <input
                type="radio"
                name="webhook-format"
                className={fields.checkbox}
                checked={format === each}
                onChange={() => setFormat(each)}
              />
              {getFormatLabel(each)}
            </label>
          ))}
        </div>
      </fieldset>
      <TextInput
        label={t`Address of the receiver`}
        description={
          format === 'standard'
            ? t`Parley sends each event to this address as JSON. It begins with https://.`
            : t`The address of an incoming web hook, which the chat shows when you create one for a channel.`
        }
        dir="ltr"
        inputMode="url"
        autoComplete="off"
        value={address}
        error={errorOf('address')}
        onChange={(event) => setAddress(event.currentTarget.value)}
      />
      <EventChoices offered={offered} chosen={events} onChange={setEvents} />
      <FormError message={errorOf('events')} />
      <TextInput
        label={t`Only questions with one of these topics`}
        description={t`Separated by commas. Empty: all questions.`}
        dir="auto"
        autoComplete="off"
        value={tags}
        error={errorOf('tags')}
        onChange={(event) => setTags(event.currentTarget.value)}
      />
      <FormError message={formError} />
      <div className={classes.buttons}>
        <Button type="submit" loading={save.isPending}>
          {webhook === null ? t`Add web hook` : t`Save`}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}

function EventChoices({
  offered,
  chosen,
  onChange,
}: {
  offered: readonly WebhookEvent[];
  chosen: readonly WebhookEvent[];
  onChange: (events: readonly WebhookEvent[]) => void;
}) {
  const groups = [
    { kind: 'question', label: t`Questions` },
    { kind: 'answer', label: t`Answers` },
    { kind: 'reply', label: t`Replies` },
    { kind: 'member', label: t`Members` },
  ];
  return groups.map(({ kind, label }) => (
    <fieldset key={kind} className={classes.picture}>
      <legend className={classes.strong}>{label}</legend>
      <div className={classes.choices}>
        {offered
          .filter((event) => event.startsWith(`${kind}.`))
          .map((event) => (
            <label key={event} className={classes.choice}>
              <input
                type="checkbox"
                className={fields.checkbox}
                checked={chosen.includes(event)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange(checked ? [...chosen, event] : chosen.filter((each) => each !== event))
                }
              />
              {describeEvent(event)}
            </label>
          ))}
      </div>
    </fieldset>
  ));
}
