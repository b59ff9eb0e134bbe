import { formerMemberName } from '#shared/core/limits.ts';
import { profilePath } from '#web/core/paths.ts';
import { translateServerMessage } from '#web/core/errors.ts';
import { PathLink } from '#web/ui/PathLink.tsx';

/** The name of who wrote something, leading to their profile; of one without an account, the name alone. */
export function Author(props: { id: number | null; name: string; className?: string | undefined }) {
  const { id, className } = props;
  const name = props.name === formerMemberName ? translateServerMessage(formerMemberName) : props.name;
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
