import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useEffect, useRef, useState } from 'react';
import type { PostKind } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';
import { countCodePoints, hasVisibleCharacters } from '#shared/core/text.ts';
import type { PostTexts } from '#shared/moderation/edit-suggestions.ts';
import { findTagsProblem, parseTags } from '#shared/posts/tags.ts';
import { translateCodedError, translateError } from '#web/core/errors.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import classes from './moderation.module.css';
import { NewerVersion } from './NewerVersion.tsx';

const contentLimits = { question: limits.details, answer: limits.answer, reply: limits.reply } as const;

/** Changes a suggested edit before it is approved. */
export function EditApprovalForm(props: {
  kind: PostKind;
  initial: PostTexts;
  /** The post as the member has seen it, and after an edit since; null without one. */
  newer: { before: PostTexts; after: PostTexts } | null;
  onNewerSeen: () => void;
  /** Why the member can no longer decide; null if they can. The text stays, to be copied. */
  refusal: string | null;
  /** Of the last try. */
  error: string | null;
  saving: boolean;
  onApprove: (texts: PostTexts) => void;
  onCancel: () => void;
}) {
  const { kind, initial, newer, refusal } = props;
  const [title, setTitle] = useState(initial.title ?? '');
  const [content, setContent] = useState(initial.content);
  const [tags, setTags] = useState(initial.tags?.join(', ') ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const editor = useRef<HTMLTextAreaElement>(null);
  useEffect(() => editor.current?.focus(), []);
  const isQuestion = kind === 'question';
  const max = contentLimits[kind];
  const tagsError = isQuestion ? findTagsProblem(parseTags(tags)) : null;

  function approve() {
    if (props.saving || refusal !== null || tagsError !== null) return undefined;
    const wrong = isQuestion ? (findTitleProblem(title) ?? findProblem()) : findProblem();
    setProblem(wrong);
    if (wrong !== null) return undefined;
    return props.onApprove({
      title: isQuestion ? title.trim() : null,
      content: content.trim(),
      tags: isQuestion ? parseTags(tags) : null,
    });
  }

  function findProblem(): string | null {
    if (!hasVisibleCharacters(content)) return translateError('question-fields-required');
    return countCodePoints(content.trim()) > max ? translateError('text-too-long', { max }) : null;
  }

  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        approve();
      }}
    >
      {isQuestion && (
        <div>
          <TextInput
            label={t`Title`}
            dir="auto"
            autoComplete="off"
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <CharacterCounter text={title} max={limits.title} />
        </div>
      )}
      <div>
        <Textarea
          ref={editor}
          label={t`Text`}
          dir="auto"
          autosize
          minRows={6}
          maxRows={24}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        <CharacterCounter text={content} max={max} />
      </div>
      {isQuestion && (
        <TextInput
          label={t`Tags`}
          dir="auto"
          autoComplete="off"
          autoCapitalize="none"
          value={tags}
          error={tagsError === null ? null : translateCodedError(tagsError)}
          onChange={(event) => setTags(event.currentTarget.value)}
        />
      )}
      {newer !== null && (
        <NewerVersion
          {...newer}
          onSeen={() => {
            props.onNewerSeen();
            editor.current?.focus();
          }}
        />
      )}
      <FormError message={refusal ?? problem ?? props.error} />
      <div className={classes.buttons}>
        <Button type="submit" loading={props.saving} disabled={refusal !== null}>{t`Approve`}</Button>
        <Button variant="default" onClick={props.onCancel}>{t`Cancel`}</Button>
      </div>
    </form>
  );
}

function findTitleProblem(title: string): string | null {
  if (!hasVisibleCharacters(title)) return translateError('question-fields-required');
  const { title: max } = limits;
  return countCodePoints(title.trim()) > max ? translateError('title-too-long', { max }) : null;
}
