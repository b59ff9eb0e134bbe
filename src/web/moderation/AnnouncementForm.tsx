import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { maxAnnouncementText } from '#shared/moderation/announcements.ts';
import { toast } from '#web/core/toast.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { endOfDay, postAnnouncement } from './announcements.ts';
import classes from './moderation.module.css';

/** The form for an announcement with a text, on the home page or the page of a tag. */
export function AnnouncementForm() {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [link, setLink] = useState('');
  const [tag, setTag] = useState('');
  const [lastDay, setLastDay] = useState('');
  const post = useMutation({
    mutationFn: () =>
      postAnnouncement(client, {
        questionId: null,
        text,
        link,
        tag: tag.trim() === '' ? null : tag,
        until: endOfDay(lastDay),
      }),
    onSuccess: () => {
      setText('');
      setLink('');
      setTag('');
      setLastDay('');
      toast(t`Saved to the moderation log`);
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!post.isPending) post.mutate();
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <div>
        <TextInput
          label={t`Text`}
          dir="auto"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <CharacterCounter text={text} max={maxAnnouncementText} />
      </div>
      <TextInput
        label={t`Link (optional)`}
        type="url"
        dir="ltr"
        value={link}
        onChange={(event) => setLink(event.currentTarget.value)}
      />
      <TextInput
        label={t`Topic (optional)`}
        description={t`Shown on the page of this topic. Without a topic, on the home page.`}
        dir="auto"
        autoCapitalize="none"
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
      <LastDayField value={lastDay} onChange={setLastDay} />
      <FormError message={post.error?.message ?? null} />
      <div className={classes.buttons}>
        <Button type="submit" loading={post.isPending}>
          {t`Post announcement`}
        </Button>
      </div>
    </form>
  );
}

/** The last day on which an announcement is shown. */
export function LastDayField({ value, onChange }: { value: string; onChange: (day: string) => void }) {
  return (
    <TextInput
      label={t`Last day (optional)`}
      description={t`Shown until the end of this day. Without a day, until you end it.`}
      type="date"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
