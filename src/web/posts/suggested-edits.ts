import { t } from '@lingui/core/macro';
import { toast } from '#web/core/toast.ts';

/** Says what becomes of an edit to a post of another member. */
export function toastSuggested({ status }: { status: string }): void {
  toast(status === 'approved' ? t`Edit saved` : t`Thank you. Your edit waits for approval.`);
}
