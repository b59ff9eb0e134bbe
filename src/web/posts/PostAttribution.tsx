import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconExternalLink } from '@tabler/icons-react';
import type { Source } from '#shared/core/fields.ts';
import type { TagTextSource } from '#shared/posts/tag-text-source.ts';
import { sanitizeUrl } from '#web/ui/markdown/sanitize-url.ts';
import classes from './PostAttribution.module.css';

/**
 * The source of an imported post, as its licence requires: site, original, author and licence. Separators never begin a
 * line. On a question's page it stands once, below the question; the other posts have a `SourceMark`.
 * @param licenses the licences of all imported posts of the page.
 */
export function PostAttribution({
  source,
  authorName,
  licenses = source.license,
}: {
  source: NonNullable<Source>;
  authorName: string;
  licenses?: string;
}) {
  return (
    <p className={classes.source}>
      <Trans>
        From {source.site}&nbsp;· <AttributionLink address={source.url}>original</AttributionLink>&nbsp;· by{' '}
        <AttributionLink address={source.authorUrl}>{authorName}</AttributionLink>&nbsp;· {licenses}
      </Trans>
    </p>
  );
}

/** A link from an imported answer or reply to its original, named by the site and the licence. */
export function SourceMark({ source }: { source: NonNullable<Source> }) {
  const { site, url, license } = source;
  const href = sanitizeUrl(url);
  const name = t`Original on ${site}, ${license}`;
  if (href === '') return null;
  return (
    <a href={href} rel="nofollow ugc noopener" className={classes.mark} aria-label={name} title={name}>
      <IconExternalLink size={14} stroke={1.6} aria-hidden="true" />
    </a>
  );
}

/** The source of an imported text of a tag: its page on the site, and the licence, which also holds for a changed text. */
export function TagTextAttribution({ source }: { source: NonNullable<TagTextSource> }) {
  const { site, url, license, isAdapted } = source;
  const link = <AttributionLink address={url}>{site}</AttributionLink>;
  return (
    <p className={classes.source}>
      {isAdapted ? (
        <Trans>
          Adapted from {link}&nbsp;· {license}
        </Trans>
      ) : (
        <Trans>
          From {link}&nbsp;· {license}
        </Trans>
      )}
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
