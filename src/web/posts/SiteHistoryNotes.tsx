import { t } from '@lingui/core/macro';
import type { SiteHistory } from '#shared/posts/site-history.ts';
import { formatCount, formatDate, formatMonth } from '#web/core/format.ts';
import facts from '#web/ui/meta-line.module.css';

/** What the site of an imported post showed with it: that it is a community wiki, and bounties. */
export default function SiteHistoryNotes({
  history: { communityWikiAt, bounties },
  site,
}: {
  history: SiteHistory;
  site: string;
}) {
  return (
    <>
      {communityWikiAt !== null && (
        <span className={facts.item} title={describeWiki(site, formatDate(communityWikiAt))}>
          {t`Community wiki`}
        </span>
      )}
      {bounties.map(({ amount, day }) => (
        <span key={`${day} ${amount}`} className={facts.item} title={formatDate(day, 'UTC')}>
          {describeBounty(formatCount(amount), site, formatMonth(day))}
        </span>
      ))}
    </>
  );
}

const describeWiki = (site: string, date: string) => t`Edited by many members of ${site} since ${date}`;

const describeBounty = (amount: string, site: string, month: string) =>
  t`Bounty of ${amount} on ${site}, ${month}`;
