import { useId, type ReactNode, type CSSProperties } from 'react';
import { Skeleton, SkeletonLines } from '#web/ui/Skeleton.tsx';
import classes from './SettingsSection.module.css';
import settings from './account-settings.module.css';

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

/** The placeholder for some lines and a button, with their final height. */
export function SettingsSkeleton({ lines }: { lines: readonly CSSProperties['width'][] }) {
  return (
    <span className={settings.setting}>
      {lines.map((width) => (
        <SkeletonLines key={width} widths={[width]} />
      ))}
      <span className={lines.length > 0 ? settings.buttons : undefined}>
        <Skeleton width="9rem" height="2.625rem" />
      </span>
    </span>
  );
}
