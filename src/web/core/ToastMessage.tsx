import classes from './ToastMessage.module.css';

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
