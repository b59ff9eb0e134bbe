import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { maxObjectionLength } from '#shared/moderation/moderation.ts';
import { toast } from '#web/core/toast.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { objectToRemoval } from './moderation.ts';
import classes from './moderation.module.css';

/** The button 'Object' and the form behind it, for the author of a removed post. */
export function ObjectionForm({ hiddenPostId }: { hiddenPostId: number }) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (opened) field.current?.focus();
  }, [opened]);
  const sending = useMutation({
    mutationFn: () => objectToRemoval(client, hiddenPostId, text),
    onSuccess: () => toast(t`A moderator will read your objection`),
  });
  if (!opened)
    return (
      <div className={classes.buttons}>
        <Button variant="default" onClick={() => setOpened(true)}>{t`Object`}</Button>
      </div>
    );
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!sending.isPending) sending.mutate();
      }}
    >
      <div>
        <Textarea
          label={t`Why should the post be restored?`}
          description={t`You can object once.`}
          rows={3}
          dir="auto"
          ref={field}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <CharacterCounter text={text} max={maxObjectionLength} />
      </div>
      <FormError message={sending.error?.message ?? null} />
      <div className={classes.buttons}>
        <Button type="submit" loading={sending.isPending}>{t`Send objection`}</Button>
        <Button variant="default" onClick={() => setOpened(false)}>{t`Cancel`}</Button>
      </div>
    </form>
  );
}
