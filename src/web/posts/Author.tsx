import { t } from '@lingui/core/macro';
import { formerMemberName } from '#shared/core/limits.ts';
import { profilePath } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';
import classes from './PostMeta.module.css';

/** The author's name with a link to the profile; only the name for authors without an account. */
export function Author(props: {
  id: number | null;
  name: string;
  isBot?: boolean;
  className?: string | undefined;
}) {
  const { id, className } = props;
  const name = props.name === formerMemberName ? t`Former member` : props.name;
  if (id === null)
    return (
      <span className={className} dir="auto">
        {name}
      </span>
    );
  return (
    <>
      <Link href={profilePath(id)} className={className} dir="auto">
        {name}
      </Link>
      {props.isBot && <BotBadge />}
    </>
  );
}

/** Marks a service account, with which a program writes. */
export function BotBadge() {
  return <span className={classes.badge}>{t`Bot`}</span>;
}
