import { t } from '@lingui/core/macro';
/** A short message at the edge of the screen, gone after a while; an error is announced at once. */
export function toast(message: string): void {
  void show(message, 'status');
}

export function toastError(message: string): void {
  void show(message, 'alert');
}

async function show(message: string, role: 'status' | 'alert'): Promise<void> {
  const { notifications } = await import('@mantine/notifications');
  notifications.show({
    message,
    role,
    color: role === 'alert' ? 'red' : 'teal',
    autoClose: role === 'alert' ? 8000 : 4000,
    withBorder: false,
    closeButtonProps: { 'aria-label': t`Close message` },
  });
}
