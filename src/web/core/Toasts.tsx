import { Notifications as MantineNotifications } from '@mantine/notifications';
import { baseTheme, withProvider } from './with-mantine.tsx';
import classes from './Toasts.module.css';

const Notifications = withProvider(MantineNotifications, baseTheme);

/** A message with an action. */
export function ToastMessage(props: { message: string; label: string; onPress: () => void }) {
  return (
    <span className={classes.message}>
      <span dir="auto">{props.message}</span>
      <button type="button" className={classes.action} onClick={props.onPress}>
        {props.label}
      </button>
    </span>
  );
}

/** The container of the messages. */
export default function Toasts() {
  return (
    <Notifications
      position="bottom-center"
      limit={3}
      containerWidth={400}
      className={classes.container ?? ''}
    />
  );
}
