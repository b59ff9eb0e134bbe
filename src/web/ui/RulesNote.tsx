import { Trans } from '@lingui/react/macro';
import { useCachedSession } from '#web/core/session.ts';

/** A link to the rules of the community, if it has some. It opens in a new tab: the form beside it stays. */
export function RulesNote({ className }: { className?: string | undefined }) {
  if (useCachedSession()?.pages?.includes('rules') !== true) return null;
  return (
    <p className={className}>
      <Trans>
        Please read the{' '}
        <a href="/rules" target="_blank" rel="noopener">
          rules of this community
        </a>
        .
      </Trans>
    </p>
  );
}
