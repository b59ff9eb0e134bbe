import { Trans } from '@lingui/react/macro';
import type { Source } from '#shared/core/fields.ts';
import { sanitizeUrl } from '#web/ui/markdown/safe-urls.ts';
import classes from './PostAttribution.module.css';

/**
 * Where an imported post comes from, as its licence asks: the site, the original, the author and the licence. No line
 * begins with a mark.
 */
export function PostAttribution({ source, authorName }: { source: NonNullable<Source>; authorName: string }) {
  return (
    <p className={classes.source}>
      <Trans>
        From {source.site}&nbsp;· <AttributionLink address={source.url}>original</AttributionLink>&nbsp;· by{' '}
        <AttributionLink address={source.authorUrl}>{authorName}</AttributionLink>&nbsp;· {source.license}
      </Trans>
    </p>
  );
}

function AttributionLink({ address, children }: { address: string | null; children: string }) {
  const href = address === null ? '' : sanitizeUrl(address);
  if (href === '') return <bdi>{children}</bdi>;
  return (
    <a href={href} rel="nofollow ugc noopener">
      <bdi>{children}</bdi>
    </a>
  );
}
