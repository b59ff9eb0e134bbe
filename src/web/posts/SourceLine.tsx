import { Trans } from '@lingui/react/macro';
import type { Source } from '#shared/fields.ts';
import { safeAddress } from '#web/ui/markdown/links.ts';
import classes from './SourceLine.module.css';

/**
 * Where an imported post comes from, as its licence asks: the site, the original, the author and the licence. No line
 * begins with a mark.
 */
export function SourceLine({ source, authorName }: { source: NonNullable<Source>; authorName: string }) {
  return (
    <p className={classes.source}>
      <Trans>
        From {source.site}&nbsp;· <SourceLink address={source.url}>original</SourceLink>&nbsp;· by{' '}
        <SourceLink address={source.authorUrl}>{authorName}</SourceLink>&nbsp;· {source.license}
      </Trans>
    </p>
  );
}

function SourceLink({ address, children }: { address: string | null; children: string }) {
  const href = address === null ? '' : safeAddress(address);
  if (href === '') return <bdi>{children}</bdi>;
  return (
    <a href={href} rel="nofollow ugc noopener">
      <bdi>{children}</bdi>
    </a>
  );
}
