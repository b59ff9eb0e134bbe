import { useId, type ReactNode } from 'react';
import classes from './SettingsSection.module.css';

/** A section of the settings. */
export function SettingsSection({
  title,
  text,
  id,
  children,
}: {
  title: string;
  text?: string;
  /** The anchor for links to the section. */
  id?: string;
  children: ReactNode;
}) {
  const titleId = useId();
  return (
    <section id={id} aria-labelledby={titleId} className={classes.section}>
      <div className={classes.head}>
        <h2 id={titleId} className={classes.title}>
          {title}
        </h2>
        {text !== undefined && <p className={classes.text}>{text}</p>}
      </div>
      <div className={classes.body}>{children}</div>
    </section>
  );
}
