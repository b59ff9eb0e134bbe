import { t } from '@lingui/core/macro';
import { IconButton, Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { ManagedTag } from '#shared/moderation/managed-tags.ts';
import { ApiError } from '#web/core/errors.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import fields from '#web/ui/fields.module.css';
import { addSynonym, removeSynonym } from './managed-tags.ts';
import classes from './moderation.module.css';

/** The other names of a tag, each with a button that removes it, and a field for one more. */
export function TagSynonyms({ tag }: { tag: ManagedTag }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const add = useMutation({
    mutationFn: (synonym: string) => addSynonym(client, tag.name, synonym),
    onSuccess: () => {
      setTyped('');
      toast(t`Saved to the moderation log`);
    },
  });
  // The last one stays in the dialog while it closes.
  const [removed, setRemoved] = useState('');
  const [isConfirming, setIsConfirming] = useState(false);
  // The button that opened the dialog is gone then.
  const isRemoved = useRef(false);
  const addField = useRef<HTMLInputElement>(null);
  const [removesEverywhere, setRemovesEverywhere] = useState(false);
  const remove = useMutation({
    mutationFn: () =>
      removeSynonym(client, { tag: tag.name, synonym: removed, keepName: !removesEverywhere }),
    onSuccess: () => {
      isRemoved.current = true;
      toast(t`Saved to the moderation log`);
    },
    onError: (error) => toastError(error.message),
    onSettled: () => setIsConfirming(false),
  });
  const error =
    add.error instanceof ApiError ? (add.error.messageForField('synonym') ?? add.error.message) : null;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed.trim() !== '' && !add.isPending) add.mutate(typed.trim());
  }

  return (
    <>
      <p className={classes.quiet}>{t`Questions asked with one of these names get this topic.`}</p>
      {tag.synonyms.length > 0 && (
        <ul className={classes.names} aria-label={t`Other names`}>
          {tag.synonyms.map((synonym) => (
            <li key={synonym} className={classes.name}>
              <bdi>{synonym}</bdi>
              <IconButton
                size={32}
                aria-label={t`Remove ${synonym}`}
                onClick={() => {
                  setRemoved(synonym);
                  isRemoved.current = false;
                  setRemovesEverywhere(false);
                  setIsConfirming(true);
                }}
              >
                <IconX size={16} stroke={1.8} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <form className={classes.inline} noValidate onSubmit={submit}>
        <TextInput
          ref={addField}
          label={t`Add a name`}
          dir="auto"
          autoComplete="off"
          autoCapitalize="none"
          value={typed}
          error={error}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            add.reset();
          }}
        />
        <Button type="submit" variant="default" loading={add.isPending} disabled={typed.trim() === ''}>
          {t`Add`}
        </Button>
      </form>
      <ConfirmDialog
        opened={isConfirming}
        title={t`Remove “${removed}”?`}
        text={
          removesEverywhere
            ? t`“${removed}” will no longer lead to “${tag.name}”.`
            : t`“${removed}” will no longer lead to “${tag.name}”. It will be a topic of its own again.`
        }
        label={t`Remove`}
        isHarmless={!removesEverywhere}
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setIsConfirming(false)}
        opener={() => (isRemoved.current ? addField.current : null)}
      >
        <label className={classes.choice}>
          <input
            type="checkbox"
            className={fields.checkbox}
            checked={removesEverywhere}
            onChange={(event) => setRemovesEverywhere(event.currentTarget.checked)}
          />
          {t`Also remove the name from earlier versions of questions`}
        </label>
      </ConfirmDialog>
    </>
  );
}
