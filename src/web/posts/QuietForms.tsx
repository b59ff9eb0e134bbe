import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef } from 'react';
import type { PostRef } from '#shared/core/fields.ts';
import { draftTargets } from '#shared/posts/drafts-targets.ts';
import { createIdempotencyKey } from '#web/core/api.ts';
import { isComposing } from '#web/core/composition.ts';
import { QuietField } from '#web/editor/index.ts';
import {
  type DraftRecord,
  type DraftRef,
  readDraftRecord,
  removeDraftRecord,
  writeDraftRecord,
} from './drafts/drafts-storage.ts';
import { answerFormId } from './offline/queued-posts.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { replyPlaceholder, useCloseReply } from './questions/replying-to.tsx';
import classes from './PostForm.module.css';

/** What was typed into a field that another one replaces. */
export type TypedText = {
  text: string;
  selection: readonly [number, number];
  hasFocus: boolean;
  /** Whether the last key was Ctrl or ⌘ with Enter. */
  submits: boolean;
  /** The key of the draft that the text is stored as. Null if the text follows an earlier draft. */
  draftKey: string | null;
};

type Props = {
  /** Called when an input method starts and ends to compose a word. */
  onComposing: (isComposing: boolean) => void;
  /** Called when the field is removed. */
  onReplaced: (typed: TypedText) => void;
};

/** Looks like an empty `AnswerForm`, which replaces it when it is loaded. */
export function QuietAnswerForm({ onComposing, onReplaced }: Props) {
  const id = useId();
  const { questionId } = useQuestionPage();
  const { field, onKeyDown } = useHandedOverField(draftTargets.answer(questionId), onReplaced);
  return (
    <div id={answerFormId} className={classes.answerForm}>
      <p className={classes.typing} />
      <form noValidate onSubmit={(event) => event.preventDefault()}>
        <QuietField
          id={id}
          label={t`Your answer`}
          placeholder={t`Write your answer …`}
          compact
          rows={1}
          field={field}
          onComposing={onComposing}
          onKeyDown={onKeyDown}
        >
          <Button type="submit" size="sm" disabled>
            {t`Post Answer`}
          </Button>
        </QuietField>
      </form>
    </div>
  );
}

/** Looks like an empty `ReplyForm`, which replaces it when it is loaded and rendered. Takes the focus. */
export function QuietReplyForm({ to, onComposing, onReplaced }: Props & { to: PostRef }) {
  const id = useId();
  const close = useCloseReply(to);
  const { field, onKeyDown } = useHandedOverField(draftTargets.reply(to), onReplaced, close);
  useEffect(() => {
    field.current?.focus();
    // With its buttons.
    field.current?.form?.scrollIntoView({ block: 'nearest' });
  }, [field]);
  return (
    <div className={classes.replyForm}>
      <form noValidate onSubmit={(event) => event.preventDefault()}>
        <QuietField
          id={id}
          label={t`Your reply`}
          hideLabel
          placeholder={replyPlaceholder(to)}
          rows={3}
          field={field}
          onComposing={onComposing}
          onKeyDown={onKeyDown}
        >
          <Button type="submit" size="sm" disabled>
            {t`Post Reply`}
          </Button>
          <Button variant="subtle" color="gray" size="sm" onClick={close}>
            {t`Cancel`}
          </Button>
        </QuietField>
      </form>
    </div>
  );
}

/**
 * @param target of the draft that stores what is typed
 * @param onCancel called for Esc
 */
function useHandedOverField(target: string, onReplaced: Props['onReplaced'], onCancel?: () => void) {
  const { member } = useQuestionPage();
  const field = useRef<HTMLTextAreaElement>(null);
  const submits = useRef(false);
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return undefined;
    const draft = createQuietDraft({ memberId: member.id, target });
    const save = () => draft.save(element.value);
    save();
    element.addEventListener('input', save);
    return () => {
      element.removeEventListener('input', save);
      onReplaced({
        text: element.value,
        selection: [element.selectionStart, element.selectionEnd],
        hasFocus: document.activeElement === element,
        submits: submits.current,
        draftKey: draft.getKey(),
      });
    };
  }, [member.id, target, onReplaced]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    submits.current = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (submits.current) event.preventDefault();
    if (event.key !== 'Escape' || onCancel === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onCancel();
  };
  return { field, onKeyDown };
}

/** Stores text in this browser until the form takes it over, unless there is an earlier draft, which the text follows. */
function createQuietDraft(draftRef: DraftRef) {
  let saved = '';
  const key = createIdempotencyKey();
  const isOwn = (record: DraftRecord | null) => (record?.fields?.['content'] ?? '') === saved;
  return {
    /** Null without a text, and if another tab or device has changed the draft meanwhile. */
    getKey(): string | null {
      const record = readDraftRecord(draftRef);
      return saved !== '' && isOwn(record) ? (record?.fields?.['key'] ?? null) : null;
    },
    save(text: string) {
      const record = readDraftRecord(draftRef);
      const hasOther = record !== null && record.fields !== null && !isOwn(record);
      if (hasOther || text === saved || (text.trim() === '' && saved === '')) return;
      saved = text.trim() === '' ? '' : text;
      const isOnServer = record !== null && (record.baseVersion !== null || record.sentStep !== null);
      if (saved === '' && !isOnServer) return removeDraftRecord(draftRef);
      const now = Date.now();
      writeDraftRecord(draftRef, {
        fields: saved === '' ? null : { content: saved, key },
        baseVersion: record?.baseVersion ?? null,
        dirty: true,
        sentStep: record?.sentStep ?? null,
        step: Math.max(now, (record?.step ?? 0) + 1),
        postedKey: record?.postedKey ?? null,
        changedAt: now,
      });
    },
  };
}
