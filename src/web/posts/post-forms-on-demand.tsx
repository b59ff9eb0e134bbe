import { type ComponentProps, memo, useCallback, useRef, useState, useSyncExternalStore } from 'react';
import { retryUntilLoaded } from '#web/core/lazy.ts';
import { preloadToasts } from '#web/core/toast.ts';
import type * as PostForms from './post-forms.ts';
import { QuietAnswerForm, type TypedText } from './QuietAnswerForm.tsx';

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

/** Until the form is loaded, a field that takes text. */
export const AnswerForm = memo(function AnswerForm(
  props: Omit<ComponentProps<typeof PostForms.AnswerForm>, 'takeTyped'>,
) {
  const loaded = usePostForms();
  // Input methods would lose the word that is being composed.
  const [isComposing, setIsComposing] = useState(false);
  const typed = useRef<TypedText>(null);
  const keepTyped = useCallback((text: TypedText) => void (typed.current = text), []);
  const takeTyped = useCallback(() => {
    const text = typed.current;
    typed.current = null;
    return text;
  }, []);
  if (loaded === null || isComposing)
    return <QuietAnswerForm onComposing={setIsComposing} onReplaced={keepTyped} />;
  return <loaded.AnswerForm {...props} takeTyped={takeTyped} />;
});

export function ReplyForm(props: ComponentProps<typeof PostForms.ReplyForm>) {
  const loaded = usePostForms();
  return loaded && <loaded.ReplyForm {...props} />;
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
