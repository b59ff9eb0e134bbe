import { t } from '@lingui/core/macro';
import { type ClipboardEvent, type RefObject, useEffect, useState } from 'react';
import { useMember } from '#web/core/session.ts';
import { askToSignIn } from '#web/core/sign-in-prompt.ts';
import { toastError } from '#web/core/toast.ts';
import { useDropTarget } from '#web/ui/useDropTarget.ts';

/** A file that the author added. The placeholder is in the text while it is uploaded. */
export type AddedPicture = { id: number; file: File; placeholder: string };

let pictures = 0;

/** The pictures that the author adds to a text by button, paste and drop. The text is not posted while one is uploaded. */
export function usePictures(field: RefObject<HTMLTextAreaElement | null>, value: string) {
  const [added, setAdded] = useState<readonly AddedPicture[]>([]);
  const isUploading = added.some(({ placeholder }) => value.includes(placeholder));
  // The placeholder of an upload that was interrupted stays in the draft.
  const refusePost = isUploading ? toastUploading : placeholderPattern.test(value) ? toastMissing : null;
  useEffect(() => {
    const form = field.current?.form;
    if (refusePost === null || !form) return;
    const ending = new AbortController();
    const refuse = (event: SubmitEvent) => {
      event.preventDefault();
      // React listens at the root of the page.
      event.stopPropagation();
      refusePost();
    };
    form.addEventListener('submit', refuse, ending);
    return () => ending.abort();
  }, [field, refusePost]);

  const isSignedIn = useMember() !== null;
  const add = (files: readonly File[]) => {
    if (!isSignedIn) return askToSignIn('act', field.current ?? document.body);
    setAdded((before) => [
      ...before,
      ...files.map((file) => ({ id: ++pictures, file, placeholder: placeholderOf(file, pictures) })),
    ]);
  };
  const drop = useDropTarget(add);
  return {
    added,
    add,
    remove: (id: number) => setAdded((before) => before.filter((each) => each.id !== id)),
    /** Uploads the file once more, as a new picture. */
    retry: (id: number) =>
      setAdded((before) => before.map((each) => (each.id === id ? { ...each, id: ++pictures } : each))),
    /** Says why the text cannot be posted yet; null if it can be. */
    refusePost,
    ...drop,
    /** Adds pasted pictures. Office programs copy a picture of a text as well; then the text is pasted. */
    onPaste(event: ClipboardEvent): boolean {
      const { files, types } = event.clipboardData;
      if (files.length === 0 || types.includes('text/plain')) return false;
      event.preventDefault();
      add([...files]);
      return true;
    },
  };
}

const toastUploading = () => toastError(t`Wait until the pictures are uploaded, or cancel them.`);
const toastMissing = () =>
  toastError(t`A picture in the text was not uploaded. Add it again, or remove it from the text.`);

const placeholderPattern = /\]\(uploading:\d+\)/u;

/** @param id distinguishes pictures of the same name. */
function placeholderOf(file: File, id: number): string {
  const name = file.name.replaceAll(/[[\]\\`\n]/gu, ' ').slice(0, 60);
  return `![${t`Uploading ${name} …`}](uploading:${id})`;
}
