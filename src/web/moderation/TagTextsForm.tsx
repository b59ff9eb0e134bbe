import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import type { ManagedTag } from '#shared/moderation/managed-tags.ts';
import { getTagDescription } from '#shared/posts/tags.ts';
import { toast } from '#web/core/toast.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { setTagTexts } from './managed-tags.ts';
import classes from './moderation.module.css';

/** Description and text of a tag. */
export function TagTextsForm({ tag }: { tag: ManagedTag }) {
  const client = useQueryClient();
  const [description, setDescription] = useState(tag.description);
  const [about, setAbout] = useState(tag.about);
  const save = useMutation({
    mutationFn: () => setTagTexts(client, tag.name, { description, about }),
    onSuccess: () => toast(t`Saved to the moderation log`),
  });
  const isUnchanged = description.trim() === tag.description && about.trim() === tag.about;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <div>
        <TextInput
          label={t`Description`}
          description={t`One line, shown with the topic`}
          placeholder={getTagDescription(tag.name)}
          dir="auto"
          autoComplete="off"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <CharacterCounter text={description} max={limits.tagDescription} />
      </div>
      <div>
        <Textarea
          label={t`About this topic`}
          description={t`Shown on the page of the topic. Markdown works.`}
          rows={8}
          dir="auto"
          value={about}
          onChange={(event) => setAbout(event.currentTarget.value)}
        />
        <CharacterCounter text={about} max={limits.tagAbout} />
      </div>
      {about.trim() !== '' && (
        <section className={classes.card} aria-label={t`Preview`}>
          <Markdown text={about} headingLevel={2} />
        </section>
      )}
      <FormError message={save.error === null ? null : save.error.message} />
      <div className={classes.buttons}>
        <Button type="submit" loading={save.isPending} disabled={isUnchanged}>
          {t`Save`}
        </Button>
      </div>
    </form>
  );
}
