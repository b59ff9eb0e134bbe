import {
  type ComponentProps,
  memo,
  useCallback,
  useDeferredValue,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { retryUntilLoaded } from '#web/core/lazy.ts';
import { preloadToasts } from '#web/core/toast.ts';
import type * as PostForms from './post-forms.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { QuietAnswerForm, QuietReplyForm, type TypedText } from './QuietForms.tsx';

/**
 * The forms of the question page, with the editor and queued posts. They are a quarter of its code and not needed to
 * read and vote, so they are loaded after the page handles input.
 */
let forms: typeof PostForms | null = null;
const listeners = new Set<() => void>();

/** Loads the forms, so that they are rendered with the page. */
export async function loadPostForms(): Promise<void> {
  forms = await import('./post-forms.ts');
  for (const listener of listeners) listener();
}

/** Null while they are loaded, and while the page is hydrated. */
function usePostForms(): typeof PostForms | null {
  return useSyncExternalStore(subscribe, getForms, getNone);
}

const getForms = () => forms;
const getNone = () => null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (forms === null) startLoading();
  return () => void listeners.delete(listener);
}

let isLoading = false;

function startLoading(): void {
  if (isLoading) return;
  isLoading = true;
  // They tell what became of a post.
  void retryUntilLoaded(loadPostForms).then(preloadToasts);
}

/** Until the form is loaded, a field that takes text, unless the question was locked from the start. */
export const AnswerForm = memo(function AnswerForm(
  props: Omit<ComponentProps<typeof PostForms.AnswerForm>, 'takeTyped'>,
) {
  const loaded = useDeferredForms();
  const [wasLocked] = useState(useQuestionPage().isLocked);
  const { isComposing, quietField, takeTyped } = useTypedBefore();
  if (loaded === null || isComposing) return wasLocked ? null : <QuietAnswerForm {...quietField} />;
  return <loaded.AnswerForm {...props} takeTyped={takeTyped} />;
});

/** Until the form is loaded and rendered, a field that takes text. */
export function ReplyForm(props: Omit<ComponentProps<typeof PostForms.ReplyForm>, 'takeTyped'>) {
  const loaded = useDeferredForms();
  const { isComposing, quietField, takeTyped } = useTypedBefore();
  if (loaded === null || isComposing) return <QuietReplyForm to={props.to} {...quietField} />;
  return <loaded.ReplyForm {...props} takeTyped={takeTyped} />;
}

/**
 * Null in the first rendering of a component, which is shown at once. The forms are rendered next, in steps between
 * which the page handles input: they take a tenth of a second on a slow phone.
 */
function useDeferredForms(): typeof PostForms | null {
  return useDeferredValue(usePostForms(), null);
}

/** Keeps what is typed into a field for the form that replaces it. */
function useTypedBefore() {
  // Input methods would lose the word that is being composed.
  const [isComposing, setIsComposing] = useState(false);
  const typed = useRef<TypedText>(null);
  const keepTyped = useCallback((text: TypedText) => void (typed.current = text), []);
  const takeTyped = useCallback(() => {
    const text = typed.current;
    typed.current = null;
    return text;
  }, []);
  return { isComposing, quietField: { onComposing: setIsComposing, onReplaced: keepTyped }, takeTyped };
}

export function EditPostForm(props: ComponentProps<typeof PostForms.EditPostForm>) {
  const loaded = usePostForms();
  return loaded && <loaded.EditPostForm {...props} />;
}

export function EditQuestionForm(props: ComponentProps<typeof PostForms.EditQuestionForm>) {
  const loaded = usePostForms();
  return loaded && <loaded.EditQuestionForm {...props} />;
}

export function QueuedPostArticle(props: ComponentProps<typeof PostForms.QueuedPostArticle>) {
  const loaded = usePostForms();
  return loaded && <loaded.QueuedPostArticle {...props} />;
}

export function QueuedPostsElsewhere(props: ComponentProps<typeof PostForms.QueuedPostsElsewhere>) {
  const loaded = usePostForms();
  return props.queuedPosts.length === 0 ? null : loaded && <loaded.QueuedPostsElsewhere {...props} />;
}

export function RestoreRefusedPosts(props: ComponentProps<typeof PostForms.RestoreRefusedPosts>) {
  const loaded = usePostForms();
  return props.queued.length === 0 ? null : loaded && <loaded.RestoreRefusedPosts {...props} />;
}
