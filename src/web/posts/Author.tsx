import { t } from '@lingui/core/macro';
import { formerMemberName } from '#shared/core/limits.ts';
import { profilePath } from '#web/core/paths.ts';
import { PathLink } from '#web/ui/PathLink.tsx';

/** The author's name with a link to the profile; only the name for authors without an account. */
export function Author(props: { id: number | null; name: string; className?: string | undefined }) {
  const { id, className } = props;
  const name = props.name === formerMemberName ? t`Former member` : props.name;
  if (id === null)
    return (
      <span className={className} dir="auto">
        {name}
      </span>
    );
  return (
    <PathLink href={profilePath(id)} className={className} dir="auto">
      {name}
    </PathLink>
  );
}
