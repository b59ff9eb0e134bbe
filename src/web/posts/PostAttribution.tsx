import { Trans } from '@lingui/react/macro';
import type { Source } from '#shared/core/fields.ts';
import { sanitizeUrl } from '#web/ui/markdown/links.ts';
import classes from './PostAttribution.module.css';

/**
 * The source of an imported post, as its licence requires: site, original, author and licence. Separators never begin a
 * line.
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
