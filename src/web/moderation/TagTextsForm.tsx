import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import type { ManagedTag, TagTexts } from '#shared/moderation/managed-tags.ts';
import { getTagDescription } from '#shared/posts/tags.ts';
import { managedTagPath } from '#web/core/paths.ts';
import { useRouter } from '#web/core/router.ts';
import { toast } from '#web/core/toast.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import { setTagTexts } from './managed-tags.ts';
import classes from './moderation.module.css';
import { NewerVersion } from './NewerVersion.tsx';

/**
 * Description and text of a tag. What is typed stays when another moderator changes, renames or merges the tag.
 * @param address the name in the address of the page
 */
export function TagTextsForm({ tag, address }: { tag: ManagedTag; address: string }) {
  const client = useQueryClient();
  const router = useRouter();
  // The texts that the moderator has seen last: the server refuses to overwrite others.
  const [seen, setSeen] = useState<TagTexts>(tag);
  const [description, setDescription] = useState(tag.description);
  const [about, setAbout] = useState(tag.about);
  const field = useRef<HTMLTextAreaElement>(null);
  const texts = { description: description.trim(), about: about.trim() };
  const isUnchanged = areEqual(texts, seen);
  const isNewer = !areEqual(tag, seen);
  // What the moderator has not changed becomes what the other one wrote.
  const adopt = () => {
    setSeen(tag);
    if (texts.description === seen.description) setDescription(tag.description);
    if (texts.about === seen.about) setAbout(tag.about);
  };
  if (isNewer && (isUnchanged || areEqual(texts, tag))) adopt();
  const save = useMutation({
    mutationFn: () => {
      const { description: seenDescription, about: seenAbout } = seen;
      const basedOn = { description: seenDescription, about: seenAbout };
      return setTagTexts(client, { address, tag: tag.name, texts: { ...texts, basedOn } });
    },
    onSuccess: () => toast(t`Saved to the moderation log`),
  });
  // A synonym, also after merging and renaming. The page of another address begins without what is typed.
  const { name } = tag;
  useEffect(() => {
    if (name !== address && isUnchanged) void router.navigate(managedTagPath(name), { replace: true });
  }, [router, name, address, isUnchanged]);

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
          ref={field}
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
      {isNewer && (
        <NewerVersion
          message={t`Another moderator has changed these texts. The changes:`}
          before={toPostTexts(seen)}
          after={toPostTexts(tag)}
          onSeen={() => {
            save.reset();
            adopt();
            field.current?.focus();
          }}
        />
      )}
      <FormError message={save.error === null ? null : save.error.message} />
      <div className={classes.buttons}>
        <Button type="submit" loading={save.isPending} disabled={isUnchanged || isNewer}>
          {t`Save`}
        </Button>
      </div>
    </form>
  );
}

const areEqual = (a: TagTexts, b: TagTexts) => a.description === b.description && a.about === b.about;

const toPostTexts = ({ description, about }: TagTexts) => ({
  title: description,
  content: about,
  tags: null,
});
