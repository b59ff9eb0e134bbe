import { Notifications } from '@mantine/notifications';
import classes from './Toasts.module.css';

export default function Toasts() {
  return (
    <Notifications position="bottom-center" limit={3} containerWidth={400} className={classes.toasts ?? ''} />
  );
}
