import { plural, t } from '@lingui/core/macro';
import { formatCount, formatDate, formatDateTime } from '#web/core/format.ts';
import type { BadgeClass, ImportedBadge, ImportedBadges } from '#shared/identity/imported-badges.ts';
import { badgeClasses } from '#shared/identity/imported-badges.ts';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import classes from './ProfileBadges.module.css';

/** Badges that are shown while the list is closed. */
const maxShown = 5;

/** The badges of a member on one site that was imported, the most important first. */
export function ProfileBadges({ site, total, badges, ...awards }: ImportedBadges) {
  const groups = [...badgeClasses, null]
    .map((badgeClass) => ({ badgeClass, items: badges.filter((badge) => badge.class === badgeClass) }))
    .filter(({ items }) => items.length > 0);
  const hiddenCount = total - badges.length;
  return (
    <section className={classes.section}>
      <h2 className={classes.heading}>{t`Badges on ${site}`}</h2>
      <p className={classes.facts}>
        {badgeClasses.map(
          (badgeClass) =>
            awards[badgeClass] > 0 && (
              <span key={badgeClass} className={classes.fact}>
                <Dot of={badgeClass} />
                {countAwards(badgeClass, awards[badgeClass])}
              </span>
            ),
        )}
        <span>{t`History from the old profile, without effect here`}</span>
      </p>
      <ul className={classes.chips}>
        {badges.slice(0, maxShown).map((badge) => (
          <li key={`${badge.class} ${badge.name}`} className={classes.chip}>
            <BadgeName badge={badge} withClass />
          </li>
        ))}
      </ul>
      <details className={classes.all}>
        <summary>
          {plural(total, { one: '# badge with its date', other: 'All # badges with their dates' })}
        </summary>
        {groups.map(({ badgeClass, items }) => (
          <div key={badgeClass}>
            {badgeClass !== null && (
              <h3 className={classes.groupHeading}>
                <Dot of={badgeClass} />
                {nameClass(badgeClass)}
              </h3>
            )}
            <ul className={classes.list}>
              {items.map((badge) => (
                <li key={badge.name}>
                  <BadgeName badge={badge} />
                  <Dates badge={badge} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        {hiddenCount > 0 && (
          <p className={classes.facts}>
            {plural(hiddenCount, { one: 'and # more badge', other: 'and # more badges' })}
          </p>
        )}
      </details>
    </section>
  );
}

function BadgeName({ badge, withClass = false }: { badge: ImportedBadge; withClass?: boolean }) {
  const { name, class: badgeClass, awards } = badge;
  return (
    <span className={classes.name}>
      {withClass && badgeClass !== null && (
        <>
          <Dot of={badgeClass} />
          <VisuallyHidden>{nameClass(badgeClass)}: </VisuallyHidden>
        </>
      )}
      <span dir="auto">{name}</span>
      {awards > 1 && <span className={classes.awards}>×{formatCount(awards)}</span>}
    </span>
  );
}

function Dates({ badge: { firstAt, lastAt } }: { badge: ImportedBadge }) {
  const [first, last] = [formatDate(firstAt), formatDate(lastAt)];
  return (
    <span className={classes.dates}>
      <time dateTime={firstAt} title={formatDateTime(firstAt)}>
        {first}
      </time>
      {first !== last && (
        <>
          {' – '}
          <time dateTime={lastAt} title={formatDateTime(lastAt)}>
            {last}
          </time>
        </>
      )}
    </span>
  );
}

const Dot = ({ of }: { of: BadgeClass }) => <span className={classes.dot} data-class={of} aria-hidden />;

function countAwards(badgeClass: BadgeClass, count: number): string {
  const formatted = formatCount(count);
  return {
    gold: plural(count, { one: `${formatted} gold badge`, other: `${formatted} gold badges` }),
    silver: plural(count, { one: `${formatted} silver badge`, other: `${formatted} silver badges` }),
    bronze: plural(count, { one: `${formatted} bronze badge`, other: `${formatted} bronze badges` }),
  }[badgeClass];
}

function nameClass(badgeClass: BadgeClass): string {
  return { gold: t`Gold`, silver: t`Silver`, bronze: t`Bronze` }[badgeClass];
}
