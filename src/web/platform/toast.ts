import { t } from '@lingui/core/macro';
import { createElement } from 'react';

/** What a message offers, such as to undo what it tells of. It must be in reach elsewhere, too: messages go. */
export type ToastAction = { label: string; run: () => void };

/** A short message at the edge of the screen, gone after a while; an error is announced at once. */
export function toast(message: string, action?: ToastAction): void {
  void show(message, 'status', action);
}

export function toastError(message: string): void {
  void show(message, 'alert');
}

async function show(message: string, role: 'status' | 'alert', action?: ToastAction): Promise<void> {
  const [{ notifications }, { ToastMessage }] = await Promise.all([
    import('@mantine/notifications'),
    import('#web/ui/ToastMessage.tsx'),
  ]);
  const id = notifications.show({
    message:
      action === undefined
        ? message
        : createElement(ToastMessage, {
            message,
            label: action.label,
            onPress: () => {
              notifications.hide(id);
              action.run();
            },
          }),
    role,
    color: role === 'alert' ? 'red' : 'teal',
    autoClose: action !== undefined ? 10_000 : role === 'alert' ? 8000 : 4000,
    withBorder: false,
    closeButtonProps: { 'aria-label': t`Close message` },
  });
}
