import '@mantine/core/styles/Notification.layer.css';
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import classes from './Toasts.module.css';

// What platform/toast.ts asks for is fetched now: it is needed most when there is no connection.
void import('@mantine/notifications');
void import('#web/ui/ToastMessage.tsx');

export default function Toasts() {
  return (
    <Notifications position="bottom-center" limit={3} containerWidth={400} className={classes.toasts ?? ''} />
  );
}
