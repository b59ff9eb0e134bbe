import { t } from '@lingui/core/macro';
import { toast, toastError } from '#web/core/toast.ts';
import { copyText } from './copy-text.ts';

/** Copies a text that can be seen and selected, and says whether it worked: browsers may refuse it on plain http. */
export async function copyWithToast(text: string): Promise<void> {
  if (await copyText(text)) toast(t`Copied`);
  else toastError(t`The text could not be copied. Select and copy it.`);
}
